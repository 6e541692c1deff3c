#include "tactus/deformable/rods/rod.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include "tactus/deformable/deformable_testing.h"
#include "tactus/math/finite_difference.h"

namespace tactus {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

struct TwoSegments {
  Vector3 p[2];
  Quaternion R[2];
  // Moved by [v_a; w_a; v_b; w_b].
  TwoSegments Moved(const VectorX& x) const {
    TwoSegments out = *this;
    for (int k = 0; k < 2; ++k) {
      out.p[k] += x.segment<3>(6 * k);
      out.R[k] = ExpRotation(x.segment<3>(6 * k + 3)) * R[k];
    }
    return out;
  }
  RodJoint joint() const { return CalcRodJoint(p[0], R[0], p[1], R[1], 0.05); }
};

TwoSegments RandomSegments(double turn, Random* random) {
  TwoSegments out;
  const Quaternion R = ExpRotation(RandomVector(3, 2, random));
  out.p[0] = RandomVector(3, 1, random);
  out.R[0] = R;
  out.R[1] = R * ExpRotation(RandomVector(3, turn, random));
  out.p[1] = out.p[0] + R * Vector3(0.1, 0, 0) + RandomVector(3, 0.03, random);
  return out;
}

TEST(RodJoint, DerivativesAreThoseOfTheEnergy) {
  Random random(1);
  Vector6 K;
  K << 900, 300, 300, 2, 5, 5;
  for (const double turn : {1e-7, 0.01, 0.2, 0.3, 0.6, 1.5}) {
    for (int i = 0; i < 10; ++i) {
      const TwoSegments at = RandomSegments(turn, &random);
      const VectorX zero = VectorX::Zero(12);
      const auto energy = [&](const VectorX& x) {
        const Vector6 e = at.Moved(x).joint().e;
        return 0.5 * e.dot(K.cwiseProduct(e));
      };
      const auto wrench = [&](const VectorX& x) -> VectorX {
        const RodJoint joint = at.Moved(x).joint();
        return joint.J.transpose() * K.cwiseProduct(joint.e);
      };
      const VectorX force = wrench(zero);
      EXPECT_LT((force - CalcFiniteDifferenceGradient(energy, zero, 1e-5)).norm(), 1e-7 * (force.norm() + 0.1));
      const RodJoint joint = at.joint();
      const Matrix12 true_stiffness =
          joint.J.transpose() * K.asDiagonal() * joint.J +
          CalcGeometricStiffness(at.p[0], at.R[0], at.p[1], at.R[1], 0.05, K.cwiseProduct(joint.e));
      EXPECT_LT((true_stiffness - CalcFiniteDifferenceJacobian(wrench, zero, 1e-5)).norm(),
                1e-8 * true_stiffness.norm())
          << turn;
    }
  }
}

TEST(RodJoint, PositivePartIsPositive) {
  Random random(2);
  for (int i = 0; i < 20; ++i) {
    const TwoSegments at = RandomSegments(0.3, &random);
    Vector6 s = RandomVector(6, 10, &random);
    const Matrix12 G = CalcGeometricStiffness(at.p[0], at.R[0], at.p[1], at.R[1], 0.05, s), P = CalcPositivePart(G);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix12>(P).eigenvalues()[0], -1e-12 * P.norm());
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix12>(P - 0.5 * (G + G.transpose())).eigenvalues()[0],
              -1e-12 * P.norm());
  }
}

RodSettings Cable(int segments) {
  RodSettings settings;
  settings.length = 0.4;
  settings.segments = segments;
  settings.radius = 0.004;
  settings.young = 3e6;
  settings.poisson = 0.4;
  settings.density = 1250;
  return settings;
}
RodSettings Clamped(int segments) {
  RodSettings settings = Cable(segments);
  settings.held = {0};
  return settings;
}
double BendingStiffness(const RodSettings& s) { return s.young * pi * std::pow(s.radius, 4) / 4; }

