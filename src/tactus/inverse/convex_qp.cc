#include "tactus/inverse/convex_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tactus {

namespace {

constexpr int kMostIterations = 80;
constexpr double kRegularization = 1e-12;
constexpr double kStepBack = 0.995, kShortStep = 0.2, kCentering = 0.3, kLittleProgress = 0.8;
/// Multipliers this many times larger than the gradient, beside a violated constraint, mean infeasible.
constexpr double kDivergence = 1e9, kLargeMultiplier = 1e2;

double MaxAbs(const VectorX& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

// The largest step that keeps v + a dv positive, at most 1.
double StepTo(const VectorX& v, const VectorX& dv) {
  double a = 1;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (dv[i] < 0) a = std::min(a, -kStepBack * v[i] / dv[i]);
  }
  return a;
}

// One solve, on rows of G that are there and are of length 1.
class InteriorPoint {
 public:
  InteriorPoint(const ConvexQp& qp, double tolerance) : qp_(qp), tolerance_(tolerance) {
    std::vector<Eigen::Index> rows;
    double largest = 0;
    for (Eigen::Index i = 0; i < qp.h.size(); ++i) {
      if (qp.h[i] < std::numeric_limits<double>::infinity()) largest = std::max(largest, std::abs(qp.h[i]));
    }
    for (Eigen::Index i = 0; i < qp.h.size(); ++i) {
      // Nothing changes 0 <= h: it holds, or it does not.
      const bool empty = qp.G.row(i).isZero(0);
      if (empty && qp.h[i] < -tolerance * largest) contradicts_ = true;
      if (!empty && qp.h[i] < std::numeric_limits<double>::infinity()) rows.push_back(i);
    }
    const auto m = static_cast<Eigen::Index>(rows.size());
    G_.resize(m, qp.q.size());
    h_.resize(m);
    for (Eigen::Index k = 0; k < m; ++k) {
      const Eigen::Index row = rows[static_cast<std::size_t>(k)];
      const double length = std::max(qp.G.row(row).norm(), 1e-300);
      G_.row(k) = qp.G.row(row) / length;
      h_[k] = qp.h[row] / length;
      lengths_.push_back(length);
    }
    rows_ = std::move(rows);
  }

  ConvexQpResult Run() {
    const auto n = qp_.q.size(), p = qp_.e.size(), m = h_.size();
    scale_d_ = std::max({MaxAbs(qp_.q), 1e-300});
    scale_p_ = std::max({MaxAbs(qp_.e), MaxAbs(h_), 1e-300});
    h_scale_ = n == 0 ? 1 : std::max(qp_.H.diagonal().cwiseAbs().maxCoeff(), 1e-300);
    x_.setZero(n);
    y_.setZero(p);
    s_ = h_.cwiseMax(0.1 * scale_p_);
    z_.setConstant(m, std::max(scale_d_, h_scale_ * scale_p_) / std::max<double>(1, std::sqrt(static_cast<double>(m))));
    ConvexQpResult out;
    if (contradicts_) out.status = ConvexQpStatus::Infeasible;
    for (; out.iterations < kMostIterations && !contradicts_; ++out.iterations) {
      CalcResiduals();
      if (Converged()) {
        out.status = ConvexQpStatus::Solved;
        break;
      }
      if (Diverged()) {
        out.status = ConvexQpStatus::Infeasible;
        break;
      }
      if (!Step()) break;
    }
    // Stuck against constraints that exclude each other.
    if (out.status == ConvexQpStatus::Stalled &&
        MaxAbs(z_) > kLargeMultiplier * std::max(scale_d_, h_scale_ * scale_p_) && Violation() > 1e-6 * PrimalScale()) {
      out.status = ConvexQpStatus::Infeasible;
    }
    out.x = x_;
    out.y = y_;
    out.z.setZero(qp_.h.size());
    for (std::size_t k = 0; k < rows_.size(); ++k) out.z[rows_[k]] = z_[static_cast<Eigen::Index>(k)] / lengths_[k];
    out.value = 0.5 * x_.dot(qp_.H * x_) + qp_.q.dot(x_);
    return out;
  }

 private:
  void CalcResiduals() {
    Hx_.noalias() = qp_.H * x_;
    r_d_ = Hx_ + qp_.q;
    r_d_.noalias() += qp_.E.transpose() * y_;
    r_d_.noalias() += G_.transpose() * z_;
    r_p_ = -qp_.e;
    r_p_.noalias() += qp_.E * x_;
    r_g_ = s_ - h_;
    r_g_.noalias() += G_ * x_;
    mu_ = h_.size() == 0 ? 0 : s_.dot(z_) / static_cast<double>(h_.size());
  }

