// Identities between the algorithms, on random mechanisms with joints of all types.
#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include "tactus/core/error.h"

#include "tactus/dynamics/forward_dynamics.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"
#include "tactus/model/random_model.h"

namespace tactus {
namespace {

VectorX RandomVector(int n, Random* random) {
  VectorX x(n);
  for (double& value : x) value = random->Normal();
  return x;
}

struct Case {
  Model model;
  VectorX q, v, a;
};

Case MakeCase(int seed) {
  RandomModelOptions options;
  options.joints = seed % 5 == 4 ? 100 : 3 + 4 * (seed % 7);
  options.floating_base = seed % 2 == 0;
  options.branching = 0.1 * (seed % 8);
  Case c{Model(MakeRandomDescription(seed, options)), {}, {}, {}};
  Random random(1000 + seed);
  c.q = c.model.MakeRandom(&random);
  c.v = RandomVector(c.model.nv(), &random);
  c.a = RandomVector(c.model.nv(), &random);
  return c;
}

constexpr int kSeeds = 40;
constexpr double kTolerance = 1e-10;

TEST(Dynamics, ForwardUndoesInverse) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Case c = MakeCase(seed);
    ModelData data(c.model);
    Random random(seed);
    std::vector<Vector6> external(c.model.num_bodies());
    for (Vector6& f : external) f = RandomVector(6, &random);
    VectorX tau, a;
    CalcInverseDynamics(c.model, c.q, c.v, c.a, &data, &tau, &external);
    ASSERT_TRUE(CalcForwardDynamics(c.model, c.q, c.v, tau, &data, &a, &external));
    EXPECT_LE((a - c.a).norm(), kTolerance * c.a.norm() * 100) << seed;  // M may be badly conditioned
    VectorX again;
    CalcInverseDynamics(c.model, c.q, c.v, a, &data, &again, &external);
    EXPECT_LE((again - tau).norm(), kTolerance * tau.norm()) << seed;
  }
}

TEST(Dynamics, MassMatrixColumnsAreDifferencesOfInverseDynamics) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Case c = MakeCase(seed);
    ModelData data(c.model);
    VectorX bias, tau;
    CalcBias(c.model, c.q, c.v, &data, &bias);
    CalcMassMatrix(c.model, &data);
    const MatrixX M = data.DenseMass(c.model);
    for (int d = 0; d < c.model.nv(); ++d) {
      CalcInverseDynamics(c.model, c.q, c.v, VectorX::Unit(c.model.nv(), d), &data, &tau);
      EXPECT_LE((tau - bias - M.col(d)).norm(), kTolerance * (bias.norm() + M.col(d).norm())) << seed;
    }
    EXPECT_EQ(M, M.transpose());
    EXPECT_GT(M.llt().matrixLLT().diagonal().minCoeff(), 0);
    for (int i = 0; i < c.model.nv(); ++i) {
      for (int j = 0; j < c.model.nv(); ++j) EXPECT_EQ(data.mass_entry(c.model, i, j), M(i, j));
    }
  }
}

TEST(Dynamics, FactorAndProducts) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Case c = MakeCase(seed);
    ModelData data(c.model);
    CalcPositions(c.model, c.q, &data);
    CalcMassMatrix(c.model, &data);
    ASSERT_TRUE(FactorizeMassMatrix(c.model, &data));
    const MatrixX M = data.DenseMass(c.model);
    // M = L^T L with L lower triangular.
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
    EXPECT_LE((M * (y - c.a)).norm(), kTolerance * (M * c.a).norm()) << seed;
  }
}

// Point masses at contact points, as a penalty on contacts adds them.
TEST(Dynamics, MassMatrixOfOtherInertias) {
  for (int seed = 0; seed < 10; ++seed) {
    const Case c = MakeCase(seed);
    ModelData data(c.model);
    CalcPositions(c.model, c.q, &data);
    CalcMassMatrix(c.model, &data);
    MatrixX expected = data.DenseMass(c.model);
    std::vector<SpatialInertia> inertia = data.inertia;
    Random random(seed);
    const double beta = 3;
    for (int k = 0; k < 20; ++k) {
      const int body = random.Index(c.model.num_bodies());
      const Vector3 p = data.BodyPose(body).p + RandomVector(3, &random);
      inertia[body] += SpatialInertia::FromPoint(beta, p - data.origin[body]);
      Matrix6X J;
      CalcPointJacobian(c.model, data, body, p, &J);
      expected += beta * J.topRows<3>().transpose() * J.topRows<3>();
    }
    CalcMassMatrixOf(c.model, inertia, c.model.armature(), &data);
    EXPECT_LE((data.DenseMass(c.model) - expected).norm(), kTolerance * expected.norm());
  }
}

