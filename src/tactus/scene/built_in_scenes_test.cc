// From files to steps.
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "tactus/dynamics/kinematics.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

namespace tactus {
namespace {

void Step(int count, Simulator* simulator) {
  for (int k = 0; k < count; ++k) {
    const StepReport report = simulator->Step();
    ASSERT_TRUE(report.moved()) << "step " << k << ": " << report.message;
  }
}

TEST(BuiltInScenes, AllOfThemMove) {
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TACTUS_PROJECT_DIR) / "scenes")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path());
    // Large meshes take seconds a step; coarse ones do here.
    static const std::map<std::string, std::vector<std::string>> coarse = {
        {"soft-mat", {"cells=8"}},       {"soft-ball", {"edge=0.015"}},
        {"soft-gripper", {"fine=3"}},    {"beam-insertion", {"cells=2", "along=10"}},
        {"cable-winding", {"links=40"}}, {"collaborative-cable", {"links=40"}}};
    SceneFileSettings settings;
    if (const auto found = coarse.find(entry.path().stem().string()); found != coarse.end()) {
      settings.overrides = found->second;
    }
    const SceneSimulation simulation = MakeSimulation(LoadScene(entry.path(), settings));
    Step(20, simulation.simulator.get());
    EXPECT_TRUE(simulation.simulator->state().q.allFinite());
  }
}

// Balls that bounce push each other further than was looked for; some contacts are then found too late. Contacts that
// the step reports are those that acted all the same.
TEST(BuiltInScenes, MomentumBalancesInTheBallPit) {
  const SceneSimulation simulation =
      MakeSimulation(LoadScene(std::filesystem::path(TACTUS_PROJECT_DIR) / "scenes/ball_pit.yaml"));
  Simulator& simulator = *simulation.simulator;
  const Vector3 weight =
      CalcMovingMass(simulator.model()) * simulator.settings().scheme.step * simulator.model().gravity();
  const auto fixed = [&](int object) { return simulator.objects()[static_cast<std::size_t>(object)].body < 0; };
  for (int k = 0; k < 80; ++k) {
    const Vector3 before = CalcMomentum(simulator.model(), simulator.kinematics()).head<3>();
    const StepReport report = simulator.Step();
    ASSERT_TRUE(report.moved());
    Vector3 impulse = weight;
    int active = 0;
    for (const ContactState& c : simulator.contacts()) {
      active += c.active ? 1 : 0;
      if (!c.active || fixed(c.object_a) == fixed(c.object_b)) continue;
      impulse += fixed(c.object_b) ? c.impulse_W() : Vector3(-c.impulse_W());
    }
    EXPECT_EQ(active, report.contacts) << k;
    const Vector3 after = CalcMomentum(simulator.model(), simulator.kinematics()).head<3>();
    EXPECT_LT((after - before - impulse).norm(), 1e-12 * (before.norm() + weight.norm() + impulse.norm())) << k;
  }
}

Vector3 PositionAfter(const std::string& text, int steps) {
  const SceneSimulation simulation = MakeSimulation(ParseScene(text, "s.yaml"));
  Simulator& simulator = *simulation.simulator;
  Step(steps, &simulator);
  return simulator.LinkPose(simulator.model().FindLink("ball")).p;
}

TEST(SceneConstraints, HoldForAWhile) {
  const std::string ball =
      "time_step: 0.005\nobjects: [{name: ball, mass: 1, shape: {type: sphere, radius: 0.1}}]\nconstraints:\n"
      "  - {type: weld, first: ball, from: 0.1, to: 0.3}";
  EXPECT_NEAR(PositionAfter(ball, 20)[2], -0.5 * 9.81 * 0.1 * 0.1, 3e-3);
  EXPECT_NEAR(PositionAfter(ball, 60)[2], 0, 1e-2);
  EXPECT_LT(PositionAfter(ball, 100)[2], -0.1);
}

TEST(SceneContacts, CanBeSwitchedOff) {
  const std::string ball =
      "objects: [{name: ball, mass: 1, shape: {type: sphere, radius: 0.1}, pose: {position: [0, 0, 0.1]}}, "
      "{name: floor, fixed: true, shape: {type: plane}}]\n";
  EXPECT_NEAR(PositionAfter(ball, 240)[2], 0.1, 1e-6);
  EXPECT_LT(PositionAfter(ball + "contacts: {enabled: false}", 240)[2], -4);
}

TEST(SceneConstraints, RopesAndRods) {
  const std::string ball =
      "time_step: 0.005\nobjects: [{name: ball, mass: 1, shape: {type: sphere, radius: 0.1}}]\nconstraints:\n"
      "  - {type: distance, first: ball, second: world, second_point: [0, 0, 1], ";
  EXPECT_NEAR(PositionAfter(ball + "upper: 1.5}", 30)[2], -0.5 * 9.81 * 0.15 * 0.15, 5e-3);  // slack
  EXPECT_NEAR(PositionAfter(ball + "upper: 1.5}", 400)[2], -0.5, 1e-3);                      // taut
  EXPECT_NEAR(PositionAfter(ball + "rest: 1}", 100)[2], 0, 1e-3);
}

}  // namespace
}  // namespace tactus
