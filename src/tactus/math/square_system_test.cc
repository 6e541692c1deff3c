#include "tactus/math/square_system.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include "tactus/core/random.h"
#include "tactus/math/block_system_testing.h"

namespace tactus {
namespace {

SquarePattern PatternOf(const BlockSystem& s) {
  SquarePattern pattern;
  pattern.n = s.offset.back();
  for (std::size_t j = 0; j < s.sizes.size(); ++j) {
    for (int b = 0; b < s.sizes[j]; ++b) {
      for (int k = s.row_start[j]; k < s.row_start[j + 1]; ++k) {
        for (int a = 0; a < s.sizes[s.columns[k]]; ++a) pattern.rows.push_back(s.offset[s.columns[k]] + a);
      }
      pattern.start.push_back(static_cast<int>(pattern.rows.size()));
    }
  }
  return pattern;
}

void Load(const SquarePattern& pattern, const MatrixX& H, SquareSystem* system) {
  for (int c = 0; c < pattern.n; ++c) {
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) {
      system->values()[system->slot(pattern.rows[k], c)] = H(pattern.rows[k], c);
    }
  }
}

BlockSystem MakeSystem(int nodes, int largest, Random* random) {
  BlockSystem s = MakeBlockPattern(nodes, largest, random, [&](int i, int j) { return i - j == 1 || i - j == 7; });
  s.dense.diagonal() = 1.1 * s.dense.cwiseAbs().rowwise().sum();
  return s;
}

// The scalar pattern of blocks gives the blocks back, or larger ones where neighbours couple with the same.
TEST(NodePattern, FindsBlocks) {
  Random random(1);
  const BlockSystem s = MakeSystem(50, 6, &random);
  const SquarePattern pattern = PatternOf(s);
  const NodePattern nodes = MakeNodePattern(pattern.start, pattern.rows);
  EXPECT_EQ(nodes.sizes, s.sizes);
  EXPECT_EQ(nodes.row_start, s.row_start);
  EXPECT_EQ(nodes.columns, s.columns);
  for (std::size_t k = 0; k < nodes.columns.size(); ++k) {
    EXPECT_EQ(nodes.node[nodes.mirror[k]], nodes.columns[k]);
    EXPECT_EQ(nodes.columns[nodes.mirror[k]], nodes.node[k]);
    EXPECT_EQ(pattern.rows[pattern.start[nodes.first[nodes.node[k]]] + nodes.within[k]], s.offset[nodes.columns[k]]);
  }
  const NodePattern full = MakeNodePattern(std::vector<int>{0, 2, 4}, std::vector<int>{0, 1, 0, 1});
  EXPECT_EQ(full.sizes, std::vector<int>{2});
}

TEST(SquareSystem, SparseAgainstDense) {
  Random random(2);
  for (const int largest : {1, 6}) {
    const BlockSystem s = MakeSystem(largest == 1 ? 200 : 90, largest, &random);
    const SquarePattern pattern = PatternOf(s);
    SquareSystem system;
    system.SetPattern(pattern);
    ASSERT_FALSE(system.dense());
    VectorX x(pattern.n);
    for (double& value : x) value = random.Normal();
    for (int repeat = 0; repeat < 3; ++repeat) {
      // Cholesky reads the lower triangle only; LU everything.
      Load(pattern, s.dense, &system);
      const MatrixX lower = s.dense.selfadjointView<Eigen::Lower>();
      ASSERT_TRUE(system.FactorizeCholesky());
      VectorX y = lower * x;
      system.SolveInPlace(&y);
      EXPECT_LT((y - x).norm(), 1e-12 * x.norm());
      ASSERT_TRUE(system.FactorizeLu());
      y = s.dense * x;
      system.SolveInPlace(&y);
      EXPECT_LT((y - x).norm(), 1e-12 * x.norm());
      EXPECT_EQ(system.num_lu_fallbacks(), 0);
      system.SetPattern(pattern);
    }
    system.values()[system.slot(100, 100)] = -1;
    EXPECT_FALSE(system.FactorizeCholesky());
  }
}

// Entries whose mirror image is not stored, and a diagonal that is not.
TEST(SquareSystem, PatternMayBeOneSided) {
  Random random(4);
  SquarePattern pattern;
  pattern.n = 200;
  MatrixX H = MatrixX::Zero(pattern.n, pattern.n);
  for (int c = 0; c < pattern.n; ++c) {
    for (int r = 0; r < pattern.n; ++r) {
      if (r == c ? c % 7 == 0 : random.Uniform() > 0.01) continue;
      pattern.rows.push_back(r);
      H(r, c) = r == c ? 10 : random.Uniform(-1, 1);
    }
    pattern.start.push_back(static_cast<int>(pattern.rows.size()));
  }
  SquareSystem system;
  system.SetPattern(pattern);
  ASSERT_FALSE(system.dense());
  std::fill_n(system.values(), system.num_values(), 0.0);
  for (int c = 0; c < pattern.n; ++c) {
    for (int r = 0; r < pattern.n; ++r) {
      if (r == c) H(c, c) = 10;
      if (H(r, c) != 0) system.values()[system.slot(r, c)] = H(r, c);
    }
  }
  VectorX x(pattern.n);
  for (double& value : x) value = random.Normal();
  VectorX y = H * x;
  ASSERT_TRUE(system.FactorizeLu());
  system.SolveInPlace(&y);
  EXPECT_LT((y - x).norm(), 1e-12 * x.norm());
  ASSERT_TRUE(system.FactorizeCholesky());  // the lower triangle
  y = H.selfadjointView<Eigen::Lower>() * x;
  system.SolveInPlace(&y);
  EXPECT_LT((y - x).norm(), 1e-12 * x.norm());
}

// A chain of pairs with nothing on the diagonal blocks but what keeps them regular: pivots must come from other blocks.
TEST(SquareSystem, LuFallsBackWherePivotsAreElsewhere) {
  Random random(3);
  for (const double diagonal : {1.0, 1e-3, 1e-7, 1e-12, 0.0}) {
    SquarePattern pattern;
    pattern.n = 300;
    MatrixX H = MatrixX::Zero(pattern.n, pattern.n);
    for (int c = 0; c < pattern.n; ++c) {
      for (int r = std::max(0, c - 1); r <= std::min(pattern.n - 1, c + 1); ++r) {
        pattern.rows.push_back(r);
        H(r, c) = r == c ? diagonal : random.Uniform(0.5, 1);
      }
      pattern.start.push_back(static_cast<int>(pattern.rows.size()));
    }
    SquareSystem system;
    system.SetPattern(pattern);
    Load(pattern, H, &system);
    ASSERT_TRUE(system.FactorizeLu()) << diagonal;
    if (diagonal < 1e-10) {
      EXPECT_EQ(system.num_lu_fallbacks(), 1) << diagonal;
    }
    VectorX x(pattern.n);
    for (double& value : x) value = random.Normal();
    VectorX y = H * x;
    const VectorX rhs = y;
    system.SolveInPlace(&y);
    EXPECT_LT((H * y - rhs).norm(), 1e-13 * H.norm() * y.norm()) << diagonal;
  }
}

}  // namespace
}  // namespace tactus
