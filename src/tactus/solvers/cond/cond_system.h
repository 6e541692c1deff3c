// What is fixed during a solve with COND.
//
// Unknowns are the velocities of nodes and copies. Nodes are triples of dofs of Sparse subsystems, which are never
// factorized. A constraint that touches another subsystem j (a rigid body, a robot) has a copy z of its velocity J_ij
// v_j there, a virtual node in the axes of the contact, which is tied to the body by k; the body itself is eliminated,
// v_j = (A_j + sum k J^T J)^{-1}(b_j + sum J^T(u + k z)). Rods are eliminated in the same way (see CondChain); there a
// constraint has one copy a segment that it touches, so that segments far apart remain uncoupled.
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/math/block_tridiagonal.h"
#include "tactus/solvers/cond/cond_kernels_api.h"
#include "tactus/solvers/cond/cond_settings.h"

namespace tactus {

/// The part of a constraint on one eliminated subsystem.
struct CondCopy {
  int constraint = 0, subsystem = 0, dim = 0;
  int place = 0;                           ///< of its dim numbers among those of all copies
  int columns_begin = 0, columns_end = 0;  ///< places of local dofs in the part's vectors (CondPart::Place)
  std::size_t values = 0;                  ///< dim x columns, row major
  double k = 1, w = 1;                     ///< damping of the tie [kg], and the copy's weight
};

/// An eliminated subsystem of which only neighbouring blocks of 6 dofs couple. A and A + sum k J^T J have factors that
/// are as sparse as A itself.
struct CondChain {
  int subsystem = 0;
  BlockTridiagonal A, tied;
  std::vector<Matrix6> inverse_blocks;  ///< diagonal ones of A^{-1}

  /// Where a local dof is in vectors given to the factors.
  static int Place(int local) {
    return BlockTridiagonal::kStride * (local / BlockTridiagonal::kSize) + local % BlockTridiagonal::kSize;
  }
  static int LocalDof(int place) {
    return BlockTridiagonal::kSize * (place / BlockTridiagonal::kStride) + place % BlockTridiagonal::kStride;
  }
};

/// An eliminated subsystem and its copies.
struct CondPart {
  int subsystem = 0, dof = 0, size = 0;
  int begin = 0, end = 0;   ///< copies
  int chain = -1;           ///< index of its CondChain, or -1
  int work_size = 0;        ///< numbers of a vector of it
  std::size_t inverse = 0;  ///< of (A + sum k J^T J)^{-1}, size x size; not of chains
};

/// Entries of scalar rows on nodes.
struct CondRowEntry {
  int touched = 0;  ///< place of the node
  double values[3] = {0, 0, 0};
};

/// Only neighbouring blocks of 6 dofs couple: a rod. Nodes that do not couple at all are none: they need no factor.
bool IsCondChain(const SparseMatrix& A);

class CondSystem {
 public:
  /// `dense`: Sparse subsystems are eliminated as well (small ones, of Delassus pairs). False if a matrix is not
  /// positive definite.
  [[nodiscard]] bool Prepare(const ContactProblem& problem, const CondSettings& settings, bool dense);

  int num_nodes() const { return num_nodes_; }
  int num_rows() const { return static_cast<int>(row_node_.size()); }
  int num_touched() const { return static_cast<int>(touched_.size()); }
  int num_quads() const { return (num_contacts_ + 3) / 4; }
  CondMatrix matrix() const { return {row_start_.data(), columns_.data(), blocks_.data(), row_node_.data()}; }
  /// Velocities of nodes in the problem's vector of dofs, and back.
  void Gather(const VectorX& global, std::vector<double>* nodes) const;
  void Scatter(const std::vector<double>& nodes, VectorX* global) const;

  /// Local dofs of an eliminated subsystem in the layout of its vectors.
  static void GatherPart(bool chain, const ConstVectorRef& local, double* x);
  /// k of all copies on chains, or on other parts, times a factor. False if a factor of a matrix fails.
  [[nodiscard]] bool ScaleTies(const ContactProblem& problem, bool of_chains, double factor);
  /// x <- A^{-1} x for the dofs of a chain.
  void SolveChain(int chain, Eigen::Ref<VectorX> x);

  // Rows of the matrix: nodes that are iterated on.
  std::vector<int> row_start_, columns_, row_node_;
  std::vector<double> blocks_, b_, w_, inertia_;
  // Nodes.
  int num_nodes_ = 0;
  std::vector<int> node_of_dof_;  // 3 node + axis, -1 for dofs of eliminated subsystems
  // Touched nodes, ascending: which row they are, and the entries of J on them.
  std::vector<int> touched_, touched_row_;  // nodes, and their rows
  std::vector<double> count_;               // constraints on them
  std::vector<int> by_node_start_, by_node_contact_, by_node_entry_;
  std::vector<int> by_node_row_start_, by_node_row_, by_node_row_entry_;
  // Contacts on nodes.
  int num_contacts_ = 0;
  std::vector<int> contact_start_, contact_nodes_;
  std::vector<double> contact_blocks_, contact_e_, contact_mu_;
  // Parts of gamma of all constraints: from nodes with their shares, from nodes alone, from copies.
  std::vector<double> gamma_nodes_, gamma_alone_, gamma_ties_;
  std::vector<int> shared_;  // constraints that share a node
  std::vector<int> elliptic_;
  // Rows on nodes.
  std::vector<int> row_entry_start_;
  std::vector<CondRowEntry> row_entries_;
  // Copies.
  std::vector<CondChain> chains_;  // the first num_chains_ are in use, the others memory to use
  int num_chains_ = 0;
  std::vector<int> chain_of_;  // subsystem -> chain, or -1
  std::vector<CondPart> parts_;
  std::vector<CondCopy> copies_;           // sorted by part
  std::vector<int> copy_start_, copy_of_;  // constraint -> its copies
  std::vector<int> copy_columns_;
  std::vector<double> copy_values_, inverses_;
  int copy_size_ = 0;
  std::vector<double> diagonal_, squares_, node_diagonal_;  // memory of CalcCondWeights

 private:
  void MapNodes(const ContactProblem& p, const CondSettings& settings, bool dense);
  [[nodiscard]] bool FactorizeChains(const ContactProblem& p);
  [[nodiscard]] bool TieChain(const ContactProblem& p, const CondPart& part);
  void AssembleRows(const ContactProblem& p);
  bool AppendRegularRow(const SparseMatrix& M, int row, int first_node);
  void AddConstraints(const ContactProblem& p);
  void AddCopies(const ContactProblem& p);
  void TransposeConstraints();
  [[nodiscard]] bool FactorizeParts(const ContactProblem& p, const CondSettings& settings);
  void SetTie(const ContactProblem& p, const CondSettings& settings, CondCopy* copy);
  [[nodiscard]] bool InvertPart(const ContactProblem& p, CondPart* part);

  std::vector<int> slot_;
  std::vector<double> work_;
  VectorX global_;
  std::vector<char> is_eliminated_;  // subsystems
};

/// W of the rows as the settings ask for it, without the spectral safeguard, into system->w_.
void CalcCondWeights(const CondSettings& settings, CondSystem* system);
/// gamma of all constraints for the W there is.
void CalcCondGamma(const ContactProblem& problem, CondSystem* system);

}  // namespace tactus