TEST(Kinematics, JacobiansAreDerivatives) {
  for (int seed = 0; seed < 20; ++seed) {
    const Case c = MakeCase(seed);
    ModelData data(c.model), moved(c.model);
    CalcPositions(c.model, c.q, &data);
    CalcVelocities(c.model, c.v, &data);
    const double h = 1e-6;
    VectorX forth, back;
    c.model.Integrate(c.q, c.v, h, &forth);
    c.model.Integrate(c.q, c.v, -h, &back);
    Random random(seed);
    for (int k = 0; k < 3; ++k) {
      const int link = random.Index(static_cast<int>(c.model.links().size())), body = c.model.links()[link].body;
      const Pose X = data.LinkPose(c.model, link);
      Matrix6X J;
      CalcPointJacobian(c.model, data, body, X.p, &J);
      const Vector6 V = J * c.v;
      EXPECT_LE((V - CalcPointVelocity(c.model, data, body, X.p)).norm(), kTolerance * (1 + V.norm()));
      CalcPositions(c.model, forth, &moved);
      const Pose X1 = moved.LinkPose(c.model, link);
      CalcPositions(c.model, back, &moved);
      const Pose X0 = moved.LinkPose(c.model, link);
      EXPECT_LE(((X1.p - X0.p) / (2 * h) - V.head<3>()).norm(), 1e-7 * (1 + V.norm())) << seed;
      const Vector3 turn = LogRotation(Quaternion(Matrix3(X1.R * X0.R.transpose()))) / (2 * h);
      EXPECT_LE((turn - V.tail<3>()).norm(), 1e-7 * (1 + V.norm())) << seed;
      // J^T f is what the force does.
      const Vector6 f = RandomVector(6, &random);
      VectorX tau = VectorX::Zero(c.model.nv());
      AddPointForce(c.model, data, body, X.p, f, &tau);
      EXPECT_LE((tau - J.transpose() * f).norm(), kTolerance * (1 + tau.norm()));
    }
  }
}

// Power of the bias, by differences: d/dt of kinetic and potential energy equals v . tau.
TEST(Dynamics, EnergyRateIsPower) {
  for (int seed = 0; seed < 20; ++seed) {
    const Case c = MakeCase(seed);
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
    EXPECT_NEAR(rate, tau.dot(c.v), 1e-5 * (1 + std::abs(energy(0)))) << seed;
  }
}

// A mechanism in free flight keeps its momentum about the centre of mass; gravity moves the centre as it should.
TEST(Dynamics, MomentumInFreeFlight) {
  for (int seed = 0; seed < 20; seed += 2) {
    RandomModelOptions options;
    options.joints = 8;
    Case c{Model(MakeRandomDescription(seed, options)), {}, {}, {}};
    Random random(seed);
    c.q = c.model.MakeRandom(&random);
    c.v = RandomVector(c.model.nv(), &random);
    ModelData data(c.model);
    VectorX a;
    ASSERT_TRUE(CalcForwardDynamics(c.model, c.q, c.v, VectorX::Zero(c.model.nv()), &data, &a));
    if (c.model.armature().maxCoeff() > 0) continue;  // rotors carry momentum of their own
    const auto momentum = [&](double t) {
      VectorX q;
      c.model.Integrate(c.q, c.v + 0.5 * t * a, t, &q);
      CalcPositions(c.model, q, &data);
      CalcVelocities(c.model, c.v + t * a, &data);
      return CalcMomentum(c.model, data);
    };
    const double h = 1e-5;
    const Vector6 rate = (momentum(h) - momentum(-h)) / (2 * h);
    const double mass = CalcMovingMass(c.model);
    EXPECT_LE((rate.head<3>() - mass * c.model.gravity()).norm(), 1e-5 * (1 + mass * 10));
    EXPECT_LE(rate.tail<3>().norm(), 1e-5 * (1 + momentum(0).norm()));
  }
}

