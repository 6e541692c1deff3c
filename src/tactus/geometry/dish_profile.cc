#include "tactus/geometry/dish_profile.h"

#include <algorithm>
#include <cmath>

#include "tactus/geometry/polyline.h"

namespace tactus {

namespace {

// To the right of a profile that is walked outwards: below the base, outside of the wall.
Vector2 OuterNormal(const Vector2& from, const Vector2& to) {
  const Vector2 t = (to - from).normalized();
  return {t.y(), -t.x()};
}

}  // namespace

double CalcDishDistance(const DishProfile& dish, const Vector2& p, Vector2* gradient) {
  const Vector2 points[] = {Vector2::Zero(), dish.A, dish.B};
  return CalcPolylineDistance(points, p, gradient) - dish.d;
}

std::vector<Vector2> SampleUnderside(const DishProfile& dish, double step) {
  std::vector<Vector2> points;
  const auto add_line = [&](const Vector2& from, const Vector2& to) {
    const Vector2 offset = dish.d * OuterNormal(from, to);
    const int count = std::max(1, static_cast<int>(std::ceil((to - from).norm() / step)));
    for (int i = 0; i <= count; ++i)
      points.emplace_back(from + (to - from) * (static_cast<double>(i) / count) + offset);
  };
  add_line(Vector2::Zero(), dish.A);
  const Vector2 n0 = OuterNormal(Vector2::Zero(), dish.A), n1 = OuterNormal(dish.A, dish.B);
  const double a0 = std::atan2(n0.y(), n0.x()), a1 = std::atan2(n1.y(), n1.x());
  const int count = static_cast<int>(std::ceil(std::abs(a1 - a0) * dish.d / step));
  for (int i = 1; i < count; ++i) {
    const double a = a0 + (a1 - a0) * i / count;
    points.emplace_back(dish.A + dish.d * Vector2(std::cos(a), std::sin(a)));
  }
  add_line(dish.A, dish.B);
  return points;
}

double CalcStackHeight(const DishProfile& lower, const DishProfile& upper) {
  const std::vector<Vector2> points = SampleUnderside(upper, 1e-4);
  const auto clearance = [&](double height) {
    double smallest = CalcDishDistance(lower, points.front() + Vector2(0, height), nullptr);
    for (const Vector2& p : points)
      smallest = std::min(smallest, CalcDishDistance(lower, p + Vector2(0, height), nullptr));
    return smallest;
  };
  // Walls rise outwards, so the clearance grows with height once the profiles do not overlap.
  double low = 0, high = lower.B.y() + lower.d + 2 * upper.d;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (clearance(middle) < 0 ? low : high) = middle;
  }
  return high;
}

DishInertia CalcDishInertia(const DishProfile& dish) {
  double mass = 0, first = 0, second_r = 0, second_z = 0;
  const auto add_line = [&](const Vector2& from, const Vector2& to) {
    constexpr int kCount = 200;
    for (int i = 0; i < kCount; ++i) {
      const Vector2 p = from + (to - from) * ((i + 0.5) / kCount);
      const double area = p.x() * (to - from).norm() / kCount;
      mass += area;
      first += area * p.y();
      second_r += area * p.x() * p.x();
      second_z += area * p.y() * p.y();
    }
  };
  add_line(Vector2::Zero(), dish.A);
  add_line(dish.A, dish.B);
  DishInertia out;
  out.center = first / mass;
  out.axial = second_r / mass;
  out.transverse = 0.5 * second_r / mass + second_z / mass - out.center * out.center;
  return out;
}

}  // namespace tactus
