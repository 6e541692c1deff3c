#include "tactus/solvers/subadmm/split_system.h"

#include <algorithm>

namespace tactus {

void SplitSystem::Reset(const ContactProblem& problem, Split split) {
  problem_ = &problem;
  split_ = split;
  copies_.clear();
  columns_.clear();
  values_.clear();
  first_copy_.assign(1, 0);
  of_subsystem_.resize(problem.mass().num_subsystems());
  for (std::vector<int>& copies : of_subsystem_) copies.clear();
  size_ = 0;
  const BlockRows& J = problem.jacobian();
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (split == Split::None) {
      AddCopy(i, -1, J.cols(i), J.block(i), J.count(i), J.count(i), 0);
    } else if (split == Split::Body && i < problem.num_contacts() && problem.has_geometry()) {
      AddBodyCopies(i);
    } else {
      AddSubsystemCopies(i);
    }
    first_copy_.push_back(num_copies());
  }
  if (split == Split::None) whole_.Reset(problem);
}

// Columns [0, count) of a block of rows `stride` apart; dofs are counted from `first` on.
void SplitSystem::AddCopy(int i, int subsystem, const int* dofs, const double* block, int count, int stride,
                          int first) {
  Copy copy;
  copy.constraint = i;
  copy.dim = problem_->dim(i);
  copy.subsystem = subsystem;
  copy.begin = static_cast<int>(columns_.size());
  copy.values = values_.size();
  for (int k = 0; k < count; ++k) columns_.push_back(dofs[k] - first);
  copy.end = static_cast<int>(columns_.size());
  for (int r = 0; r < copy.dim; ++r) {
    for (int k = 0; k < count; ++k) values_.push_back(block[static_cast<std::size_t>(r) * stride + k]);
  }
  copy.place = size_;
  size_ += copy.dim;
  if (subsystem >= 0) of_subsystem_[subsystem].push_back(num_copies());
  copies_.push_back(copy);
}

void SplitSystem::AddBodyCopies(int contact) {
  const ContactGeometry& geometry = problem_->geometry()[contact];
  for (const BodyIndex index : {geometry.a, geometry.b}) {
    if (index == kWorld) continue;
    const ContactBody& body = problem_->bodies()[index];
    const Subsystem& subsystem = problem_->mass().subsystem(body.subsystem);
    const double sign = index == geometry.a ? 1 : -1;
    const Vector3 r = geometry.point - body.reference;
    dofs_.clear();
    block_.clear();
    std::vector<Vector3> columns;
    const auto add = [&](int dof, const Vector3& velocity) {
      if (velocity.isZero(0)) return;
      dofs_.push_back(subsystem.dof + dof);
      columns.emplace_back(sign * (geometry.frame * velocity));
    };
    switch (body.kind) {
      case ContactBody::Kind::Free:
        for (int k = 0; k < 3; ++k) add(k, Vector3::Unit(k));
        for (int k = 0; k < 3; ++k) add(3 + k, Vector3::Unit(k).cross(r));
        break;
      case ContactBody::Kind::Link:
        for (int k = 0; k < subsystem.size; ++k) {
          add(k, body.jacobian.col(k).head<3>() + Vector3(body.jacobian.col(k).tail<3>()).cross(r));
        }
        break;
      case ContactBody::Kind::Node:
        for (int k = 0; k < 3; ++k) add(body.local_dof + k, Vector3::Unit(k));
        break;
      case ContactBody::Kind::Segment:
        for (int k = 0; k < 3; ++k) add(body.local_dof + k, Vector3::Unit(k));
        for (int k = 0; k < 3; ++k) add(body.local_dof + 3 + k, Vector3::Unit(k).cross(r));
        break;
      case ContactBody::Kind::Interpolated:
        for (int i = 0; i < body.num_nodes; ++i) {
          for (int k = 0; k < 3; ++k) add(body.nodes[i] + k, body.weights[i] * Vector3::Unit(k));
        }
        break;
    }
    for (int row = 0; row < 3; ++row) {
      for (const Vector3& column : columns) block_.push_back(column[row]);
    }
    const int count = static_cast<int>(dofs_.size());
    AddCopy(contact, body.subsystem, dofs_.data(), block_.data(), count, count, subsystem.dof);
  }
}

bool SplitSystem::OnOnePath(int subsystem, const int* dofs, int count) const {
  const std::vector<int>& parent = problem_->mass().tree_parent(subsystem);
  const int first = problem_->mass().subsystem(subsystem).dof;
  int k = count - 1, at = dofs[k] - first;
  for (; k >= 0; --k) {
    while (at > dofs[k] - first) at = parent[at];
    if (at != dofs[k] - first) return false;
  }
  return true;
}

// Whether all pairs of these dofs are entries of a sparse block: those of one node or segment are.
bool SplitSystem::InPattern(int subsystem, const int* dofs, int count) const {
  const SparseMatrix& A = problem_->mass().sparse_block(subsystem);
  const int first = problem_->mass().subsystem(subsystem).dof;
  for (int p = 0; p < count; ++p) {
    const int row = dofs[p] - first;
    const int *begin = A.innerIndexPtr() + A.outerIndexPtr()[row],
              *end = A.innerIndexPtr() + A.outerIndexPtr()[row + 1];
    for (int q = 0; q < count; ++q) {
      if (!std::binary_search(begin, end, dofs[q] - first)) return false;
    }
  }
  return true;
}

