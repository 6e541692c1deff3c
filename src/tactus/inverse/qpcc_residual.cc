#include "tactus/inverse/qpcc_residual.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

/// Relative to the largest of their kind, impulses and velocities below this count as 0.
constexpr double kZero = 1e-8;
constexpr double kSmallest = 1e-300;

double MaxAbs(const ConstVectorRef& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

double LcpDistance(double l, double s, double y_c, double y_s, double zero_l, double zero_s) {
  if (l > zero_l) return std::abs(y_c);
  if (s > zero_s) return std::abs(y_s);
  return std::max({y_c, y_s, 0.0});
}

// The contact's vectors in tangents (t of them) and normal.
struct Parts {
  int t;
  const double* x;
  double normal() const { return x[t]; }
  double length() const { return t == 1 ? std::abs(x[0]) : std::hypot(x[0], x[1]); }
  double dot(const double* d) const { return t == 1 ? d[0] * x[0] : d[0] * x[0] + d[1] * x[1]; }
  double across(const double* d) const { return t == 1 ? 0 : d[0] * x[1] - d[1] * x[0]; }
  double largest() const { return std::max(length(), std::abs(normal())); }
};

// l = 0: break, grazing (s_n = 0, s_t not) or all zero.
double NoImpulseDistance(double mu, Parts s, Parts y_c, Parts y_s, double zero_s) {
  if (s.normal() > zero_s) return y_s.largest();
  const double speed = s.length();
  if (speed > zero_s) {
    double d[2] = {s.x[0] / speed, s.t == 1 ? 0 : s.x[1] / speed};
    return std::max({y_s.length(), y_s.normal(), y_c.normal() - mu * y_c.dot(d), 0.0});
  }
  return std::max({y_s.length(), y_s.normal(), mu * y_c.length() + y_c.normal(), 0.0});
}

// s = 0, l > 0: inside the cone, or on its edge.
double StickDistance(double mu, Parts l, Parts y_c, Parts y_s, double zero_l) {
  const double tangential = l.length();
  if (tangential < mu * l.normal() - zero_l) return y_c.largest();
  if (!(tangential > 0)) {
    // Without friction the edge is a ray, and any tangential y_c is normal to it.
    return std::abs(y_c.normal());
  }
  const double d[2] = {-l.x[0] / tangential, l.t == 1 ? 0 : -l.x[1] / tangential};
  // y_c = -a (d, mu), a >= 0.
  const double a = std::max(0.0, -(y_c.dot(d) + mu * y_c.normal()) / (1 + mu * mu));
  const double along = std::abs(y_c.dot(d) + a), normal = std::abs(y_c.normal() + a * mu);
  return std::max({along, normal, std::abs(y_c.across(d)), y_s.dot(d), 0.0});
}

double SlideDistance(double mu, Parts l, Parts s, Parts y_c, Parts y_s) {
  const double speed = s.length();
  const double d[2] = {s.x[0] / speed, s.t == 1 ? 0 : s.x[1] / speed};
  double worst = std::max(std::abs(y_c.normal() - mu * y_c.dot(d)), std::abs(y_s.dot(d)));
  const double radius = mu * l.normal();
  if (l.t == 2) {
    worst = std::max(worst, std::abs(radius * y_c.across(d) - speed * y_s.across(d)) / (radius + speed));
  }
  return worst;
}

}  // namespace

double CalcNormalConeDistance(QpccKind kind, double mu, const double* l, const double* s, const double* y_c,
                              const double* y_s, double zero_l, double zero_s) {
  if (kind == QpccKind::Lcp) return LcpDistance(*l, *s, *y_c, *y_s, zero_l, zero_s);
  const int t = static_cast<int>(kind) - 1;
  const Parts L{t, l}, S{t, s}, Yc{t, y_c}, Ys{t, y_s};
  if (L.normal() <= zero_l) return NoImpulseDistance(mu, S, Yc, Ys, zero_s);
  if (S.length() <= zero_s) return StickDistance(mu, L, Yc, Ys, zero_l);
  return SlideDistance(mu, L, S, Yc, Ys);
}

void CalcLawViolation(QpccKind kind, double mu, const double* l, const double* s, double* impulse, double* velocity) {
  const int t = static_cast<int>(kind) - 1;
  const double ln = l[t], sn = s[t];
  // The smaller of two numbers of which one must be 0 says how far they are from that; each in its own unit.
  *impulse = std::max(0.0, -ln);
  *velocity = std::max(0.0, -sn);
  const double both = std::max(0.0, ln);
  if (t == 0) {
    if (both > 0) *velocity = std::max(*velocity, std::abs(sn));
    return;
  }
  const Parts L{t, l}, S{t, s};
  const double lt = L.length(), speed = S.length(), radius = mu * both;
  *impulse = std::max(*impulse, lt - radius);
  if (!(both > 0)) return;
  *velocity = std::max(*velocity, std::abs(sn));
  // Friction opposes sliding at its limit: |l_t + radius d| as an impulse, or the speed if that is less.
  if (!(speed > 0)) return;
  double off = 0;
  for (int k = 0; k < t; ++k) off += std::pow(l[k] + radius * s[k] / speed, 2);
  const double direction = std::sqrt(off) / std::max(both, kSmallest);
  *velocity = std::max(*velocity, speed * std::min(1.0, direction));
}

