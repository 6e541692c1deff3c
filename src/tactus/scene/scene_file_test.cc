#include "tactus/scene/scene_file.h"

#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tactus/core/random.h"
#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kProject = TACTUS_PROJECT_DIR;

SceneDescription Parse(const std::string& text, const SceneFileSettings& settings = {}) {
  return ParseScene(text, "s.yaml", settings);
}
std::string ParseError(const std::string& text, const SceneFileSettings& settings = {}) {
  return ErrorOf([&] { Parse(text, settings); });
}
// An object of which all is well but for what is added.
std::string Cube(const std::string& more) {
  return "objects:\n  - name: cube\n    shape: {type: box, size: [1, 2, 3]}\n    " + more + "\n";
}

std::string ReadText(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

std::vector<std::filesystem::path> BuiltInScenes() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(kProject) / "scenes")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  return files;
}

TEST(SceneFile, AnEmptyFileIsAllDefaults) {
  for (const char* text : {"", "{}", "# nothing\n"}) {
    const SceneDescription scene = Parse(text);
    EXPECT_EQ(scene.settings.time_step, 1.0 / 240);
    EXPECT_EQ(scene.gravity, Vector3(0, 0, -9.81));
    EXPECT_FALSE(scene.settings.solver);
  }
}

TEST(SceneFile, Settings) {
  const SceneDescription scene = Parse(R"(
name: all settings
gravity: [0, 0, -1.62]
time_step: 1/500
theta: 0.5
linearizations: 2
margin: 0.002
max_points: 40
stabilization: {kind: split, alpha: 0.5, max_speed: 2, slop: 1e-6}
solver: {name: pgs, tolerance: 1e-6, max_iterations: 100, time_budget: 0.01, warm_start: false}
on_failure: retry
retry_solver: canal
duration: 3
seed: 12345678901
threads: 2
)");
  EXPECT_EQ(scene.name, "all settings");
  EXPECT_EQ(scene.gravity[2], -1.62);
  EXPECT_EQ(scene.settings.time_step, 1.0 / 500);
  EXPECT_EQ(scene.settings.theta, 0.5);
  EXPECT_EQ(scene.settings.max_points, 40);
  EXPECT_EQ(scene.settings.stabilization, SceneStabilization::Split);
  EXPECT_EQ(scene.settings.stabilization_max_speed, 2);
  EXPECT_EQ(scene.settings.stabilization_slop, 1e-6);
  EXPECT_EQ(scene.settings.solver, "pgs");
  EXPECT_EQ(scene.settings.warm_start, false);
  EXPECT_EQ(scene.settings.on_failure, SceneFailurePolicy::Retry);
  EXPECT_EQ(scene.settings.retry_solver, "canal");
  EXPECT_EQ(scene.seed, 12345678901u);
}

