// Suite `subadmm`: SubADMM against the hybrid, the splittings it is compared with, and the baselines of papers 000 and
// 002; growth with size, threads, and `auto`.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/statistics.h"
#include "apps/cli/suites/memory_growth.h"
#include "apps/cli/suites/scenario_runs.h"
#include "apps/cli/terminal.h"
#include "tactus/generate/generator.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;
using Problems = std::vector<ContactProblem>;

// Families of problems: from scenes, stepped on by a solver that is quick; or generated.
struct Family {
  const char* name;
  const char* scene;
  std::vector<std::string> set;         // parameters; of generated ones the kind and a parameter of it
  int first, every, steps;              // problems of these steps
  int trials = 0;                       // or of the only step of so many trials
  std::vector<std::string> quick = {};  // parameters of --quick
};

const std::vector<Family>& Families() {
  static const std::vector<Family> table = {
      {"bolt", "bolt-nut-step", {}, 1, 1, 1, 20},    {"dishes", "dish-step", {}, 1, 1, 1, 20},
      {"pouring", "pouring", {}, 60, 90, 1800},      {"clutter", "clutter", {}, 150, 225, 2400},
      {"laikagos", "laikago-drop", {}, 60, 60, 960}, {"stir", "granular-stir", {}, 50, 50, 504, 0, {"particles=100"}},
  };
  return table;
}

Problems Collect(const Family& family, bool quick) {
  RunPlan plan;
  plan.set = quick ? family.quick : family.set;
  plan.solver = "subadmm";
  plan.iterations = 200;
  plan.linearizations = 1;
  plan.seed = 1;
  Problems out;
  if (family.scene[0] == '\0') {
    for (int seed = 1; seed <= (quick ? 3 : family.trials); ++seed) {
      out.push_back(
          Generate(family.set[0], {{family.set[1], std::stod(family.set[2])}}, static_cast<std::uint32_t>(seed)));
    }
    return out;
  }
  if (family.trials > 0) {
    const int trials = quick ? 4 : family.trials;
    for (int k = 0; k < trials; ++k) {
      plan.trial = k * 100 / trials;
      plan.solver = "hybrid";
      plan.iterations = 0;
      for (ContactProblem& p : CollectProblems(family.scene, plan, 1, 1)) out.push_back(std::move(p));
    }
    return out;
  }
  plan.steps = quick ? std::min(family.steps, family.first + 3 * family.every) : family.steps;
  return CollectProblems(family.scene, plan, family.first, family.every);
}

struct Timing {
  double milliseconds = 0;  // median
  SolveReport report;       // of the last solve
};

// Solves so often, and the first time in vain: memory is taken then.
Timing Measure(ContactSolver* solver, const ContactProblem& problem, const SolveSettings& settings, int repeats) {
  Timing out;
  ContactSolution solution;
  std::vector<double> times;
  for (int k = 0; k <= repeats; ++k) {
    out.report = solver->Solve(problem, settings, WarmStart(), &solution);
    // Of one thread the processor's time: other programs do not count.
    if (k > 0) times.push_back(1e3 * (settings.threads == 1 ? out.report.cpu_time : out.report.time));
  }
  out.milliseconds = Quantile(times, 0.5);
  return out;
}

// 1. Run long, the answers are the hybrid's.
void AddFixedPoints(const std::string& family, const Problems& problems, bool quick, Rows* rows) {
  int same = 0, both = 0, neither = 0;
  std::vector<double> residuals;
  const auto subadmm = MakeSolver("subadmm"), hybrid = MakeSolver("hybrid");
  for (const ContactProblem& problem : problems) {
    SolveSettings settings;
    settings.tolerance = 1e-10;
    settings.time_budget = 20;
    ContactSolution exact, solution;
    const SolveReport reference = hybrid->Solve(problem, settings, WarmStart(), &exact);
    settings.max_iterations = quick ? 5000 : 100000;
    const SolveReport report = subadmm->Solve(problem, settings, WarmStart(), &solution);
    const double scale = std::max(exact.velocity.norm(), problem.free_velocity().norm());
    const bool agree = (solution.velocity - exact.velocity).norm() <= 1e-6 * scale;
    same += agree;
    both += !agree && report.residual.natural_rho <= 1e-8 && reference.residual.natural_rho <= 1e-8;
    neither += !agree && report.residual.natural_rho > 1e-8;
    residuals.push_back(report.residual.natural_rho);
  }
  const std::string of = fmt::format("of {}", problems.size());
  rows->push_back(BenchRow::Measured(family + ", long: velocity of the hybrid to 1e-6", same, of));
  rows->push_back(BenchRow::Measured(family + ", long: another solution, both to 1e-8", both, of));
  rows->push_back(BenchRow::Measured(family + ", long: not converged", neither, of));
  rows->push_back(BenchRow::Measured(family + ", long: residual, largest", Quantile(residuals, 1), ""));
}