TEST(Rod, ForcesAreMinusTheGradientOfTheEnergy) {
  const Rod rod(Cable(6));
  Random random(3);
  auto data = rod.MakeData();
  VectorX q = rod.initial_q(), force;
  rod.Integrate(RandomVector(rod.nv(), 0.02, &random), nullptr, 1, &q);
  rod.CalcElasticForces(q, static_cast<RodData*>(data.get()), &force);
  const VectorX v = VectorX::Zero(rod.nv());
  const auto energy = [&](const VectorX& x) {
    VectorX moved = q;
    rod.Integrate(x, nullptr, 1, &moved);
    DeformableInput input;
    input.q = &moved;
    input.v = &v;
    return rod.CalcEnergy(input, data.get()).elastic;
  };
  EXPECT_LT((force + CalcFiniteDifferenceGradient(energy, v, 1e-6)).norm(), 1e-7 * force.norm());
  // Forces and moments of a rod on itself add up to nothing.
  Vector3 sum = Vector3::Zero(), moment = Vector3::Zero();
  for (int i = 0; i < 6; ++i) {
    sum += force.segment<3>(6 * i);
    moment += force.segment<3>(6 * i + 3) + Rod::position(q, i).cross(Vector3(force.segment<3>(6 * i)));
  }
  EXPECT_LT(sum.norm() + moment.norm(), 1e-12 * force.norm());
}

// A small force across the end, in the middle of the last segment: Timoshenko's beam between it and the clamp's.
TEST(Rod, CantileverBendsAsBeamTheorySays) {
  for (const int n : {10, 20, 40}) {
    const RodSettings settings = Clamped(n);
    const Rod rod(settings);
    VectorX external = VectorX::Zero(rod.nv());
    const double F = 1e-6, l = rod.segment_length(), length = settings.length - l;
    external[rod.first_dof(n - 1) + 2] = F;
    const VectorX q = FindEquilibrium(rod, external, Vector3::Zero(), rod.initial_q());
    const double shear = CalcRodStiffness(settings)[1] * l;
    const double theory = F * std::pow(length, 3) / (3 * BendingStiffness(settings)) + F * length / shear;
    EXPECT_NEAR(Rod::position(q, n - 1)[2] / theory, 1, 0.6 / (n * n)) << n;
  }
}

// An end moment bends it to a circle, here to a full one, at any number of segments.
TEST(Rod, EndMomentMakesACircle) {
  const RodSettings settings = Clamped(20);
  const Rod rod(settings);
  const double l = rod.segment_length(), moment = BendingStiffness(settings) * 2 * pi / (l * 20);
  VectorX q = rod.initial_q();
  for (int part = 1; part <= 8; ++part) {
    VectorX external = VectorX::Zero(rod.nv());
    external[rod.first_dof(19) + 4] = -moment * part / 8;
    q = FindEquilibrium(rod, external, Vector3::Zero(), q);
  }
  // Each joint turns by a twentieth of a circle, about y.
  for (int i = 1; i < 20; ++i) {
    const Vector3 turn = LogRotation(Rod::rotation(q, i - 1).conjugate() * Rod::rotation(q, i));
    EXPECT_LT((turn - Vector3(0, -2 * pi / 20, 0)).norm(), 1e-8) << i;
  }
  // A regular polygon of 20 sides of length l closes: the last one's end is where the first begins.
  const Vector3 end = Rod::position(q, 19) + Rod::rotation(q, 19) * Vector3(l / 2, 0, 0);
  EXPECT_LT(end.norm(), 1e-7);
}

TEST(Rod, TwistAndStretchAreThoseOfClosedForms) {
  const RodSettings settings = Clamped(10);
  const Rod rod(settings);
  VectorX external = VectorX::Zero(rod.nv());
  const double G = settings.young / (2 * (1 + settings.poisson)), J = pi * std::pow(settings.radius, 4) / 2;
  const double length = settings.length - rod.segment_length(), area = pi * settings.radius * settings.radius;
  const double angle = 2.5, pull = 0.5;
  external[rod.first_dof(9) + 3] = G * J * angle / length;
  external[rod.first_dof(9)] = pull;
  const VectorX q = FindEquilibrium(rod, external, Vector3::Zero(), rod.initial_q());
  EXPECT_LT((LogRotation(Rod::rotation(q, 9)) - Vector3(angle, 0, 0)).norm(), 1e-8);
  EXPECT_NEAR(Rod::position(q, 9)[0] - Rod::position(rod.initial_q(), 9)[0], pull * length / (settings.young * area),
              1e-9);
}

