#include "tactus/solvers/hybrid/body_space_engine.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tactus/core/random.h"
#include "tactus/core/simd.h"
#include "tactus/solvers/hybrid/hybrid_solver.h"
#include "tactus/solvers/newton_common/mixed_problem_testing.h"

namespace tactus {

namespace baseline {
extern const PairKernels kPairKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const PairKernels kPairKernels;
}
#endif

namespace {

/// Many contacts on few bodies, with rows or without, with a tree or without.
ContactProblem MakeFewBodies(std::uint32_t seed, bool rows, int bodies = 2, int contacts = 14, bool tree = false) {
  MixedProblemOptions options;
  options.bodies = bodies;
  options.contacts = contacts;
  options.tree = tree;
  options.rows = rows;
  return MakeMixedProblem(seed, options);
}

struct Outcome {
  Termination end;
  SolveReport report;
  VectorX impulse, velocity;
};

Outcome SolveInBodySpace(const ContactProblem& p, double tolerance, BodySpaceEngine* engine, const VectorX& start = {},
                         const VectorX* velocity = nullptr) {
  Outcome out;
  SolveSettings settings;
  settings.tolerance = tolerance;
  SolveMonitor monitor(p, settings, &out.report, velocity);
  engine->Build(p);
  const bool cold = start.size() == 0;
  out.impulse = cold ? VectorX(VectorX::Zero(p.size())) : start;
  out.end = engine->Solve(cold, 500, &monitor, &out.impulse, &out.report);
  p.CalcVelocity(out.impulse, &out.velocity);
  return out;
}

/// Hybrid in Delassus form: without geometry there is no body space.
VectorX SolveInDelassusForm(const ContactProblem& p, double tolerance) {
  std::vector<Friction> friction;
  friction.reserve(p.num_contacts());
  for (int i = 0; i < p.num_contacts(); ++i) friction.push_back(p.friction(i));
  const ContactProblem rows_only = p.WithScaledRows(VectorX::Ones(p.size()), friction);
  EXPECT_FALSE(BodySpaceEngine::Supports(rows_only));
  HybridSolver solver;
  SolveSettings settings;
  settings.tolerance = tolerance;
  ContactSolution solution;
  EXPECT_TRUE(solver.Solve(rows_only, settings, WarmStart(), &solution).solved());
  return solution.velocity;
}

TEST(BodySpaceEngine, AgreesWithTheDelassusForm) {
  BodySpaceEngine engine;  // one for all: its memory is reused
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    const ContactProblem p = MakeFewBodies(seed, seed % 2 == 0, 3, 6, seed >= 8);
    ASSERT_TRUE(BodySpaceEngine::Supports(p));
    const Outcome out = SolveInBodySpace(p, 1e-11, &engine);
    ASSERT_EQ(out.end, Termination::Converged) << seed;
    EXPECT_LE(CalcNcpResidual(p, out.impulse).natural_rho, 1e-11) << seed;
    EXPECT_LE((out.velocity - SolveInDelassusForm(p, 1e-11)).norm(), 1e-6 * (1 + out.velocity.norm())) << seed;
  }
  for (const double speed : {0.02, 1.0}) {
    const ContactProblem p = MakeSlidingBox(0.5, speed);
    const Outcome out = SolveInBodySpace(p, 1e-11, &engine);
    EXPECT_LE((out.velocity - SolveInDelassusForm(p, 1e-11)).norm(), 1e-8);
    EXPECT_NEAR(out.velocity[0], std::max(0.0, speed - 0.5 * 9.81 * 0.01), 1e-9);
  }
}

// Where nothing can be scored there still is an answer, of the size of this problem and not of one before.
TEST(BodySpaceEngine, SurvivesNumbersNearOverflow) {
  for (const double speed : {1e160, 1e200, 1e300}) {
    BodySpaceEngine engine;
    const ContactProblem p = MakeSlidingBox(0.5, speed);
    const Outcome out = SolveInBodySpace(p, 1e-8, &engine);
    EXPECT_EQ(out.impulse.size(), p.size());
    EXPECT_TRUE(out.impulse.allFinite()) << speed;
  }
}

TEST(BodySpaceEngine, StopsAtOnceAtTheAnswer) {
  BodySpaceEngine engine;
  const ContactProblem p = MakeFewBodies(1, true);
  const Outcome cold = SolveInBodySpace(p, 1e-9, &engine);
  ASSERT_EQ(cold.end, Termination::Converged);
  EXPECT_GT(cold.report.newton_steps, 0);
  const Outcome warm = SolveInBodySpace(p, 1e-9, &engine, cold.impulse);
  EXPECT_EQ(warm.end, Termination::Converged);
  EXPECT_LE(warm.report.iterations, 1);
  const Outcome near = SolveInBodySpace(p, 1e-9, &engine, 1.001 * cold.impulse);
  EXPECT_EQ(near.end, Termination::Converged);
  EXPECT_LE(near.report.iterations, cold.report.iterations + 1);
}

/// A plate of 0.1 kg at rest on the floor, below a pot of 5 kg; they touch at rings of points.
ContactProblem MakePotOnPlate() {
  constexpr double kStep = 1.0 / 240, kGravity = 9.81;
  constexpr int kPoints = 40;
  ContactProblemBuilder builder;
  const double masses[] = {0.1, 5};
  for (int i = 0; i < 2; ++i) {
    Vector6 inertia, momentum = Vector6::Zero();
    inertia << Vector3::Constant(masses[i]), Vector3::Constant(0.004 * masses[i]);
    momentum[2] = -masses[i] * kGravity * kStep;
    builder.AddFreeBody(inertia.asDiagonal(), momentum, Vector3(0, 0, 0.05 * i));
  }
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < kPoints; ++k) {
      const double angle = 2 * M_PI * k / kPoints, radius = k % 2 == 0 ? 0.08 : 0.05;
      const Vector3 point(radius * std::cos(angle), radius * std::sin(angle), 0.05 * i);
      builder.AddContact(i, i == 0 ? kWorld : 0, point, Matrix3::Identity(), 0.5, Vector3::Zero());
    }
  }
  return builder.Build();
}

