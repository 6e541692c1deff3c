#include "apps/cli/suites/soft_rows.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "apps/cli/dot_plot.h"
#include "apps/cli/inverse/inverse_methods.h"
#include "apps/cli/inverse/soft_problems.h"
#include "apps/cli/statistics.h"
#include "tactus/core/output_file.h"
#include "tactus/inverse/qpcc_forward.h"
#include "tactus/inverse/qpcc_unscale.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;

/// What an answer's dynamics gap and violation of the law may be, relative, to count as one that obeys both.
constexpr double kObeys = 1e-6;
/// "Within 0.01 mm of the best known" [m].
constexpr double kSameError = 1e-5;
/// Of every method on a problem it is compared on. Most of them use all of it, so that they take a few problems only.
constexpr double kBudget = 2, kQuickBudget = 0.2;  // [s]
constexpr int kProblems = 150, kQuickProblems = 2, kCompared = 20;
/// Ours in this table: few of many contacts act.
constexpr const char* kOurs = "alm-activate";

struct SoftRobot {
  const char* title;
  const char* scene;
  std::vector<std::string> set;  ///< of the scene
  int least, most;               ///< contacts of problems that are taken: the paper's Table II
  int patience;                  ///< of sampling; a ball that was thrown off does not come back
};

const std::vector<SoftRobot>& SoftRobots() {
  static const std::vector<SoftRobot> table = {
      {"trunk", "soft-trunk", {}, 49, 65, 15},
      // A margin as wide as the grooves, so that all of them may close.
      {"tower", "soft-tower", {"controllers.controller.margin=4e-4"}, 6, 305, 15},
      {"quadrupod", "soft-quadrupod", {}, 66, 181, 4},
  };
  return table;
}

// One method on one problem.
struct Outcome {
  double error = 0;    ///< what its own answer says [m]
  double applied = 0;  ///< what comes of its actuation by the law of contact [m]; infinite: nothing was found
  double time = 0;     ///< of the processor [s]
  double primal = 0, dual = 0, complementarity = 0, gap = 0;
  double bound = -std::numeric_limits<double>::infinity();  ///< no answer has a smaller error [m]; -infinity: unknown
  bool obeys = false;
  int contacts = 0;
};

double TaskError(double loss) { return std::sqrt(2 * std::max(loss, 0.0)); }

// The contact solver's answer to an actuation: the same judge for all methods, whatever they believe of contacts.
double CalcApplied(const QpccProblem& problem, const QpccSolution& solution) {
  QpccScaled scaled;
  ScaleQpcc(problem, 10, &scaled);
  QpccIterate it;
  it.Resize(scaled);
  if (!solution.actuation.allFinite() || !solution.contact.allFinite()) return std::numeric_limits<double>::infinity();
  ScaleSolution(scaled, solution, &it);
  QpccForward forward;
  QpccSettings settings;
  settings.forward_solver = "hybrid";
  forward.Prepare(problem, settings);
  if (!forward.Solve(problem, scaled, true, &it) && !forward.Solve(problem, scaled, false, &it)) {
    return std::numeric_limits<double>::infinity();
  }
  QpccSolution answer;
  UnscaleIterate(scaled, it, &answer);
  return TaskError(CalcQpccLoss(problem, answer.actuation, answer.contact));
}

Outcome SolveOne(const InverseMethod& method, const QpccProblem& problem, const QpccSettings& settings) {
  const InverseAnswer answer = method.solve(problem, settings, nullptr);
  Outcome out;
  out.error = TaskError(answer.report.loss);
  out.applied = CalcApplied(problem, answer.solution);
  out.time = answer.report.cpu_time;
  out.primal = answer.report.primal;
  out.dual = answer.report.dual;
  out.complementarity = answer.report.complementarity;
  out.gap = answer.report.dynamics_gap;
  if (answer.lower_bound > -std::numeric_limits<double>::infinity()) out.bound = TaskError(answer.lower_bound);
  out.obeys = answer.report.primal <= kObeys && answer.report.complementarity <= kObeys;
  out.contacts = problem.num_contacts();
  return out;
}

