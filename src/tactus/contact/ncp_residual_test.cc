#include "tactus/contact/ncp_residual.h"

#include <random>

#include <gtest/gtest.h>

namespace tactus {
namespace {

constexpr double kMass = 2, kMu = 0.5;

// A point mass on a plane: sigma = b/m + lambda/m + e, W = I/m, rho = m.
ContactProblem MakePoint(const Vector3& free_velocity, const Friction& mu = kMu, const Vector3& e = Vector3::Zero()) {
  const MatrixX A = kMass * MatrixX::Identity(3, 3), J = MatrixX::Identity(3, 3);
  return ContactProblem::FromMatrices(A, VectorX(kMass * free_velocity), J, VectorX(e), {mu});
}

double Worst(const NcpResidual& r) {
  return std::max({r.natural_rho, r.natural_rho_mean, r.natural, r.paper, r.fischer_burmeister, r.penetration,
                   r.complementarity, r.cone_violation, r.slip_direction});
}

TEST(NcpResidual, VanishesAtTheAnswersOfOneContact) {
  // Open: leaves by itself.
  EXPECT_EQ(Worst(CalcNcpResidual(MakePoint({1, 2, 3}), Vector3(0, 0, 0))), 0);
  // Stick: the impulse stops it, inside the cone.
  EXPECT_LT(Worst(CalcNcpResidual(MakePoint({0.3, 0, -1}), kMass * Vector3(-0.3, 0, 1))), 1e-15);
  // Slip: friction at the edge of the cone, against the motion.
  EXPECT_LT(Worst(CalcNcpResidual(MakePoint({3, 0, -1}), kMass * Vector3(-kMu, 0, 1))), 1e-15);
  EXPECT_LT(Worst(CalcNcpResidual(MakePoint({0, -3, -1}), kMass * Vector3(0, kMu, 1))), 1e-15);
  // Without friction.
  EXPECT_LT(Worst(CalcNcpResidual(MakePoint({3, 0, -1}, 0.0), kMass * Vector3(0, 0, 1))), 1e-15);
  // On a belt that runs as fast as the mass: sigma_t = 0 sticks without friction.
  EXPECT_LT(Worst(CalcNcpResidual(MakePoint({3, 0, -1}, kMu, {-3, 0, 0}), kMass * Vector3(0, 0, 1))), 1e-15);
}

TEST(NcpResidual, HasTheValuesOfHandCalculation) {
  // No impulse while falling in at speed s: the natural map is off by rho s e_n, relative error 1 whatever m and s are.
  for (const double speed : {1e-3, 1.0, 1e3}) {
    const NcpResidual r = CalcNcpResidual(MakePoint({0, 0, -speed}), Vector3(0, 0, 0));
    EXPECT_NEAR(r.natural_rho, 1, 1e-14);
    EXPECT_NEAR(r.penetration, speed, 1e-14 * speed);
    EXPECT_NEAR(r.relative_penetration, 1, 1e-14);
    EXPECT_NEAR(r.paper, speed, 1e-14 * speed);  // unit weight, one contact
    EXPECT_FALSE(r.feasible(1e-8));
  }
  // Too much normal impulse by dl leaves sigma_n = dl/m: frictionless natural map off by dl.
  const double dl = 1e-3;
  const NcpResidual r = CalcNcpResidual(MakePoint({0, 0, -1}, 0.0), Vector3(0, 0, kMass + dl));
  EXPECT_NEAR(r.natural_rho, dl / (kMass + dl), 1e-9);
  EXPECT_NEAR(r.complementarity, dl / kMass * (kMass + dl), 1e-12);
}

TEST(NcpResidual, SeesTheHoverOfTheConvexRelaxation) {
  // CCP answer of the sliding mass: lambda in K, sigma in K*, orthogonal; it leaves the plane at mu times the slip.
  const double slide = 3, fall = 1, scale = 1 / (1 + kMu * kMu);
  // lambda_n(-mu, 1): sigma_n = -fall + ln/m = mu (slide - mu ln/m).
  const double ln = kMass * (fall + kMu * slide) * scale;
  const Vector3 lambda(-kMu * ln, 0, ln);
  const NcpResidual r = CalcNcpResidual(MakePoint({slide, 0, -fall}), lambda);
  EXPECT_GT(r.natural_rho, 0.1);
  EXPECT_EQ(r.penetration, 0);
  EXPECT_LT(r.cone_violation, 1e-15);
  EXPECT_LT(r.slip_direction, 1e-14);
  EXPECT_GT(r.complementarity, 0.1);
}

TEST(NcpResidual, SeesFrictionInTheWrongDirection) {
  const NcpResidual r = CalcNcpResidual(MakePoint({3, 0, -1}), kMass * Vector3(0, -kMu, 1));
  EXPECT_GT(r.natural_rho, 0.1);
  EXPECT_GT(r.slip_direction, 0.1);
  EXPECT_LT(r.cone_violation, 1e-15);
}

// One dof, one row: y = (b + lambda)/m.
ContactProblem MakeRow(const RowLaw& law, double momentum, double e = 0) {
  ContactProblemBuilder builder;
  builder.AddDense(MatrixX::Constant(1, 1, kMass), VectorX::Constant(1, momentum));
  builder.AddRow(law, {0}, VectorX::Ones(1), e);
  return builder.Build();
}

TEST(NcpResidual, VanishesAtTheAnswersOfScalarRowsAndOnlyThere) {
  struct Case {
    const char* name;
    RowLaw law;
    double momentum, e, answer;
  };
  const double d = 3, ke = 0.4, soft = (-ke - d * 1.0 / kMass) / (1 + d / kMass);  // lambda = -ke - d (1 + lambda)/m
  const Case cases[] = {
      {"inequality pushes", RowLaw::Inequality(), -1, 0.1, 1 - 0.1 * kMass},
      {"inequality rests", RowLaw::Inequality(), 1, 0.1, 0},
      {"equality pulls", RowLaw::Equality(), 1, 0.1, -1 - 0.1 * kMass},
      {"soft", RowLaw::Soft(d, ke), 1, 7, soft},  // e is not part of a soft law
      {"bounded inside", RowLaw::BoundedSoft(d, ke, -5, 5), 1, 0, soft},
      {"bounded at its limit", RowLaw::BoundedSoft(d, ke, -0.3, 5), 1, 0, -0.3},
      {"dry friction holds", RowLaw::DryFriction(3), 1, 0, -1},
      {"dry friction slips", RowLaw::DryFriction(0.25), 1, 0, -0.25},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ContactProblem p = MakeRow(c.law, c.momentum, c.e);
    EXPECT_LT(CalcNcpResidual(p, VectorX::Constant(1, c.answer)).natural_rho, 1e-15);
    EXPECT_GT(CalcNcpResidual(p, VectorX::Constant(1, c.answer + 0.01)).natural_rho, 1e-4);
    EXPECT_GT(CalcNcpResidual(p, VectorX::Constant(1, c.answer - 0.01)).natural_rho, 1e-4);
  }
}

// A random problem in units where a kilogram is `mass` and a second is `1/rate` of ours, with matching impulses.
ContactProblem MakeScaled(std::uint32_t seed, double mass, double rate, VectorX* lambda) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  const auto random = [&](int rows, int cols) {
    return MatrixX::NullaryExpr(rows, cols, [&] { return normal(engine); }).eval();
  };
  const MatrixX B = random(8, 8);
  ContactProblemBuilder builder;
  builder.AddDense(mass * (B * B.transpose() + MatrixX::Identity(8, 8)), mass * rate * random(8, 1));
  std::vector<int> columns(8);
  for (int k = 0; k < 8; ++k) columns[k] = k;
  for (int i = 0; i < 3; ++i) builder.AddContactRows(columns, random(3, 8), 0.6, rate * random(3, 1));
  const double limit = 0.2 * mass * rate;
  for (const RowLaw& law :
       {RowLaw::Inequality(), RowLaw::Equality(), RowLaw::Soft(2 * mass, 0.3 * mass * rate),
        RowLaw::BoundedSoft(4 * mass, 0.1 * mass * rate, -limit, limit), RowLaw::DryFriction(limit)}) {
    builder.AddRow(law, columns, random(8, 1), rate * random(1, 1)(0, 0));
  }
  *lambda = mass * rate * random(14, 1);
  return builder.Build();
}

TEST(NcpResidual, NaturalRhoDoesNotDependOnUnitsOfMassAndTime) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    VectorX lambda;
    const ContactProblem reference = MakeScaled(seed, 1, 1, &lambda);
    const NcpResidual expected = CalcNcpResidual(reference, lambda);
    for (const auto& [mass, rate] : {std::pair(1e3, 1.0), {1e-3, 1.0}, {1.0, 1e3}, {1e3, 1e-2}}) {
      const ContactProblem scaled = MakeScaled(seed, mass, rate, &lambda);
      const NcpResidual r = CalcNcpResidual(scaled, lambda);
      EXPECT_NEAR(r.natural_rho, expected.natural_rho, 1e-10 * expected.natural_rho);
      EXPECT_NEAR(r.natural_rho_mean, expected.natural_rho_mean, 1e-10 * expected.natural_rho_mean);
      EXPECT_NEAR(r.impulse_ratio, expected.impulse_ratio, 1e-10 * expected.impulse_ratio);
      // The others do depend on them, and say so.
      if (mass != 1) {
        EXPECT_GT(std::abs(r.paper / expected.paper - 1), 1e-3);
      }
    }
  }
}

