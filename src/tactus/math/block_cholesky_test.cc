#include "tactus/math/block_cholesky.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include "tactus/core/random.h"
#include "tactus/core/simd.h"
#include "tactus/core/types.h"
#include "tactus/math/block_system_testing.h"

namespace tactus {

namespace baseline {
extern const CholeskyKernels kCholeskyKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const CholeskyKernels kCholeskyKernels;
}
#endif

namespace {

// Adds each block once, by its lower or its upper entry.
void AddEntry(const BlockSystem& s, int i, int k, bool lower, BlockCholesky* cholesky) {
  const int j = s.columns[k];
  if (i != j && (i > j) != lower) return;
  const MatrixX block = s.block(i, j);
  for (int a = 0; a < block.rows(); ++a) {
    for (int b = i == j ? a : 0; b < block.cols(); ++b) {
      cholesky->entry(k)[a * cholesky->row_stride(k) + b * cholesky->column_stride(k)] += block(a, b);
    }
  }
}

void Load(const BlockSystem& s, bool lower, BlockCholesky* cholesky) {
  cholesky->Clear();
  for (int i = 0; i < static_cast<int>(s.sizes.size()); ++i) {
    for (int k = s.row_start[i]; k < s.row_start[i + 1]; ++k) AddEntry(s, i, k, lower, cholesky);
  }
}

// Symmetric, diagonally dominant by `margin`; sizes in [1, largest].
template <typename Coupled>
BlockSystem MakeSpd(int nodes, int largest, double margin, Random* random, Coupled&& coupled) {
  BlockSystem s = MakeBlockPattern(nodes, largest, random, coupled);
  const MatrixX symmetric = 0.5 * (s.dense + s.dense.transpose());
  s.dense = symmetric;
  s.dense.diagonal() = symmetric.cwiseAbs().rowwise().sum();
  s.dense.diagonal().array() += margin;
  return s;
}

void ExpectSolves(const BlockSystem& s, BlockCholesky* cholesky, Random* random) {
  const Eigen::LLT<MatrixX> llt(s.dense);
  ASSERT_EQ(llt.info(), Eigen::Success);
  for (int k = 0; k < 2; ++k) {
    Load(s, k == 0, cholesky);
    ASSERT_TRUE(cholesky->Factorize());
    VectorX rhs(s.dense.rows());
    for (double& x : rhs) x = random->Normal();
    const VectorX expected = llt.solve(rhs);
    VectorX x = rhs;
    cholesky->Solve(x.data());
    EXPECT_LE((x - expected).norm(), 1e-11 * expected.norm());
    EXPECT_LE((s.dense * x - rhs).norm(), 1e-13 * s.dense.norm() * x.norm());
  }
}

TEST(BlockCholesky, RandomPatternsAgainstDenseCholesky) {
  Random random(1);
  for (int trial = 0; trial < 80; ++trial) {
    const int nodes = 1 + random.Index(40);
    const double density = random.Uniform(0, 0.4);
    const BlockSystem s =
        MakeSpd(nodes, 1 + random.Index(15), 1, &random, [&](int, int) { return random.Uniform() < density; });
    BlockCholesky cholesky;
    cholesky.Analyze(s.sizes, s.row_start, s.columns);
    EXPECT_EQ(cholesky.size(), s.dense.rows());
    EXPECT_EQ(cholesky.num_nodes(), nodes);
    for (int i = 0; i < nodes; ++i) EXPECT_EQ(cholesky.offset(i), s.offset[i]);
    SCOPED_TRACE(trial);
    ExpectSolves(s, &cholesky, &random);
  }
}

// Deep trees, wide ones, forests, one front.
TEST(BlockCholesky, Shapes) {
  Random random(2);
  const int nodes = 121;
  const auto check = [&](int count, int largest, const auto& coupled) {
    const BlockSystem s = MakeSpd(count, largest, 0.1, &random, coupled);
    BlockCholesky cholesky;
    cholesky.Analyze(s.sizes, s.row_start, s.columns);
    ExpectSolves(s, &cholesky, &random);
    return cholesky.flops() / (std::pow(s.dense.rows(), 3) / 3);
  };
  const auto chain = [](int i, int j) { return i - j == 1; };
  const auto grid = [](int i, int j) { return (i - j == 1 && i % 11 != 0) || i - j == 11; };
  const auto arrow = [](int i, int j) { return i == 120 || j == 40; };
  const auto apart = [](int, int) { return false; };
  const auto pairs = [](int i, int j) { return i - j == 1 && i % 2 == 1; };
  const auto all = [](int, int) { return true; };
  for (const int largest : {1, 9}) {
    SCOPED_TRACE(largest);
    EXPECT_LT(check(nodes, largest, chain), 0.1);
    EXPECT_LT(check(nodes, largest, grid), 0.4);
    check(nodes, largest, arrow);
    EXPECT_LT(check(nodes, largest, apart), 0.01);
    check(nodes, largest, pairs);
    EXPECT_NEAR(check(nodes, largest, all), 1, 1e-12);
    for (int few = 1; few <= 3; ++few) check(few, largest, all);
  }
  for (int n = 1; n <= 40; ++n) {  // all tails of the kernels
    const BlockSystem s = MakeSpd(2, n, 0.1, &random, all);
    BlockCholesky cholesky;
    cholesky.Analyze(s.sizes, s.row_start, s.columns);
    ExpectSolves(s, &cholesky, &random);
  }
}

// Several columns side by side, full and with few entries, and their squares in the norm of the inverse.
TEST(BlockCholesky, ManyRightHandSides) {
  Random random(7);
  for (int trial = 0; trial < 40; ++trial) {
    const BlockSystem s = MakeSpd(1 + random.Index(60), 1 + random.Index(12), 1, &random,
                                  [&](int i, int j) { return i - j == 1 || random.Uniform() < 0.05; });
    const int n = static_cast<int>(s.dense.rows()), columns = 1 + random.Index(20), stride = n + random.Index(3);
    BlockCholesky cholesky;
    cholesky.Analyze(s.sizes, s.row_start, s.columns);
    Load(s, true, &cholesky);
    ASSERT_TRUE(cholesky.Factorize());
    MatrixX X = MatrixX::Zero(stride, columns);
    for (int c = 0; c < columns; ++c) {
      if (c % 3 == 2) continue;  // nothing at all
      for (int k = 0; k < (c % 3 == 0 ? n : 2); ++k) X(c % 3 == 0 ? k : random.Index(n), c) = random.Normal();
    }
    const MatrixX given = X.topRows(n), expected = s.dense.llt().solve(given);
    VectorX work(cholesky.columns_work_size()), squares(columns);
    cholesky.CalcSquares(X.data(), columns, stride, squares.data(), work.data());
    cholesky.SolveColumns(X.data(), columns, stride, work.data());
    EXPECT_LE((X.topRows(n) - expected).norm(), 1e-11 * expected.norm());
    EXPECT_TRUE((X.bottomRows(stride - n).array() == 0).all());
    for (int c = 0; c < columns; ++c) {
      EXPECT_NEAR(squares[c], given.col(c).dot(expected.col(c)), 1e-12 * (1 + squares[c]));
      // Whatever else is solved beside it.
      VectorX alone = given.col(c);
      cholesky.SolveColumns(alone.data(), 1, n, work.data());
      EXPECT_TRUE((alone.array() == X.col(c).head(n).array()).all());
    }
  }
}

TEST(BlockCholesky, OneAnalysisManyValues) {
  Random random(3);
  BlockSystem s = MakeSpd(60, 6, 1, &random, [&](int, int) { return random.Uniform() < 0.08; });
  BlockCholesky cholesky;
  cholesky.Analyze(s.sizes, s.row_start, s.columns);
  for (int k = 0; k < 4; ++k) {
    ExpectSolves(s, &cholesky, &random);
    s.dense *= 1 + 0.3 * k;
  }
  // The same bits by both ways in, also after a matrix that was refused, and with foreign memory.
  BlockSystem bad = s;
  bad.dense *= -1;
  std::vector<int> row_of;
  for (int i = 0; i < static_cast<int>(s.sizes.size()); ++i) row_of.resize(s.row_start[i + 1], i);
  const auto in_one_pass = [&](const BlockSystem& system) {
    return cholesky.FactorizeEntries([&](int k) { AddEntry(system, row_of[k], k, true, &cholesky); });
  };
  VectorX first = VectorX::Ones(s.dense.rows()), second = first, third = first;
  Load(s, true, &cholesky);
  ASSERT_TRUE(cholesky.Factorize());
  cholesky.Solve(first.data());
  EXPECT_FALSE(in_one_pass(bad));
  ASSERT_TRUE(in_one_pass(s));
  cholesky.Solve(second.data());
  VectorX work(cholesky.work_size());
  std::as_const(cholesky).Solve(third.data(), work.data());
  EXPECT_TRUE(first == second);
  EXPECT_TRUE(first == third);
}

TEST(BlockCholesky, AnalyzesAgain) {
  Random random(4);
  BlockCholesky cholesky;
  for (const int nodes : {20, 3, 1, 35}) {
    const BlockSystem s = MakeSpd(nodes, 5, 1, &random, [&](int i, int j) { return (i + j) % 3 == 0; });
    cholesky.Analyze(s.sizes, s.row_start, s.columns);
    ExpectSolves(s, &cholesky, &random);
  }
  cholesky.Analyze({}, {0}, {});
  EXPECT_TRUE(cholesky.Factorize());
  cholesky.Solve(nullptr);
}

TEST(BlockCholesky, RefusesWhatIsNotPositiveDefinite) {
  Random random(5);
  for (int trial = 0; trial < 40; ++trial) {
    BlockSystem s = MakeSpd(30, 6, 1, &random, [&](int, int) { return random.Uniform() < 0.1; });
    BlockCholesky cholesky;
    cholesky.Analyze(s.sizes, s.row_start, s.columns);
    const int i = random.Index(static_cast<int>(s.dense.rows()));
    // One negative eigenvalue, by the smallest change of one diagonal entry that makes it so, and a little more.
    const double inverse = s.dense.llt().solve(MatrixX(VectorX::Unit(s.dense.rows(), i)))(i, 0);
    const double value = s.dense(i, i);
    s.dense(i, i) = value - 0.999 / inverse;
    Load(s, true, &cholesky);
    EXPECT_TRUE(cholesky.Factorize());
    for (const double bad : {value - 1.001 / inverse, -1.0, 0.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
      s.dense(i, i) = bad;
      Load(s, true, &cholesky);
      EXPECT_FALSE(cholesky.Factorize()) << bad;
    }
  }
}

#if TACTUS_HAVE_V3_KERNELS

TEST(CholeskyKernels, LevelsAgreeToRounding) {
  if (ActiveSimdLevel() != SimdLevel::V3) GTEST_SKIP() << "this machine (or TACTUS_SIMD) has the baseline only";
  Random random(6);
  for (const auto& [s, r] : {std::pair(1, 0), {3, 1}, {6, 0}, {6, 6}, {6, 12}, {5, 7}, {17, 23}, {30, 2}, {33, 37}}) {
    const int stride = PanelStride(s, r), below_at = RoundToLanes(s), width = SchurStride(r);
    std::vector<double> panel(static_cast<std::size_t>(s) * stride, 0.0);
    for (int i = 0; i < s; ++i) {
      for (int j = 0; j < s + r; ++j) {
        panel[i * stride + (j < s ? j : below_at + j - s)] = random.Normal() + (i == j ? 40 : 0);
      }
    }
    std::vector<double> factor[2], schur[2], y[2], below[2];
    for (int level = 0; level < 2; ++level) {
      const CholeskyKernels& k = level == 0 ? baseline::kCholeskyKernels : v3::kCholeskyKernels;
      factor[level] = panel;
      schur[level].resize(static_cast<std::size_t>(width) * width);
      ASSERT_TRUE(k.partial_cholesky(factor[level].data(), stride, s, r, schur[level].data()));
      for (int i = 0; i < s; ++i) y[level].push_back(std::sin(i + 1.0));
      below[level].resize(width);
      k.forward(factor[level].data(), stride, s, r, y[level].data(), below[level].data());
      const std::vector<double> x2(width, 0.5);
      k.backward(factor[level].data(), stride, s, r, x2.data(), y[level].data());
    }
    for (int i = 0; i < s; ++i) {
      EXPECT_NEAR(y[0][i], y[1][i], 1e-13);
      for (int j = i; j < stride; ++j) EXPECT_NEAR(factor[0][i * stride + j], factor[1][i * stride + j], 1e-12);
    }
    for (int i = 0; i < r; ++i) {
      EXPECT_NEAR(below[0][i], below[1][i], 1e-13);
      for (int j = i; j < r; ++j) EXPECT_NEAR(schur[0][i * width + j], schur[1][i * width + j], 1e-12);
    }
  }
}

#endif

}  // namespace
}  // namespace tactus
