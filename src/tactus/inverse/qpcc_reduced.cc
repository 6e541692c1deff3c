#include "tactus/inverse/qpcc_reduced.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

constexpr int kMostTrials = 8;
/// Redundant contacts share impulses in ways that nothing determines: this decides, relative to the diagonal.
constexpr double kRedundant = 1e-12;
constexpr double kLeastDamping = 1e-10, kFirstDamping = 1e-6, kDampingAfterFailure = 1e-4;
constexpr double kSmallDecrease = 1e-10;

double CalcLoss(const QpccScaled& p, const VectorX& x, VectorX* residual) {
  *residual = p.b;
  residual->noalias() += p.AB * x;
  return 0.5 * residual->squaredNorm();
}

}  // namespace

void QpccReduced::ListUnknowns(const QpccScaled& p, const QpccIterate& it) {
  const int dim = p.dim();
  unknowns_.clear();
  direction_.assign(static_cast<std::size_t>(p.num_contacts()), Vector2(1, 0));
  for (int c = 0; c < p.num_contacts(); ++c) {
    const auto k = static_cast<std::size_t>(c);
    const double* s = it.s_hat.data() + c * dim;
    if (it.modes[k] == ContactMode::Stick) {
      for (int part = 0; part < dim; ++part) unknowns_.push_back({c, part});
    } else if (it.modes[k] == ContactMode::Slip) {
      const double speed = dim == 3 ? std::hypot(s[0], s[1]) : std::abs(s[0]);
      if (speed > 0) direction_[k] = Vector2(s[0] / speed, dim == 3 ? s[1] / speed : 0);
      unknowns_.push_back({c, 0});
      if (dim == 3 && p.friction(c) > 0) unknowns_.push_back({c, 1});
    }
  }
}

// What an unknown does to x_c, and by it to sigma.
void QpccReduced::FillColumns(const QpccScaled& p, const QpccIterate& it) {
  const int dim = p.dim(), t = dim - 1;
  columns_.setZero(p.m, static_cast<Eigen::Index>(unknowns_.size()));
  sigma_.resize(p.m, static_cast<Eigen::Index>(unknowns_.size()));
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const auto [c, part] = unknowns_[j];
    const auto col = static_cast<Eigen::Index>(j);
    auto x = columns_.col(col).segment(c * dim, dim);
    if (it.modes[static_cast<std::size_t>(c)] == ContactMode::Stick) {
      x[part] = 1;
    } else {
      const Vector2& d = direction_[static_cast<std::size_t>(c)];
      const double mu = p.friction(c), normal = it.x_hat[p.na + c * dim + t];
      if (part == 0) x[t] = 1, x.head(t) = -mu * d.head(t);
      if (part == 1) x[0] = mu * normal * d[1], x[1] = -mu * normal * d[0];
    }
    sigma_.col(col).noalias() = p.CD.middleCols(p.na + c * dim, dim) * x;
  }
}

// response_ = d x_c / d x_a for the modes of `it`: stick keeps sigma = 0; slide keeps sigma_n = 0 and the direction
// across, d_perp . sigma_t = 0, which turns with the angle. False if the system is singular.
bool QpccReduced::CalcResponse(const QpccScaled& p, const QpccIterate& it) {
  const int dim = p.dim(), t = dim - 1;
  ListUnknowns(p, it);
  FillColumns(p, it);
  const auto count = static_cast<Eigen::Index>(unknowns_.size());
  response_.setZero(p.m, p.na);
  if (count == 0) return true;
  K_.resize(count, count);
  rhs_.resize(count, p.na);
  for (Eigen::Index r = 0; r < count; ++r) {
    const auto [c, part] = unknowns_[static_cast<std::size_t>(r)];
    const auto k = static_cast<std::size_t>(c);
    const int o = c * dim;
    if (it.modes[k] == ContactMode::Slip && part == 1) {
      const Vector2& d = direction_[k];
      K_.row(r) = d[0] * sigma_.row(o + 1) - d[1] * sigma_.row(o);
      rhs_.row(r) = d[1] * p.CD.row(o).head(p.na) - d[0] * p.CD.row(o + 1).head(p.na);
      K_(r, r) -= d[0] * it.s_hat[o] + d[1] * it.s_hat[o + 1];
    } else {
      const int row = it.modes[k] == ContactMode::Slip ? o + t : o + part;
      K_.row(r) = sigma_.row(row);
      rhs_.row(r) = -p.CD.row(row).head(p.na);
    }
  }
  const double scale = K_.diagonal().cwiseAbs().maxCoeff();
  for (Eigen::Index r = 0; r < count; ++r) {
    const auto [c, part] = unknowns_[static_cast<std::size_t>(r)];
    const bool angle = it.modes[static_cast<std::size_t>(c)] == ContactMode::Slip && part == 1;
    K_(r, r) += angle ? -kRedundant * scale : kRedundant * scale;
  }
  lu_.compute(K_);
  rhs_ = lu_.solve(rhs_);
  if (!rhs_.allFinite()) return false;
  response_.noalias() = columns_ * rhs_;
  return true;
}

