#include "tactus/solvers/pgs/pgs_solver.h"

#include <algorithm>
#include <cmath>

namespace tactus {

void PgsSettings::Validate() const {
  Require(relaxation > 0 && relaxation < 2, "pgs relaxation", "is " + std::to_string(relaxation), "a number in (0, 2)");
  Require(check_interval >= 1, "pgs check_interval", "is " + std::to_string(check_interval), "a number >= 1");
  Require(default_max_iterations >= 1, "pgs default_max_iterations", "is " + std::to_string(default_max_iterations),
          "a number >= 1");
  Require(std::isfinite(still) && still >= 0, "pgs still", "is " + std::to_string(still), "a number >= 0");
  Require(form != SystemForm::Factor, "pgs form", "is Factor", "Auto, Delassus or Velocity");
}

Termination PgsSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                               SolveReport* report) {
  system_.Prepare(problem, settings_.form, /*for_sweeps=*/true);
  laws_.Prepare(problem, system_, settings_.rule);
  score_.Prepare(problem, system_.rho(), system_.sigma_free());
  watch_.Start(&score_, monitor);
  still_.Start(problem, settings_.still, *lambda);
  gradient_norm_ = kInfinity;
  direction_.setZero(problem.size());
  const int max_iterations =
      monitor->settings().max_iterations > 0 ? monitor->settings().max_iterations : settings_.default_max_iterations;
  Termination why = Termination::MaxIterations;
  RefreshState(problem, *lambda);
  direction_state_.setZero(state_.size());
  bool done = watch_.Check(0, 0, *lambda, CalcSigma(problem), &why);
  for (int k = 1; !done && k <= max_iterations; ++k) {
    if (settings_.conjugate) {
      start_lambda_ = *lambda;
      start_state_ = state_;
    }
    Sweep(problem, settings_.alternate && k % 2 == 0, lambda);
    report->iterations = k;
    const bool still = still_.Check(problem, *lambda);
    if (still) {
      why = Termination::Stalled;
      report->Say(kStoppedStill);
    }
    const bool stop = still || k == max_iterations || monitor->ShouldStop(&why);
    if (stop || k % settings_.check_interval == 0) {
      RefreshState(problem, *lambda);
      done = watch_.Check(k, 0, *lambda, CalcSigma(problem), &why) || stop;
    }
    if (settings_.conjugate && !done) Accelerate(problem, lambda);
  }
  watch_.Finish(lambda);
  return why;
}

template <class SigmaOf, class Move>
void PgsSolver::SweepWith(const ContactProblem& problem, bool backward, VectorX* lambda, const SigmaOf& sigma_of,
                          const Move& move) const {
  const int nc = problem.num_contacts(), count = problem.num_constraints();
  const double omega = settings_.relaxation;
  double* l = lambda->data();
  for (int step = 0; step < count; ++step) {
    const int i = backward ? count - 1 - step : step;
    double sigma[3] = {}, next[3];
    sigma_of(i, sigma);
    if (i < nc) {
      double* old = l + 3 * i;
      laws_.SolveContact(i, sigma, old, next);
      if (omega != 1) {
        for (int k = 0; k < 3; ++k) next[k] = old[k] + omega * (next[k] - old[k]);
        if (omega > 1) StrictProjection(next, laws_.mu(i), next);
      }
      const double change[3] = {next[0] - old[0], next[1] - old[1], next[2] - old[2]};
      old[0] = next[0];
      old[1] = next[1];
      old[2] = next[2];
      if (change[0] != 0 || change[1] != 0 || change[2] != 0) move(i, change);
    } else {
      double* old = l + 2 * nc + i;
      next[0] = laws_.SolveRow(i - nc, sigma[0], *old);
      if (omega != 1) {
        const RowLaw& law = laws_.law(i - nc);
        next[0] = Clip(*old + omega * (next[0] - *old), law.lo, law.hi);
      }
      const double change = next[0] - *old;
      *old = next[0];
      if (change != 0) move(i, &change);
    }
  }
}

void PgsSolver::Sweep(const ContactProblem& problem, bool backward, VectorX* lambda) {
  double* state = state_.data();
  if (system_.form() == SystemForm::Delassus) {
    // W is symmetric: block row i is block column i, what an impulse at i does to all sigma. Constraints whose impulse
    // stays (open contacts, mostly) cost nothing.
    const RunMatrix& W = system_.W();
    const auto sigma_of = [&](int i, double* sigma) { std::copy_n(state + problem.offset(i), problem.dim(i), sigma); };
    SweepWith(problem, backward, lambda, sigma_of,
              [&](int i, const double* change) { W.AddTransposedBlock(i, change, state); });
  } else {
    const RunMatrix &J = system_.J(), &Y = system_.Y();
    const double* e = problem.e().data();
    const auto sigma_of = [&](int i, double* sigma) {
      J.MultiplyBlock(i, state, sigma);
      const double* f = e + problem.offset(i);
      for (int r = 0; r < problem.dim(i); ++r) sigma[r] += f[r];
    };
    SweepWith(problem, backward, lambda, sigma_of,
              [&](int i, const double* change) { Y.AddTransposedBlock(i, change, state); });
  }
}

// The state has been moved in place by every impulse: made anew at times, rounding does not add up.
void PgsSolver::RefreshState(const ContactProblem& problem, const VectorX& lambda) {
  if (system_.form() == SystemForm::Delassus) {
    system_.CalcSigma(lambda, &state_);
  } else {
    problem.CalcVelocity(lambda, &state_);
  }
}

const VectorX& PgsSolver::CalcSigma(const ContactProblem& problem) {
  if (system_.form() == SystemForm::Delassus) return state_;
  sigma_.resize(problem.size());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    system_.J().MultiplyBlock(i, state_.data(), sigma_.data() + problem.offset(i));
  }
  sigma_ += problem.e();
  return sigma_;
}

// Nonsmooth nonlinear conjugate gradients: the sweep's displacement is minus the gradient of a function that nobody
// needs to know; lambda_{k+1} = sweep(lambda_k) + beta p_k, beta by Fletcher and Reeves, restarted when it exceeds 1.
// The norm is weighted by 1/rho so that beta does not depend on units (the paper takes it plain).
void PgsSolver::Accelerate(const ContactProblem& problem, VectorX* lambda) {
  double norm = 0;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    double sum = 0;
    for (int r = problem.offset(i); r < problem.offset(i) + problem.dim(i); ++r) {
      const double change = (*lambda)[r] - start_lambda_[r];
      sum += change * change;
    }
    norm += sum / system_.rho()[i];
  }
  double beta = norm / gradient_norm_;  // 0 at first
  if (!(beta <= 1)) beta = 0;           // restart with the sweep's own displacement
  const auto advance = [beta](const VectorX& start, VectorX* x, VectorX* direction) {
    for (int k = 0; k < x->size(); ++k) {
      const double carried = beta * (*direction)[k];
      (*direction)[k] = carried + (*x)[k] - start[k];  // p_{k+1} = beta p_k - gradient
      (*x)[k] += carried;
    }
  };
  advance(start_lambda_, lambda, &direction_);
  advance(start_state_, &state_, &direction_state_);
  gradient_norm_ = norm;
}

}  // namespace tactus