// 5. Iterations to the papers' residual.
void AddIterations(const std::string& family, const Problems& problems, Rows* rows) {
  const auto solver = MakeSolver("subadmm");
  std::vector<double> iterations;
  for (const ContactProblem& problem : problems) {
    SolveSettings settings = Iterations(1000);
    settings.record_history = true;
    ContactSolution solution;
    const SolveReport report = solver->Solve(problem, settings, WarmStart(), &solution);
    double first = 1e9;
    for (const HistoryEntry& h : report.history) {
      if (h.paper <= 1e-4) first = std::min(first, static_cast<double>(h.iteration));
    }
    iterations.push_back(first);
  }
  rows->push_back(
      BenchRow::Measured(family + ": iterations to paper residual 1e-4, median", Quantile(iterations, 0.5), ""));
  rows->push_back(
      BenchRow::AtMost(family + ": iterations to paper residual 1e-4, most", Quantile(iterations, 1), "", 400));
}

// auto against either alone.
void AddAuto(const std::string& family, const Problems& problems, Rows* rows) {
  for (const double tolerance : {1e-3, 1e-4, 1e-6, 1e-8}) {
    std::map<std::string, double> median;
    for (const char* name : {"hybrid", "subadmm", "auto"}) {
      const auto solver = MakeSolver(name);
      std::vector<double> times;
      int solved = 0;
      for (const ContactProblem& problem : problems) {
        SolveSettings settings;
        settings.tolerance = tolerance;
        settings.time_budget = 5;
        const Timing timing = Measure(solver.get(), problem, settings, 1);
        // What is not solved is no choice.
        times.push_back(timing.report.solved() ? timing.milliseconds : std::numeric_limits<double>::infinity());
        solved += timing.report.solved();
      }
      median[name] = Quantile(times, 0.5);
      rows->push_back(
          BenchRow::Measured(fmt::format("{} to {:g}, {}: time, median", family, tolerance, name), median[name], "ms")
              .WithSpread(times));
      rows->push_back(BenchRow::Measured(fmt::format("{} to {:g}, {}: solved", family, tolerance, name), solved,
                                         fmt::format("of {}", problems.size())));
    }
    rows->push_back(BenchRow::AtMost(fmt::format("{} to {:g}: auto over the better of the two", family, tolerance),
                                     median["auto"] / std::min(median["hybrid"], median["subadmm"]), "", 1.2));
  }
}

// 2. Splittings on robots that fall on each other: paper 000, table III.
void AddSplittings(int robots, double no_sub_bar, double no_body_bar, bool quick, Rows* rows) {
  RunPlan plan;
  plan.set = {fmt::format("robots={}", robots)};
  plan.solver = "subadmm";
  plan.iterations = 100;
  plan.linearizations = 1;
  plan.steps = quick ? 240 : 720;
  const Problems problems = CollectProblems("laikago-drop", plan, 120, quick ? 60 : 100);
  std::map<std::string, double> times;
  for (const char* name : {"subadmm", "no-body", "no-sub", "fadmm"}) {
    const auto solver = MakeSolver(name);
    std::vector<double> all, logs;
    for (const ContactProblem& p : problems) {
      const Timing timing = Measure(solver.get(), p, Iterations(100), quick ? 5 : 21);
      all.push_back(timing.milliseconds);
      logs.push_back(-std::log10(timing.report.residual.paper));
    }
    times[name] = Quantile(all, 0.5);
    const std::string what = fmt::format("{} laikagos, {}, 100 iterations", robots, name);
    rows->push_back(BenchRow::Measured(what + ": time", times[name], "ms").WithSpread(all));
    rows->push_back(BenchRow::Measured(what + ": residual (paper), -log10, median", Quantile(logs, 0.5), ""));
  }
  const auto ratio = [&](const char* name) { return times[name] / times["subadmm"]; };
  const std::string what = fmt::format("{} laikagos: ", robots);
  rows->push_back(BenchRow::AtLeast(what + "no-sub over subadmm", ratio("no-sub"), "", no_sub_bar));
  rows->push_back(BenchRow::AtLeast(what + "no-body over subadmm", ratio("no-body"), "", no_body_bar));
  if (robots == 8)
    rows->push_back(BenchRow::AtMost(what + "subadmm beside the paper's", times["subadmm"], "ms", 0.435));
}

