// H = A + J^T G J in the space of velocities: the matrix of every body-space Newton step (paper 000, eq. 25).
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/math/square_system.h"

namespace tactus {

/// Where block G_i lives in the vector of all blocks: 9 entries (row major) per contact, then one per scalar row.
inline int BlockOffset(const ContactProblem& p, int i) {
  return i < p.num_contacts() ? 9 * i : 8 * p.num_contacts() + i;
}
/// Length of the vector of all blocks.
inline int BlockSize(const ContactProblem& p) { return 9 * p.num_contacts() + p.num_rows(); }

/// Assembles and factorizes H for per-constraint blocks G_i (3x3 or scalar, symmetric or not). The pattern is that of
/// all constraints, active or not, so that it does not change during a solve.
class BodySpaceSystem {
 public:
  /// Prepares for a problem with dynamics. Memory and symbolic analysis are kept where A has the pattern it had and
  /// all constraints fit into that of H: contacts of nodes come and go without another analysis.
  void Reset(const ContactProblem& problem);
  /// H = A + sum_i J_i^T G_i J_i.
  void Assemble(const ContactProblem& problem, const VectorX& blocks);

  [[nodiscard]] bool FactorizeCholesky() { return system_.FactorizeCholesky(); }
  [[nodiscard]] bool FactorizeLu() { return system_.FactorizeLu(); }
  void SolveInPlace(VectorX* x) const { system_.SolveInPlace(x); }
  void Multiply(const VectorX& x, VectorX* y) const { system_.Multiply(x, y); }
  void MultiplyTransposed(const VectorX& x, VectorX* y) const { system_.MultiplyTransposed(x, y); }
  bool dense() const { return system_.dense(); }
  /// How often a sparse pattern was made, since construction.
  int num_patterns() const { return num_patterns_; }

 private:
  bool HasPatternOf(const MassMatrix& mass) const;
  void KeepPatternOf(const MassMatrix& mass);
  bool FindSlots(const ContactProblem& problem);
  void ScatterMass(const MassMatrix& mass);

  SquareSystem system_;
  std::vector<double> mass_values_;  // A in the layout of the system's values
  std::vector<int> slots_;           // sparse only: per constraint count x count, row major
  std::vector<std::size_t> slot_start_;
  // What the sparse pattern was made for: A's blocks, and where their entries go.
  std::vector<Subsystem> subsystems_;
  std::vector<std::vector<int>> sparse_start_, sparse_columns_;
  std::vector<int> mass_slots_;
  int num_patterns_ = 0;
  std::vector<double> product_;  // G_i J_i
};

}  // namespace tactus
