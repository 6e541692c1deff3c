// What is said and refused where a scene becomes a simulation.
#include "tactus/scene/compile_scene.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/io/temporary_folder_testing.h"
#include "tactus/scene/scene_file.h"

namespace tactus {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SceneSimulation Make(const std::string& text) { return MakeSimulation(ParseScene(text, "s.yaml")); }

TEST(CompileScene, OverlapsAndLimitsAtTheStartAreSaidOnce) {
  const std::string text = R"(
objects:
  - {name: a, shape: {type: box, size: [0.2, 0.2, 0.2]}}
  - {name: b, shape: {type: box, size: [0.2, 0.2, 0.2]}, pose: {position: [PLACE, 0, 0]}}
)";
  const auto with = [&](const std::string& place) {
    std::string out = text;
    return out.replace(out.find("PLACE"), 5, place);
  };
  EXPECT_THAT(Make(with("0.15")).notes,
              ElementsAre("shapes 'a' and 'b' overlap by 0.05 m at the start: they are pushed apart"));
  EXPECT_THAT(Make(with("0.2")).notes, IsEmpty());
  // They collide all the same.
  const SceneSimulation simulation = Make("gravity: [0, 0, 0]\n" + with("0.15"));
  for (int k = 0; k < 240; ++k) ASSERT_TRUE(simulation.simulator->Step().moved());
  EXPECT_GT(simulation.simulator->LinkPose(1).p[0] - simulation.simulator->LinkPose(0).p[0], 0.2 - 1e-6);

  const SceneSimulation arm = Make("models: [{name: p, builtin: panda_hand, joints: {panda_joint4: 1}}]");
  EXPECT_THAT(arm.notes, Contains(HasSubstr("as parts of one model they never collide")));
  EXPECT_THAT(arm.notes, Contains("joint 'p/panda_joint4' starts at 1 rad, 1.07 rad beyond its limit -0.0698: it is "
                                  "pushed back"));
}

TEST(CompileScene, WeldsThatStartOpenAreSaid) {
  const std::string text = R"(
objects:
  - {name: a, shape: {type: box, size: [0.2, 0.2, 0.2]}, pose: {position: [0, 0, 1]}}
  - {name: b, shape: {type: box, size: [0.2, 0.2, 0.2]}, pose: {position: [0.5, 0, 1], rpy: [0, 0, 0.1]}}
constraints:
)";
  EXPECT_THAT(Make(text + "  - {type: weld, name: w, first: a, second: b, relative: {position: [0.2, 0, 0]}}").notes,
              ElementsAre("weld 'w' starts 0.3 m and 0.1 rad open: its bodies are pulled together"));
  EXPECT_THAT(Make(text + "  - {type: weld, name: w, first: a, second: b}").notes, IsEmpty());
  EXPECT_THAT(
      Make(text + "  - {type: weld, name: w, first: a, second: b, from: 1, relative: {position: [0.2, 0, 0]}}").notes,
      IsEmpty());
}

// A path moves the hand to its first point; a weld "as at the start" means there.
TEST(CompileScene, ConstraintsHoldWhatIsAtTheStartOfAPath) {
  const SceneSimulation simulation = Make(R"(
models:
  - {name: p, builtin: panda_hand, joints: {panda_joint2: 0.3, panda_joint4: -2.0, panda_joint6: 2.3}}
objects:
  - {name: rod, mass: 0.1, shape: {type: sphere, radius: 0.01}, pose: {position: [0.6, 0.1, 0.2]}}
constraints:
  - {type: weld, name: grip, first: p/panda_hand, second: rod}
controllers:
  - type: path
    joints: [p/panda_joint1, p/panda_joint2, p/panda_joint3, p/panda_joint4, p/panda_joint5, p/panda_joint6, p/panda_joint7]
    stiffness: 1000
    damping: 60
    gravity_compensation: true
    payload: 0.1
    body: p/panda_hand
    frame: {rpy: [180 deg, 0, 0]}
    path: [{time: 0, pose: {position: [0.6, 0.1, 0.4]}}]
contacts: {enabled: false}
)");
  Simulator& simulator = *simulation.simulator;
  const int rod = simulator.model().FindLink("rod");
  for (int k = 0; k < 24; ++k) ASSERT_TRUE(simulator.Step().moved());
  EXPECT_LT((simulator.LinkPose(rod).p - Vector3(0.6, 0.1, 0.2)).norm(), 2e-3);
}

// Fast balls that strike wall and base at an angle, with spin.
TEST(CompileScene, BallsFallIntoAJarWithoutEnteringIt) {
  const SceneSimulation simulation = Make(R"(
linearizations: 2
objects:
  - name: jar
    fixed: true
    shape: {type: revolved, thickness: 0.002, edge: 0.02, profile: [[0, 0], [0.04, 0], [0.04, 0.07], [0.06, 0.1]]}
  - name: ball
    shape: {type: sphere, radius: 0.005}
    density: 10000
    array: {count: [3, 3, 2], spacing: [0.012, 0.012, 0.013], jitter: 1e-3}
    pose: {position: [-0.012, -0.012, 0.1]}
    velocity: {linear: [0.3, 0.2, -1.5], angular: [150, 80, -90]}
)");
  double deepest = 0;
  for (int k = 0; k < 120; ++k) deepest = std::max(deepest, simulation.simulator->Step().max_penetration);
  EXPECT_LT(deepest, 2e-4);
}

