// The surface of a shape, prepared to be held against fields.
#pragma once

#include <memory>
#include <vector>

#include "tactus/collision/triangle_surface.h"
#include "tactus/geometry/field.h"

namespace tactus {

class CollisionShape;

/// Triangles in a tree of balls, and the shape as a field itself. Immutable.
class FieldProbe {
 public:
  /// Children of an inner node are the next one and `right`; a leaf has triangles order()[first, first + count).
  struct Node {
    Vector3 centre = Vector3::Zero();
    double radius = 0;
    int right = -1;
    int first = 0;
    int count = 0;
  };

  /// `field`: of the same shape, null if there is none; then the triangles are the shape.
  FieldProbe(std::shared_ptr<const TriangleSurface> surface, FieldPointer field);

  /// Of any shape that has a surface: all but half-spaces. Curved ones are cut into pieces of a quarter of their size
  /// or 15 degrees.
  static std::unique_ptr<const FieldProbe> Make(const CollisionShape& shape);

  const TriangleSurface& surface() const { return *surface_; }
  const SignedDistanceField* field() const { return field_.get(); }
  /// How far the triangles are from the shape [m].
  double error() const { return field_ != nullptr ? field_->surface_error() : 0; }
  /// Of a ball around all.
  double radius() const { return nodes_.front().radius; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<int>& order() const { return order_; }
  /// Of a triangle.
  double longest_edge(int t) const { return longest_edge_[static_cast<std::size_t>(t)]; }

 private:
  int MakeNode(const std::vector<Vector3>& centres, int first, int count);

  std::shared_ptr<const TriangleSurface> surface_;
  FieldPointer field_;
  std::vector<Node> nodes_;
  std::vector<int> order_;
  std::vector<double> longest_edge_;
};

}  // namespace tactus