  double PrimalScale() const { return std::max(scale_p_, MaxAbs(x_)); }
  double DualScale() const { return std::max({scale_d_, MaxAbs(Hx_), 1e-3 * MaxAbs(z_)}); }
  double Violation() const { return std::max(MaxAbs(r_p_), MaxAbs(r_g_)); }

  bool Converged() const {
    const double value = std::abs(x_.dot(Hx_)) + std::abs(qp_.q.dot(x_)) + scale_d_ * scale_p_;
    return Violation() <= tolerance_ * PrimalScale() && MaxAbs(r_d_) <= tolerance_ * DualScale() &&
           mu_ * static_cast<double>(std::max<Eigen::Index>(1, h_.size())) <= tolerance_ * value;
  }

  bool Diverged() const {
    const double largest = std::max(MaxAbs(z_), MaxAbs(y_));
    return largest > kDivergence * std::max(scale_d_, h_scale_ * scale_p_) && Violation() > 1e-8 * PrimalScale();
  }

  // Predictor, then corrector with the same factors. False if numbers break down.
  bool Step() {
    const auto n = x_.size(), p = y_.size();
    K_.setZero(n + p, n + p);
    weights_ = z_.cwiseQuotient(s_);
    K_.topLeftCorner(n, n) = qp_.H;
    K_.topLeftCorner(n, n).noalias() += G_.transpose() * weights_.asDiagonal() * G_;
    K_.diagonal().head(n).array() += kRegularization * h_scale_;
    K_.topRightCorner(n, p) = qp_.E.transpose();
    K_.bottomLeftCorner(p, n) = qp_.E;
    K_.diagonal().tail(p).setConstant(-kRegularization / h_scale_);
    lu_.compute(K_);
    r_c_ = s_.cwiseProduct(z_);
    Direction();
    if (!dx_.allFinite()) return false;
    const double ahead = std::min(StepTo(s_, ds_), StepTo(z_, dz_));
    if (mu_ > 0) {
      const double after = (s_ + ahead * ds_).dot(z_ + ahead * dz_) / static_cast<double>(h_.size());
      const double sigma = std::pow(after / mu_, 3);
      r_c_ += ds_.cwiseProduct(dz_);
      r_c_.array() -= sigma * mu_;
      Direction();
      if (!dx_.allFinite()) return false;
    }
    double a = std::min(StepTo(s_, ds_), StepTo(z_, dz_));
    // Short steps, or none of the progress that was predicted (Mehrotra's correction may cycle): to the centre first.
    const bool cycling = mu_ > kLittleProgress * last_mu_;
    last_mu_ = mu_;
    if (mu_ > 0 && (a < kShortStep || cycling)) {
      r_c_ = s_.cwiseProduct(z_).array() - kCentering * mu_;
      Direction();
      if (!dx_.allFinite()) return false;
      a = std::min(StepTo(s_, ds_), StepTo(z_, dz_));
    }
    x_ += a * dx_;
    y_ += a * dy_;
    s_ += a * ds_;
    z_ += a * dz_;
    return a > 1e-14;
  }

  void Direction() {
    const auto n = x_.size(), p = y_.size();
    t_ = (z_.cwiseProduct(r_g_) - r_c_).cwiseQuotient(s_);
    rhs_.resize(n + p);
    rhs_.head(n) = -r_d_;
    rhs_.head(n).noalias() -= G_.transpose() * t_;
    rhs_.tail(p) = -r_p_;
    step_ = lu_.solve(rhs_);
    step_ += lu_.solve(rhs_ - K_ * step_);
    dx_ = step_.head(n);
    dy_ = step_.tail(p);
    ds_ = -r_g_;
    ds_.noalias() -= G_ * dx_;
    dz_ = t_;
    dz_.noalias() += weights_.asDiagonal() * (G_ * dx_);
  }

  const ConvexQp& qp_;
  const double tolerance_;
  bool contradicts_ = false;  // a row of zeros asks for less than 0
  std::vector<Eigen::Index> rows_;
  std::vector<double> lengths_;
  MatrixX G_, K_;
  VectorX h_, x_, y_, z_, s_, Hx_, r_d_, r_p_, r_g_, r_c_, weights_, t_, rhs_, step_, dx_, dy_, dz_, ds_;
  double mu_ = 0, last_mu_ = std::numeric_limits<double>::infinity(), scale_d_ = 1, scale_p_ = 1, h_scale_ = 1;
  Eigen::PartialPivLU<MatrixX> lu_;
};

}  // namespace

ConvexQpResult SolveConvexQp(const ConvexQp& qp, double tolerance) { return InteriorPoint(qp, tolerance).Run(); }

}  // namespace tactus
