#include "tactus/inverse/qpcc_projection.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

constexpr double kHalfPi = 1.57079632679489661923;
/// Gains closer than this, relative to the largest, count as equal.
constexpr double kTie = 1e-13;
constexpr int kGrid = 9;
constexpr int kNewtonSteps = 60;
constexpr int kAlternations = 20;

double Square(double x) { return x * x; }
double Positive(double x) { return x > 0 ? x : 0; }

// The branch that gains most; the previous one on a tie.
ContactMode Best(double open, double stick, double slip, ContactMode previous) {
  const double gains[3] = {open, stick, slip};  // in the order of ContactMode
  int best = 0;
  for (int k = 1; k < 3; ++k) {
    if (gains[k] > gains[best]) best = k;
  }
  const int before = static_cast<int>(previous);
  if (gains[before] >= 0 && gains[before] >= gains[best] * (1 - kTie)) best = before;
  return static_cast<ContactMode>(best);
}

// An angle with its cosine and sine.
struct Turn {
  double angle, c, s;
};

// psi of the head of qpcc_projection.h, and its derivatives.
struct SlideGain {
  double p, normal, k, cos_beta, sin_beta, r;  // p [normal + k cos(th - beta)]+^2 + r cos^2 th

  double Value(double c, double s) const {
    return p * Square(Positive(normal + k * (c * cos_beta + s * sin_beta))) + r * c * c;
  }
  void Derivatives(double c, double s, double* first, double* second) const {
    const double along = c * cos_beta + s * sin_beta, across = s * cos_beta - c * sin_beta;  // cos, sin(th - beta)
    const double u = normal + k * along;
    *first = -2 * r * s * c;
    *second = -2 * r * (c * c - s * s);
    if (u > 0) {
      *first -= 2 * p * k * across * u;
      *second += 2 * p * k * (k * across * across - along * u);
    }
  }

  // The maximum within [lo, up] that is uphill of `from`, by Newton on psi' kept in the bracket.
  Turn Refine(double lo, const Turn& from, double up) const {
    Turn at = from;
    for (int n = 0; n < kNewtonSteps; ++n) {
      double first, second;
      Derivatives(at.c, at.s, &first, &second);
      (first > 0 ? lo : up) = at.angle;
      double next = second < 0 ? at.angle - first / second : lo - 1;
      const bool newton = next >= lo && next <= up;
      if (!newton) next = 0.5 * (lo + up);
      const double step = std::abs(next - at.angle);
      at = {next, std::cos(next), std::sin(next)};
      // The next of Newton's steps would be of the order of this one's square.
      if (step < (newton ? 1e-10 : 1e-15)) break;
    }
    return at;
  }

  // The angle in [0, limit] with the largest value.
  Turn Maximize(double limit) const {
    Turn grid[kGrid] = {{0, 1, 0}};
    double value[kGrid];
    const double c = std::cos(limit / (kGrid - 1)), s = std::sin(limit / (kGrid - 1));
    for (int j = 1; j < kGrid; ++j) {
      const Turn& last = grid[j - 1];
      grid[j] = {limit * j / (kGrid - 1), last.c * c - last.s * s, last.s * c + last.c * s};
    }
    for (int j = 0; j < kGrid; ++j) value[j] = Value(grid[j].c, grid[j].s);
    Turn best = grid[0];
    double best_value = -1;
    for (int j = 0; j < kGrid; ++j) {
      const int left = std::max(j - 1, 0), right = std::min(j + 1, kGrid - 1);
      if (value[j] < value[left] || value[j] < value[right]) continue;
      const Turn refined = Refine(grid[left].angle, grid[j], grid[right].angle);
      const double v = Value(refined.c, refined.s);
      if (v > best_value) best = refined, best_value = v;
      if (value[j] > best_value) best = grid[j], best_value = value[j];
    }
    return best;
  }
};

// The paper's scheme: lengths for a direction, then the best direction for these lengths.
void AlternateDirection(double mu, const ProjectionWeights& w, const double* l, const double* s, double* d) {
  for (int n = 0; n < kAlternations; ++n) {
    const double normal = Positive(l[2] - mu * (d[0] * l[0] + d[1] * l[1])) / (1 + mu * mu);
    const double speed = Positive(d[0] * s[0] + d[1] * s[1]);
    const double v0 = -w.eta * mu * normal * l[0] + w.rho * speed * s[0];
    const double v1 = -w.eta * mu * normal * l[1] + w.rho * speed * s[1];
    const double length = std::hypot(v0, v1);
    if (!(length > 0)) return;
    d[0] = v0 / length;
    d[1] = v1 / length;
  }
}

// The direction of sliding; |s_t| > 0.
void SlideDirection(double mu, const ProjectionWeights& w, SlideProjection how, const double* l, const double* s,
                    double l_tangential, double s_tangential, double* d) {
  const double e1[2] = {s[0] / s_tangential, s[1] / s_tangential};
  d[0] = e1[0];
  d[1] = e1[1];
  if (how == SlideProjection::Alternating) return AlternateDirection(mu, w, l, s, d);
  if (!(l_tangential > 0) || mu == 0) return;
  double e2[2] = {-e1[1], e1[0]};
  if (l[0] * e2[0] + l[1] * e2[1] > 0) e2[0] = -e2[0], e2[1] = -e2[1];
  SlideGain gain;
  gain.cos_beta = -(l[0] * e1[0] + l[1] * e1[1]) / l_tangential;
  gain.sin_beta = Positive(-(l[0] * e2[0] + l[1] * e2[1])) / l_tangential;
  gain.p = w.eta / (1 + mu * mu);
  gain.normal = l[2];
  gain.k = mu * l_tangential;
  gain.r = w.rho * s_tangential * s_tangential;
  const Turn best = gain.Maximize(std::min(std::atan2(gain.sin_beta, gain.cos_beta), kHalfPi));
  d[0] = best.c * e1[0] + best.s * e2[0];
  d[1] = best.c * e1[1] + best.s * e2[1];
}

}  // namespace

