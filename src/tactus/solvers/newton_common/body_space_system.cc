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
  const MassMatrix& mass = p.mass();
  if (p.num_dofs() <= SquareSystem::kDenseSize) {
    system_.SetDense(p.num_dofs());
    subsystems_.clear();
  } else if (!HasPatternOf(mass) || !FindSlots(p)) {
    system_.SetPattern(CalcPattern(p));
    ++num_patterns_;
    KeepPatternOf(mass);
    if (!system_.dense()) (void)FindSlots(p);
  }
  ScatterMass(mass);
}

bool BodySpaceSystem::HasPatternOf(const MassMatrix& mass) const {
  if (system_.dense() || subsystems_.size() != mass.subsystems().size()) return false;
  std::size_t sparse = 0;
  for (std::size_t j = 0; j < subsystems_.size(); ++j) {
    const Subsystem &mine = subsystems_[j], &other = mass.subsystems()[j];
    if (mine.size != other.size || (mine.kind == SubsystemKind::Sparse) != (other.kind == SubsystemKind::Sparse)) {
      return false;
    }
    if (other.kind != SubsystemKind::Sparse) continue;
    const SparseMatrix& A = mass.sparse_block(static_cast<int>(j));
    const std::vector<int>&start = sparse_start_[sparse], &columns = sparse_columns_[sparse++];
    if (static_cast<Eigen::Index>(columns.size()) != A.nonZeros() ||
        !std::equal(start.begin(), start.end(), A.outerIndexPtr()) ||
        !std::equal(columns.begin(), columns.end(), A.innerIndexPtr())) {
      return false;
    }
  }
  return true;
}

// And where each value of A goes, in the order in which ScatterMass reads them.
void BodySpaceSystem::KeepPatternOf(const MassMatrix& mass) {
  subsystems_ = mass.subsystems();
  sparse_start_.clear();
  sparse_columns_.clear();
  mass_slots_.clear();
  if (system_.dense()) return;
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    const Subsystem& s = mass.subsystem(j);
    if (s.kind != SubsystemKind::Sparse) {
      for (int c = 0; c < s.size; ++c) {
        for (int r = 0; r < s.size; ++r) mass_slots_.push_back(system_.slot(s.dof + r, s.dof + c));
      }
      continue;
    }
    const SparseMatrix& A = mass.sparse_block(j);
    sparse_start_.emplace_back(A.outerIndexPtr(), A.outerIndexPtr() + A.rows() + 1);
    sparse_columns_.emplace_back(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros());
    for (int r = 0; r < s.size; ++r) {
      for (SparseMatrix::InnerIterator it(A, r); it; ++it) {
        mass_slots_.push_back(system_.slot(s.dof + r, s.dof + static_cast<int>(it.col())));
      }
    }
  }
}

// False if an entry is not in the pattern.
bool BodySpaceSystem::FindSlots(const ContactProblem& p) {
  const BlockRows& J = p.jacobian();
  slots_.clear();
  slot_start_.clear();
  for (int i = 0; i < p.num_constraints(); ++i) {
    slot_start_.push_back(slots_.size());
    for (int r = 0; r < J.count(i); ++r) {
      for (int c = 0; c < J.count(i); ++c) {
        const int slot = system_.FindSlot(J.cols(i)[r], J.cols(i)[c]);
        if (slot < 0) return false;
        slots_.push_back(slot);
      }
    }
  }
  return true;
}

void BodySpaceSystem::ScatterMass(const MassMatrix& mass) {
  mass_values_.assign(system_.num_values(), 0.0);
  std::size_t next = 0;
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    const Subsystem& s = mass.subsystem(j);
    if (s.kind == SubsystemKind::Sparse) {
      const SparseMatrix& A = mass.sparse_block(j);
      if (!system_.dense()) {
        for (Eigen::Index k = 0; k < A.nonZeros(); ++k) mass_values_[mass_slots_[next++]] = A.valuePtr()[k];
        continue;
      }
      for (int r = 0; r < s.size; ++r) {
        for (SparseMatrix::InnerIterator it(A, r); it; ++it) {
          mass_values_[system_.slot(s.dof + r, s.dof + static_cast<int>(it.col()))] = it.value();
        }
      }
    } else {
      const auto A = mass.dense_block(j);
      for (int c = 0; c < s.size; ++c) {
        for (int r = 0; r < s.size; ++r) {
          const int slot = system_.dense() ? system_.slot(s.dof + r, s.dof + c) : mass_slots_[next++];
          mass_values_[slot] = A(r, c);
        }
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
