#include "tactus/simulation/discrete_dynamics.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/dynamics/forward_dynamics.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/model/random_model.h"
#include "tactus/solvers/registry.h"
#include "tactus/solvers/subadmm/articulated_plan.h"

namespace tactus {
namespace {

VectorX RandomVector(int n, Random* random) {
  return VectorX::NullaryExpr(n, [&] { return random->Normal(); });
}

LinkDescription MakeFreeBody(const std::string& name, double mass, const Vector3& com) {
  LinkDescription link;
  link.name = name;
  JointDescription joint;
  joint.name = name;
  joint.type = JointType::Floating;
  link.joints.push_back(joint);
  LinkInertia inertia;
  inertia.mass = mass;
  inertia.com = com;
  inertia.central = mass * Vector3(0.02, 0.03, 0.04).asDiagonal();
  link.inertia = inertia;
  return link;
}

LinkDescription MakeSlider(double mass, double stiffness, double damping) {
  LinkDescription link;
  link.name = "slider";
  JointDescription joint;
  joint.name = "slide";
  joint.type = JointType::Prismatic;
  joint.axis = Vector3::UnitX();
  joint.stiffness = stiffness;
  joint.rest_position = 0.1;
  joint.damping = damping;
  link.joints.push_back(joint);
  link.inertia = LinkInertia{mass, Vector3::Zero(), Matrix3::Identity()};
  return link;
}

// Two random mechanisms with free bodies among them, in random states.
struct TwoModels {
  Model first, second;
  State states[2];
  VectorX tau[2];
  std::vector<Vector6> external[2];