TEST(NcpResidual, TwoFieldFormAgreesWhereTheDynamicsHold) {
  // Diagonal A: both forms use the same rho.
  const ContactProblem p = MakePoint({3, 0.5, -1});
  const Vector3 lambda(-0.7, 0.1, 1.8);
  VectorX v;
  p.CalcVelocity(lambda, &v);
  const NcpResidual one = CalcNcpResidual(p, lambda), two = CalcNcpResidual(p, v, lambda);
  EXPECT_NEAR(one.natural_rho, two.natural_rho, 1e-14);
  EXPECT_LT(two.dynamics, 1e-15);
  EXPECT_EQ(two.worst(), two.natural_rho);
}

TEST(NcpResidual, TwoFieldFormSeesViolatedDynamics) {
  const ContactProblem p = MakePoint({0, 0, -1});
  // v = 0 and lambda = 0 meet the law of contact, but not A v = b + J^T lambda.
  const NcpResidual r = CalcNcpResidual(p, Vector3(0, 0, 0), Vector3(0, 0, 0));
  EXPECT_EQ(r.natural_rho, 0);
  EXPECT_NEAR(r.dynamics, 1, 1e-14);  // |b| / |b|
  EXPECT_EQ(r.worst(), r.dynamics);
}

// Two masses on a stiff spring that drift too fast together: by the inertia that is an error of one half, beside the
// stiffness it would seem small.
TEST(NcpResidual, DynamicsAreMeasuredByTheInertia) {
  constexpr double kStiff = 1e4;
  MatrixX A(2, 2);
  A << 1 + kStiff, -kStiff, -kStiff, 1 + kStiff;
  const Vector2 b(1, 1);
  for (const bool known : {false, true}) {
    ContactProblemBuilder builder;
    builder.AddSparse(A.sparseView(), b, known ? VectorX(Vector2::Ones()) : VectorX());
    const ContactProblem p = builder.Build();
    const NcpResidual r = CalcNcpResidual(p, Vector2(1.5, 1.5), VectorX(0));
    EXPECT_NEAR(r.dynamics, known ? 0.5 / 1.5 : 0, 1e-3);
    EXPECT_LT(CalcNcpResidual(p, Vector2(1, 1), VectorX(0)).dynamics, 1e-12);
  }
}