double Mean(const std::vector<Outcome>& outcomes, double Outcome::*member) {
  double sum = 0;
  for (const Outcome& o : outcomes) sum += o.*member;
  return sum / static_cast<double>(outcomes.size());
}

double MedianOf(const std::vector<Outcome>& outcomes, double Outcome::*member) {
  std::vector<double> values;
  for (const Outcome& o : outcomes) values.push_back(o.*member);
  return Quantile(values, 0.5);
}

// Table III, and the middles of figures 9 and 10.
void AddMethodRows(const std::string& name, const std::vector<Outcome>& outcomes, Rows* rows) {
  const auto count = static_cast<double>(outcomes.size());
  const auto obey = std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return o.obeys; });
  rows->push_back(
      BenchRow::Measured(name + "task error of its answer, median", 1e3 * MedianOf(outcomes, &Outcome::error), "mm"));
  rows->push_back(BenchRow::Measured(name + "task error of its actuation, median",
                                     1e3 * MedianOf(outcomes, &Outcome::applied), "mm"));
  rows->push_back(BenchRow::Measured(name + "time, median", 1e3 * MedianOf(outcomes, &Outcome::time), "ms"));
  rows->push_back(BenchRow::Measured(name + "primal, mean", Mean(outcomes, &Outcome::primal), "relative"));
  rows->push_back(BenchRow::Measured(name + "dual, mean", Mean(outcomes, &Outcome::dual), "relative"));
  rows->push_back(
      BenchRow::Measured(name + "complementarity, mean", Mean(outcomes, &Outcome::complementarity), "relative"));
  rows->push_back(BenchRow::Measured(name + "law and dynamics to 1e-6", 100 * static_cast<double>(obey) / count, "%"));
  if (std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return std::isfinite(o.bound); })) {
    rows->push_back(BenchRow::Measured(name + "lower bound on the task error, median",
                                       1e3 * MedianOf(outcomes, &Outcome::bound), "mm"));
  }
}

// Ours against the best that any method's actuation does.
void AddBars(const std::string& name, const std::vector<std::string>& methods,
             const std::vector<std::vector<Outcome>>& all, Rows* rows) {
  const std::vector<Outcome>& ours = all[0];
  int within = 0;
  double gap = 0;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    double best = std::numeric_limits<double>::infinity();
    for (const std::vector<Outcome>& outcomes : all) best = std::min(best, outcomes[k].applied);
    within += ours[k].obeys && ours[k].error <= best + kSameError ? 1 : 0;
    gap = std::max(gap, ours[k].primal);
  }
  rows->push_back(BenchRow::AtLeast(name + "ours obeys law and dynamics, within 0.01 mm of the best known",
                                    100.0 * within / static_cast<double>(ours.size()), "%", 95));
  rows->push_back(BenchRow::AtMost(name + "largest dynamics gap of ours", gap, "relative", kObeys));
  for (std::size_t m = 1; m < methods.size(); ++m) {
    if (methods[m].rfind("ipopt", 0) != 0) continue;
    rows->push_back(BenchRow::AtMost(name + "time of ours over that of " + methods[m] + ", medians",
                                     MedianOf(ours, &Outcome::time) / MedianOf(all[m], &Outcome::time), "-", 1));
  }
}

// Each method on each problem, as text and as pictures.
struct SoftData {
  std::string csv =
      "robot,kind,method,problem,contacts,error_m,applied_error_m,cpu_s,primal,dual,complementarity,gap,"
      "lower_bound_m\n";
  std::vector<std::vector<DotPanel>> panels;
};

