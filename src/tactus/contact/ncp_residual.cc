#include "tactus/contact/ncp_residual.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tactus/contact/constraint_law.h"

namespace tactus {

namespace {

// 0/0 := 0. Sums of squares that overflowed say nothing, least of all that the error is small beside them.
double Ratio(double numerator, double denominator) {
  if (!std::isfinite(numerator) || !std::isfinite(denominator)) return kInfinity;
  if (numerator == 0) return 0;
  return denominator > 0 ? numerator / denominator : kInfinity;
}

// As std::hypot, which is slow, wherever squares neither overflow nor vanish.
double Norm(double x, double y) {
  const double square = x * x + y * y;
  return square > 1e-280 && square < 1e280 ? std::sqrt(square) : std::hypot(x, y);
}

// Squared natural-map error and its scales, summed over constraints, for one choice of weights:
// |rho^{-1/2}(lambda - P(lambda - rho sigma~))|^2 and the like.
struct NaturalSums {
  double error = 0, lambda = 0, free = 0, sigma = 0;
  double relative(bool with_sigma, double floor = 0) const {
    double scale = std::max({lambda, free, floor});
    if (with_sigma) scale = std::max(scale, sigma);
    return Ratio(std::sqrt(error), std::sqrt(scale));
  }

  /// `slide` = |sigma_t|; the squared norms are of lambda, sigma_free and sigma.
  void AddContact(double rho, double mu, const double* l, const double* s, double slide, const double* squares) {
    const double x[3] = {l[0] - rho * s[0], l[1] - rho * s[1], l[2] - rho * (s[2] + mu * slide)};
    double projected[3];
    ConeProjection(x, mu, projected);
    const double d[3] = {l[0] - projected[0], l[1] - projected[1], l[2] - projected[2]}, inverse = 1 / rho;
    error += inverse * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    lambda += inverse * squares[0];
    free += rho * squares[1];
    sigma += rho * squares[2];
  }

