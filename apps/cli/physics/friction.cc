// Friction: when things begin to slide, how they slide, and that they do not creep.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/cli/physics/physics_run.h"

namespace tactus::cli {

namespace {

constexpr double kG = 9.81;
// Slower than this nothing slides [m/s]. What just slides is orders of magnitude faster in the times below.
constexpr double kStill = 1e-7;

void MeasureSlope(PhysicsTable* table) {
  int bad = 0;
  const double angle = Bisect(0.4, 0.5, 1e-8, [&](double a) {
    PhysicsScene scene =
        table->Load({fmt::format("objects.slope.pose.rpy=[0, {:.17g}, 0]", a),
                     fmt::format("objects.block.pose={{position: [{:.17g}, 0, {:.17g}], rpy: [0, {:.17g}, 0]}}",
                                 0.05 * std::sin(a), 0.05 * std::cos(a), a)});
    scene.Run(0.25);
    bad += scene.bad_steps();
    return scene.Velocity("block").norm() < kStill;
  });
  table->Add("critical angle [rad]", angle, std::atan(0.5), 1e-6);
  table->Add("steps not solved to tolerance", bad, 0, 0);
}

void MeasureDiagonal(PhysicsTable* table) {
  Vector3 velocity = Vector3::Zero();
  int bad = 0;
  const double force = Bisect(3, 8, 1e-6, [&](double f) {
    const double part = f / std::sqrt(2.0);
    PhysicsScene scene = table->Load({fmt::format("wrenches.0.force=[{:.17g}, {:.17g}, 0]", part, part)});
    scene.Run(0.25);
    bad += scene.bad_steps();
    const bool holds = scene.Velocity("block").norm() < kStill;
    if (!holds) velocity = scene.Velocity("block");
    return holds;
  });
  table->Add("force that begins to move it [N]", force, 0.5 * kG, 1e-5);
  table->Add("direction of sliding [rad]", std::atan2(velocity[1], velocity[0]), std::atan(1.0), 1e-6);
  table->Add("steps not solved to tolerance", bad, 0, 0);
}

void MeasureSliding(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  double highest = 0;
  scene.Run(2, [&] { highest = std::max(highest, scene.Position("cube")[2]); });
  const double h = scene.step();
  table->Add("highest above the floor [m]", highest - 0.05, 0, 1e-8);
  // v^2/(2 mu g), less half a step's way, as friction acts from the first step on.
  table->Add("slides [m]", scene.Position("cube")[0], 36 / (2 * 0.5 * kG) - 3 * h, 1e-3);
  table->AddSteps(scene);
}

void MeasureWall(PhysicsTable* table) {
  int bad = 0;
  const double force = Bisect(10, 25, 1e-6, [&](double f) {
    PhysicsScene scene = table->Load({fmt::format("wrenches.0.force=[{:.17g}, 0, 0]", -f)});
    scene.Run(0.25);
    bad += scene.bad_steps();
    return scene.Velocity("cube").norm() > kStill;
  });
  table->Add("least force that holds it [N]", force, kG / 0.6, 1e-5);
  table->Add("steps not solved to tolerance", bad, 0, 0);
}

void MeasureGrasp(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  scene.Run(1);
  const Vector3 before = scene.Position("cube");
  scene.Run(10);
  table->Add("drift over 10 s [m/s]", (scene.Position("cube") - before).norm() / 10, 0, 1e-9);
  table->AddSteps(scene);
}

void MeasureBackspin(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  scene.Run(2);
  // Angular momentum about the line of contact stays: v = (5 v0 - 2 r w0)/7.
  table->Add("speed at the end [m/s]", scene.Velocity("ball")[0], (5 * 2.0 - 2 * 0.1 * 30) / 7, 1e-7);
  table->Add("slip at the end [m/s]", scene.Velocity("ball")[0] - 0.1 * scene.AngularVelocity("ball")[1], 0, 1e-7);
  table->AddSteps(scene);
}

void MeasureBelt(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  scene.Run(1);
  const double h = scene.step(), a = 0.4 * kG;
  table->Add("speed at the end [m/s]", scene.Velocity("parcel")[0], 0.7, 1e-8);
  table->Add("way [m]", scene.Position("parcel")[0] + 1, 0.7 - 0.7 * 0.7 / (2 * a), 0.7 * h);
  table->AddSteps(scene);
}

void MeasureAnisotropic(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  scene.Run(2);
  // Most dissipation: dv/dt = -g diag(mu^2) v / |diag(mu) v|, here integrated by itself.
  const Eigen::Vector2d mu(0.2, 0.6);
  Eigen::Vector2d v(1.5, 1.5), x(0, 0);
  const double dt = 1e-6;
  while (v.norm() > 1e-5) {
    const auto slow = [&](const Eigen::Vector2d& u) -> Eigen::Vector2d {
      return -kG * mu.cwiseAbs2().cwiseProduct(u) / mu.cwiseProduct(u).norm();
    };
    const Eigen::Vector2d middle = v + 0.5 * dt * slow(v);
    x += dt * middle;
    v += dt * slow(middle);
  }
  table->Add("stops at x [m]", scene.Position("puck")[0], x[0], 1e-3);
  table->Add("stops at y [m]", scene.Position("puck")[1], x[1], 1e-3);
  table->AddSteps(scene);
}

}  // namespace

const std::vector<PhysicsEntry>& FrictionEntries() {
  static const std::vector<PhysicsEntry> table = {
      {"block_on_slope", MeasureSlope}, {"diagonal_push", MeasureDiagonal},  {"sliding_cube", MeasureSliding},
      {"cube_on_wall", MeasureWall},    {"pinch_grasp", MeasureGrasp},       {"backspin", MeasureBackspin},
      {"conveyor_belt", MeasureBelt},   {"anisotropic", MeasureAnisotropic},
  };
  return table;
}

}  // namespace tactus::cli