// Impulses of points that come and go are lost, and what is left throws the light plate about.
TEST(BodySpaceEngine, StartsFromVelocitiesWhereImpulsesAreMisplaced) {
  BodySpaceEngine engine;
  const ContactProblem p = MakePotOnPlate();
  const Outcome exact = SolveInBodySpace(p, 1e-9, &engine);
  ASSERT_EQ(exact.end, Termination::Converged);
  const VectorX rest = VectorX::Zero(p.num_dofs()), elsewhere = VectorX::Constant(p.num_dofs(), 10.0);
  Random random(1);
  int with = 0, without = 0;
  for (int trial = 0; trial < 10; ++trial) {
    VectorX misplaced = exact.impulse;
    for (int i = 0; i < p.num_contacts(); ++i) {
      if (random.Uniform() < 0.2) misplaced.segment<3>(3 * i).setZero();
    }
    const Outcome a = SolveInBodySpace(p, 1e-9, &engine, misplaced, &rest);
    const Outcome b = SolveInBodySpace(p, 1e-9, &engine, misplaced);
    const Outcome c = SolveInBodySpace(p, 1e-9, &engine, misplaced, &elsewhere);
    for (const Outcome& out : {a, b, c}) {
      EXPECT_EQ(out.end, Termination::Converged);
      EXPECT_LE(CalcNcpResidual(p, out.impulse).natural_rho, 1e-9);
    }
    EXPECT_EQ(c.report.newton_steps, b.report.newton_steps);  // the worse start is left alone
    with += a.report.newton_steps;
    without += b.report.newton_steps;
  }
  EXPECT_LT(with, 0.95 * without);
}

