// Sparse LU of a matrix made of small dense blocks with a symmetric pattern, without pivoting across blocks.
//
// Multifrontal: nodes are ordered by minimum degree (once per pattern), grouped into supernodes, and each supernode is
// a dense front, so that the work is done by vectorised kernels (lu_front.h). Rows are pivoted within a supernode's
// diagonal block; pivot_ratio() tells how far that was from enough, and callers refine or fall back by it.
#pragma once

#include <vector>

#include "tactus/math/lu_front.h"

namespace tactus {

class BlockLu {
 public:
  /// Pattern in block-CSR: node i couples with columns[row_start[i] .. row_start[i+1]), ascending, symmetric, with the
  /// diagonal. sizes[i] >= 1 scalars per node.
  void Analyze(const std::vector<int>& sizes, const std::vector<int>& row_start, const std::vector<int>& columns);

  int num_nodes() const { return static_cast<int>(sizes_.size()); }
  int size() const { return total_; }
  /// First scalar of node i in vectors given to Solve.
  int offset(int node) const { return offset_[node]; }
  /// Floating-point operations of one factorization (multiply and add counted apart).
  double flops() const { return flops_; }

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
    for (const Front& f : fronts_) {
      ClearFront(f);
      for (int q = f.entry_start; q < f.entry_end; ++q) add(front_entries_[q]);
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
  struct Front {
    int parent = -1;
    int s = 0, n = 0;       // eliminated scalars, all scalars
    int first = 0;          // first permuted scalar
    std::size_t place = 0;  // in arena_
    int index_start = 0;    // n - s permuted scalars below, in indices_
    int rows_start = 0;     // n - s rows in the parent's front, in rows_
    int run_start = 0, num_runs = 0;
    int child_start = 0, child_end = 0;  // in children_
    int entry_start = 0, entry_end = 0;  // in front_entries_
  };

  void ClearFront(const Front& front);
  bool Eliminate(const Front& front);  // adds its children's Schur complements first

  const FrontKernels* kernels_ = &GetFrontKernels();
  std::vector<int> sizes_, offset_;
  int total_ = 0;
  double flops_ = 0, pivot_ratio_ = 1;
  std::vector<Front> fronts_;  // children before parents
  std::vector<int> permuted_;  // scalar -> position in elimination order
  std::vector<int> indices_, rows_, pivots_, children_;
  std::vector<int> front_entries_;  // entries by the front they live in
  std::vector<FrontRun> runs_;
  std::vector<std::size_t> entry_place_;
  std::vector<int> entry_stride_;
  std::vector<double> arena_, work_, below_;
};

}  // namespace tactus
