#include "tactus/collision/field_probe.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tactus/collision/collision_shape.h"
#include "tactus/geometry/fields/fields.h"

namespace tactus {

namespace {

constexpr int kLeafSize = 6;

// Shapes may be flat or points; fields may not.
Vector3 Thickened(const Vector3& size) { return size.cwiseMax(std::max(1e-6 * size.maxCoeff(), 1e-12)); }

TriangleMesh HullMesh(const Polytope& polytope) {
  TriangleMesh mesh;
  mesh.vertices = polytope.vertices;
  for (int f = 0; f < polytope.face_vertices.count(); ++f) {
    const auto face = polytope.face_vertices[f];
    for (std::size_t i = 2; i < face.size(); ++i) mesh.triangles.push_back({face[0], face[i - 1], face[i]});
  }
  return mesh;
}

FieldPointer MakeOwnField(const CollisionShape& shape) {
  const ConvexCore& core = shape.core();
  const Vector3 size = Thickened(core.size);
  const double turn = 2 * M_PI / 24;
  switch (shape.kind()) {
    case CollisionKind::Field: return shape.field();
    case CollisionKind::Box: return MakeBoxField(size, 0.5 * size.maxCoeff());
    case CollisionKind::Cylinder: return MakeCylinderField(size[0], size[2], std::max(turn * size[0], 0.25 * size[2]));
    case CollisionKind::Ellipsoid: return MakeEllipsoidField(size, turn * size.maxCoeff());
    case CollisionKind::ConvexMesh: return MakeConvexField(HullMesh(*core.polytope));
    default: return nullptr;
  }
}

}  // namespace

FieldProbe::FieldProbe(std::shared_ptr<const TriangleSurface> surface, FieldPointer field)
    : surface_(std::move(surface)), field_(std::move(field)) {
  std::vector<Vector3> centres;
  for (const TriangleSurface::Triangle& t : surface_->triangles()) {
    const Vector3 &p = surface_->vertex(t.vertex[0]), &q = surface_->vertex(t.vertex[1]),
                  &r = surface_->vertex(t.vertex[2]);
    centres.push_back((p + q + r) / 3);
    longest_edge_.push_back(std::max({(p - q).norm(), (q - r).norm(), (r - p).norm()}));
  }
  order_.resize(centres.size());
  std::iota(order_.begin(), order_.end(), 0);
  MakeNode(centres, 0, static_cast<int>(order_.size()));
}

std::unique_ptr<const FieldProbe> FieldProbe::Make(const CollisionShape& shape) {
  if (shape.kind() == CollisionKind::Surface) return std::make_unique<FieldProbe>(shape.shared_surface(), nullptr);
  FieldPointer field = MakeOwnField(shape);
  auto surface = std::make_shared<const TriangleSurface>(TriangleSurface::FromMesh(field->surface(), "field"));
  return std::make_unique<FieldProbe>(std::move(surface), std::move(field));
}

// Split at the median along the longest axis, like TriangleSurface's.
int FieldProbe::MakeNode(const std::vector<Vector3>& centres, int first, int count) {
  const int number = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  const auto begin = order_.begin() + first, end = begin + count;
  Aabb box;
  const auto for_corners = [&](const auto& use) {
    for (auto t = begin; t != end; ++t) {
      for (const int v : surface_->triangle(*t).vertex) use(surface_->vertex(v));
    }
  };
  for_corners([&](const Vector3& p) { box.Extend(p); });
  Node node;
  node.centre = 0.5 * (box.low + box.high);
  for_corners([&](const Vector3& p) { node.radius = std::max(node.radius, (p - node.centre).norm()); });
  if (count <= kLeafSize) {
    node.first = first;
    node.count = count;
  } else {
    int axis = 0;
    (box.high - box.low).maxCoeff(&axis);
    std::nth_element(begin, begin + count / 2, end, [&](int s, int t) {
      const double a = centres[static_cast<std::size_t>(s)][axis], b = centres[static_cast<std::size_t>(t)][axis];
      return a < b || (a == b && s < t);
    });
    MakeNode(centres, first, count / 2);
    node.right = MakeNode(centres, first + count / 2, count - count / 2);
  }
  nodes_[static_cast<std::size_t>(number)] = node;
  return number;
}

}  // namespace tactus
