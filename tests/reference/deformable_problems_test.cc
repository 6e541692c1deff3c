// Contact problems as scenes with deformables have them, made by running a few steps: COND and the hybrid give the same
// velocities, and acceleration saves what the paper says (001, Table IX).
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"
#include "tactus/solvers/cond/cond_solver.h"
#include "tactus/solvers/registry.h"
#include "tests/common/built_in_scenes.h"

namespace tactus {
namespace {

struct SceneSteps {
  std::string name;              ///< of the test
  std::string scene;             ///< of scenes/
  std::vector<std::string> set;  ///< as --set
  int first = 0, every = 1, last = 0;
  double ratio = 3;  ///< iterations without acceleration over those with it, at least
  std::uint64_t seed = 1;
};

std::vector<ContactProblem> CollectProblems(const SceneSteps& steps) {
  SceneFileSettings files;
  files.overrides = steps.set;
  files.seed = steps.seed;
  const SceneDescription scene = LoadScene(BuiltInSceneFile(steps.scene), files);
  SimulatorSettings settings = MakeSettings(scene.settings);
  settings.solver = "cond";
  settings.solve.tolerance = 1e-6;
  const SceneSimulation simulation = MakeSimulation(scene, settings);
  std::vector<ContactProblem> problems;
  for (int k = 1; k <= steps.last; ++k) {
    const StepReport report = simulation.simulator->Step();
    EXPECT_EQ(report.status, StepStatus::Ok) << "step " << k << ": " << report.message;
    if (k < steps.first || (k - steps.first) % steps.every != 0) continue;
    if (report.contacts > 0) problems.push_back(simulation.simulator->problem());
  }
  return problems;
}

SolveReport SolveCond(const CondSettings& cond, const ContactProblem& p, double tolerance, ContactSolution* solution) {
  SolveSettings settings;
  settings.tolerance = tolerance;
  return CondSolver(cond).Solve(p, settings, WarmStart(), solution);
}

VectorX MakeReference(const ContactProblem& p) {
  SolveSettings settings;
  settings.tolerance = 1e-11;
  ContactSolution solution;
  EXPECT_TRUE(MakeSolver("hybrid")->Solve(p, settings, WarmStart(), &solution).solved());
  return solution.velocity;
}

// |v - reference| over the greater of |reference| and |b|, by the inertia: at rest velocities are no scale.
double CalcError(const ContactProblem& p, const VectorX& v, const VectorX& reference) {
  VectorX m;
  p.mass().CalcInertia(&m);
  const auto norm = [&](const VectorX& x) { return std::sqrt(x.dot(m.cwiseProduct(x))); };
  return norm(v - reference) / std::max(norm(reference), norm(p.b().cwiseQuotient(m)));
}

class DeformableProblems : public testing::TestWithParam<SceneSteps> {};

TEST_P(DeformableProblems, CondAgreesWithTheHybrid) {
  const std::vector<ContactProblem> problems = CollectProblems(GetParam());
  EXPECT_GE(problems.size(), 3u);
  for (const ContactProblem& p : problems) {
    ContactSolution cond;
    const SolveReport report = SolveCond({}, p, 1e-8, &cond);
    EXPECT_TRUE(report.solved()) << report.residual.Summary();
    EXPECT_LT(CalcError(p, cond.velocity, MakeReference(p)), 1e-6) << p.num_contacts() << " contacts";
  }
}

TEST_P(DeformableProblems, AccelerationSavesIterations) {
  CondSettings plain;
  plain.chebyshev = false;
  for (const ContactProblem& p : CollectProblems(GetParam())) {
    ContactSolution solution;
    const SolveReport slow = SolveCond(plain, p, 1e-6, &solution);
    const SolveReport fast = SolveCond({}, p, 1e-6, &solution);
    EXPECT_TRUE(slow.solved() && fast.solved());
    EXPECT_GE(slow.iterations, GetParam().ratio * fast.iterations) << p.num_contacts() << " contacts";
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, DeformableProblems,
                         testing::Values(SceneSteps{"MatDrop", "soft-mat-drop", {"cells=8"}, 12, 8, 36},
                                         SceneSteps{"Ball", "soft-ball", {"edge=0.016"}, 60, 30, 150},
                                         SceneSteps{"CableWinding", "cable-winding", {"links=80"}, 1000, 400, 1800, 2}),
                         [](const testing::TestParamInfo<SceneSteps>& test) { return test.param.name; });

// Fingers that have just met a part which lies on the ground: multipliers of its ties went in circles, in two to six
// steps of each of these runs.
TEST(DeformableProblemsOfTheGripper, MultipliersDoNotGoInCircles) {
  for (const std::uint64_t seed : {1u, 5u, 7u}) {
    const SceneSteps steps{"", "soft-gripper", {"vary=1", "fine=3"}, 44, 4, 80, 0, seed};
    const std::vector<ContactProblem> problems = CollectProblems(steps);
    EXPECT_GE(problems.size(), 3u);
    for (const ContactProblem& p : problems) {
      ContactSolution cond;
      const SolveReport report = SolveCond({}, p, 1e-6, &cond);
      EXPECT_TRUE(report.solved()) << report.residual.Summary();
      EXPECT_LT(CalcError(p, cond.velocity, MakeReference(p)), 1e-4) << p.num_contacts() << " contacts";
    }
  }
}

// The cable is one body whose contacts have virtual nodes: without multipliers answers are off by the order of 1/kappa.
TEST(DeformableProblemsOfTheCable, PlainVirtualNodesErrAsOneOverKappa) {
  const std::vector<ContactProblem> problems = CollectProblems({"", "cable-winding", {"links=40"}, 1200, 1, 1200});
  ASSERT_EQ(problems.size(), 1u);
  const VectorX reference = MakeReference(problems[0]);
  ContactSolution cond;
  std::vector<double> errors;
  for (const double kappa : {1e2, 1e3, 1e4}) {
    CondSettings settings;
    settings.virtual_nodes = CondVirtualNodes::Plain;
    settings.chain_kappa = kappa;
    const SolveReport report = SolveCond(settings, problems[0], 1e-9, &cond);
    EXPECT_LT(report.iterations, 20000) << kappa;
    errors.push_back(CalcError(problems[0], cond.velocity, reference));
  }
  EXPECT_NEAR(errors[0] / errors[1], 10, 5);
  EXPECT_NEAR(errors[1] / errors[2], 10, 3);
}

// Where everything that deforms is after some steps of a scene, with all of them solved.
VectorX RunScene(const std::string& scene_name, const std::vector<std::string>& set, const std::string& solver,
                 double tolerance, int steps) {
  SceneFileSettings files;
  files.overrides = set;
  files.seed = 1;
  const SceneDescription scene = LoadScene(BuiltInSceneFile(scene_name), files);
  SimulatorSettings settings = MakeSettings(scene.settings);
  settings.solver = solver;
  settings.solve.tolerance = tolerance;
  const SceneSimulation simulation = MakeSimulation(scene, settings);
  int contacts = 0;
  for (int k = 1; k <= steps; ++k) {
    const StepReport report = simulation.simulator->Step();
    EXPECT_EQ(report.status, StepStatus::Ok) << solver << ", step " << k << ": " << report.message;
    contacts += report.contacts;
  }
  EXPECT_GT(contacts, 0);
  return simulation.simulator->state().deformables[0].q;
}

// CANAL with its sparse factor, SubADMM with the mesh or rod whole and in pieces: the same motion as with the hybrid.
TEST(DeformableScenes, CanalAndSubadmmMoveThemAlike) {
  struct Case {
    std::string scene;
    std::vector<std::string> set;
    std::string pieces;  // of the cut one; empty: not cut
    int steps;
  };
  for (const Case& c :
       {Case{"soft-mat-drop", {"cells=5"}, "", 24}, Case{"cable-winding", {"links=40"}, "pieces=8", 1200},
        Case{"beam-insertion", {"cells=2", "along=10"}, "pieces=20", 130}}) {
    SCOPED_TRACE(c.scene);
    const VectorX hybrid = RunScene(c.scene, c.set, "hybrid", 1e-8, c.steps);
    EXPECT_LT((RunScene(c.scene, c.set, "canal", 1e-6, c.steps) - hybrid).lpNorm<Eigen::Infinity>(), 1e-4);
    EXPECT_LT((RunScene(c.scene, c.set, "subadmm", 1e-5, c.steps) - hybrid).lpNorm<Eigen::Infinity>(), 1e-3);
    if (c.pieces.empty()) continue;
    std::vector<std::string> cut = c.set;
    cut.push_back(c.pieces);
    EXPECT_LT((RunScene(c.scene, cut, "subadmm", 1e-4, c.steps) - hybrid).lpNorm<Eigen::Infinity>(), 1e-3);
  }
}

}  // namespace
}  // namespace tactus
