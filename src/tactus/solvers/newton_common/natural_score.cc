#include "tactus/solvers/newton_common/natural_score.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"
#include "tactus/contact/delassus_matrix.h"

namespace tactus {

void NaturalScore::Reset(const ContactProblem& p, bool with_natural) {
  with_natural_ = with_natural;
  rho_ = CalcEffectiveMass(p);
  p.CalcSigma(VectorX::Zero(p.size()), &sigma_free_);
  double trace = 0;
  for (int i = 0; i < p.num_constraints(); ++i) trace += p.dim(i) / rho_[i];
  rho_mean_ = trace > 0 ? p.size() / trace : 1;
}

double NaturalScore::Calc(const ContactProblem& p, const VectorX& lambda) {
  p.CalcSigma(lambda, &sigma_);
  double score = CalcWeighted(p, lambda, 0, false);
  if (with_natural_) {
    score = std::max({score, CalcWeighted(p, lambda, rho_mean_, false), CalcWeighted(p, lambda, 1, true)});
  }
  return std::isfinite(score) ? score : kInfinity;
}

double NaturalScore::CalcWeighted(const ContactProblem& p, const VectorX& lambda, double single_rho, bool with_sigma) const {
  double error = 0, impulse = 0, free = 0, velocity = 0;
  for (int i = 0; i < p.num_constraints(); ++i) {
    const double rho = single_rho > 0 ? single_rho : rho_[i];
    const int o = p.offset(i);
    if (p.dim(i) == 3) {
      const double mu = p.friction(i).mu1;
      const double* s = sigma_.data() + o;
      const double* l = lambda.data() + o;
      const double x[3] = {l[0] - rho * s[0], l[1] - rho * s[1], l[2] - rho * (s[2] + mu * std::hypot(s[0], s[1]))};
      double projected[3];
      ConeProjection(x, mu, projected);
      for (int k = 0; k < 3; ++k) {
        error += (l[k] - projected[k]) * (l[k] - projected[k]) / rho;
        impulse += l[k] * l[k] / rho;
        free += rho * sigma_free_[o + k] * sigma_free_[o + k];
        velocity += rho * s[k] * s[k];
      }
    } else {
      const RowLaw& law = p.law(i - p.num_contacts());
      const double e = p.e()[o], y = sigma_[o] - e, y_free = sigma_free_[o] - e;
      const double difference = lambda[o] - ProjectRow(law, lambda[o] - rho * y, rho, e);
      const double s = RowFreeSigma(law, y, e, rho), s_free = RowFreeSigma(law, y_free, e, rho);
      error += difference * difference / rho;
      impulse += lambda[o] * lambda[o] / rho;
      free += rho * s_free * s_free;
      velocity += rho * s * s;
    }
  }
  if (error == 0) return 0;
  return std::sqrt(error / std::max({impulse, free, with_sigma ? velocity : 0.0}));
}

}  // namespace tactus
