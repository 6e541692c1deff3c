// Times a solve in a child process, again and again, and judges its answer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/contact/ncp_residual.h"

namespace tactus::bench {

/// How to measure.
struct MeasureSettings {
  double tolerance = 1e-8;  ///< on `natural`
  int repeat = 5;           ///< solves at least, unless they take long; short ones are repeated up to 40 times as often
  double limit = 10;        ///< processor time of one solve  [s]
};

/// One timed solve. Conversions of the problem are not in the times.
struct Attempt {
  VectorX impulse;       ///< in the layout of the problem
  double wall = 0;       ///< [s]
  double cpu = 0;        ///< processor time of the thread  [s]
  int iterations = 0;    ///< outer iterations, as the solver counts them
  bool claimed = false;  ///< the solver says that it has solved the problem
};

/// What came out of all repeats.
struct Measurement {
  std::string solver;
  std::string variant;   ///< storage of the matrix, for Siconos
  bool solved = false;   ///< its score is within the tolerance
  bool claimed = false;  ///< the solver's own opinion
  double limit = 0;      ///< processor time it was given for a solve  [s]
  std::string failure;   ///< empty, or why there is no answer at all ("crashed (signal 11)", "limit")
  double score = 0;      ///< the residual it is held to, from CalcNcpResidual
  NcpResidual residual;  ///< of the first answer
  int iterations = 0;
  std::vector<double> wall, cpu;  ///< of each repeat  [s]

  /// Adds the times of another measurement of the same.
  void Append(const Measurement& again);

  double cpu_median() const;
  double cpu_min() const;
  double wall_median() const;
  double wall_min() const;
};

/// Calls `solve` in a child until it has been timed well. A crash, an exit or a hang of the solver ends the child only.
/// `score` says by which of its residuals the first answer is judged.
Measurement Measure(const ContactProblem& problem, const MeasureSettings& settings,
                    const std::function<Attempt()>& solve, const std::function<double(const NcpResidual&)>& score);

}  // namespace tactus::bench
