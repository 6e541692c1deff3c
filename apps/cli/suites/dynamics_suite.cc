// Suite `dynamics`: identities between the algorithms of rigid-body dynamics, and how long each takes, on random trees,
// on our robots and on a thousand free bodies.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "apps/cli/bench_suite.h"
#include "apps/cli/terminal.h"
#include "tactus/core/random.h"
#include "tactus/core/timer.h"
#include "tactus/dynamics/forward_dynamics.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"
#include "tactus/io/data_folder.h"
#include "tactus/io/urdf.h"
#include "tactus/model/random_model.h"

namespace tactus::cli {

namespace {

struct Robot {
  const char* name;
  const char* file;
  BaseType base;
};

constexpr Robot kRobots[] = {
    {"panda_hand", "panda_hand.urdf", BaseType::Fixed},
    {"panda_x5_gripper", "panda_x5_gripper.urdf", BaseType::Fixed},
    {"panda_allegro", "panda_allegro.urdf", BaseType::Fixed},
    {"g1_upper_body", "g1_upper_body.urdf", BaseType::Fixed},
    {"laikago", "laikago.urdf", BaseType::Floating},
    {"go2", "go2.urdf", BaseType::Floating},
    {"husky_panda", "husky_panda.urdf", BaseType::Floating},
    {"humanoid", "humanoid.urdf", BaseType::Floating},
};

constexpr double kFailed = std::numeric_limits<double>::infinity();

/// A model in a random state.
struct Case {
  Model model;
  ModelData data;
  VectorX q, v, a, out;

  Case(const ModelDescription& description, int seed) : model(description), data(model) {
    Random random(static_cast<std::uint64_t>(seed));
    q = model.MakeRandom(&random);
    v = VectorX::NullaryExpr(model.nv(), [&] { return random.Uniform(-1, 1); });
    a = VectorX::NullaryExpr(model.nv(), [&] { return random.Uniform(-1, 1); });
    out = a;
  }
};

double Relative(const VectorX& x, const VectorX& expected) {
  const double error = (x - expected).norm() / std::max(expected.norm(), 1e-300);
  return std::isfinite(error) ? error : kFailed;
}

/// L^T (L x).
VectorX MultiplyFactors(const Model& model, const ModelData& data, const VectorX& x) {
  VectorX out = VectorX::Zero(model.nv());
  for (int d = 0; d < model.nv(); ++d) {
    const double* row = data.L.data() + model.branch_start(d);
    double sum = 0;
    for (int t = 0, i = d; i >= 0; ++t, i = model.dof_parent(i)) sum += row[t] * x[i];
    for (int t = 0, i = d; i >= 0; ++t, i = model.dof_parent(i)) out[i] += row[t] * sum;
  }
  return out;
}

/// Largest relative error of: inverse after forward dynamics, M a against differences of inverse dynamics, M a against
/// L^T L a, and J v against velocities of bodies.
double LargestIdentityError(Case* c) {
  const Model& model = c->model;
  ModelData* data = &c->data;
  double worst = 0;
  VectorX acceleration, tau, bias, product;
  if (!CalcForwardDynamics(model, c->q, c->v, c->a, data, &acceleration)) return kFailed;
  CalcInverseDynamics(model, c->q, c->v, acceleration, data, &tau);
  worst = std::max(worst, Relative(tau, c->a));
  CalcInverseDynamics(model, c->q, c->v, c->a, data, &tau);
  CalcBias(model, c->q, c->v, data, &bias);
  CalcMassMatrix(model, data);
  MultiplyMassMatrix(model, *data, c->a, &product);
  worst = std::max(worst, Relative(product, tau - bias));
  if (!FactorizeMassMatrix(model, data)) return kFailed;
  worst = std::max(worst, Relative(MultiplyFactors(model, *data, c->a), product));
  CalcVelocities(model, c->v, data);
  Matrix6X J;
  for (int b = 0; b < model.num_bodies(); b += std::max(1, model.num_bodies() / 20)) {
    const Vector3 point = data->BodyPose(b) * Vector3(0.1, -0.2, 0.3);
    CalcPointJacobian(model, *data, b, point, &J);
    worst = std::max(worst, Relative(J * c->v, CalcPointVelocity(model, *data, b, point)));
  }
  return worst;
}

/// Processor time per call of several rounds [us].
std::vector<double> TimeMicroseconds(const std::function<void()>& run, int calls) {
  std::vector<double> times;
  run();
  for (int round = 0; round < 9; ++round) {
    const ThreadCpuTimer timer;
    for (int k = 0; k < calls; ++k) run();
    times.push_back(1e6 * timer.seconds() / calls);
  }
  return times;
}

void AddTimes(const std::string& name, Case* c, int calls, std::vector<BenchRow>* rows) {
  const Model& model = c->model;
  ModelData* data = &c->data;
  const auto add = [&](const char* what, const std::function<void()>& run) {
    const std::vector<double> times = TimeMicroseconds(run, calls);
    rows->push_back(BenchRow::Measured(name + ", " + what, Quantile(times, 0.5), "us").WithSpread(times));
  };
  add("inverse dynamics", [&] { CalcInverseDynamics(model, c->q, c->v, c->a, data, &c->out); });
  add("mass matrix and factor", [&] {
    CalcPositions(model, c->q, data);
    CalcMassMatrix(model, data);
    static_cast<void>(FactorizeMassMatrix(model, data));
  });
  add("forward dynamics", [&] { static_cast<void>(CalcForwardDynamics(model, c->q, c->v, c->a, data, &c->out)); });
  add("frames and Jacobians", [&] { CalcFrames(model, c->q, data); });
}

}  // namespace

std::vector<BenchRow> RunDynamicsSuite(const BenchSettings& settings) {
  constexpr double kBar = 1e-10;
  std::vector<BenchRow> rows;
  double worst = 0;
  Progress progress(3, Progress::Elsewhere::Lines);
  progress.Show(1, "random trees");
  const int trees = settings.quick ? 20 : 200;
  for (int seed = 0; seed < trees; ++seed) {
    RandomModelOptions options;
    options.joints = seed % 5 == 4 ? 100 : 3 + 4 * (seed % 7);
    options.floating_base = seed % 2 == 0;
    options.branching = 0.1 * (seed % 8);
    Case c(MakeRandomDescription(static_cast<std::uint64_t>(seed), options), seed);
    worst = std::max(worst, LargestIdentityError(&c));
  }
  rows.push_back(BenchRow::AtMost("random trees, largest error of an identity", worst, "relative", kBar));

  progress.Show(2, "robots");
  const std::filesystem::path folder = FindDataFolder("models");
  const int calls = settings.quick ? 200 : 2000;
  for (const Robot& robot : kRobots) {
    UrdfSettings urdf;
    urdf.base = robot.base;
    const ModelDescription description = LoadUrdf(folder / robot.file, urdf);
    double error = 0;
    for (int seed = 0; seed < (settings.quick ? 5 : 50); ++seed) {
      Case c(description, seed);
      error = std::max(error, LargestIdentityError(&c));
    }
    const std::string name = robot.name;
    rows.push_back(BenchRow::AtMost(name + ", largest error of an identity", error, "relative", kBar));
    Case c(description, 1);
    AddTimes(name, &c, calls, &rows);
  }
  progress.Show(3, "free bodies");
  Case c(MakeRandomFreeBodies(1, 1000), 1);
  rows.push_back(
      BenchRow::AtMost("1000 free bodies, largest error of an identity", LargestIdentityError(&c), "relative", kBar));
  AddTimes("1000 free bodies", &c, calls / 50, &rows);
  return rows;
}

}  // namespace tactus::cli
