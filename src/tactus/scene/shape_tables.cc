// Shapes: one line of the table each. Sizes are whole lengths, as one would measure them.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/geometry/convex_hull.h"
#include "tactus/io/parse_number.h"
#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

namespace {

constexpr double kLargest = 1e6;

Codec<double> Length() { return Number({0, kLargest, true, "m"}); }
Codec<Vector3> Size() { return Vector({0, kLargest, true, "m"}); }

// The keys that all kinds have.
Keys<ShapeValues> Common(const char* type, const char* help) {
  Keys<ShapeValues> keys(std::string("shape_") + type, help, type);
  const auto add = [&keys](const char* key, auto member, const auto& codec, const char* text) {
    keys.AddRead(
        key, [member, codec](const Cursor& cursor, ShapeValues* out) { codec.read(cursor, &(out->instance.*member)); },
        codec.schema, text);
  };
  add("name", &ShapeInstance::name, Name(), "for reports; else the object's");
  add("pose", &ShapeInstance::X_LS, PoseCodec(), "on the body");
  add("material", &ShapeInstance::material, MaterialCodec(), "a name of `materials`, or its keys; else the object's");
  add("collides", &ShapeInstance::collides, Bool(), "false: for show only, and without mass");
  return keys;
}

void MakeSphere(const Cursor&, const ShapeValues& values, Shape* shape) {
  shape->type = ShapeType::Sphere;
  shape->size = Vector3(values.radius, 0, 0);
}

void MakeCapsule(const Cursor&, const ShapeValues& values, Shape* shape) {
  shape->type = ShapeType::Capsule;
  shape->size = Vector3(values.radius, values.length / 2, 0);
}

void MakeCylinder(const Cursor&, const ShapeValues& values, Shape* shape) {
  shape->type = ShapeType::Cylinder;
  shape->size = Vector3(values.radius, values.length / 2, 0);
}

void MakeBox(const Cursor&, const ShapeValues& values, Shape* shape) {
  shape->type = ShapeType::Box;
  shape->size = values.size / 2;
}

void MakeEllipsoid(const Cursor&, const ShapeValues& values, Shape* shape) {
  shape->type = ShapeType::Ellipsoid;
  shape->size = values.size / 2;
}

void MakeHalfSpace(const Cursor&, const ShapeValues&, Shape* shape) { shape->type = ShapeType::HalfSpace; }

void MakeMesh(const Cursor& cursor, const ShapeValues& values, Shape* shape) {
  const Context& context = cursor.context();
  const Cursor file = cursor.Key("file");
  shape->type = ShapeType::Mesh;
  shape->mesh_file = values.file;
  shape->concave = values.concave;
  const FileLookup lookup = context.roots->Find(values.file, context.folder);
  if (lookup.status != FileStatus::Found) {
    file.Fail(fmt::format("'{}' {}", Quote(values.file), lookup.reason), "an OBJ or STL file");
  }
  try {
    shape->mesh = context.meshes->Load(lookup.path, values.scale);
    if (!values.concave) MakeConvexHull(shape->mesh->vertices, "its convex hull");
  } catch (const InputError& error) {
    file.Fail(error.what(), "a sound mesh");
  }
}

void MakeHeightField(const Cursor& cursor, const ShapeValues& values, Shape* shape) {
  auto field = std::make_shared<HeightField>();
  const Cursor heights = cursor.Key("heights");
  field->rows = static_cast<int>(values.heights.size());
  field->columns = values.heights.empty() ? 0 : static_cast<int>(values.heights.front().size());
  if (field->rows < 2 || field->columns < 2) heights.FailValue("two rows of two numbers, or more");
  for (std::size_t r = 0; r < values.heights.size(); ++r) {
    if (values.heights[r].size() != values.heights.front().size()) {
      heights.At(r).FailValue(fmt::format("{} numbers, as in the first row", field->columns));
    }
    field->heights.insert(field->heights.end(), values.heights[r].begin(), values.heights[r].end());
  }
  field->half_x = values.size[0] / 2;
  field->half_y = values.size[1] / 2;
  shape->type = ShapeType::HeightField;
  shape->height_field = field;
}

}  // namespace

const std::vector<ShapeKind>& ShapeKinds() {
  using V = ShapeValues;
  static const std::vector<ShapeKind> kinds = {
      {Common("sphere", "A ball.").Add("radius", &V::radius, Length(), "[m]").Required(), MakeSphere},
      {Common("capsule", "A cylinder along z with two half balls at its ends.")
           .Add("radius", &V::radius, Length(), "[m]")
           .Required()
           .Add("length", &V::length, Length(), "of the cylinder, without its ends [m]")
           .Required(),
       MakeCapsule},
      {Common("cylinder", "A cylinder along z.")
           .Add("radius", &V::radius, Length(), "[m]")
           .Required()
           .Add("length", &V::length, Length(), "[m]")
           .Required(),
       MakeCylinder},
      {Common("box", "A box.").Add("size", &V::size, Size(), "whole lengths along x, y, z [m]").Required(), MakeBox},
      {Common("ellipsoid", "An ellipsoid.").Add("size", &V::size, Size(), "whole lengths along x, y, z [m]").Required(),
       MakeEllipsoid},
      {Common("half_space", "Everything below z = 0 of its pose; of fixed objects only."), MakeHalfSpace},
      {Common("plane", "The same by another name."), MakeHalfSpace},
      {Common("mesh", "A mesh out of a file; its convex hull unless `concave`.")
           .Add("file", &V::file, Text(), "an OBJ or STL file, relative to the scene's")
           .Required()
           .Add("scale", &V::scale, Vector(Within(-1e6, 1e6)), "of its coordinates along x, y, z")
           .Add("concave", &V::concave, Bool(), "true: the surface as it is"),
       MakeMesh},
      {Common("height_field", "Terrain over a rectangle about the origin; of fixed objects only.")
           .Add("size", &V::size, Size(), "whole lengths along x and y; the third is not used [m]")
           .Required()
           .Add("heights", &V::heights, List(Numbers(Within(-kLargest, kLargest, "m"), 2, 4096), 4096),
                "rows along x, the first at the least y [m]")
           .Required(),
       MakeHeightField},
  };
  return kinds;
}

Codec<ShapeInstance> ShapeCodec() {
  std::vector<std::string> types;
  std::vector<const TableInfo*> tables;
  for (const ShapeKind& kind : ShapeKinds()) {
    types.push_back(kind.keys.info().type);
    tables.push_back(&kind.keys.info());
  }
  return {[types](const Cursor& cursor, ShapeInstance* out) {
            const ShapeKind& kind = ShapeKinds()[FindKind(cursor, types)];
            ShapeValues values;
            values.instance = *out;
            kind.keys.Read(cursor, &values);
            *out = values.instance;
            kind.make(cursor, values, &out->shape);
          },
          KindSchema(tables)};
}

}  // namespace tactus::scene