TEST(CompileScene, ManyNotesAreCounted) {
  const SceneSimulation simulation = Make(
      "objects: [{name: a, shape: {type: sphere, radius: 0.1}, array: {count: [30, 1, 1], spacing: [0.15, 0, 0]}}]");
  EXPECT_EQ(simulation.notes.size(), 11u);
  EXPECT_THAT(simulation.notes.back(), HasSubstr("and 19 more pairs of shapes"));
}

TEST(CompileScene, CrowdsAreRefused) {
  const std::string text =
      "max_contacts: 1000\nobjects: [{name: a, shape: {type: sphere, radius: 0.1}, array: {count: [2000, 1, 1], "
      "spacing: [1e-6, 0, 0]}}]";
  EXPECT_THAT(ErrorOf([&] { Make(text); }), HasSubstr("max_contacts"));
}

TEST(CompileScene, MassesThatMeanNothingAreRefused) {
  EXPECT_THAT(ErrorOf([] { Make("objects: [{name: a, shape: {type: sphere, radius: 1e-20}}]"); }),
              testing::StartsWith("s.yaml:1: objects.a: its mass is"));
  EXPECT_THAT(ErrorOf([] { Make("objects: [{name: a, mass: 1, shape: {type: sphere, radius: 1e-20}}]"); }),
              HasSubstr("moment of inertia"));
  const TemporaryFolder folder;
  const auto urdf = folder.Write("r.urdf", R"(<robot name="r"><link name="base"/><link name="l"><inertial>
      <mass value="1e-160"/><inertia ixx="1e-160" iyy="1e-160" izz="1e-160" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="a" type="continuous"><parent link="base"/><child link="l"/></joint></robot>)");
  EXPECT_THAT(ErrorOf([&] { MakeSimulation(LoadScene(urdf)); }), HasSubstr("joint 'r/a': it moves 1e-160 kg"));
}

TEST(CompileScene, SnapshotsGoWithOneScene) {
  const auto make = [](const std::string& stiffness) {
    return Make(
        "objects: [{name: a, shape: {type: sphere, radius: 0.1}}]\nconstraints: [{type: spring, first: a, "
        "second_point: [0, 0, 1], stiffness: " +
        stiffness + "}]");
  };
  const SceneSimulation first = make("10"), same = make("10"), other = make("11");
  ASSERT_TRUE(first.simulator->Step().moved());
  const Snapshot snapshot = first.simulator->MakeSnapshot();
  EXPECT_EQ(ErrorOf([&] { same.simulator->Restore(snapshot); }), "");
  EXPECT_THAT(ErrorOf([&] { other.simulator->Restore(snapshot); }), HasSubstr("was made of another scene"));
}

TEST(CompileScene, SensorsOfEnergyAndEffort) {
  const SceneSimulation simulation = Make(R"(
models: [{name: p, builtin: panda_hand}]
objects: [{name: a, mass: 2, shape: {type: sphere, radius: 0.1}, pose: {position: [5, 0, 1]}}]
constraints: [{type: spring, first: a, second_point: [5, 0, 3], stiffness: 10, rest: 1.5}]
drives: [{joint: p/*, stiffness: 1e5, damping: 1e3}]
sensors: [{type: energy, name: e}, {type: drive_effort, name: d, joint: p/panda_joint2}]
)");
  ASSERT_EQ(simulation.probes.size(), 2u);
  EXPECT_THAT(simulation.probes[0].columns, ElementsAre("kinetic", "potential", "elastic"));
  EXPECT_THAT(simulation.probes[1].columns, ElementsAre("effort"));
  double energy[3], effort = 0;
  CalcProbe(*simulation.simulator, simulation.probes[0], energy);
  EXPECT_NEAR(energy[2], 0.5 * 10 * 0.25, 1e-12);
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(simulation.simulator->Step().moved());
  CalcProbe(*simulation.simulator, simulation.probes[1], &effort);
  EXPECT_NE(effort, 0);
}

// Columns are named where sensors are described.
TEST(CompileScene, ColumnsOfSensorsAreDescribed) {
  const std::pair<const char*, SceneSensorType> sensors[] = {
      {"sensor_pose", SceneSensorType::Pose},
      {"sensor_velocity", SceneSensorType::Velocity},
      {"sensor_acceleration", SceneSensorType::Acceleration},
      {"sensor_joint_state", SceneSensorType::JointState},
      {"sensor_contact_force", SceneSensorType::ContactForce},
      {"sensor_joint_wrench", SceneSensorType::JointWrench},
      {"sensor_drive_effort", SceneSensorType::DriveEffort},
      {"sensor_energy", SceneSensorType::Energy},
      {"sensor_clamp_force", SceneSensorType::ClampForce},
      {"sensor_attachment_force", SceneSensorType::AttachmentForce},
      {"sensor_deformable_item", SceneSensorType::DeformableItem},
  };
  for (const auto& [name, type] : sensors) {
    const std::string text = DescribeSceneKeys(name);
    const std::string columns = text.substr(text.find("Column"));
    for (const std::string& column : SensorColumns(type)) EXPECT_THAT(columns, HasSubstr(column)) << name;
  }
}

}  // namespace
}  // namespace tactus
