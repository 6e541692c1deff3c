#include "tactus/contact/mass_matrix.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <Eigen/Cholesky>

#include "tactus/core/error.h"

namespace tactus {

namespace {

// A = L^T L with L lower triangular and branch-sparse (Featherstone, Rigid Body Dynamics Algorithms, table 6.3).
bool FactorizeTree(const std::vector<int>& parent, Eigen::Map<MatrixX> L) {
  const int n = static_cast<int>(parent.size());
  for (int k = n - 1; k >= 0; --k) {
    if (!(L(k, k) > 0)) return false;
    L(k, k) = std::sqrt(L(k, k));
    for (int i = parent[k]; i >= 0; i = parent[i]) L(k, i) /= L(k, k);
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      for (int j = i; j >= 0; j = parent[j]) L(i, j) -= L(k, i) * L(k, j);
    }
  }
  return true;
}

void SolveTree(const std::vector<int>& parent, Eigen::Map<const MatrixX> L, Eigen::Ref<MatrixX> X) {
  const int n = static_cast<int>(parent.size());
  for (int c = 0; c < X.cols(); ++c) {
    for (int i = n - 1; i >= 0; --i) {
      X(i, c) /= L(i, i);
      for (int j = parent[i]; j >= 0; j = parent[j]) X(j, c) -= L(i, j) * X(i, c);
    }
    for (int i = 0; i < n; ++i) {
      for (int j = parent[i]; j >= 0; j = parent[j]) X(i, c) -= L(i, j) * X(j, c);
      X(i, c) /= L(i, i);
    }
  }
}

// x <- L^{-T} x, the first half of it; returns |x|^2. Rows touch few dofs, and only those and their ancestors count.
double SolveTreeHalf(const std::vector<int>& parent, Eigen::Map<const MatrixX> L, double* x) {
  double sum = 0;
  for (int i = static_cast<int>(parent.size()) - 1; i >= 0; --i) {
    if (x[i] == 0) continue;
    x[i] /= L(i, i);
    sum += x[i] * x[i];
    for (int j = parent[i]; j >= 0; j = parent[j]) x[j] -= L(i, j) * x[i];
  }
  return sum;
}

// Free bodies are many, and their blocks small: loops of known length.
bool FactorizeSix(double* L) {
  for (int c = 0; c < 6; ++c) {
    double* column = L + 6 * c;
    for (int k = 0; k < c; ++k) {
      for (int r = c; r < 6; ++r) column[r] -= L[6 * k + r] * L[6 * k + c];
    }
    if (!(column[c] > 0)) return false;
    column[c] = std::sqrt(column[c]);
    for (int r = c + 1; r < 6; ++r) column[r] /= column[c];
  }
  return true;
}

void SolveSix(const double* L, double* x) {
  double inverse[6];
  for (int k = 0; k < 6; ++k) inverse[k] = 1 / L[7 * k];
  for (int c = 0; c < 6; ++c) {
    x[c] *= inverse[c];
    for (int r = c + 1; r < 6; ++r) x[r] -= L[6 * c + r] * x[c];
  }
  for (int c = 5; c >= 0; --c) {
    for (int r = c + 1; r < 6; ++r) x[c] -= L[6 * c + r] * x[r];
    x[c] *= inverse[c];
  }
}

}  // namespace

void SparseBlock::Assign(const SparseMatrix& A, const VectorX& inertia) {
  const bool same = A.isCompressed() && A.rows() == matrix_.rows() && A.nonZeros() == matrix_.nonZeros() &&
                    std::equal(A.outerIndexPtr(), A.outerIndexPtr() + A.rows() + 1, matrix_.outerIndexPtr()) &&
                    std::equal(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros(), matrix_.innerIndexPtr());
  state_ = Factor::Unknown;
  inertia_ = inertia;
  if (same) {
    std::copy(A.valuePtr(), A.valuePtr() + A.nonZeros(), matrix_.valuePtr());
  } else {
    matrix_ = A;
    matrix_.makeCompressed();
    AnalyzePattern();
  }
  diagonal_.resize(matrix_.rows());
  for (Eigen::Index i = 0; i < diagonal_.size(); ++i) {
    const int place = diagonal_place_[static_cast<std::size_t>(i)];
    diagonal_[i] = place < 0 ? 0 : matrix_.valuePtr()[place];
  }
}

