#include "tactus/inverse/qpcc_residual.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

/// Relative to the largest of their kind, impulses and velocities below this count as 0.
constexpr double kZero = 1e-8;
constexpr double kSmallest = 1e-300;

double MaxAbs(const ConstVectorRef& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

// Largest |a_i b_i|.
double MaxProduct(const VectorX& a, const VectorX& b) {
  double worst = 0;
  for (Eigen::Index i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] * b[i]));
  return worst;
}

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

double CalcLawViolation(QpccKind kind, double mu, const double* l, const double* s, double impulse_scale,
                        double velocity_scale) {
  const int t = static_cast<int>(kind) - 1;
  const double impulse = l[t] / impulse_scale, velocity = s[t] / velocity_scale;
  double worst = std::max({0.0, -impulse, -velocity, std::min(impulse, velocity)});
  if (t == 0) return worst;
  const Parts L{t, l}, S{t, s};
  const double normal = std::max(0.0, l[t]), radius = mu * normal, speed = S.length();
  worst = std::max(worst, (L.length() - radius) / impulse_scale);
  if (!(speed > 0)) return worst;
  // Friction opposes sliding at its limit, l_t = -radius s_t/speed, or there is no sliding.
  double off = 0;
  for (int k = 0; k < t; ++k) off += std::pow(l[k] + radius * s[k] / speed, 2);
  return std::max(worst, std::min(std::sqrt(off) / impulse_scale, speed / velocity_scale));
}

namespace {

// Scales of what is judged: the largest of their kind.
struct Scales {
  double velocity = 0, impulse = 0, multiplier = 0;
};

// Loss, dynamics, bounds. Leaves the task's residual and the dynamics' sigma in the memory.
void JudgePrimal(const QpccProblem& problem, const QpccSolution& x, QpccJudgeMemory* w, Scales* scales,
                 QpccReport* report) {
  const int m = problem.num_rows();
  w->residual = problem.b;
  w->residual.noalias() += problem.A * x.actuation;
  w->residual.noalias() += problem.B * x.contact;
  report->loss = 0.5 * w->residual.squaredNorm();
  w->sigma.resize(m);
  w->part.resize(m);
  w->sigma.noalias() = problem.C * x.actuation;
  w->part.noalias() = problem.D * x.contact;
  if (problem.compliance.size() != 0) w->part += problem.compliance.cwiseProduct(x.contact);
  scales->velocity = std::max({MaxAbs(problem.g), MaxAbs(w->sigma), MaxAbs(w->part), kSmallest});
  scales->impulse = std::max(MaxAbs(x.contact), kSmallest);
  w->sigma += w->part;
  w->sigma += problem.g;
  report->dynamics_gap = 0;
  for (int i = 0; i < m; ++i) {
    report->dynamics_gap = std::max(report->dynamics_gap, std::abs(x.sigma[i] - w->sigma[i]));
  }
  report->primal = report->dynamics_gap / scales->velocity;
  for (int i = 0; i < problem.num_actuators(); ++i) {
    const double beyond = std::max({problem.lower[i] - x.actuation[i], x.actuation[i] - problem.upper[i], 0.0});
    report->primal = std::max(report->primal, beyond / std::max(std::abs(x.actuation[i]), kSmallest));
  }
}

// (25) in scaled units, relative to the gradient and the multipliers.
void JudgeDual(const QpccProblem& problem, const QpccScaled& p, const QpccSolution& x, QpccJudgeMemory* w,
               Scales* scales, QpccReport* report) {
  w->gradient.resize(p.n);
  auto g_a = w->gradient.head(p.na);
  auto g_c = w->gradient.tail(p.m);
  g_a.noalias() = problem.A.transpose() * w->residual;
  g_c.noalias() = problem.B.transpose() * w->residual;
  double scale = std::max(p.cost * MaxProduct(p.E, w->gradient), MaxAbs(p.q));
  g_a += x.y_actuation;
  g_c += x.y_contact;
  g_a.noalias() += problem.C.transpose() * x.y_sigma;
  g_c.noalias() += problem.D.transpose() * x.y_sigma;
  if (problem.compliance.size() != 0) g_c += problem.compliance.cwiseProduct(x.y_sigma);
  for (int i = 0; i < p.na; ++i) scale = std::max(scale, p.cost * p.E[i] * std::abs(x.y_actuation[i]));
  for (int i = 0; i < p.m; ++i) {
    scale = std::max(scale, p.cost * p.E[p.na + i] * std::abs(x.y_contact[i]));
    scale = std::max(scale, p.cost * std::abs(x.y_sigma[i]) / p.S[i]);
  }
  scales->multiplier = std::max(scale, kSmallest);
  report->dual = p.cost * MaxProduct(p.E, w->gradient) / scales->multiplier;
}

double BoundDistance(const QpccProblem& problem, const QpccScaled& p, const QpccSolution& x) {
  double worst = 0;
  for (int i = 0; i < p.na; ++i) {
    const double at = x.actuation[i], y = x.y_actuation[i];
    const bool held = (at <= problem.lower[i] && y <= 0) || (at >= problem.upper[i] && y >= 0);
    if (!held) worst = std::max(worst, p.cost * p.E[i] * std::abs(y));
  }
  return worst;
}

}  // namespace

void JudgeQpcc(const QpccProblem& problem, const QpccScaled& p, const QpccSolution& x, QpccJudgeMemory* w,
               QpccReport* report) {
  Scales scales;
  JudgePrimal(problem, x, w, &scales, report);
  JudgeDual(problem, p, x, w, &scales, report);
  const int na = p.na, dim = p.dim();
  double worst = BoundDistance(problem, p, x);
  report->complementarity = 0;
  report->open = report->stick = report->slip = 0;
  for (int c = 0; c < p.num_contacts(); ++c) {
    const int o = c * dim;
    const double mu = p.friction(c);
    double l[3], s[3], y_c[3], y_s[3];
    for (int k = 0; k < dim; ++k) {
      l[k] = x.contact[o + k] / p.E[na + o];
      s[k] = x.sigma[o + k] * p.S[o];
      y_c[k] = x.y_contact[o + k] * p.cost * p.E[na + o];
      y_s[k] = x.y_sigma[o + k] * p.cost / p.S[o];
    }
    const double zero_l = kZero * scales.impulse / p.E[na + o], zero_s = kZero * scales.velocity * p.S[o];
    worst = std::max(worst, CalcNormalConeDistance(p.kind, mu, l, s, y_c, y_s, zero_l, zero_s));
    report->complementarity = std::max(
        report->complementarity,
        CalcLawViolation(p.kind, mu, x.contact.data() + o, w->sigma.data() + o, scales.impulse, scales.velocity));
    const ContactMode mode = x.modes[static_cast<std::size_t>(c)];
    ++(mode == ContactMode::Open ? report->open : mode == ContactMode::Stick ? report->stick : report->slip);
  }
  report->multiplier_violation = worst / scales.multiplier;
}

}  // namespace tactus
