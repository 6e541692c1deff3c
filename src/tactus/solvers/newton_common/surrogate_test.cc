#include "tactus/solvers/newton_common/surrogate.h"

#include <random>

#include <gtest/gtest.h>

#include "tactus/math/finite_difference.h"
#include "tactus/solvers/newton_common/body_space_system.h"
#include "tactus/solvers/newton_common/mixed_problem_testing.h"

namespace tactus {
namespace {

// A surrogate with random penalty, multiplier and frozen term, all constraint kinds mixed.
struct RandomSurrogate {
  ContactProblem problem;
  Surrogate surrogate;
  std::mt19937 random;
  std::normal_distribution<double> normal;

  RandomSurrogate(std::uint32_t seed, ConeOperator cone, const MixedProblemOptions& options = {})
      : problem(MakeMixedProblem(seed, options)), random(seed + 1000) {
    surrogate.Reset(problem, cone);
    for (double& beta : surrogate.beta) beta = std::exp(normal(random));
    surrogate.previous = RandomVector(problem.size());
    for (double& p : surrogate.frozen) p = std::abs(normal(random));
  }
  VectorX RandomVector(int n) {
    return VectorX::NullaryExpr(n, [this] { return normal(random); });
  }
  SurrogatePoint PointAt(const VectorX& v) const {
    SurrogatePoint point;
    point.v = v;
    surrogate.Evaluate(&point);
    return point;
  }
};

TEST(Surrogate, ResidualIsTheGradientOfTheObjective) {  // Proposition 3, extended to every row kind
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    RandomSurrogate s(seed, ConeOperator::Proximal);
    const VectorX v = s.RandomVector(s.problem.num_dofs());
    const VectorX gradient = CalcFiniteDifferenceGradient(
        [&](const VectorX& x) { return s.surrogate.CalcObjective(s.PointAt(x)); }, v, 1e-5);
    const SurrogatePoint point = s.PointAt(v);
    EXPECT_LT((gradient - point.r).norm(), 1e-6 * point.r.norm()) << "seed " << seed;
  }
}

TEST(Surrogate, ObjectiveIsConvexAlongRandomLines) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    RandomSurrogate s(seed, ConeOperator::Proximal);
    const VectorX v = s.RandomVector(s.problem.num_dofs()), d = s.RandomVector(s.problem.num_dofs());
    // h'(a) along the line grows at least as fast as d^T A d.
    VectorX Ad;
    s.problem.mass().Multiply(d, &Ad);
    const double strong = d.dot(Ad);
    double last = 0;
    for (int k = -40; k <= 40; ++k) {
      const double a = 0.1 * k, slope = s.PointAt(v + a * d).r.dot(d);
      if (k > -40) {
        EXPECT_GE(slope - last, 0.1 * strong * (1 - 1e-9)) << "seed " << seed << " a " << a;
      }
      last = slope;
    }
  }
}

TEST(Surrogate, SlopeMatchesTheObjectiveAlongALine) {
  RandomSurrogate s(3, ConeOperator::Proximal);
  const VectorX v = s.RandomVector(s.problem.num_dofs()), d = s.RandomVector(s.problem.num_dofs());
  const SurrogatePoint point = s.PointAt(v);
  VectorX Jd, Ad;
  s.problem.MultiplyJ(d, &Jd);
  s.problem.mass().Multiply(d, &Ad);
  const double dAv = d.dot(point.Av - s.problem.b()), dAd = d.dot(Ad);
  for (const double a : {0.0, 0.3, 1.0, 5.0}) {
    const auto slope = s.surrogate.CalcSlope(point, Jd, dAv, dAd, a);
    EXPECT_NEAR(slope.first, s.PointAt(v + a * d).r.dot(d), 1e-10 * std::abs(slope.first) + 1e-10);
    const double h = 1e-6;
    const double second = (s.PointAt(v + (a + h) * d).r.dot(d) - s.PointAt(v + (a - h) * d).r.dot(d)) / (2 * h);
    EXPECT_NEAR(slope.second, second, 1e-5 * second);
  }
}

