#include "tactus/contact/contact_problem.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "tactus/contact/problem_checks.h"

namespace tactus {

using problem_checks::Asymmetry;
using problem_checks::CheckFriction;
using problem_checks::CheckLaw;
using problem_checks::RequireFinite;
using problem_checks::RequireFiniteSparse;

namespace {

// The finest split of [0, n) into ranges such that A has no entry between two ranges.
std::vector<std::pair<int, int>> DiagonalRanges(const SparseMatrix& A) {
  const int n = static_cast<int>(A.rows());
  std::vector<int> reach(n);  // farthest dof coupled with i, either way
  std::iota(reach.begin(), reach.end(), 0);
  for (int i = 0; i < n; ++i) {
    for (SparseMatrix::InnerIterator it(A, i); it; ++it) {
      if (it.value() == 0) continue;
      const int lo = std::min<int>(i, static_cast<int>(it.col())), hi = std::max<int>(i, static_cast<int>(it.col()));
      reach[lo] = std::max(reach[lo], hi);
    }
  }
  std::vector<std::pair<int, int>> ranges;
  for (int begin = 0; begin < n;) {
    int end = begin + 1;
    for (int i = begin; i < end; ++i) end = std::max(end, reach[i] + 1);
    ranges.emplace_back(begin, end);
    begin = end;
  }
  return ranges;
}

}  // namespace

void ContactProblem::MultiplyJ(const ConstVectorRef& v, VectorX* y) const {
  y->resize(size());
  for (int i = 0; i < num_constraints(); ++i) {
    const int* cols = jacobian_.cols(i);
    const double* block = jacobian_.block(i);
    const int count = jacobian_.count(i);
    for (int r = 0; r < dim(i); ++r, block += count) {
      double sum = 0;
      for (int c = 0; c < count; ++c) sum += block[c] * v[cols[c]];
      (*y)[offset(i) + r] = sum;
    }
  }
}

void ContactProblem::AddMultiplyJT(const ConstVectorRef& lambda, VectorX* y) const {
  for (int i = 0; i < num_constraints(); ++i) {
    const int* cols = jacobian_.cols(i);
    const double* block = jacobian_.block(i);
    const int count = jacobian_.count(i);
    for (int r = 0; r < dim(i); ++r, block += count) {
      const double l = lambda[offset(i) + r];
      if (l == 0) continue;
      for (int c = 0; c < count; ++c) (*y)[cols[c]] += block[c] * l;
    }
  }
}

const VectorX& ContactProblem::CalcFreeVelocity() const {
  LazyVelocity& lazy = *lazy_free_velocity_;
  if (lazy.known) return lazy.value;
  const std::lock_guard lock(lazy.mutex);
  if (lazy.known) return lazy.value;
  lazy.value = b_;
  mass_.SolveInPlace(lazy.value);
  if (!lazy.value.allFinite()) throw NumericalError("A^-1 b is not finite: A is badly conditioned");
  lazy.known = true;
  return lazy.value;
}

void ContactProblem::CalcVelocity(const ConstVectorRef& lambda, VectorX* v) const {
  *v = b_;
  AddMultiplyJT(lambda, v);
  mass_.SolveInPlace(*v);
}

void ContactProblem::CalcSigma(const ConstVectorRef& lambda, VectorX* sigma) const {
  if (is_delassus_) {
    sigma->noalias() = W_ * lambda;
  } else {
    VectorX v;
    CalcVelocity(lambda, &v);
    MultiplyJ(v, sigma);
  }
  *sigma += e_;
}

ContactProblem ContactProblem::FromMatrices(const MatrixX& A, const VectorX& b, const MatrixX& J, const VectorX& e,
                                            const std::vector<Friction>& friction, const std::vector<RowLaw>& laws) {
  return FromMatrices(SparseMatrix(A.sparseView()), b, SparseMatrix(J.sparseView()), e, friction, laws);
}

ContactProblem ContactProblem::FromMatrices(const SparseMatrix& A, const VectorX& b, const SparseMatrix& J,
                                            const VectorX& e, const std::vector<Friction>& friction,
                                            const std::vector<RowLaw>& laws) {
  const int n = static_cast<int>(b.size()), nc = static_cast<int>(friction.size());
  const int m = 3 * nc + static_cast<int>(laws.size());
  const auto shape = [](const SparseMatrix& M) { return std::to_string(M.rows()) + " x " + std::to_string(M.cols()); };
  Require(A.rows() == n && A.cols() == n, "A", "is " + shape(A),
          std::to_string(n) + " x " + std::to_string(n) + ", the length of b");
  Require(J.rows() == m && (J.cols() == n || m == 0), "J", "is " + shape(J),
          std::to_string(m) + " x " + std::to_string(n) + ", three rows a contact and one a scalar row");
  Require(e.size() == m, "e", "has " + std::to_string(e.size()) + " entries", std::to_string(m));
  RequireFiniteSparse(A, "A");
  RequireFiniteSparse(J, "J");

  ContactProblemBuilder builder;
  constexpr int kLargestDenseBlock = 150;
  for (const auto& [begin, end] : DiagonalRanges(A)) {
    const int size = end - begin;
    const SparseMatrix block = A.block(begin, begin, size, size);
    if (size <= kLargestDenseBlock) {
      builder.AddDense(MatrixX(block), b.segment(begin, size));
    } else {
      builder.AddSparse(block, b.segment(begin, size));
    }
  }
  for (int i = 0; i < nc; ++i) {
    std::map<int, Vector3> entries;
    for (int r = 0; r < 3; ++r) {
      for (SparseMatrix::InnerIterator it(J, 3 * i + r); it; ++it) {
        if (it.value() != 0)
          entries.try_emplace(static_cast<int>(it.col()), Vector3::Zero()).first->second[r] += it.value();
      }
    }
    std::vector<int> columns;
    MatrixX values(3, entries.size());
    for (const auto& [column, value] : entries) {
      values.col(static_cast<int>(columns.size())) = value;
      columns.push_back(column);
    }
    builder.AddContactRows(columns, values, friction[i], e.segment<3>(3 * i));
  }
  for (int r = 3 * nc; r < m; ++r) {
    std::vector<int> columns;
    std::vector<double> values;
    for (SparseMatrix::InnerIterator it(J, r); it; ++it) {
      if (it.value() == 0) continue;
      columns.push_back(static_cast<int>(it.col()));
      values.push_back(it.value());
    }
    builder.AddRow(laws[r - 3 * nc], columns, Eigen::Map<const VectorX>(values.data(), values.size()), e[r]);
  }
  return builder.Build();
}

ContactProblem ContactProblem::FromDelassus(const SparseMatrix& W, const VectorX& q,
                                            const std::vector<Friction>& friction, const std::vector<RowLaw>& laws) {
  ContactProblem p;
  FromDelassus(W, q, friction, laws, &p);
  return p;
}

void ContactProblem::FromDelassus(const SparseMatrix& W, const VectorX& q, const std::vector<Friction>& friction,
                                  const std::vector<RowLaw>& laws, ContactProblem* out) {
  const auto m = static_cast<Eigen::Index>(3 * friction.size() + laws.size());
  // Texts are made only where they are needed: controllers come here every step.
  if (W.rows() != m || W.cols() != m) {
    throw InputError("W", "is " + std::to_string(W.rows()) + " x " + std::to_string(W.cols()),
                     std::to_string(m) + " x " + std::to_string(m) + ", three rows a contact and one a scalar row");
  }
  if (q.size() != m) throw InputError("q", "has " + std::to_string(q.size()) + " entries", std::to_string(m));
  RequireFinite(q, "q");
  RequireFiniteSparse(W, "W");
  for (std::size_t i = 0; i < friction.size(); ++i) CheckFriction(friction[i], static_cast<int>(i));
  for (std::size_t i = 0; i < laws.size(); ++i) CheckLaw(laws[i], static_cast<int>(i));
  double scale = 0;
  for (Eigen::Index i = 0; i < m; ++i) scale = std::max(scale, std::abs(W.coeff(i, i)));
  for (Eigen::Index i = 0; i < m; ++i) {
    if (W.coeff(i, i) >= -1e-6 * scale) continue;
    throw InputError("W", "diagonal entry " + std::to_string(i) + " is " + std::to_string(W.coeff(i, i)),
                     "a positive semidefinite matrix");
  }
  if (!out->is_delassus_) *out = ContactProblem();
  out->is_delassus_ = true;
  out->name.clear();
  out->provenance.clear();
  out->friction_ = friction;
  out->laws_ = laws;
  out->W_ = W;
  out->W_.makeCompressed();
  out->e_ = q;
  out->asymmetry_ = Asymmetry(out->W_);
}

ContactProblem ContactProblem::WithScaledRows(const VectorX& scale, const std::vector<Friction>& friction) const {
  ContactProblem p = *this;
  p.friction_ = friction;
  p.e_ = scale.cwiseProduct(e_);
  p.geometry_.clear();
  if (is_delassus_) {
    p.W_ = scale.asDiagonal() * W_ * scale.asDiagonal();
    p.W_.makeCompressed();
    return p;
  }
  for (int i = 0; i < num_constraints(); ++i) {
    const int count = jacobian_.count(i);
    double* block = p.jacobian_.values.data() + jacobian_.value_start[i];
    for (int r = 0; r < dim(i); ++r) {
      for (int c = 0; c < count; ++c) block[r * count + c] *= scale[offset(i) + r];
    }
  }
  return p;
}

}  // namespace tactus
