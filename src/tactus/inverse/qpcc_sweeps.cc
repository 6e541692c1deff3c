#include "tactus/inverse/qpcc_sweeps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus {

namespace {

constexpr double kSmallest = 1e-300;
/// Unknowns up to which the inverse of the linear step is made.
constexpr int kMostInverted = 64;

double MaxAbs(const ConstVectorRef& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

double MaxDifference(const VectorX& a, const VectorX& b) {
  double worst = 0;
  for (Eigen::Index i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace

void QpccIterate::Resize(const QpccScaled& problem) {
  for (VectorX* v : {&x, &x_hat, &y_x}) v->setZero(problem.n);
  for (VectorX* v : {&s, &s_hat, &y_s}) v->setZero(problem.m);
  modes.assign(static_cast<std::size_t>(problem.num_contacts()), ContactMode::Open);
  primal = dual = change = std::numeric_limits<double>::infinity();
}

bool QpccLinearStep::Factorize(const QpccScaled& p, const QpccPenalty& penalty) {
  penalty_ = penalty;
  weights_.resize(p.n);
  weights_.head(p.na).setConstant(penalty.xi);
  weights_.tail(p.m).setConstant(penalty.eta);
  K_.resize(p.n, p.n);
  for (int j = 0; j < p.n; ++j) {
    K_.col(j).tail(p.n - j) = p.H.col(j).tail(p.n - j) + penalty.rho * p.G.col(j).tail(p.n - j);
    K_(j, j) += weights_[j];
  }
  llt_.compute(K_);
  if (llt_.info() != Eigen::Success || !llt_.matrixLLT().diagonal().allFinite()) return false;
  // A factor serves tens of sweeps: where it is small, one product with the inverse takes a third of the time of two
  // triangular solves, and making the inverse that of a few sweeps.
  inverted_ = p.n <= kMostInverted;
  if (inverted_) {
    inverse_.setIdentity(p.n, p.n);
    llt_.solveInPlace(inverse_);
  }
  return true;
}

void QpccLinearStep::Solve(const QpccScaled& p, QpccIterate* it) {
  work_ = it->y_s + penalty_.rho * (p.g - it->s_hat);
  right_ = weights_.cwiseProduct(it->x_hat) - it->y_x - p.q;
  right_.noalias() -= p.CD.transpose() * work_;
  it->x.resize(p.n);
  if (inverted_) {
    it->x.noalias() = inverse_ * right_;
  } else {
    it->x = right_;
    llt_.solveInPlace(it->x);
  }
  it->s = p.g;
  it->s.noalias() += p.CD * it->x;
}

void ProjectHats(const QpccScaled& p, const QpccPenalty& penalty, SlideProjection slide, QpccIterate* it) {
  for (int i = 0; i < p.na; ++i) {
    it->x_hat[i] = std::clamp(it->x[i] + it->y_x[i] / penalty.xi, p.lower[i], p.upper[i]);
  }
  it->x_hat.tail(p.m) = it->x.tail(p.m) + it->y_x.tail(p.m) / penalty.eta;
  it->s_hat = it->s + it->y_s / penalty.rho;
  ProjectContacts(p.kind, p.num_contacts(), p.mu.data(), {penalty.eta, penalty.rho}, slide, it->x_hat.data() + p.na,
                  it->s_hat.data(), it->modes.data());
}

void UpdateMultipliers(const QpccScaled& p, const QpccPenalty& penalty, QpccIterate* it) {
  it->y_x.head(p.na) += penalty.xi * (it->x.head(p.na) - it->x_hat.head(p.na));
  it->y_x.tail(p.m) += penalty.eta * (it->x.tail(p.m) - it->x_hat.tail(p.m));
  it->y_s += penalty.rho * (it->s - it->s_hat);
}

double CalcAugmentedLagrangian(const QpccScaled& p, const QpccPenalty& penalty, const QpccIterate& it) {
  const VectorX dx = it.x - it.x_hat, ds = it.s - it.s_hat;
  return 0.5 * (p.AB * it.x + p.b).squaredNorm() + it.y_x.dot(dx) + it.y_s.dot(ds) +
         0.5 * (penalty.xi * dx.head(p.na).squaredNorm() + penalty.eta * dx.tail(p.m).squaredNorm() +
                penalty.rho * ds.squaredNorm());
}

bool QpccSweeper::Start(const QpccScaled& p, const QpccSettings&, const QpccPenalty& penalty) {
  growth_ = 1;
  last_primal_ = std::numeric_limits<double>::infinity();
  since_look_ = inner_ = 0;
  primal_bar_ = dual_bar_ = 1;
  factorizations_ = 1;
  return linear_.Factorize(p, penalty);
}

bool QpccSweeper::RaisePenalty(const QpccScaled& p, const QpccSettings& settings) {
  if (growth_ * settings.penalty_growth > settings.most_penalty) return true;
  growth_ *= settings.penalty_growth;
  QpccPenalty penalty = linear_.penalty();
  penalty.xi *= settings.penalty_growth;
  penalty.eta *= settings.penalty_growth;
  penalty.rho *= settings.penalty_growth;
  ++factorizations_;
  return linear_.Factorize(p, penalty);
}

// At the candidate multipliers, after (16), (25) is what the hats' change leaves of the linear step's conditions:
// W (x_hat_old - x_hat) + CD^T rho (s_hat_old - s_hat). Without C and D, as in the paper's (23), it is no bound.
void QpccSweeper::CalcResiduals(const QpccScaled& p, QpccIterate* it) {
  const QpccPenalty& w = linear_.penalty();
  const double x_scale = std::max({MaxAbs(it->x), MaxAbs(it->x_hat), kSmallest});
  const double s_scale = std::max({MaxAbs(it->s), MaxAbs(it->s_hat), MaxAbs(p.g), kSmallest});
  it->primal = std::max(MaxDifference(it->x, it->x_hat) / x_scale, MaxDifference(it->s, it->s_hat) / s_scale);
  work_.resize(p.n);
  work_.head(p.na) = w.xi * (it->x_hat.head(p.na) - x_old_.head(p.na));
  work_.tail(p.m) = w.eta * (it->x_hat.tail(p.m) - x_old_.tail(p.m));
  s_old_ = w.rho * (it->s_hat - s_old_);
  const double y_scale = std::max({MaxAbs(p.q), MaxAbs(it->y_x), MaxAbs(it->y_s), kSmallest});
  it->change = std::max(MaxAbs(work_), MaxAbs(s_old_)) / y_scale;
  work_.noalias() += p.CD.transpose() * s_old_;
  it->dual = MaxAbs(work_) / y_scale;
}

bool QpccSweeper::FollowAdmm(const QpccScaled& p, const QpccSettings& settings, QpccIterate* it) {
  UpdateMultipliers(p, linear_.penalty(), it);
  if (++since_look_ < settings.patience) return true;
  const bool halved = it->primal <= 0.5 * last_primal_ || it->primal <= settings.tolerance;
  last_primal_ = it->primal;
  since_look_ = 0;
  return halved || RaisePenalty(p, settings);
}

// As usually written (penalties times 10, an inner loop that is cut off) it ends feasible and far from optimal. So
// tolerances and penalties move slowly, and never because the inner loop was cut off.
bool QpccSweeper::FollowBcl(const QpccScaled& p, const QpccSettings& settings, QpccIterate* it) {
  const bool converged = it->change <= std::max(dual_bar_, 0.1 * settings.tolerance);
  const bool truncated = !converged && ++inner_ >= settings.inner_sweeps;
  if (!converged && !truncated) return true;
  inner_ = 0;
  if (it->primal <= primal_bar_ || truncated) {
    UpdateMultipliers(p, linear_.penalty(), it);
    if (it->primal <= primal_bar_) {
      primal_bar_ = std::max(settings.tolerance_shrink * primal_bar_, 0.1 * settings.tolerance);
      dual_bar_ = std::max(settings.tolerance_shrink * dual_bar_, 0.1 * settings.tolerance);
    }
    return true;
  }
  return RaisePenalty(p, settings);
}

bool QpccSweeper::Sweep(const QpccScaled& p, const QpccSettings& settings, QpccIterate* it) {
  linear_.Solve(p, it);
  x_old_ = it->x_hat;
  s_old_ = it->s_hat;
  ProjectHats(p, linear_.penalty(), settings.slide, it);
  CalcResiduals(p, it);
  if (!std::isfinite(it->primal) || !std::isfinite(it->dual)) return false;
  return settings.schedule == QpccSchedule::Admm ? FollowAdmm(p, settings, it) : FollowBcl(p, settings, it);
}

}  // namespace tactus
