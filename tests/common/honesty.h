// Is a solver's report true? Everything is computed anew from the problem and the returned impulses.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "tactus/contact/constraint_law.h"
#include "tactus/solvers/contact_solver.h"

namespace tactus {

/// The law of contacts and rigid rows term by term, written down apart from the judge: largest violation, velocities
/// relative to the largest free velocity, impulses to the largest impulse. Friction by maximum dissipation. Finite but
/// large where an open contact carries an impulse.
inline double CalcLawViolation(const ContactProblem& p, const VectorX& lambda) {
  VectorX sigma, sigma_free;
  p.CalcSigma(lambda, &sigma);
  p.CalcSigma(VectorX::Zero(p.size()), &sigma_free);
  if (p.size() == 0) return 0;
  const double velocity = sigma_free.cwiseAbs().maxCoeff(), impulse = lambda.cwiseAbs().maxCoeff();
  const auto ratio = [](double x, double scale) { return x > 0 ? x / std::max(scale, 1e-300) : 0.0; };
  double worst = 0;
  for (int i = 0; i < p.num_contacts(); ++i) {
    const Friction& f = p.friction(i);
    const Vector3 s = sigma.segment<3>(3 * i), l = lambda.segment<3>(3 * i);
    worst = std::max({worst, ratio(-s[2], velocity), ratio(-l[2], impulse)});
    // Inside the ellipse: no tangential direction is pushed harder than its support function allows.
    for (int k = 0; k < 16; ++k) {
      const double c = std::cos(k * M_PI / 8), d = std::sin(k * M_PI / 8);
      worst = std::max(worst, ratio(c * l[0] + d * l[1] - l[2] * std::hypot(f.mu1 * c, f.mu2 * d), impulse));
    }
    const double missing = l[2] * std::hypot(f.mu1 * s[0], f.mu2 * s[1]) + l[0] * s[0] + l[1] * s[1];
    worst = std::max(
        {worst, ratio(std::abs(missing), velocity * impulse), ratio(std::abs(l[2] * s[2]), velocity * impulse)});
  }
  for (int r = 0; r < p.num_rows(); ++r) {
    const int o = 3 * p.num_contacts() + r;
    const RowLaw& law = p.law(r);
    worst = std::max({worst, ratio(law.lo - lambda[o], impulse), ratio(lambda[o] - law.hi, impulse)});
    if (!law.rigid()) continue;
    // Velocity remains only where the impulse is at the bound that fights it.
    const double s = sigma[o], room = s > 0 ? lambda[o] - law.lo : law.hi - lambda[o];
    const double scaled =
        std::isinf(room) ? ratio(std::abs(s), velocity) : std::min(ratio(std::abs(s), velocity), ratio(room, impulse));
    worst = std::max(worst, scaled);
  }
  return worst;
}

/// Checks a report and its solution against the problem.
inline void ExpectHonest(const ContactProblem& p, const SolveSettings& settings, const SolveReport& report,
                         const ContactSolution& solution, const std::string& what = {}) {
  SCOPED_TRACE(report.solver + " on " + (what.empty() ? p.name : what) + ": " + ToString(report.status) + " " +
               report.message);
  ASSERT_EQ(solution.impulse.size(), p.size());
  ASSERT_TRUE(solution.impulse.allFinite());
  ASSERT_EQ(static_cast<int>(solution.modes.size()), p.num_contacts());
  EXPECT_FALSE(report.solver.empty());
  EXPECT_GE(report.iterations, 0);
  EXPECT_GE(report.time, 0);

  ASSERT_EQ(solution.velocity.size(), p.has_dynamics() ? p.num_dofs() : 0);
  ASSERT_TRUE(solution.velocity.allFinite());
  VectorX sigma;
  if (report.two_field) {  // the solver's own velocity; that it belongs to the impulses is part of the residual
    p.MultiplyJ(solution.velocity, &sigma);
    sigma += p.e();
  } else {
    p.CalcSigma(solution.impulse, &sigma);
    if (p.has_dynamics()) {
      VectorX v;
      p.CalcVelocity(solution.impulse, &v);
      EXPECT_TRUE(solution.velocity == v) << "the velocity does not belong to the impulses";
    }
  }
  ASSERT_EQ(solution.sigma.size(), sigma.size());
  EXPECT_TRUE(solution.sigma == sigma) << "sigma does not belong to the answer";

  const NcpResidual residual =
      report.two_field ? CalcNcpResidual(p, solution.velocity, solution.impulse) : CalcNcpResidual(p, solution.impulse);
  EXPECT_EQ(report.residual.natural_rho, residual.natural_rho);
  const double tol = settings.tolerance;
  bool within = residual.worst() <= tol && residual.feasible(tol);
  if (settings.accept_natural) within = within && residual.natural <= tol && residual.natural_rho_mean <= tol;
  EXPECT_EQ(report.status == SolveStatus::Solved, within) << residual.Summary();
  if (report.status == SolveStatus::AlmostSolved) {
    EXPECT_LE(residual.worst(), 100 * tol);
  }
  if (report.status == SolveStatus::Cancelled) {
    ASSERT_NE(settings.cancel, nullptr);
    EXPECT_TRUE(settings.cancel->load());
  }
  if (report.status == SolveStatus::TimeBudget) {
    EXPECT_GT(settings.time_budget, 0);
  }
  EXPECT_NE(report.status, SolveStatus::InvalidInput);
}

/// The same, and solved: residual and law as the tolerance says. The law's terms are not the natural map, so they get a
/// factor for its condition.
inline void ExpectSolved(const ContactProblem& p, const SolveSettings& settings, const SolveReport& report,
                         const ContactSolution& solution, const std::string& what = {}) {
  ExpectHonest(p, settings, report, solution, what);
  EXPECT_EQ(report.status, SolveStatus::Solved) << report.solver << " on " << (what.empty() ? p.name : what) << ": "
                                                << ToString(report.status) << " " << report.message << "\n"
                                                << report.residual.Summary();
  EXPECT_LE(CalcLawViolation(p, solution.impulse), 1e4 * settings.tolerance) << report.solver << " on " << what;
}

}  // namespace tactus
