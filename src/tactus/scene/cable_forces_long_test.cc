// A cable that slides round a post (Euler, Eytelwein): tensions at its ends differ by exp(friction * angle).
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

namespace tactus {
namespace {

// It lies over half of the post and is drawn from one side to the other, 15 mm/s. Steps must be small and fully
// implicit for that: linearised ones of 10 ms take the tension along where it was at their beginning, which brakes as
// friction does (a ratio of 12 at twice the speed).
constexpr const char* kScene = R"(
gravity: [0, 0, 0]
time_step: 0.005
theta: 0.5
newton_iterations: 4
solver: {tolerance: 1e-7}
objects:
  - name: post
    fixed: true
    shape: {type: cylinder, radius: 0.04, length: 0.2}
    material: {friction: 0.2}
deformables:
  - name: cable
    type: rod
    length: 0.4
    segments: 60
    radius: 0.002
    young: 5e6
    poisson: 0.49
    density: 1259
    mass_damping: 2
    material: {friction: 0.2}
    pose: {position: [-0.2, 0.042, 0]}
    clamps:
      - items: [0]
        motion:
          type: waypoints
          waypoints:
            - {time: 0, pose: {position: [-0.198, 0.042, 0]}}
            - {time: 1, pose: {position: [-0.14, -0.1, 0], rpy: [0, 0, 60 deg]}}
            - {time: 2, pose: {position: [-0.042, -0.14, 0], rpy: [0, 0, 90 deg]}}
            - {time: 2.5, pose: {position: [-0.042, -0.16, 0], rpy: [0, 0, 90 deg]}}
            - {time: 7.5, pose: {position: [-0.042, -0.11, 0], rpy: [0, 0, 90 deg]}}
      - items: [-1]
        motion:
          type: waypoints
          waypoints:
            - {time: 0, pose: {position: [0.198, 0.042, 0]}}
            - {time: 1, pose: {position: [0.14, -0.1, 0], rpy: [0, 0, -60 deg]}}
            - {time: 2, pose: {position: [0.042, -0.14, 0], rpy: [0, 0, -90 deg]}}
            - {time: 2.5, pose: {position: [0.042, -0.16, 0], rpy: [0, 0, -90 deg]}}
            - {time: 7.5, pose: {position: [0.042, -0.21, 0], rpy: [0, 0, -90 deg]}}
sensors:
  - {name: first, type: clamp_force, deformable: cable, clamp: 0}
  - {name: second, type: clamp_force, deformable: cable, clamp: 1}
)";

TEST(CableForces, SlidingRoundAPostFollowsTheCapstanEquation) {
  const SceneSimulation simulation = MakeSimulation(ParseScene(kScene, "s.yaml"));
  for (int k = 0; k < 1100; ++k) ASSERT_EQ(simulation.simulator->Step().status, StepStatus::Ok) << k;
  double first[6], second[6];
  CalcProbe(*simulation.simulator, simulation.probes[0], first);
  CalcProbe(*simulation.simulator, simulation.probes[1], second);
  const double ratio = std::hypot(second[0], second[1], second[2]) / std::hypot(first[0], first[1], first[2]);
  const double known = std::exp(0.2 * std::numbers::pi);
  EXPECT_NEAR(ratio, known, 0.02 * known);
}

}  // namespace
}  // namespace tactus
