#include "apps/cli/suites/cond_runs.h"

#include <algorithm>
#include <cmath>

namespace tactus::cli {

VectorX MakeCondReference(const ContactProblem& problem, CondOperator law) {
  CondSettings settings;
  settings.law = law;
  settings.default_max_iterations = 200000;
  SolveSettings tight;
  tight.tolerance = 1e-11;
  ContactSolution solution;
  const SolveReport report = CondSolver(settings).Solve(problem, tight, WarmStart(), &solution);
  static_cast<void>(report);
  return solution.velocity;
}

double CalcVelocityError(const ContactProblem& problem, const VectorX& v, const VectorX& reference, bool by_momentum) {
  VectorX inertia;
  problem.mass().CalcInertia(&inertia);
  const auto norm = [&](const VectorX& x) { return std::sqrt(x.dot(inertia.cwiseProduct(x))); };
  const double momentum = by_momentum ? norm(problem.b().cwiseQuotient(inertia)) : 0;
  return norm(v - reference) / std::max(norm(reference), momentum);
}

SolveSettings IterationsOnly(int count) {
  SolveSettings settings;
  settings.tolerance = 1e-15;
  settings.max_iterations = count;
  return settings;
}

Reached ReachAccuracy(const std::function<ContactProblem()>& make, ContactSolver* solver, const VectorX& reference,
                      double limit, double growth) {
  constexpr double kAccuracy = 1e-3;
  Reached out;
  ContactSolution solution;
  for (double k = 1; k < 1e5; k = std::max(k + 1, growth * k)) {
    const ContactProblem problem = make();
    const SolveReport report = solver->Solve(problem, IterationsOnly(static_cast<int>(k)), WarmStart(), &solution);
    out.iterations = report.iterations;
    out.error = CalcVelocityError(problem, solution.velocity, reference);
    if (out.error <= kAccuracy) {
      out.milliseconds = 1e3 * report.cpu_time;
      break;
    }
    if (report.time > limit) break;
  }
  return out;
}

double FitExponent(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double n = static_cast<double>(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double u = std::log(x[k]), w = std::log(y[k]);
    sx += u, sy += w, sxx += u * u, sxy += u * w;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace tactus::cli
