// Symbolic analysis of multifrontal factorizations of matrices made of small dense blocks with a symmetric pattern.
//
// Nodes are ordered by approximate minimum degree and grouped into supernodes. Each supernode is a dense front: its s
// scalars that are eliminated there and the r scalars below, which are eliminated later and receive the Schur
// complement. Fronts form a forest; a child adds its Schur complement to its parent's front. BlockLu and BlockCholesky
// choose how the numbers of a front are stored and do the arithmetic.
#pragma once

#include <span>
#include <vector>

#include "tactus/math/front_run.h"

namespace tactus {

/// A symmetric pattern of blocks, compressed by rows: node i couples with columns[row_start[i] .. row_start[i+1]),
/// ascending and with the diagonal.
struct BlockPattern {
  const std::vector<int>& sizes;  ///< scalars of each node, >= 1
  const std::vector<int>& row_start;
  const std::vector<int>& columns;
};

/// What decides on supernodes, and where the scalars of a front lie in it.
struct FrontSettings {
  double flop_share = 1;    ///< of LU's flops: 1, or 1/2 for a symmetric factorization
  double overhead = 800;    ///< a front costs about this many besides them, and r^2 to add its Schur complement
  int pivot_alignment = 1;  ///< scalars below start at a multiple of this
};

class FrontTree {
 public:
  struct Front {
    int parent = -1;  ///< -1 at a root
    int s = 0, r = 0;
    int first = 0;       ///< its scalars are [first, first + s) in elimination order
    int below_at = 0;    ///< local position of the first scalar below: s, rounded up to pivot_alignment
    int num_pivots = 0;  ///< how many of the scalars below are eliminated in the parent; they come first
    int index_start = 0;
    int run_start = 0, num_runs = 0;
    int child_start = 0, child_end = 0;
    int entry_start = 0, entry_end = 0;
  };
  /// Where a block lies in its front: local positions of its first row and column.
  struct Place {
    int front = 0, row = 0, column = 0;
  };

  void Analyze(const BlockPattern& pattern, const FrontSettings& settings);

  int num_nodes() const { return static_cast<int>(offset_.size()) - 1; }
  int size() const { return offset_.back(); }
  /// First scalar of a node in the caller's order.
  int offset(int node) const { return offset_[node]; }
  /// Floating-point operations of one factorization (multiply and add counted apart).
  double flops() const { return flops_; }
  /// The largest r.
  int widest() const { return widest_; }

  /// In postorder.
  const std::vector<Front>& fronts() const { return fronts_; }
  /// Scalar -> position in elimination order.
  const std::vector<int>& permuted() const { return permuted_; }
  /// The r scalars below a front, in elimination order; where they lie in the parent's front, ascending; the same in
  /// runs; the front's children; the pattern entries that live in it.
  const int* indices(const Front& f) const { return indices_.data() + f.index_start; }
  const int* rows(const Front& f) const { return rows_.data() + f.index_start; }
  const FrontRun* runs(const Front& f) const { return runs_.data() + f.run_start; }
  std::span<const int> children(const Front& f) const {
    return {children_.data() + f.child_start, children_.data() + f.child_end};
  }
  std::span<const int> entries(const Front& f) const {
    return {entries_.data() + f.entry_start, entries_.data() + f.entry_end};
  }
  /// Of pattern entry k: in the front of that of its two nodes that is eliminated first.
  const Place& place(int k) const { return places_[k]; }

 private:
  struct Elimination;  // of nodes, by rank

  static Elimination EliminateNodes(const BlockPattern& pattern);
  static void FindSupernodes(const FrontSettings& settings, Elimination* e);
  void MakeFronts(const FrontSettings& settings, const BlockPattern& pattern, Elimination* e);
  void MapToParents();
  void PlaceEntries(const BlockPattern& pattern, const Elimination& e);
  int LocalPosition(const Front& f, int scalar) const;

  std::vector<int> offset_{0};
  double flops_ = 0;
  int widest_ = 0;
  std::vector<Front> fronts_;
  std::vector<int> permuted_, indices_, rows_, children_, entries_;
  std::vector<FrontRun> runs_;
  std::vector<Place> places_;
};

}  // namespace tactus
