// Sparse Cholesky factorization of a symmetric positive definite matrix made of small dense blocks.
//
// Multifrontal (front_tree.h): nodes are ordered by minimum degree and grouped into supernodes once per pattern; the
// arithmetic is done by vectorised kernels on dense fronts (cholesky_front.h), of which one triangle is stored. The
// factor takes memory for good, Schur complements share what their parents have used up.
#pragma once

#include <vector>

#include "tactus/core/types.h"
#include "tactus/math/cholesky_front.h"
#include "tactus/math/front_tree.h"

namespace tactus {

class BlockCholesky {
 public:
  /// Pattern in block-CSR: node i couples with columns[row_start[i] .. row_start[i+1]), ascending, symmetric, with the
  /// diagonal. sizes[i] >= 1 scalars per node. Nothing below allocates.
  void Analyze(const std::vector<int>& sizes, const std::vector<int>& row_start, const std::vector<int>& columns);

  int num_nodes() const { return tree_.num_nodes(); }
  int size() const { return tree_.size(); }
  /// First scalar of node i in vectors given to Solve.
  int offset(int node) const { return tree_.offset(node); }
  /// Floating-point operations of one factorization (multiply and add counted apart), and numbers it stores.
  double flops() const { return tree_.flops(); }
  Eigen::Index factor_size() const { return panels_.size(); }

  /// Value (a, b) of pattern entry k (in the order given to Analyze) is at entry(k)[a * row_stride(k) + b *
  /// column_stride(k)]. The entries (i, j) and (j, i) share their storage: add a block by one of them only. Of a
  /// diagonal block, a <= b is read. Call Clear() first, then add the values, then Factorize().
  double* entry(int k) { return panels_.data() + entry_place_[k]; }
  int row_stride(int k) const { return row_stride_[k]; }
  int column_stride(int k) const { return column_stride_[k]; }
  void Clear() { panels_.setZero(); }
  /// False if a pivot is not positive: the matrix is not positive definite, numerically. Nothing may be solved then.
  [[nodiscard]] bool Factorize();
  /// The same in one pass over the fronts, while each is in the cache: add(k) adds the values of entry k, or nothing
  /// where it leaves that to the other of a pair. No Clear().
  template <typename AddEntry>
  [[nodiscard]] bool FactorizeEntries(AddEntry&& add) {
    const int count = static_cast<int>(tree_.fronts().size());
    for (int f = 0; f < count; ++f) {
      ClearFront(f);
      for (const int k : tree_.entries(tree_.fronts()[f])) add(k);
      if (!Eliminate(f)) return false;
    }
    return true;
  }

  /// x <- S^{-1} x.
  void Solve(double* x) { Solve(x, work_.data()); }
  /// The same for several threads, with work_size() numbers each.
  void Solve(double* x, double* work) const;
  Eigen::Index work_size() const { return work_.size(); }

  /// X <- S^{-1} X for any number of columns, `stride` numbers apart. Several are solved in one pass over the factor,
  /// and fronts that zeros at their beginning do not reach are left out: 3 to 6 times the speed of one after the other.
  void SolveColumns(double* x, Eigen::Index columns, Eigen::Index stride, double* work) const;
  /// squares[c] = x_c^T S^{-1} x_c, which takes one half of a solve.
  void CalcSquares(const double* x, Eigen::Index columns, Eigen::Index stride, double* squares, double* work) const;
  /// Numbers of memory for these two.
  Eigen::Index columns_work_size() const;

 private:
  using Front = FrontTree::Front;

  void PlaceSchurComplements();
  void ClearFront(int front);
  bool Eliminate(int front);  // adds its children's Schur complements, too
  void LoadColumns(const double* x, int columns, Eigen::Index stride, double* y) const;
  void ForwardColumns(double* y) const;

  const CholeskyKernels* kernels_ = &GetCholeskyKernels();
  FrontTree tree_;
  std::vector<Eigen::Index> panel_place_, schur_place_;  // by front, in panels_ and schur_
  std::vector<Eigen::Index> entry_place_;                // in panels_
  std::vector<int> row_stride_, column_stride_;
  VectorX panels_, schur_, work_;
};

}  // namespace tactus
