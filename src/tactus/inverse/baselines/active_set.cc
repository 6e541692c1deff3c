#include "tactus/inverse/baselines/active_set.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/LU>

#include "tactus/core/error.h"
#include "tactus/inverse/convex_qp.h"
#include "tactus/inverse/qpcc_clock.h"
#include "tactus/inverse/qpcc_residual.h"
#include "tactus/inverse/qpcc_settings.h"
#include "tactus/inverse/qpcc_unscale.h"

namespace tactus {

namespace {

// The program of a set of touching contacts: impulses follow the actuation, x_c = impulse_0 + impulse_1 x_a on the set,
// because sigma = 0 there.
struct SetProgram {
  std::vector<int> touching;
  VectorX impulse_0, sigma_0;
  MatrixX impulse_1, sigma_1;
  ConvexQp qp;

  bool Build(const QpccScaled& p, const std::vector<char>& touches) {
    touching.clear();
    for (int i = 0; i < p.m; ++i) {
      if (touches[static_cast<std::size_t>(i)]) touching.push_back(i);
    }
    const auto count = static_cast<Eigen::Index>(touching.size());
    impulse_0.setZero(p.m);
    impulse_1.setZero(p.m, p.na);
    if (count > 0 && !SolveImpulses(p, count)) return false;
    sigma_0 = p.g + p.CD.rightCols(p.m) * impulse_0;
    sigma_1 = p.CD.leftCols(p.na) + p.CD.rightCols(p.m) * impulse_1;
    const MatrixX J = p.AB.leftCols(p.na) + p.AB.rightCols(p.m) * impulse_1;
    const VectorX r = p.b + p.AB.rightCols(p.m) * impulse_0;
    qp.H = J.transpose() * J;
    qp.q = J.transpose() * r;
    qp.E.resize(0, p.na);
    qp.e.resize(0);
    qp.G.setZero(2 * p.na + p.m, p.na);
    qp.h.resize(2 * p.na + p.m);
    for (int i = 0; i < p.na; ++i) {
      qp.G(2 * i, i) = 1;
      qp.h[2 * i] = p.upper[i];
      qp.G(2 * i + 1, i) = -1;
      qp.h[2 * i + 1] = -p.lower[i];
    }
    for (int i = 0; i < p.m; ++i) {
      const bool on = touches[static_cast<std::size_t>(i)];
      qp.G.row(2 * p.na + i) = on ? -impulse_1.row(i) : -sigma_1.row(i);
      qp.h[2 * p.na + i] = on ? impulse_0[i] : sigma_0[i];
    }
    return true;
  }

