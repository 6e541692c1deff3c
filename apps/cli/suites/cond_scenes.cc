// Rows of suite `cond` on contact problems of scenes: what acceleration saves (paper 001, Table IX), agreement with the
// hybrid, stiffness (Table IV), a cable wound with COND, and whether a mat keeps up with the clock.
#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/scene_library.h"
#include "apps/cli/statistics.h"
#include "apps/cli/suites/cond_runs.h"
#include "apps/cli/suites/scenario_runs.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;

// Steps of a scene whose problems are looked at.
struct Steps {
  std::string scene;
  std::vector<std::string> set;
  int first, every, last;
  double ratio;  // that acceleration must reach
  const char* solver = "cond";
};

RunPlan MakePlan(const Steps& steps) {
  RunPlan plan;
  plan.set = steps.set;
  plan.solver = steps.solver;
  plan.tolerance = 1e-6;
  plan.steps = steps.last;
  return plan;
}

std::vector<ContactProblem> Collect(const Steps& steps) {
  return CollectProblems(steps.scene, MakePlan(steps), steps.first, steps.every);
}

std::string Name(const Steps& steps) { return steps.scene + (steps.set.empty() ? "" : " " + steps.set.front()); }

// Whether both get to 1e-8, and how far COND's velocities then are from the hybrid's: where the law has several
// answers, or all but, they need not be the same.
struct Agreement {
  int unsolved = 0;
  double farthest = 0;

  void Add(const ContactProblem& p) {
    SolveSettings tight;
    tight.tolerance = 1e-8;
    ContactSolution solution, hybrid;
    CondSettings settings;
    settings.default_max_iterations = 100000;
    const bool both = MakeSolver("hybrid")->Solve(p, tight, WarmStart(), &hybrid).solved() &&
                      CondSolver(settings).Solve(p, tight, WarmStart(), &solution).solved();
    unsolved += both ? 0 : 1;
    farthest = std::max(farthest, CalcVelocityError(p, solution.velocity, hybrid.velocity, true));
  }
  void AddRows(const std::string& name, Rows* rows) const {
    rows->push_back(BenchRow::AtMost(name + ", to 1e-8: problems that cond or hybrid missed", unsolved, "", 0));
    rows->push_back(BenchRow::Measured(name + ", to 1e-8: velocities, cond from hybrid, largest", farthest, ""));
  }
};

double TimeSolver(const std::string& name, const ContactProblem& p, double tolerance) {
  SolveSettings settings;
  settings.tolerance = tolerance;
  ContactSolution solution;
  return 1e3 * MakeSolver(name)->Solve(p, settings, WarmStart(), &solution).cpu_time;
}

// Iterations and time to 1e-6 with and without acceleration, medians over the problems of a scene; what `auto` takes.
void AddSceneProblems(const Steps& steps, Rows* rows) {
  std::map<bool, std::vector<double>> iterations;
  std::vector<double> ratios, times, hybrid_times, auto_times;
  Agreement agreement;
  const std::vector<ContactProblem> problems = Collect(steps);
  for (const ContactProblem& p : problems) {
    SolveSettings loose;
    loose.tolerance = 1e-6;
    ContactSolution solution;
    for (const bool chebyshev : {false, true}) {
      CondSettings settings;
      settings.chebyshev = chebyshev;
      settings.default_max_iterations = 100000;
      const SolveReport report = CondSolver(settings).Solve(p, loose, WarmStart(), &solution);
      iterations[chebyshev].push_back(report.solved() ? report.iterations : std::numeric_limits<double>::quiet_NaN());
      if (chebyshev) times.push_back(1e3 * report.cpu_time);
    }
    ratios.push_back(iterations[false].back() / iterations[true].back());
    hybrid_times.push_back(TimeSolver("hybrid", p, 1e-6));
    auto_times.push_back(TimeSolver("auto", p, 1e-6));
    agreement.Add(p);
  }
  const std::string name = Name(steps);
  const auto median = [](const std::vector<double>& x) { return Quantile(x, 0.5); };
  rows->push_back(BenchRow::Measured(name + ": problems", static_cast<double>(problems.size()), ""));
  rows->push_back(BenchRow::Measured(name + ", to 1e-6, plain: iterations", median(iterations[false]), ""));
  rows->push_back(BenchRow::Measured(name + ", to 1e-6, Chebyshev: iterations", median(iterations[true]), ""));
  rows->push_back(BenchRow::AtLeast(name + ", to 1e-6: plain over Chebyshev", median(ratios), "", steps.ratio));
  rows->push_back(BenchRow::Measured(name + ", to 1e-6: time", median(times), "ms"));
  rows->push_back(BenchRow::Measured(name + ", to 1e-6, hybrid: time", median(hybrid_times), "ms"));
  rows->push_back(BenchRow::AtMost(name + ", to 1e-6: auto over the better of the two",
                                   median(auto_times) / std::min(median(times), median(hybrid_times)), "", 1.2));
  agreement.AddRows(name, rows);
}

