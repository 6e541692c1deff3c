#include "tactus/control/task_controller.h"

#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "tactus/control/robots_testing.h"
#include "tactus/core/error.h"
#include "tactus/simulation/controllers.h"

namespace tactus {
namespace {

TaskTerm MakeTask(TaskType type, double weight, double gain, const std::vector<double>& value) {
  TaskTerm term;
  term.name = ToString(type);
  term.type = type;
  term.weight = weight;
  term.gain = gain;
  term.target.times = {0};
  term.target.values = {value};
  return term;
}

// A Go2 that is to stand still where it is.
TaskControllerSettings MakeStand(const Model& model, const State& state) {
  TaskControllerSettings out;
  out.joints = FindMotors(model);
  TaskTerm height = MakeTask(TaskType::Height, 3, 20, {state.q[2]});
  TaskTerm attitude = MakeTask(TaskType::Attitude, 1, 20, {});
  height.path.link = attitude.path.link = model.FindLink("base");
  TaskTerm posture = MakeTask(TaskType::Posture, 0.05, 5, {});
  for (const int j : out.joints) {
    const ModelBody& body = model.body(model.joints()[static_cast<std::size_t>(j)].body);
    posture.dofs.push_back(body.v);
    posture.target.values[0].push_back(state.q[body.q]);
  }
  TaskTerm torque = MakeTask(TaskType::Torque, 1e-4, 0, std::vector<double>(posture.dofs.size(), 0));
  torque.dofs = posture.dofs;
  out.tasks = {height, attitude, posture, torque};
  return out;
}

struct World {
  std::unique_ptr<Simulator> simulator;
  TaskController* controller = nullptr;
};

World MakeWorld(int threads = 1) {
  World world;
  const std::shared_ptr<const Model> model = MakeRobot("go2", BaseType::Floating);
  SimulatorSettings settings;
  settings.scheme.step = 2.5e-4;
  settings.threads = threads;
  world.simulator = std::make_unique<Simulator>(model, settings);
  const State state = MakeCrouch(*model);
  world.simulator->SetState(state);
  auto controller = std::make_unique<TaskController>(*world.simulator, MakeStand(*model, state));
  world.controller = controller.get();
  world.simulator->AddController(std::move(controller));
  return world;
}

void Step(int count, Simulator* simulator) {
  for (int k = 0; k < count; ++k) ASSERT_EQ(simulator->Step().status, StepStatus::Ok) << k;
}

TEST(TaskController, StandsStillAtItsOwnRate) {
  World world = MakeWorld();
  const State start = world.simulator->state();
  Step(400, world.simulator.get());
  EXPECT_EQ(world.controller->updates(), 100);
  EXPECT_NEAR(world.simulator->state().q[2], start.q[2], 1e-3);
  EXPECT_LT(world.simulator->state().v.norm(), 0.05);
  const TaskReport& report = world.controller->report();
  EXPECT_EQ(report.contacts.size(), 4u);
  double up = 0;
  for (std::size_t i = 0; i < report.contacts.size(); ++i) {
    EXPECT_EQ(report.modes[i], ContactMode::Stick);
    const double sign = report.contacts[i].body_a >= 0 ? 1 : -1;
    const Vector3 force = report.force.segment<3>(static_cast<Eigen::Index>(3 * i));
    up += sign * (report.contacts[i].frame.transpose() * force)[2];
  }
  EXPECT_NEAR(up, 9.81 * world.simulator->model().total_mass(), 5);
  EXPECT_TRUE(report.solve.feasible());
}

TEST(TaskController, GivesTheSameBitsForAnyNumberOfThreads) {
  World one = MakeWorld(1), two = MakeWorld(2);
  Step(60, one.simulator.get());
  Step(60, two.simulator.get());
  EXPECT_EQ(one.simulator->CalcStateHash(), two.simulator->CalcStateHash());
}

TEST(TaskController, GoesOnFromSnapshots) {
  World world = MakeWorld();
  Step(30, world.simulator.get());
  const Snapshot snapshot = Snapshot::Deserialize(world.simulator->MakeSnapshot().Serialize());
  Step(30, world.simulator.get());
  World again = MakeWorld();
  again.simulator->Restore(snapshot);
  Step(30, again.simulator.get());
  EXPECT_EQ(again.simulator->CalcStateHash(), world.simulator->CalcStateHash());
  EXPECT_THROW(again.controller->Load({3, 1}), InputError);
}

// What it did, applied without it.
TEST(TaskController, TorquesServeInOpenLoop) {
  World world = MakeWorld();
  Timeline table;
  table.kind = Timeline::Kind::Hold;
  for (int k = 0; k < 120; ++k) {
    Step(1, world.simulator.get());
    const TaskReport& report = world.controller->report();
    if (!table.times.empty() && table.times.back() == report.time) continue;
    table.times.push_back(report.time);
    table.values.emplace_back(report.torque.data(), report.torque.data() + report.torque.size());
  }
  EXPECT_EQ(table.times.size(), 30u);
  Simulator open(MakeRobot("go2", BaseType::Floating), world.simulator->settings());
  open.SetState(MakeCrouch(open.model()));
  open.AddController(MakeForceController(world.controller->robot().motors, table, 0));
  Step(120, &open);
  EXPECT_EQ(open.state().q, world.simulator->state().q);
  EXPECT_EQ(open.state().v, world.simulator->state().v);
}

TEST(TaskController, RefusesSettingsThatMakeNoSense) {
  World world = MakeWorld();
  const TaskControllerSettings good = world.controller->settings();
  const auto refuse = [&](auto change) {
    TaskControllerSettings settings = good;
    change(&settings);
    EXPECT_THROW(TaskController(*world.simulator, settings), InputError);
  };
  refuse([](TaskControllerSettings* s) { s->joints.clear(); });
  refuse([](TaskControllerSettings* s) { s->joints[0] = 1000; });
  refuse([](TaskControllerSettings* s) { s->period = 0; });
  refuse([](TaskControllerSettings* s) { s->effort_share = 0; });
  refuse([](TaskControllerSettings* s) { s->margin = -1; });
  refuse([](TaskControllerSettings* s) { s->tasks.clear(); });
  refuse([](TaskControllerSettings* s) { s->joints.pop_back(); });  // one that the torque task has
}

// Velocities that overflow: torques stay as they are, and the report says why.
TEST(TaskController, SaysWhyItDoesNothing) {
  World world = MakeWorld();
  Step(4, world.simulator.get());
  State state = world.simulator->state();
  state.v.setConstant(1e300);
  world.simulator->SetState(state);
  Control control = world.simulator->control();
  const VectorX force = control.force;
  world.controller->Update(*world.simulator, &control);
  EXPECT_EQ(world.controller->report().solve.status, QpccStatus::InvalidInput);
  EXPECT_FALSE(world.controller->report().solve.message.empty());
  EXPECT_EQ(control.force, force);
}

}  // namespace
}  // namespace tactus
