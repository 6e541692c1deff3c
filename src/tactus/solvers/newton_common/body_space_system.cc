#include "tactus/solvers/newton_common/body_space_system.h"

#include <algorithm>

namespace tactus {

namespace {

// Union of A's pattern and of every constraint's clique of columns.
SquarePattern CalcPattern(const ContactProblem& p) {
  const int n = p.num_dofs();
  const BlockRows& J = p.jacobian();
  const MassMatrix& mass = p.mass();
  std::vector<std::vector<int>> touching(n);
  for (int i = 0; i < p.num_constraints(); ++i) {
    for (int c = 0; c < J.count(i); ++c) touching[J.cols(i)[c]].push_back(i);
  }
  SquarePattern pattern;
  pattern.n = n;
  std::vector<int> mark(n, -1);
  const auto add = [&](int row, int column) {
    if (mark[row] == column) return;
    mark[row] = column;
    pattern.rows.push_back(row);
  };
  for (int column = 0; column < n; ++column) {
    const int j = mass.subsystem_of_dof(column);
    const Subsystem& s = mass.subsystem(j);
    const std::size_t begin = pattern.rows.size();
    add(column, column);
    if (s.kind == SubsystemKind::Sparse) {
      for (SparseMatrix::InnerIterator it(mass.sparse_block(j), column - s.dof); it; ++it) {
        add(s.dof + static_cast<int>(it.col()), column);
      }
    } else {
      for (int r = 0; r < s.size; ++r) add(s.dof + r, column);
    }
    for (const int i : touching[column]) {
      for (int c = 0; c < J.count(i); ++c) add(J.cols(i)[c], column);
    }
    std::sort(pattern.rows.begin() + static_cast<std::ptrdiff_t>(begin), pattern.rows.end());
    pattern.start.push_back(static_cast<int>(pattern.rows.size()));
  }
  return pattern;
}

}  // namespace

void BodySpaceSystem::Reset(const ContactProblem& p) {
  if (p.num_dofs() <= SquareSystem::kDenseSize) {
    system_.SetDense(p.num_dofs());
  } else {
    system_.SetPattern(CalcPattern(p));
  }
  ScatterMass(p.mass());
  if (system_.dense()) return;
  const BlockRows& J = p.jacobian();
  slots_.clear();
  slot_start_.clear();
  for (int i = 0; i < p.num_constraints(); ++i) {
    slot_start_.push_back(slots_.size());
    for (int r = 0; r < J.count(i); ++r) {
      for (int c = 0; c < J.count(i); ++c) slots_.push_back(system_.slot(J.cols(i)[r], J.cols(i)[c]));
    }
  }
}

void BodySpaceSystem::ScatterMass(const MassMatrix& mass) {
  mass_values_.assign(system_.num_values(), 0.0);
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    const Subsystem& s = mass.subsystem(j);
    if (s.kind == SubsystemKind::Sparse) {
      const SparseMatrix& A = mass.sparse_block(j);
      for (int r = 0; r < s.size; ++r) {
        for (SparseMatrix::InnerIterator it(A, r); it; ++it) {
          mass_values_[system_.slot(s.dof + r, s.dof + static_cast<int>(it.col()))] += it.value();
        }
      }
    } else {
      const auto A = mass.dense_block(j);
      for (int c = 0; c < s.size; ++c) {
        for (int r = 0; r < s.size; ++r) mass_values_[system_.slot(s.dof + r, s.dof + c)] = A(r, c);
      }
    }
  }
}

void BodySpaceSystem::Assemble(const ContactProblem& p, const VectorX& blocks) {
  double* H = system_.values();
  std::copy(mass_values_.begin(), mass_values_.end(), H);
  const BlockRows& J = p.jacobian();
  const int n = system_.size();
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int count = J.count(i), dim = p.dim(i);
    const double* G = blocks.data() + BlockOffset(p, i);
    if (std::all_of(G, G + dim * dim, [](double g) { return g == 0; })) continue;
    const double* B = J.block(i);
    product_.assign(static_cast<std::size_t>(dim) * count, 0.0);
    for (int a = 0; a < dim; ++a) {
      for (int b = 0; b < dim; ++b) {
        const double g = G[a * dim + b];
        if (g == 0) continue;
        for (int c = 0; c < count; ++c) product_[a * count + c] += g * B[b * count + c];
      }
    }
    const int* slots = system_.dense() ? nullptr : slots_.data() + slot_start_[i];
    for (int c = 0; c < count; ++c) {
      for (int r = 0; r < count; ++r) {
        double sum = 0;
        for (int a = 0; a < dim; ++a) sum += B[a * count + r] * product_[a * count + c];
        H[slots ? slots[r * count + c] : J.cols(i)[c] * n + J.cols(i)[r]] += sum;
      }
    }
  }
}

}  // namespace tactus