// Scenes that are none of COND's: the same answers, all the same.
void AddAgreement(const Steps& steps, Rows* rows) {
  Agreement agreement;
  std::vector<double> cond, hybrid, chosen;
  const std::vector<ContactProblem> problems = Collect(steps);
  for (const ContactProblem& p : problems) {
    agreement.Add(p);
    cond.push_back(TimeSolver("cond", p, 1e-6));
    hybrid.push_back(TimeSolver("hybrid", p, 1e-6));
    chosen.push_back(TimeSolver("auto", p, 1e-6));
  }
  const std::string name = Name(steps);
  const auto median = [](const std::vector<double>& x) { return Quantile(x, 0.5); };
  rows->push_back(BenchRow::Measured(name + ": problems", static_cast<double>(problems.size()), ""));
  agreement.AddRows(name, rows);
  rows->push_back(BenchRow::AtMost(name + ", to 1e-6: auto over the better of the two",
                                   median(chosen) / std::min(median(cond), median(hybrid)), "", 1.2));
}

// Iterations to a true error over stiffness: the paper counts those until the iterate moves little, and finds no
// growth.
void AddTableIV(bool quick, Rows* rows) {
  for (const double young : quick ? std::vector<double>{1e5, 1e7} : std::vector<double>{1e5, 1e6, 1e7}) {
    Steps steps{"soft-ball", {fmt::format("deformables.ball.young={:g}", young)}, 140, 1, 140, 0};
    if (quick) steps.set.push_back("edge=0.02");
    for (const ContactProblem& problem : Collect(steps)) {
      const VectorX exact = MakeCondReference(problem, CondOperator::Strict);
      const VectorX convex = MakeCondReference(problem, CondOperator::Proximal);
      for (const char* name : {"cond", "pgs", "apgd"}) {
        const bool relaxed = std::string(name) == "apgd";
        const Reached reached =
            ReachAccuracy([&] { return problem; }, MakeSolver(name).get(), relaxed ? convex : exact, 5, 1.1);
        rows->push_back(
            BenchRow::Measured(fmt::format("soft-ball, {:g} Pa, {}, velocities to 1e-3: iterations", young, name),
                               reached.iterations, ""));
        if (reached.error > 1e-3) {
          rows->push_back(BenchRow::Measured(fmt::format("soft-ball, {:g} Pa, {}: error when given up", young, name),
                                             reached.error, ""));
        }
      }
    }
  }
}

// A step's problem, and where a solve of it may begin.
struct Posed {
  ContactProblem problem;
  WarmStart start;
};

// Warm: from the impulses and velocities of the step before, one linearisation a step, so that nothing newer is known.
std::vector<Posed> CollectPosed(const Steps& steps, bool warm) {
  std::vector<Posed> out;
  if (!warm) {
    for (ContactProblem& problem : Collect(steps)) out.push_back({std::move(problem), WarmStart()});
    return out;
  }
  RunPlan plan = MakePlan(steps);
  plan.linearizations = 1;
  RunOutcome outcome;
  RunScene(steps.scene, plan, &outcome, [&](const Simulator& simulator) {
    const int k = outcome.steps;
    if (k < steps.first || (k - steps.first) % steps.every != 0 || simulator.problem().num_contacts() == 0) return;
    out.push_back({simulator.problem(), simulator.warm_start()});
  });
  return out;
}