TEST(SceneFile, ObjectsWithShapesAndMaterials) {
  const SceneDescription scene = Parse(R"(
materials:
  ice: {friction: 0.02, stiffness: 1e5, friction_rule: minimum}
objects:
  - name: snowman
    material: ice
    group: 2
    mask: 5
    pose: {position: [1, 2, 3], rpy: [0, 0, 90 deg]}
    shapes:
      - {type: sphere, radius: 0.5}
      - {type: capsule, radius: 0.1, length: 0.4, pose: {axis: [1, 0, 0], angle: 90 deg}, material: {friction: 1}}
      - {type: ellipsoid, size: [1, 2, 3], pose: {quaternion: [0, 0, 0, 2]}}
  - name: field
    fixed: true
    shape: {type: height_field, size: [2, 4, 1], heights: [[0, 1, 2], [3, 4, 5]]}
)");
  ASSERT_EQ(scene.objects.size(), 2u);
  const SceneObject& snowman = scene.objects[0];
  ASSERT_EQ(snowman.shapes.size(), 3u);
  EXPECT_EQ(snowman.shapes[0].shape.size[0], 0.5);
  EXPECT_EQ(snowman.shapes[0].material.friction, 0.02);
  EXPECT_EQ(snowman.shapes[0].material.friction_rule, CombinationRule::Minimum);
  EXPECT_EQ(snowman.shapes[0].contact_type, 2u);
  EXPECT_EQ(snowman.shapes[2].contact_affinity, 5u);
  EXPECT_EQ(snowman.shapes[1].material.friction, 1);
  EXPECT_TRUE(snowman.shapes[1].material.rigid());
  EXPECT_EQ(snowman.shapes[1].shape.size[1], 0.2);
  EXPECT_NEAR((snowman.shapes[1].X_LS.R * Vector3::UnitY() - Vector3::UnitZ()).norm(), 0, 1e-15);
  EXPECT_NEAR((snowman.shapes[2].X_LS.R * Vector3::UnitX() + Vector3::UnitX()).norm(), 0, 1e-15);
  EXPECT_EQ(snowman.shapes[2].shape.size, Vector3(0.5, 1, 1.5));
  EXPECT_EQ(snowman.pose.p, Vector3(1, 2, 3));
  EXPECT_NEAR((snowman.pose.R * Vector3::UnitX() - Vector3::UnitY()).norm(), 0, 1e-15);
  const HeightField& field = *scene.objects[1].shapes[0].shape.height_field;
  EXPECT_EQ(field.height(1, 2), 5);
  EXPECT_EQ(field.half_y, 2);
}

