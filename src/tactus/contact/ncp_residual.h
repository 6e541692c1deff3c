// The one judge of all solvers: how well do impulses meet the laws of contact? It looks at the problem and the answer,
// never at a solver's own numbers.
#pragma once

#include <string>
#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/contact/delassus_matrix.h"
#include "tactus/math/cones.h"

namespace tactus {

/// All residuals of one answer. sigma = J v + e, sigma~ = sigma + mu |sigma_t| e_n (De Saxce). Smaller is better, 0 is
/// exact.
struct NcpResidual {
  // Relative, scale-free.
  /// Natural map with rho_i = dim_i/tr(W_ii); the default tolerance test. Errors below 1e-14 of the free motion (in
  /// energy) count as 1e-8: where constraints have nothing to do, rounding is all there is to compare.
  double natural_rho = 0;
  double natural_rho_mean = 0;  ///< the same with one rho = 1/mean(diag W) for all rows
  double dynamics = 0;          ///< two-field form: |A v - b - J^T lambda| relative; 0 in lambda-form
  // Depending on units, for comparison with others.
  double natural = 0;             ///< natural map with rho = 1 (Siconos's error)
  double paper = 0;               ///< |J v - z| per constraint with unit weight (papers 000 and 003)
  double fischer_burmeister = 0;  ///< RMS Fischer-Burmeister error per constraint (paper 002)
  // Physical; the first of rigid rows, the others of contacts.
  double row_violation = 0;    ///< max velocity that an unbounded impulse of a rigid row should have removed [m/s]
  double penetration = 0;      ///< max [-sigma_n]_+                        [m/s]
  double complementarity = 0;  ///< max |sigma_n lambda_n|                  [J]
  double cone_violation = 0;   ///< max [|lambda_t| - mu lambda_n]_+        [N s]
  double slip_direction =
      0;  ///< max |mu lambda_n |sigma_t| + lambda_t . sigma_t|: power missing from max dissipation [J]
  // The same relative to the scales below (0 where the scale is 0).
  double relative_penetration = 0;
  double relative_complementarity = 0;
  double relative_cone_violation = 0;
  double relative_slip_direction = 0;
  // Scales.
  double velocity_scale = 0;  ///< max |sigma_free| [m/s], but no less than what is lost in rounding of all velocities
  double impulse_scale = 0;   ///< max |lambda|      [N s]
  double impulse_ratio = 0;   ///< |lambda|_{1/rho} / |sigma_free|_rho: grows without bound on infeasible problems

  /// max(natural_rho, dynamics): what `Solved` is decided by.
  double worst() const { return natural_rho > dynamics ? natural_rho : dynamics; }
  /// Velocity that constraints forbid and that remains: the larger of penetration and row_violation.
  double violation() const { return penetration > row_violation ? penetration : row_violation; }
  /// False where natural_rho is fooled by impulses so large that a remaining violation looks small beside them (they
  /// grow without bound on infeasible problems): violation() must be below 100 tol max|sigma_free| as well.
  bool feasible(double tolerance) const { return violation() <= 100 * tolerance * velocity_scale; }
  /// A few lines for people.
  std::string Summary() const;
};

/// What the judge computes on its way. Whoever judges often keeps it: judging a problem of a size seen before then
/// allocates nothing (deformable subsystems and elliptic contacts apart).
struct JudgeWorkspace {
  VectorX velocity;         ///< A^{-1}(b + J^T lambda), two-field form: as given; empty for a Delassus pair
  VectorX sigma;            ///< J v + e
  VectorX sigma_free;       ///< the same without impulses
  std::vector<double> rho;  ///< effective masses
  EffectiveMassWorkspace effective_mass;
  VectorX diagonal, inertia, product, momentum;  // of the two-field form
};

/// Twice the energy of the free motion, times a number so small that what is below is rounding. It counts as a scale
/// only where constraints ask for nothing (drives at their targets in free fall): there rounding errors would otherwise
/// be compared with each other.
double CalcEnergyFloor(const ContactProblem& problem);

/// lambda-form, for benchmarks and files: v := A^{-1}(b + J^T lambda) first, so that the dynamics hold exactly.
/// A NaN in lambda gives infinite residuals.
NcpResidual CalcNcpResidual(const ContactProblem& problem, const ConstVectorRef& lambda);
/// The same, leaving velocity, sigma and rho of the answer in the workspace.
NcpResidual CalcNcpResidual(const ContactProblem& problem, const ConstVectorRef& lambda, JudgeWorkspace* workspace);

/// Two-field form, for solvers that never factorize and return velocities of their own: sigma from the given v, and the
/// dynamics residual |A v - b - J^T lambda|_{1/M} / max(|v|_M, |b|_{1/M}), M the inertia (MassMatrix::CalcInertia).
/// Factorizes no Sparse subsystem: in rho their diagonal stands for A, and the free motion at a contact, which is only
/// a scale, is what is there without its own impulse, sigma - lambda/rho.
NcpResidual CalcNcpResidual(const ContactProblem& problem, const ConstVectorRef& v, const ConstVectorRef& lambda);
/// The same, leaving sigma and rho in the workspace.
NcpResidual CalcNcpResidual(const ContactProblem& problem, const ConstVectorRef& v, const ConstVectorRef& lambda,
                            JudgeWorkspace* workspace);

/// What a contact does, by the strict operator's branch at lambda - rho sigma.
std::vector<ContactMode> CalcContactModes(const ContactProblem& problem, const ConstVectorRef& lambda);
/// The same from what CalcNcpResidual left in the workspace.
void CalcContactModes(const ContactProblem& problem, const ConstVectorRef& lambda, const JudgeWorkspace& workspace,
                      std::vector<ContactMode>* modes);

}  // namespace tactus
