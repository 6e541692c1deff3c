#include "tactus/dynamics/identities_testing.h"

#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include "tactus/dynamics/forward_dynamics.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"

namespace tactus {

namespace {

constexpr double kTolerance = 1e-10;

}  // namespace

VectorX RandomVector(int n, Random* random) {
  VectorX x(n);
  for (double& value : x) value = random->Normal();
  return x;
}

DynamicsCase MakeDynamicsCase(const ModelDescription& description, std::uint64_t seed) {
  DynamicsCase c{Model(description), {}, {}, {}};
  Random random(seed);
  c.q = c.model.MakeRandom(&random);
  c.v = RandomVector(c.model.nv(), &random);
  c.a = RandomVector(c.model.nv(), &random);
  return c;
}

void ExpectForwardUndoesInverse(const DynamicsCase& c) {
  ModelData data(c.model);
  Random random(1);
  std::vector<Vector6> external(c.model.num_bodies());
  for (Vector6& f : external) f = RandomVector(6, &random);
  VectorX tau, a;
  CalcInverseDynamics(c.model, c.q, c.v, c.a, &data, &tau, &external);
  ASSERT_TRUE(CalcForwardDynamics(c.model, c.q, c.v, tau, &data, &a, &external));
  EXPECT_LE((a - c.a).norm(), kTolerance * c.a.norm() * 100);  // M may be badly conditioned
  VectorX again;
  CalcInverseDynamics(c.model, c.q, c.v, a, &data, &again, &external);
  EXPECT_LE((again - tau).norm(), kTolerance * tau.norm());
}

void ExpectMassMatrixIsOfInverseDynamics(const DynamicsCase& c) {
  ModelData data(c.model);
  VectorX bias, tau;
  CalcBias(c.model, c.q, c.v, &data, &bias);
  CalcMassMatrix(c.model, &data);
  const MatrixX M = data.DenseMass(c.model);
  for (int d = 0; d < c.model.nv(); ++d) {
    CalcInverseDynamics(c.model, c.q, c.v, VectorX::Unit(c.model.nv(), d), &data, &tau);
    EXPECT_LE((tau - bias - M.col(d)).norm(), kTolerance * (bias.norm() + M.col(d).norm())) << "dof " << d;
  }
  EXPECT_EQ(M, M.transpose());
  EXPECT_GT(M.llt().matrixLLT().diagonal().minCoeff(), 0);
  for (int i = 0; i < c.model.nv(); ++i) {
    for (int j = 0; j < c.model.nv(); ++j) EXPECT_EQ(data.mass_entry(c.model, i, j), M(i, j));
  }
}

void ExpectFactorAndProducts(const DynamicsCase& c) {
  ModelData data(c.model);
  CalcPositions(c.model, c.q, &data);
  CalcMassMatrix(c.model, &data);
  ASSERT_TRUE(FactorizeMassMatrix(c.model, &data));
  const MatrixX M = data.DenseMass(c.model);
  MatrixX L = MatrixX::Zero(c.model.nv(), c.model.nv());
  for (int i = 0; i < c.model.nv(); ++i) {
    int place = c.model.branch_start(i);
    for (int d = i; d >= 0; d = c.model.dof_parent(d)) L(i, d) = data.L[place++];
  }
  EXPECT_LE((L.transpose() * L - M).norm(), kTolerance * M.norm());
  VectorX y;
  MultiplyMassMatrix(c.model, data, c.a, &y);
  EXPECT_LE((y - M * c.a).norm(), kTolerance * y.norm());
  SolveMassMatrix(c.model, data, y.data());
  EXPECT_LE((M * (y - c.a)).norm(), kTolerance * (M * c.a).norm());
}

void ExpectJacobiansAreDerivatives(const DynamicsCase& c) {
  ModelData data(c.model), moved(c.model);
  CalcPositions(c.model, c.q, &data);
  CalcVelocities(c.model, c.v, &data);
  const double h = 1e-6;
  VectorX forth, back;
  c.model.Integrate(c.q, c.v, h, &forth);
  c.model.Integrate(c.q, c.v, -h, &back);
  Random random(2);
  for (int k = 0; k < 3; ++k) {
    const int link = random.Index(static_cast<int>(c.model.links().size())), body = c.model.links()[link].body;
    if (body < 0) continue;  // welded to the world
    const Pose X = data.LinkPose(c.model, link);
    Matrix6X J;
    CalcPointJacobian(c.model, data, body, X.p, &J);
    const Vector6 V = J * c.v;
    EXPECT_LE((V - CalcPointVelocity(c.model, data, body, X.p)).norm(), kTolerance * (1 + V.norm()));
    CalcPositions(c.model, forth, &moved);
    const Pose X1 = moved.LinkPose(c.model, link);
    CalcPositions(c.model, back, &moved);
    const Pose X0 = moved.LinkPose(c.model, link);
    EXPECT_LE(((X1.p - X0.p) / (2 * h) - V.head<3>()).norm(), 1e-7 * (1 + V.norm()));
    const Vector3 turn = LogRotation(Quaternion(Matrix3(X1.R * X0.R.transpose()))) / (2 * h);
    EXPECT_LE((turn - V.tail<3>()).norm(), 1e-7 * (1 + V.norm()));
    const Vector6 f = RandomVector(6, &random);
    VectorX tau = VectorX::Zero(c.model.nv());
    AddPointForce(c.model, data, body, X.p, f, &tau);
    EXPECT_LE((tau - J.transpose() * f).norm(), kTolerance * (1 + tau.norm()));
  }
}

void ExpectEnergyRateIsPower(const DynamicsCase& c) {
  ModelData data(c.model);
  VectorX tau;
  CalcInverseDynamics(c.model, c.q, c.v, c.a, &data, &tau);
  const auto energy = [&](double t) {
    VectorX q;
    c.model.Integrate(c.q, c.v + 0.5 * t * c.a, t, &q);
    const VectorX v = c.v + t * c.a;
    CalcPositions(c.model, q, &data);
    CalcVelocities(c.model, v, &data);
    return CalcKineticEnergy(c.model, data, v) + CalcPotentialEnergy(c.model, data);
  };
  const double h = 1e-5, rate = (energy(h) - energy(-h)) / (2 * h);
  EXPECT_NEAR(rate, tau.dot(c.v), 1e-5 * (1 + std::abs(energy(0))));
}

void ExpectMomentumInFreeFlight(const DynamicsCase& c) {
  if (c.model.armature().maxCoeff() > 0) return;  // rotors carry momentum of their own
  ModelData data(c.model);
  VectorX a;
  ASSERT_TRUE(CalcForwardDynamics(c.model, c.q, c.v, VectorX::Zero(c.model.nv()), &data, &a));
  const auto momentum = [&](double t) {
    VectorX q;
    c.model.Integrate(c.q, c.v + 0.5 * t * a, t, &q);
    CalcPositions(c.model, q, &data);
    CalcVelocities(c.model, c.v + t * a, &data);
    return CalcMomentum(c.model, data);
  };
  // Light links turn fast: the step must be short beside their accelerations.
  const double h = 1e-5 / std::max(1.0, std::sqrt(a.cwiseAbs().maxCoeff() / 100));
  const Vector6 rate = (momentum(h) - momentum(-h)) / (2 * h);
  const double mass = CalcMovingMass(c.model);
  EXPECT_LE((rate.head<3>() - mass * c.model.gravity()).norm(), 1e-5 * (1 + mass * 10));
  EXPECT_LE(rate.tail<3>().norm(), 1e-5 * (1 + momentum(0).norm()));
}

}  // namespace tactus
