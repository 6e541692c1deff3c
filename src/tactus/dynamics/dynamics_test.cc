// Identities between the algorithms, on random mechanisms with joints of all types.
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/dynamics/forward_dynamics.h"
#include "tactus/dynamics/identities_testing.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"
#include "tactus/model/random_model.h"

namespace tactus {
namespace {

DynamicsCase MakeCase(int seed) {
  RandomModelOptions options;
  options.joints = seed % 5 == 4 ? 100 : 3 + 4 * (seed % 7);
  options.floating_base = seed % 2 == 0;
  options.branching = 0.1 * (seed % 8);
  return MakeDynamicsCase(MakeRandomDescription(seed, options), 1000 + seed);
}

constexpr int kSeeds = 40;
constexpr double kTolerance = 1e-10;

void ExpectOfRandomModels(int count, void (*expect)(const DynamicsCase&)) {
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(seed);
    expect(MakeCase(seed));
  }
}

TEST(Dynamics, ForwardUndoesInverse) { ExpectOfRandomModels(kSeeds, ExpectForwardUndoesInverse); }
TEST(Dynamics, MassMatrixIsOfInverseDynamics) { ExpectOfRandomModels(kSeeds, ExpectMassMatrixIsOfInverseDynamics); }
TEST(Dynamics, FactorAndProducts) { ExpectOfRandomModels(kSeeds, ExpectFactorAndProducts); }
TEST(Dynamics, EnergyRateIsPower) { ExpectOfRandomModels(20, ExpectEnergyRateIsPower); }
TEST(Kinematics, JacobiansAreDerivatives) { ExpectOfRandomModels(20, ExpectJacobiansAreDerivatives); }

TEST(Dynamics, MomentumInFreeFlight) {
  for (int seed = 0; seed < 20; seed += 2) {
    SCOPED_TRACE(seed);
    ModelDescription description = MakeRandomDescription(seed, {.joints = 8});
    for (LinkDescription& link : description.links) {
      for (JointDescription& joint : link.joints) joint.armature = 0;
    }
    ExpectMomentumInFreeFlight(MakeDynamicsCase(description, seed));
  }
}

// Point masses at contact points, as a penalty on contacts adds them.
TEST(Dynamics, MassMatrixOfOtherInertias) {
  for (int seed = 0; seed < 10; ++seed) {
    const DynamicsCase c = MakeCase(seed);
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

// Far from the world's origin nothing is lost.
TEST(Dynamics, FarAway) {
  const DynamicsCase c = MakeCase(2);
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
    const DynamicsCase c = MakeCase(seed);
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
