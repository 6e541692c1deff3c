// What the inverse dynamics solver answers.
#pragma once

#include <string>
#include <vector>

#include "tactus/core/types.h"
#include "tactus/math/contact_mode.h"

namespace tactus {

/// How a solve ended. Whatever it is, the solution is finite, within its bounds, and its contacts obey their law.
enum class QpccStatus {
  Solved,          ///< a stationary point: dynamics gap, dual residual and multiplier conditions within tolerances
  Feasible,        ///< dynamics gap within its tolerance, but not shown to be stationary
  Approximate,     ///< the best iterate: contact velocities differ by the dynamics gap from what the impulses cause
  TimeBudget,      ///< ran out of time with an approximate answer
  Infeasible,      ///< suspected: no actuation within bounds obeys the contact law; the iterate with the least gap
  NumericalError,  ///< a factorization broke down; the last good iterate
  InvalidInput,    ///< the input was refused (see the message); the solution is zero, or the bound nearest to it
};
const char* ToString(QpccStatus status);

/// Where the returned point comes from.
enum class QpccOrigin {
  Sweeps,    ///< an iterate of the alternating minimization
  Polished,  ///< Newton's method on fixed modes
  Reduced,   ///< Gauss-Newton over the actuation, contacts by a contact solver
};
const char* ToString(QpccOrigin origin);

/// A point with its multipliers; also a warm start for a similar problem of the same sizes. Multipliers belong to
/// f + y_a (x_a - x^_a) + y_c (x_c - x^_c) + y_s (sigma - sigma^), so that at a stationary point
/// A^T r + y_a + C^T y_s = 0 and B^T r + y_c + (D + R)^T y_s = 0, r the task's residual (paper 004, eq. 25).
struct QpccSolution {
  VectorX actuation;  ///< x_a [N s, ...]
  VectorX contact;    ///< x_c [N s]
  VectorX sigma;      ///< sigma [m/s], in the law's set together with x_c
  VectorX y_actuation, y_contact, y_sigma;
  std::vector<ContactMode> modes;  ///< per contact; Lcp: Stick (touches) or Open
};

/// The outcome of a solve. Residuals are of the returned point.
struct QpccReport {
  QpccStatus status = QpccStatus::InvalidInput;
  QpccOrigin origin = QpccOrigin::Sweeps;
  int sweeps = 0;          ///< of alternating minimization
  int factorizations = 0;  ///< of its linear system
  int starts = 0;          ///< members of the penalty portfolio that were tried
  int polish_steps = 0;    ///< linear systems solved on fixed modes
  int forward_solves = 0;  ///< contact problems solved
  int drawn = 0;           ///< actuations drawn (search_starts), from whose contacts' answers it went down too
  int drawn_better = 0;    ///< of them, those that led to a better answer than all before
  bool warm_started = false;

  double loss = 0;  ///< 1/2 |A x_a + B x_c + b|^2
  /// Largest |sigma - (C x_a + (D + R) x_c + g)| [m/s].
  double dynamics_gap = 0;
  /// The same, and violations of bounds, relative to the largest of |g|, |C x_a|, |(D + R) x_c|.
  double primal = 0;
  double dual = 0;                    ///< of (25), in scaled units relative to the gradient and the multipliers
  double complementarity = 0;         ///< violation of the contact law by (x_c, C x_a + (D + R) x_c + g), relative
  double multiplier_violation = 0;    ///< distance of the multipliers from the normal cone of law and bounds, relative
  int open = 0, stick = 0, slip = 0;  ///< contacts in each mode

  double time = 0;      ///< wall time [s]
  double cpu_time = 0;  ///< processor time of the calling thread [s]
  std::string message;  ///< empty, or what is wrong

  bool solved() const { return status == QpccStatus::Solved; }
  /// The contact law holds together with the dynamics.
  bool feasible() const { return status == QpccStatus::Solved || status == QpccStatus::Feasible; }
};

}  // namespace tactus
