#include "tactus/contact/mass_matrix.h"

#include <cmath>
#include <string>

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

// The factor of the lower triangle, null if it is not positive definite.
std::unique_ptr<const SparseCholesky> MakeFactor(const SparseMatrix& A) {
  if (!(A.diagonal().array() > 0).all()) return nullptr;  // also where the pattern lacks a diagonal entry
  const Eigen::SparseMatrix<double> full = A.selfadjointView<Eigen::Lower>();
  auto factor = std::make_unique<SparseCholesky>();
  factor->Analyze({full.outerIndexPtr(), static_cast<std::size_t>(full.cols()) + 1},
                  {full.innerIndexPtr(), static_cast<std::size_t>(full.nonZeros())});
  if (!factor->Factorize(full.valuePtr())) return nullptr;
  return factor;
}

}  // namespace

const SparseCholesky* SparseBlock::factor() const {
  std::call_once(once_, [this] { factor_ = MakeFactor(matrix_); });
  return factor_.get();
}

int MassMatrix::Append(SubsystemKind kind, int size, int storage) {
  const int j = num_subsystems();
  subsystems_.push_back({kind, num_dofs_, size, storage});
  subsystem_of_dof_.insert(subsystem_of_dof_.end(), size, j);
  if (static_cast<int>(tree_parent_.size()) <= j) tree_parent_.emplace_back();
  tree_parent_[j].clear();
  num_dofs_ += size;
  return j;
}

void MassMatrix::Clear() {
  subsystems_.clear();
  subsystem_of_dof_.clear();
  num_dofs_ = 0;
  values_.clear();
  factors_.clear();
  sparse_.clear();
}

int MassMatrix::AddDense(const Eigen::Ref<const MatrixX>& A, bool free_body) {
  const int n = static_cast<int>(A.rows()), offset = static_cast<int>(values_.size());
  values_.resize(offset + static_cast<std::size_t>(n) * n);
  Eigen::Map<MatrixX>(values_.data() + offset, n, n) = A;
  return Append(free_body && n == 6 ? SubsystemKind::Free : SubsystemKind::Dense, n, offset);
}

int MassMatrix::AddTree(const Eigen::Ref<const MatrixX>& A, const std::vector<int>& parent) {
  const int j = AddDense(A);
  subsystems_[j].kind = SubsystemKind::Tree;
  tree_parent_[j] = parent;
  return j;
}

int MassMatrix::AddSparse(const SparseMatrix& A, const VectorX& inertia) {
  sparse_.push_back(std::make_shared<const SparseBlock>(A, inertia));
  return Append(SubsystemKind::Sparse, static_cast<int>(A.rows()), static_cast<int>(sparse_.size()) - 1);
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
    const SparseCholesky* factor = sparse_[s.storage]->factor();
    if (factor == nullptr) throw NumericalError("A of subsystem " + std::to_string(j) + " is not positive definite");
    VectorX work(factor->work_size());
    for (int c = 0; c < X.cols(); ++c) factor->Solve(X.col(c).data(), work.data());
    return;
  }
  const Eigen::Map<const MatrixX> L(factors_.data() + s.storage, s.size, s.size);
  if (s.kind == SubsystemKind::Tree) {
    SolveTree(tree_parent_[j], L, X);
  } else {
    L.triangularView<Eigen::Lower>().solveInPlace(X);
    L.transpose().triangularView<Eigen::Upper>().solveInPlace(X);
  }
}

void MassMatrix::SolveInPlace(Eigen::Ref<VectorX> x) const {
  for (int j = 0; j < num_subsystems(); ++j) {
    const Subsystem& s = subsystems_[j];
    if (s.kind == SubsystemKind::Sparse || s.kind == SubsystemKind::Tree) {
      SolveSubsystem(j, x.segment(s.dof, s.size));
    } else {
      const Eigen::Map<const MatrixX> L(factors_.data() + s.storage, s.size, s.size);
      auto part = x.segment(s.dof, s.size);
      L.triangularView<Eigen::Lower>().solveInPlace(part);
      L.transpose().triangularView<Eigen::Upper>().solveInPlace(part);
    }
  }
}

}  // namespace tactus
