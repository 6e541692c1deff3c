#include "tactus/collision/surface_descent.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/core/random.h"
#include "tactus/geometry/fields/fields.h"

namespace tactus {
namespace {

// On the edge of a thread's crest.
Vector3 OnCrest(const MetricThread& thread, double angle) {
  const double r = 0.5 * thread.diameter;
  return {r * std::cos(angle), r * std::sin(angle), thread.pitch * (1.0 / 16 + angle / (2 * M_PI))};
}

// The edge is sharp and winds around the axis: steps along it leave it.
TEST(SurfaceDescent, FollowsTheEdgeOfAThread) {
  const MetricThread thread;
  const FieldPointer bolt = MakeBoltField(thread, 0.06, 4e-3);
  // A large ball that touches the edge from outside, between crest and flank.
  const double radius = 0.5;
  const FieldPointer ball = MakePlacedField(
      Pose(Matrix3::Identity(), OnCrest(thread, 0.2) + (radius + 1e-4) * Vector3(0.9, 0.2, 0.5).normalized()),
      MakeSphereField(radius, 0.1));
  double least = 1, at = 0;
  for (double step = 1e-2; step > 1e-9; step *= 0.1) {
    const double middle = at;
    for (int i = -100; i <= 100; ++i) {
      const double angle = middle + i * step, value = ball->Evaluate(OnCrest(thread, angle), nullptr);
      if (value < least) least = value, at = angle;
    }
  }
  const Pose X;
  const DescentInput in{*bolt, *ball, X, 1e-11};
  for (const double away : {-0.15, -0.05, -1e-3, 1e-3, 0.05, 0.15}) {
    for (const double radius_of_steps : {2e-3, 2e-4}) {
      const FieldSample start = CalcSample(*ball, OnCrest(thread, at + away));
      const FieldSample found = DescendOnSurface(in, start, radius_of_steps, 1e-10);
      EXPECT_NEAR(found.value, least, 1e-9) << away;
      EXPECT_LE(std::abs(bolt->Evaluate(found.p, nullptr)), 1e-11);
    }
  }
}

// So is that of its root, which does not stand out: steps across it end inside of the bolt.
TEST(SurfaceDescent, FollowsTheFloorOfAGroove) {
  const MetricThread thread;
  const FieldPointer bolt = MakeBoltField(thread, 0.06, 4e-3);
  const double root = 0.5 * thread.diameter - 0.625 * 0.5 * std::sqrt(3.0) * thread.pitch;
  const auto on_root = [&](double angle) {
    return Vector3(root * std::cos(angle), root * std::sin(angle), thread.pitch * (0.375 + angle / (2 * M_PI)));
  };
  // A ball inside of the bolt, to which no point of root or flank is as near as the edge between them.
  const double turn = 0.2;
  const Vector3 inwards(-std::cos(turn), -std::sin(turn), -0.3);
  const FieldPointer ball =
      MakePlacedField(Pose(Matrix3::Identity(), on_root(turn) + 4e-3 * inwards), MakeSphereField(1e-3, 1e-3));
  double least = 1, at = 0;
  for (double step = 1e-2; step > 1e-9; step *= 0.1) {
    const double middle = at;
    for (int i = -100; i <= 100; ++i) {
      const double angle = middle + i * step, value = ball->Evaluate(on_root(angle), nullptr);
      if (value < least) least = value, at = angle;
    }
  }
  const Pose X;
  const DescentInput in{*bolt, *ball, X, 1e-11};
  for (const double away : {-0.1, -0.03, -1e-3, 1e-3, 0.03, 0.1}) {
    for (const double radius_of_steps : {2e-3, 2e-4}) {
      const FieldSample start = CalcSample(*ball, on_root(at + away));
      const FieldSample found = DescendOnSurface(in, start, radius_of_steps, 1e-10);
      EXPECT_NEAR(found.value, least, 1e-9) << away;
    }
  }
}

// Deep inside a box the way out changes sides. Whatever the start, a sphere's deepest point is the same.
TEST(SurfaceDescent, FindsKinksOfTheField) {
  const FieldPointer box = MakeBoxField({0.5, 0.4, 0.3}, 0.1), ball = MakeSphereField(0.2, 0.1);
  const Pose X(Matrix3::Identity(), Vector3(0.25, 0.02, 0.31));
  const DescentInput in{*ball, *box, X, 1e-11};
  // Where it is as far from the top as from the side x = 0.5, as low as the ball gets.
  double least = 1;
  for (int k = 0; k < 200000; ++k) {
    const double t = 2 * M_PI * k / 200000;
    least = std::min(least, box->Evaluate(X * (0.2 * Vector3(std::sin(t), 0, -std::cos(t))), nullptr));
  }
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    // From all over the lower half.
    const double a = random.Uniform(0, 2 * M_PI), b = random.Uniform(0, 1);
    const FieldSample start =
        CalcSample(*box, X * (0.2 * Vector3(b * std::cos(a), b * std::sin(a), -std::sqrt(1 - b * b))));
    const FieldSample found = DescendOnSurface(in, start, 0.05, 1e-9);
    EXPECT_NEAR(found.value, least, 1e-7);
  }
}

}  // namespace
}  // namespace tactus
