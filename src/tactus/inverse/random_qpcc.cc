#include "tactus/inverse/random_qpcc.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "tactus/core/random.h"

namespace tactus {

namespace {

MatrixX Normal(int rows, int cols, Random* random) {
  MatrixX out(rows, cols);
  for (Eigen::Index k = 0; k < out.size(); ++k) out.data()[k] = random->Normal();
  return out;
}

// A point that obeys the law, every contact in a random mode.
void DrawLawfulPoint(const QpccProblem& problem, Random* random, VectorX* x_c, VectorX* sigma) {
  const int dim = problem.dim(), t = dim - 1;
  x_c->setZero(problem.num_rows());
  sigma->setZero(problem.num_rows());
  for (int c = 0; c < problem.num_contacts(); ++c) {
    double* l = x_c->data() + c * dim;
    double* s = sigma->data() + c * dim;
    double d[2] = {random->Normal(), random->Normal()};
    if (t == 1) d[1] = 0;
    const double length = std::hypot(d[0], d[1]), normal = random->Uniform(0.3, 1.5);
    const double part = random->Uniform(0, 0.8), speed = random->Uniform(0.2, 1);
    const int mode = random->Index(dim == 1 ? 2 : 3);
    for (int k = 0; k < t; ++k) {
      const double radius = problem.mu[c] * normal * d[k] / length;
      if (mode == 0) s[k] = d[k];
      if (mode == 1) l[k] = -part * radius;
      if (mode == 2) l[k] = -radius, s[k] = speed * d[k] / length;
    }
    if (mode == 0) s[t] = speed;
    if (mode != 0) l[t] = normal;
  }
}

}  // namespace

QpccProblem MakeRandomQpcc(const RandomQpccSettings& settings, std::uint64_t seed) {
  Random random(seed);
  const int na = settings.actuators, ne = settings.tasks;
  const bool regularized = settings.regularization > 0;
  QpccProblem p;
  const int m = settings.contacts * static_cast<int>(settings.kind);
  p.Resize(ne + (regularized ? na + m : 0), na, settings.contacts, settings.kind);
  const int nv = std::max(na + settings.passive_dofs, 1);
  // M = X X^T/nv + I/2, and M^{-1} J^T of all Jacobians.
  const MatrixX X = Normal(nv, nv, &random);
  const MatrixX M = X * X.transpose() / nv + 0.5 * MatrixX::Identity(nv, nv);
  const Eigen::LLT<MatrixX> llt(M);
  const MatrixX J_c = Normal(m, nv, &random), J_e = Normal(ne, nv, &random);
  MatrixX J_a = MatrixX::Zero(na, nv);
  J_a.rightCols(na).setIdentity();
  const MatrixX by_actuation = llt.solve(J_a.transpose()), by_contact = llt.solve(J_c.transpose());
  p.A.topRows(ne) = J_e * by_actuation;
  p.B.topRows(ne) = J_e * by_contact;
  p.C = J_c * by_actuation;
  p.D = J_c * by_contact;
  p.D = 0.5 * (p.D + p.D.transpose()).eval();
  for (int c = 0; c < settings.contacts; ++c) p.mu[c] = random.Uniform(0.3, 0.9);
  p.lower.setConstant(na, -settings.limit);
  p.upper.setConstant(na, settings.limit);

  VectorX x_c, sigma;
  DrawLawfulPoint(p, &random, &x_c, &sigma);
  VectorX x_a(na), target(ne);
  for (int i = 0; i < na; ++i) x_a[i] = random.Uniform(-1, 1);
  for (int i = 0; i < ne; ++i) target[i] = random.Normal();
  const bool reachable = random.Uniform() < settings.reachable;
  // The lawful point is there in any case, so that the problem has an answer; the task may want another one.
  p.g = sigma - p.C * x_a - p.D * x_c;
  p.b.head(ne) = -(p.A.topRows(ne) * x_a + p.B.topRows(ne) * x_c);
  if (!reachable) p.b.head(ne) += target;
  if (regularized) {
    p.A.block(ne, 0, na, na).diagonal().setConstant(settings.regularization);
    p.B.block(ne + na, 0, m, m).diagonal().setConstant(0.1 * settings.regularization);
  }
  p.name = "random-" + std::string(ToString(settings.kind));
  p.provenance = "MakeRandomQpcc, seed " + std::to_string(seed);
  return p;
}

}  // namespace tactus
