#include "tactus/solvers/nnewton/nnewton_solver.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"

namespace tactus {

namespace {

// psi(a, b) = a + b - sqrt(a^2 + b^2) and its derivatives; at the origin an element of the generalized Jacobian.
struct FischerBurmeister {
  double value, da, db;
  FischerBurmeister(double a, double b) {
    const double root = std::hypot(a, b);
    value = a + b - root;
    da = root > 0 ? 1 - a / root : 1 - M_SQRT1_2;
    db = root > 0 ? 1 - b / root : 1 - M_SQRT1_2;
  }
};

SquarePattern CalcPattern(const DelassusMatrix& W) {
  SquarePattern pattern;
  pattern.n = W.size();
  for (int i = 0; i < W.num_constraints(); ++i) {  // W is symmetric: block row i is block column i
    for (int column = 0; column < W.dim(i); ++column) {
      for (int k = W.row_begin(i); k < W.row_end(i); ++k) {
        const int c = W.column(k);
        for (int r = 0; r < W.dim(c); ++r) pattern.rows.push_back(W.offset(c) + r);
      }
      pattern.start.push_back(static_cast<int>(pattern.rows.size()));
    }
  }
  return pattern;
}

}  // namespace

void NnewtonSettings::Validate() const {
  const auto require = [](bool ok, const char* field, double value, const char* expected) {
    Require(ok, "nnewton settings", std::string(field) + " is " + std::to_string(value), expected);
  };
  require(step > 0 && step <= 1, "step", step, "a number in (0, 1]");
  require(regularization > 0 && regularization < 1, "regularization", regularization, "a number in (0, 1)");
  require(std::isfinite(largest_compliance) && largest_compliance > 1, "largest_compliance", largest_compliance,
          "a number > 1");
  require(max_iterations >= 1, "max_iterations", max_iterations, "a number >= 1");
  require(stall_window >= 1, "stall_window", stall_window, "a number >= 1");
}

NnewtonSolver::NnewtonSolver(const NnewtonSettings& settings) : settings_(settings) { settings.Validate(); }

Termination NnewtonSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                   SolveReport* report) {
  const SolveSettings& solve = monitor->settings();
  const int max_iterations = solve.max_iterations > 0 ? solve.max_iterations : settings_.max_iterations;
  Prepare(problem);
  lambda_ = best_ = *lambda;
  double best_score = kInfinity, window_score = kInfinity;
  int window_start = 0;
  Termination end = Termination::MaxIterations;
  for (int k = 0; k <= max_iterations; ++k) {
    W_.Multiply(lambda_, &sigma_);
    sigma_ += free_;
    const double score = CalcScore(solve.accept_natural);
    if (k > 0) monitor->Record(k, report->newton_steps, lambda_);
    if (score < best_score) {
      best_score = score;
      best_ = lambda_;
    }
    if (score <= solve.tolerance) {
      end = Termination::Converged;
      break;
    }
    if (!(best_score > 0.5 * window_score)) {
      window_score = best_score;
      window_start = k;
    } else if (k - window_start >= settings_.stall_window) {
      report->message = "no progress in the last " + std::to_string(settings_.stall_window) + " iterations";
      end = Termination::Stalled;
      break;
    }
    if (k == max_iterations || monitor->ShouldStop(&end)) break;

    LinearizeLaws(problem);
    ++report->newton_steps;
    report->iterations = k + 1;
    if (!SolveSchur()) {
      report->message = "the Schur complement could not be factorized";
      end = Termination::NumericalError;
      break;
    }
    lambda_ += settings_.step * direction_;
  }
  *lambda = best_;
  return end;
}

void NnewtonSolver::Prepare(const ContactProblem& problem) {
  W_ = DelassusMatrix(problem);
  problem.CalcSigma(VectorX::Zero(problem.size()), &free_);
  score_.Prepare(problem, W_.rho(), free_);
  schur_.SetPattern(CalcPattern(W_));
  W_values_.assign(schur_.num_values(), 0.0);
  diagonal_slots_.resize(W_.size());
  weight_.resize(W_.size());
  for (int i = 0; i < W_.num_constraints(); ++i) {
    for (int k = W_.row_begin(i); k < W_.row_end(i); ++k) {
      const int c = W_.column(k);
      const double* block = W_.block(k);
      for (int a = 0; a < W_.dim(i); ++a) {
        for (int b = 0; b < W_.dim(c); ++b) {
          W_values_[schur_.slot(W_.offset(i) + a, W_.offset(c) + b)] = block[a * W_.dim(c) + b];
        }
      }
    }
    for (int a = W_.offset(i); a < W_.offset(i) + W_.dim(i); ++a) {
      diagonal_slots_[a] = schur_.slot(a, a);
      weight_[a] = 1 / W_.rho()[i];
    }
  }
  compliance_.resize(W_.size());
  error_.resize(W_.size());
}