// step_: min |J dx + r|^2 + damping |J|^2 |dx|^2 within bounds, by the active-set method for pieces.
bool QpccReduced::FindStep(const QpccScaled& p, const QpccIterate& it, double damping, const QpccClock& clock) {
  if (p.na == 0) return false;
  const auto ne = J_.rows();
  box_.kind = QpccKind::Lcp;
  box_.na = box_.n = p.na;
  box_.m = 0;
  const double weight = std::sqrt(damping) * std::max(J_.norm(), 1e-300);
  box_.AB.setZero(ne + p.na, p.na);
  box_.AB.topRows(ne) = J_;
  box_.AB.bottomRows(p.na).diagonal().setConstant(weight);
  box_.b.setZero(ne + p.na);
  box_.b.head(ne) = residual_;
  box_.H.noalias() = box_.AB.transpose() * box_.AB;
  box_.q.noalias() = box_.AB.transpose() * box_.b;
  box_.CD.resize(0, p.na);
  box_.g.resize(0);
  box_.lower = p.lower - it.x_hat.head(p.na);
  box_.upper = p.upper - it.x_hat.head(p.na);
  box_start_.Resize(box_);
  box_solver_.Resize(box_, {});
  if (!box_solver_.DescendFrom(box_, clock, box_start_)) return false;
  step_ = box_solver_.best().x_hat;
  return true;
}

// y_s such that the contact rows of (25) hold along the unknowns, y_x from (25): the adjoint of CalcResponse.
void QpccReduced::CalcMultipliers(const QpccScaled& p, QpccIterate* it) {
  const int dim = p.dim(), t = dim - 1;
  it->y_s.setZero();
  VectorX gradient = p.AB.transpose() * residual_;
  if (!unknowns_.empty()) {
    VectorX nu = lu_.transpose().solve(-(columns_.transpose() * gradient.tail(p.m)));
    for (std::size_t r = 0; r < unknowns_.size(); ++r) {
      const auto [c, part] = unknowns_[r];
      const auto k = static_cast<std::size_t>(c);
      double* y = it->y_s.data() + c * dim;
      const double value = nu[static_cast<Eigen::Index>(r)];
      if (it->modes[k] == ContactMode::Slip && part == 1) {
        y[0] -= value * direction_[k][1];
        y[1] += value * direction_[k][0];
      } else {
        y[it->modes[k] == ContactMode::Slip ? t : part] += value;
      }
    }
  }
  it->y_x = -gradient;
  it->y_x.noalias() -= p.CD.transpose() * it->y_s;
  // Actuators between their bounds: what is left there is how far from stationary this is.
  if (!it->y_s.allFinite() || !it->y_x.allFinite()) it->y_s.setZero(), it->y_x = -gradient;
}

bool QpccReduced::Descend(const QpccProblem& problem, const QpccScaled& p, const QpccSettings& settings,
                          const QpccClock& clock, QpccForward* forward, QpccIterate* it) {
  double loss = CalcLoss(p, it->x_hat, &residual_), damping = kFirstDamping;
  bool fell = false;
  bool responded = CalcResponse(p, *it);
  for (int n = 0; n < settings.reduced_iterations && responded && !clock.over(); ++n) {
    J_ = p.AB.leftCols(p.na);
    J_.noalias() += p.AB.rightCols(p.m) * response_;
    bool accepted = false;
    double decrease = 0;
    for (int k = 0; k < kMostTrials && !accepted && !clock.over(); ++k) {
      if (!FindStep(p, *it, damping, clock)) break;
      trial_ = *it;
      trial_.x_hat.head(p.na) += step_;
      trial_.x_hat.head(p.na) = trial_.x_hat.head(p.na).cwiseMax(p.lower).cwiseMin(p.upper);
      trial_.x_hat.tail(p.m).noalias() += response_ * step_;
      if (forward->Solve(problem, p, true, &trial_)) {
        const double trial_loss = CalcLoss(p, trial_.x_hat, &residual_);
        decrease = loss - trial_loss;
        accepted = decrease > 0;
      }
      damping = accepted ? std::max(0.1 * damping, kLeastDamping) : std::max(10 * damping, kDampingAfterFailure);
    }
    if (!accepted) break;
    std::swap(*it, trial_);
    const bool small = decrease <= kSmallDecrease * loss;
    loss -= decrease;
    fell = true;
    responded = CalcResponse(p, *it);
    if (small) break;
  }
  CalcLoss(p, it->x_hat, &residual_);
  CalcMultipliers(p, it);
  return fell;
}

}  // namespace tactus
