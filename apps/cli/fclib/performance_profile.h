// Performance profiles (Dolan and Moré): which part of the problems a solver solves within a multiple of the best time.
#pragma once

#include <string>
#include <vector>

namespace tactus::cli {

/// One solver on one problem.
struct SolverTry {
  std::string solver, problem;
  bool siconos = false;
  double tolerance = 0;
  bool solved = false;  ///< `natural` is within the tolerance, by CalcNcpResidual
  bool strict = false;  ///< `natural_rho` and `natural_rho_mean` are, too
  double residual = 0;  ///< `natural`; infinite where there is no answer
  double seconds = 0;   ///< median processor time
  double spread = 0;    ///< of the middle half of the repeats
  std::string failure;  ///< why there is no answer
};

class PerformanceProfile {
 public:
  /// Of the tries at one tolerance.
  PerformanceProfile(const std::vector<SolverTry>& tries, double tolerance);

  const std::vector<std::string>& solvers() const { return solvers_; }
  int num_problems() const { return static_cast<int>(problems_.size()); }
  bool siconos(const std::string& solver) const;
  int CountSolved(const std::string& solver) const;
  int CountStrict(const std::string& solver) const;
  /// Part of all problems that the solver solves in at most `ratio` times the least time of any solver that solves it.
  double Fraction(const std::string& solver, double ratio) const;
  /// Time of `solver` over the least; infinite where it does not solve the problem, NaN where nobody does.
  double Ratio(const std::string& solver, const std::string& problem) const;
  /// Area under the profile over log10 of ratios from 1 to 1000, as a part of the whole.
  double Area(const std::string& solver) const;
  /// Most problems solved, then the greatest area; of Siconos's or of ours. Empty if there is none.
  std::string BestSingle(bool siconos) const;
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  const SolverTry* Find(const std::string& solver, const std::string& problem) const;

  std::vector<SolverTry> tries_;
  std::vector<std::string> solvers_, problems_;
  std::vector<double> best_;  // of problems; infinite where nobody solves it
};

}  // namespace tactus::cli
