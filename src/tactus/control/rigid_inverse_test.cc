#include "tactus/control/rigid_inverse.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tactus/control/robots_testing.h"
#include "tactus/core/error.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/mass_matrix.h"
#include "tactus/inverse/qpcc_solver.h"

namespace tactus {
namespace {

// A Go2 that stands with four feet.
struct Standing {
  std::shared_ptr<const Model> model = MakeRobot("go2", BaseType::Floating);
  State state = MakeCrouch(*model);
  std::vector<ContactCandidate> contacts;
  std::vector<TaskTerm> tasks;

  Standing() {
    ModelData data(*model);
    CalcPositions(*model, state.q, &data);
    for (const char* name : {"FL_foot", "FR_foot", "RL_foot", "RR_foot"}) {
      ContactCandidate c;
      c.link_a = model->FindLink(name);
      c.body_a = model->links()[static_cast<std::size_t>(c.link_a)].body;
      c.point = data.LinkPose(*model, c.link_a).p - Vector3(0, 0, 0.022);
      c.friction = 0.7;
      contacts.push_back(c);
    }
    TaskTerm base;
    base.name = "base";
    base.type = TaskType::Pose;
    base.path.link = model->FindLink("base");
    const Pose X = data.LinkPose(*model, base.path.link);
    base.path.waypoints.push_back({0, X.p, Quaternion(X.R)});
    tasks.push_back(base);
    TaskTerm torque;
    torque.name = "torque";
    torque.type = TaskType::Torque;
    torque.weight = 1e-5;
    torque.dofs = DescribeRobot(*model).motors;
    torque.target.times = {0};
    torque.target.values = {std::vector<double>(torque.dofs.size(), 0)};
    tasks.push_back(torque);
  }
};

QpccSolution Solve(const QpccProblem& problem) {
  QpccSolution solution;
  const QpccReport report = SolveQpcc(problem, {}, &solution);
  EXPECT_TRUE(report.feasible()) << ToString(report.status);
  return solution;
}

TEST(RigidInverse, StandsOnItsFeet) {
  Standing s;
  RigidInverse inverse(*s.model, DescribeRobot(*s.model));
  const double h = 1e-3;
  ASSERT_TRUE(inverse.Assemble(s.state, h, s.tasks, s.contacts));
  const QpccSolution solution = Solve(inverse.problem());
  double normal = 0;
  for (int i = 0; i < 4; ++i) normal += solution.contact[3 * i + 2] / h;
  EXPECT_NEAR(normal, s.model->total_mass() * 9.81, 1e-2 * s.model->total_mass());
  for (const ContactMode mode : solution.modes) EXPECT_EQ(mode, ContactMode::Stick);
  VectorX v;
  inverse.CalcNextVelocity(solution, &v);
  EXPECT_LT(v.head<6>().norm(), 1e-4);
}

// The impulse on a floating base is what gravity and contacts give, whatever motors do.
TEST(RigidInverse, MomentumOfAFloatingBaseComesFromOutside) {
  Standing s;
  Random random(5);
  for (double& x : s.state.v) x = 0.3 * random.Uniform(-1, 1);
  ModelDescription description = LoadRobot("go2", BaseType::Floating);
  for (LinkDescription& link : description.links) {
    for (JointDescription& joint : link.joints) {
      if (joint.type == JointType::Revolute) joint.damping = 0.01;
    }
  }
  const Model model(description);
  RigidInverse inverse(model, DescribeRobot(model));
  const double h = 1e-3;
  ASSERT_TRUE(inverse.Assemble(s.state, h, s.tasks, s.contacts));
  QpccSolution any;
  any.actuation = VectorX::Random(12);
  any.contact = VectorX::Random(12);
  VectorX v;
  inverse.CalcNextVelocity(any, &v);
  ModelData data(model);
  CalcPositions(model, s.state.q, &data);
  // M v_next = M v - h (C v + g) + impulses: the first three rows are the linear momentum, in world axes.
  const MatrixX M = [&] {
    CalcMassMatrix(model, &data);
    return data.DenseMass(model);
  }();
  VectorX bias;
  CalcBias(model, s.state.q, s.state.v, &data, &bias);
  Vector3 impulse = -h * bias.head<3>();
  for (int i = 0; i < 4; ++i) impulse += any.contact.segment<3>(3 * i);
  EXPECT_LT((M.topRows<3>() * (v - s.state.v) - impulse).norm(), 1e-12);
  EXPECT_GT((M.bottomRows(12) * (v - s.state.v)).norm(), 0.1);
}

TEST(RigidInverse, ProblemIsWhatTheModelSays) {
  Standing s;
  Random random(7);
  for (double& x : s.state.v) x = 0.3 * random.Uniform(-1, 1);
  s.contacts[1].gap = 2e-3;
  s.contacts[2].gap = -1e-3;
  RigidInverse inverse(*s.model, DescribeRobot(*s.model));
  const double h = 1e-3;
  ASSERT_TRUE(inverse.Assemble(s.state, h, s.tasks, s.contacts));
  const QpccProblem& p = inverse.problem();
  EXPECT_NO_THROW(p.Validate());
  EXPECT_EQ(p.D, MatrixX(p.D.transpose()));
  QpccSolution any;
  any.actuation = VectorX::Random(12);
  any.contact = VectorX::Random(12);
  VectorX v, sigma;
  inverse.CalcNextVelocity(any, &v);
  CalcQpccSigma(p, any.actuation, any.contact, &sigma);
  ModelData data(*s.model);
  VectorX q_ahead;
  s.model->Integrate(s.state.q, s.state.v, h, &q_ahead);
  CalcPositions(*s.model, q_ahead, &data);
  CalcVelocities(*s.model, v, &data);
  for (int i = 0; i < 4; ++i) {
    const ContactCandidate& c = s.contacts[static_cast<std::size_t>(i)];
    Vector3 expected = c.frame * CalcPointVelocity(*s.model, data, c.body_a, c.point).head<3>();
    expected[2] += std::max(c.gap, 0.0) / h;  // an overlap asks for no speed
    EXPECT_LT((sigma.segment<3>(3 * i) - expected).norm(), 1e-10) << i;
  }
  for (int k = 0; k < 12; ++k) {
    EXPECT_DOUBLE_EQ(p.upper[k], h * inverse.robot().effort[static_cast<std::size_t>(k)]);
    EXPECT_DOUBLE_EQ(p.lower[k], -p.upper[k]);
  }
}

TEST(RigidInverse, ForceTargetsAreMetWithinTheLimitsOfTorque) {
  Standing s;
  TaskTerm force;
  force.name = "force";
  force.type = TaskType::Force;
  force.path.link = s.contacts[0].link_a;
  force.axes = {false, false, true};
  force.weight = 1;
  force.target.times = {0};
  force.target.values = {{0, 0, 45}};
  s.tasks.push_back(force);
  RobotDescription robot = DescribeRobot(*s.model);
  RigidInverse inverse(*s.model, robot);
  ASSERT_TRUE(inverse.Assemble(s.state, 1e-3, s.tasks, s.contacts));
  QpccSolution solution = Solve(inverse.problem());
  EXPECT_NEAR(solution.contact[2] / 1e-3, 45, 0.5);
  EXPECT_LT(inverse.CalcTaskError(s.tasks, 2, solution), 0.5);

  for (double& x : robot.effort) x = 3;
  RigidInverse weak(*s.model, robot);
  ASSERT_TRUE(weak.Assemble(s.state, 1e-3, s.tasks, s.contacts));
  solution = Solve(weak.problem());
  EXPECT_LE(solution.actuation.cwiseAbs().maxCoeff(), 3e-3 * (1 + 1e-9));
  EXPECT_GT(solution.actuation.cwiseAbs().maxCoeff(), 2.9e-3);
}

TEST(RigidInverse, HeldJointsStay) {
  const std::shared_ptr<const Model> model = MakeRobot("panda_hand", BaseType::Fixed);
  RobotDescription robot = DescribeRobot(*model);
  robot.held = {robot.motors[7], robot.motors[8]};
  robot.motors.resize(7);
  robot.effort.resize(7);
  RigidInverse inverse(*model, robot);
  State state;
  state.q = model->MakeInitial();
  state.v = VectorX::Zero(model->nv());
  TaskTerm posture;
  posture.name = "posture";
  posture.type = TaskType::Posture;
  posture.dofs = {0};
  posture.target.times = {0};
  posture.target.values = {{0.5}};
  ASSERT_TRUE(inverse.Assemble(state, 1e-3, {posture}, {}));
  QpccSolution any;
  any.actuation = VectorX::Ones(7);
  any.contact.resize(0);
  VectorX v;
  inverse.CalcNextVelocity(any, &v);
  EXPECT_LT(v.tail<2>().cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_GT(v.head<7>().cwiseAbs().maxCoeff(), 1e-3);
}

TEST(RigidInverse, RefusesRobotsThatMakeNoSense) {
  const std::shared_ptr<const Model> model = MakeRobot("go2", BaseType::Floating);
  RobotDescription robot = DescribeRobot(*model);
  robot.motors[0] = 0;  // of the floating base
  EXPECT_THROW(RigidInverse(*model, robot), InputError);
  robot = DescribeRobot(*model);
  robot.held = {robot.motors[3]};
  EXPECT_THROW(RigidInverse(*model, robot), InputError);
  robot = DescribeRobot(*model);
  robot.effort[2] = 0;
  EXPECT_THROW(RigidInverse(*model, robot), InputError);
  EXPECT_THROW(RigidInverse(*model, RobotDescription()), InputError);
}

}  // namespace
}  // namespace tactus
