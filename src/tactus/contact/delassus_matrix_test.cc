#include "tactus/contact/delassus_matrix.h"

#include <vector>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "tactus/core/random.h"

namespace tactus {
namespace {

MatrixX RandomMatrix(int rows, int cols, Random* random) {
  return MatrixX::NullaryExpr(rows, cols, [&] { return random->Normal(); });
}

MatrixX RandomSpd(int n, Random* random) {
  const MatrixX B = RandomMatrix(n, n, random);
  return B * B.transpose() + MatrixX::Identity(n, n);
}

struct Sample {
  ContactProblem problem;
  MatrixX A, J;  // dense, all dofs
};

// One subsystem of every kind, contacts and rows within and across them.
Sample MakeSample(std::uint64_t seed) {
  Random random(seed);
  ContactProblemBuilder builder;
  std::vector<MatrixX> blocks;
  blocks.push_back(RandomSpd(6, &random));
  builder.AddFreeBody(blocks[0], RandomMatrix(6, 1, &random), Vector3::Zero());
  blocks.push_back(RandomSpd(4, &random));
  builder.AddDense(blocks[1], RandomMatrix(4, 1, &random));
  // Tree 0 <- 1, 0 <- 2: A = L^T L with L branch-sparse.
  MatrixX L(3, 3);
  L << 1.5, 0, 0, 0.3, 1.2, 0, -0.4, 0, 1.1;
  blocks.emplace_back(L.transpose() * L);
  builder.AddTree(blocks[2], {-1, 0, 0}, RandomMatrix(3, 1, &random));
  MatrixX mesh = RandomSpd(9, &random);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) mesh(i, j) *= std::abs(i - j) > 2 ? 0 : (i == j ? 5 : 0.2);
  }
  blocks.push_back(mesh);
  builder.AddSparse(SparseMatrix(mesh.sparseView()), RandomMatrix(9, 1, &random));

  Sample s;
  const int n = builder.num_dofs();
  s.A = MatrixX::Zero(n, n);
  int dof = 0;
  for (const MatrixX& block : blocks) {
    s.A.block(dof, dof, block.rows(), block.rows()) = block;
    dof += static_cast<int>(block.rows());
  }
  const std::vector<std::vector<int>> columns = {{0, 1, 2, 3, 4, 5}, {2, 7, 9}, {10, 12, 15, 20},
                                                 {6, 8, 11},         {13},      {0, 21}};
  s.J = MatrixX::Zero(3 * 4 + 2, n);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int dim = i < 4 ? 3 : 1, row = i < 4 ? 3 * static_cast<int>(i) : 8 + static_cast<int>(i);
    const MatrixX values = RandomMatrix(dim, static_cast<int>(columns[i].size()), &random);
    for (std::size_t c = 0; c < columns[i].size(); ++c) s.J.block(row, columns[i][c], dim, 1) = values.col(c);
    if (dim == 3) {
      builder.AddContactRows(columns[i], values, 0.5, Vector3::Zero());
    } else {
      builder.AddRow(RowLaw::Equality(), columns[i], values.transpose(), 0);
    }
  }
  s.problem = builder.Build();
  return s;
}

TEST(DelassusMatrix, IsJTimesInverseOfATimesJTransposed) {
  DelassusMatrix W;  // reused
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Sample s = MakeSample(seed);
    const MatrixX expected = s.J * s.A.partialPivLu().solve(s.J.transpose());
    W.Assign(s.problem);
    ASSERT_EQ(W.size(), s.problem.size());
    for (int i = 0; i < W.num_constraints(); ++i) {
      MatrixX row = MatrixX::Zero(W.dim(i), W.size());
      int last = -1;
      for (int k = W.row_begin(i); k < W.row_end(i); ++k) {
        const int j = W.column(k);
        EXPECT_GT(j, last);
        last = j;
        row.middleCols(W.offset(j), W.dim(j)) = Eigen::Map<const RowMatrixX>(W.block(k), W.dim(i), W.dim(j));
      }
      EXPECT_LE((row - expected.middleRows(W.offset(i), W.dim(i))).norm(), 1e-12 * expected.norm());
      EXPECT_EQ(W.diagonal_block(i)[0], row(0, W.offset(i)));
      EXPECT_NEAR(W.rho()[i], W.dim(i) / expected.block(W.offset(i), W.offset(i), W.dim(i), W.dim(i)).trace(), 1e-12);
    }
    const VectorX r = VectorX::LinSpaced(W.size(), -1, 1);
    VectorX u;
    W.Multiply(r, &u);
    EXPECT_LE((u - expected * r).norm(), 1e-12 * expected.norm());
  }
}

TEST(DelassusMatrix, EffectiveMassWithoutAssembly) {
  const Sample s = MakeSample(7);
  const DelassusMatrix W(s.problem);
  const std::vector<double> rho = CalcEffectiveMass(s.problem), diagonal = CalcEffectiveMass(s.problem, true);
  for (int i = 0; i < s.problem.num_constraints(); ++i) {
    EXPECT_NEAR(rho[i], W.rho()[i], 1e-12 * rho[i]);
    const MatrixX Ji = s.J.middleRows(W.offset(i), W.dim(i));
    const MatrixX scaled = Ji * s.A.diagonal().cwiseInverse().asDiagonal();
    EXPECT_NEAR(diagonal[i], W.dim(i) / scaled.cwiseProduct(Ji).sum(), 1e-12 * diagonal[i]);
  }
}

TEST(DelassusMatrix, OfAPairIsItsW) {
  Random random(3);
  const MatrixX W = RandomSpd(8, &random);
  const ContactProblem p = ContactProblem::FromDelassus(SparseMatrix(W.sparseView()), VectorX::Ones(8), {0.5, 0.5},
                                                        {RowLaw::Equality(), RowLaw::Inequality()});
  const DelassusMatrix blocks(p);
  const VectorX r = VectorX::LinSpaced(8, 0, 1);
  VectorX u;
  blocks.Multiply(r, &u);
  EXPECT_LE((u - W * r).norm(), 1e-13 * W.norm());
  EXPECT_EQ(CalcEffectiveMass(p), blocks.rho());
}

// What cannot move has no effective mass: it takes the mean of the others, or 1.
TEST(DelassusMatrix, ImmovableConstraints) {
  ContactProblemBuilder builder;
  builder.AddDense(MatrixX::Constant(1, 1, 4), VectorX::Zero(1));
  builder.AddDense(MatrixX::Constant(1, 1, 9), VectorX::Zero(1));
  builder.AddRow(RowLaw::Equality(), {0}, VectorX::Ones(1), 0);
  builder.AddRow(RowLaw::Equality(), {1}, VectorX::Ones(1), 0);
  builder.AddRow(RowLaw::Equality(), {}, VectorX(0), 0);
  const std::vector<double> rho = DelassusMatrix(builder.Build()).rho();
  EXPECT_NEAR(rho[0], 4, 1e-14);
  EXPECT_NEAR(rho[1], 9, 1e-14);
  EXPECT_NEAR(rho[2], 6, 1e-14);
  builder.AddDense(MatrixX::Ones(1, 1), VectorX::Zero(1));
  builder.AddRow(RowLaw::Equality(), {}, VectorX(0), 0);
  EXPECT_EQ(CalcEffectiveMass(builder.Build()), std::vector<double>{1});
}

}  // namespace
}  // namespace tactus