// 3. Paper 002, table I: mean time, and mean of -log10 of the Fischer-Burmeister error.
void AddTable(const Problems& problems, bool quick, Rows* rows) {
  for (const char* name : {"pgs-ncg", "pj", "fadmm", "nnewton", "subadmm-icra", "subadmm"}) {
    const bool newton = std::string(name) == "nnewton";
    const auto solver = MakeSolver(name);
    for (const int count : {30, 60, 90}) {
      const int iterations = newton ? count / 10 : count;
      double time = 0, accuracy = 0;
      std::vector<double> times;
      for (const ContactProblem& p : problems) {
        const Timing timing = Measure(solver.get(), p, Iterations(iterations), quick || newton ? 1 : 5);
        times.push_back(timing.milliseconds);
        time += timing.milliseconds / static_cast<double>(problems.size());
        accuracy -= std::log10(timing.report.residual.fischer_burmeister) / static_cast<double>(problems.size());
      }
      const std::string what = fmt::format("stir, {}, {} iterations", name, iterations);
      const bool bar = std::string(name) == "subadmm" && count == 60;
      const BenchRow row = bar ? BenchRow::AtMost(what + ": time, mean", time, "ms", 5.94)
                               : BenchRow::Measured(what + ": time, mean", time, "ms");
      rows->push_back(row.WithSpread(times));
      rows->push_back(BenchRow::Measured(what + ": -log10 error (002), mean", accuracy, ""));
    }
  }
}

// 4. Growth with size, one thread and two; of the problems of every `every`th step together.
void AddGrowth(const char* scene, const char* parameter, const std::vector<int>& sizes, int every, int steps,
               Rows* rows) {
  std::vector<double> x, y, two_threads, contacts;
  for (const int size : sizes) {
    RunPlan plan;
    plan.set = {fmt::format("{}={}", parameter, size)};
    plan.solver = "subadmm";
    plan.iterations = 60;
    plan.linearizations = 1;
    plan.steps = steps;
    const Problems problems = CollectProblems(scene, plan, every, every);
    // A solver each, as simulations have one: its memory is then in the caches of the cores that use it. One solver for
    // both would bring it over from the other core in every turn, which takes as long as 30 iterations where cores
    // share no cache.
    const auto alone = MakeSolver("subadmm"), shared = MakeSolver("subadmm");
    SolveSettings settings = Iterations(60);
    double single = 0, both = 0, cpu = 0, sum = 0;
    for (const ContactProblem& problem : problems) {
      // In turns: what else runs on the machine then hits both alike.
      std::vector<double> one, two, processor;
      const int repeats = size > 2000 ? 7 : 15;
      for (int k = 0; k < repeats; ++k) {
        settings.threads = 1;
        const Timing timing = Measure(alone.get(), problem, settings, 1);
        one.push_back(1e3 * timing.report.time);
        processor.push_back(timing.milliseconds);
        settings.threads = 2;
        two.push_back(1e3 * Measure(shared.get(), problem, settings, 1).report.time);
      }
      const double share = 1 / static_cast<double>(problems.size());
      single += share * Quantile(one, 0.25);
      both += share * Quantile(two, 0.25);
      cpu += share * Quantile(processor, 0.25);
      sum += share * problem.num_contacts();
    }
    if (problems.empty()) continue;
    x.push_back(size);
    y.push_back(cpu);
    two_threads.push_back(both);
    contacts.push_back(sum);
    const std::string what = fmt::format("{} with {}={}, 60 iterations", scene, parameter, size);
    rows->push_back(BenchRow::Measured(what + ": contacts, mean", sum, ""));
    rows->push_back(BenchRow::Measured(what + ": time, one thread, mean", single, "ms"));
    rows->push_back(BenchRow::Measured(what + ": of the processor, mean", cpu, "ms"));
    const bool large = std::string(scene) == "granular-stir" && size == 1000;
    rows->push_back(BenchRow::AtLeast(what + ": one thread over two", single / both, "", large ? 1.6 : 0.95));
  }
  if (x.size() > 2) {
    rows->push_back(
        BenchRow::AtMost(fmt::format("{}: exponent of time over {}", scene, parameter), FitExponent(x, y), "", 1.05));
    rows->push_back(BenchRow::Measured(fmt::format("{}: exponent of time over {}, two threads", scene, parameter),
                                       FitExponent(x, two_threads), ""));
    rows->push_back(
        BenchRow::Measured(fmt::format("{}: exponent of time over contacts", scene), FitExponent(contacts, y), ""));
    rows->push_back(BenchRow::Measured(fmt::format("{}: exponent of contacts over {}", scene, parameter),
                                       FitExponent(x, contacts), ""));
    rows->push_back(BenchRow::Measured(fmt::format("{}: R^2 of a line over {}", scene, parameter), FitLine(x, y), ""));
  }
}