TEST(SceneFile, MassMotionAndArrays) {
  const SceneDescription scene = Parse(Cube(R"(mass: 2
    inertia: {com: [0, 0, 0.1], moments: [1, 1, 1.5], products: [0, 0.1, 0]}
    velocity: {linear: [1, 0, 0], angular: [0, 0, 2]}
    array: {count: [2, 3, 4], spacing: [1, 1, 1], jitter: 0.1}
  - name: lift
    shape: {type: box, size: [1, 1, 0.1]}
    motion:
      type: waypoints
      waypoints:
        - {time: 0, pose: {position: [0, 0, 0]}}
        - {time: 2, pose: {position: [0, 0, 1]}})"));
  const SceneObject& cube = scene.objects[0];
  EXPECT_EQ(cube.inertia->mass, 2);
  EXPECT_EQ(cube.inertia->central(2, 0), 0.1);
  EXPECT_EQ(cube.array->size(), 24);
  EXPECT_EQ(cube.angular_velocity[2], 2);
  EXPECT_THAT(scene.objects[1].motion->times, ElementsAre(0, 2));
}

TEST(SceneFile, ConstraintsAndControl) {
  // A robot "r" with two hinges, and bodies.
  const TemporaryFolder folder;
  folder.Write("r.urdf", R"(<robot name="r"><link name="base"/><link name="l"/><link name="m"/>
    <joint name="a" type="continuous"><parent link="base"/><child link="l"/></joint>
    <joint name="b" type="continuous"><parent link="l"/><child link="m"/></joint></robot>)");
  SceneFileSettings settings;
  settings.files.roots = {folder.path()};
  const SceneDescription scene = Parse(R"(
models: [{name: r, file: r.urdf}]
objects:
  - {name: a, shape: &ball {type: sphere, radius: 1}}
  - {name: b, shape: *ball}
  - {name: c, shape: *ball}
  - {name: wheel, shape: *ball}
constraints:
  - {type: weld, first: a, second: b, relative: {position: [0, 0, 1]}}
  - {type: connect, first: a, first_point: [1, 0, 0]}
  - {type: gear, joint: r/a, follows: r/b, ratio: -2}
  - {type: gear, joint: r/a, follows: r/b, polynomial: [0, 1, 0.5]}
  - {type: tendon, joints: {r/a: 1, r/b: -1}, lower: 0, upper: inf}
  - {type: no_slip, body: wheel, radius: 0.1, lateral: false}
  - {type: distance, first: a, second: b, upper: 2}
drives: [{joint: r/a, stiffness: 100, damping: 10, effort: 5, target: 45 deg}]
controllers:
  - {type: impedance, joints: [r/*], stiffness: 10, damping: [1, 2], rate: 500}
  - {type: waypoints, joints: [r/a], stiffness: 5, waypoints: [[0, 0.1], [1, 0.2]]}
  - {type: script, joints: [r/a], mode: velocity, table: [[0, 1], [0.5, 2]]}
wrenches: [{body: a, force: [1, 0, 0], from: 1, to: 2}]
sensors: [{type: energy, name: e}, {type: joint_state, name: j, joint: r/a}]
contacts: {exclude: [[a, b]], pairs: [{bodies: [a, c], friction: 0.1}]}
)",
                                       settings);
  ASSERT_EQ(scene.constraints.size(), 7u);
  EXPECT_EQ(scene.constraints[0].relative->p[2], 1);
  EXPECT_EQ(scene.constraints[1].second, "world");
  EXPECT_EQ(scene.constraints[2].polynomial[1], -2);
  EXPECT_THAT(scene.constraints[3].polynomial, ElementsAre(0, 1, 0.5, 0, 0));
  EXPECT_EQ(scene.constraints[4].joints[1].second, -1);
  EXPECT_EQ(scene.constraints[5].first, "wheel");
  EXPECT_NEAR(*scene.drives[0].target, 0.785398163397448, 1e-14);
  EXPECT_THAT(scene.controllers[0].damping, ElementsAre(1, 2));
  EXPECT_THAT(scene.controllers[1].times, ElementsAre(0, 1));
  EXPECT_EQ(scene.controllers[2].mode, SceneScriptMode::Velocity);
  EXPECT_EQ(scene.wrenches[0].to, 2);
  EXPECT_EQ(scene.sensors[1].joint, "r/a");
  EXPECT_EQ(scene.contact_pairs[0].friction, 0.1);
}

TEST(SceneFile, MessagesSayWhereAndWhat) {
  EXPECT_EQ(ParseError(Cube("mass: heavy")),
            "s.yaml:4: objects.cube.mass: is 'heavy' (expected: a number >= 1e-12 [kg])");
  EXPECT_EQ(ParseError(Cube("masss: 1")),
            "s.yaml:4: objects.cube.masss: 'masss' is not known here (expected: did you mean 'mass'?)");
  EXPECT_EQ(ParseError("time_stepp: 1"),
            "s.yaml:1: time_stepp: 'time_stepp' is not known here (expected: did you mean 'time_step'?)");
  EXPECT_THAT(ParseError("gravity: [0, 0]"), HasSubstr("gravity: is a list of 2 (expected: three numbers"));
  EXPECT_THAT(ParseError("gravity: [0, 0, .nan]"), HasSubstr("gravity.2: is '.nan'"));
  EXPECT_THAT(ParseError("time_step: 0"), HasSubstr("time_step: is '0'"));
  EXPECT_THAT(ParseError("time_step: 1/0"), HasSubstr("time_step: is '1/0'"));
  EXPECT_THAT(ParseError("solver: {name: hybird}"), HasSubstr("did you mean 'hybrid'?"));
  EXPECT_THAT(ParseError("threads: 1.5"), HasSubstr("a whole number from 1"));
  EXPECT_THAT(ParseError("objects: [{name: a}]"), HasSubstr("objects.a: it has no shape"));
  EXPECT_THAT(ParseError("objects: [{name: a, shape: {type: bx}}]"), HasSubstr("objects.a.shape.type: is 'bx'"));
  EXPECT_THAT(ParseError("objects: [{name: a, shape: {type: sphere}}]"), HasSubstr("there is no 'radius'"));
  EXPECT_THAT(ParseError("objects: [{shape: {type: sphere, radius: 1}}]"), HasSubstr("objects.0: there is no 'name'"));
  EXPECT_THAT(ParseError("objects: [{name: a, shape: {type: plane}}]"), HasSubstr("cannot be moved by forces"));
  EXPECT_THAT(ParseError(Cube("material: woood")), HasSubstr("there is no material 'woood'"));
  EXPECT_THAT(ParseError(Cube("material: {friction: -1}")), HasSubstr("objects.cube.material.friction: is '-1'"));
  EXPECT_THAT(ParseError(Cube("fixed: yes please")), HasSubstr("true or false"));
  EXPECT_THAT(ParseError(Cube("mass: 1\n    density: 2")), HasSubstr("mass and density"));
  EXPECT_THAT(ParseError(Cube("pose: {rpy: [0, 0, 0], quaternion: [1, 0, 0, 0]}")), HasSubstr("several orientations"));
  EXPECT_THAT(ParseError(Cube("pose: {quaternion: [0, 0, 0, 0]}")), HasSubstr("has length zero"));
  EXPECT_THAT(ParseError(Cube("mass: 1\n    inertia: {moments: [1, 1, 5]}")), HasSubstr("objects.cube.inertia"));
  EXPECT_THAT(ParseError(Cube("array: {count: [10000, 10000, 10]}")), HasSubstr("1e+09 copies"));
  EXPECT_THAT(ParseError(Cube("motion: {type: oscillate}")), HasSubstr("there is no 'frequency'"));
  EXPECT_THAT(ParseError(Cube("") + "  - name: cube\n    shape: {type: sphere, radius: 1}\n"),
              StartsWith("s.yaml:5: objects.cube: there is another model or object"));
  EXPECT_THAT(ParseError("constraints: [{type: gear, joint: a, follows: b}]"), HasSubstr("ratio or polynomial"));
  EXPECT_THAT(ParseError("controllers: [{type: script, joints: [a], table: [[0, 1], [0, 2]]}]"),
              HasSubstr("controllers.0.table.1: its time 0 is not after"));
  EXPECT_THAT(ParseError("- a\n"), HasSubstr("scene: is a list of 1"));
}

// Names that do not exist are found when the file is read, where they stand.
TEST(SceneFile, WrongNamesSayWhereAndWhat) {
  const auto error = [](const std::string& more) {
    return ParseError(R"(models: [{name: arm, builtin: panda_hand}]
objects:
  - {name: cube, shape: {type: box, size: [1, 1, 1]}}
  - {name: balls, shape: {type: sphere, radius: 0.1}, array: {count: [5, 1, 1], spacing: [1, 0, 0]}}
)" + more);
  };
  EXPECT_EQ(error("constraints:\n  - type: weld\n    first: cube\n    second: arm/panda_hnd"),
            "s.yaml:8: constraints.0.second: there is no body 'arm/panda_hnd' (expected: did you mean "
            "'arm/panda_hand'?)");
  EXPECT_EQ(error("drives:\n  - {joint: arm/panda_jiont1}"),
            "s.yaml:6: drives.0.joint: there is no joint 'arm/panda_jiont1' (expected: did you mean "
            "'arm/panda_joint1'?)");
  EXPECT_THAT(error("drives: [{joint: leg/*}]"), StartsWith("s.yaml:5: drives.0.joint: there are no joints 'leg/*'"));
  EXPECT_THAT(error("controllers: [{type: position, joints: [arm/x], stiffness: 1}]"),
              StartsWith("s.yaml:5: controllers.0.joints.0: there is no joint 'arm/x'"));
  EXPECT_THAT(error("controllers: [{type: position, joints: [arm/*], stiffness: [1, 2]}]"),
              StartsWith("s.yaml:5: controllers.0.stiffness: has 2 values for 8 joints"));
  EXPECT_THAT(error("controllers: [{type: script, joints: [arm/panda_joint1], table: [[0, 1, 2]]}]"),
              HasSubstr("controllers.0.table: its rows have 2 values for 1 joints"));
  EXPECT_THAT(error("wrenches: [{body: qube}]"), HasSubstr("wrenches.0.body: there is no body 'qube' (expected: did"));
  EXPECT_THAT(error("wrenches: [{body: world}]"), HasSubstr("is the world"));
  EXPECT_THAT(error("sensors: [{type: pose, name: p, body: balls}]"),
              HasSubstr("sensors.p.body: 'balls' is an array (expected: one of its copies, 'balls_0' to 'balls_4')"));
  EXPECT_THAT(error("sensors: [{type: pose, name: p, body: balls_5}]"), HasSubstr("there is no body 'balls_5'"));
  EXPECT_THAT(error("sensors: [{type: pose, name: p, body: balls_04}]"), HasSubstr("there is no body 'balls_04'"));
  EXPECT_THAT(error("sensors: [{type: drive_effort, name: p, joint: cube}]"), HasSubstr("there is no joint 'cube'"));
  EXPECT_THAT(error("constraints: [{type: tendon, joints: {arm/a: 1}}]"), HasSubstr("joints.arm/a: there is no joint"));
  EXPECT_THAT(error("constraints: [{type: spring, first: cube, second: cube, stiffness: 1}]"), HasSubstr("both ends"));
  EXPECT_THAT(error("contacts: {exclude: [[cube, leg]]}"),
              HasSubstr("contacts.exclude.0.1: there is no body, model or deformable"));
  EXPECT_EQ(error("contacts: {exclude: [[cube, arm], [balls_4, arm/panda_hand]]}"), "");
}

TEST(SceneFile, NumbersThatMeanNothingAreRefused) {
  EXPECT_THAT(ParseError(Cube("mass: 1e-160")), HasSubstr("objects.cube.mass: is '1e-160'"));
  EXPECT_THAT(ParseError("time_step: 2"), HasSubstr("time_step: is '2' (expected: a number from 1e-09 to 1 [s])"));
  EXPECT_THAT(ParseError("time_step: 1e-300"), HasSubstr("time_step: is '1e-300'"));
  EXPECT_THAT(ParseError("max_contacts: 0"), HasSubstr("max_contacts: is '0'"));
  EXPECT_THAT(ParseError(Cube("array: {count: [1, 3, 1], spacing: [1, 0, 1]}")),
              HasSubstr("objects.cube.array: 3 copies along y are in one place"));
  EXPECT_EQ(ParseError(Cube("array: {count: [1, 1, 1]}")), "");
}

TEST(SceneFile, Models) {
  const SceneDescription scene = Parse(R"(
models:
  - {name: left, builtin: panda_hand, pose: {position: [0, 1, 0]}, joints: {panda_joint2: -45 deg}}
  - {name: dog, builtin: go2, fixed_base: false}
)");
  EXPECT_EQ(scene.models[0].base, BaseChange::Keep);
  EXPECT_EQ(scene.models[1].base, BaseChange::Float);
  EXPECT_GT(scene.models[1].description.links.size(), 10u);
  EXPECT_NEAR(scene.models[0].joints[0].second, -0.785398163397448, 1e-14);

  const auto model = [](const std::string& keys) { return ParseError("models: [{name: r, " + keys + "}]"); };
  EXPECT_THAT(model("builtin: pandahand"), HasSubstr("did you mean 'panda_hand'?"));
  EXPECT_THAT(model("builtin: ../models/go2"), HasSubstr("a name of letters"));
  EXPECT_THAT(model("builtin: panda_hand, joints: {panda_jiont2: 0}"), HasSubstr("did you mean 'panda_joint2'?"));
  EXPECT_THAT(model("builtin: panda_hand, keyframe: home"), HasSubstr("no keyframe 'home'"));
  EXPECT_THAT(model("pose: {}"), HasSubstr("file or builtin"));
}

TEST(SceneFile, FilesStayWithinTheFolder) {
  const TemporaryFolder folder;
  folder.Write("outside.urdf", "<robot name='r'><link name='a'/></robot>");
  folder.Write("scene/inside.urdf", "<robot name='r'><link name='a'/></robot>");
  folder.Write("scene/broken.urdf", "<robot name='r'>\n<link/></robot>");
  const auto load = [&](const std::string& file) {
    const auto scene = folder.Write("scene/s.yaml", "models:\n  - {name: r, file: " + file + "}\n");
    return ErrorOf([&] { LoadScene(scene); });
  };
  EXPECT_EQ(load("inside.urdf"), "");
  EXPECT_THAT(load("../outside.urdf"), HasSubstr("s.yaml:2: models.r.file: '../outside.urdf'"));
  EXPECT_THAT(load("/etc/passwd"), HasSubstr("models.r.file"));
  EXPECT_THAT(load("none.urdf"), HasSubstr("models.r.file: 'none.urdf'"));
  EXPECT_THAT(load("broken.urdf"), HasSubstr("broken.urdf:2"));
}

TEST(SceneFile, Overrides) {
  SceneFileSettings settings;
  settings.overrides = {"objects.cube.mass=2", "gravity=[0, 0, -1.62]", "solver.name=pgs",
                        "objects.cube.pose.position=[0, 0, 5]"};
  const SceneDescription scene = Parse(Cube("mass: 1"), settings);
  EXPECT_EQ(scene.objects[0].mass, 2);
  EXPECT_EQ(scene.gravity[2], -1.62);
  EXPECT_EQ(scene.settings.solver, "pgs");
  EXPECT_EQ(scene.objects[0].pose.p[2], 5);
  const auto set = [](const std::string& text) {
    SceneFileSettings with;
    with.overrides = {text};
    return ParseError(Cube("mass: 1"), with);
  };
  EXPECT_EQ(set("objects.cube.mass=-1"),
            "--set objects.cube.mass=-1: objects.cube.mass: is '-1' (expected: a number >= 1e-12 [kg])");
  EXPECT_THAT(set("objects.cube.colour=red"), HasSubstr("objects.cube.colour: 'colour' is not known here"));
  EXPECT_THAT(set("objects.ball.mass=1"), HasSubstr("there is no 'ball'"));
  EXPECT_THAT(set("mass"), HasSubstr("key=value"));
}

TEST(SceneFile, RandomNumbersComeFromTheSeed) {
  const std::string text = Cube("mass: 4") + "randomize: [{path: objects.cube.pose.position, uniform: [1, 2]}]";
  EXPECT_THAT(ParseError(text), HasSubstr("objects.cube.pose.position"));  // a number where a vector must be

  const std::string good = Cube("mass: 4\n    pose: {position: [0, 0, 0]}") + R"(seed: 3
randomize:
  - {path: objects.cube.mass, scale: [0.5, 2]}
  - {path: objects.cube.pose.position.2, uniform: [1, 2]}
  - {path: time_step, normal: [0.01, 0]}
)";
  const SceneDescription first = Parse(good), again = Parse(good);
  SceneFileSettings settings;
  settings.seed = 4;
  const SceneDescription other = Parse(good, settings);
  EXPECT_EQ(first.objects[0].mass, again.objects[0].mass);
  EXPECT_NE(first.objects[0].mass, other.objects[0].mass);
  EXPECT_EQ(other.seed, 4u);
  EXPECT_GE(first.objects[0].mass, 2);
  EXPECT_LE(first.objects[0].mass, 8);
  EXPECT_GE(first.objects[0].pose.p[2], 1);
  EXPECT_EQ(first.settings.time_step, 0.01);
  ASSERT_EQ(first.draws.size(), 3u);
  EXPECT_EQ(first.draws[0].value, first.objects[0].mass);
  EXPECT_THAT(ParseError(Cube("mass: 1") + "randomize: [{path: objects.cube.mass, uniform: [-2, -1]}]"),
              HasSubstr("randomize.0 (objects.cube.mass): objects.cube.mass: is '-1."));
  EXPECT_THAT(ParseError(Cube("mass: 1") + "randomize: [{path: objects.cube.density, scale: [1, 2]}]"),
              HasSubstr("there is no 'density'"));
}

TEST(SceneFile, AModelFileIsAScene) {
  const TemporaryFolder folder;
  const auto urdf = folder.Write("my robot.urdf", "<robot name='my robot'><link name='a'/></robot>");
  const SceneDescription scene = LoadScene(urdf);
  ASSERT_EQ(scene.models.size(), 1u);
  EXPECT_EQ(scene.models[0].name, "my_robot");
  ASSERT_EQ(scene.objects.size(), 1u);
  EXPECT_EQ(scene.objects[0].shapes[0].shape.type, ShapeType::HalfSpace);
  EXPECT_THAT(scene.notes, ElementsAre(HasSubstr("a ground plane")));
  SceneFileSettings settings;
  settings.overrides = {"models.my_robot.fixed_base=false", "time_step=0.001"};
  EXPECT_EQ(LoadScene(urdf, settings).models[0].base, BaseChange::Float);

  const auto mjcf = folder.Write("own.xml",
                                 "<mujoco><option timestep='0.005' gravity='0 0 -2'/><worldbody>"
                                 "<geom type='plane' size='1 1 1'/></worldbody></mujoco>");
  const SceneDescription own = LoadScene(mjcf);
  EXPECT_TRUE(own.objects.empty());
  EXPECT_TRUE(own.notes.empty());
  EXPECT_EQ(own.settings.time_step, 0.005);
  EXPECT_EQ(own.gravity[2], -2);
  EXPECT_EQ(MakeSceneFromModel(scene.models[0].description).objects.size(), 1u);
}

TEST(SceneFile, BuiltInScenesAreSound) {
  ASSERT_GE(BuiltInScenes().size(), 5u);
  for (const auto& file : BuiltInScenes()) {
    SCOPED_TRACE(file);
    EXPECT_EQ(ErrorOf([&] { EXPECT_FALSE(LoadScene(file).name.empty()); }), "");
  }
}

// The schema is made of the tables that read scenes, so that keys are the same; this keeps the file up to date.
// TACTUS_UPDATE=1 writes it.
TEST(SceneFile, SchemaIsThatOfTheParser) {
  const std::filesystem::path file = std::filesystem::path(kProject) / "scenes" / "scene.schema.json";
  if (std::getenv("TACTUS_UPDATE") != nullptr) std::ofstream(file) << MakeSceneSchema();
  EXPECT_EQ(ReadText(file), MakeSceneSchema()) << "run scene_test with TACTUS_UPDATE=1";
}

TEST(SceneFile, SchemaHasAllThatItRefersTo) {
  const nlohmann::json schema = nlohmann::json::parse(MakeSceneSchema());
  int references = 0;
  const std::function<void(const nlohmann::json&)> look = [&](const nlohmann::json& node) {
    if (node.is_object() && node.contains("$ref") && node["$ref"].is_string()) {
      const auto path = node["$ref"].get<std::string>();
      ++references;
      EXPECT_TRUE(path.starts_with('#') && schema.contains(nlohmann::json::json_pointer(path.substr(1)))) << path;
    }
    if (node.is_structured()) {
      for (const nlohmann::json& child : node) look(child);
    }
  };
  look(schema);
  EXPECT_GT(references, 50);
}

// Likewise the page of keys; and every key has a default, is required, or says what holds without it.
TEST(SceneFile, PageOfKeysIsThatOfTheParser) {
  const std::filesystem::path file = std::filesystem::path(kProject) / "docs" / "scene-keys.md";
  if (std::getenv("TACTUS_UPDATE") != nullptr) std::ofstream(file) << MakeSceneKeysPage();
  EXPECT_EQ(ReadText(file), MakeSceneKeysPage()) << "run scene_test with TACTUS_UPDATE=1";
  // Every kind of constraint, controller and sensor is named on the page about scenes, too.
  const std::string page = ReadText(std::filesystem::path(kProject) / "docs" / "scenes.md");
  const nlohmann::json schema = nlohmann::json::parse(MakeSceneSchema());
  for (const auto& [name, table] : schema["$defs"].items()) {
    if (!table["properties"].contains("type")) continue;
    const std::string type = table["properties"]["type"].value("const", "");
    EXPECT_NE(page.find("`" + type + "`"), std::string::npos) << name;
  }
  for (const auto& [key, value] : schema["$defs"]["scene"]["properties"].items()) {
    EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key;
  }
  EXPECT_EQ(schema["$defs"]["scene"]["properties"]["time_step"]["default"], "1/240");
  EXPECT_EQ(schema["$defs"]["drive"]["properties"]["effort"]["default"], "inf");
  EXPECT_EQ(schema["$defs"]["material"]["properties"]["friction"]["default"], 1);
  EXPECT_EQ(schema["$defs"]["controller_impedance"]["properties"]["gravity_compensation"]["default"], false);
}

TEST(SceneFile, KeysAreDescribed) {
  EXPECT_THAT(DescribeSceneKeys("sensor"), HasSubstr("sensor_joint_wrench: "));
  EXPECT_THAT(DescribeSceneKeys("drive"), HasSubstr("inf"));
  EXPECT_THAT(DescribeSceneKeys(), HasSubstr("constraint_weld: "));
  EXPECT_THAT(ErrorOf([] { DescribeSceneKeys("sensr_pose"); }), HasSubstr("did you mean 'sensor_pose'?"));
}

// Bytes are changed, removed, doubled and swapped between scenes: an error or a scene, nothing else.
TEST(SceneFile, MutatedScenesDoNotCrash) {
  std::vector<std::string> texts;
  for (const auto& file : BuiltInScenes()) {
    // Models and threads take most of the time to load, and have tests of their own.
    const std::string text = ReadText(file);
    const bool slow = text.find("builtin") != std::string::npos || text.find("type: nut") != std::string::npos;
    if (!slow) texts.push_back(text);
  }
  texts.emplace_back(
      "controllers: [{type: impedance, joints: [a], stiffness: [1, 2]}]\n"
      "constraints: [{type: tendon, joints: {a: 1}}, {type: weld, first: a}]\nrandomize: [{path: a.b, scale: [1, 2]}]");
  Random random(5);
  int sound = 0;
  SceneFileSettings settings;
  settings.max_bodies = 1000;
  for (int round = 0; round < 10000; ++round) {
    std::string text = texts[static_cast<std::size_t>(random.Index(static_cast<int>(texts.size())))];
    for (int change = random.Index(4); change >= 0; --change) {
      const auto at = [&] { return static_cast<std::size_t>(random.Index(static_cast<int>(text.size()) + 1)); };
      const std::size_t from = at(), length = static_cast<std::size_t>(random.Index(20));
      constexpr std::string_view kBytes = "{}[]:,-&*!|>'\"%@`#?\n \t\r0123456789eE.+/aZ\x80\xff";
      switch (random.Index(5)) {
        case 0: text.erase(from, length); break;
        case 1: text.insert(from, 1, kBytes[static_cast<std::size_t>(random.Index(kBytes.size()))]); break;
        case 2: text.insert(at(), text.substr(from, length)); break;
        case 3: text.insert(from, "&a [*a, 1e999, -1, .inf, ~]"); break;
        default:
          if (from < text.size()) text[from] = static_cast<char>(random.Index(256));
      }
    }
    try {
      ParseScene(text, "f.yaml", settings);
      ++sound;
    } catch (const InputError& error) {
      ASSERT_STRNE(error.what(), "");
    }
  }
  EXPECT_GT(sound, 100);
  EXPECT_LT(sound, 9000);
}

}  // namespace
}  // namespace tactus