  void AddRow(double rho, const RowLaw& law, double l, double e, double y, double y_free) {
    const double projected = ProjectRow(law, l - rho * y, rho, e);
    const double s = RowFreeSigma(law, y, e, rho), s_free = RowFreeSigma(law, y_free, e, rho);
    error += (l - projected) * (l - projected) / rho;
    lambda += l * l / rho;
    free += rho * s_free * s_free;
    sigma += rho * s * s;
  }
};

// By the effective mass of each constraint, by one for all, by none.
struct AllSums {
  NaturalSums local, mean, unit;
};
AllSums SumNatural(const ContactProblem& p, const ConstVectorRef& lambda, const VectorX& sigma,
                   const VectorX& sigma_free, const std::vector<double>& rho, double rho_mean) {
  AllSums sums;
  for (int i = 0; i < p.num_contacts(); ++i) {
    const double mu = p.friction(i).mu1;
    const double *s = sigma.data() + 3 * i, *l = lambda.data() + 3 * i, *f = sigma_free.data() + 3 * i;
    const double squares[3] = {l[0] * l[0] + l[1] * l[1] + l[2] * l[2], f[0] * f[0] + f[1] * f[1] + f[2] * f[2],
                               s[0] * s[0] + s[1] * s[1] + s[2] * s[2]};
    const double slide = Norm(s[0], s[1]);
    sums.local.AddContact(rho[i], mu, l, s, slide, squares);
    sums.mean.AddContact(rho_mean, mu, l, s, slide, squares);
    sums.unit.AddContact(1, mu, l, s, slide, squares);
  }
  for (int i = p.num_contacts(); i < p.num_constraints(); ++i) {
    const RowLaw& law = p.law(i - p.num_contacts());
    const int o = p.offset(i);
    const double e = p.row_offset(i - p.num_contacts()), y = sigma[o] - e, y_free = sigma_free[o] - e;
    sums.local.AddRow(rho[i], law, lambda[o], e, y, y_free);
    sums.mean.AddRow(rho_mean, law, lambda[o], e, y, y_free);
    sums.unit.AddRow(1, law, lambda[o], e, y, y_free);
  }
  return sums;
}

double FischerBurmeister(double a, double b) { return a + b - Norm(a, b); }

// Unit-weight residuals of the papers, and the physical violations.
void CalcPaperAndPhysical(const ContactProblem& p, const ConstVectorRef& lambda, const VectorX& sigma,
                          NcpResidual* out) {
  double paper = 0, fb = 0;
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int o = p.offset(i);
    if (p.dim(i) == 3) {
      const double mu = p.friction(i).mu1;
      const double* s = sigma.data() + o;
      const double* l = lambda.data() + o;
      const double x[3] = {l[0] - s[0], l[1] - s[1], l[2] - s[2]};
      double t[3];
      StrictProjection(x, mu, t);
      for (int k = 0; k < 3; ++k) paper += (l[k] - t[k]) * (l[k] - t[k]);
      const double slide = Norm(s[0], s[1]), friction = Norm(l[0], l[1]);
      const double normal = FischerBurmeister(s[2], l[2]), tangent = FischerBurmeister(slide, mu * l[2] - friction);
      fb += normal * normal + tangent * tangent;
      out->penetration = std::max(out->penetration, -s[2]);
      out->complementarity = std::max(out->complementarity, std::abs(s[2] * l[2]));
      out->cone_violation = std::max(out->cone_violation, friction - mu * l[2]);
      out->slip_direction = std::max(out->slip_direction, std::abs(mu * l[2] * slide + l[0] * s[0] + l[1] * s[1]));
    } else {
      const RowLaw& law = p.law(i - p.num_contacts());
      const double e = p.row_offset(i - p.num_contacts());
      const double y = sigma[o] - e;
      const double error = lambda[o] - ProjectRow(law, lambda[o] - y, 1, e);
      paper += error * error;
      fb += error * error;
      out->row_violation = std::max(out->row_violation, RowViolation(law, sigma[o]));
    }
  }
  const double count = std::max(1, p.num_constraints());
  out->paper = std::sqrt(paper) / count;
  out->fischer_burmeister = std::sqrt(fb / count);
  out->relative_penetration = Ratio(out->penetration, out->velocity_scale);
  out->relative_complementarity = Ratio(out->complementarity, out->velocity_scale * out->impulse_scale);
  out->relative_cone_violation = Ratio(out->cone_violation, out->impulse_scale);
  out->relative_slip_direction = Ratio(out->slip_direction, out->velocity_scale * out->impulse_scale);
}

// sigma of the motion without impulses.
void CalcFreeSigma(const ContactProblem& p, VectorX* sigma_free) {
  if (!p.has_dynamics()) {
    *sigma_free = p.e();
    return;
  }
  p.MultiplyJ(p.free_velocity(), sigma_free);
  *sigma_free += p.e();
}

// The same where A^{-1} b must not be computed: what each constraint would see without its own impulse.
void EstimateFreeSigma(const ContactProblem& p, const ConstVectorRef& lambda, const VectorX& sigma,
                       const std::vector<double>& rho, VectorX* sigma_free) {
  *sigma_free = sigma;
  for (int i = 0; i < p.num_constraints(); ++i) {
    for (int k = p.offset(i); k < p.offset(i) + p.dim(i); ++k) (*sigma_free)[k] -= lambda[k] / rho[i];
  }
}

// What is smaller still is rounding: errors of 1e-14 of all velocities look like 1e-8.
constexpr double kRounding = 1e-6;

// Everything, for isotropic contacts, from sigma, sigma_free, rho and the floor of energies.
NcpResidual JudgeIsotropic(const ContactProblem& p, const ConstVectorRef& lambda, const VectorX& sigma,
                           const VectorX& sigma_free, const std::vector<double>& rho, double floor) {
  NcpResidual out;
  if (!lambda.allFinite() || !sigma.allFinite()) {
    out.natural_rho = out.natural_rho_mean = out.natural = out.paper = out.fischer_burmeister = kInfinity;
    out.penetration = out.cone_violation = kInfinity;
    return out;
  }
  double inverse_sum = 0;
  for (int i = 0; i < p.num_constraints(); ++i) inverse_sum += p.dim(i) / rho[i];  // tr(W)
  const double rho_mean = inverse_sum > 0 ? p.size() / inverse_sum : 1;
  const AllSums sums = SumNatural(p, lambda, sigma, sigma_free, rho, rho_mean);
  out.natural_rho = sums.local.relative(false, floor);
  out.impulse_ratio = Ratio(std::sqrt(sums.local.lambda), std::sqrt(sums.local.free));
  out.natural_rho_mean = sums.mean.relative(false, floor);
  out.natural = sums.unit.relative(true);
  out.velocity_scale = p.size() > 0 ? sigma_free.cwiseAbs().maxCoeff() : 0;
  for (int i = 0; i < p.num_constraints() && floor > 0; ++i) {
    out.velocity_scale = std::max(out.velocity_scale, std::sqrt(floor / rho[i]));
  }
  out.impulse_scale = p.size() > 0 ? lambda.cwiseAbs().maxCoeff() : 0;
  CalcPaperAndPhysical(p, lambda, sigma, &out);
  return out;
}

// lambda' of the isotropic twin: lambda = scale .* lambda'. Where an axis has no friction the impulse must vanish; a
// nonzero one cannot be expressed and stays as it is, so that it is seen as an error.
VectorX Unscale(const ConstVectorRef& lambda, const VectorX& scale) {
  VectorX out = lambda;
  for (int i = 0; i < out.size(); ++i) {
    if (scale[i] > 0) out[i] /= scale[i];
  }
  return out;
}

// Elliptic contacts are judged as circular ones of the scaled problem. `estimate`: as in the two-field form.
NcpResidual JudgeElliptic(const ContactProblem& problem, const ConstVectorRef& lambda, const VectorX& sigma,
                          bool estimate, double floor) {
  VectorX scale, sigma_free;
  const ContactProblem scaled = MakeIsotropic(problem, &scale);
  const VectorX scaled_lambda = Unscale(lambda, scale), scaled_sigma = scale.cwiseProduct(sigma);
  const std::vector<double> rho = CalcEffectiveMass(scaled, estimate);
  if (estimate) {
    EstimateFreeSigma(scaled, scaled_lambda, scaled_sigma, rho, &sigma_free);
  } else {
    CalcFreeSigma(scaled, &sigma_free);
  }
  return JudgeIsotropic(scaled, scaled_lambda, scaled_sigma, sigma_free, rho, floor);
}

// |A v - b - J^T lambda| relative, and the floor of energies; sums in the order of dofs.
double CalcDynamicsResidual(const ContactProblem& p, const ConstVectorRef& v, const ConstVectorRef& lambda,
                            JudgeWorkspace* w, double* floor) {
  p.mass().CalcInertia(&w->inertia);
  p.mass().Multiply(v, &w->product);
  w->momentum = p.b();
  p.AddMultiplyJT(lambda, &w->momentum);
  double error = 0, v_norm = 0, b_norm = 0;
  for (int k = 0; k < p.num_dofs(); ++k) {
    const double m = w->inertia[k], r = w->product[k] - w->momentum[k], b = p.b()[k];
    error += r * r / m;
    v_norm += v[k] * v[k] * m;
    b_norm += b * b / m;
  }
  *floor = kRounding * kRounding * b_norm;
  return std::isfinite(error) ? Ratio(std::sqrt(error), std::sqrt(std::max(v_norm, b_norm))) : kInfinity;
}

}  // namespace

