// Triangles of surfaces of revolution.
#pragma once

#include <vector>

#include "tactus/core/types.h"
#include "tactus/geometry/mesh.h"

namespace tactus {

/// Appends points to an outline in the (r, z) half plane, at most `edge` apart; the first point of what is added is
/// left out if the outline ends there.
class OutlineBuilder {
 public:
  explicit OutlineBuilder(double edge) : edge_(edge) {}

  void AddLine(const Vector2& from, const Vector2& to);
  /// Directions as angles from +r towards +z; in steps of at most 22.5 degrees.
  void AddArc(const Vector2& centre, double radius, double from, double to);

  const std::vector<Vector2>& points() const { return points_; }
  /// Greatest distance of its chords from the arcs added.
  double error() const { return error_; }

 private:
  void Add(const Vector2& p);

  double edge_;
  double error_ = 0;
  std::vector<Vector2> points_;
};

struct RevolvedMesh {
  TriangleMesh mesh;
  double error = 0;  ///< of its chords around the axis
};

/// Revolves an outline about z. Walking along it, the solid is to the left. Points with r = 0 are on the axis; if the
/// last point is not, the outline is closed.
RevolvedMesh MakeRevolvedMesh(const std::vector<Vector2>& outline, double edge);

}  // namespace tactus
