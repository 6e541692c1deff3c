// Deformables in scene files: what is read, what is refused, and what the scenes that come along do.
#include <algorithm>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/io/mesh/gmsh_program.h"
#include "tactus/io/mesh/mesh_file.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/goals.h"
#include "tactus/scene/scene_file.h"
#include "tactus/scene/scene_testing.h"

namespace tactus {
namespace {

using testing::HasSubstr;

SceneSimulation Make(const std::string& text) { return MakeSimulation(ParseScene(text, "s.yaml")); }

const char kRod[] = "deformables:\n  - {name: cable, type: rod, length: 1, segments: 10, radius: 0.01";
const char kMat[] =
    "deformables:\n  - {name: mat, type: fem, mesh: {type: mat, size: [0.4, 0.4, 0.02], cells: [2, 2, 1]}";

TEST(DeformableScene, ReadsAll) {
  const SceneSimulation simulation = Make(R"(
objects:
  - {name: block, mass: 1, shape: {type: box, size: [0.1, 0.1, 0.1]}, pose: {position: [0, 0, 3]}}
deformables:
  - name: ball
    type: fem
    mesh: {type: ball, radius: 0.1, edge: 0.05}
    young: 2e4
    poisson: 0.4
    density: 900
    model: neo_hookean
    masses: consistent
    material: {friction: 0.3}
    pose: {position: [0, 0, 1], rpy: [0, 0, 90 deg]}
    velocity: {linear: [1, 0, 0]}
    attachments: [{items: [0], body: block, to: 0.5}]
  - name: cable
    type: rod
    length: 1
    segments: 10
    radius: 0.01
    self_contact: true
    pose: {position: [5, 0, 0]}
    clamps:
      - {items: [0]}
      - {low: [0.85, -1, -1], high: [1, 1, 1], motion: {type: constant, velocity: [0, 0, 0.1]}}
sensors:
  - {name: pull, type: clamp_force, deformable: cable, clamp: 1}
  - {name: middle, type: deformable_item, deformable: cable, item: 5}
)");
  Simulator& simulator = *simulation.simulator;
  ASSERT_EQ(simulator.deformables().size(), 2);
  const auto& ball = dynamic_cast<const FemBody&>(simulator.deformables().body(0));
  EXPECT_EQ(ball.material().model, FemModel::NeoHookean);
  EXPECT_EQ(ball.settings().mass, FemMass::Consistent);
  EXPECT_EQ(ball.material().young, 2e4);
  EXPECT_EQ(simulator.deformables().setup(0).material.friction, 0.3);
  const Deformable& cable = simulator.deformables().body(1);
  EXPECT_EQ(cable.num_held_dofs(), 3 * 6);  // the first, and the last two
  EXPECT_TRUE(simulator.deformables().setup(1).self_contact);
  EXPECT_EQ(simulator.attachments().size(), 1u);
  EXPECT_EQ(simulator.attachments()[0].times.to, 0.5);
  double values[6];
  ASSERT_TRUE(simulator.Step().moved());
  CalcProbe(simulator, simulation.probes[1], values);
  EXPECT_NEAR(values[0], 5.55, 1e-3);
  CalcProbe(simulator, simulation.probes[0], values);
  EXPECT_NE(values[2], 0);
}

TEST(DeformableScene, RefusesWhatMakesNoSense) {
  EXPECT_EQ(Refusal(std::string(kRod) + "}"), "");
  EXPECT_EQ(Refusal(std::string(kMat) + "}"), "");
  EXPECT_THAT(Refusal(std::string(kRod) + ", young: -1}"), HasSubstr("s.yaml:2: deformables.cable.young"));
  EXPECT_THAT(Refusal(std::string(kRod) + ", poisson: 0.5}"), HasSubstr("s.yaml:2: deformables.cable.poisson"));
  EXPECT_THAT(Refusal(std::string(kMat) + ", poisson: 0.5}"), HasSubstr("s.yaml:2: deformables.mat.poisson"));
  EXPECT_THAT(Refusal(std::string(kMat) + ", density: -1}"), HasSubstr("s.yaml:2: deformables.mat.density"));
  EXPECT_THAT(Refusal(std::string(kRod) + ", mesh: {}}"), HasSubstr("not known"));
  EXPECT_THAT(Refusal(std::string(kRod) + ", clamps: [{}]}"), HasSubstr("names nothing"));
  EXPECT_THAT(Refusal(std::string(kRod) + ", clamps: [{items: [10]}]}"), HasSubstr("there is no item 10"));
  EXPECT_THAT(Refusal(std::string(kRod) + ", clamps: [{items: [0]}, {items: [-10]}]}"), HasSubstr("twice"));
  EXPECT_THAT(Refusal(std::string(kRod) + ", clamps: [{low: [5, 0, 0], high: [6, 1, 1]}]}"),
              HasSubstr("nothing is in its box"));
  EXPECT_THAT(Refusal(std::string(kRod) + ", clamps: [{low: [5, 0, 0]}]}"), HasSubstr("low and high"));
  EXPECT_THAT(Refusal(std::string(kRod) + ", attachments: [{items: [0], body: hand}]}"),
              HasSubstr("there is no body 'hand'"));
  EXPECT_THAT(Refusal(std::string(kRod) + ", attachments: [{items: [0], body: world}], clamps: [{items: [0]}]}"),
              HasSubstr("held"));
  EXPECT_THAT(Refusal("deformables:\n  - {name: mat, type: cloth}"), HasSubstr("cloth"));
  EXPECT_THAT(Refusal("deformables:\n  - {name: mat, type: fem}"), HasSubstr("mesh"));
  EXPECT_THAT(Refusal("deformables:\n  - {name: mat, type: fem, mesh: {type: mat, size: [1, 1, 1]}}"),
              HasSubstr("cells and edge"));
  EXPECT_THAT(Refusal("deformables:\n  - {name: m, type: fem, mesh: {type: box, size: [1, 1, 1], edge: 1e-4}}"),
              HasSubstr("cells"));
  EXPECT_THAT(Refusal("deformables:\n  - {name: m, type: fem, mesh: {type: file, file: none.msh}}"),
              HasSubstr("none.msh"));
  EXPECT_THAT(Refusal("deformables:\n  - {name: m, type: fem, mesh: {type: surface, file: none.stl, edge: 1}}"),
              HasSubstr("none.stl"));
  EXPECT_THAT(Refusal(std::string(kRod) + "}\nsensors: [{name: s, type: clamp_force, deformable: cable}]"),
              HasSubstr("clamps"));
  EXPECT_THAT(Refusal(std::string(kRod) + "}\nobjects: [{name: cable, fixed: true, shape: {type: plane}}]"),
              HasSubstr("of that name"));
}

const char kPads[] = R"(
objects:
  - {name: plate, mass: 0.2, shape: {type: box, size: [0.2, 0.2, 0.02]}, pose: {position: [0, 0, 0.105]}}
deformables:
  - {name: pad, type: fem, mesh: {type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, pose: {position: [0, 0, 0.05]}}
  - {name: other, type: fem, mesh: {type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, pose: {position: [0.09, 0, 0.05]}}
)";

// Names of pairs of shapes that touch after a step, "first second".
std::set<std::string> FindTouching(const std::string& more, double friction = -1) {
  const SceneSimulation simulation = Make(kPads + more);
  Simulator& simulator = *simulation.simulator;
  EXPECT_TRUE(simulator.Step().moved());
  std::set<std::string> out;
  for (const ContactState& c : simulator.contacts()) {
    if (friction >= 0 && c.friction1 != friction) continue;
    const SimulatorObject &a = simulator.objects()[static_cast<std::size_t>(c.object_a)],
                          &b = simulator.objects()[static_cast<std::size_t>(c.object_b)];
    out.insert((a.deformable < 0 ? "plate" : a.name) + " " + b.name);
  }
  return out;
}

TEST(DeformableScene, PairsAreExcludedOrHaveTheirFriction) {
  using Names = std::set<std::string>;
  EXPECT_EQ(FindTouching(""), (Names{"pad other", "plate other", "plate pad"}));
  EXPECT_EQ(FindTouching("contacts: {exclude: [[pad, plate]]}"), (Names{"pad other", "plate other"}));
  EXPECT_EQ(FindTouching("contacts: {exclude: [[plate, other], [other, pad]]}"), (Names{"plate pad"}));
  EXPECT_EQ(FindTouching("contacts: {pairs: [{bodies: [pad, plate], friction: 0.125}]}", 0.125), (Names{"plate pad"}));
  EXPECT_EQ(FindTouching("contacts: {pairs: [{bodies: [other, pad], friction: 0.125}]}", 0.125), (Names{"pad other"}));
  EXPECT_THAT(Refusal(std::string(kPads) + "contacts: {exclude: [[padd, plate]]}"),
              HasSubstr("there is no body, model or deformable 'padd' (expected: did you mean 'pad'?)"));
}

TEST(DeformableScene, NamesOfDeformablesSayWhatToUse) {
  for (const char* type : {"contact_force", "pose"}) {
    EXPECT_THAT(Refusal(std::string(kPads) + "sensors: [{name: s, type: " + type + ", body: pad}]"),
                HasSubstr("sensors.s.body: 'pad' is a deformable (expected: deformable_item, clamp_force, "
                          "attachment_force, or contact_force of what it touches)"));
  }
  EXPECT_THAT(Refusal(std::string(kMat) + "}\n  - {name: cable, type: rod, length: 1, segments: 10, radius: 0.01, "
                                          "attachments: [{items: [0], body: mat}]}"),
              HasSubstr("attachments.0.body: 'mat' is a deformable (expected: an object"));
  EXPECT_THAT(Refusal(std::string(kPads) + "sensors: [{name: s, type: attachment_force, deformable: pad}]"),
              HasSubstr("it has 0 attachments"));
}

// Each sensor reads its own of several, which carry the cable between them.
TEST(DeformableScene, AttachmentsAreMeasured) {
  const SceneSimulation simulation = Make(R"(
time_step: 0.01
deformables:
  - {name: pad, type: fem, mesh: {type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, pose: {position: [0, 0, 5]},
     attachments: [{items: [0], body: world}]}
  - {name: cable, type: rod, length: 1, segments: 20, radius: 0.01, young: 1e6, mass_damping: 5,
     attachments: [{items: [0], body: world}, {items: [-1], body: world}]}
sensors:
  - {name: first, type: attachment_force, deformable: cable}
  - {name: last, type: attachment_force, deformable: cable, attachment: -1}
)");
  Simulator& simulator = *simulation.simulator;
  for (int k = 0; k < 300; ++k) ASSERT_EQ(simulator.Step().status, StepStatus::Ok);
  Vector6 first, last;
  CalcProbe(simulator, simulation.probes[0], first.data());
  CalcProbe(simulator, simulation.probes[1], last.data());
  const double weight = 9.81 * simulator.deformables().body(1).mass();
  EXPECT_NEAR(first[2] + last[2], weight, 1e-3 * weight);
  // Forces of a joint are in the axes of one of its segments, so that both sides agree to the order of their turn.
  EXPECT_NEAR(first[2], last[2], 3e-3 * weight);
  EXPECT_LT(first[0], 0);
  EXPECT_NEAR(first[0], -last[0], 1e-3 * weight);
}

TEST(DeformableScene, SettingsOfCondAreRead) {
  const SceneDescription scene = ParseScene(R"(
solver:
  name: cond
  cond: {law: proximal, weights: bb_alternate, virtual_nodes: plain, shared: jacobi, kappa: 50, schur: true,
         chebyshev: false, recycle_weights: true, omega: 1e-3, rho_cap: 0.99, spectral_target: 1.5, still: 1e-4}
)",
                                            "s.yaml");
  const CondSettings cond = MakeSettings(scene.settings).cond;
  EXPECT_EQ(cond.law, CondOperator::Proximal);
  EXPECT_EQ(cond.weights, CondWeights::BBAlternate);
  EXPECT_EQ(cond.virtual_nodes, CondVirtualNodes::Plain);
  EXPECT_EQ(cond.shared, CondShared::Jacobi);
  EXPECT_EQ(cond.kappa, 50);
  EXPECT_TRUE(cond.schur && cond.recycle_weights && !cond.chebyshev);
  EXPECT_EQ(cond.omega, 1e-3);
  EXPECT_EQ(cond.rho_cap, 0.99);
  EXPECT_EQ(cond.spectral_target, 1.5);
  EXPECT_EQ(cond.still, 1e-4);
  const auto refusal = [](const std::string& text) { return Refusal("solver: {name: cond, cond: {" + text + "}}"); };
  EXPECT_EQ(refusal("weights: frobenius"), "");
  EXPECT_THAT(refusal("weights: best"), HasSubstr("s.yaml:1: solver.cond.weights: is 'best'"));
  EXPECT_THAT(refusal("schur: 2"), HasSubstr("solver.cond.schur"));
  EXPECT_THAT(refusal("spectral_target: 2"), HasSubstr("solver.cond.spectral_target: is"));
  EXPECT_THAT(refusal("kappa: 0"), HasSubstr("solver.cond.kappa"));
  EXPECT_THAT(refusal("omega: -1"), HasSubstr("solver.cond.omega"));
  EXPECT_THAT(refusal("rho_window: 65"), HasSubstr("solver.cond.rho_window"));
  EXPECT_THAT(refusal("shur: true"), HasSubstr("schur"));
}

// Variants of COND change how long it takes, and not where a mat falls.
TEST(DeformableScene, SettingsOfCondAreUsed) {
  const auto run = [](const std::vector<std::string>& set) {
    SceneFileSettings settings;
    settings.overrides = {"cells=6", "solver.name=cond", "solver.tolerance=1e-8"};
    settings.overrides.insert(settings.overrides.end(), set.begin(), set.end());
    const SceneSimulation simulation =
        MakeSimulation(LoadScene(std::filesystem::path(TACTUS_PROJECT_DIR) / "scenes/soft-mat-drop.yaml", settings));
    double iterations = 0;
    for (int k = 0; k < 25; ++k) {
      const StepReport report = simulation.simulator->Step();
      EXPECT_EQ(report.status, StepStatus::Ok) << report.message;
      iterations += report.solve.iterations;
    }
    return std::pair(simulation.simulator->state().deformables[0].q, iterations);
  };
  const auto [standard, usual] = run({});
  const auto [exact, fewer] = run({"solver.cond.schur=true"});
  const auto [plain, more] = run({"solver.cond.chebyshev=false"});
  EXPECT_LT((exact - standard).norm(), 1e-5 * standard.norm());
  EXPECT_LT((plain - standard).norm(), 1e-5 * standard.norm());
  EXPECT_LT(fewer, usual);
  EXPECT_GT(more, usual);
}

// A surface is filled by gmsh: the volume is that of the stone.
TEST(DeformableScene, SurfacesAreFilled) {
  if (!HasGmsh()) GTEST_SKIP() << "the program gmsh is not installed";
  const std::filesystem::path scene = std::filesystem::path(TACTUS_PROJECT_DIR) / "scenes/physics/surface.yaml";
  SceneFileSettings settings;
  settings.files.roots = {scene.parent_path().string()};
  const std::string text =
      "deformables:\n  - {name: stone, type: fem, density: 1000, mesh: {type: surface, file: voussoir.obj, edge: 0.1}}";
  const SceneSimulation simulation = MakeSimulation(ParseScene(text, scene.string(), settings));
  const Deformable& body = simulation.simulator->deformables().body(0);
  const FileRoots roots({});
  const TriangleMesh mesh = *MeshLibrary(&roots).Load(scene.parent_path() / "voussoir.obj", Vector3::Ones());
  double volume = 0;
  for (const auto& t : mesh.triangles) {
    volume += mesh.vertices[static_cast<std::size_t>(t[0])].dot(
                  mesh.vertices[static_cast<std::size_t>(t[1])].cross(mesh.vertices[static_cast<std::size_t>(t[2])])) /
              6;
  }
  EXPECT_NEAR(body.mass(), 1000 * volume, 1e-9 * 1000 * volume);
}

// In paper 001's Table I the box sinks and lags behind by its virtual nodes; ours are tied exactly.
TEST(DeformableScene, BoxSlidesAsItShould) {
  const SceneSimulation simulation =
      MakeSimulation(LoadScene(std::filesystem::path(TACTUS_PROJECT_DIR) / "scenes/box-slide.yaml"));
  Simulator& simulator = *simulation.simulator;
  for (int k = 0; k < 100; ++k) ASSERT_EQ(simulator.Step().status, StepStatus::Ok);
  const Vector3 p = simulator.LinkPose(simulator.model().FindLink("box")).p;
  const double a = (2 - 0.2 * 0.5 * 9.81) / 0.5;
  EXPECT_NEAR(p[0], 0, 1e-8);
  EXPECT_NEAR(p[1], a * 1e-4 * 100 * 101 / 2, 1e-6);
  EXPECT_NEAR(p[2], 0.1, 1e-7);
}

TEST(DeformableScene, FingersLiftTheBall) {
  SceneFileSettings settings;
  settings.overrides = {"edge=0.015"};
  const SceneDescription scene =
      LoadScene(std::filesystem::path(TACTUS_PROJECT_DIR) / "scenes/soft-ball.yaml", settings);
  const SceneSimulation simulation = MakeSimulation(scene);
  Simulator& simulator = *simulation.simulator;
  GoalJudge judge(scene, simulator);
  for (int k = 0; k < 250; ++k) {
    const StepReport report = simulator.Step();
    ASSERT_EQ(report.status, StepStatus::Ok);
    judge.Observe(simulator, report);
  }
  for (const GoalResult& result : judge.Judge(simulator)) EXPECT_TRUE(result.met) << result.name << result.detail;
  // Each finger carries half of it.
  double force[6];
  CalcProbe(simulator, simulation.probes[0], force);
  EXPECT_NEAR(force[2], -0.5 * 9.81 * simulator.deformables().body(0).mass(), 1e-3);
}

// A roller goes past the nodes of two meshes: it sinks into neither, and every step is solved.
TEST(DeformableScene, FingersCloseOnThePart) {
  for (const std::uint64_t seed : {2u, 8u}) {
    SceneFileSettings settings;
    settings.overrides = {"vary=1", "fine=4"};
    settings.seed = seed;
    const SceneSimulation simulation =
        MakeSimulation(LoadScene(std::filesystem::path(TACTUS_PROJECT_DIR) / "scenes/soft-gripper.yaml", settings));
    for (int k = 0; k < 100; ++k) {
      const StepReport report = simulation.simulator->Step();
      ASSERT_EQ(report.status, StepStatus::Ok) << "step " << k << ": " << report.message;
      EXPECT_LT(report.max_penetration, 2e-6) << "step " << k;
    }
  }
}

// It comes to rest on box and ground, which carry its weight.
TEST(DeformableScene, MatDropsOnABox) {
  SceneDescription scene = LoadScene(std::filesystem::path(TACTUS_PROJECT_DIR) / "scenes/soft-mat-drop.yaml");
  scene.settings.solver = "cond";
  const SceneSimulation simulation = MakeSimulation(scene);
  Simulator& simulator = *simulation.simulator;
  for (int k = 0; k < 150; ++k) ASSERT_TRUE(simulator.Step().moved());
  const VectorX& q = simulator.state().deformables[0].q;
  double least = 1, most = -1;
  for (int i = 2; i < q.size(); i += 3) {
    least = std::min(least, q[i]);
    most = std::max(most, q[i]);
  }
  EXPECT_NEAR(least, 0, 1e-4);
  EXPECT_NEAR(most, 0.086, 0.003);
  Vector3 force = Vector3::Zero();
  for (const ContactState& c : simulator.contacts()) force -= c.impulse_W() / 0.01;
  const double weight = 9.81 * simulator.deformables().body(0).mass();
  EXPECT_NEAR(force[2], weight, 0.01 * weight);
}

}  // namespace
}  // namespace tactus
