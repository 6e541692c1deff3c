#include "tactus/contact/mass_matrix.h"

#include <cmath>

#include <Eigen/Cholesky>

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
std::shared_ptr<const SparseCholesky> FactorizeSparse(const SparseMatrix& A) {
  if (!(A.diagonal().array() > 0).all()) return nullptr;  // also where the pattern lacks a diagonal entry
  const Eigen::SparseMatrix<double> full = A.selfadjointView<Eigen::Lower>();
  const auto factor = std::make_shared<SparseCholesky>();
  factor->Analyze({full.outerIndexPtr(), static_cast<std::size_t>(full.cols()) + 1},
                  {full.innerIndexPtr(), static_cast<std::size_t>(full.nonZeros())});
  if (!factor->Factorize(full.valuePtr())) return nullptr;
  return factor;
}

}  // namespace

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
  factorized_ = false;
  return j;
}

void MassMatrix::Clear() {
  subsystems_.clear();
  subsystem_of_dof_.clear();
  num_dofs_ = 0;
  values_.clear();
  factors_.clear();
  sparse_.clear();
  sparse_factors_.clear();
  factorized_ = false;
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

int MassMatrix::AddSparse(const SparseMatrix& A) {
  sparse_.push_back(A);
  sparse_.back().makeCompressed();
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
      y->segment(s.dof, s.size).noalias() = sparse_[s.storage] * x.segment(s.dof, s.size);
    } else if (s.size == 6) {
      y->segment<6>(s.dof).noalias() =
          Eigen::Map<const Matrix6, Eigen::Unaligned>(values_.data() + s.storage) * x.segment<6>(s.dof);
    } else {
      y->segment(s.dof, s.size).noalias() = dense_block(j) * x.segment(s.dof, s.size);
    }
  }
}

VectorX MassMatrix::diagonal() const {
  VectorX d(num_dofs_);
  for (int j = 0; j < num_subsystems(); ++j) {
    const Subsystem& s = subsystems_[j];
    if (s.kind == SubsystemKind::Sparse) {
      d.segment(s.dof, s.size) = sparse_[s.storage].diagonal();
    } else {
      d.segment(s.dof, s.size) = dense_block(j).diagonal();
    }
  }
  return d;
}

int MassMatrix::Factorize() {
  factors_ = values_;
  sparse_factors_.clear();
  for (int j = 0; j < num_subsystems(); ++j) {
    const Subsystem& s = subsystems_[j];
    if (s.kind == SubsystemKind::Sparse) {
      auto factor = FactorizeSparse(sparse_[s.storage]);
      if (!factor) return j;
      sparse_factors_.push_back(std::move(factor));
    } else if (s.kind == SubsystemKind::Tree) {
      if (!FactorizeTree(tree_parent_[j], {factors_.data() + s.storage, s.size, s.size})) return j;
    } else {
      Eigen::Map<MatrixX> block(factors_.data() + s.storage, s.size, s.size);
      Eigen::LLT<Eigen::Ref<MatrixX>> llt(block);
      if (llt.info() != Eigen::Success) return j;
    }
  }
  factorized_ = true;
  return -1;
}

void MassMatrix::SolveSubsystem(int j, Eigen::Ref<MatrixX> X) const {
  const Subsystem& s = subsystems_[j];
  if (s.kind == SubsystemKind::Sparse) {
    const SparseCholesky& factor = *sparse_factors_[s.storage];
    VectorX work(factor.work_size());
    for (int c = 0; c < X.cols(); ++c) factor.Solve(X.col(c).data(), work.data());
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
