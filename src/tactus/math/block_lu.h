// Sparse LU of a matrix made of small dense blocks with a symmetric pattern, without pivoting across blocks.
//
// Multifrontal: nodes are ordered by minimum degree (once per pattern), grouped into supernodes, and each supernode is
// a dense front (front_tree.h), so that the work is done by vectorised kernels (lu_front.h). Rows are pivoted within a
// supernode's diagonal block; pivot_ratio() tells how far that was from enough, and callers refine or fall back by it.
#pragma once

#include <vector>

#include "tactus/math/front_tree.h"
#include "tactus/math/lu_front.h"

namespace tactus {

class BlockLu {
 public:
  /// Pattern in block-CSR: node i couples with columns[row_start[i] .. row_start[i+1]), ascending, symmetric, with the
  /// diagonal. sizes[i] >= 1 scalars per node. Nothing is done, and nothing allocated, if the pattern is that of
  /// before.
  void Analyze(const std::vector<int>& sizes, const std::vector<int>& row_start, const std::vector<int>& columns);

  int num_nodes() const { return tree_.num_nodes(); }
  int size() const { return tree_.size(); }
  /// First scalar of node i in vectors given to Solve.
  int offset(int node) const { return tree_.offset(node); }
  /// Floating-point operations of one factorization (multiply and add counted apart).
  double flops() const { return tree_.flops(); }

  /// Storage of pattern entry k (in the order given to Analyze): row major, stride entry_stride(k). Call Clear() first,
  /// then add the values, then Factorize().
  double* entry(int k) { return arena_.data() + entry_place_[k]; }
  int entry_stride(int k) const { return entry_stride_[k]; }
  void Clear();
  /// False if a pivot vanished.
  [[nodiscard]] bool Factorize();
  /// The same in one pass over the fronts, while each is in the cache: add(k) adds the values of entry k. No Clear().
  template <typename AddEntry>
  [[nodiscard]] bool FactorizeEntries(AddEntry&& add) {
    pivot_ratio_ = 1;
    const int count = static_cast<int>(tree_.fronts().size());
    for (int f = 0; f < count; ++f) {
      ClearFront(f);
      for (const int k : tree_.entries(tree_.fronts()[f])) add(k);
      if (!Eliminate(f)) return false;
    }
    return true;
  }
  /// Smallest pivot relative to the largest entry of its column in the front; small means that pivoting across blocks
  /// would have been needed.
  double pivot_ratio() const { return pivot_ratio_; }
  /// x <- S^{-1} x.
  void Solve(double* x);

 private:
  using Front = FrontTree::Front;

  void ClearFront(int front);
  bool Eliminate(int front);  // adds its children's Schur complements first

  const FrontKernels* kernels_ = &GetFrontKernels();
  FrontTree tree_;
  double pivot_ratio_ = 1;
  std::vector<std::size_t> front_place_, entry_place_;  // in arena_
  std::vector<int> entry_stride_, pivots_;
  std::vector<int> sizes_, row_start_, columns_;  // the pattern
  std::vector<double> arena_, work_, below_;
};

}  // namespace tactus