void AppendData(const std::string& robot, const std::string& kind, const std::vector<std::string>& methods,
                const std::vector<std::vector<Outcome>>& all, SoftData* data) {
  for (std::size_t m = 0; m < methods.size(); ++m) {
    for (std::size_t k = 0; k < all[m].size(); ++k) {
      const Outcome& o = all[m][k];
      data->csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", robot, kind, methods[m], k, o.contacts,
                               o.error, o.applied, o.time, o.primal, o.dual, o.complementarity, o.gap,
                               std::isfinite(o.bound) ? fmt::format("{}", o.bound) : "");
    }
  }
  struct Quantity {
    const char* name;
    double Outcome::*member;
    double factor, floor;
  };
  // Smaller ones are drawn at the floor: nobody cares for less than a nanometre.
  static constexpr Quantity kQuantities[] = {{"task error [mm]", &Outcome::applied, 1e3, 1e-6},
                                             {"time [ms]", &Outcome::time, 1e3, 1e-3},
                                             {"primal", &Outcome::primal, 1, 1e-17},
                                             {"dual", &Outcome::dual, 1, 1e-17},
                                             {"complementarity", &Outcome::complementarity, 1, 1e-17}};
  data->panels.emplace_back();
  for (const Quantity& quantity : kQuantities) {
    DotPanel panel{fmt::format("{} {}: {}", robot, kind, quantity.name), quantity.floor, {}};
    for (std::size_t m = 0; m < methods.size(); ++m) {
      panel.columns.push_back({methods[m], {}});
      for (const Outcome& o : all[m]) panel.columns.back().values.push_back(quantity.factor * (o.*quantity.member));
    }
    data->panels.back().push_back(std::move(panel));
  }
}

// Table IV: sweeps alone, to tighter and tighter tolerances.
void AddTolerances(const std::vector<QpccProblem>& problems, Rows* rows) {
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    QpccSettings settings;
    settings.tolerance = tolerance;
    settings.starts = 1;
    settings.penalties[0] = {0.1, 0.1, 0.1};
    settings.sweeps = 2000;
    settings.polish = false;
    settings.search_solves = settings.search_starts = 0;
    settings.reduced = ReducedUse::Never;
    std::vector<Outcome> outcomes;
    for (const QpccProblem& p : problems) {
      outcomes.push_back(SolveOne(FindInverseMethod("alm"), MakeFrictionless(p), settings));
    }
    const std::string name = fmt::format("trunk lcp, {} problems, sweeps alone to {:g}: ", problems.size(), tolerance);
    rows->push_back(BenchRow::Measured(name + "primal, mean", Mean(outcomes, &Outcome::primal), "relative"));
    rows->push_back(BenchRow::Measured(name + "dual, mean", Mean(outcomes, &Outcome::dual), "relative"));
    rows->push_back(BenchRow::Measured(name + "time, mean", 1e3 * Mean(outcomes, &Outcome::time), "ms"));
  }
}

// All problems by ours alone.
void AddAllByOurs(const std::string& name, QpccKind kind, const std::vector<QpccProblem>& problems, Rows* rows) {
  std::vector<double> times;
  double gap = 0;
  for (const QpccProblem& p : problems) {
    const InverseAnswer answer =
        FindInverseMethod(kOurs).solve(kind == QpccKind::Lcp ? MakeFrictionless(p) : p, {}, nullptr);
    times.push_back(1e3 * answer.report.cpu_time);
    gap = std::max(gap, answer.report.primal);
  }
  rows->push_back(BenchRow::Measured(name + "ours alone: time, median", Quantile(times, 0.5), "ms"));
  rows->push_back(BenchRow::Measured(name + "ours alone: time, 99 %", Quantile(times, 0.99), "ms"));
  rows->push_back(BenchRow::AtMost(name + "ours alone: largest dynamics gap", gap, "relative", kObeys));
}

