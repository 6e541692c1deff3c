// Impacts.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/cli/physics/physics_run.h"

namespace tactus::cli {

namespace {

void MeasureBounce(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  std::vector<double> tops;
  double before = scene.Velocity("ball")[2], top = 0;
  scene.Run(2, [&] {
    const double v = scene.Velocity("ball")[2];
    top = std::max(top, scene.Position("ball")[2]);
    if (before < 0 && v > 0) top = 0;  // bounced
    if (before > 0 && v <= 0) tops.push_back(top - 0.05);
    before = v;
  });
  // A bounce is up to a step early or late: v h of height.
  const double within = 4.43 * scene.step();
  table->Add("height of the first bounce [m]", tops.size() > 0 ? tops[0] : 0, 0.64, within);
  table->Add("height of the second bounce [m]", tops.size() > 1 ? tops[1] : 0, 0.4096, within);
  table->AddSteps(scene);
}

void MeasureCradle(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  scene.Run(2e-4);
  double others = 0;
  for (int k = 0; k < 4; ++k) others = std::max(others, scene.Velocity(fmt::format("ball{}", k)).norm());
  table->Add("speed of the last ball [m/s]", scene.Velocity("ball4")[0], 1, 1e-6);
  table->Add("fastest of the others [m/s]", others, 0, 1e-6);
  table->AddSteps(scene);
}

void MeasurePainleve(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  const double start = scene.Energy();
  double most = start, deepest = 0;
  bool finite = true;
  scene.Run(1, [&] {
    finite = finite && scene.sim().state().v.allFinite();
    most = std::max(most, scene.Energy());
    deepest = std::max(deepest, scene.deepest());
  });
  table->Add("finite at all times (1: yes)", finite ? 1 : 0, 1, 0);
  table->Add("energy gained [J]", std::max(most - start, 0.0), 0, 1e-6);
  table->Add("deepest penetration [m]", deepest, 0, 1e-3);
  table->AddSteps(scene);
}

}  // namespace

const std::vector<PhysicsEntry>& ImpactEntries() {
  static const std::vector<PhysicsEntry> table = {
      {"bouncing_ball", MeasureBounce}, {"newtons_cradle", MeasureCradle}, {"painleve", MeasurePainleve}};
  return table;
}

}  // namespace tactus::cli