// 5. Paper 000, figure 11: a fixed number of iterations, more and more beads.
void AddPouring(bool quick, Rows* rows) {
  const std::vector<int> beads = quick ? std::vector<int>{9} : std::vector<int>{9, 18, 27, 36, 45};
  std::vector<double> dofs;
  std::map<std::string, std::vector<double>> times;
  for (const int count : beads) {
    RunPlan plan;
    plan.set = {fmt::format("particles={}", count)};
    plan.seed = 1;
    plan.solver = "subadmm";
    plan.iterations = 200;
    plan.linearizations = 1;
    const Problems problems = CollectProblems("pouring", plan, 120, quick ? 360 : 120);
    if (problems.empty()) continue;
    dofs.push_back(problems.front().num_dofs());
    for (const auto& [name, iterations] :
         {std::pair("hybrid", 5), std::pair("canal", 5), std::pair("subadmm", 100), std::pair("pgs", 100)}) {
      const auto solver = MakeSolver(name);
      double time = 0, residual = 0;
      std::vector<double> all;
      for (const ContactProblem& p : problems) {
        const Timing timing = Measure(solver.get(), p, Iterations(iterations), 1);
        all.push_back(timing.milliseconds);
        time += timing.milliseconds / static_cast<double>(problems.size());
        residual += timing.report.residual.paper / static_cast<double>(problems.size());
      }
      const std::string what = fmt::format("pouring {} beads, {}, {} iterations", count, name, iterations);
      rows->push_back(BenchRow::Measured(what + ": time, mean", time, "ms").WithSpread(all));
      rows->push_back(BenchRow::Measured(what + ": residual (paper), mean", residual, ""));
      times[name].push_back(time);
    }
  }
  for (const auto& [name, list] : times) {
    if (list.size() < 3) break;
    const std::string what = fmt::format("pouring, {}: exponent of time over dofs", name);
    const double exponent = FitExponent(dofs, list);
    rows->push_back(name == "canal" ? BenchRow::AtMost(what, exponent, "", 2) : BenchRow::Measured(what, exponent, ""));
  }
}

// 6. Tasks within the papers' budgets, and how fast `auto` is at 1/240 s.
void AddTasks(Rows* rows) {
  constexpr int kSeeds = 3;
  for (const auto& [scene, budget] : {std::pair("bolt-nut", 0.5e-3), std::pair("dish-piling", 1e-3)}) {
    int done = 0;
    double penetration = 0;
    std::vector<double> times, residuals;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      RunOutcome out;
      RunScene(scene, {.seed = seed, .solver = "subadmm", .time_budget = budget}, &out);
      done += out.done;
      penetration = std::max(penetration, out.penetration);
      times.insert(times.end(), out.cpu_seconds.begin(), out.cpu_seconds.end());
      residuals.insert(residuals.end(), out.residuals.begin(), out.residuals.end());
    }
    const std::string what = fmt::format("{}, subadmm in {:g} ms", scene, 1e3 * budget);
    rows->push_back(BenchRow::AtLeast(what + ": task done", done, fmt::format("of {} seeds", kSeeds), kSeeds));
    rows->push_back(BenchRow::AtMost(what + ": penetration, largest", penetration, "m", 1e-4));
    rows->push_back(BenchRow::Measured(what + ": processor time, 99th", Quantile(times, 0.99), "ms/step"));
    rows->push_back(BenchRow::Measured(what + ": residual, median", Quantile(residuals, 0.5), ""));
  }
  for (const auto& [scene, set] : {std::pair("granular-stir", std::vector<std::string>{"particles=1000"}),
                                   std::pair("clutter", std::vector<std::string>{})}) {
    for (const int threads : {1, 2}) {
      RunOutcome out;
      RunScene(scene,
               {.set = set,
                .seed = 1,
                .solver = "auto",
                .tolerance = 1e-4,
                .time_step = 1.0 / 240,
                .linearizations = 1,
                .threads = threads},
               &out);
      const std::string what = fmt::format("{}, auto to 1e-4, {} threads", scene, threads);
      rows->push_back(BenchRow::Measured(what + ": real-time factor", out.simulated / out.wall_time, ""));
      rows->push_back(BenchRow::Measured(what + ": residual, 99th", Quantile(out.residuals, 0.99), ""));
    }
  }
}

