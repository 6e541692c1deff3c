#include "tactus/inverse/qpcc_sweeps.h"

#include <gtest/gtest.h>

#include "tactus/inverse/random_qpcc.h"

namespace tactus {
namespace {

TEST(QpccSweeps, AlternatingMinimizationNeverIncreasesTheAugmentedLagrangian) {
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar, QpccKind::Ncp}) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      QpccScaled scaled;
      ScaleQpcc(MakeRandomQpcc({.kind = kind, .contacts = 3}, seed), 10, &scaled);
      for (const QpccPenalty& penalty : QpccSettings().penalties) {
        QpccIterate it;
        it.Resize(scaled);
        QpccLinearStep linear;
        ASSERT_TRUE(linear.Factorize(scaled, penalty));
        for (int outer = 0; outer < 5; ++outer) {
          double last = std::numeric_limits<double>::infinity();
          for (int k = 0; k < 20; ++k) {
            linear.Solve(scaled, &it);
            const double after_step = CalcAugmentedLagrangian(scaled, penalty, it);
            EXPECT_LE(after_step, last + 1e-12 * (1 + std::abs(after_step)));
            ProjectHats(scaled, penalty, SlideProjection::Exact, &it);
            last = CalcAugmentedLagrangian(scaled, penalty, it);
            EXPECT_LE(last, after_step + 1e-12 * (1 + std::abs(last)));
          }
          UpdateMultipliers(scaled, penalty, &it);
        }
      }
    }
  }
}

TEST(QpccSweeps, TheLinearStepIsThePapersQuasiDefiniteSystem) {
  // With an inverse, and without: too many unknowns.
  for (const int contacts : {2, 25}) {
    QpccScaled p;
    ScaleQpcc(MakeRandomQpcc({.contacts = contacts}, 5), 10, &p);
    QpccIterate it;
    it.Resize(p);
    it.x_hat.setLinSpaced(p.n, -1, 1);
    it.s_hat.setLinSpaced(p.m, 2, -1);
    it.y_x.setLinSpaced(p.n, 0.3, -0.1);
    it.y_s.setLinSpaced(p.m, -0.2, 0.4);
    const QpccPenalty w{0.3, 0.05, 2};
    QpccLinearStep linear;
    ASSERT_TRUE(linear.Factorize(p, w));
    linear.Solve(p, &it);
    // (18), (19) as printed.
    MatrixX K = MatrixX::Zero(p.n + p.m, p.n + p.m);
    K.topLeftCorner(p.n, p.n) = p.AB.transpose() * p.AB;
    K.diagonal().head(p.na).array() += w.xi;
    K.diagonal().segment(p.na, p.m).array() += w.eta;
    K.topRightCorner(p.n, p.m) = p.CD.transpose();
    K.bottomLeftCorner(p.m, p.n) = p.CD;
    K.diagonal().tail(p.m).setConstant(-1 / w.rho);
    VectorX rhs(p.n + p.m);
    rhs.head(p.n) = -p.AB.transpose() * p.b - it.y_x;
    rhs.head(p.na) += w.xi * it.x_hat.head(p.na);
    rhs.segment(p.na, p.m) += w.eta * it.x_hat.tail(p.m);
    rhs.tail(p.m) = it.s_hat - p.g - it.y_s / w.rho;
    const VectorX z = K.fullPivLu().solve(rhs);
    EXPECT_LE((z.head(p.n) - it.x).norm(), 1e-10 * (1 + it.x.norm())) << contacts;
    EXPECT_LE((p.CD * it.x + p.g - it.s).norm(), 1e-12 * (1 + it.s.norm()));
  }
}

TEST(QpccSweeps, BothSchedulesApproachTheContactLaw) {
  for (const QpccSchedule schedule : {QpccSchedule::Admm, QpccSchedule::Bcl}) {
    QpccSettings settings;
    settings.schedule = schedule;
    int converged = 0;
    constexpr int kProblems = 40;
    for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
      QpccScaled p;
      ScaleQpcc(MakeRandomQpcc({.contacts = 2, .reachable = 1, .regularization = 0}, seed), 10, &p);
      QpccIterate it;
      it.Resize(p);
      QpccSweeper sweeper;
      ASSERT_TRUE(sweeper.Start(p, settings, settings.penalties[0]));
      for (int k = 0; k < 500; ++k) ASSERT_TRUE(sweeper.Sweep(p, settings, &it));
      if (it.primal < 1e-3) ++converged;
    }
    EXPECT_GE(converged, kProblems * 3 / 4) << (schedule == QpccSchedule::Bcl ? "bcl" : "admm");
  }
}

}  // namespace
}  // namespace tactus