// On problems of a scene, each to the same error of velocities and with factors of its own. The paper found 20 times
// APGD's speed and 150 times that of PGS.
void AddEqualAccuracy(const Steps& steps, bool warm, Rows* rows) {
  const std::vector<std::string> names = {"cond", "apgd", "pgs", "hybrid"};
  std::map<std::string, std::vector<double>> times, iterations, errors;
  std::vector<double> contacts;
  double dofs = 0;
  const std::vector<Posed> all = CollectPosed(steps, warm);
  for (const auto& [problem, start] : all) {
    dofs = problem.num_dofs();
    contacts.push_back(problem.num_contacts());
    const VectorX exact = MakeExactReference(problem), convex = MakeCondReference(problem, CondOperator::Proximal);
    for (const std::string& name : names) {
      const Reached reached = ReachAccuracy([&, &problem = problem] { return WithoutFactors(problem); },
                                            MakeSolver(name).get(), name == "apgd" ? convex : exact, 1, 1.1, start);
      times[name].push_back(reached.milliseconds);
      iterations[name].push_back(reached.iterations);
      errors[name].push_back(reached.error);
    }
  }
  const std::string scene = Name(steps) + (warm ? ", equal errors, warm" : ", equal errors");
  rows->push_back(BenchRow::Measured(scene + ": problems", static_cast<double>(all.size()), ""));
  rows->push_back(BenchRow::Measured(scene + ": dofs", dofs, ""));
  rows->push_back(BenchRow::Measured(scene + ": contacts, median", Quantile(contacts, 0.5), ""));
  for (const std::string& name : names) {
    const std::string what = fmt::format("{}, {}, velocities to 1e-3", scene, name);
    rows->push_back(
        BenchRow::Measured(what + ": time, factorization included, median", Quantile(times[name], 0.5), "ms"));
    rows->push_back(BenchRow::Measured(what + ": iterations, median", Quantile(iterations[name], 0.5), ""));
    rows->push_back(BenchRow::Measured(what + ": error, largest", Quantile(errors[name], 1), ""));
  }
  const auto over = [&](const char* name) { return Quantile(times[name], 0.5) / Quantile(times["cond"], 0.5); };
  rows->push_back(BenchRow::Measured(scene + ": apgd over cond (aim: the paper's 20)", over("apgd"), ""));
  rows->push_back(BenchRow::Measured(scene + ": pgs over cond (aim: the paper's 150)", over("pgs"), ""));
}

void AddCable(Rows* rows) {
  RunPlan plan;
  plan.set = {"links=160"};
  plan.solver = "cond";
  plan.tolerance = 1e-6;
  RunOutcome outcome;
  RunScene("cable-winding", plan, &outcome);
  const double missed = static_cast<double>(
      std::count_if(outcome.residuals.begin(), outcome.residuals.end(), [](double r) { return !(r <= 1e-6); }));
  double sum = 0;
  for (const double k : outcome.iterations) sum += k;
  const std::string name = "cable-winding links=160, run with cond";
  rows->push_back(BenchRow::Measured(name + ": steps", outcome.steps, ""));
  rows->push_back(BenchRow::AtMost(name + ": steps that missed 1e-6", missed, "", 0));
  rows->push_back(BenchRow::AtMost(name + ": penetration", 1e3 * outcome.penetration, "mm", 0.01));
  rows->push_back(BenchRow::Measured(name + ": iterations a step", sum / outcome.steps, ""));
  rows->push_back(BenchRow::Measured(name + ": solver's time a step", Quantile(outcome.cpu_seconds, 0.5), "ms"));
}

// To the end, with the scene's solver and mesh: whether it is done as it should be.
void AddTask(const std::string& scene, Rows* rows) {
  RunPlan plan;
  plan.solver = "cond";
  plan.tolerance = 1e-6;
  RunOutcome outcome;
  RunScene(scene, plan, &outcome);
  const double missed = static_cast<double>(
      std::count_if(outcome.residuals.begin(), outcome.residuals.end(), [](double r) { return !(r <= 1e-6); }));
  const std::string name = scene + ", whole, with cond";
  rows->push_back(BenchRow::AtLeast(name + ": done", outcome.done, "", 1));
  rows->push_back(BenchRow::AtMost(name + ": penetration", 1e3 * outcome.penetration, "mm", 0.01));
  rows->push_back(BenchRow::Measured(name + ": steps", outcome.steps, ""));
  rows->push_back(BenchRow::AtMost(name + ": steps that missed 1e-6", missed, "", 0));
  rows->push_back(BenchRow::Measured(name + ": contacts, at most", outcome.most_contacts, ""));
  rows->push_back(
      BenchRow::Measured(name + ": solver's time a step, median", Quantile(outcome.cpu_seconds, 0.5), "ms"));
  rows->push_back(BenchRow::Measured(name + ": whole time", outcome.wall_time, "s"));
}