// Every method on the same problems.
void AddComparison(const SoftRobot& robot, QpccKind kind, double budget, const std::vector<QpccProblem>& problems,
                   SoftData* data, Rows* rows) {
  std::vector<std::string> methods;
  std::vector<std::vector<Outcome>> all;
  const auto add = [&](const InverseMethod& method) {
    QpccSettings solve;
    solve.time_budget = budget;
    methods.emplace_back(method.name);
    all.emplace_back();
    for (const QpccProblem& p : problems) {
      all.back().push_back(SolveOne(method, kind == QpccKind::Lcp ? MakeFrictionless(p) : p, solve));
    }
    AddMethodRows(fmt::format("{} {} by {}, {} problems, at most {:g} s each: ", robot.title, ToString(kind),
                              method.name, problems.size(), budget),
                  all.back(), rows);
  };
  add(FindInverseMethod(kOurs));
  for (const InverseMethod& method : InverseMethods()) {
    const std::string name = method.name;
    if (method.available && method.takes(kind) && name != "enumerate" && name != kOurs) add(method);
  }
  AddBars(fmt::format("{} {}, {} problems: ", robot.title, ToString(kind), problems.size()), methods, all, rows);
  AppendData(robot.title, ToString(kind), methods, all, data);
}

std::vector<QpccProblem> SampleRobot(const SoftRobot& robot, const BenchSettings& settings, Rows* rows) {
  SoftSampleSettings sample;
  sample.count = settings.soft_problems > 0 ? settings.soft_problems : settings.quick ? kQuickProblems : kProblems;
  sample.least_contacts = robot.least;
  sample.most_contacts = robot.most;
  sample.patience = robot.patience;
  sample.seed = settings.soft_seed;
  std::vector<QpccProblem> problems;
  std::vector<double> contacts;
  const SoftRobotSize size = SampleSoftRobot(robot.scene, robot.set, sample, [&](const QpccProblem& p) {
    problems.push_back(p);
    contacts.push_back(p.num_contacts());
  });
  const std::string title =
      fmt::format("{} ({} nodes, {} tetrahedra, {} actuators): ", robot.title, size.nodes, size.tets, size.actuators);
  rows->push_back(BenchRow::AtLeast(title + "problems", static_cast<double>(problems.size()), "-", sample.count));
  for (const auto& [what, share] : {std::pair{"min", 0.0}, {"Q1", 0.25}, {"median", 0.5}, {"Q3", 0.75}, {"max", 1.0}}) {
    rows->push_back(BenchRow::Measured(title + "contacts, " + what, Quantile(contacts, share), "-"));
  }
  return problems;
}

void AddRobot(const SoftRobot& robot, const BenchSettings& settings, SoftData* data, Rows* rows) {
  std::vector<QpccKind> kinds;
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Ncp}) {
    if (settings.Wants(fmt::format("{} {}", robot.title, ToString(kind)))) kinds.push_back(kind);
  }
  if (kinds.empty()) return;
  const std::vector<QpccProblem> problems = SampleRobot(robot, settings, rows);
  // Spread over all of them.
  std::vector<QpccProblem> some;
  const std::size_t compared = std::min<std::size_t>(
      static_cast<std::size_t>(settings.compared > 0 ? settings.compared : kCompared), problems.size());
  for (std::size_t k = 0; k < compared; ++k) some.push_back(problems[(2 * k + 1) * problems.size() / (2 * compared)]);
  for (const QpccKind kind : kinds) {
    AddAllByOurs(fmt::format("{} {}, {} problems: ", robot.title, ToString(kind), problems.size()), kind, problems,
                 rows);
    AddComparison(robot, kind, settings.quick ? kQuickBudget : kBudget, some, data, rows);
  }
  if (std::string(robot.title) == "trunk" && kinds[0] == QpccKind::Lcp) AddTolerances(problems, rows);
}

}  // namespace

void AddSoftRows(const BenchSettings& settings, Rows* rows) {
  SoftData data;
  for (const SoftRobot& robot : SoftRobots()) {
    AddRobot(robot, settings, &data, rows);
    // Sampling of the others takes longer than solving. A part that is asked for by name is run all the same.
    if (settings.quick && settings.only.empty()) break;
  }
  if (settings.data.empty()) return;
  OutputFile out(settings.data);
  out.Write(data.csv);
  out.Commit();
  OutputFile picture(std::filesystem::path(settings.data).replace_extension(".svg").string());
  picture.Write(MakeDotPlots("Every method on the same problems of soft robots", data.panels));
  picture.Commit();
}

}  // namespace tactus::cli
