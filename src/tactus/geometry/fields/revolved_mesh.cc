#include "tactus/geometry/fields/revolved_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tactus {

namespace {

constexpr double kArcStep = std::numbers::pi / 8;
constexpr int kLeastSegments = 12;

}  // namespace

void OutlineBuilder::Add(const Vector2& p) {
  if (points_.empty() || (points_.back() - p).norm() > 1e-9 * edge_) points_.push_back(p);
}

void OutlineBuilder::AddLine(const Vector2& from, const Vector2& to) {
  const int count = std::max(1, static_cast<int>(std::ceil((to - from).norm() / edge_ - 1e-9)));
  for (int i = 0; i <= count; ++i)
    Add(i == count ? to : Vector2(from + (to - from) * (static_cast<double>(i) / count)));
}

void OutlineBuilder::AddArc(const Vector2& centre, double radius, double from, double to) {
  const double angle = std::abs(to - from);
  const int count = std::max(1, static_cast<int>(std::ceil(std::max(angle / kArcStep, angle * radius / edge_) - 1e-9)));
  for (int i = 0; i <= count; ++i) {
    const double a = from + (to - from) * (static_cast<double>(i) / count);
    Vector2 p = centre + radius * Vector2(std::cos(a), std::sin(a));
    if (std::abs(p.x()) < 1e-12 * radius) p.x() = 0;
    Add(p);
  }
  error_ = std::max(error_, radius * (1 - std::cos(0.5 * angle / count)));
}

RevolvedMesh MakeRevolvedMesh(const std::vector<Vector2>& outline, double edge) {
  double radius = 0;
  for (const Vector2& p : outline) radius = std::max(radius, p.x());
  constexpr double kTurn = 2 * std::numbers::pi;
  const int segments = std::max(kLeastSegments, static_cast<int>(std::ceil(kTurn * radius / edge - 1e-9)));
  RevolvedMesh out;
  out.error = radius * (1 - std::cos(0.5 * kTurn / segments));
  std::vector<int> first;  // vertex of each ring
  for (const Vector2& p : outline) {
    first.push_back(static_cast<int>(out.mesh.vertices.size()));
    const int count = p.x() > 0 ? segments : 1;
    for (int j = 0; j < count; ++j) {
      const double a = kTurn * j / segments;
      out.mesh.vertices.emplace_back(p.x() * std::cos(a), p.x() * std::sin(a), p.y());
    }
  }
  const std::size_t rings = outline.size();
  const bool closed = outline.back().x() > 0;
  const auto vertex = [&](std::size_t ring, int j) {
    return outline[ring].x() > 0 ? first[ring] + j % segments : first[ring];
  };
  for (std::size_t k = 0; k < (closed ? rings : rings - 1); ++k) {
    const std::size_t next = (k + 1) % rings;
    for (int j = 0; j < segments; ++j) {
      const int a = vertex(k, j), b = vertex(k, j + 1), c = vertex(next, j + 1), d = vertex(next, j);
      if (a != b) out.mesh.triangles.push_back({a, b, c});
      if (c != d) out.mesh.triangles.push_back({a, c, d});
    }
  }
  return out;
}

}  // namespace tactus