double NnewtonSolver::CalcScore(bool accept_natural) {
  if (!lambda_.allFinite()) return kInfinity;
  const double score = score_.Calc(lambda_, sigma_).natural_rho;
  if (!accept_natural) return score;
  return std::max({score, score_.CalcUniform(lambda_, sigma_, score_.mean_rho(), false),
                   score_.CalcUniform(lambda_, sigma_, 1, true)});
}

void NnewtonSolver::LinearizeLaws(const ContactProblem& problem) {
  for (int i = 0; i < problem.num_contacts(); ++i) LinearizeContact(problem, i);
  for (int i = problem.num_contacts(); i < problem.num_constraints(); ++i) LinearizeRow(problem, i);
}

// d sigma + compliance d lambda = -error, with the compliance kept in the range that the factorization can bear: beyond
// it the row says d lambda = -error/compliance, which is kept.
void NnewtonSolver::SetRow(int row, double compliance, double error) {
  const double lowest = settings_.regularization * weight_[row], highest = settings_.largest_compliance * weight_[row];
  if (compliance > highest) {
    error *= highest / compliance;
    compliance = highest;
  }
  compliance_[row] = std::max(compliance, lowest);
  error_[row] = error;
}

// Normal: psi(sigma_n, r lambda_n) = 0. Friction: sigma_t + w lambda_t = 0 with w frozen such that psi(|sigma_t|,
// r (mu lambda_n - |lambda_t|)) = 0 at a fixed point.
void NnewtonSolver::LinearizeContact(const ContactProblem& problem, int i) {
  const int o = 3 * i;
  const double r = weight_[o], mu = problem.friction(i).mu1, huge = settings_.largest_compliance;
  const double* sigma = sigma_.data() + o;
  const double* lambda = lambda_.data() + o;
  const FischerBurmeister normal(sigma[2], r * lambda[2]);
  const double da = std::max(normal.da, 1e-3 / huge);
  SetRow(o + 2, normal.db * r / da, normal.value / da);

  const double slide = std::hypot(sigma[0], sigma[1]), friction = std::hypot(lambda[0], lambda[1]);
  const double psi = FischerBurmeister(slide, r * (mu * lambda[2] - friction)).value;
  const double numerator = slide - psi, denominator = friction + psi / r;
  double w = huge * r;  // no normal impulse: no friction
  if (mu * lambda[2] > 0 && denominator > 0) w = std::min(w, std::max(0.0, numerator) / denominator);
  for (int k = 0; k < 2; ++k) SetRow(o + k, w, sigma[k] + w * lambda[k]);
}

// Bounded rows by the branch of their natural map: on a bound d lambda leads to it, else the unbounded law holds.
void NnewtonSolver::LinearizeRow(const ContactProblem& problem, int i) {
  const int o = problem.offset(i), row = i - problem.num_contacts();
  const RowLaw& law = problem.law(row);
  const double r = weight_[o], y = sigma_[o] - problem.row_offset(row), huge = settings_.largest_compliance * r;
  if (law.kind == RowKind::Inequality) {
    const FischerBurmeister fb(sigma_[o], r * lambda_[o]);
    const double da = std::max(fb.da, 1e-3 * r / huge);
    SetRow(o, fb.db * r / da, fb.value / da);
    return;
  }
  double slope = 0;
  const double projected = ProjectRow(law, lambda_[o] - y / r, 1 / r, problem.row_offset(row), &slope);
  const bool clipped = projected <= law.lo || projected >= law.hi;
  if (clipped || law.d == 0) {
    SetRow(o, huge, huge * (lambda_[o] - projected));
  } else if (law.rigid()) {
    SetRow(o, 0, sigma_[o]);
  } else {
    SetRow(o, 1 / law.d, y + (lambda_[o] + law.ke) / law.d);
  }
}

// (W + compliance) d lambda = -error: the Schur complement of A in the Newton system. More compliance where it breaks
// down.
bool NnewtonSolver::SolveSchur() {
  double extra = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    double* values = schur_.values();
    std::copy(W_values_.begin(), W_values_.end(), values);
    for (int k = 0; k < W_.size(); ++k) values[diagonal_slots_[k]] += compliance_[k] + extra * weight_[k];
    if (schur_.FactorizeCholesky()) {
      direction_ = -error_;
      schur_.SolveInPlace(&direction_);
      if (direction_.allFinite()) return true;
    }
    extra = std::max(100 * extra, 10 * settings_.regularization);
  }
  return false;
}

}  // namespace tactus
