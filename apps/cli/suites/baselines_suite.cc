// Suite `baselines`, first part: paper 002's Table I for cable and beam, and its Fig. 2 over the segments of a cable.
//
// Simulations with a given number of iterations, as the paper does: SubADMM with the deformable in pieces, the others
// whole, as each is meant to be used. Times are those of the processor, numeric factorizations included; symbolic
// analyses are kept by the simulation. One thread, where the paper has four cores.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/statistics.h"
#include "apps/cli/suites/baselines_suite.h"
#include "apps/cli/suites/scenario_runs.h"
#include "apps/cli/terminal.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/deformable/rods/rod.h"
#include "tactus/simulation/simulator.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;

// Overlaps beyond this are a failure [m].
constexpr double kFailed = 5e-3;

ShapeInstance MakeShape(ShapeType type, const Vector3& size, const Pose& pose, double friction) {
  ShapeInstance shape;
  shape.shape.type = type;
  shape.shape.size = size;
  shape.X_LS = pose;
  shape.material.friction = friction;
  shape.name = fmt::format("shape at {:g}", pose.p[2]);
  return shape;
}

// What is simulated, with a deformable in as many pieces as wanted.
struct World {
  ModelDescription model;
  std::shared_ptr<const Deformable> body;
  DeformableSetup setup;
  int pieces = 1;

  std::unique_ptr<Simulator> Make(const SimulatorSettings& settings, bool cut) const {
    auto simulator = std::make_unique<Simulator>(std::make_shared<const Model>(model), settings);
    DeformableSetup own = setup;
    own.pieces = cut ? pieces : 1;
    simulator->AddDeformable(body, own);
    return simulator;
  }
};

// 1.2 m of cable, 8 mm thick, 0.1 MPa (paper 002), that is drawn over an upright cylinder's worth of ground: it lies on
// the floor and on a round bar, both ends clamped and one of them pulled. Runs of four segments.
World MakeCable(int segments) {
  World world;
  const double friction = 0.5;
  world.model.world_shapes.push_back(MakeShape(ShapeType::HalfSpace, Vector3::Zero(), Pose(), friction));
  const Matrix3 across = Eigen::AngleAxisd(M_PI / 2, Vector3::UnitX()).toRotationMatrix();
  world.model.world_shapes.push_back(
      MakeShape(ShapeType::Cylinder, Vector3(0.02, 0.5, 0), Pose{across, Vector3(0, 0, 0.03)}, friction));
  RodSettings rod;
  rod.length = 1.2;
  rod.radius = 0.004;
  rod.young = 1e5;
  rod.poisson = 0.49;
  rod.density = 1259;
  rod.segments = segments;
  rod.held = {0, segments - 1};
  rod.start = Vector3(-0.6, 0, 0.06);
  world.body = std::make_shared<const Rod>(rod);
  world.setup.material.friction = friction;
  world.setup.clamps.push_back({{0}, nullptr});
  world.setup.clamps.push_back(
      {{segments - 1}, MakeConstantMotion(Pose(Vector3(0.6, 0, 0.06)), Vector3(0.05, 0.02, 0), Vector3::Zero())});
  world.pieces = segments / 4;
  return world;
}

// The paper's beam (0.5 m, 50 mm wide, 10 MPa, 0.45) is pushed through a gap of 49.6 mm between two round lips by what
// holds its end. 20 pieces.
World MakeBeam(bool quick) {
  World world;
  const double lip = 0.03, gap = 0.0496;
  const Matrix3 across = Eigen::AngleAxisd(M_PI / 2, Vector3::UnitX()).toRotationMatrix();
  for (const double side : {-1.0, 1.0}) {
    world.model.world_shapes.push_back(MakeShape(ShapeType::Cylinder, Vector3(lip, 0.2, 0),
                                                 Pose{across, Vector3(0.54, 0, side * (lip + 0.5 * gap))}, 0.3));
  }
  FemMaterial material;
  material.young = 1e7;
  material.poisson = 0.45;
  material.density = 1000;
  material.stiffness_damping = 0.002;
  const TetMesh mesh =
      MakeBeamTets(0.5, 0.05, 0.05, quick ? std::array<int, 3>{20, 2, 2} : std::array<int, 3>{43, 5, 5});
  FemSettings settings;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    if (mesh.nodes[i][0] < 1e-9) settings.held.push_back(static_cast<int>(i));
  }
  world.body = std::make_shared<const FemBody>(mesh, material, settings);
  world.setup.material.friction = 0.3;
  world.setup.clamps.push_back({settings.held, MakeConstantMotion(Pose(), Vector3(0.3, 0, 0), Vector3::Zero())});
  world.pieces = 20;
  return world;
}

// What became of a simulation.
struct Outcome {
  int steps = 0;
  double time = 0;            // of the solver, mean [ms]
  std::vector<double> times;  // of each step with contact
  double accuracy = 0;        // -log10 of the constraint error of 002, mean
  double penetration = 0;     // deepest [m]
  double contacts = 0;        // mean
  int rows = 0;               // most
  std::vector<VectorX> q;     // of every step
};

