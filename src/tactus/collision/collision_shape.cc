#include "tactus/collision/collision_shape.h"

#include <cmath>
#include <limits>

#include "tactus/core/error.h"
#include "tactus/geometry/convex_hull.h"

namespace tactus {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Corners of the hull; all points if they span no volume.
std::vector<Vector3> HullPoints(const std::vector<Vector3>& points, const std::string& where) {
  try {
    return MakeConvexHull(points, where).vertices;
  } catch (const InputError&) {
    return points;
  }
}

// Everything below the plane; bounded along an axis only if that is where it looks.
Aabb HalfSpaceBox(const Pose& X) {
  Aabb box{Vector3::Constant(-kInfinity), Vector3::Constant(kInfinity)};
  const Vector3 n = X.R.col(2);
  for (int axis = 0; axis < 3; ++axis) {
    if (n[axis] == 1) box.high[axis] = X.p[axis];
    if (n[axis] == -1) box.low[axis] = X.p[axis];
  }
  return box;
}

}  // namespace

std::shared_ptr<const CollisionShape> CollisionShape::Make(const Shape& shape, const std::string& where) {
  std::shared_ptr<CollisionShape> out(new CollisionShape);
  const Vector3& size = shape.size;
  Require(size.allFinite() && size.minCoeff() >= 0, where, "a size is negative or not finite", "sizes >= 0");
  out->corners_only_ = shape.corners_only;
  ConvexCore& core = out->core_;
  switch (shape.type) {
    case ShapeType::Sphere:
      out->kind_ = CollisionKind::Sphere;
      core = {.kind = CoreKind::Point, .radius = size[0]};
      break;
    case ShapeType::Capsule:
      out->kind_ = CollisionKind::Capsule;
      core = {.kind = CoreKind::Segment, .radius = size[0], .size = Vector3(0, 0, size[1])};
      break;
    case ShapeType::Cylinder:
      out->kind_ = CollisionKind::Cylinder;
      core = {.kind = CoreKind::Cylinder, .size = Vector3(size[0], size[0], size[1])};
      break;
    case ShapeType::Box:
      out->kind_ = CollisionKind::Box;
      core = {.kind = CoreKind::Box, .size = size};
      break;
    case ShapeType::Ellipsoid:
      out->kind_ = CollisionKind::Ellipsoid;
      core = {.kind = CoreKind::Ellipsoid, .size = size};
      break;
    case ShapeType::HalfSpace: out->kind_ = CollisionKind::HalfSpace; break;
    case ShapeType::Mesh: out->SetMesh(shape, where); return out;
    case ShapeType::HeightField:
      Require(shape.height_field != nullptr, where, "the height field has no heights", "a grid of heights");
      out->kind_ = CollisionKind::Surface;
      out->surface_ =
          std::make_shared<const TriangleSurface>(TriangleSurface::FromHeightField(*shape.height_field, where));
      out->hull_points_ = HullPoints(out->surface_->vertices(), where);
      break;
    case ShapeType::Field: out->SetField(shape, where); return out;
  }
  if (out->surface_) {
    const Aabb& box = out->surface_->box();
    out->centre_ = 0.5 * (box.low + box.high);
    out->half_ = 0.5 * (box.high - box.low);
  }
  return out;
}

void CollisionShape::SetMesh(const Shape& shape, const std::string& where) {
  Require(shape.mesh != nullptr, where, "the mesh is missing", "a mesh");
  Aabb box;
  if (shape.concave) {
    kind_ = CollisionKind::Surface;
    surface_ = std::make_shared<const TriangleSurface>(TriangleSurface::FromMesh(*shape.mesh, where));
    hull_points_ = HullPoints(surface_->vertices(), where);
    box = surface_->box();
  } else {
    kind_ = CollisionKind::ConvexMesh;
    polytope_ = std::make_unique<Polytope>(MakePolytope(MakeConvexHull(shape.mesh->vertices, where)));
    hull_points_ = polytope_->vertices;
    for (const Vector3& p : hull_points_) box.Extend(p);
    core_ = {.kind = CoreKind::Polytope,
             .size = box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs()),
             .polytope = polytope_.get()};
  }
  centre_ = 0.5 * (box.low + box.high);
  half_ = 0.5 * (box.high - box.low);
}

void CollisionShape::SetField(const Shape& shape, const std::string& where) {
  Require(shape.field != nullptr, where, "the field is missing", "a field");
  Require(!shape.field->surface().triangles.empty(), where, "the field is nowhere zero", "a solid with a surface");
  kind_ = CollisionKind::Field;
  field_ = shape.field;
  hull_points_ = HullPoints(field_->surface().vertices, where);
  centre_ = 0.5 * (field_->box().low + field_->box().high);
  half_ = 0.5 * (field_->box().high - field_->box().low);
}

const FieldProbe& CollisionShape::probe() const {
  std::call_once(probe_once_, [this] { probe_ = FieldProbe::Make(*this); });
  return *probe_;
}

Aabb CollisionShape::CalcBox(const Pose& X) const {
  const Matrix3& R = X.R;
  Vector3 half = Vector3::Zero();
  Vector3 centre = X.p;
  switch (kind_) {
    case CollisionKind::Sphere:
    case CollisionKind::Capsule: half = R.col(2).cwiseAbs() * core_.size[2]; break;
    case CollisionKind::Box: half = R.cwiseAbs() * core_.size; break;
    case CollisionKind::Cylinder:
      for (int i = 0; i < 3; ++i) {
        half[i] = std::hypot(R(i, 0), R(i, 1)) * core_.size[0] + std::abs(R(i, 2)) * core_.size[2];
      }
      break;
    case CollisionKind::Ellipsoid:
      for (int i = 0; i < 3; ++i) half[i] = R.row(i).transpose().cwiseProduct(core_.size).norm();
      break;
    case CollisionKind::ConvexMesh:
    case CollisionKind::Surface:
    case CollisionKind::Field:
      half = R.cwiseAbs() * half_;
      centre = X * centre_;
      break;
    case CollisionKind::HalfSpace: return HalfSpaceBox(X);
  }
  half.array() += core_.radius;
  return {centre - half, centre + half};
}

}  // namespace tactus