// Everything of a step of a mat with as many dofs as the paper's, and what the residual asked for means for velocities.
void AddRealTime(const std::string& scene, const std::vector<std::string>& set, bool quick, Rows* rows) {
  for (const char* tolerance : {"1e-3", "1e-4"}) {
    RunPlan plan;
    plan.set = set;
    plan.solver = "cond";
    plan.tolerance = std::stod(tolerance);
    plan.steps = quick ? 20 : 150;
    RunOutcome outcome;
    std::vector<double> errors;
    double dofs = 0;
    RunScene(scene, plan, &outcome, [&](const Simulator& simulator) {
      constexpr int kEvery = 5;
      const ContactProblem& p = simulator.problem();
      dofs = p.num_dofs();
      if (outcome.steps % kEvery != 0 || p.num_contacts() == 0) return;
      errors.push_back(CalcVelocityError(p, simulator.solution().velocity, MakeExactReference(p), true));
    });
    const std::string name =
        fmt::format("{}{} ({} dofs), to {}", scene, set.empty() ? "" : " " + set.front(), dofs, tolerance);
    rows->push_back(BenchRow::Measured(name + ": contacts, at most", outcome.most_contacts, ""));
    rows->push_back(BenchRow::Measured(name + ": error of velocities, median", Quantile(errors, 0.5), ""));
    rows->push_back(BenchRow::Measured(name + ": error of velocities, largest", Quantile(errors, 1), ""));
    rows->push_back(
        BenchRow::Measured(name + ": solver's time a step, median", Quantile(outcome.cpu_seconds, 0.5), "ms"));
    const std::string step = name + ": whole step of 10 ms, ";
    const double median = Quantile(outcome.step_cpu_seconds, 0.5);
    // A few steps are those of the impact.
    rows->push_back(quick ? BenchRow::Measured(step + "median", median, "ms")
                          : BenchRow::AtMost(step + "median", median, "ms", 10));
    rows->push_back(BenchRow::Measured(step + "99 %", Quantile(outcome.step_cpu_seconds, 0.99), "ms"));
    if (quick) break;
  }
}

}  // namespace

void AddCondScenes(const BenchSettings& settings, Rows* rows) {
  const bool quick = settings.quick;
  std::vector<Steps> all = {{"soft-mat-drop", {"cells=26"}, 12, 12, 60, 3},
                            {"soft-ball", {}, 60, 40, 180, 3},
                            {"cable-winding", {"links=160"}, 1000, 1000, 5000, 2},
                            {"cable-winding", {"links=320"}, 1000, 500, 2000, 2}};
  if (quick) {
    all = {{"soft-mat-drop", {}, 12, 12, 36, 3}, {"soft-ball", {"edge=0.02"}, 60, 40, 140, 3}};
  }
  // Scenes that may not be there: whoever installs tactus may leave some out.
  const std::vector<Steps> optional = {{"soft-mat", {}, 60, 60, 180, 3}, {"soft-gripper", {}, 50, 50, 100, 3}};
  for (const BuiltinScene& scene : quick ? std::vector<BuiltinScene>() : FindBuiltinScenes()) {
    for (const Steps& steps : optional) {
      if (scene.name == steps.scene) all.push_back(steps);
    }
  }
  for (const Steps& steps : all) {
    if (settings.Wants(steps.scene)) AddSceneProblems(steps, rows);
  }
  std::vector<Steps> others = {{"beam-insertion", {"cells=3", "along=20"}, 50, 50, 300, 0, "hybrid"},
                               {"collaborative-cable", {"links=80"}, 50, 50, 500, 0, "hybrid"},
                               {"box-slide", {}, 20, 20, 100, 0, "hybrid"},
                               {"anisotropic-slide", {}, 20, 20, 100, 0, "hybrid"}};
  if (quick) {
    others.erase(others.begin(), others.begin() + 2);
  }
  for (const Steps& steps : others) {
    if (settings.Wants(steps.scene)) AddAgreement(steps, rows);
  }
  if (settings.Wants("Table IV")) AddTableIV(quick, rows);
  if (!quick && settings.Wants("cable-winding")) AddCable(rows);
  if (settings.Wants("real time")) AddRealTime("soft-mat-drop", {"cells=26"}, quick, rows);
  if (settings.Wants("equal errors")) {
    const Steps mat{
        "soft-mat", quick ? std::vector<std::string>{"cells=8"} : std::vector<std::string>(), 60, 60, quick ? 60 : 180,
        0};
    AddEqualAccuracy(mat, false, rows);
    if (!quick) AddEqualAccuracy(mat, true, rows);
  }
  for (const char* scene : {"soft-gripper", "cable-winding"}) {
    if (!quick && settings.Wants(std::string(scene) + " whole")) AddTask(scene, rows);
  }
}

}  // namespace tactus::cli
