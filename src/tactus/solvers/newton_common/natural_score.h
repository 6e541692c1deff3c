// The judge's tolerance test with everything that does not depend on the impulses computed once: for solvers that look at
// it in every outer iteration. (The judge itself stays the only one to decide.)
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"

namespace tactus {

class NaturalScore {
 public:
  /// `with_natural`: the score is the largest of natural_rho, natural_rho_mean and natural (SolveSettings::accept_natural).
  void Reset(const ContactProblem& problem, bool with_natural);
  /// natural_rho (or the largest of the three) of lambda, lambda-form.
  double Calc(const ContactProblem& problem, const VectorX& lambda);

  const std::vector<double>& rho() const { return rho_; }

 private:
  double CalcWeighted(const ContactProblem& problem, const VectorX& lambda, double single_rho, bool with_sigma) const;

  std::vector<double> rho_;
  double rho_mean_ = 1;
  bool with_natural_ = false;
  VectorX sigma_free_, sigma_;
};

}  // namespace tactus
