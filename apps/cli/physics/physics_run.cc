#include "apps/cli/physics/physics_run.h"

#include <algorithm>
#include <cmath>

#include "apps/cli/scene_library.h"
#include "tactus/core/error.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

namespace {

SceneSimulation MakeScene(const std::string& name, const std::string& solver,
                          const std::vector<std::string>& overrides) {
  SceneFileSettings files;
  files.overrides = overrides;
  const SceneDescription scene = LoadScene(FindScene("physics/" + name), files);
  SimulatorSettings settings = MakeSettings(scene.settings);
  settings.solver = solver;
  return MakeSimulation(scene, settings);
}

}  // namespace

PhysicsScene::PhysicsScene(const std::string& name, const std::string& solver,
                           const std::vector<std::string>& overrides)
    : simulation_(MakeScene(name, solver, overrides)) {}

StepReport PhysicsScene::Step() {
  StepReport report = sim().Step();
  if (report.status != StepStatus::Ok) {
    ++bad_;
    if (trouble_.empty()) trouble_ = report.message;
  }
  deepest_ = std::max(deepest_, report.max_penetration);
  worst_ = std::max(worst_, report.solve.residual.worst());
  return report;
}

void PhysicsScene::Run(double duration, const std::function<void()>& each) {
  const auto steps = static_cast<long long>(std::llround(duration / step()));
  for (long long k = 0; k < steps; ++k) {
    if (!Step().moved()) return;
    if (each) each();
  }
}

int PhysicsScene::Link(const std::string& body) const {
  const int link = simulation_.simulator->model().FindLink(body);
  Require(link >= 0, "physics suite", "there is no body '" + body + "'", "a body of the scene");
  return link;
}

double PhysicsScene::Energy() const {
  const Simulator& s = *simulation_.simulator;
  return CalcKineticEnergy(s.model(), s.kinematics(), s.state().v) + CalcPotentialEnergy(s.model(), s.kinematics());
}

double PhysicsScene::total_mass() const { return CalcMovingMass(simulation_.simulator->model()); }

void PhysicsTable::Add(const std::string& what, double measured, double exact, double tolerance) {
  rows_.push_back({scene_, what, measured, exact, tolerance, std::abs(measured - exact) <= tolerance});
}

void PhysicsTable::AddSteps(const PhysicsScene& scene) {
  Add("steps not solved to tolerance", scene.bad_steps(), 0, 0);
}

double Bisect(double lo, double hi, double accuracy, const std::function<bool(double)>& holds) {
  while (hi - lo > accuracy) {
    const double middle = 0.5 * (lo + hi);
    (holds(middle) ? lo : hi) = middle;
  }
  return 0.5 * (lo + hi);
}

}  // namespace tactus::cli
