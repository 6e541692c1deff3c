#include "tactus/control/soft_inverse.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tactus/control/soft_controller.h"
#include "tactus/control/soft_robots_testing.h"
#include "tactus/core/error.h"
#include "tactus/inverse/qpcc_solver.h"

namespace tactus {
namespace {

SoftInverseSettings Unfiltered() {
  SoftInverseSettings settings;
  settings.filter = false;
  return settings;
}

// What an answer says of the effector is what the simulator does with its inputs.
void ExpectAnswerHolds(const SoftInverse& inverse, const QpccSolution& solution, const SoftTask& task,
                       Simulator* simulator) {
  const Vector3 expected = inverse.CalcNextEffector(0, solution);
  VectorX inputs;
  inverse.CalcInputs(solution, &inputs);
  simulator->control().soft = inputs;
  const StepReport step = simulator->Step();
  ASSERT_EQ(step.status, StepStatus::Ok) << step.message;
  ASSERT_EQ(step.contacts, inverse.problem().num_contacts());
  EXPECT_LT((CalcTip(*simulator, task) - expected).norm(), 1e-8);
}

// Far from the ground everything is linear in the inputs: the prediction is what a step of the simulator does.
TEST(SoftInverse, PredictsAFreeStep) {
  const std::vector<Vector3> all_inputs = {{0, 0, 0}, {3, 0, 0}, {0, 5, 0}, {1, 2, 0.05}, {0, 0, -0.08}};
  for (const Vector3& inputs : all_inputs) {
    const auto simulator = MakeSoftBeam(true, 1);
    const SoftTask task = MakeTipTask(*simulator, Vector3::Zero());
    simulator->control().soft << 2, 1, 0.03;
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(simulator->Step().moved());
    SoftInverse inverse(*simulator, {}, {task});
    ASSERT_TRUE(inverse.Assemble(simulator->state(), VectorX::Zero(3)));
    ASSERT_EQ(inverse.problem().num_contacts(), 0);
    QpccSolution solution;
    solution.actuation = inverse.settings().period * inputs;
    solution.contact.resize(0);
    const Vector3 expected = inverse.CalcNextEffector(0, solution);
    EXPECT_LT((inverse.CalcEffector(0) - CalcTip(*simulator, task)).norm(), 1e-15);
    simulator->control().soft = inputs;
    ASSERT_TRUE(simulator->Step().moved());
    EXPECT_LT((CalcTip(*simulator, task) - expected).norm(), 1e-12) << inputs.transpose();
    EXPECT_GT((expected - inverse.CalcEffector(0)).norm(), 1e-5);
  }
}

// The beam sags on the ground, and is to press its tip down there and forward: contacts stick, slip and open. What the
// answer says is what the simulator does with its inputs.
TEST(SoftInverse, TheSimulatorDoesWhatAnAnswerSays) {
  for (const bool motor : {false, true}) {
    const auto simulator = MakeSoftBeam(motor);
    const auto count = static_cast<Eigen::Index>(simulator->soft_actuators().size());
    simulator->control().soft.setZero();
    simulator->control().soft[0] = 4;
    int touching = 0, solved = 0;
    for (int k = 0; k < 20; ++k) {
      Vector3 goal = Vector3(0.1 - 2e-4 * k, 0, 0.005);
      const SoftTask task = MakeTipTask(*simulator, goal);
      SoftInverse inverse(*simulator, Unfiltered(), {task});
      ASSERT_TRUE(inverse.Assemble(simulator->state(), VectorX::Zero(count)));
      QpccSolution solution;
      const QpccReport report = SolveQpcc(inverse.problem(), {}, &solution);
      ASSERT_TRUE(report.feasible()) << ToString(report.status);
      solved += report.solved() ? 1 : 0;
      touching += report.stick + report.slip;
      SCOPED_TRACE(k);
      ExpectAnswerHolds(inverse, solution, task, simulator.get());
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(touching, 20);
    EXPECT_GT(solved, 10);
  }
}

// A hollow beam between the ground and its clamp, blown up and bent: pressures are inputs as tensions are.
TEST(SoftInverse, PressuresDoWhatAnAnswerSays) {
  const auto simulator = MakeHollowBeam();
  ASSERT_EQ(simulator->soft_actuators().size(), 2u);
  simulator->control().soft << 1e3, 0;
  ActivationWorkspace workspace;
  int touching = 0;
  for (int k = 0; k < 10; ++k) {
    const SoftTask task = MakeTipTask(*simulator, Vector3(0.1 + 2e-5 * k, 0, 0.0115 - 5e-5 * k));
    SoftInverse inverse(*simulator, Unfiltered(), {task});
    ASSERT_TRUE(inverse.Assemble(simulator->state(), VectorX::Zero(2)));
    EXPECT_NEAR(inverse.problem().lower[0], -0.01 * 2e3, 1e-12);
    EXPECT_NEAR(inverse.problem().upper[0], 0.01 * 8e3, 1e-12);
    QpccSolution solution;
    const QpccReport report = SolveQpccByActivation(inverse.problem(), SoftControllerSettings::MakeControlSolve(), {},
                                                    nullptr, &workspace, &solution);
    ASSERT_TRUE(report.feasible()) << ToString(report.status);
    touching += report.stick + report.slip;
    SCOPED_TRACE(k);
    ExpectAnswerHolds(inverse, solution, task, simulator.get());
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(touching, 0);
}

TEST(SoftInverse, ErrorsDecayExponentially) {
  const auto simulator = MakeSoftBeam(true, 1);
  SoftTask task = MakeTipTask(*simulator, Vector3(0.1, 0, 1.02));
  task.axes = {false, false, true};
  task.gain = 10;
  const double h = 0.01;
  SoftInverse inverse(*simulator, {}, {task});
  double error = CalcTip(*simulator, task).z() - 1.02;
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(inverse.Assemble(simulator->state(), VectorX::Zero(3)));
    QpccSolution solution;
    ASSERT_TRUE(SolveQpcc(inverse.problem(), {}, &solution).feasible());
    VectorX inputs;
    inverse.CalcInputs(solution, &inputs);
    simulator->control().soft = inputs;
    ASSERT_TRUE(simulator->Step().moved());
    const double next = CalcTip(*simulator, task).z() - 1.02;
    EXPECT_NEAR(next, error / (1 + task.gain * h), 1e-6) << k;
    error = next;
  }
}

TEST(SoftInverse, MotorsStopWhereTheirWayEnds) {
  const auto simulator = MakeSoftBeam(true, 1);
  simulator->control().soft << 0, 0, 0.1;
  for (int k = 0; k < 30; ++k) ASSERT_TRUE(simulator->Step().moved());
  const SoftActuator& lift = simulator->soft_actuators()[2];
  EXPECT_NEAR(CalcSoftTravel(simulator->deformables(), lift, simulator->state()), lift.travel_upper, 1e-12);
  SoftInverse inverse(*simulator, {}, {MakeTipTask(*simulator, Vector3::Zero())});
  ASSERT_TRUE(inverse.Assemble(simulator->state(), VectorX::Zero(3)));
  EXPECT_NEAR(inverse.problem().upper[2], 0, 1e-12);
  EXPECT_NEAR(inverse.problem().lower[2], 0.01 * lift.lower, 1e-12);
}

// Three points of one triangle and a node elsewhere: the nearest of the three is kept, and of another object all.
TEST(SoftInverse, KeepsOneContactATetrahedron) {
  const auto simulator = MakeSoftBeam(false, 0);
  const Deformable& body = simulator->deformables().body(0);
  const std::array<int, 3> triangle = body.surface().triangles[0];
  const SurfaceElements elements(body);
  ContactState c;
  c.object_a = 1;
  c.object_b = 0;
  c.point_a = {3, triangle, {0.5, 0.25, 0.25}};
  std::vector<ContactState> contacts;
  for (const double gap : {2e-3, 1e-3, 3e-3}) {
    c.geometry.gap = gap;
    contacts.push_back(c);
  }
  const int element = elements.Find(c.point_a);
  ASSERT_GE(element, 0);
  int other = 0;
  while (elements.Find({1, {other}, {1}}) == element) ++other;
  c.point_a = {1, {other}, {1}};
  contacts.push_back(c);
  c.point_a = {3, triangle, {0.5, 0.25, 0.25}};
  c.object_b = 2;
  contacts.push_back(c);
  SoftContactFilter filter({nullptr, &elements, nullptr});
  filter.Apply(&contacts);
  ASSERT_EQ(contacts.size(), 3u);
  EXPECT_EQ(contacts[0].geometry.gap, 1e-3);
  EXPECT_EQ(contacts[1].point_a.items[0], other);
  EXPECT_EQ(contacts[2].object_b, 2);
}

TEST(SoftInverse, RowsOfInputsAskForSmallOnes) {
  const auto simulator = MakeSoftBeam(false, 1);
  SoftTask task = MakeTipTask(*simulator, Vector3(0.09, 0, 1.01));
  SoftInverseSettings settings;
  settings.effort_weight = 1e3;
  SoftInverse effort(*simulator, settings, {task});
  ASSERT_TRUE(effort.Assemble(simulator->state(), VectorX::Zero(2)));
  QpccSolution solution;
  ASSERT_TRUE(SolveQpcc(effort.problem(), {}, &solution).solved());
  EXPECT_LT(solution.actuation.norm(), 1e-6);
  settings.effort_weight = 0;
  settings.change_weight = 1e3;
  SoftInverse change(*simulator, settings, {task});
  ASSERT_TRUE(change.Assemble(simulator->state(), Vector2(3, 4)));
  ASSERT_TRUE(SolveQpcc(change.problem(), {}, &solution).solved());
  EXPECT_LT((solution.actuation / 0.01 - Vector2(3, 4)).norm(), 1e-4);
}

TEST(SoftInverse, RefusesWhatDoesNotFit) {
  const auto simulator = MakeSoftBeam(false);
  SoftTask task = MakeTipTask(*simulator, Vector3::Zero());
  EXPECT_THROW(SoftInverse(*simulator, {}, {}), InputError);
  task.items = {100000};
  EXPECT_THROW(SoftInverse(*simulator, {}, {task}), InputError);
  task = MakeTipTask(*simulator, Vector3::Zero());
  task.gain = 0;
  EXPECT_THROW(SoftInverse(*simulator, {}, {task}), InputError);
  task.gain = 1;
  SoftInverseSettings settings;
  settings.period = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(SoftInverse(*simulator, settings, {task}), InputError);
  SoftInverse inverse(*simulator, {}, {task});
  State state = simulator->state();
  state.deformables[0].q[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(inverse.Assemble(state, VectorX::Zero(2)));
  EXPECT_THROW((void)inverse.Assemble(simulator->state(), VectorX::Zero(1)), InputError);
}

}  // namespace
}  // namespace tactus