// 7. Who does what does not matter.
void AddDeterminism(const Problems& problems, Rows* rows) {
  int differ = 0;
  for (const ContactProblem& problem : problems) {
    ContactSolution one, many;
    const auto solver = MakeSolver("subadmm");
    SolveSettings settings = Iterations(120);
    (void)solver->Solve(problem, settings, WarmStart(), &one);
    for (settings.threads = 2; settings.threads <= 4; ++settings.threads) {
      (void)solver->Solve(problem, settings, WarmStart(), &many);
      differ += !(many.impulse.array() == one.impulse.array()).all();
    }
  }
  rows->push_back(BenchRow::AtMost("answers that differ for 2, 3 or 4 threads", differ,
                                   fmt::format("of {}", 3 * problems.size()), 0));
}

// 7. Robots by factors and along their joints (paper 000, remark 1).
void AddTreeSolvers(bool quick, Rows* rows) {
  const auto robot = [](int dofs, double branch) {
    return Generate("robot", {{"dofs", dofs}, {"branch", branch}, {"contacts", 12}, {"self", 0}}, 1);
  };
  const auto scene = [](const char* name, const char* robots) {
    RunPlan plan;
    if (robots[0] != '\0') plan.set = {robots};
    plan.solver = "subadmm";
    plan.iterations = 100;
    plan.linearizations = 1;
    plan.steps = 180;
    return std::move(CollectProblems(name, plan, 180, 1).at(0));
  };
  std::vector<std::pair<std::string, ContactProblem>> cases;
  cases.emplace_back("laikago, 18 dofs", scene("laikago-drop", "robots=1"));
  cases.emplace_back("random tree, 30 dofs", robot(30, 0.4));
  for (const int dofs : {16, 32, 64, 100, 200}) cases.emplace_back(fmt::format("chain, {} dofs", dofs), robot(dofs, 0));
  for (const auto& [name, problem] : cases) {
    double time[2] = {};
    for (const bool along : {false, true}) {
      const auto solver = MakeSolver(along ? "subadmm-aba" : "subadmm");
      // Of many iterations less few: preparing the problem is not counted. Some meet even this tolerance before.
      const int repeats = quick ? 3 : 15;
      const Timing many = Measure(solver.get(), problem, Iterations(1020), repeats);
      const Timing few = Measure(solver.get(), problem, Iterations(20), repeats);
      time[along] = 1e3 * (many.milliseconds - few.milliseconds) / (many.report.iterations - few.report.iterations);
      rows->push_back(BenchRow::Measured(fmt::format("{}, {}: an iteration", name, solver->name()), time[along], "us"));
    }
    rows->push_back(BenchRow::Measured(name + ": factors over joints", time[0] / time[1], ""));
  }
}

}  // namespace

std::vector<BenchRow> RunSubadmmSuite(const BenchSettings& settings) {
  Rows rows;
  const bool quick = settings.quick;
  int done = 0;
  Progress progress(static_cast<int>(Families().size()) + (quick ? 6 : 9), Progress::Elsewhere::Lines);
  for (const Family& family : Families()) {
    progress.Show(++done, family.name);
    const std::string name = family.name;
    if ((quick && (name == "clutter" || name == "pouring")) || !settings.Wants(name)) continue;
    const Problems problems = Collect(family, quick);
    AddIterations(name, problems, &rows);
    AddFixedPoints(name, problems, quick, &rows);
    AddAuto(name, problems, &rows);
    if (name == "stir") {
      AddTable(problems, quick, &rows);
      AddDeterminism(problems, &rows);
    }
  }
  const auto part = [&](const char* name, const auto& run) {
    ++done;
    if (!settings.Wants(name)) return;
    progress.Show(done, name);
    run();
  };
  part("splittings", [&] {
    AddSplittings(8, 2.78, 1.46, quick, &rows);
    if (!quick) AddSplittings(27, 3.63, 1, quick, &rows);
  });
  part("factors and joints", [&] { AddTreeSolvers(quick, &rows); });
  part("growth with spheres", [&] {  // heaps that have come to rest
    AddGrowth("granular-stir", "particles",
              quick ? std::vector<int>{125, 343} : std::vector<int>{125, 216, 512, 1000, 2197, 4913, 9261}, 240, 240,
              &rows);
  });
  part("growth with robots", [&] {  // as they fall on each other and lie
    AddGrowth("laikago-drop", "robots", quick ? std::vector<int>{8, 27} : std::vector<int>{8, 16, 27, 64, 128}, 50, 300,
              &rows);
  });
  part("growth of memory with spheres", [&] { AddSphereMemory(quick, &rows); });
  if (quick) return rows;
  part("pouring sweep", [&] { AddPouring(quick, &rows); });
  part("tasks", [&] { AddTasks(&rows); });
  return rows;
}

}  // namespace tactus::cli