// As after a step in which something was jammed and impulses grew without bound.
TEST(BodySpaceEngine, LeavesAStartThatIsWorseThanNone) {
  BodySpaceEngine engine;
  const ContactProblem p = MakePotOnPlate();
  const Outcome cold = SolveInBodySpace(p, 1e-9, &engine);
  const Outcome warm = SolveInBodySpace(p, 1e-9, &engine, VectorX::LinSpaced(p.size(), 1, 1e6));
  EXPECT_EQ(warm.end, Termination::Converged);
  EXPECT_EQ(warm.report.newton_steps, cold.report.newton_steps);
  EXPECT_EQ(warm.impulse, cold.impulse);
}

TEST(BodySpaceEngine, SupportsFreeBodiesAndSmallTrees) {
  EXPECT_TRUE(BodySpaceEngine::Supports(MakeFewBodies(2, true)));
  EXPECT_TRUE(BodySpaceEngine::Supports(MakeFewBodies(2, true, 2, 14, true)));
  // A row over three bodies.
  ContactProblemBuilder builder;
  for (int i = 0; i < 3; ++i) builder.AddFreeBody(Matrix6::Identity(), Vector6::Ones(), Vector3::Zero());
  builder.AddContact(0, kWorld, Vector3::Zero(), Matrix3::Identity(), 0.5, Vector3::Zero());
  builder.AddRow(RowLaw::Equality(), {0, 6, 12}, VectorX::Ones(3), 0);
  EXPECT_FALSE(BodySpaceEngine::Supports(builder.Build()));
}

/// Contacts in every mode, as the kernels want them.
struct RandomContacts {
  static constexpr int kCount = 64;

  RandomContacts() : data(18 * kCount), lambda(3 * kCount) {
    Random random(1);
    for (double& x : data) x = random.Normal();
    for (int i = 0; i < kCount; ++i) {
      double length = 0;
      for (int k = 0; k < 3; ++k) length += array(3 + k)[i] * array(3 + k)[i];
      for (int k = 0; k < 3; ++k) array(3 + k)[i] /= std::sqrt(length);
      array(6)[i] = array(1)[i] * array(5)[i] - array(2)[i] * array(4)[i];
      array(7)[i] = array(2)[i] * array(3)[i] - array(0)[i] * array(5)[i];
      array(8)[i] = array(0)[i] * array(4)[i] - array(1)[i] * array(3)[i];
      array(12)[i] = i % 5 == 0 ? 0 : std::abs(array(12)[i]);
      array(13)[i] = 0.1 + std::abs(array(13)[i]);
      array(17)[i] = i % 7 == 0 ? 0 : std::abs(array(17)[i]);
    }
  }
  double* array(int which) { return data.data() + static_cast<std::size_t>(which) * kCount; }

  PairContactArrays Arrays(bool with_radius) {
    PairContactArrays c;
    for (int k = 0; k < 3; ++k) {
      c.r[k] = array(k);
      c.n[k] = array(3 + k);
      c.m[k] = array(6 + k);
      c.e[k] = array(9 + k);
      c.lambda_k[k] = array(14 + k);
      c.lambda[k] = lambda.data() + static_cast<std::size_t>(k) * kCount;
    }
    c.mu = array(12);
    c.rho = array(13);
    if (with_radius) c.radius = array(17);
    return c;
  }

  std::vector<double> data, lambda;
};

constexpr double kTwist[6] = {0.3, -0.2, 0.5, 0.1, 0.4, -0.6};