// A row that would add entries to a tree or to a sparse matrix has a copy of each velocity.
bool SplitSystem::KeepsPattern(int i, int subsystem, const int* dofs, int count) const {
  if (i < problem_->num_contacts()) return true;
  switch (problem_->mass().subsystem(subsystem).kind) {
    case SubsystemKind::Sparse: return InPattern(subsystem, dofs, count);
    case SubsystemKind::Tree: return split_ == Split::Subsystem || OnOnePath(subsystem, dofs, count);
    default: return true;
  }
}

void SplitSystem::AddSubsystemCopies(int i) {
  const BlockRows& J = problem_->jacobian();
  const MassMatrix& mass = problem_->mass();
  const int* dofs = J.cols(i);
  const int count = J.count(i);
  for (int begin = 0, end = 0; begin < count; begin = end) {
    const int j = mass.subsystem_of_dof(dofs[begin]);
    while (end < count && mass.subsystem_of_dof(dofs[end]) == j) ++end;
    const int step = KeepsPattern(i, j, dofs + begin, end - begin) ? end - begin : 1;
    for (int k = begin; k < end; k += step) AddCopy(i, j, dofs + k, J.block(i) + k, step, count, mass.subsystem(j).dof);
  }
}

double SplitSystem::CalcSquare(int k) const {
  const Copy& copy = copies_[k];
  double sum = 0;
  const std::size_t count = static_cast<std::size_t>(copy.dim) * (copy.end - copy.begin);
  for (std::size_t v = copy.values; v < copy.values + count; ++v) sum += values_[v] * values_[v];
  return sum;
}

void SplitSystem::AddProducts(int subsystem, const VectorX& beta, MatrixX* H) const {
  for (const int k : of_subsystem_[subsystem]) {
    const Copy& copy = copies_[k];
    const int count = copy.end - copy.begin;
    const int* columns = columns_.data() + copy.begin;
    for (int r = 0; r < copy.dim; ++r) {
      const double* row = values_.data() + copy.values + static_cast<std::size_t>(r) * count;
      for (int p = 0; p < count; ++p) {
        const double weighted = beta[k] * row[p];
        for (int q = 0; q < count; ++q) (*H)(columns[q], columns[p]) += weighted * row[q];
      }
    }
  }
}

bool SplitSystem::Factorize(const VectorX& beta) {
  const MassMatrix& mass = problem_->mass();
  if (split_ == Split::None) {
    blocks_.setZero(BlockSize(*problem_));
    for (int i = 0; i < problem_->num_constraints(); ++i) {
      const int dim = problem_->dim(i);
      for (int r = 0; r < dim; ++r)
        blocks_[BlockOffset(*problem_, i) + r * (dim + 1)] = beta[i];  // a copy a constraint
    }
    whole_.Assemble(*problem_, blocks_);
    return whole_.FactorizeCholesky();
  }
  parts_.Clear();
  MatrixX H;
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    const Subsystem& subsystem = mass.subsystem(j);
    if (subsystem.kind == SubsystemKind::Sparse) {
      SparseMatrix S = mass.sparse_block(j);
      for (const int k : of_subsystem_[j]) {
        const Copy& copy = copies_[k];
        const int count = copy.end - copy.begin;
        const double* values = values_.data() + copy.values;
        for (int p = 0; p < count; ++p) {
          for (int q = 0; q < count; ++q) {
            double sum = 0;
            for (int r = 0; r < copy.dim; ++r) sum += values[r * count + p] * values[r * count + q];
            if (sum != 0) S.coeffRef(columns_[copy.begin + p], columns_[copy.begin + q]) += beta[k] * sum;
          }
        }
      }
      S.makeCompressed();
      parts_.AddSparse(S);
      continue;
    }
    H = mass.dense_block(j);
    AddProducts(j, beta, &H);
    const bool tree = subsystem.kind == SubsystemKind::Tree && split_ == Split::Body && problem_->has_geometry();
    if (tree) {
      parts_.AddTree(H, mass.tree_parent(j));
    } else {
      parts_.AddDense(H);
    }
  }
  return parts_.Factorize() < 0;
}

void SplitSystem::MultiplyJ(const VectorX& v, VectorX* y) const {
  y->resize(size_);
  for (const Copy& copy : copies_) {
    const double* x = v.data() + (copy.subsystem < 0 ? 0 : problem_->mass().subsystem(copy.subsystem).dof);
    const double* value = values_.data() + copy.values;
    for (int r = 0; r < copy.dim; ++r) {
      double sum = 0;
      for (int k = copy.begin; k < copy.end; ++k) sum += *value++ * x[columns_[k]];
      (*y)[copy.place + r] = sum;
    }
  }
}

void SplitSystem::AddMultiplyJT(const VectorX& y, VectorX* v) const {
  for (const Copy& copy : copies_) {
    double* x = v->data() + (copy.subsystem < 0 ? 0 : problem_->mass().subsystem(copy.subsystem).dof);
    const double* value = values_.data() + copy.values;
    for (int r = 0; r < copy.dim; ++r) {
      for (int k = copy.begin; k < copy.end; ++k) x[columns_[k]] += *value++ * y[copy.place + r];
    }
  }
}

void SplitSystem::SolveInPlace(VectorX* v) const {
  if (split_ == Split::None) {
    whole_.SolveInPlace(v);
  } else {
    parts_.SolveInPlace(*v);
  }
}

}  // namespace tactus
