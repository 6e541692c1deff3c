#include "tactus/solvers/apgd/apgd_solver.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"

namespace tactus {

void ApgdSettings::Validate() const {
  Require(shrink > 0 && shrink <= 1, "apgd shrink", "is " + std::to_string(shrink), "a number in (0, 1]");
  Require(outer_accuracy > 0 && outer_accuracy < 1, "apgd outer_accuracy", "is " + std::to_string(outer_accuracy),
          "a number in (0, 1)");
  Require(check_interval >= 1, "apgd check_interval", "is " + std::to_string(check_interval), "a number >= 1");
  Require(default_max_iterations >= 1, "apgd default_max_iterations", "is " + std::to_string(default_max_iterations),
          "a number >= 1");
  Require(std::isfinite(still) && still >= 0, "apgd still", "is " + std::to_string(still), "a number >= 0");
}

namespace {

bool HasLargeSubsystem(const ContactProblem& problem) {
  constexpr int kLarge = 150;
  return problem.has_dynamics() &&
         std::any_of(problem.mass().subsystems().begin(), problem.mass().subsystems().end(),
                     [](const Subsystem& s) { return s.kind == SubsystemKind::Sparse && s.size > kLarge; });
}

}  // namespace

Termination ApgdSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                SolveReport* report) {
  // Large deformables: products through one factorization, W is never assembled.
  const bool matrix_free = settings_.form == SystemForm::Auto && HasLargeSubsystem(problem);
  system_.Prepare(problem, matrix_free ? SystemForm::Factor : settings_.form, /*for_sweeps=*/false,
                  matrix_free ? DiagonalOfW::None : DiagonalOfW::Blocks);
  score_.Prepare(problem, system_.rho(), system_.sigma_free());
  watch_.Start(&score_, monitor, settings_.de_saxce ? ContactLaw::Exact : ContactLaw::Convex);
  CalcStepScale(problem);
  De_Saxce_.setZero(problem.size());
  system_.Multiply(*lambda, &W_lambda_);
  Restart(*lambda);
  still_.Start(problem, settings_.still, *lambda);

  const int max_iterations =
      monitor->settings().max_iterations > 0 ? monitor->settings().max_iterations : settings_.default_max_iterations;
  Termination why = Termination::MaxIterations;
  for (int k = 0;; ++k) {
    report->iterations = k;
    const bool still = k > 0 && still_.Check(problem, *lambda);
    if (still) {
      why = Termination::Stalled;
      report->Say(kStoppedStill);
    }
    const bool stop = still || k == max_iterations || monitor->ShouldStop(&why);
    if (stop || k % settings_.check_interval == 0) {
      if (Check(problem, k, *lambda, &why) || stop) break;
    }
    Step(problem, lambda);
  }
  watch_.Finish(lambda);
  if (why == Termination::Converged && !settings_.de_saxce) {
    report->message = "converged on the convex relaxation (CCP), in which sliding contacts separate";
  }
  return why;
}

// Scores lambda and, with the outer loop, moves the De Saxce term once the inner problem is solved well enough.
bool ApgdSolver::Check(const ContactProblem& problem, int iteration, const VectorX& lambda, Termination* why) {
  sigma_ = W_lambda_ + system_.sigma_free();
  if (watch_.Check(iteration, 0, lambda, sigma_, why)) return true;
  if (!settings_.de_saxce) return false;
  shifted_ = sigma_ + De_Saxce_;
  const double inner = score_.Calc(lambda, shifted_, ContactLaw::Convex).natural_rho;
  if (inner <= settings_.outer_accuracy * watch_.last()) {
    for (int i = 0; i < problem.num_contacts(); ++i) {
      De_Saxce_[3 * i + 2] = problem.friction(i).mu1 * std::hypot(sigma_[3 * i], sigma_[3 * i + 1]);
    }
    Restart(lambda);
  }
  return false;
}

// Scale of the steps, and a first guess of the Lipschitz constant of the scaled gradient.
void ApgdSolver::CalcStepScale(const ContactProblem& problem) {
  weight_.setOnes(problem.size());
  if (settings_.precondition) {
    for (int i = 0; i < problem.num_constraints(); ++i) {
      weight_.segment(problem.offset(i), problem.dim(i)).setConstant(system_.rho()[i]);
    }
  }
  point_ = weight_.cwiseSqrt();
  system_.Multiply(point_, &W_point_);
  lipschitz_ = point_.dot(W_point_) / problem.size();
  if (!(lipschitz_ > 0 && std::isfinite(lipschitz_))) lipschitz_ = 1;
}

void ApgdSolver::Restart(const VectorX& lambda) {
  point_ = lambda;
  W_point_ = W_lambda_;
  theta_ = 1;
}

double ApgdSolver::Norm2(const VectorX& a, const VectorX& b) const {
  double sum = 0;
  for (int k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]) / weight_[k];
  return sum;
}

// out = the proximal step from point_ along minus the gradient W y + sigma_free, with step weight/L.
void ApgdSolver::Project(const ContactProblem& problem, VectorX* out) const {
  const VectorX& free = system_.sigma_free();
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const int o = 3 * i;
    const double step = weight_[o] / lipschitz_;
    double x[3];
    for (int k = 0; k < 3; ++k) x[k] = point_[o + k] - step * (W_point_[o + k] + free[o + k] + De_Saxce_[o + k]);
    ConeProjection(x, problem.friction(i).mu1, out->data() + o);
  }
  for (int i = 0; i < problem.num_rows(); ++i) {
    const int o = 3 * problem.num_contacts() + i;
    const double step = weight_[o] / lipschitz_, e = problem.row_offset(i);
    (*out)[o] = ProjectRow(problem.law(i), point_[o] - step * (W_point_[o] + free[o] - e), step, e);
  }
}

// One iteration of Mazhar et al.'s Algorithm 1. Both W y and W lambda come from one product: y is a combination of
// iterates whose products are known.
void ApgdSolver::Step(const ContactProblem& problem, VectorX* lambda) {
  next_.resize(lambda->size());
  for (int trial = 0; trial < 60; ++trial) {
    Project(problem, &next_);
    system_.Multiply(next_, &W_next_);
    // f(next) <= f(y) + g.(next - y) + L/2 |next - y|^2, where f is quadratic; tiny steps are all rounding.
    const double distance = Norm2(next_, point_), curvature = (next_ - point_).dot(W_next_ - W_point_);
    if (!(curvature > lipschitz_ * distance * (1 + 1e-12)) || distance == 0) break;
    lipschitz_ *= 2;
  }
  // Momentum points uphill: forget it (O'Donoghue and Candes's gradient test, with the gradient mapping for g).
  double uphill = 0;
  for (int k = 0; k < next_.size(); ++k) uphill += (point_[k] - next_[k]) * (next_[k] - (*lambda)[k]) / weight_[k];
  const double theta = 0.5 * theta_ * (std::sqrt(theta_ * theta_ + 4) - theta_);
  double momentum = theta_ * (1 - theta_) / (theta_ * theta_ + theta);
  theta_ = theta;
  if (uphill > 0) {
    momentum = 0;
    theta_ = 1;
  }
  point_ = next_ + momentum * (next_ - *lambda);
  W_point_ = W_next_ + momentum * (W_next_ - W_lambda_);
  lambda->swap(next_);
  W_lambda_.swap(W_next_);
  lipschitz_ *= settings_.shrink;
}

}  // namespace tactus