// dw/dV = -K, and discs given are discs kept.
TEST(PairKernels, JacobianIsTheDerivative) {
  constexpr double kStep = 1e-7;
  RandomContacts contacts;
  for (const bool with_radius : {false, true}) {
    const PairContactArrays c = contacts.Arrays(with_radius);
    const PairKernels& kernels = GetPairKernels();
    double wrench[6], K[36], ahead[6], behind[6];
    kernels.evaluate_jacobian(c, 0, RandomContacts::kCount, kTwist, 2.0, wrench, K);
    int open = 0, on_disc = 0;
    for (int i = 0; i < RandomContacts::kCount && with_radius; ++i) {
      const Vector3 l(c.lambda[0][i], c.lambda[1][i], c.lambda[2][i]), n(c.n[0][i], c.n[1][i], c.n[2][i]);
      const double tangential = (l - l.dot(n) * n).norm();
      EXPECT_GE(l.dot(n), -1e-12);
      EXPECT_LE(tangential, c.radius[i] + 1e-12);
      open += l.dot(n) < 1e-12 ? 1 : 0;
      on_disc += tangential > c.radius[i] - 1e-12 ? 1 : 0;
    }
    if (with_radius) {
      EXPECT_GT(open, 5);
      EXPECT_GT(on_disc, 5);
      EXPECT_LT(on_disc, RandomContacts::kCount - 5);
    }
    for (int k = 0; k < 6; ++k) {
      double twist[6];
      std::copy(kTwist, kTwist + 6, twist);
      twist[k] = kTwist[k] + kStep;
      kernels.evaluate(c, 0, RandomContacts::kCount, twist, 2.0, ahead);
      twist[k] = kTwist[k] - kStep;
      kernels.evaluate(c, 0, RandomContacts::kCount, twist, 2.0, behind);
      for (int j = 0; j < 6; ++j) {
        EXPECT_NEAR(-(ahead[j] - behind[j]) / (2 * kStep), K[6 * j + k], 2e-6) << j << ' ' << k << ' ' << with_radius;
        if (!with_radius) continue;
        EXPECT_NEAR(K[6 * j + k], K[6 * k + j], 1e-11) << "convex, so symmetric";
      }
    }
  }
}

#if TACTUS_HAVE_V3_KERNELS

TEST(PairKernels, LevelsAgreeToRounding) {
  if (ActiveSimdLevel() != SimdLevel::V3) GTEST_SKIP() << "this machine (or TACTUS_SIMD) has the baseline only";
  constexpr int kCount = RandomContacts::kCount;
  RandomContacts contacts;
  for (const bool with_radius : {false, true}) {
    std::vector<double> lambda[2];
    double wrench[2][6], moved[2][6], K[2][36], total[2][6], error[2] = {0, 0}, length[2] = {0, 0};
    for (int level = 0; level < 2; ++level) {
      const PairKernels& kernels = level == 0 ? baseline::kPairKernels : v3::kPairKernels;
      const PairContactArrays c = contacts.Arrays(with_radius);
      kernels.evaluate(c, 0, kCount, kTwist, 2.0, wrench[level]);
      kernels.evaluate_jacobian(c, 0, kCount, kTwist, 2.0, moved[level], K[level]);
      kernels.wrench(c, 0, kCount, total[level]);
      kernels.score(c, 0, kCount, kTwist, &error[level], &length[level]);
      lambda[level] = contacts.lambda;
      for (int k = 0; k < 6; ++k) {
        EXPECT_NEAR(wrench[level][k], moved[level][k], 1e-11) << "with and without Jacobian";
        EXPECT_NEAR(wrench[level][k], total[level][k], 1e-11) << "the wrench of the impulses it wrote";
      }
    }
    for (int i = 0; i < 3 * kCount; ++i) EXPECT_NEAR(lambda[0][i], lambda[1][i], 1e-12);
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(wrench[0][k], wrench[1][k], 1e-11);
    for (int k = 0; k < 36; ++k) EXPECT_NEAR(K[0][k], K[1][k], 1e-10);
    EXPECT_NEAR(error[0], error[1], 1e-11 * error[0]);
    EXPECT_NEAR(length[0], length[1], 1e-11 * length[0]);
    EXPECT_GT(error[0], 0);
  }
}

#endif

}  // namespace
}  // namespace tactus
