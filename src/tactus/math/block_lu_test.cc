#include "tactus/math/block_lu.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "tactus/core/random.h"
#include "tactus/core/simd.h"
#include "tactus/core/types.h"
#include "tactus/math/block_system_testing.h"

namespace tactus {

namespace baseline {
extern const FrontKernels kFrontKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const FrontKernels kFrontKernels;
}
#endif

namespace {

void Load(const BlockSystem& s, BlockLu* lu) {
  lu->Clear();
  for (int i = 0; i < static_cast<int>(s.sizes.size()); ++i) {
    for (int k = s.row_start[i]; k < s.row_start[i + 1]; ++k) {
      const MatrixX block = s.block(i, s.columns[k]);
      for (int a = 0; a < block.rows(); ++a) {
        for (int b = 0; b < block.cols(); ++b) lu->entry(k)[a * lu->entry_stride(k) + b] += block(a, b);
      }
    }
  }
}

// Every size in [1, largest]; diagonally heavy where `dominance` is large.
template <typename Coupled>
BlockSystem MakeSystem(int nodes, int largest, double dominance, Random* random, Coupled&& coupled) {
  BlockSystem s = MakeBlockPattern(nodes, largest, random, coupled);
  s.dense.diagonal().array() += dominance;
  return s;
}

void ExpectSolves(const BlockSystem& s, BlockLu* lu, double tolerance, Random* random) {
  Load(s, lu);
  ASSERT_TRUE(lu->Factorize());
  for (int k = 0; k < 2; ++k) {
    VectorX rhs(s.dense.rows());
    for (double& x : rhs) x = random->Normal();
    const VectorX expected = s.dense.partialPivLu().solve(rhs);
    VectorX x = rhs;
    lu->Solve(x.data());
    EXPECT_LE((x - expected).norm(), tolerance * expected.norm());
    EXPECT_LE((s.dense * x - rhs).norm(), tolerance * s.dense.norm() * x.norm());
  }
}

TEST(BlockLu, RandomPatternsAgainstDenseLu) {
  Random random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const int nodes = 1 + random.Index(30);
    const double density = random.Uniform(0, 0.4);
    const BlockSystem s =
        MakeSystem(nodes, 1 + random.Index(8), 30, &random, [&](int, int) { return random.Uniform() < density; });
    BlockLu lu;
    lu.Analyze(s.sizes, s.row_start, s.columns);
    EXPECT_EQ(lu.size(), s.dense.rows());
    EXPECT_EQ(lu.num_nodes(), nodes);
    for (int i = 0; i < nodes; ++i) EXPECT_EQ(lu.offset(i), s.offset[i]);
    SCOPED_TRACE(trial);
    ExpectSolves(s, &lu, 1e-10, &random);
  }
}

// Long chains, grids and arrows give many fronts, deep trees and wide ones.
TEST(BlockLu, ManyFronts) {
  Random random(2);
  const int nodes = 120;
  const auto chain = [](int i, int j) { return i - j == 1; };
  const auto grid = [](int i, int j) { return (i - j == 1 && i % 11 != 0) || i - j == 11; };
  const auto arrow = [](int i, int j) { return i == 119 || j % 40 == 39; };
  const auto apart = [](int, int) { return false; };
  const auto check = [&](const auto& coupled) {
    const BlockSystem s = MakeSystem(nodes, 6, 40, &random, coupled);
    BlockLu lu;
    lu.Analyze(s.sizes, s.row_start, s.columns);
    ExpectSolves(s, &lu, 1e-10, &random);
    EXPECT_GT(lu.flops(), 0);
    return lu.flops();
  };
  const double dense_cost = 2.0 / 3 * std::pow(3.5 * nodes, 3);
  EXPECT_LT(check(chain), 0.01 * dense_cost);
  EXPECT_LT(check(grid), 0.2 * dense_cost);
  check(arrow);
  EXPECT_LT(check(apart), 0.01 * dense_cost);
}

// One analysis serves many values, and values leave nothing behind.
TEST(BlockLu, RefactorizesTheSamePattern) {
  Random random(3);
  BlockSystem s = MakeSystem(25, 6, 30, &random, [&](int, int) { return random.Uniform() < 0.15; });
  BlockLu lu;
  lu.Analyze(s.sizes, s.row_start, s.columns);
  for (int k = 0; k < 5; ++k) {
    ExpectSolves(s, &lu, 1e-10, &random);
    s.dense *= 1 + 0.3 * k;
  }
  VectorX first = VectorX::Ones(s.dense.rows()), second = first;
  Load(s, &lu);
  ASSERT_TRUE(lu.Factorize());
  lu.Solve(first.data());
  Load(s, &lu);
  ASSERT_TRUE(lu.Factorize());
  lu.Solve(second.data());
  EXPECT_TRUE(first == second);
}

// Another pattern in the same object.
TEST(BlockLu, AnalyzesAgain) {
  Random random(4);
  BlockLu lu;
  for (const int nodes : {20, 3, 1, 35}) {
    const BlockSystem s = MakeSystem(nodes, 5, 30, &random, [&](int i, int j) { return (i + j) % 3 == 0; });
    lu.Analyze(s.sizes, s.row_start, s.columns);
    ExpectSolves(s, &lu, 1e-10, &random);
  }
}

// Rows are swapped within a node's block: a zero on the diagonal there does no harm.
TEST(BlockLu, PivotsWithinABlock) {
  BlockSystem s;
  s.sizes = {2, 2};
  s.offset = {0, 2, 4};
  s.row_start = {0, 2, 4};
  s.columns = {0, 1, 0, 1};
  s.dense.resize(4, 4);
  s.dense << 0, 2, 1, 0, 3, 0, 0, 1, 1, 0, 0, 5, 0, 1, 4, 0;
  BlockLu lu;
  lu.Analyze(s.sizes, s.row_start, s.columns);
  Random random(5);
  ExpectSolves(s, &lu, 1e-12, &random);
}

TEST(BlockLu, TellsSingularFromRegular) {
  BlockSystem s;
  s.sizes = {3};
  s.offset = {0, 3};
  s.row_start = {0, 1};
  s.columns = {0};
  s.dense = MatrixX::Zero(3, 3);
  BlockLu lu;
  lu.Analyze(s.sizes, s.row_start, s.columns);
  Load(s, &lu);
  EXPECT_FALSE(lu.Factorize());
  EXPECT_EQ(lu.pivot_ratio(), 0);
  s.dense = MatrixX::Identity(3, 3);
  Load(s, &lu);
  EXPECT_TRUE(lu.Factorize());
  EXPECT_GT(lu.pivot_ratio(), 0.5);
}

// Chains of scalars whose diagonal is tiny beside their couplings: pivoting across blocks would be needed, and the
// ratio tells so by falling with the diagonal.
TEST(BlockLu, PivotRatioFallsWhereBlocksAreNotEnough) {
  double last = 1;
  for (const double diagonal : {4.0, 1e-4, 1e-8}) {
    BlockSystem s;
    const int nodes = 40;
    s.offset.push_back(0);
    s.row_start.push_back(0);
    s.dense = MatrixX::Zero(nodes, nodes);
    for (int i = 0; i < nodes; ++i) {
      s.sizes.push_back(1);
      s.offset.push_back(i + 1);
      for (int j = std::max(0, i - 1); j <= std::min(nodes - 1, i + 1); ++j) {
        s.columns.push_back(j);
        s.dense(i, j) = i == j ? diagonal : 1;
      }
      s.row_start.push_back(static_cast<int>(s.columns.size()));
    }
    BlockLu lu;
    lu.Analyze(s.sizes, s.row_start, s.columns);
    Load(s, &lu);
    ASSERT_TRUE(lu.Factorize());
    EXPECT_LE(lu.pivot_ratio(), last);
    last = lu.pivot_ratio();
  }
  EXPECT_LT(last, 1e-3);
}

#if TACTUS_HAVE_V3_KERNELS

TEST(FrontKernels, LevelsAgreeToRounding) {
  if (ActiveSimdLevel() != SimdLevel::V3) GTEST_SKIP() << "this machine (or TACTUS_SIMD) has the baseline only";
  Random random(6);
  for (const auto& [s, n] : {std::pair(1, 1), {3, 3}, {6, 6}, {5, 12}, {17, 40}, {30, 30}, {33, 70}}) {
    const int stride = FrontStride(n), below = n - s;
    std::vector<double> front(static_cast<std::size_t>(n) * stride + 8, 0.0);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) front[i * stride + j] = random.Normal() + (i == j ? 20 : 0);
    }
    std::vector<double> result[2], y[2], rest[2];
    double ratio[2];
    for (int level = 0; level < 2; ++level) {
      const FrontKernels& k = level == 0 ? baseline::kFrontKernels : v3::kFrontKernels;
      result[level] = front;
      std::vector<int> pivots(s);
      ratio[level] = k.partial_lu(result[level].data(), stride, s, n, pivots.data());
      y[level].resize(s);
      for (int i = 0; i < s; ++i) y[level][i] = std::sin(i + 1.0);
      rest[level].assign(below + 1, 0.0);
      k.forward(result[level].data(), stride, s, n, pivots.data(), y[level].data(), rest[level].data());
      std::vector<double> x2(below + 1, 0.5);
      k.backward(result[level].data(), stride, s, n, x2.data(), y[level].data());
    }
    EXPECT_NEAR(ratio[0], ratio[1], 1e-12);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) EXPECT_NEAR(result[0][i * stride + j], result[1][i * stride + j], 1e-11);
    }
    for (int i = 0; i < s; ++i) EXPECT_NEAR(y[0][i], y[1][i], 1e-12);
    for (int i = 0; i < below; ++i) EXPECT_NEAR(rest[0][i], rest[1][i], 1e-11);
  }
}

#endif

}  // namespace
}  // namespace tactus
