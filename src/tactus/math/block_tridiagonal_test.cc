#include "tactus/math/block_tridiagonal.h"

#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include "tactus/core/random.h"
#include "tactus/core/simd.h"

namespace tactus {

namespace baseline {
extern const TridiagonalKernels kTridiagonalKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const TridiagonalKernels kTridiagonalKernels;
}
#endif

namespace {

// Stiff springs between neighbours on light blocks: M + sum of G G^T.
MatrixX MakeChain(int size, double stiffness) {
  Random random(7);
  MatrixX A = MatrixX::Identity(size, size);
  for (int first = 0; first + 6 < size; first += 6) {
    const int n = std::min(12, size - first);
    MatrixX G(n, 6);
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < 6; ++c) G(r, c) = random.Uniform(-1, 1);
    }
    A.block(first, first, n, n) += stiffness * G * G.transpose();
  }
  return A;
}

TEST(BlockTridiagonal, SolvesAsADenseFactorDoes) {
  for (const int size : {3, 6, 10, 66}) {
    const MatrixX A = MakeChain(size, 1e4);
    const SparseMatrix sparse = A.sparseView();
    ASSERT_TRUE(BlockTridiagonal::Fits(sparse));
    BlockTridiagonal chain;
    chain.Assign(sparse);
    ASSERT_TRUE(chain.Factorize());
    const VectorX x = VectorX::LinSpaced(size, -1, 2), b = A * x;
    std::vector<double> work(chain.work_size(), 0.0);
    for (int d = 0; d < size; ++d) work[8 * (d / 6) + d % 6] = b[d];
    chain.Solve(work.data());
    for (int d = 0; d < size; ++d) EXPECT_NEAR(work[8 * (d / 6) + d % 6], x[d], 1e-9) << size;
  }
}

TEST(BlockTridiagonal, AddedBlocksCount) {
  MatrixX A = MakeChain(18, 10);
  BlockTridiagonal chain;
  chain.Assign(A.sparseView());
  const Matrix6 B = 3 * Matrix6::Identity();
  chain.AddToBlock(1, B);
  A.block<6, 6>(6, 6) += B;
  ASSERT_TRUE(chain.Factorize());
  const MatrixX inverse = A.llt().solve(MatrixX::Identity(18, 18));
  std::vector<Matrix6> blocks;
  chain.CalcInverseBlocks(&blocks);
  for (int i = 0; i < 3; ++i) EXPECT_LT((blocks[i] - inverse.block<6, 6>(6 * i, 6 * i)).norm(), 1e-12 * inverse.norm());
}

TEST(BlockTridiagonal, SaysWhatFits) {
  MatrixX A = MakeChain(24, 1);
  A(0, 12) = A(12, 0) = 0.1;
  EXPECT_FALSE(BlockTridiagonal::Fits(A.sparseView()));
  BlockTridiagonal chain;
  chain.Assign((-MatrixX::Identity(12, 12)).sparseView());
  EXPECT_FALSE(chain.Factorize());
}

#if TACTUS_HAVE_V3_KERNELS
TEST(BlockTridiagonal, LevelsAgree) {
  if (ActiveSimdLevel() != SimdLevel::V3) GTEST_SKIP() << "this machine (or TACTUS_SIMD) has the baseline only";
  constexpr int kBlocks = 5;
  Random random(3);
  std::vector<double> values[3], x(8 * kBlocks, 0.0);
  for (auto& v : values) {
    v.assign(TridiagonalFactor::kBlock * kBlocks, 0.0);
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = k % 8 < 6 ? random.Uniform(-1, 1) : 0;
  }
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = k % 8 < 6 ? random.Uniform(-1, 1) : 0;
  const TridiagonalFactor factor = {values[0].data(), values[1].data(), values[2].data(), kBlocks};
  std::vector<double> a = x, b = x;
  baseline::kTridiagonalKernels.solve(factor, a.data());
  v3::kTridiagonalKernels.solve(factor, b.data());
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-10 * (1 + std::abs(a[k])));
}
#endif

}  // namespace
}  // namespace tactus
