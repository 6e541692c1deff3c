// The judge's residual as a solver may afford it: sigma is at hand already, so that one evaluation is O(m). The answer
// is still judged afresh when the solve is over (contact/ncp_residual.h).
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"

namespace tactus {

/// Which law the residual is about.
enum class ContactLaw {
  Exact,   ///< Signorini-Coulomb, sigma~ = sigma + mu |sigma_t| e_n
  Convex,  ///< the CCP relaxation, sigma~ = sigma
};

/// What one evaluation finds.
struct ScoreResult {
  double natural_rho = 0;
  double violation = 0;  ///< as NcpResidual::violation() [m/s]
};

/// Root of a ratio of sums of squares; 0/0 := 0.
double RelativeScore(double error, double scale);

/// Fixed during a solve: the problem, its effective masses, and the scale of the free motion.
class IterateScore {
 public:
  /// `rho` and `sigma_free` as in ncp_residual.h; `problem` must outlive this.
  void Prepare(const ContactProblem& problem, const std::vector<double>& rho, const VectorX& sigma_free);

  ScoreResult Calc(const VectorX& lambda, const VectorX& sigma, ContactLaw law = ContactLaw::Exact) const;
  /// The same with one rho for all rows; `with_sigma` also lets |sigma| set the scale, as Siconos does.
  double CalcUniform(const VectorX& lambda, const VectorX& sigma, double rho, bool with_sigma) const;

  const std::vector<double>& rho() const { return rho_; }
  const VectorX& sigma_free() const { return sigma_free_; }
  /// size / tr(W).
  double mean_rho() const { return mean_rho_; }
  /// max |sigma_free| [m/s].
  double velocity_scale() const { return velocity_scale_; }

 private:
  struct Sums {
    double error = 0, lambda = 0, free = 0, sigma = 0, violation = 0;
  };
  template <class RhoOf>
  Sums Sum(const VectorX& lambda, const VectorX& sigma, ContactLaw law, const RhoOf& rho_of) const;

  const ContactProblem* problem_ = nullptr;
  std::vector<double> rho_;
  VectorX sigma_free_;
  double mean_rho_ = 1, velocity_scale_ = 0, floor_ = 0;
};

}  // namespace tactus
