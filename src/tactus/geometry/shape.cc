#include "tactus/geometry/shape.h"

namespace tactus {

const char* ToString(ShapeType type) {
  switch (type) {
    case ShapeType::Sphere: return "sphere";
    case ShapeType::Capsule: return "capsule";
    case ShapeType::Cylinder: return "cylinder";
    case ShapeType::Box: return "box";
    case ShapeType::Ellipsoid: return "ellipsoid";
    case ShapeType::HalfSpace: return "half-space";
    case ShapeType::Mesh: return "mesh";
    case ShapeType::HeightField: return "height field";
    case ShapeType::Field: return "field";
  }
  return "?";
}

}  // namespace tactus
