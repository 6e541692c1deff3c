#include "tactus/inverse/qpcc_problem.h"

#include <cmath>
#include <limits>

#include "tactus/core/error.h"

namespace tactus {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
/// D may be this unsymmetric, relative to its largest entry (it may come out of a factorization).
constexpr double kMostAsymmetry = 1e-6;

void RequireSize(bool ok, const char* name, Eigen::Index rows, Eigen::Index cols, Eigen::Index want_rows,
                 Eigen::Index want_cols) {
  if (ok) return;
  throw InputError(name, "is " + std::to_string(rows) + " x " + std::to_string(cols),
                   std::to_string(want_rows) + " x " + std::to_string(want_cols));
}

void RequireShape(const MatrixX& M, const char* name, Eigen::Index rows, Eigen::Index cols) {
  RequireSize(M.rows() == rows && M.cols() == cols, name, M.rows(), M.cols(), rows, cols);
}

void RequireLength(const VectorX& v, const char* name, Eigen::Index rows) {
  RequireSize(v.size() == rows, name, v.size(), 1, rows, 1);
}

std::string Entry(const char* name, Eigen::Index row, Eigen::Index col) {
  return std::string(name) + "(" + std::to_string(row) + ", " + std::to_string(col) + ")";
}

std::string Entry(const char* name, Eigen::Index row) { return std::string(name) + "(" + std::to_string(row) + ")"; }

std::string FindNotFinite(const MatrixX& M, const char* name) {
  if (M.allFinite()) return {};
  for (Eigen::Index j = 0; j < M.cols(); ++j) {
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      if (!std::isfinite(M(i, j))) return Entry(name, i, j) + " is not finite";
    }
  }
  return {};
}

std::string FindNotFinite(const VectorX& v, const char* name) {
  if (v.allFinite()) return {};
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (!std::isfinite(v[i])) return Entry(name, i) + " is not finite";
  }
  return {};
}

// Finite and not negative.
std::string FindNegative(const VectorX& v, const char* name) {
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (!(v[i] >= 0 && v[i] < kInf)) return Entry(name, i) + " is " + std::to_string(v[i]) + ", not a number >= 0";
  }
  return {};
}

std::string FindAsymmetry(const MatrixX& D) {
  double largest = 0, worst = 0;
  Eigen::Index row = 0, col = 0;
  for (Eigen::Index j = 0; j < D.cols(); ++j) {
    for (Eigen::Index i = 0; i <= j; ++i) {
      largest = std::max({largest, std::abs(D(i, j)), std::abs(D(j, i))});
      const double difference = std::abs(D(i, j) - D(j, i));
      if (difference > worst) worst = difference, row = i, col = j;
    }
  }
  return worst > kMostAsymmetry * largest ? Entry("D", row, col) + " differs from its mirror image" : std::string();
}

}  // namespace

const char* ToString(QpccKind kind) {
  switch (kind) {
    case QpccKind::Lcp: return "lcp";
    case QpccKind::Planar: return "planar";
    case QpccKind::Ncp: return "ncp";
  }
  return "?";
}

void QpccProblem::Resize(int tasks, int actuators, int contacts, QpccKind new_kind) {
  kind = new_kind;
  const int rows = contacts * dim();
  A.setZero(tasks, actuators);
  B.setZero(tasks, rows);
  b.setZero(tasks);
  C.setZero(rows, actuators);
  D.setZero(rows, rows);
  g.setZero(rows);
  lower.setConstant(actuators, -kInf);
  upper.setConstant(actuators, kInf);
  mu.setZero(contacts);
  compliance.resize(0);
}

