// Alternating minimization of the augmented Lagrangian (paper 004, Alg. 1), in scaled units.
#pragma once

#include <vector>

#include <Eigen/Cholesky>

#include "tactus/inverse/qpcc_scaling.h"
#include "tactus/inverse/qpcc_settings.h"

namespace tactus {

/// What changes during sweeps. x = (x_a, x_c), s = sigma; hats are the copies that obey bounds and law.
struct QpccIterate {
  VectorX x, s, x_hat, s_hat;
  VectorX y_x, y_s;  ///< multipliers
  std::vector<ContactMode> modes;
  double primal = 0;  ///< largest of |x - x_hat|, |s - s_hat|, relative
  double dual = 0;    ///< stationarity (25) at the updated multipliers, relative
  double change = 0;  ///< the paper's inner residual (23), relative: multipliers' unit

  void Resize(const QpccScaled& problem);
};

/// The linear step (18): quasi-definite, condensed to n x n by eliminating y_eq = rho (sigma - ...), and Cholesky.
class QpccLinearStep {
 public:
  /// K = H + diag(xi, eta) + rho G; false if it is not positive definite in these numbers.
  [[nodiscard]] bool Factorize(const QpccScaled& problem, const QpccPenalty& penalty);
  /// (x, s) <- argmin of the augmented Lagrangian for fixed hats and multipliers.
  void Solve(const QpccScaled& problem, QpccIterate* it);

  const QpccPenalty& penalty() const { return penalty_; }

 private:
  QpccPenalty penalty_;
  MatrixX K_;
  Eigen::LLT<MatrixX> llt_;
  MatrixX inverse_;  // of K_, where it is small
  bool inverted_ = false;
  VectorX weights_, work_, right_;
};

/// (x_hat, s_hat) <- projections (20) for fixed (x, s) and multipliers.
void ProjectHats(const QpccScaled& problem, const QpccPenalty& penalty, SlideProjection slide, QpccIterate* it);
/// Multipliers (16).
void UpdateMultipliers(const QpccScaled& problem, const QpccPenalty& penalty, QpccIterate* it);
/// The augmented Lagrangian (13).
double CalcAugmentedLagrangian(const QpccScaled& problem, const QpccPenalty& penalty, const QpccIterate& it);

/// Sweeps of one start, one at a time.
class QpccSweeper {
 public:
  /// From what is in `iterate`. False if the linear system cannot be factorized.
  [[nodiscard]] bool Start(const QpccScaled& problem, const QpccSettings& settings, const QpccPenalty& penalty);
  /// One sweep: linear step, projections, residuals, and what the schedule says of multipliers and penalties. False if
  /// numbers broke down.
  [[nodiscard]] bool Sweep(const QpccScaled& problem, const QpccSettings& settings, QpccIterate* it);

  int factorizations() const { return factorizations_; }

 private:
  [[nodiscard]] bool RaisePenalty(const QpccScaled& problem, const QpccSettings& settings);
  void CalcResiduals(const QpccScaled& problem, QpccIterate* it);
  [[nodiscard]] bool FollowAdmm(const QpccScaled& problem, const QpccSettings& settings, QpccIterate* it);
  [[nodiscard]] bool FollowBcl(const QpccScaled& problem, const QpccSettings& settings, QpccIterate* it);

  QpccLinearStep linear_;
  VectorX x_old_, s_old_, work_;
  double growth_ = 1;                     // of the penalties, since the start
  double last_primal_ = 0;                // at the last look
  int since_look_ = 0;                    // sweeps
  int inner_ = 0;                         // sweeps since the last update (Bcl)
  double primal_bar_ = 1, dual_bar_ = 1;  // tolerances of the next update (Bcl)
  int factorizations_ = 0;
};

}  // namespace tactus
