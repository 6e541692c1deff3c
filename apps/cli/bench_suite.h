// Suites of benchmarks: each is a function that measures and returns rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/statistics.h"
#include "apps/cli/trace_plot.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

/// One measured number, and what it must be at most or at least.
struct BenchRow {
  enum class Better { Unknown, Lower, Higher };

  std::string name;
  double value = 0;
  std::string unit;
  std::optional<double> bar;  ///< none: for information
  bool pass = true;
  Better better = Better::Unknown;
  std::optional<double> spread =
      std::nullopt;  ///< of what `value` is the median or mean of: its middle half, same unit

  static BenchRow Measured(std::string name, double value, std::string unit) {
    return {std::move(name), value, std::move(unit), std::nullopt, true, Better::Unknown, std::nullopt};
  }
  /// The row with the middle half of the numbers that its value is the median or mean of.
  BenchRow WithSpread(const std::vector<double>& of) const {
    BenchRow row = *this;
    if (of.size() > 1) row.spread = Quantile(of, 0.75) - Quantile(of, 0.25);
    return row;
  }
  /// A NaN passes neither.
  static BenchRow AtMost(std::string name, double value, std::string unit, double bar) {
    return {std::move(name), value, std::move(unit), bar, value <= bar, Better::Lower, std::nullopt};
  }
  static BenchRow AtLeast(std::string name, double value, std::string unit, double bar) {
    return {std::move(name), value, std::move(unit), bar, value >= bar, Better::Higher, std::nullopt};
  }
};

/// Curves over the time of one run, as in the papers' figures.
struct BenchTrace {
  std::string title;
  std::vector<TracePanel> panels;  ///< over time [s]
};

/// What a suite found to run on, where that depends on the machine.
struct BenchProblems {
  std::string what;                ///< "6 of the 23 files of ../shared/fclib"
  std::string folder;              ///< empty: generated
  std::vector<std::string> names;  ///< only results on the same ones compare
};

struct BenchSettings {
  bool quick = false;           ///< fewer cases
  std::string only;             ///< parts whose name contains this; empty: all
  int trials = 0;               ///< scenarios, deformables: seeds of each scene; 0: 5 and 20, with `quick` 1
  int soft_problems = 0;        ///< inverse: of each soft robot; 0: as many as the suite likes
  int compared = 0;             ///< inverse: of these, how many every method gets; 0: as many as the suite likes
  std::uint64_t soft_seed = 1;  ///< inverse: of these problems
  std::string data;             ///< inverse: a CSV file with each method on each problem of soft robots; empty: none
  std::string peers_python;     ///< peers: the Python that has the other engines' packages; empty: FindPeersPython
  std::string folder;           ///< fclib: where the files are; empty: FindFclibFolder
  std::vector<BenchTrace>* traces = nullptr;  ///< where suites put curves over time; null: nowhere
  BenchProblems* problems = nullptr;          ///< fclib: where it says what it ran on; null: nowhere
  /// solvers: who makes them. Tests plant slower and less accurate ones here, to see that comparisons find them.
  std::function<std::unique_ptr<ContactSolver>(const std::string& name)> make_solver = [](const std::string& name) {
    return MakeSolver(name);
  };

  bool Wants(const std::string& part) const {
    if (parts != nullptr) parts->push_back(part);
    return part.find(only) != std::string::npos;
  }
  std::vector<std::string>* parts = nullptr;  ///< where parts that were asked for are listed; null: nowhere
};

/// How much of a suite is run: what, and about how long it takes.
struct BenchExtent {
  const char* how;
  double seconds;            ///< but for trials
  double trial_seconds = 0;  ///< a seed of every scene
  int trials = 0;            ///< seeds of each scene where settings do not say; 0: the suite has none
};

/// One line of the table of suites.
struct BenchSuite {
  const char* name;
  const char* what;
  std::vector<BenchRow> (*run)(const BenchSettings& settings);
  BenchExtent whole, quick;
};

const std::vector<BenchSuite>& BenchSuites();

/// In one line what a suite runs with these settings, and what a whole run has more; for results and their report.
std::string DescribeBenchRun(const std::string& suite, const BenchSettings& settings);
/// About how long that takes on a machine with two cores [s]: a rough figure, where nothing was measured here yet.
double EstimateBenchSeconds(const std::string& suite, const BenchSettings& settings);

/// Generated problems with every seed: how many are solved, in what time, and how far simpler methods get.
std::vector<BenchRow> RunSolversSuite(const BenchSettings& settings);
/// Hot kernels: time, and how near they come to the machine's limits in arithmetic and bandwidth.
std::vector<BenchRow> RunMicroSuite(const BenchSettings& settings);
/// Identities of rigid-body dynamics, and the time of each algorithm.
std::vector<BenchRow> RunDynamicsSuite(const BenchSettings& settings);
/// Scenes in time: known physics, momentum, reproducibility, large piles, and the time of each stage of a step.
std::vector<BenchRow> RunSimulationSuite(const BenchSettings& settings);
/// The tasks of the papers: done or not, penetration, solvers under a budget, single steps in dense contact.
std::vector<BenchRow> RunScenariosSuite(const BenchSettings& settings);

/// SubADMM against the hybrid, other splittings and the papers' baselines; growth, threads, and `auto`.
std::vector<BenchRow> RunSubadmmSuite(const BenchSettings& settings);
/// COND on soft mats and scenes: acceleration, stiffness, time beside others at equal accuracy, growth with size.
std::vector<BenchRow> RunCondSuite(const BenchSettings& settings);
/// Paper 002's table for cable and beam, growth with segments; penalty forces and XPBD on paper 001's scenes.
std::vector<BenchRow> RunBaselinesSuite(const BenchSettings& settings);
/// Inverse dynamics: projections, global optima of small problems, times at a quadruped's size, other methods.
std::vector<BenchRow> RunInverseSuite(const BenchSettings& settings);

/// The part of it that is about soft robots.
std::vector<BenchRow> RunSoftInverseSuite(const BenchSettings& settings);

/// The papers' deformable scenes with random parameters: tasks, penetration, and solvers on problems out of them.
std::vector<BenchRow> RunDeformablesSuite(const BenchSettings& settings);

/// The same scenes in tactus and in other engines: times of steps, physical errors, time to reach an error.
std::vector<BenchRow> RunPeersSuite(const BenchSettings& settings);

/// A folder of FCLib files: how many each solver solves, and performance profiles, Siconos's solvers among them.
std::vector<BenchRow> RunFclibSuite(const BenchSettings& settings);

}  // namespace tactus::cli