void QpccProblem::ValidateSizes() const {
  const Eigen::Index na = C.cols(), m = g.size(), ne = b.size();
  // Texts are made only where they are needed: this runs in every step of a controller.
  if (kind != QpccKind::Lcp && kind != QpccKind::Planar && kind != QpccKind::Ncp) {
    throw InputError("kind", "is " + std::to_string(dim()), "1 (lcp), 2 (planar) or 3 (ncp)");
  }
  if (m % dim() != 0) {
    throw InputError("g", "has " + std::to_string(m) + " rows", "a multiple of " + std::to_string(dim()));
  }
  RequireShape(A, "A", ne, na);
  RequireShape(B, "B", ne, m);
  RequireShape(C, "C", m, na);
  RequireShape(D, "D", m, m);
  RequireLength(lower, "lower", na);
  RequireLength(upper, "upper", na);
  if (kind != QpccKind::Lcp) RequireLength(mu, "mu", m / dim());
  if (compliance.size() != 0) RequireLength(compliance, "compliance", m);
}

std::string QpccProblem::FindFault() const {
  for (const auto& [matrix, label] : {std::pair{&A, "A"}, {&B, "B"}, {&C, "C"}, {&D, "D"}}) {
    if (std::string fault = FindNotFinite(*matrix, label); !fault.empty()) return fault;
  }
  for (const auto& [vector, label] : {std::pair{&b, "b"}, {&g, "g"}}) {
    if (std::string fault = FindNotFinite(*vector, label); !fault.empty()) return fault;
  }
  for (Eigen::Index i = 0; i < lower.size(); ++i) {
    if (!(lower[i] <= upper[i] && lower[i] < kInf && upper[i] > -kInf)) {
      return "bounds " + std::to_string(i) + " are [" + std::to_string(lower[i]) + ", " + std::to_string(upper[i]) +
             "], not an interval";
    }
  }
  if (kind != QpccKind::Lcp) {
    if (std::string fault = FindNegative(mu, "mu"); !fault.empty()) return fault;
  }
  if (std::string fault = FindNegative(compliance, "compliance"); !fault.empty()) return fault;
  return FindAsymmetry(D);
}

void QpccProblem::Validate() const {
  ValidateSizes();
  const std::string fault = FindFault();
  if (!fault.empty()) {
    throw InputError("inverse problem", fault, "finite numbers, lower <= upper, mu and compliance >= 0, symmetric D");
  }
}

double CalcQpccLoss(const QpccProblem& problem, const ConstVectorRef& actuation, const ConstVectorRef& contact) {
  double sum = 0;
  for (Eigen::Index i = 0; i < problem.b.size(); ++i) {
    const double r = problem.A.row(i).dot(actuation) + problem.B.row(i).dot(contact) + problem.b[i];
    sum += r * r;
  }
  return 0.5 * sum;
}

void CalcQpccSigma(const QpccProblem& problem, const ConstVectorRef& actuation, const ConstVectorRef& contact,
                   VectorX* sigma) {
  *sigma = problem.g;
  sigma->noalias() += problem.C * actuation;
  sigma->noalias() += problem.D * contact;
  if (problem.compliance.size() != 0) *sigma += problem.compliance.cwiseProduct(contact);
}

QpccProblem MakeFrictionless(const QpccProblem& problem) {
  const int dim = problem.dim(), count = problem.num_contacts();
  QpccProblem out = problem;
  out.Resize(problem.num_tasks(), problem.num_actuators(), count, QpccKind::Lcp);
  out.A = problem.A;
  out.b = problem.b;
  out.lower = problem.lower;
  out.upper = problem.upper;
  if (problem.compliance.size() != 0) out.compliance.resize(count);
  for (int i = 0; i < count; ++i) {
    const int n = i * dim + dim - 1;
    out.B.col(i) = problem.B.col(n);
    out.C.row(i) = problem.C.row(n);
    out.g[i] = problem.g[n];
    for (int j = 0; j < count; ++j) out.D(i, j) = problem.D(n, j * dim + dim - 1);
    if (problem.compliance.size() != 0) out.compliance[i] = problem.compliance[n];
  }
  return out;
}

}  // namespace tactus
