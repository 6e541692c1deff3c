#include "tactus/collision/triangle_minimum.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/collision/piece_model.h"
#include "tactus/core/random.h"

namespace tactus {
namespace {

// The same as a model of the plane, with the triangle's sides as bounds.
double LeastInPlane(const std::array<FieldSample, 3>& corners) {
  const FieldSample& x =
      *std::min_element(corners.begin(), corners.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  PieceModel model(10);
  for (const FieldSample& s : corners) {
    model.Add(LinearPiece{std::min(s.value + s.gradient.dot(x.p - s.p), x.value), s.gradient.head<2>()});
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3 from = corners[i].p - x.p, edge = corners[(i + 1) % 3].p - corners[i].p;
    const Vector2 out(edge[1], -edge[0]);
    model.Add(LinearBound{out, std::max(0.0, out.dot(from.head<2>()))});
  }
  double least = 0;
  model.FindLeast(&least);
  return least;
}

TEST(CornerPieces, LeastIsThatOfTheModelInThePlane) {
  Random random(1);
  int inside = 0;
  for (int i = 0; i < 3000; ++i) {
    std::array<FieldSample, 3> corners;
    double lowest = 1e9;
    for (std::size_t k = 0; k < 3; ++k) {
      const double a = 2 * M_PI * (static_cast<double>(k) + random.Uniform(0, 0.9)) / 3;  // counterclockwise
      corners[k].p = Vector3(std::cos(a), std::sin(a), 0);
      corners[k].value = 0.3 * random.Normal();
      corners[k].gradient = Vector3(random.Normal(), random.Normal(), 0);
      lowest = std::min(lowest, corners[k].value);
    }
    const CornerPieces pieces({&corners[0], &corners[1], &corners[2]});
    const double least = pieces.CalcLeast();
    EXPECT_NEAR(least, LeastInPlane(corners), 1e-9) << i;
    EXPECT_LE(least, lowest + 1e-14);
    EXPECT_LE(pieces.concavity(), pieces.bend());
    inside += least < lowest - 1e-6 ? 1 : 0;
  }
  EXPECT_GT(inside, 1000);
}

// |x| along a side: the corners know of each other's piece, and that their greatest is zero between them.
TEST(CornerPieces, KnowsAKink) {
  std::array<FieldSample, 3> corners;
  corners[0] = {Vector3(-1, 0, 0), 1, -Vector3::UnitX()};
  corners[1] = {Vector3(2, 0, 0), 2, Vector3::UnitX()};
  corners[2] = {Vector3(-1, 1, 0), 1, -Vector3::UnitX()};
  const CornerPieces pieces({&corners[0], &corners[1], &corners[2]});
  EXPECT_EQ(pieces.concavity(), 0);
  EXPECT_EQ(pieces.bend(), 4);
  EXPECT_NEAR(pieces.CalcLeast(), 0, 1e-15);
}

}  // namespace
}  // namespace tactus