void JudgeQpcc(const QpccProblem& problem, const QpccScaled& scaled, const QpccSolution& x, QpccJudgeMemory* w,
               QpccReport* report) {
  const int na = scaled.na, m = scaled.m, dim = scaled.dim();
  w->residual = problem.b;
  w->residual.noalias() += problem.A * x.actuation;
  w->residual.noalias() += problem.B * x.contact;
  report->loss = 0.5 * w->residual.squaredNorm();

  // Dynamics, and the scale of velocities.
  w->sigma.resize(m);
  w->part.resize(m);
  w->sigma.noalias() = problem.C * x.actuation;
  w->part.noalias() = problem.D * x.contact;
  if (problem.compliance.size() != 0) w->part += problem.compliance.cwiseProduct(x.contact);
  const double velocity = std::max({MaxAbs(problem.g), MaxAbs(w->sigma), MaxAbs(w->part), kSmallest});
  const double impulse = std::max(MaxAbs(x.contact), kSmallest);
  w->sigma += w->part + problem.g;
  report->dynamics_gap = 0;
  for (int i = 0; i < m; ++i) {
    report->dynamics_gap = std::max(report->dynamics_gap, std::abs(x.sigma[i] - w->sigma[i]));
  }
  report->primal = report->dynamics_gap / velocity;
  for (int i = 0; i < na; ++i) {
    const double beyond = std::max({problem.lower[i] - x.actuation[i], x.actuation[i] - problem.upper[i], 0.0});
    report->primal = std::max(report->primal, beyond / std::max(std::abs(x.actuation[i]), kSmallest));
  }

  // (25) in scaled units, relative to the gradient and the multipliers.
  w->gradient.resize(scaled.n);
  auto g_a = w->gradient.head(na);
  auto g_c = w->gradient.tail(m);
  g_a.noalias() = problem.A.transpose() * w->residual;
  g_c.noalias() = problem.B.transpose() * w->residual;
  double scale = std::max(scaled.cost * MaxAbs(scaled.E.cwiseProduct(w->gradient)), MaxAbs(scaled.q));
  g_a += x.y_actuation;
  g_c += x.y_contact;
  g_a.noalias() += problem.C.transpose() * x.y_sigma;
  g_c.noalias() += problem.D.transpose() * x.y_sigma;
  if (problem.compliance.size() != 0) g_c += problem.compliance.cwiseProduct(x.y_sigma);
  for (int i = 0; i < na; ++i) scale = std::max(scale, scaled.cost * scaled.E[i] * std::abs(x.y_actuation[i]));
  for (int i = 0; i < m; ++i) {
    scale = std::max(scale, scaled.cost * scaled.E[na + i] * std::abs(x.y_contact[i]));
    scale = std::max(scale, scaled.cost * std::abs(x.y_sigma[i]) / scaled.S[i]);
  }
  scale = std::max(scale, kSmallest);
  report->dual = scaled.cost * MaxAbs(scaled.E.cwiseProduct(w->gradient)) / scale;

  // Bounds and contacts.
  double worst = 0;
  for (int i = 0; i < na; ++i) {
    const double lo = problem.lower[i], hi = problem.upper[i], at = x.actuation[i], y = x.y_actuation[i];
    double off = std::abs(y);
    if (at <= lo && y <= 0) off = 0;
    if (at >= hi && y >= 0) off = 0;
    worst = std::max(worst, scaled.cost * scaled.E[i] * off);
  }
  report->complementarity = 0;
  report->open = report->stick = report->slip = 0;
  for (int c = 0; c < scaled.num_contacts(); ++c) {
    const int o = c * dim;
    double l[3], s[3], y_c[3], y_s[3];
    for (int k = 0; k < dim; ++k) {
      l[k] = x.contact[o + k] / scaled.E[na + o];
      s[k] = x.sigma[o + k] * scaled.S[o];
      y_c[k] = x.y_contact[o + k] * scaled.cost * scaled.E[na + o];
      y_s[k] = x.y_sigma[o + k] * scaled.cost / scaled.S[o];
    }
    worst = std::max(worst, CalcNormalConeDistance(scaled.kind, scaled.friction(c), l, s, y_c, y_s,
                                                   kZero * impulse / scaled.E[na + o], kZero * velocity * scaled.S[o]));
    double off_l = 0, off_s = 0;
    CalcLawViolation(scaled.kind, scaled.friction(c), x.contact.data() + o, w->sigma.data() + o, &off_l, &off_s);
    report->complementarity = std::max({report->complementarity, off_l / impulse, off_s / velocity});
    const ContactMode mode = x.modes[static_cast<std::size_t>(c)];
    ++(mode == ContactMode::Open ? report->open : mode == ContactMode::Stick ? report->stick : report->slip);
  }
  report->multiplier_violation = worst / scale;
}

}  // namespace tactus