  bool SolveImpulses(const QpccScaled& p, Eigen::Index count) {
    MatrixX K(count, count), rhs(count, p.na + 1);
    for (Eigen::Index r = 0; r < count; ++r) {
      const int i = touching[static_cast<std::size_t>(r)];
      for (Eigen::Index c = 0; c < count; ++c) K(r, c) = p.CD(i, p.na + touching[static_cast<std::size_t>(c)]);
      rhs.row(r).head(p.na) = -p.CD.row(i).head(p.na);
      rhs(r, p.na) = -p.g[i];
    }
    K.diagonal().array() += 1e-12 * K.diagonal().cwiseAbs().maxCoeff();
    rhs = K.partialPivLu().solve(rhs);
    if (!rhs.allFinite()) return false;
    for (Eigen::Index r = 0; r < count; ++r) {
      const int i = touching[static_cast<std::size_t>(r)];
      impulse_1.row(i) = rhs.row(r).head(p.na);
      impulse_0[i] = rhs(r, p.na);
    }
    return true;
  }
};

void ReadPoint(const QpccScaled& p, const SetProgram& program, const std::vector<char>& touches, const VectorX& x_a,
               QpccIterate* it) {
  it->x_hat.head(p.na) = x_a.cwiseMax(p.lower).cwiseMin(p.upper);
  it->x_hat.tail(p.m) = program.impulse_0 + program.impulse_1 * it->x_hat.head(p.na);
  it->s_hat = program.sigma_0 + program.sigma_1 * it->x_hat.head(p.na);
  for (int i = 0; i < p.m; ++i) {
    const bool on = touches[static_cast<std::size_t>(i)];
    it->modes[static_cast<std::size_t>(i)] = on ? ContactMode::Stick : ContactMode::Open;
    if (on) it->s_hat[i] = 0;
    it->x_hat[p.na + i] = on ? std::max(it->x_hat[p.na + i], 0.0) : 0;
    it->s_hat[i] = std::max(it->s_hat[i], 0.0);
  }
}

// Contacts at a bound change sides. False if none is.
bool Flip(const QpccScaled& p, const QpccIterate& it, std::vector<char>* touches) {
  if (p.m == 0) return false;
  constexpr double kAtBound = 1e-7;
  const double impulse = kAtBound * it.x_hat.cwiseAbs().maxCoeff(),
               velocity = kAtBound * it.s_hat.cwiseAbs().maxCoeff();
  bool any = false;
  for (int i = 0; i < p.m; ++i) {
    char& on = (*touches)[static_cast<std::size_t>(i)];
    const bool flip = on ? it.x_hat[p.na + i] <= impulse : it.s_hat[i] <= velocity;
    if (flip) on = !on, any = true;
  }
  return any;
}

}  // namespace

QpccReport SolveActiveSet(const QpccProblem& problem, const ActiveSetSettings& settings, QpccSolution* solution) {
  problem.Validate();
  Require(problem.kind == QpccKind::Lcp, "active set", std::string("the problem is ") + ToString(problem.kind),
          "contacts without friction (lcp)");
  Require(settings.most_sets >= 1, "most_sets", "is " + std::to_string(settings.most_sets), "a number >= 1");
  const QpccClock clock(settings.time_budget);
  QpccReport report;
  QpccScaled p;
  ScaleQpcc(problem, QpccSettings().scaling_iterations, &p);
  QpccIterate it, best;
  it.Resize(p);
  best = it;
  best.x_hat.head(p.na) = p.lower.cwiseMax(0).cwiseMin(p.upper);
  std::vector<char> touches(static_cast<std::size_t>(p.m));
  for (int i = 0; i < p.m; ++i) touches[static_cast<std::size_t>(i)] = p.g[i] < 0;
  std::vector<std::vector<char>> seen;
  bool found = false;
  double loss = 0;
  SetProgram program;
  for (int k = 0; k < settings.most_sets && !clock.over(); ++k) {
    if (std::find(seen.begin(), seen.end(), touches) != seen.end()) break;
    seen.push_back(touches);
    ++report.starts;
    if (!program.Build(p, touches)) break;
    const ConvexQpResult answer = SolveConvexQp(program.qp, 1e-9);
    if (answer.status != ConvexQpStatus::Solved) {
      // The guess was wrong: the contact that closes fastest without touching touches too.
      int worst = -1;
      for (int i = 0; i < p.m; ++i) {
        if (!touches[static_cast<std::size_t>(i)] && (worst < 0 || program.sigma_0[i] < program.sigma_0[worst]))
          worst = i;
      }
      if (worst < 0) break;
      touches[static_cast<std::size_t>(worst)] = 1;
      continue;
    }
    ReadPoint(p, program, touches, answer.x, &it);
    const double now = 0.5 * (p.AB * it.x_hat + p.b).squaredNorm();
    if (found && now >= loss * (1 - 1e-12)) break;
    found = true;
    loss = now;
    best = it;
    if (!Flip(p, it, &touches)) break;
  }
  UnscaleIterate(p, best, solution);
  QpccJudgeMemory memory;
  JudgeQpcc(problem, p, *solution, &memory, &report);
  report.status = found ? QpccStatus::Feasible : clock.over() ? QpccStatus::TimeBudget : QpccStatus::Approximate;
  if (!found) report.message = "no set of touching contacts was found that obeys law and bounds";
  report.time = clock.seconds();
  report.cpu_time = clock.cpu_seconds();
  return report;
}

}  // namespace tactus