void SparseBlock::AnalyzePattern() {
  analyzed_ = false;
  symmetric_ = matrix_.rows() == matrix_.cols();
  const auto n = static_cast<std::size_t>(matrix_.rows());
  mirror_.assign(static_cast<std::size_t>(matrix_.nonZeros()), -1);
  diagonal_place_.assign(n, -1);
  const int *start = matrix_.outerIndexPtr(), *column = matrix_.innerIndexPtr();
  for (std::size_t i = 0; i < n; ++i) {
    for (int k = start[i]; k < start[i + 1]; ++k) {
      const int j = column[k];
      if (j >= matrix_.rows()) continue;
      const int* end = column + start[j + 1];
      const int* found = std::lower_bound(column + start[j], end, static_cast<int>(i));
      if (found != end && *found == static_cast<int>(i)) {
        mirror_[static_cast<std::size_t>(k)] = static_cast<int>(found - column);
      }
      if (j == static_cast<int>(i)) diagonal_place_[i] = k;
      symmetric_ = symmetric_ && mirror_[static_cast<std::size_t>(k)] >= 0;
    }
  }
}

double SparseBlock::CalcAsymmetry() const {
  double scale = 0, worst = 0;
  for (std::size_t k = 0; k < mirror_.size(); ++k) {
    const double x = matrix_.valuePtr()[k];
    scale = std::max(scale, std::abs(x));
    worst = std::max(worst, std::abs(x - (mirror_[k] < 0 ? 0 : matrix_.valuePtr()[mirror_[k]])));
  }
  return scale > 0 ? worst / scale : 0;
}

// The lower triangle is what counts.
bool SparseBlock::Factorize() const {
  if (!(diagonal_.array() > 0).all()) return false;  // also where the pattern lacks a diagonal entry
  const auto n = static_cast<std::size_t>(matrix_.rows());
  if (!symmetric_) {
    const Eigen::SparseMatrix<double> full = matrix_.selfadjointView<Eigen::Lower>();
    cholesky_.Analyze({full.outerIndexPtr(), n + 1}, {full.innerIndexPtr(), static_cast<std::size_t>(full.nonZeros())});
    return cholesky_.Factorize(full.valuePtr());
  }
  if (!analyzed_) {
    cholesky_.Analyze({matrix_.outerIndexPtr(), n + 1}, {matrix_.innerIndexPtr(), mirror_.size()});
    analyzed_ = true;
  }
  lower_.resize(mirror_.size());
  for (std::size_t k = 0; k < mirror_.size(); ++k) lower_[k] = matrix_.valuePtr()[mirror_[k]];
  return cholesky_.Factorize(lower_.data());
}

const SparseCholesky* SparseBlock::factor() const {
  if (state_ == Factor::Unknown) {
    const std::lock_guard lock(mutex_);
    if (state_ == Factor::Unknown) state_ = Factorize() ? Factor::Good : Factor::Bad;
  }
  return state_ == Factor::Good ? &cholesky_ : nullptr;
}

VectorX SparseBlock::TakeWork(Eigen::Index size) const {
  VectorX work;
  {
    const std::lock_guard lock(mutex_);
    if (!work_.empty()) {
      work.swap(work_.back());
      work_.pop_back();
    }
  }
  if (work.size() < size) work.resize(size);
  return work;
}

void SparseBlock::ReturnWork(VectorX work) const {
  const std::lock_guard lock(mutex_);
  work_.push_back(std::move(work));
}

bool SparseBlock::Solve(Eigen::Ref<MatrixX> X) const {
  const SparseCholesky* cholesky = factor();
  if (cholesky == nullptr) return false;
  const bool one = X.cols() == 1;
  VectorX work = TakeWork(one ? cholesky->work_size() : cholesky->columns_work_size());
  if (one) {
    cholesky->Solve(X.data(), work.data());
  } else {
    cholesky->SolveColumns(X.data(), X.cols(), X.outerStride(), work.data());
  }
  ReturnWork(std::move(work));
  return true;
}

bool SparseBlock::CalcSquares(const Eigen::Ref<const MatrixX>& X, double* squares) const {
  const SparseCholesky* cholesky = factor();
  if (cholesky == nullptr) return false;
  VectorX work = TakeWork(cholesky->columns_work_size());
  cholesky->CalcSquares(X.data(), X.cols(), X.outerStride(), squares, work.data());
  ReturnWork(std::move(work));
  return true;
}

