#include "tactus/collision/piece_model.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/core/random.h"

namespace tactus {
namespace {

struct Case {
  double radius = 1;
  std::vector<LinearPiece> pieces;
  std::vector<LinearBound> bounds;

  double Value(const Vector2& d) const {
    double most = pieces[0].value + pieces[0].slope.dot(d);
    for (const LinearPiece& p : pieces) most = std::max(most, p.value + p.slope.dot(d));
    return most;
  }
  // By how much d is outside.
  double Outside(const Vector2& d) const {
    double most = d.norm() - radius;
    for (const LinearBound& b : bounds) most = std::max(most, (b.normal.dot(d) - b.most) / b.normal.norm());
    return most;
  }
  Vector2 FindLeast(double* least) const {
    PieceModel model(radius);
    for (const LinearPiece& p : pieces) model.Add(p);
    for (const LinearBound& b : bounds) model.Add(b);
    return model.FindLeast(least);
  }
};

// Every point where lines cross each other or the circle is tried.
double LeastOfCrossings(const Case& c) {
  std::vector<LinearBound> lines = c.bounds;
  for (std::size_t i = 0; i < c.pieces.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      lines.push_back({c.pieces[i].slope - c.pieces[j].slope, c.pieces[j].value - c.pieces[i].value});
    }
  }
  double least = c.Value(Vector2::Zero());
  const auto attempt = [&](const Vector2& d) {
    if (c.Outside(d) <= 1e-12 * c.radius) least = std::min(least, c.Value(d));
  };
  for (const LinearPiece& p : c.pieces) attempt(-c.radius * p.slope.normalized());
  for (const LinearBound& line : lines) {
    const Vector2 n = line.normal.normalized(), foot = line.most / line.normal.norm() * n;
    if (foot.norm() > c.radius) continue;
    const double half = std::sqrt(c.radius * c.radius - foot.squaredNorm());
    attempt(foot + half * Vector2(-n[1], n[0]));
    attempt(foot - half * Vector2(-n[1], n[0]));
    for (const LinearBound& other : lines) {
      Eigen::Matrix2d both;
      both << line.normal.transpose(), other.normal.transpose();
      if (std::abs(both.determinant()) > 1e-12) attempt(both.inverse() * Vector2(line.most, other.most));
    }
  }
  return least;
}

TEST(PieceModel, LeastIsThatOfAllCrossings) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    Case c;
    c.radius = std::pow(10, random.Uniform(-6, 0));
    const int pieces = 1 + random.Index(PieceModel::kMostPieces), bounds = random.Index(PieceModel::kMostBounds + 1);
    for (int k = 0; k < pieces; ++k) {
      c.pieces.push_back({-c.radius * random.Uniform(), Vector2(random.Normal(), random.Normal())});
    }
    for (int k = 0; k < bounds; ++k) {
      c.bounds.push_back(
          {Vector2(random.Normal(), random.Normal()), c.radius * std::max(0.0, random.Uniform(-0.5, 1))});
    }
    double least = 0;
    const Vector2 d = c.FindLeast(&least);
    EXPECT_LE(c.Outside(d), 1e-9 * c.radius);
    EXPECT_NEAR(least, c.Value(d), 1e-12 * c.radius);
    EXPECT_NEAR(least, LeastOfCrossings(c), 1e-8 * c.radius) << i;
  }
}

TEST(PieceModel, PiecesAndBoundsThatAreTheSame) {
  double least = 0;
  const LinearPiece falling{0, Vector2(1, 0)};
  const Case twice{2, {falling, falling, falling}, {}};
  EXPECT_EQ(twice.FindLeast(&least), Vector2(-2, 0));
  EXPECT_EQ(least, -2);
  // Only a line is left.
  const Case line{2, {{0, Vector2(1, 0.5)}}, {{Vector2(1, 0), 0}, {Vector2(-1, 0), 0}}};
  EXPECT_LE((line.FindLeast(&least) - Vector2(0, -2)).norm(), 1e-12);
  EXPECT_NEAR(least, -1, 1e-12);
  const Case flat{2, {{3, Vector2::Zero()}}, {}};
  EXPECT_TRUE(flat.FindLeast(&least).allFinite());
  EXPECT_EQ(least, 3);
}

}  // namespace
}  // namespace tactus
