#include "tactus/solvers/cond/cond_nodalized.h"

#include <vector>

#include "tactus/solvers/cond/cond_system.h"

namespace tactus {

namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

void AddMass(const MassMatrix& mass, Triplets* A) {
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    const Subsystem& s = mass.subsystem(j);
    const SparseMatrix block = s.kind == SubsystemKind::Sparse
                                   ? mass.sparse_block(j)
                                   : SparseMatrix(MatrixX(mass.dense_block(j)).sparseView());
    for (int r = 0; r < block.rows(); ++r) {
      for (SparseMatrix::InnerIterator it(block, r); it; ++it) {
        A->emplace_back(s.dof + r, s.dof + static_cast<int>(it.col()), it.value());
      }
    }
  }
}

// Global dofs of a copy's columns.
std::vector<int> DofsOf(const ContactProblem& p, const CondSystem& system, const CondCopy& copy) {
  std::vector<int> dofs;
  const bool chain = system.chain_of_[copy.subsystem] >= 0;
  for (int c = copy.columns_begin; c < copy.columns_end; ++c) {
    const int place = system.copy_columns_[c];
    dofs.push_back(p.mass().subsystem(copy.subsystem).dof + (chain ? CondChain::LocalDof(place) : place));
  }
  return dofs;
}

void AddTie(const CondCopy& copy, const std::vector<int>& dofs, const double* J, int first, Triplets* A) {
  const int n = static_cast<int>(dofs.size());
  for (int r = 0; r < copy.dim; ++r, J += n) {
    A->emplace_back(first + r, first + r, copy.k);
    for (int a = 0; a < n; ++a) {
      A->emplace_back(dofs[a], first + r, -copy.k * J[a]);
      A->emplace_back(first + r, dofs[a], -copy.k * J[a]);
      for (int b = 0; b < n; ++b) A->emplace_back(dofs[a], dofs[b], copy.k * J[a] * J[b]);
    }
  }
}

}  // namespace

ContactProblem MakeNodalized(const ContactProblem& p, const CondSettings& settings) {
  Require(p.has_dynamics(), "nodalization", "the problem is a Delassus pair", "one with A and J");
  CondSystem system;
  if (!system.Prepare(p, settings, false)) throw NumericalError("A is not positive definite, numerically");
  const int n = p.num_dofs(), size = n + system.copy_size_;
  Triplets A, J;
  AddMass(p.mass(), &A);
  const BlockRows& rows = p.jacobian();
  for (int i = 0; i < p.num_constraints(); ++i) {
    for (int r = 0; r < p.dim(i); ++r) {
      for (int c = 0; c < rows.count(i); ++c) {
        const int dof = rows.cols(i)[c];
        if (system.node_of_dof_[dof] < 0) continue;  // a copy stands for it
        J.emplace_back(p.offset(i) + r, dof, rows.block(i)[static_cast<std::size_t>(r) * rows.count(i) + c]);
      }
    }
  }
  for (const CondCopy& copy : system.copies_) {
    const int first = n + copy.place;
    AddTie(copy, DofsOf(p, system, copy), system.copy_values_.data() + copy.values, first, &A);
    for (int r = 0; r < copy.dim; ++r) J.emplace_back(p.offset(copy.constraint) + r, first + r, 1);
  }
  SparseMatrix matrix(size, size), jacobian(p.size(), size);
  matrix.setFromTriplets(A.begin(), A.end());
  jacobian.setFromTriplets(J.begin(), J.end());
  VectorX b = VectorX::Zero(size);
  b.head(n) = p.b();
  std::vector<Friction> friction;
  std::vector<RowLaw> laws;
  for (int i = 0; i < p.num_contacts(); ++i) friction.push_back(p.friction(i));
  for (int r = 0; r < p.num_rows(); ++r) laws.push_back(p.law(r));
  return ContactProblem::FromMatrices(matrix, b, jacobian, p.e(), friction, laws);
}

}  // namespace tactus