TEST(NcpResidual, EllipticConesFollowMaximumDissipation) {
  // Sliding along (1, 1) with axes (0.2, 0.8): friction is -lambda_n (mu1^2 s1, mu2^2 s2)/|mu s|, not opposite to
  // sliding.
  const Friction mu(0.2, 0.8);
  const double normal = kMass;
  const Vector2 slide(2, 2);
  Vector2 friction(-0.04 * slide[0], -0.64 * slide[1]);
  friction *= normal / std::hypot(0.2 * slide[0], 0.8 * slide[1]);
  const Vector2 free = slide - friction / kMass;  // so that the mass slides with exactly `slide`
  const ContactProblem p = MakePoint({free[0], free[1], -1}, mu);
  EXPECT_LT(CalcNcpResidual(p, Vector3(friction[0], friction[1], normal)).natural_rho, 1e-14);
  // Radial scaling onto the ellipse is another vector, and not an answer.
  const double radius = normal / std::hypot(slide[0] / 0.2, slide[1] / 0.8);
  EXPECT_GT(CalcNcpResidual(p, Vector3(-radius * slide[0], -radius * slide[1], normal)).natural_rho, 1e-2);
}

TEST(NcpResidual, IsInfiniteForNanAndRefusesWrongSizes) {
  const ContactProblem p = MakePoint({0, 0, -1});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(CalcNcpResidual(p, Vector3(0, nan, 0)).natural_rho, kInfinity);
  EXPECT_FALSE(CalcNcpResidual(p, Vector3(0, nan, 0)).feasible(1e-8));
  EXPECT_THROW(CalcNcpResidual(p, VectorX::Zero(4)), InputError);
  EXPECT_THROW(CalcNcpResidual(p, VectorX::Zero(2), VectorX::Zero(3)), InputError);
  SparseMatrix W(3, 3);
  W.setIdentity();
  const ContactProblem pair = ContactProblem::FromDelassus(W, Vector3(0, 0, -1), {kMu});
  EXPECT_THROW(CalcNcpResidual(pair, VectorX::Zero(3), VectorX::Zero(3)), InputError);
}

