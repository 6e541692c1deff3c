#include "tactus/solvers/newton_common/body_space_system.h"

#include <gtest/gtest.h>

#include "tactus/core/random.h"
#include "tactus/generate/generator.h"

namespace tactus {
namespace {

// H = A + J^T G J against dense products.
void ExpectRight(const ContactProblem& p, BodySpaceSystem* system, Random* random) {
  VectorX blocks = VectorX::Zero(BlockSize(p));
  MatrixX H = MatrixX::Zero(p.num_dofs(), p.num_dofs());
  for (int c = 0; c < p.num_dofs(); ++c) {
    VectorX column;
    p.mass().Multiply(VectorX::Unit(p.num_dofs(), c), &column);
    H.col(c) = column;
  }
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int dim = p.dim(i), count = p.jacobian().count(i);
    MatrixX J = MatrixX::Zero(dim, p.num_dofs());
    for (int r = 0; r < dim; ++r) {
      for (int c = 0; c < count; ++c) J(r, p.jacobian().cols(i)[c]) = p.jacobian().block(i)[r * count + c];
    }
    MatrixX G = MatrixX::Zero(dim, dim);
    for (int r = 0; r < dim; ++r) {
      G(r, r) = random->Uniform(0, 3);
      blocks[BlockOffset(p, i) + r * (dim + 1)] = G(r, r);
    }
    H += J.transpose() * G * J;
  }
  system->Reset(p);
  system->Assemble(p, blocks);
  ASSERT_TRUE(system->FactorizeCholesky());
  VectorX x(p.num_dofs());
  for (double& value : x) value = random->Normal();
  VectorX y = H * x;
  system->SolveInPlace(&y);
  EXPECT_LT((y - x).norm(), 1e-8 * x.norm());
  VectorX Hx;
  system->Multiply(x, &Hx);
  EXPECT_LT((Hx - H * x).norm(), 1e-12 * Hx.norm());
}

// As in the steps of a simulation: other contacts of the same mat need no other analysis, rigid boxes on it do.
TEST(BodySpaceSystem, KeepsThePatternOfDeformables) {
  Random random(1);
  BodySpaceSystem system;
  for (const double contacts : {20, 40, 0, 10}) {
    ExpectRight(Generate("mat", {{"nodes", 90}, {"contacts", contacts}}, 1), &system, &random);
  }
  EXPECT_EQ(system.num_patterns(), 1);
  ExpectRight(Generate("mat", {{"nodes", 90}, {"boxes", 1}}, 1), &system, &random);
  EXPECT_EQ(system.num_patterns(), 2);
  ExpectRight(Generate("mat", {{"nodes", 90}, {"boxes", 2}}, 1), &system, &random);
  EXPECT_EQ(system.num_patterns(), 3);
  ExpectRight(Generate("mat", {{"nodes", 120}}, 1), &system, &random);
  EXPECT_EQ(system.num_patterns(), 4);
  ExpectRight(Generate("rod", {{"segments", 40}}, 1), &system, &random);
  ExpectRight(Generate("rod", {{"segments", 40}}, 2), &system, &random);
  EXPECT_EQ(system.num_patterns(), 5);
  ExpectRight(Generate("mat", {{"nodes", 20}}, 1), &system, &random);  // dense
  ExpectRight(Generate("rod", {{"segments", 40}}, 2), &system, &random);
  EXPECT_EQ(system.num_patterns(), 6);
}

}  // namespace
}  // namespace tactus