  explicit TwoModels(int seed) {
    ModelDescription a = MakeRandomDescription(seed, {.joints = 12});
    ModelDescription b = MakeRandomDescription(seed + 100, {.joints = 7, .floating_base = false});
    for (int i = 0; i < 5; ++i)
      a.links.push_back(MakeFreeBody("free" + std::to_string(i), 0.5 + i, {0.1, 0.02 * i, -0.1}));
    for (ModelDescription* d : {&a, &b}) {
      for (LinkDescription& link : d->links) {
        for (JointDescription& joint : link.joints) joint.damping = joint.stiffness = 0;
      }
    }
    first = Model(a);
    second = Model(b);
    Random random(seed);
    for (int i = 0; i < 2; ++i) {
      const Model& model = i == 0 ? first : second;
      states[i].q = model.MakeRandom(&random);
      states[i].v = RandomVector(model.nv(), &random);
      tau[i] = RandomVector(model.nv(), &random);
      external[i].resize(model.num_bodies());
      for (Vector6& f : external[i]) f = RandomVector(6, &random);
    }
  }
};

bool IsFree(const Model& model, int body) {
  for (const FreeBodyBatch& batch : model.free_batches()) {
    for (const int b : batch.body) {
      if (b == body) return true;
    }
  }
  return false;
}

// A body that turns freely about a point beside its origin: its momentum, energy and the way of its centre of mass.
TEST(DiscreteDynamics, FreeBodiesKeepMomentum) {
  for (const double theta : {0.0, 0.5}) {
    ModelDescription description;
    LinkDescription link;
    link.name = "body";
    link.inertia = LinkInertia{2, Vector3(0.1, 0.2, -0.3), Vector3(0.1, 0.25, 0.3).asDiagonal()};
    JointDescription joint;
    joint.name = "free";
    joint.type = JointType::Floating;
    link.joints.push_back(joint);
    description.links.push_back(link);
    description.gravity.setZero();
    const Model model(description);
    DiscreteDynamics dynamics({1e-2, theta});
    dynamics.AddModel(model);
    State state{model.MakeInitial(), VectorX::Zero(6), 0};
    state.v << 1, 2, 3, 5, -4, 6;
    ModelData data(model);
    const auto measure = [&](Vector6* momentum, Vector3* com) {
      CalcPositions(model, state.q, &data);
      CalcVelocities(model, state.v, &data);
      *momentum = CalcMomentum(model, data);
      *com = CalcCenterOfMass(model, data);
      return CalcKineticEnergy(model, data, state.v);
    };
    Vector6 start, momentum;
    Vector3 from, com;
    const double energy = measure(&start, &from);
    for (int k = 0; k < 500; ++k) {
      ASSERT_TRUE(dynamics.Update(0, state));
      ContactProblemBuilder builder;
      dynamics.AddSubsystems(&builder);
      dynamics.Advance(0, builder.Build().free_velocity(), &state);
    }
    const double now = measure(&momentum, &com);
    EXPECT_LT((momentum - start).head<3>().norm(), 1e-11);
    EXPECT_LT((com - from - 5.0 / 2 * start.head<3>()).norm(), 1e-10);
    EXPECT_NEAR(now, energy, 1e-10);
    EXPECT_LT((momentum - start).tail<3>().norm(), (theta == 0.5 ? 0.02 : 0.1) * start.tail<3>().norm());
  }
}

TEST(DiscreteDynamics, FreeMotionIsForwardDynamics) {
  for (int seed = 0; seed < 10; ++seed) {
    for (const double theta : {0.0, 0.3, 0.5}) {
      TwoModels c(seed);
      const double h = 1e-2;
      DiscreteDynamics dynamics({h, theta});
      dynamics.AddModel(c.first);
      dynamics.AddModel(c.second);
      EXPECT_EQ(dynamics.num_dofs(), c.first.nv() + c.second.nv());
      for (int i = 0; i < 2; ++i) ASSERT_TRUE(dynamics.Update(i, c.states[i], {&c.tau[i], &c.external[i]}));
      ContactProblemBuilder builder;
      dynamics.AddSubsystems(&builder);
      const ContactProblem problem = builder.Build();
      for (int i = 0; i < 2; ++i) {
        const Model& model = dynamics.model(i);
        ModelData data(model);
        VectorX a, q_expected;
        ASSERT_TRUE(CalcForwardDynamics(model, c.states[i].q, c.states[i].v, c.tau[i], &data, &a, &c.external[i]));
        State next = c.states[i];
        dynamics.Advance(i, problem.free_velocity(), &next);
        VectorX expected = c.states[i].v + h * a, q_middle;
        const VectorX v_hat = theta * c.states[i].v + (1 - theta) * expected;
        model.Integrate(c.states[i].q, v_hat, h, &q_expected);
        // Velocities at the end: with what acts in the middle of the step.
        model.Integrate(c.states[i].q, v_hat, theta * h, &q_middle);
        const VectorX v_middle = 0.5 * (c.states[i].v + expected);
        ASSERT_TRUE(CalcForwardDynamics(model, q_middle, v_middle, c.tau[i], &data, &a, &c.external[i]));
        expected = c.states[i].v + h * a;
        // Bodies that float alone turn implicitly: the same to second order.
        const double free = 10 * h * h * (1 + expected.squaredNorm());
        for (int b = 0; b < model.num_bodies(); ++b) {
          const ModelBody& body = model.body(b);
          const bool alone = IsFree(model, b);
          const double error = (next.v - expected).segment(body.v, body.nv).norm();
          EXPECT_LT(error, alone ? free : 1e-10 * (1 + expected.norm())) << "seed " << seed << ", model " << i;
          const int nq = body.kind->nq;
          EXPECT_LT((next.q - q_expected).segment(body.q, nq).norm(),
                    alone ? h * free : 1e-12 * (1 + q_expected.norm()));
        }
        EXPECT_DOUBLE_EQ(next.time, h);
      }
    }
  }
}

// Two rods that swing: energy to second order with the midpoint rule, and no drift with theta = 0.
TEST(DiscreteDynamics, TreesKeepTheirEnergy) {
  ModelDescription description;
  for (const char* name : {"upper", "lower"}) {
    LinkDescription link;
    link.name = name;
    link.inertia = LinkInertia{1, Vector3(0, 0, -0.5), Vector3(0.08, 0.08, 0.001).asDiagonal()};
    JointDescription joint;
    joint.name = std::string(name) + "_hinge";
    joint.type = JointType::Revolute;
    joint.axis = Vector3::UnitY();
    link.joints.push_back(joint);
    if (!description.links.empty()) {
      link.parent = 0;
      link.X_PL.p = Vector3(0, 0, -1);
    }
    description.links.push_back(link);
  }
  const Model model(description);
  const auto drift = [&](double theta, double h, double* last) {
    DiscreteDynamics dynamics({h, theta});
    dynamics.AddModel(model);
    State state{Eigen::Vector2d(1.5, 0.5), VectorX::Zero(2), 0};
    ModelData data(model);
    const auto energy = [&] {
      CalcPositions(model, state.q, &data);
      CalcVelocities(model, state.v, &data);
      return CalcKineticEnergy(model, data, state.v) + CalcPotentialEnergy(model, data);
    };
    const double start = energy();
    double most = 0;
    for (int k = 0; k < static_cast<int>(4 / h); ++k) {
      EXPECT_TRUE(dynamics.Update(0, state));
      ContactProblemBuilder builder;
      dynamics.AddSubsystems(&builder);
      dynamics.Advance(0, builder.Build().free_velocity(), &state);
      most = std::max(most, std::abs(energy() - start));
      // Of the last second, in which it swings to and fro more than once.
      if (k >= static_cast<int>(3 / h)) *last += h * (energy() - start);
    }
    return most;
  };
  double mean = 0, unused = 0;
  const double coarse = drift(0.5, 4e-3, &unused), fine = drift(0.5, 1e-3, &unused);
  EXPECT_LT(coarse, 0.05);
  EXPECT_LT(fine, coarse / 12);
  EXPECT_LT(drift(0, 1e-3, &mean), 0.3);
  EXPECT_LT(std::abs(mean), 0.1);
}

TEST(DiscreteDynamics, BodiesMoveAsKinematicsSays) {
  TwoModels c(3);
  DiscreteDynamics dynamics;
  dynamics.AddModel(c.first);
  dynamics.AddModel(c.second);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(dynamics.Update(i, c.states[i]));
  ContactProblemBuilder builder;
  dynamics.AddSubsystems(&builder);
  const Vector3 point(0.3, -0.2, 0.1);
  const Friction friction(0.5);
  std::vector<Vector3> expected;
  for (int i = 0; i < 2; ++i) {
    const Model& model = dynamics.model(i);
    ModelData data(model);
    CalcPositions(model, c.states[i].q, &data);
    CalcVelocities(model, c.states[i].v, &data);
    for (int b = 0; b < model.num_bodies(); ++b) {
      const BodyIndex body = dynamics.AddBody(i, b, &builder);
      EXPECT_EQ(dynamics.AddBody(i, b, &builder), body);
      builder.AddContact(body, kWorld, point, Matrix3::Identity(), friction, Vector3::Zero());
      expected.emplace_back(CalcPointVelocity(model, data, b, point).head<3>());
    }
  }
  EXPECT_EQ(dynamics.AddBody(0, -1, &builder), kWorld);
  EXPECT_THROW(dynamics.AddBody(0, c.first.num_bodies(), &builder), InputError);
  const ContactProblem problem = builder.Build();
  VectorX v = VectorX::Zero(dynamics.num_dofs()), y;
  for (int i = 0; i < 2; ++i) dynamics.ToProblem(i, c.states[i].v, &v);
  problem.MultiplyJ(v, &y);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_LT((y.segment<3>(3 * static_cast<int>(k)) - expected[k]).norm(), 1e-11 * (1 + expected[k].norm())) << k;
  }
  VectorX back;
  dynamics.ToModel(0, v, &back);
  EXPECT_LT((back - c.states[0].v).norm(), 1e-13 * back.norm());
}

TEST(DiscreteDynamics, DampingIsImplicit) {
  ModelDescription description;
  description.links.push_back(MakeSlider(2, 0, 1e6));
  const Model model(description);
  DiscreteDynamics dynamics({0.01, 0});
  dynamics.AddModel(model);
  State state{VectorX::Zero(1), VectorX::Constant(1, 3.0), 0};
  ASSERT_TRUE(dynamics.Update(0, state));
  ContactProblemBuilder builder;
  dynamics.AddSubsystems(&builder);
  const ContactProblem problem = builder.Build();
  dynamics.Advance(0, problem.free_velocity(), &state);
  EXPECT_NEAR(state.v[0], 3.0 / (1 + 0.01 * 1e6 / 2), 1e-15);
}

TEST(DiscreteDynamics, MidpointKeepsTheEnergyOfASpring) {
  ModelDescription description;
  description.links.push_back(MakeSlider(2, 1e4, 0));  // 11 Hz at 100 Hz
  const Model model(description);
  DiscreteDynamics dynamics({0.01, 0.5});
  dynamics.AddModel(model);
  State state{VectorX::Constant(1, 0.3), VectorX::Zero(1), 0};
  const auto energy = [&] { return 0.5 * 2 * state.v[0] * state.v[0] + 0.5 * 1e4 * std::pow(state.q[0] - 0.1, 2); };
  const double start = energy();
  double lowest = 1;
  for (int k = 0; k < 10000; ++k) {
    ASSERT_TRUE(dynamics.Update(0, state));
    ContactProblemBuilder builder;
    dynamics.AddSubsystems(&builder);
    const ContactProblem problem = builder.Build();
    dynamics.Advance(0, problem.free_velocity(), &state);
    lowest = std::min(lowest, state.q[0]);
  }
  EXPECT_NEAR(energy(), start, 1e-9 * start);
  EXPECT_LT(lowest, -0.09);  // it did swing
}

// A free ball dropped on a plate that hangs on a stiff slider: two models, one contact, the exact law.
TEST(DiscreteDynamics, ModelsMeetInContacts) {
  ModelDescription ball_description, plate_description;
  ball_description.links.push_back(MakeFreeBody("ball", 1.5, Vector3::Zero()));
  plate_description.links.push_back(MakeSlider(4, 0, 0));
  plate_description.links[0].joints[0].axis = Vector3::UnitZ();
  const Model ball(ball_description), plate(plate_description);
  const double h = 1.0 / 240;
  DiscreteDynamics dynamics({h, 0});
  dynamics.AddModel(ball);
  dynamics.AddModel(plate);
  State states[2] = {{ball.MakeNeutral(), VectorX::Zero(6), 0}, {plate.MakeNeutral(), VectorX::Zero(1), 0}};
  states[0].q[2] = 0.1;
  states[0].v[2] = -2;
  const VectorX hold = VectorX::Constant(1, 4 * 9.81);  // the plate floats
  const double before = 1.5 * -2;
  ASSERT_TRUE(dynamics.Update(0, states[0]));
  ASSERT_TRUE(dynamics.Update(1, states[1], {&hold, nullptr}));
  ContactProblemBuilder builder;
  dynamics.AddSubsystems(&builder);
  builder.AddContact(dynamics.AddBody(0, 0, &builder), dynamics.AddBody(1, 0, &builder), Vector3::Zero(),
                     Matrix3::Identity(), Friction(0.3), Vector3::Zero());
  const ContactProblem problem = builder.Build();
  const auto solver = MakeSolver("hybrid");
  ContactSolution solution;
  const SolveReport report = solver->Solve(problem, &solution);
  ASSERT_EQ(report.status, SolveStatus::Solved);
  for (int i = 0; i < 2; ++i) dynamics.Advance(i, solution.velocity, &states[i]);
  EXPECT_NEAR(states[0].v[2], states[1].v[0], 1e-10);  // they move on together
  EXPECT_NEAR(1.5 * states[0].v[2] + 4 * states[1].v[0], before - h * 1.5 * 9.81, 1e-10);
}

// Joints of all kinds with springs, dampers and armature: the problem knows what A is made of, and links hang on it.
TEST(DiscreteDynamics, TreesTellTheirMechanism) {
  for (const double theta : {0.0, 0.5}) {
    const Model model(MakeRandomDescription(5, {.joints = 14}));
    DiscreteDynamics dynamics({0.01, theta});
    dynamics.AddModel(model);
    Random random(3);
    State state{model.MakeRandom(&random), RandomVector(model.nv(), &random), 0};
    ASSERT_TRUE(dynamics.Update(0, state));
    ContactProblemBuilder builder;
    dynamics.AddSubsystems(&builder);
    for (int b = 0; b < model.num_bodies(); ++b) dynamics.AddBody(0, b, &builder);
    const ContactProblem problem = builder.Build();
    ASSERT_EQ(problem.mass().subsystem(0).kind, SubsystemKind::Tree);
    const TreeMechanism* mechanism = problem.mass().mechanism(0);
    ASSERT_NE(mechanism, nullptr);
    const MatrixX A = problem.mass().dense_block(0);
    const double scale = A.cwiseAbs().maxCoeff();
    EXPECT_GT(Eigen::Map<const VectorX>(mechanism->diagonal.data(), mechanism->size()).maxCoeff(), 0);
    EXPECT_LT((CalcTreeMatrix(*mechanism, problem.mass().tree_parent(0)) - A).cwiseAbs().maxCoeff(), 1e-12 * scale);
    ArticulatedPlan plan;
    plan.Make(problem);
    EXPECT_TRUE(plan.articulated(0)) << theta;
  }
}

TEST(DiscreteDynamics, RefusesNonsense) {
  EXPECT_THROW(DiscreteDynamics({0, 0}), InputError);
  EXPECT_THROW(DiscreteDynamics({-1, 0}), InputError);
  EXPECT_THROW(DiscreteDynamics({std::nan(""), 0}), InputError);
  EXPECT_THROW(DiscreteDynamics({0.01, 1}), InputError);
  EXPECT_THROW(DiscreteDynamics({0.01, -0.1}), InputError);
  EXPECT_THROW(DiscreteDynamics({0.01, std::nan("")}), InputError);
  ModelDescription massless;
  massless.links.push_back(MakeSlider(0, 0, 0));
  massless.links[0].inertia.reset();
  const Model model(massless);
  DiscreteDynamics dynamics;
  EXPECT_THROW(dynamics.AddModel(model), InputError);

  ModelDescription fine;
  fine.links.push_back(MakeSlider(1, 0, 0));
  const Model slider(fine);
  dynamics.AddModel(slider);
  State state{VectorX::Constant(1, std::nan("")), VectorX::Constant(1, std::nan("")), 0};
  EXPECT_FALSE(dynamics.Update(0, state));
}

}  // namespace
}  // namespace tactus
