// Forces on the clamps of cables, against what is known: Hooke's law, weight, and the rope around a post (Euler,
// Eytelwein).
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

namespace tactus {
namespace {

// Forces of both clamps after some steps.
std::pair<Vector3, Vector3> ClampForces(const std::string& text, int steps) {
  const SceneSimulation simulation = MakeSimulation(ParseScene(text, "s.yaml"));
  for (int k = 0; k < steps; ++k) EXPECT_EQ(simulation.simulator->Step().status, StepStatus::Ok) << k;
  double first[6], second[6];
  CalcProbe(*simulation.simulator, simulation.probes[0], first);
  CalcProbe(*simulation.simulator, simulation.probes[1], second);
  return {Vector3(first[0], first[1], first[2]), Vector3(second[0], second[1], second[2])};
}

const char kSensors[] =
    "sensors:\n"
    "  - {name: first, type: clamp_force, deformable: cable, clamp: 0}\n"
    "  - {name: second, type: clamp_force, deformable: cable, clamp: 1}\n";

// 20 mm longer between the middles of its first and last segments, which are 0.396 m apart.
TEST(CableForces, TensionIsStiffnessTimesStrain) {
  const auto [first, second] = ClampForces(std::string(R"(
gravity: [0, 0, 0]
time_step: 0.01
solver: {tolerance: 1e-10}
deformables:
  - name: cable
    type: rod
    length: 0.4
    segments: 100
    radius: 0.002
    young: 2.954e6
    poisson: 0.49
    density: 1259
    clamps:
      - {items: [0]}
      - items: [-1]
        motion: {type: waypoints, waypoints: [{time: 0, pose: {position: [0.398, 0, 0]}},
                                              {time: 1, pose: {position: [0.418, 0, 0]}}]}
)") + kSensors,
                                           300);
  const double tension = 2.954e6 * std::numbers::pi * 4e-6 * 0.02 / 0.396;
  EXPECT_NEAR(second[0], tension, 1e-3 * tension);
  EXPECT_NEAR(first[0], -tension, 1e-3 * tension);
}

TEST(CableForces, ClampsCarryTheWeight) {
  const auto [first, second] = ClampForces(std::string(R"(
time_step: 0.01
solver: {tolerance: 1e-10}
deformables:
  - {name: cable, type: rod, length: 0.4, segments: 40, radius: 0.002, young: 2.954e6, density: 1259,
     mass_damping: 5, clamps: [{items: [0]}, {items: [-1]}]}
)") + kSensors,
                                           600);
  const double weight = 1259 * std::numbers::pi * 4e-6 * 0.4 * 9.81;
  EXPECT_NEAR(first[2] + second[2], weight, 1e-3 * weight);
  EXPECT_NEAR(first[2], second[2], 1e-3 * weight);
}

}  // namespace
}  // namespace tactus