TEST(Rod, FreeFlightKeepsMomentum) {
  for (const double theta : {0.0, 0.5}) {
    Random random(5);
    const Rod rod(Cable(12));
    Stepper stepper(rod, {0.002, theta});
    for (int i = 0; i < 12; ++i) {
      const Vector3 w(0, 0, 3);
      stepper.v.segment<6>(6 * i) << w.cross(Rod::position(stepper.q, i)) + Vector3(0, 0, 1), w;
    }
    stepper.v += RandomVector(rod.nv(), 0.05, &random);
    const DeformableMomentum before = stepper.momentum();
    for (int k = 0; k < 200; ++k) stepper.Step();
    EXPECT_LT((stepper.momentum().linear - before.linear).norm(), 1e-12);
    // Angular momentum drifts by what a step of this length makes of a turn: less with the midpoint rule.
    EXPECT_LT((stepper.momentum().angular - before.angular).norm(), 0.05 * before.angular.norm());
  }
}

// Swings from rest. With something for the geometric stiffness it gains no energy and comes to rest; without, the
// midpoint rule does gain (which is why that is not the default), and implicit midpoint steps do not.
TEST(Rod, SwingingLosesEnergy) {
  struct Kind {
    RodGeometry geometry;
    double theta;
    int newton;
    bool gains;
  };
  for (const Kind& kind : {Kind{RodGeometry::None, 0, 0, false}, Kind{RodGeometry::None, 0.5, 0, true},
                           Kind{RodGeometry::None, 0.5, 3, false}, Kind{RodGeometry::Bound, 0, 0, false},
                           Kind{RodGeometry::Bound, 0.5, 0, false}, Kind{RodGeometry::Positive, 0, 0, false},
                           Kind{RodGeometry::Positive, 0.5, 0, false}, Kind{RodGeometry::Positive, 0, 3, false}}) {
    RodSettings settings = Clamped(16);
    settings.geometry = kind.geometry;
    const Rod rod(settings);
    Stepper stepper(rod, {0.005, kind.theta});
    stepper.gravity = Vector3(0, 0, -9.81);
    const double start = stepper.energy().total();
    double highest = -1e9;
    for (int k = 0; k < 1000; ++k) {
      stepper.Step(kind.newton);
      highest = std::max(highest, stepper.energy().total());
    }
    const double fall = start - stepper.energy().total();
    EXPECT_EQ(highest > start + 1e-3 * fall, kind.gains)
        << static_cast<int>(kind.geometry) << " " << kind.theta << " " << kind.newton;
    const bool settles = kind.geometry != RodGeometry::None && kind.newton == 0;
    EXPECT_LT(stepper.energy().kinetic, (settles ? 1e-3 : 1) * fall);
  }
}

