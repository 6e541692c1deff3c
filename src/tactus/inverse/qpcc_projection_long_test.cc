#include <gtest/gtest.h>

#include "tactus/inverse/qpcc_projection_check.h"

namespace tactus {
namespace {

TEST(QpccProjection, CostsNoMoreThanADenseGridOnAMillionDraws) {
  EXPECT_LE(CalcWorstExcess(QpccKind::Ncp, SlideProjection::Exact, 1'000'000, 2), 1e-9);
  EXPECT_LE(CalcWorstExcess(QpccKind::Planar, SlideProjection::Exact, 1'000'000, 2), 1e-9);
  EXPECT_LE(CalcWorstExcess(QpccKind::Lcp, SlideProjection::Exact, 1'000'000, 2), 1e-9);
}

}  // namespace
}  // namespace tactus
