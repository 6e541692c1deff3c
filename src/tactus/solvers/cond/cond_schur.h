// Nodes that no constraint touches never enter J W J^T, so that W may be anything on them: here the exact inverse. One
// factorization of their block and one solve an iteration, on far fewer unknowns (beyond paper 001).
#pragma once

#include <vector>

#include "tactus/math/sparse_cholesky.h"
#include "tactus/solvers/cond/cond_system.h"

namespace tactus {

class CondSchur {
 public:
  /// Takes the free nodes' rows out of the system; what remains are rows of touched nodes. False if the block is not
  /// positive definite. The symbolic analysis is used again where the pattern is that of the last problem.
  [[nodiscard]] bool Prepare(CondSystem* system);
  bool empty() const { return nodes_.empty(); }

  /// Free nodes' velocities from those of touched nodes: A_ff v_f = b_f - A_fc v_c, b_f left out if not `with_b`.
  void Solve(bool with_b, std::vector<double>* v);

 private:
  void Split(CondSystem* system);
  [[nodiscard]] bool Factorize();

  std::vector<int> nodes_, place_;  // free nodes, and where each node is among them
  std::vector<double> b_;
  std::vector<int> start_, columns_;  // A_ff by nodes
  std::vector<double> blocks_;
  std::vector<int> coupling_start_, coupling_columns_;  // A_fc by rows of free nodes
  std::vector<double> coupling_blocks_;
  std::vector<int> scalar_start_, scalar_columns_, analyzed_start_, analyzed_columns_;
  std::vector<double> scalar_values_, x_, work_;
  std::vector<int> kept_start_, kept_columns_, kept_node_, order_;  // rows of touched nodes, on their way
  std::vector<double> kept_blocks_, kept_b_, kept_inertia_;
  SparseCholesky factor_;
};

}  // namespace tactus