TEST(Rod, ClampsMoveAsToldAndTellTheirForce) {
  for (const double theta : {0.0, 0.5}) {
    RodSettings settings = Clamped(8);
    settings.mass_damping = 3;
    const Rod rod(settings);
    Stepper stepper(rod, {0.005, theta});
    stepper.gravity = Vector3(0, 0, -9.81);
    const Vector3 target(0.1, 0.2, 0.3);
    const Quaternion turned = ExpRotation(Vector3(0.3, 0.5, -0.2));
    VectorX force;
    for (int k = 0; k < 3000; ++k) {
      const bool moving = k < 100;
      stepper.held.setZero();
      if (moving) {
        const double share = 1.0 / (100 - k);
        const Vector3 p = Rod::position(stepper.q, 0) + share * (target - Rod::position(stepper.q, 0));
        const Quaternion R = Rod::rotation(stepper.q, 0).slerp(share, turned);
        stepper.held = Rod::CalcVelocityTo(stepper.q, 0, p, R, 0.005);
      }
      const DeformableInput input = stepper.input();
      const VectorX q = stepper.q, v = stepper.v;
      stepper.Step();
      DeformableInput then = input;
      then.q = &q;
      then.v = &v;
      rod.CalcHeldForces(stepper.scheme, then, stepper.v_hat, stepper.data.get(), &force);
    }
    EXPECT_LT((Rod::position(stepper.q, 0) - target).norm(), 1e-12);
    EXPECT_LT(Rod::rotation(stepper.q, 0).angularDistance(turned), 1e-7);
    // At rest the clamp carries the weight, and its moment about it.
    EXPECT_LT((force.head<3>() - Vector3(0, 0, 9.81) * rod.mass()).norm(), 1e-4 * rod.mass());
    Vector3 moment = Vector3::Zero();
    for (int i = 0; i < 8; ++i) {
      const Vector3 arm = Rod::position(stepper.q, i) - target;
      moment += arm.cross(Vector3(0, 0, 9.81) * rod.mass() / 8);
    }
    EXPECT_LT((force.tail<3>() - moment).norm(), 1e-3 * moment.norm());
  }
}

TEST(Rod, MatrixIsBlockTridiagonalAndPositive) {
  RodSettings settings = Cable(9);
  settings.held = {4};
  const Rod rod(settings);
  EXPECT_EQ(rod.nv(), 48);
  EXPECT_EQ(rod.pattern().nonZeros(), 36 * (8 + 2 * 6));
  EXPECT_EQ(rod.surface().capsules.size(), 9u);
  EXPECT_NEAR(rod.mass(), 1250 * pi * 0.004 * 0.004 * 0.4, 1e-15);
  Stepper stepper(rod, {});
  stepper.Step();
  EXPECT_LT(stepper.v_hat.norm(), 1e-12);  // at rest
  Random random(6);
  rod.Integrate(RandomVector(rod.nv(), 0.1, &random), nullptr, 1, &stepper.q);
  stepper.Step();
  const MatrixX A = stepper.A;
  EXPECT_EQ(A, A.transpose());
}

TEST(Rod, RefusesBadSettings) {
  const auto error = [](auto change) {
    RodSettings settings;
    change(&settings);
    return ErrorOf([&] { Rod rod(settings); });
  };
  EXPECT_EQ(error([](RodSettings*) {}), "");
  EXPECT_THAT(error([](RodSettings* s) { s->length = 0; }), HasSubstr("length is 0"));
  EXPECT_THAT(error([](RodSettings* s) { s->segments = 1; }), HasSubstr("segments is 1"));
  EXPECT_THAT(error([](RodSettings* s) { s->radius = -1; }), HasSubstr("radius"));
  EXPECT_THAT(error([](RodSettings* s) { s->young = std::nan(""); }), HasSubstr("young"));
  EXPECT_THAT(error([](RodSettings* s) { s->poisson = 0.6; }), HasSubstr("poisson"));
  EXPECT_THAT(error([](RodSettings* s) { s->poisson = 0.5; }), HasSubstr("poisson is 0.5"));
  EXPECT_EQ(error([](RodSettings* s) { s->poisson = 0.499; }), "");
  EXPECT_THAT(error([](RodSettings* s) { s->density = 0; }), HasSubstr("density"));
  EXPECT_THAT(error([](RodSettings* s) { s->stiffness_damping = -1; }), HasSubstr("stiffness_damping"));
  EXPECT_THAT(error([](RodSettings* s) { s->axes = Quaternion(2, 0, 0, 0); }), HasSubstr("axes"));
  EXPECT_THAT(error([](RodSettings* s) { s->held = {50}; }), HasSubstr("50 is no node or segment"));
}

}  // namespace
}  // namespace tactus