// d r / d v = A + J^T G J for both operators, dense and sparse assembly.
void CheckJacobian(ConeOperator cone, const MixedProblemOptions& options, std::uint32_t seed, bool expect_dense) {
  RandomSurrogate s(seed, cone, options);
  const VectorX v = s.RandomVector(s.problem.num_dofs());
  SurrogatePoint point = s.PointAt(v);
  VectorX blocks;
  s.surrogate.CalcImpulse(point.y, &point.lambda, &blocks);
  BodySpaceSystem system;
  system.Reset(s.problem);
  EXPECT_EQ(system.dense(), expect_dense);
  system.Assemble(s.problem, blocks);
  for (int k = 0; k < 5; ++k) {
    const VectorX d = s.RandomVector(s.problem.num_dofs()).normalized();
    const double h = 1e-6;
    const VectorX expected = (s.PointAt(v + h * d).r - s.PointAt(v - h * d).r) / (2 * h);
    VectorX product;
    system.Multiply(d, &product);
    EXPECT_LT((product - expected).norm(), 1e-5 * expected.norm()) << "seed " << seed;
  }
}

TEST(BodySpaceSystem, IsTheJacobianOfTheResidual) {
  MixedProblemOptions large;
  large.bodies = 40;
  large.contacts = 60;
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    for (const ConeOperator cone : {ConeOperator::Proximal, ConeOperator::Strict}) {
      CheckJacobian(cone, {}, seed, true);
      CheckJacobian(cone, large, seed, false);
    }
  }
}

TEST(BodySpaceSystem, SolvesDenseAndSparse) {
  for (const int bodies : {3, 40}) {
    MixedProblemOptions options;
    options.bodies = bodies;
    options.contacts = bodies * 3 / 2;
    for (const ConeOperator cone : {ConeOperator::Proximal, ConeOperator::Strict}) {
      RandomSurrogate s(7, cone, options);
      SurrogatePoint point = s.PointAt(s.RandomVector(s.problem.num_dofs()));
      VectorX blocks, back;
      s.surrogate.CalcImpulse(point.y, &point.lambda, &blocks);
      BodySpaceSystem system;
      for (int repeat = 0; repeat < 2; ++repeat) {  // the second time with everything reused
        system.Reset(s.problem);
        system.Assemble(s.problem, blocks);
        const VectorX x = s.RandomVector(s.problem.num_dofs());
        system.Multiply(x, &back);
        ASSERT_TRUE(cone == ConeOperator::Proximal ? system.FactorizeCholesky() : system.FactorizeLu());
        system.SolveInPlace(&back);
        EXPECT_LT((back - x).norm(), 1e-9 * x.norm());
        // x . (H y) = y . (H^T x)
        const VectorX y = s.RandomVector(s.problem.num_dofs());
        VectorX Hy, Htx;
        system.Multiply(y, &Hy);
        system.MultiplyTransposed(x, &Htx);
        EXPECT_NEAR(x.dot(Hy), y.dot(Htx), 1e-9 * x.norm() * Hy.norm());
      }
    }
  }
}

TEST(Surrogate, SlackAndImpulseObeyTheLaw) {
  // (z + e, lambda) in S by construction of the closed form: lambda is a fixed point of the natural map at z.
  RandomSurrogate s(11, ConeOperator::Strict);
  const SurrogatePoint point = s.PointAt(s.RandomVector(s.problem.num_dofs()));
  VectorX z, again;
  s.surrogate.CalcSlack(point, &z);
  Surrogate at_slack = s.surrogate;
  at_slack.previous = point.lambda;  // x = lambda - beta (z + e)
  at_slack.CalcImpulse(z, &again);
  EXPECT_LT((again - point.lambda).norm(), 1e-12 * point.lambda.norm());
}

}  // namespace
}  // namespace tactus
