// Beams against beam theory, and what steps do to energy and momentum.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "tactus/deformable/deformable_testing.h"
#include "tactus/deformable/fem/cantilever.h"
#include "tactus/deformable/mesh/tet_shapes.h"

namespace tactus {
namespace {

// Linear tetrahedra are too stiff in bending (measured shares 0.877, 0.966 for poisson 0 and 0.886, 0.963 for 0.3 with
// 4 and 8 across); the error falls with the square of their size, so that Richardson's extrapolation hits theory.
TEST(Cantilever, ConvergesToBeamTheory) {
  for (const double poisson : {0.0, 0.3}) {
    const double coarse = CalcDeflectionShare(poisson, {40, 4, 4}), fine = CalcDeflectionShare(poisson, {80, 8, 8});
    EXPECT_LT(fine, 1);  // locked, not soft
    EXPECT_LT(1 - fine, 0.35 * (1 - coarse));
    EXPECT_NEAR(fine + (fine - coarse) / 3, 1, 0.02);
  }
}

FemBody Ball(FemModel model, FemStiffness stiffness = FemStiffness::Positive, bool bound = false) {
  FemSettings settings;
  settings.stiffness = stiffness;
  settings.geometric_bound = bound;
  return {MakeBallTets(0.1, 4), {5e4, 0.3, 1000, 0, 0, model}, settings};
}

// Thrown, turning and squeezed.
void Throw(Stepper* stepper) {
  const auto& body = static_cast<const FemBody&>(stepper->body);
  for (int i = 0; i < body.num_nodes(); ++i) {
    const Vector3 x = stepper->q.segment<3>(3 * i);
    stepper->v.segment<3>(3 * i) = Vector3(1, 0, 2) + Vector3(0, 3, 1).cross(x) + 2 * Vector3(x[0], -x[1], 0);
  }
}

TEST(FreeFlight, KeepsMomentum) {
  for (const FemModel model : {FemModel::Corotational, FemModel::NeoHookean}) {
    for (const double theta : {0.0, 0.5}) {
      for (const int newton : {0, 3}) {
        const FemBody body = Ball(model);
        Stepper stepper(body, {0.005, theta});
        Throw(&stepper);
        const DeformableMomentum before = stepper.momentum();
        for (int k = 0; k < 100; ++k) stepper.Step(newton);
        EXPECT_LT((stepper.momentum().linear - before.linear).norm(), 1e-11);
        // About the moving centre of mass; midpoint steps to convergence keep it, others to the order of h.
        const double lost = (stepper.momentum().angular - before.angular).norm() / before.angular.norm();
        EXPECT_LT(lost, theta > 0 && newton > 0 ? 1e-3 : 0.35) << theta << " " << newton;
      }
    }
  }
}

// What is left of the energy that is not of the flight as a whole.
double EnergyAfter(const FemBody& body, double theta, int newton, int steps) {
  Stepper stepper(body, {0.005, theta});
  Throw(&stepper);
  const auto inner = [&] {
    return stepper.energy().total() - 0.5 * stepper.momentum().linear.squaredNorm() / body.mass();
  };
  const double start = inner();
  for (int k = 0; k < steps; ++k) stepper.Step(newton);
  return inner() / start;
}

TEST(FreeFlight, EnergyOfEachIntegrator) {
  for (const FemModel model : {FemModel::Corotational, FemModel::NeoHookean}) {
    // Backward Euler loses the vibration and some of the turning, the bound more of it.
    const double euler = EnergyAfter(Ball(model), 0, 0, 120), implicit = EnergyAfter(Ball(model), 0, 3, 120);
    EXPECT_LT(euler, 1);
    EXPECT_LT(implicit, 1);
    EXPECT_LT(EnergyAfter(Ball(model, FemStiffness::Positive, true), 0, 0, 120), 1);
    // The linearised midpoint rule is not passive, but near; solved to convergence it keeps the energy.
    const double midpoint = EnergyAfter(Ball(model), 0.5, 0, 120);
    EXPECT_NEAR(midpoint, 1, 0.3);
    const double newton = EnergyAfter(Ball(model, FemStiffness::Exact), 0.5, 4, 120);
    EXPECT_NEAR(newton, 1, 0.03);
    std::printf("energy after 120 steps: euler %.4f implicit %.4f midpoint %.4f implicit midpoint %.4f\n", euler,
                implicit, midpoint, newton);
  }
}

// A beam let go under its weight swings about where it comes to rest, and gains nothing.
TEST(SwingingBeam, DoesNotGainEnergy) {
  for (const FemModel model : {FemModel::Corotational, FemModel::NeoHookean}) {
    for (const double theta : {0.0, 0.5}) {
      FemMaterial material;
      material.model = model;
      material.stiffness_damping = theta > 0 ? 0.002 : 0;
      const FemBody body = MakeClampedBeam(0.3, {10, 2, 2}, material);
      Stepper stepper(body, {0.005, theta});
      stepper.gravity = Vector3(0, 0, -9.81);
      const double start = stepper.energy().total();
      double highest = -1e9, lowest = 1e9;
      for (int k = 0; k < 150; ++k) {
        stepper.Step();
        highest = std::max(highest, stepper.energy().total());
        lowest = std::min(lowest, stepper.q.minCoeff());
      }
      EXPECT_LT(lowest, -0.1);  // it did swing
      EXPECT_LT(highest, start + 1e-9) << theta;
      EXPECT_LT(stepper.energy().total(), start);
    }
  }
}

// At rest forces vanish, whichever way it got there.
TEST(SwingingBeam, ComesToRestWhereForcesBalance) {
  FemMaterial material;
  material.stiffness_damping = 0.02;
  material.mass_damping = 2;
  const FemBody body = MakeClampedBeam(0.3, {8, 2, 2}, material);
  Stepper stepper(body, {0.02, 0});
  stepper.gravity = Vector3(0, 0, -9.81);
  for (int k = 0; k < 600; ++k) stepper.Step();
  const VectorX still = FindEquilibrium(body, VectorX::Zero(body.nv()), stepper.gravity, body.initial_q());
  EXPECT_LT((stepper.q - still).norm(), 1e-7);
}

// Inverted elements come back.
TEST(Inversion, RecoversFromBeingTurnedInsideOut) {
  for (const FemModel model : {FemModel::Corotational, FemModel::NeoHookean}) {
    FemMaterial material{1e5, 0.3, 1000, 0.5, 0.01, model};
    const FemBody body(MakeBoxTets(Vector3(0.1, 0.1, 0.1), {2, 2, 2}), material);
    Stepper stepper(body, {0.01, 0});
    Random random(4);
    stepper.q = RandomVector(body.nq(), 0.1, &random);
    for (int k = 0; k < 3000; ++k) stepper.Step();
    EXPECT_LT(stepper.energy().elastic, 1e-10) << static_cast<int>(model);
  }
}

}  // namespace
}  // namespace tactus