double CalcEnergyFloor(const ContactProblem& p) {
  return p.has_dynamics() ? kRounding * kRounding * std::abs(p.b().dot(p.free_velocity())) : 0;
}

NcpResidual CalcNcpResidual(const ContactProblem& problem, const ConstVectorRef& lambda) {
  JudgeWorkspace workspace;
  return CalcNcpResidual(problem, lambda, &workspace);
}

NcpResidual CalcNcpResidual(const ContactProblem& problem, const ConstVectorRef& lambda, JudgeWorkspace* workspace) {
  if (lambda.size() != problem.size()) {
    throw InputError("impulses", "have " + std::to_string(lambda.size()) + " entries", std::to_string(problem.size()));
  }
  JudgeWorkspace& w = *workspace;
  if (problem.has_dynamics()) {
    problem.CalcVelocity(lambda, &w.velocity);
    problem.MultiplyJ(w.velocity, &w.sigma);
    w.sigma += problem.e();
  } else {
    w.velocity.resize(0);
    problem.CalcSigma(lambda, &w.sigma);
  }
  CalcEffectiveMass(problem, &w.rho, &w.effective_mass);
  const double floor = CalcEnergyFloor(problem);
  if (HasEllipticContacts(problem)) return JudgeElliptic(problem, lambda, w.sigma, false, floor);
  CalcFreeSigma(problem, &w.sigma_free);
  return JudgeIsotropic(problem, lambda, w.sigma, w.sigma_free, w.rho, floor);
}