// As in the paper: a number of iterations is given, impulses of the last step are where the next one starts, and time
// and error are means over all steps with contact.
Outcome Simulate(const World& world, const char* solver, int iterations, bool cut, int steps) {
  SimulatorSettings settings;
  settings.scheme.step = 0.01;
  settings.solver = solver;
  settings.solve.tolerance = iterations > 0 ? 1e-15 : 1e-8;
  settings.solve.max_iterations = iterations;
  const auto simulator = world.Make(settings, cut);
  Outcome out;
  int counted = 0;
  for (; out.steps < steps; ++out.steps) {
    const StepReport report = simulator->Step();
    if (!report.moved() || report.max_penetration > kFailed) break;
    out.penetration = std::max(out.penetration, report.max_penetration);
    out.q.push_back(simulator->state().deformables[0].q);
    out.rows = std::max(out.rows, report.rows);
    if (report.contacts == 0) continue;
    ++counted;
    out.contacts += report.contacts;
    out.times.push_back(1e3 * report.solver_cpu_time);
    out.accuracy -= std::log10(std::max(report.solve.residual.fischer_burmeister, 1e-16));
  }
  out.time = Mean(out.times);
  for (double* mean : {&out.accuracy, &out.contacts}) *mean /= std::max(1, counted);
  return out;
}

// The mean distance of nodes or segments from where they should be, largest over the steps [m].
double CalcDistance(const World& world, const Outcome& run, const Outcome& reference) {
  const int items = world.body->num_items(), stride = world.body->nq() / items;
  double most = 0;
  for (std::size_t k = 0; k < std::min(run.q.size(), reference.q.size()); ++k) {
    double sum = 0;
    for (int i = 0; i < items; ++i) {
      sum += (run.q[k].segment<3>(stride * i) - reference.q[k].segment<3>(stride * i)).norm() / items;
    }
    most = std::max(most, sum);
  }
  return most;
}

void AddTable(const std::string& name, const World& world, int steps, bool quick, Rows* rows) {
  const Outcome reference = Simulate(world, "canal", 0, false, steps), cut = Simulate(world, "canal", 0, true, steps);
  rows->push_back(BenchRow::Measured(name + ": dofs", world.body->nv(), ""));
  rows->push_back(BenchRow::Measured(name + ": contacts, mean", reference.contacts, ""));
  rows->push_back(BenchRow::Measured(name + ": rows between pieces", cut.rows, ""));
  rows->push_back(BenchRow::AtMost(name + ", solved to 1e-8: whole and pieces apart by",
                                   1e3 * CalcDistance(world, cut, reference), "mm", 1e-3));
  std::map<std::string, double> at60;
  for (const char* solver : {"pgs-ncg", "pgs", "pj", "fadmm", "nnewton", "subadmm-icra", "subadmm"}) {
    const bool newton = std::string(solver) == "nnewton", pieces = std::string(solver).starts_with("subadmm");
    for (const int count : quick ? std::vector<int>{60} : std::vector<int>{30, 60, 90}) {
      const int iterations = newton ? count / 10 : count;
      const Outcome out = Simulate(world, solver, iterations, pieces, steps);
      if (count == 60) at60[solver] = out.time;
      const std::string what = fmt::format("{}, {}, {} iterations", name, solver, iterations);
      rows->push_back(BenchRow::Measured(what + ": steps without failure", out.steps, fmt::format("of {}", steps)));
      rows->push_back(BenchRow::Measured(what + ": time, mean", out.time, "ms").WithSpread(out.times));
      rows->push_back(BenchRow::Measured(what + ": -log10 error (002), mean", out.accuracy, ""));
      rows->push_back(BenchRow::Measured(what + ": penetration, most", 1e3 * out.penetration, "mm"));
      rows->push_back(
          BenchRow::Measured(what + ": off its place, most", 1e3 * CalcDistance(world, out, reference), "mm"));
    }
  }
  for (const char* other : {"pgs-ncg", "fadmm", "nnewton"}) {
    rows->push_back(
        BenchRow::Measured(fmt::format("{}: {} over subadmm, at 60", name, other), at60[other] / at60["subadmm"], ""));
  }
}

// Fig. 2: 60 iterations over the segments of the cable.
void AddGrowth(bool quick, Rows* rows) {
  for (const char* solver : {"subadmm-icra", "subadmm"}) {
    std::vector<double> x, y;
    for (const int segments : quick ? std::vector<int>{80, 160, 320} : std::vector<int>{80, 160, 320, 640, 1280}) {
      x.push_back(segments);
      const Outcome out = Simulate(MakeCable(segments), solver, 60, true, 20);
      y.push_back(out.time);
      rows->push_back(BenchRow::Measured(fmt::format("cable of {} segments, {}, 60 iterations: time", segments, solver),
                                         out.time, "ms")
                          .WithSpread(out.times));
    }
    rows->push_back(BenchRow::AtMost(fmt::format("cable, {}: exponent of time over segments", solver),
                                     FitExponent(x, y), "", 1.05));
    rows->push_back(BenchRow::Measured(fmt::format("cable, {}: R^2 of a line", solver), FitLine(x, y), ""));
  }
}

}  // namespace

std::vector<BenchRow> RunBaselinesSuite(const BenchSettings& settings) {
  Rows rows;
  const bool quick = settings.quick;
  Progress progress(5, Progress::Elsewhere::Lines);
  progress.Show(1, "cable");
  AddTable("cable", MakeCable(quick ? 160 : 640), quick ? 15 : 100, quick, &rows);
  progress.Show(2, "beam");
  AddTable("beam", MakeBeam(quick), quick ? 15 : 60, quick, &rows);
  progress.Show(3, "growth with segments");
  AddGrowth(quick, &rows);
  progress.Show(4, "penalty forces");
  AddPenaltyTable(&rows);
  AddAnisotropicTable(&rows);
  progress.Show(5, "position-based dynamics");
  AddXpbdTable(quick, &rows);
  return rows;
}

}  // namespace tactus::cli