// Far from the world's origin nothing is lost.
TEST(Dynamics, FarAway) {
  const Case c = MakeCase(2);
  ASSERT_EQ(c.model.body(0).kind->type, JointType::Floating);
  ModelData data(c.model);
  VectorX near_tau, far_tau, q = c.q;
  CalcInverseDynamics(c.model, c.q, c.v, c.a, &data, &near_tau);
  q.head<3>() += Vector3(1e6, -2e6, 3e6);
  CalcInverseDynamics(c.model, q, c.v, c.a, &data, &far_tau);
  EXPECT_LE((far_tau - near_tau).norm(), 1e-12 * near_tau.norm());
}

// Free single bodies between trees. With `hinge`, a massless flap on a hinge with armature hangs on each, which changes
// nothing for the body but keeps it off the fast path.
Model MakeFreeBodies(int count, bool hinge) {
  Random random(7);
  ModelDescription out = MakeRandomDescription(3, {.joints = 4});
  for (int i = 0; i < count; ++i) {
    LinkDescription link;
    link.name = "free" + std::to_string(i);
    JointDescription joint;
    joint.name = link.name;
    joint.type = JointType::Floating;
    link.joints.push_back(joint);
    Matrix3 B = Matrix3::NullaryExpr([&] { return random.Uniform(-0.2, 0.2); });
    LinkInertia inertia;
    inertia.mass = random.Uniform(0.1, 3);
    inertia.com = Vector3::NullaryExpr([&] { return i == 0 ? 0 : random.Uniform(-0.3, 0.3); });
    inertia.central = B * B.transpose() + 0.01 * Matrix3::Identity();
    link.inertia = inertia;
    out.links.push_back(link);
    if (hinge) {
      LinkDescription flap;
      flap.name = link.name + "_flap";
      flap.parent = static_cast<int>(out.links.size()) - 1;
      joint.name = flap.name;
      joint.type = JointType::Revolute;
      joint.armature = 1;
      flap.joints.push_back(joint);
      out.links.push_back(flap);
    }
  }
  return Model(out);
}