int MassMatrix::Append(SubsystemKind kind, int size, int storage) {
  const int j = num_subsystems();
  subsystems_.push_back({kind, num_dofs_, size, storage});
  subsystem_of_dof_.insert(subsystem_of_dof_.end(), size, j);
  if (static_cast<int>(tree_parent_.size()) <= j) {
    tree_parent_.emplace_back();
    mechanisms_.emplace_back();
  }
  tree_parent_[j].clear();
  mechanisms_[j].Resize(0);
  num_dofs_ += size;
  return j;
}

void MassMatrix::Clear() {
  subsystems_.clear();
  subsystem_of_dof_.clear();
  num_dofs_ = 0;
  values_.clear();
  factors_.clear();
  num_sparse_ = 0;
}

int MassMatrix::AddDense(const Eigen::Ref<const MatrixX>& A, bool free_body) {
  const int n = static_cast<int>(A.rows()), offset = static_cast<int>(values_.size());
  values_.resize(offset + static_cast<std::size_t>(n) * n);
  Eigen::Map<MatrixX>(values_.data() + offset, n, n) = A;
  return Append(free_body && n == 6 ? SubsystemKind::Free : SubsystemKind::Dense, n, offset);
}

int MassMatrix::AddTree(const Eigen::Ref<const MatrixX>& A, const std::vector<int>& parent,
                        const TreeMechanism* mechanism) {
  const int j = AddDense(A);
  subsystems_[j].kind = SubsystemKind::Tree;
  tree_parent_[j] = parent;
  if (mechanism != nullptr) mechanisms_[j] = *mechanism;
  return j;
}

int MassMatrix::AddSparse(const SparseMatrix& A, const VectorX& inertia) {
  const std::size_t slot = static_cast<std::size_t>(num_sparse_++);
  if (slot == sparse_.size()) sparse_.emplace_back();
  if (sparse_[slot] != nullptr && sparse_[slot].use_count() == 1) {
    sparse_[slot]->Assign(A, inertia);
  } else {
    // None yet, or a copy of an old problem has it.
    sparse_[slot] = std::make_shared<SparseBlock>(A, inertia);
  }
  return Append(SubsystemKind::Sparse, static_cast<int>(A.rows()), static_cast<int>(slot));
}

Eigen::Map<const MatrixX> MassMatrix::dense_block(int j) const {
  const Subsystem& s = subsystems_[j];
  return {values_.data() + s.storage, s.size, s.size};
}

void MassMatrix::Multiply(const ConstVectorRef& x, VectorX* y) const {
  y->resize(num_dofs_);
  for (int j = 0; j < num_subsystems(); ++j) {
    const Subsystem& s = subsystems_[j];
    if (s.kind == SubsystemKind::Sparse) {
      y->segment(s.dof, s.size).noalias() = sparse_block(j) * x.segment(s.dof, s.size);
    } else if (s.size == 6) {
      y->segment<6>(s.dof).noalias() =
          Eigen::Map<const Matrix6, Eigen::Unaligned>(values_.data() + s.storage) * x.segment<6>(s.dof);
    } else {
      y->segment(s.dof, s.size).noalias() = dense_block(j) * x.segment(s.dof, s.size);
    }
  }
}

VectorX MassMatrix::diagonal() const {
  VectorX d;
  CalcDiagonal(&d);
  return d;
}

void MassMatrix::CalcDiagonal(VectorX* d) const {
  d->resize(num_dofs_);
  for (int j = 0; j < num_subsystems(); ++j) {
    const Subsystem& s = subsystems_[j];
    if (s.kind == SubsystemKind::Sparse) {
      d->segment(s.dof, s.size) = sparse_[s.storage]->diagonal();
    } else {
      d->segment(s.dof, s.size) = dense_block(j).diagonal();
    }
  }
}

void MassMatrix::CalcInertia(VectorX* d) const {
  CalcDiagonal(d);
  for (int j = 0; j < num_subsystems(); ++j) {
    const Subsystem& s = subsystems_[j];
    if (s.kind == SubsystemKind::Sparse && sparse_inertia(j).size() > 0) d->segment(s.dof, s.size) = sparse_inertia(j);
  }
}

int MassMatrix::Factorize() {
  const int bad = FactorizeDense();
  return bad >= 0 ? bad : FactorizeSparse();
}

int MassMatrix::FactorizeSparse() const {
  if (!has_sparse()) return -1;
  for (int j = 0; j < num_subsystems(); ++j) {
    const Subsystem& s = subsystems_[j];
    if (s.kind == SubsystemKind::Sparse && sparse_[s.storage]->factor() == nullptr) return j;
  }
  return -1;
}