ContactMode ProjectOnLcp(const ProjectionWeights& weights, ContactMode previous, double* l, double* s) {
  const double impulse = Positive(*l), velocity = Positive(*s);
  const ContactMode mode = Best(weights.rho * velocity * velocity, weights.eta * impulse * impulse, -1, previous);
  *l = mode == ContactMode::Stick ? impulse : 0;
  *s = mode == ContactMode::Stick ? 0 : velocity;
  return mode;
}

ContactMode ProjectOnPlanarNcp(double mu, const ProjectionWeights& weights, ContactMode previous, double* l,
                               double* s) {
  const double eta = weights.eta, rho = weights.rho, scale = 1 / (1 + mu * mu);
  // Euclidean projection on the cone.
  const double t = std::abs(l[0]), edge = Positive(l[1] + mu * t) * scale;
  const bool inside = l[1] >= 0 && t <= mu * l[1];
  const double stick[2] = {inside ? l[0] : std::copysign(mu * edge, l[0]), inside ? l[1] : edge};
  // Sliding either way; only along s~ does it gain anything that stick does not.
  const double d = s[0] >= 0 ? 1 : -1, speed = std::abs(s[0]), normal = Positive(l[1] - mu * d * l[0]) * scale;
  const double slip = normal > 0 && speed > 0 ? eta * normal * normal / scale + rho * speed * speed : -1;
  const double up = Positive(s[1]);
  const ContactMode mode =
      Best(rho * (s[0] * s[0] + up * up), eta * (Square(stick[0]) + Square(stick[1])), slip, previous);
  switch (mode) {
    case ContactMode::Open: l[0] = l[1] = 0, s[1] = up; break;
    case ContactMode::Stick: l[0] = stick[0], l[1] = stick[1], s[0] = s[1] = 0; break;
    case ContactMode::Slip: l[0] = -mu * normal * d, l[1] = normal, s[1] = 0; break;
  }
  return mode;
}

ContactMode ProjectOnNcp(double mu, const ProjectionWeights& weights, SlideProjection slide, ContactMode previous,
                         double* l, double* s) {
  const double eta = weights.eta, rho = weights.rho, scale = 1 / (1 + mu * mu);
  const double lt = std::hypot(l[0], l[1]), st = std::hypot(s[0], s[1]);
  const double edge = Positive(l[2] + mu * lt) * scale, up = Positive(s[2]);
  const bool inside = l[2] >= 0 && lt <= mu * l[2];
  const double stick_gain = eta * (inside ? lt * lt + l[2] * l[2] : edge * edge / scale);
  const double open_gain = rho * (st * st + up * up);
  // No direction gains more than both terms of psi at their best.
  double slip_gain = -1, d[2] = {1, 0}, normal = 0, speed = 0;
  if (st > 0 && eta * edge * edge / scale + rho * st * st > std::max(stick_gain, open_gain) * (1 - kTie)) {
    SlideDirection(mu, weights, slide, l, s, lt, st, d);
    normal = Positive(l[2] - mu * (d[0] * l[0] + d[1] * l[1])) * scale;
    speed = d[0] * s[0] + d[1] * s[1];
    if (normal > 0 && speed > 0) slip_gain = eta * normal * normal / scale + rho * speed * speed;
  }
  const ContactMode mode = Best(open_gain, stick_gain, slip_gain, previous);
  switch (mode) {
    case ContactMode::Open: l[0] = l[1] = l[2] = 0, s[2] = up; break;
    case ContactMode::Stick:
      if (!inside) {
        const double ratio = lt > 0 ? mu * edge / lt : 0;
        l[0] *= ratio, l[1] *= ratio, l[2] = edge;
      }
      s[0] = s[1] = s[2] = 0;
      break;
    case ContactMode::Slip:
      l[0] = -mu * normal * d[0], l[1] = -mu * normal * d[1], l[2] = normal;
      s[0] = speed * d[0], s[1] = speed * d[1], s[2] = 0;
      break;
  }
  return mode;
}

void ProjectContacts(QpccKind kind, int count, const double* mu, const ProjectionWeights& weights,
                     SlideProjection slide, double* l, double* s, ContactMode* modes) {
  switch (kind) {
    case QpccKind::Lcp:
      for (int i = 0; i < count; ++i) modes[i] = ProjectOnLcp(weights, modes[i], l + i, s + i);
      return;
    case QpccKind::Planar:
      for (int i = 0; i < count; ++i) modes[i] = ProjectOnPlanarNcp(mu[i], weights, modes[i], l + 2 * i, s + 2 * i);
      return;
    case QpccKind::Ncp:
      for (int i = 0; i < count; ++i) modes[i] = ProjectOnNcp(mu[i], weights, slide, modes[i], l + 3 * i, s + 3 * i);
      return;
  }
}

}  // namespace tactus
