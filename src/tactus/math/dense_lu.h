// Dense LU of systems of changing size, for loops that must not allocate.
#pragma once

#include <vector>

#include "tactus/core/types.h"
#include "tactus/math/lu_front.h"

namespace tactus {

/// LU with partial pivoting of one dense system after the other, by the kernels of the multifrontal factorization: at
/// ten to fifty rows several times faster than Eigen's. Takes memory only for more rows than ever before.
class DenseLu {
 public:
  using Matrix =
      Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0, Eigen::OuterStride<>>;

  /// Systems of up to n rows will come.
  void Reserve(int n);
  /// The n x n matrix to fill, all zero. Factorize overwrites it.
  Matrix Prepare(int n);
  /// False if a pivot is 0 or not finite; then there is nothing to solve with.
  [[nodiscard]] bool Factorize();
  /// The first n entries of x: right side in, solution out.
  void Solve(double* x) const;

 private:
  const FrontKernels* kernels_ = &GetFrontKernels();
  std::vector<double> matrix_;  // row major, FrontStride(n_) apart
  std::vector<int> pivots_;
  int n_ = 0;
};

}  // namespace tactus
