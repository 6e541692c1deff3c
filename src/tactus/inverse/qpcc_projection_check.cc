#include "tactus/inverse/qpcc_projection_check.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

double Cost(const ProjectionDraw& draw, const double* l, const double* s) {
  double cost = 0;
  for (int k = 0; k < static_cast<int>(draw.kind); ++k) {
    cost += draw.weights.eta * std::pow(l[k] - draw.l[k], 2) + draw.weights.rho * std::pow(s[k] - draw.s[k], 2);
  }
  return 0.5 * cost;
}

// Lengths are the best ones of a direction of sliding, in closed form; what the grid is over is the direction.
double SlideCost(const ProjectionDraw& draw, double angle) {
  const double d[2] = {std::cos(angle), std::sin(angle)};
  const double* a = draw.l;
  const double n = std::max(0.0, a[2] - draw.mu * (d[0] * a[0] + d[1] * a[1])) / (1 + draw.mu * draw.mu);
  const double v = std::max(0.0, d[0] * draw.s[0] + d[1] * draw.s[1]);
  const double l[3] = {-draw.mu * n * d[0], -draw.mu * n * d[1], n}, s[3] = {v * d[0], v * d[1], 0};
  return Cost(draw, l, s);
}

double GridCost(const ProjectionDraw& draw) {
  constexpr double kPi = 3.14159265358979323846;
  const int dim = static_cast<int>(draw.kind), t = dim - 1;
  const double zero[3] = {0, 0, 0};
  double open[3], stick[3];
  std::copy(draw.s, draw.s + 3, open);
  open[t] = std::max(0.0, draw.s[t]);
  double best = Cost(draw, zero, open);
  if (dim == 1) {
    const double touch[3] = {std::max(0.0, draw.l[0]), 0, 0};
    return std::min(best, Cost(draw, touch, zero));
  }
  // Stick: the point itself, or along the edge in the direction of l_t.
  const double length = dim == 2 ? std::abs(draw.l[0]) : std::hypot(draw.l[0], draw.l[1]);
  if (length <= draw.mu * draw.l[t]) {
    std::copy(draw.l, draw.l + 3, stick);
  } else {
    const double n = std::max(0.0, (draw.l[t] + draw.mu * length) / (1 + draw.mu * draw.mu));
    for (int k = 0; k < t; ++k) stick[k] = draw.mu * n * draw.l[k] / length;
    stick[t] = n;
  }
  best = std::min(best, Cost(draw, stick, zero));
  if (dim == 2) {
    for (const double d : {-1.0, 1.0}) {
      const double n = std::max(0.0, draw.l[1] - draw.mu * d * draw.l[0]) / (1 + draw.mu * draw.mu);
      const double l[3] = {-draw.mu * n * d, n, 0}, s[3] = {std::max(0.0, d * draw.s[0]) * d, 0, 0};
      best = std::min(best, Cost(draw, l, s));
    }
    return best;
  }
  constexpr int kDirections = 720;
  for (int k = 0; k < kDirections; ++k) best = std::min(best, SlideCost(draw, 2 * kPi * k / kDirections));
  return best;
}

}  // namespace

ProjectionDraw MakeProjectionDraw(QpccKind kind, Random* random) {
  ProjectionDraw draw;
  draw.kind = kind;
  draw.mu = random->Uniform() < 0.02 ? 0 : std::exp(random->Uniform(-3, 1.2));
  draw.weights.eta = std::exp(random->Uniform(-4, 4));
  draw.weights.rho = std::exp(random->Uniform(-4, 4));
  for (int k = 0; k < static_cast<int>(kind); ++k) draw.l[k] = random->Normal();
  for (int k = 0; k < static_cast<int>(kind); ++k) draw.s[k] = random->Normal();
  // A third lies near S, where sweeps end.
  if (random->Uniform() < 0.33) draw.s[static_cast<int>(kind) - 1] *= 0.01;
  return draw;
}

void Project(const ProjectionDraw& draw, SlideProjection slide, double* l, double* s) {
  std::copy(draw.l, draw.l + 3, l);
  std::copy(draw.s, draw.s + 3, s);
  ContactMode mode = ContactMode::Open;
  ProjectContacts(draw.kind, 1, &draw.mu, draw.weights, slide, l, s, &mode);
}

double CalcWorstExcess(QpccKind kind, SlideProjection slide, int draws, std::uint64_t seed) {
  Random random(seed);
  const double zero[3] = {0, 0, 0};
  double worst = -1;
  for (int k = 0; k < draws; ++k) {
    const ProjectionDraw draw = MakeProjectionDraw(kind, &random);
    double l[3], s[3];
    Project(draw, slide, l, s);
    worst = std::max(worst, (Cost(draw, l, s) - GridCost(draw)) / Cost(draw, zero, zero));
  }
  return worst;
}

}  // namespace tactus