NcpResidual CalcNcpResidual(const ContactProblem& problem, const ConstVectorRef& v, const ConstVectorRef& lambda) {
  JudgeWorkspace workspace;
  return CalcNcpResidual(problem, v, lambda, &workspace);
}

NcpResidual CalcNcpResidual(const ContactProblem& problem, const ConstVectorRef& v, const ConstVectorRef& lambda,
                            JudgeWorkspace* workspace) {
  if (!problem.has_dynamics()) {
    throw InputError("two-field residual", "the problem is a Delassus pair", "a problem with A, b and J");
  }
  if (v.size() != problem.num_dofs() || lambda.size() != problem.size()) {
    throw InputError(
        "answer", "v or impulses do not fit the problem",
        std::to_string(problem.num_dofs()) + " velocities and " + std::to_string(problem.size()) + " impulses");
  }
  JudgeWorkspace& w = *workspace;
  w.velocity = v;
  problem.MultiplyJ(v, &w.sigma);
  w.sigma += problem.e();
  double floor = 0;
  const double dynamics = CalcDynamicsResidual(problem, v, lambda, &w, &floor);
  CalcDiagonalEffectiveMass(problem, &w.rho, &w.diagonal);
  // Without large subsystems the free motion is known.
  const bool estimate = problem.mass().has_sparse();
  NcpResidual out;
  if (HasEllipticContacts(problem)) {
    out = JudgeElliptic(problem, lambda, w.sigma, true, floor);
  } else {
    if (estimate) {
      EstimateFreeSigma(problem, lambda, w.sigma, w.rho, &w.sigma_free);
    } else {
      CalcFreeSigma(problem, &w.sigma_free);
    }
    out = JudgeIsotropic(problem, lambda, w.sigma, w.sigma_free, w.rho, floor);
  }
  out.dynamics = dynamics;
  return out;
}

std::vector<ContactMode> CalcContactModes(const ContactProblem& p, const ConstVectorRef& lambda) {
  JudgeWorkspace workspace;
  p.CalcSigma(lambda, &workspace.sigma);
  workspace.rho = CalcEffectiveMass(p);
  std::vector<ContactMode> modes;
  CalcContactModes(p, lambda, workspace, &modes);
  return modes;
}

void CalcContactModes(const ContactProblem& p, const ConstVectorRef& lambda, const JudgeWorkspace& workspace,
                      std::vector<ContactMode>* modes) {
  modes->resize(p.num_contacts());
  for (int i = 0; i < p.num_contacts(); ++i) {
    const Friction& f = p.friction(i);
    const Vector3 x = lambda.segment<3>(3 * i) - workspace.rho[i] * workspace.sigma.segment<3>(3 * i);
    double projected[3];
    (*modes)[i] = StrictEllipseProjection(x.data(), f.mu1, f.mu2, projected);
  }
}

std::string NcpResidual::Summary() const {
  char text[800];
  std::snprintf(
      text, sizeof(text),
      "natural_rho %.2e (single rho %.2e, dynamics %.2e)   natural %.2e   paper %.2e   fischer-burmeister %.2e\n"
      "penetration velocity %.2e m/s (%.1e relative), of rows %.2e m/s   cone violation %.2e N s (%.1e relative)\n"
      "complementarity %.2e J   missing dissipation %.2e J   impulse ratio %.2e\n",
      natural_rho, natural_rho_mean, dynamics, natural, paper, fischer_burmeister, penetration, relative_penetration,
      row_violation, cone_violation, relative_cone_violation, complementarity, slip_direction, impulse_ratio);
  return text;
}

}  // namespace tactus