int MassMatrix::FactorizeDense() {
  factors_ = values_;
  for (int j = 0; j < num_subsystems(); ++j) {
    const Subsystem& s = subsystems_[j];
    if (s.kind == SubsystemKind::Sparse) continue;
    if (s.kind == SubsystemKind::Tree) {
      if (!FactorizeTree(tree_parent_[j], {factors_.data() + s.storage, s.size, s.size})) return j;
    } else if (s.size == 6) {
      if (!FactorizeSix(factors_.data() + s.storage)) return j;
    } else {
      Eigen::Map<MatrixX> block(factors_.data() + s.storage, s.size, s.size);
      Eigen::LLT<Eigen::Ref<MatrixX>> llt(block);
      if (llt.info() != Eigen::Success) return j;
    }
  }
  return -1;
}

void MassMatrix::SolveSubsystem(int j, Eigen::Ref<MatrixX> X) const {
  const Subsystem& s = subsystems_[j];
  if (s.kind == SubsystemKind::Sparse) {
    if (sparse_[s.storage]->Solve(X)) return;
    throw NumericalError("A of subsystem " + std::to_string(j) + " is not positive definite");
  }
  const Eigen::Map<const MatrixX> L(factors_.data() + s.storage, s.size, s.size);
  if (s.kind == SubsystemKind::Tree) {
    SolveTree(tree_parent_[j], L, X);
  } else if (s.size == 6) {
    for (Eigen::Index c = 0; c < X.cols(); ++c) SolveSix(L.data(), X.col(c).data());
  } else {
    L.triangularView<Eigen::Lower>().solveInPlace(X);
    L.transpose().triangularView<Eigen::Upper>().solveInPlace(X);
  }
}

void MassMatrix::CalcSquares(int j, const Eigen::Ref<const MatrixX>& X, double* squares) const {
  if (sparse_[subsystems_[j].storage]->CalcSquares(X, squares)) return;
  throw NumericalError("A of subsystem " + std::to_string(j) + " is not positive definite");
}

double MassMatrix::CalcSquare(int j, double* x) const {
  const Subsystem& s = subsystems_[j];
  const Eigen::Map<const MatrixX> L(factors_.data() + s.storage, s.size, s.size);
  if (s.kind == SubsystemKind::Tree) return SolveTreeHalf(tree_parent_[j], L, x);
  double sum = 0;
  for (int c = 0; c < s.size; ++c) {
    if (x[c] == 0) continue;
    x[c] /= L(c, c);
    sum += x[c] * x[c];
    for (int r = c + 1; r < s.size; ++r) x[r] -= L(r, c) * x[c];
  }
  return sum;
}

void MassMatrix::CalcLinkCompliance(int j, const Matrix6X& J, Matrix6X* work, Matrix6* C) const {
  const Subsystem& s = subsystems_[j];
  const Eigen::Map<const MatrixX> L(factors_.data() + s.storage, s.size, s.size);
  const std::vector<int>& parent = tree_parent_[j];
  if (work->cols() < s.size) work->resize(6, s.size);
  work->leftCols(s.size) = J;
  C->setZero();
  for (int i = s.size - 1; i >= 0; --i) {
    auto column = work->col(i);
    if (column.isZero(0)) continue;
    column *= 1 / L(i, i);
    C->noalias() += column * column.transpose();
    for (int k = parent[i]; k >= 0; k = parent[k]) work->col(k) -= L(i, k) * column;
  }
}

void MassMatrix::SolveInPlace(Eigen::Ref<VectorX> x) const {
  for (int j = 0; j < num_subsystems(); ++j) {
    const Subsystem& s = subsystems_[j];
    if (s.kind == SubsystemKind::Sparse || s.kind == SubsystemKind::Tree) {
      SolveSubsystem(j, x.segment(s.dof, s.size));
    } else if (s.size == 6) {
      SolveSix(factors_.data() + s.storage, x.data() + s.dof);
    } else {
      const Eigen::Map<const MatrixX> L(factors_.data() + s.storage, s.size, s.size);
      auto part = x.segment(s.dof, s.size);
      L.triangularView<Eigen::Lower>().solveInPlace(part);
      L.transpose().triangularView<Eigen::Upper>().solveInPlace(part);
    }
  }
}

}  // namespace tactus