TEST(Dynamics, FreeBodiesInVectorsAreAsInTrees) {
  for (const int count : {1, 3, 4, 9}) {
    const Model fast = MakeFreeBodies(count, false), slow = MakeFreeBodies(count, true);
    ASSERT_EQ(static_cast<int>(fast.free_batches().size()), (count + 3) / 4);
    ASSERT_TRUE(slow.free_batches().empty());
    Random random(count);
    const VectorX q = fast.MakeRandom(&random), v = RandomVector(fast.nv(), &random),
                  a = RandomVector(fast.nv(), &random);
    std::vector<Vector6> external(fast.num_bodies());
    for (Vector6& f : external) f = RandomVector(6, &random);
    // The same state of the other model.
    VectorX slow_q = slow.MakeNeutral(), slow_v = VectorX::Zero(slow.nv()), slow_a = VectorX::Zero(slow.nv());
    std::vector<Vector6> slow_external(slow.num_bodies(), Vector6::Zero());
    std::vector<int> dof(fast.nv());
    for (int b = 0; b < fast.num_bodies(); ++b) {
      const ModelBody& from = fast.body(b);
      const int twin = slow.joints()[slow.FindJoint(fast.joints()[from.joint].description.name)].body;
      const ModelBody& to = slow.body(twin);
      slow_q.segment(to.q, from.kind->nq) = q.segment(from.q, from.kind->nq);
      slow_v.segment(to.v, from.nv) = v.segment(from.v, from.nv);
      slow_a.segment(to.v, from.nv) = a.segment(from.v, from.nv);
      slow_external[twin] = external[b];
      for (int k = 0; k < from.nv; ++k) dof[from.v + k] = to.v + k;
    }
    ModelData data(fast), slow_data(slow);
    const auto compare = [&](const VectorX& got, const VectorX& expected, const char* what) {
      for (int d = 0; d < fast.nv(); ++d) {
        EXPECT_NEAR(got[d], expected[dof[d]], 1e-12 * (1 + expected.cwiseAbs().maxCoeff())) << what << " dof " << d;
      }
    };
    VectorX got, expected;
    CalcInverseDynamics(fast, q, v, a, &data, &got, &external);
    CalcInverseDynamics(slow, slow_q, slow_v, slow_a, &slow_data, &expected, &slow_external);
    compare(got, expected, "inverse dynamics");
    ASSERT_TRUE(CalcForwardDynamics(fast, q, v, a, &data, &got, &external));
    ASSERT_TRUE(CalcForwardDynamics(slow, slow_q, slow_v, slow_a, &slow_data, &expected, &slow_external));
    compare(got, expected, "forward dynamics");
    CalcGravityTorque(fast, q, &data, &got);
    CalcGravityTorque(slow, slow_q, &slow_data, &expected);
    compare(got, expected, "gravity torque");

    CalcPositions(fast, q, &data);
    CalcPositions(slow, slow_q, &slow_data);
    CalcMassMatrix(fast, &data);
    CalcMassMatrix(slow, &slow_data);
    for (int i = 0; i < fast.nv(); ++i) {
      for (int j = 0; j <= i; ++j) {
        EXPECT_NEAR(data.mass_entry(fast, i, j), slow_data.mass_entry(slow, dof[i], dof[j]), 1e-13) << i << ", " << j;
      }
    }
    for (int b = 0; b < fast.num_bodies(); ++b) {
      const int twin = slow.joints()[slow.FindJoint(fast.joints()[fast.body(b).joint].description.name)].body;
      EXPECT_LT((data.inertia[b].matrix() - slow_data.inertia[twin].matrix()).norm(), 1e-13);
      EXPECT_LT((data.BodyPose(b).R - slow_data.BodyPose(twin).R).norm(), 1e-14);
    }
    ASSERT_TRUE(FactorizeMassMatrix(fast, &data));
    VectorX x = a;
    SolveMassMatrix(fast, data, x.data());
    MultiplyMassMatrix(fast, data, x, &got);
    EXPECT_LT((got - a).norm(), 1e-12 * a.norm());
    CalcVelocities(fast, v, &data);
    CalcVelocities(slow, slow_v, &slow_data);
    EXPECT_NEAR(CalcKineticEnergy(fast, data, v), CalcKineticEnergy(slow, slow_data, slow_v), 1e-12);
  }
}

TEST(Model, IntegrateAndDifference) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Case c = MakeCase(seed);
    VectorX q, v;
    const VectorX step = 0.3 * c.v;
    c.model.Integrate(c.q, step, 1, &q);
    c.model.Difference(c.q, q, &v);
    // Up to full turns of rotations, none of which the step makes.
    EXPECT_LE((v - step).cwiseAbs().maxCoeff(), 1e-12 * (1 + step.norm())) << seed;
  }
}

TEST(Model, RefusesNonsense) {
  ModelDescription d;
  d.links.resize(1);
  d.links[0].name = "a";
  d.links[0].joints.resize(1);
  d.links[0].joints[0].name = "j";
  EXPECT_FALSE(Model(d).has_dynamics());
  EXPECT_THROW(Model(d).CheckDynamics(), InputError);
  ModelDescription bad = d;
  bad.links[0].joints[0].axis.setZero();
  EXPECT_THROW(Model{bad}, InputError);
  bad = d;
  bad.links[0].parent = 0;
  EXPECT_THROW(Model{bad}, InputError);
  bad = d;
  bad.links.push_back(bad.links[0]);
  EXPECT_THROW(Model{bad}, InputError);
  bad = d;
  bad.links[0].inertia = LinkInertia{-1, {}, {}};
  EXPECT_THROW(Model{bad}, InputError);
  bad = d;
  bad.links[0].joints[0].mimic = Mimic{"nobody", 1, 0};
  EXPECT_THROW(Model{bad}, InputError);
}

}  // namespace
}  // namespace tactus