TEST(NcpResidual, IsInfiniteWhereItsSumsOverflow) {
  // Neither NaN nor "small beside infinity" may come out: both would pass for solved.
  const NcpResidual huge = CalcNcpResidual(MakePoint({0, 0, -1}), Vector3(0, 0, 1e200));
  EXPECT_EQ(huge.natural_rho, kInfinity);
  EXPECT_EQ(huge.natural_rho_mean, kInfinity);
  EXPECT_EQ(huge.natural, kInfinity);
  EXPECT_EQ(huge.worst(), kInfinity);
}

TEST(NcpResidual, OfAPairIsThatOfItsDynamics) {
  const ContactProblem p = MakePoint({3, 0.5, -1});
  const MatrixX W = MatrixX::Identity(3, 3) / kMass;
  const ContactProblem pair = ContactProblem::FromDelassus(W.sparseView(), Vector3(3, 0.5, -1), {kMu});
  const Vector3 lambda(-0.7, 0.1, 1.8);
  EXPECT_NEAR(CalcNcpResidual(p, lambda).natural_rho, CalcNcpResidual(pair, lambda).natural_rho, 1e-14);
}

// What no impulse can excuse counts as violation; what a bound excuses does not. y = 1/m.
TEST(NcpResidual, ViolationOfRows) {
  const auto violation = [](const RowLaw& law, double momentum, double e) {
    return CalcNcpResidual(MakeRow(law, momentum, e), VectorX::Zero(1)).row_violation;
  };
  EXPECT_NEAR(violation(RowLaw::Inequality(), -1, 0.1), 0.4, 1e-15);
  EXPECT_EQ(violation(RowLaw::Inequality(), 1, 0), 0);
  EXPECT_NEAR(violation(RowLaw::Equality(), 1, 0.1), 0.6, 1e-15);
  EXPECT_NEAR(violation(RowLaw::Equality(), -1, 0.1), 0.4, 1e-15);
  EXPECT_EQ(violation(RowLaw::DryFriction(0.1), 1, 0), 0);
  EXPECT_EQ(violation(RowLaw::Soft(2, 0.5), 1, 0), 0);
}

// Opposing rows push against each other ever harder: natural_rho falls below any tolerance, feasible() is not fooled.
TEST(NcpResidual, ContradictionIsNotFeasible) {
  ContactProblemBuilder builder;
  builder.AddDense(MatrixX::Ones(1, 1), VectorX::Zero(1));
  builder.AddRow(RowLaw::Inequality(), {0}, VectorX::Constant(1, 1), -0.1);
  builder.AddRow(RowLaw::Inequality(), {0}, VectorX::Constant(1, -1), -0.1);
  const NcpResidual r = CalcNcpResidual(builder.Build(), VectorX::Constant(2, 1e9));
  EXPECT_LT(r.natural_rho, 1e-9);
  EXPECT_NEAR(r.violation(), 0.1, 1e-15);
  EXPECT_FALSE(r.feasible(1e-8));
  EXPECT_GT(r.impulse_ratio, 1e8);
}

TEST(NcpResidual, WorkspaceHoldsWhatWasComputed) {
  const ContactProblem p = MakePoint({3, 0, -1});
  const Vector3 impulse = kMass * Vector3(-kMu, 0, 1);
  JudgeWorkspace workspace;
  const NcpResidual r = CalcNcpResidual(p, impulse, &workspace);
  EXPECT_EQ(r.natural_rho, CalcNcpResidual(p, impulse).natural_rho);
  EXPECT_LE((workspace.velocity - Vector3(2.5, 0, 0)).norm(), 1e-15);
  EXPECT_TRUE(workspace.sigma == workspace.velocity);
  EXPECT_LE((workspace.sigma_free - Vector3(3, 0, -1)).norm(), 1e-15);
  ASSERT_EQ(workspace.rho.size(), 1u);
  EXPECT_NEAR(workspace.rho[0], kMass, 1e-15);
  std::vector<ContactMode> modes;
  CalcContactModes(p, impulse, workspace, &modes);
  EXPECT_EQ(modes, CalcContactModes(p, impulse));
}

TEST(CalcContactModes, TellsOpenStickAndSlip) {
  EXPECT_EQ(CalcContactModes(MakePoint({1, 2, 3}), Vector3(0, 0, 0))[0], ContactMode::Open);
  EXPECT_EQ(CalcContactModes(MakePoint({0.3, 0, -1}), kMass * Vector3(-0.3, 0, 1))[0], ContactMode::Stick);
  EXPECT_EQ(CalcContactModes(MakePoint({3, 0, -1}), kMass * Vector3(-kMu, 0, 1))[0], ContactMode::Slip);
}

}  // namespace
}  // namespace tactus
