#include "tactus/math/dense_lu.h"

#include <limits>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "tactus/core/random.h"

namespace tactus {

namespace {

MatrixX MakeRandomMatrix(int n, Random* random) {
  MatrixX A(n, n);
  for (double& x : A.reshaped()) x = random->Uniform(-1, 1);
  return A;
}

// Sizes around those of vectors and panels, up and down with the same memory: what a larger one left must not matter.
TEST(DenseLu, SolvesSystemsOfChangingSize) {
  Random random(1);
  DenseLu lu;
  for (const int n : {1, 40, 2, 7, 17, 3, 33, 16, 100, 31, 0, 15, 48}) {
    const MatrixX A = MakeRandomMatrix(n, &random);
    const VectorX expected = MakeRandomMatrix(n, &random).rowwise().sum();
    lu.Prepare(n) = A;
    ASSERT_TRUE(lu.Factorize()) << n;
    for (int again = 0; again < 2; ++again) {
      VectorX x = A * expected;
      lu.Solve(x.data());
      EXPECT_LT((x - expected).norm(), 1e-10) << n;
    }
  }
}

// As the multipliers' block of a KKT system: nothing on the diagonal.
TEST(DenseLu, PivotsWhereTheDiagonalVanishes) {
  DenseLu lu;
  DenseLu::Matrix A = lu.Prepare(3);
  A << 0, 0, 2, 0, 3, 0, 4, 0, 0;
  ASSERT_TRUE(lu.Factorize());
  double x[3] = {2, 6, 12};
  lu.Solve(x);
  EXPECT_EQ(x[0], 3);
  EXPECT_EQ(x[1], 2);
  EXPECT_EQ(x[2], 1);
}

TEST(DenseLu, SaysThatAMatrixIsSingularOrNotFinite) {
  Random random(2);
  DenseLu lu;
  for (const int n : {3, 20, 40}) {
    MatrixX A = MakeRandomMatrix(n, &random);
    A.row(n / 2).setZero();
    lu.Prepare(n) = A;
    EXPECT_FALSE(lu.Factorize()) << n;
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      A = MakeRandomMatrix(n, &random);
      A(n - 1, n / 2) = bad;
      lu.Prepare(n) = A;
      EXPECT_FALSE(lu.Factorize()) << n;
    }
  }
}

}  // namespace

}  // namespace tactus
