#include "tactus/solvers/first_order/iterate_score.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"
#include "tactus/contact/ncp_residual.h"

namespace tactus {

double RelativeScore(double error, double scale) {
  if (error == 0) return 0;
  return scale > 0 ? std::sqrt(error / scale) : kInfinity;
}

void IterateScore::Prepare(const ContactProblem& problem, const std::vector<double>& rho, const VectorX& sigma_free) {
  problem_ = &problem;
  rho_ = rho;
  sigma_free_ = sigma_free;
  velocity_scale_ = sigma_free.size() > 0 ? sigma_free.cwiseAbs().maxCoeff() : 0;
  double trace = 0;
  for (int i = 0; i < problem.num_constraints(); ++i) trace += problem.dim(i) / rho[i];
  mean_rho_ = trace > 0 ? problem.size() / trace : 1;
  floor_ = CalcEnergyFloor(problem);
}

template <class RhoOf>
IterateScore::Sums IterateScore::Sum(const VectorX& lambda, const VectorX& sigma, ContactLaw law,
                                     const RhoOf& rho_of) const {
  const ContactProblem& p = *problem_;
  Sums sums;
  for (int i = 0; i < p.num_contacts(); ++i) {
    const double rho = rho_of(i), mu = p.friction(i).mu1;
    const double* s = sigma.data() + 3 * i;
    const double* l = lambda.data() + 3 * i;
    const double* f = sigma_free_.data() + 3 * i;
    const double De_Saxce = law == ContactLaw::Exact ? mu * std::sqrt(s[0] * s[0] + s[1] * s[1]) : 0;
    const double x[3] = {l[0] - rho * s[0], l[1] - rho * s[1], l[2] - rho * (s[2] + De_Saxce)};
    double y[3];
    ConeProjection(x, mu, y);
    const double d0 = l[0] - y[0], d1 = l[1] - y[1], d2 = l[2] - y[2];
    sums.error += (d0 * d0 + d1 * d1 + d2 * d2) / rho;
    sums.lambda += (l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) / rho;
    sums.free += rho * (f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    sums.sigma += rho * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    sums.violation = std::max(sums.violation, -s[2]);
  }
  for (int i = p.num_contacts(); i < p.num_constraints(); ++i) {
    const int o = p.offset(i);
    const RowLaw& row = p.law(i - p.num_contacts());
    const double rho = rho_of(i), e = p.row_offset(i - p.num_contacts()), y = sigma[o] - e;
    const double error = lambda[o] - ProjectRow(row, lambda[o] - rho * y, rho, e);
    const double free = RowFreeSigma(row, sigma_free_[o] - e, e, rho), s = RowFreeSigma(row, y, e, rho);
    sums.error += error * error / rho;
    sums.lambda += lambda[o] * lambda[o] / rho;
    sums.free += rho * free * free;
    sums.sigma += rho * s * s;
    sums.violation = std::max(sums.violation, RowViolation(row, sigma[o]));
  }
  return sums;
}

ScoreResult IterateScore::Calc(const VectorX& lambda, const VectorX& sigma, ContactLaw law) const {
  const Sums sums = Sum(lambda, sigma, law, [this](int i) { return rho_[i]; });
  return {RelativeScore(sums.error, std::max({sums.lambda, sums.free, floor_})), sums.violation};
}

double IterateScore::CalcUniform(const VectorX& lambda, const VectorX& sigma, double rho, bool with_sigma) const {
  const Sums sums = Sum(lambda, sigma, ContactLaw::Exact, [rho](int) { return rho; });
  return RelativeScore(sums.error, std::max({sums.lambda, sums.free, with_sigma ? sums.sigma : 0.0}));
}

}  // namespace tactus
