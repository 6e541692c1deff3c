#include "tactus/solvers/pj/pj_solver.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

namespace tactus {

void PjSettings::Validate() const {
  Require(std::isfinite(safety) && safety >= 1, "pj safety", "is " + std::to_string(safety), "a number >= 1");
  Require(power_iterations >= 1, "pj power_iterations", "is " + std::to_string(power_iterations), "a number >= 1");
  Require(check_interval >= 1, "pj check_interval", "is " + std::to_string(check_interval), "a number >= 1");
  Require(default_max_iterations >= 1, "pj default_max_iterations", "is " + std::to_string(default_max_iterations),
          "a number >= 1");
}

Termination PjSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                              SolveReport* report) {
  system_.Prepare(problem, settings_.form, /*for_sweeps=*/false);
  majorant_ = settings_.safety * EstimateMajorant(problem);
  laws_.Prepare(problem, system_, settings_.rule, majorant_);
  score_.Prepare(problem, system_.rho(), system_.sigma_free());
  watch_.Start(&score_, monitor);

  const int max_iterations =
      monitor->settings().max_iterations > 0 ? monitor->settings().max_iterations : settings_.default_max_iterations;
  Termination why = Termination::MaxIterations;
  for (int k = 0;; ++k) {
    system_.CalcSigma(*lambda, &sigma_);
    report->iterations = k;
    const bool stop = k == max_iterations || monitor->ShouldStop(&why);
    if (stop || k % settings_.check_interval == 0) {
      if (watch_.Check(k, 0, *lambda, sigma_, &why) || stop) break;
      // The power iteration estimates from below: if the iterates run away, the majorant was too small.
      if (watch_.last() > 10 * watch_.best() && watch_.last() > 1) {
        majorant_ *= 2;
        laws_.Prepare(problem, system_, settings_.rule, majorant_);
      }
    }
    Update(problem, lambda);
  }
  watch_.Finish(lambda);
  return why;
}

void PjSolver::Update(const ContactProblem& problem, VectorX* lambda) const {
  const int nc = problem.num_contacts();
  double* l = lambda->data();
  for (int i = 0; i < nc; ++i) {
    double next[3];
    laws_.SolveContact(i, sigma_.data() + 3 * i, l + 3 * i, next);
    std::copy_n(next, 3, l + 3 * i);
  }
  for (int i = 0; i < problem.num_rows(); ++i) l[3 * nc + i] = laws_.SolveRow(i, sigma_[3 * nc + i], l[3 * nc + i]);
}

// Largest eigenvalue of D^{-1} W, D the diagonal blocks of W, by power iteration from a fixed start.
double PjSolver::EstimateMajorant(const ContactProblem& problem) {
  const int nc = problem.num_contacts();
  inverse_blocks_.resize(nc);
  for (int i = 0; i < nc; ++i) {
    Matrix3 D = Eigen::Map<const Matrix3>(system_.diagonal_block(i));
    D.diagonal().array() += 1e-10 / system_.rho()[i];  // blocks may be singular
    inverse_blocks_[i] = D.inverse();
  }
  power_.resize(problem.size());
  for (int k = 0; k < power_.size(); ++k) power_[k] = 1 + 0.5 * std::sin(1.0 + 2.3 * k);
  double largest = 1;  // each constraint alone has 1
  for (int k = 0; k < settings_.power_iterations; ++k) {
    system_.Multiply(power_, &product_);
    for (int i = 0; i < nc; ++i) {
      product_.segment<3>(3 * i) = (inverse_blocks_[i] * product_.segment<3>(3 * i)).eval();
    }
    for (int i = nc; i < problem.num_constraints(); ++i) {
      const double w = system_.diagonal_block(i)[0];
      product_[problem.offset(i)] *= w > 0 ? 1 / w : 0;
    }
    const double growth = product_.norm() / power_.norm();
    if (!(growth > 0 && std::isfinite(growth))) break;
    largest = std::max(largest, growth);
    power_ = product_ / product_.norm();
  }
  return largest;
}

}  // namespace tactus
