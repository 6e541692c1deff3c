#include "tactus/inverse/qpcc_scaling.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

constexpr double kTiny = 1e-12;

// One number a contact: the mean of its rows' norms, which are replaced by it.
void AverageOverContacts(int dim, Eigen::Ref<VectorX> norms) {
  for (Eigen::Index i = 0; i < norms.size(); i += dim) {
    norms.segment(i, dim).setConstant(norms.segment(i, dim).mean());
  }
}

double InverseRoot(double norm) { return norm < kTiny ? 1 : 1 / std::sqrt(norm); }

// Largest entry of every column of c E |H| E.
void CalcHessianNorms(const QpccScaled& p, VectorX* norms) {
  for (int j = 0; j < p.n; ++j) {
    (*norms)[j] = p.cost * p.E[j] * p.H.col(j).cwiseAbs().cwiseProduct(p.E).maxCoeff();
  }
}

// One round: columns of H and CD, rows of CD, then the cost (as COSMO does it).
void Equilibrate(QpccScaled* p) {
  CalcHessianNorms(*p, &p->norms);
  p->row_norms.setZero();
  for (int j = 0; j < p->n && p->m > 0; ++j) {
    double largest = 0;
    for (int i = 0; i < p->m; ++i) {
      const double entry = std::abs(p->CD(i, j)) * p->S[i] * p->E[j];
      largest = std::max(largest, entry);
      p->row_norms[i] = std::max(p->row_norms[i], entry);
    }
    p->norms[j] = std::max(p->norms[j], largest);
  }
  AverageOverContacts(p->dim(), p->norms.tail(p->m));
  AverageOverContacts(p->dim(), p->row_norms);
  for (int j = 0; j < p->n; ++j) p->E[j] *= InverseRoot(p->norms[j]);
  for (int i = 0; i < p->m; ++i) p->S[i] *= InverseRoot(p->row_norms[i]);
  const double cost = p->cost;
  CalcHessianNorms(*p, &p->norms);
  const double mean = p->n > 0 ? p->norms.mean() / cost : 0;
  p->cost = mean < kTiny * kTiny ? 1 : 1 / mean;
}

void Apply(QpccScaled* p) {
  const double root = std::sqrt(p->cost);
  for (int j = 0; j < p->n; ++j) {
    p->AB.col(j) *= root * p->E[j];
    p->CD.col(j) = p->CD.col(j).cwiseProduct(p->S) * p->E[j];
    p->H.col(j) = p->H.col(j).cwiseProduct(p->E) * (p->cost * p->E[j]);
  }
  p->b *= root;
  p->g = p->g.cwiseProduct(p->S);
  p->lower = p->lower.cwiseQuotient(p->E.head(p->na));
  p->upper = p->upper.cwiseQuotient(p->E.head(p->na));
}

}  // namespace

void ScaleQpcc(const QpccProblem& problem, int iterations, QpccScaled* p) {
  p->kind = problem.kind;
  p->na = problem.num_actuators();
  p->m = problem.num_rows();
  p->n = p->na + p->m;
  p->AB.resize(problem.num_tasks(), p->n);
  p->AB.leftCols(p->na) = problem.A;
  p->AB.rightCols(p->m) = problem.B;
  p->CD.resize(p->m, p->n);
  p->CD.leftCols(p->na) = problem.C;
  p->CD.rightCols(p->m) = problem.D;
  for (Eigen::Index i = 0; i < problem.compliance.size(); ++i) p->CD(i, p->na + i) += problem.compliance[i];
  p->b = problem.b;
  p->g = problem.g;
  p->lower = problem.lower;
  p->upper = problem.upper;
  p->mu = problem.mu;
  p->H.resize(p->n, p->n);
  p->H.noalias() = p->AB.transpose() * p->AB;
  p->E.setOnes(p->n);
  p->S.setOnes(p->m);
  p->cost = 1;
  p->norms.resize(p->n);
  p->row_norms.resize(p->m);
  for (int k = 0; k < iterations; ++k) Equilibrate(p);
  Apply(p);
  p->G.setZero(p->n, p->n);
  p->G.selfadjointView<Eigen::Lower>().rankUpdate(p->CD.transpose());
  p->q.resize(p->n);
  p->q.noalias() = p->AB.transpose() * p->b;
}

}  // namespace tactus
