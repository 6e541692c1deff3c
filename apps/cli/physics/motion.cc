// Rotation, rolling, swinging, gears.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "apps/cli/physics/physics_run.h"

namespace tactus::cli {

namespace {

constexpr double kG = 9.81;

void MeasureTurntable(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  double turned = 0;
  // A step puts the velocity right for where the ball was at its start: the first finds all as it should be.
  scene.Run(scene.step());
  Vector3 before = scene.Velocity("ball");
  scene.Run(4, [&] {
    const Vector3 v = scene.Velocity("ball");
    turned += std::atan2(before[0] * v[1] - before[1] * v[0], before.head<2>().dot(v.head<2>()));
    before = v;
  });
  table->Add("rate at which its velocity turns [rad/s]", turned / 4, 2.0 / 7 * 2, 1e-4);
  table->Add("speed at the end [m/s]", before.norm(), 0.4, 1e-3);
  table->AddSteps(scene);
}

void MeasureTop(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  // Steady precession: I1 cos(t) W^2 - I3 w3 W + m g l = 0, the slow root; the scene starts with it.
  const double I3 = 3.75e-4, I1 = 2e-4 + 0.3 * 0.06 * 0.06, c = std::cos(0.5), spin = 200 * I3, load = 0.3 * kG * 0.06;
  const double rate = (spin - std::sqrt(spin * spin - 4 * I1 * c * load)) / (2 * I1 * c);
  double lowest = 1, highest = 0, turned = 0, last = 0;
  scene.Run(2, [&] {
    const Vector3 axis = scene.sim().LinkPose(scene.Link("top")).R.col(2);
    const double angle = std::atan2(axis[1], axis[0]);
    turned += std::remainder(angle - last, 2 * std::numbers::pi);
    last = angle;
    const double lean = std::acos(axis[2]);
    lowest = std::min(lowest, lean);
    highest = std::max(highest, lean);
  });
  table->Add("precession [rad/s]", turned / 2, rate, 1e-3 * rate);
  table->Add("nutation [rad]", highest - lowest, 0, 1e-3);
  table->AddSteps(scene);
}

// Complete elliptic integral of the first kind, by the arithmetic-geometric mean.
double EllipticK(double m) {
  double a = 1, b = std::sqrt(1 - m);
  while (std::abs(a - b) > 1e-15) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::numbers::pi / (2 * a);
}

void MeasureFlip(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  const double I[3] = {0.001, 0.002, 0.003}, w[3] = {0.05, 8, 0};
  double energy = 0, momentum = 0;  // twice the energy, square of the momentum
  for (int k = 0; k < 3; ++k) {
    energy += I[k] * w[k] * w[k];
    momentum += I[k] * I[k] * w[k] * w[k];
  }
  // Euler's equations for L^2 < 2 E I2: from flip to flip half the period of w2, 4 K(m)/p. (Landau and Lifshitz, 37.)
  double p2 = 0, m = 0;
  if (momentum > energy * I[1]) {
    p2 = (I[2] - I[1]) * (momentum - energy * I[0]) / (I[0] * I[1] * I[2]);
    m = (I[1] - I[0]) * (energy * I[2] - momentum) / ((I[2] - I[1]) * (momentum - energy * I[0]));
  } else {
    p2 = (I[1] - I[0]) * (energy * I[2] - momentum) / (I[0] * I[1] * I[2]);
    m = (I[2] - I[1]) * (momentum - energy * I[0]) / ((I[1] - I[0]) * (energy * I[2] - momentum));
  }
  const double between = 2 * EllipticK(m) / std::sqrt(p2);
  std::vector<double> flips;
  double last = 8, drift = 0;
  const double start = scene.Energy();
  scene.Run(20, [&] {
    const double now = scene.sim().state().v[4];
    if (last * now < 0) flips.push_back(scene.sim().time() - scene.step() * now / (now - last));
    last = now;
    drift = std::max(drift, std::abs(scene.Energy() - start));
  });
  const double measured = flips.size() > 1 ? (flips.back() - flips.front()) / static_cast<double>(flips.size() - 1) : 0;
  table->Add("time from flip to flip [s]", measured, between, 5e-3 * between);
  table->Add("energy error, relative", drift / start, 0, 1e-3);
}

void MeasurePendulum(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  double first = 0, last = 0;
  int swings = 0;
  double before = scene.sim().state().q[0];
  scene.Run(60, [&] {
    const double q = scene.sim().state().q[0], t = scene.sim().time();
    if (t < 4) first = std::max(first, std::abs(q));
    if (t > 56) last = std::max(last, std::abs(q));
    if (before > 0 && q <= 0) ++swings;
    before = q;
  });
  const double half = std::numbers::pi / 2;
  table->Add("highest angle of the first 4 s [rad]", first, half, 5e-3);
  table->Add("highest angle of the last 4 s [rad]", last, half, 5e-3);
  // 4 K(sin^2(amplitude/2)) sqrt(I/(m g l)) a swing.
  const double period = 4 * EllipticK(0.5) * std::sqrt((0.083333 + 0.25) / (kG * 0.5));
  table->Add("swings in 60 s", swings, std::floor(60 / period + 0.75), 0);
}

void MeasureDoublePendulum(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  const double start = scene.Energy();
  double drift = 0;
  scene.Run(20, [&] { drift = std::max(drift, std::abs(scene.Energy() - start)); });
  table->Add("energy error, of m g l", drift / kG, 0, 1e-3);
}

void MeasureRolling(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  const Vector3 start = scene.Position("ball");
  scene.Run(1);
  const double a = kG * std::sin(0.2) * 5 / 7, h = scene.step();
  table->Add("way in one second [m]", (scene.Position("ball") - start).norm(), 0.5 * a * (1 + h), 1e-5);
  table->Add("slip [m/s]", scene.Velocity("ball").norm() - 0.1 * scene.AngularVelocity("ball").norm(), 0, 1e-7);
  table->AddSteps(scene);
}

void MeasureGears(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  scene.Run(1);
  double inertia = 0, error = 0;
  const State& state = scene.sim().state();
  for (int k = 0; k < 6; ++k) inertia += 0.01 * std::pow(2.25, k);
  for (int k = 1; k < 6; ++k) error = std::max(error, std::abs(state.q[k] + 1.5 * state.q[k - 1]));
  table->Add("speed of the first gear [rad/s]", state.v[0], 0.5 / inertia, 1e-8);
  table->Add("error of the ratios [rad]", error, 0, 1e-8);
  table->AddSteps(scene);
}

}  // namespace

const std::vector<PhysicsEntry>& MotionEntries() {
  static const std::vector<PhysicsEntry> table = {
      {"turntable", MeasureTurntable},
      {"spinning_top", MeasureTop},
      {"dzhanibekov", MeasureFlip},
      {"pendulum", MeasurePendulum},
      {"double_pendulum", MeasureDoublePendulum},
      {"rolling", MeasureRolling},
      {"gear_train", MeasureGears},
  };
  return table;
}

}  // namespace tactus::cli
