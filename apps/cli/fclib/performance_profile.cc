#include "apps/cli/fclib/performance_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tactus::cli {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

void AddOnce(const std::string& name, std::vector<std::string>* list) {
  if (std::find(list->begin(), list->end(), name) == list->end()) list->push_back(name);
}

}  // namespace

PerformanceProfile::PerformanceProfile(const std::vector<SolverTry>& tries, double tolerance) {
  for (const SolverTry& one : tries) {
    if (one.tolerance != tolerance) continue;
    tries_.push_back(one);
    AddOnce(one.solver, &solvers_);
    AddOnce(one.problem, &problems_);
  }
  for (const std::string& problem : problems_) {
    double least = kInfinite;
    for (const SolverTry& one : tries_) {
      if (one.problem == problem && one.solved) least = std::min(least, one.seconds);
    }
    best_.push_back(least);
  }
}

const SolverTry* PerformanceProfile::Find(const std::string& solver, const std::string& problem) const {
  const auto found = std::find_if(tries_.begin(), tries_.end(),
                                  [&](const SolverTry& one) { return one.solver == solver && one.problem == problem; });
  return found == tries_.end() ? nullptr : &*found;
}

bool PerformanceProfile::siconos(const std::string& solver) const {
  return std::any_of(tries_.begin(), tries_.end(),
                     [&](const SolverTry& one) { return one.solver == solver && one.siconos; });
}

int PerformanceProfile::CountSolved(const std::string& solver) const {
  return static_cast<int>(std::count_if(tries_.begin(), tries_.end(),
                                        [&](const SolverTry& one) { return one.solver == solver && one.solved; }));
}

int PerformanceProfile::CountStrict(const std::string& solver) const {
  return static_cast<int>(std::count_if(tries_.begin(), tries_.end(), [&](const SolverTry& one) {
    return one.solver == solver && one.solved && one.strict;
  }));
}

double PerformanceProfile::Ratio(const std::string& solver, const std::string& problem) const {
  const auto at = std::find(problems_.begin(), problems_.end(), problem) - problems_.begin();
  const double best = at < num_problems() ? best_[static_cast<std::size_t>(at)] : kInfinite;
  if (std::isinf(best)) return std::numeric_limits<double>::quiet_NaN();
  const SolverTry* one = Find(solver, problem);
  return one != nullptr && one->solved ? one->seconds / best : kInfinite;
}

double PerformanceProfile::Fraction(const std::string& solver, double ratio) const {
  if (problems_.empty()) return 0;
  const auto within = std::count_if(problems_.begin(), problems_.end(),
                                    [&](const std::string& problem) { return Ratio(solver, problem) <= ratio; });
  return static_cast<double>(within) / static_cast<double>(problems_.size());
}

double PerformanceProfile::Area(const std::string& solver) const {
  constexpr double kDecades = 3;
  double sum = 0;
  for (const std::string& problem : problems_) {
    const double ratio = Ratio(solver, problem);
    // What a step at log10(ratio) leaves under it.
    if (std::isfinite(ratio)) sum += std::max(0.0, 1 - std::log10(ratio) / kDecades);
  }
  return problems_.empty() ? 0 : sum / static_cast<double>(problems_.size());
}

std::string PerformanceProfile::BestSingle(bool siconos) const {
  std::string best;
  std::pair<int, double> most{-1, 0};
  for (const std::string& solver : solvers_) {
    if (this->siconos(solver) != siconos) continue;
    const std::pair<int, double> now{CountSolved(solver), Area(solver)};
    if (now > most) {
      most = now;
      best = solver;
    }
  }
  return best;
}

}  // namespace tactus::cli
