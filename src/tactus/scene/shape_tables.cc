// Shapes: one line of the table each. Sizes are whole lengths, as one would measure them.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/geometry/convex_hull.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/geometry/fields/grid.h"
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
    keys.Default(codec.Show(ShapeInstance().*member));
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

// Makes a field, turning what its maker refuses into a message with a line. Its surface is about `area`, made of
// triangles of this edge.
template <typename Make>
void SetField(const Cursor& cursor, double area, double edge, Shape* shape, const Make& make) {
  constexpr double kMost = 1e6;
  const double triangles = 3 * area / (edge * edge);
  if (!(triangles <= kMost)) {
    cursor.Fail(fmt::format("it takes about {:.2g} triangles of edge {:g} m", triangles, edge),
                fmt::format("at most {:g}: a longer edge, or other sizes", kMost));
  }
  shape->type = ShapeType::Field;
  try {
    shape->field = make();
  } catch (const InputError& error) {
    cursor.Fail(error.what(), "sizes that make a solid");
  }
}

void MakeDish(const Cursor& cursor, const ShapeValues& v, Shape* shape) {
  const double edge = v.edge > 0 ? v.edge : v.rim_radius / 12,
               reach = std::max(v.base_radius, v.rim_radius) + v.thickness;
  SetField(cursor, 14 * reach * (reach + v.height), edge, shape, [&] {
    const DishProfile dish{Vector2(v.base_radius, 0), Vector2(v.rim_radius, v.height), v.thickness / 2};
    return MakeDishField(dish, edge);
  });
}

void MakeRevolved(const Cursor& cursor, const ShapeValues& v, Shape* shape) {
  std::vector<Vector2> profile;
  double size = 0, length = 0;
  for (const std::vector<double>& point : v.profile) {
    profile.emplace_back(point[0], point[1]);
    if (profile.size() > 1) length += (profile.back() - profile[profile.size() - 2]).norm();
    size = std::max(size, profile.back().norm());
  }
  const double edge = v.edge > 0 ? v.edge : size / 16;
  SetField(cursor, 14 * (size + v.thickness) * (length + v.thickness), edge, shape,
           [&] { return MakeRevolvedField(profile, v.thickness / 2, edge); });
}

void MakeBolt(const Cursor& cursor, const ShapeValues& v, Shape* shape) {
  const double edge = v.edge > 0 ? v.edge : 0.4 * v.pitch;
  SetField(cursor, 7 * v.diameter * (v.length + v.diameter), std::min(edge, v.pitch), shape, [&] {
    return MakeBoltField({v.diameter, v.pitch}, v.length, edge);
  });
}

void MakeNut(const Cursor& cursor, const ShapeValues& v, Shape* shape) {
  const double edge = v.edge > 0 ? v.edge : 0.4 * v.pitch;
  SetField(cursor, 7 * (v.diameter + v.across_flats) * (v.height + v.across_flats), std::min(edge, v.pitch), shape,
           [&] {
             NutSize size;
             size.height = v.height;
             size.across_flats = v.across_flats;
             size.hexagon = v.hexagon;
             size.clearance = v.clearance;
             return MakeNutField({v.diameter, v.pitch}, size, edge);
           });
}

void MakeMeshField(const Cursor& cursor, const ShapeValues& v, Shape* shape) {
  ShapeValues mesh = v;
  mesh.concave = true;
  MakeMesh(cursor, mesh, shape);
  const TriangleMesh triangles = *shape->mesh;
  GridFieldSettings settings;
  settings.cells = v.cells;
  settings.edge = v.edge;
  shape->type = ShapeType::Field;
  shape->mesh = nullptr;
  try {
    shape->field = MakeGridField(triangles, settings, v.file);
  } catch (const InputError& error) {
    cursor.Key("file").Fail(error.what(), "a closed mesh");
  }
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
      {Common("mesh_field", "A closed mesh of any form as a signed distance field: two concave ones collide, too.")
           .Add("file", &V::file, Text(), "an OBJ or STL file, relative to the scene's")
           .Required()
           .Add("scale", &V::scale, Vector(Within(-1e6, 1e6)), "of its coordinates along x, y, z")
           .Add("cells", &V::cells, Integer(4, 256), "of the grid, along the longest side; kept in the user's cache")
           .Add("edge", &V::edge, Length(), "longest edge of its triangles; else a tenth of the longest side [m]")
           .Default(""),
       MakeMeshField},
      {Common("dish", "A bowl, plate or pot: a revolved wall with round edges, open at the top, its base around z = 0.")
           .Add("base_radius", &V::base_radius, Length(), "of the flat base, to the middle of the wall [m]")
           .Required()
           .Add("rim_radius", &V::rim_radius, Length(), "of the rim, to the middle of the wall [m]")
           .Required()
           .Add("height", &V::height, Length(), "from the middle of the base to the end of the wall [m]")
           .Required()
           .Add("thickness", &V::thickness, Length(), "of base and wall [m]")
           .Required()
           .Add("edge", &V::edge, Length(), "length of the triangles that stand for it; else chosen by its size [m]")
           .Default(""),
       MakeDish},
      {Common("revolved", "A revolved wall along a polyline, with round edges: bottles, tubes.")
           .Add("profile", &V::profile, List(Numbers(Within(-kLargest, kLargest, "m"), 2, 2), 1000),
                "points [r, z] of the middle of the wall [m]")
           .Required()
           .Add("thickness", &V::thickness, Length(), "of the wall [m]")
           .Required()
           .Add("edge", &V::edge, Length(), "length of the triangles that stand for it; else chosen by its size [m]")
           .Default(""),
       MakeRevolved},
      {Common("bolt", "A rod along z with a metric thread (ISO 68-1), right-handed, the origin in its middle.")
           .Add("diameter", &V::diameter, Length(), "of the thread's crests; M48: 0.048 [m]")
           .Required()
           .Add("pitch", &V::pitch, Length(), "at most 0.3 of the diameter; M48: 0.005 [m]")
           .Required()
           .Add("length", &V::length, Length(), "[m]")
           .Required()
           .Add("edge", &V::edge, Length(), "length of the triangles that stand for it; else chosen by its size [m]")
           .Default(""),
       MakeBolt},
      {Common("nut", "The nut of such a bolt in the same pose.")
           .Add("diameter", &V::diameter, Length(), "of the bolt [m]")
           .Required()
           .Add("pitch", &V::pitch, Length(), "of the bolt [m]")
           .Required()
           .Add("height", &V::height, Length(), "along z [m]")
           .Required()
           .Add("across_flats", &V::across_flats, Length(), "of the hexagon, or the diameter of a round nut [m]")
           .Required()
           .Add("hexagon", &V::hexagon, Bool(), "false: a round nut")
           .Add("clearance", &V::clearance, Number(Within(0, 1, "m")), "from the bolt [m]")
           .Add("edge", &V::edge, Length(), "length of the triangles that stand for it; else chosen by its size [m]")
           .Default(""),
       MakeNut},
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
