#include "tactus/record/record_geometry.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"

namespace tactus {

namespace {

constexpr ShapeType kShapeTypes[] = {ShapeType::Sphere, ShapeType::Capsule,     ShapeType::Cylinder,
                                     ShapeType::Box,    ShapeType::Ellipsoid,   ShapeType::HalfSpace,
                                     ShapeType::Mesh,   ShapeType::HeightField, ShapeType::Field};
constexpr int kMostVertices = 100000000;                        // or segments, of all deformables
constexpr const char* kKinds[] = {"fixed", "object", "robot"};  // by RecordKind

RecordArray MakeReals(const char* path, std::size_t width, std::vector<double> values) {
  RecordArray out;
  out.path = path;
  out.rows = values.size() / width;
  out.width = width;
  out.reals = std::move(values);
  return out;
}

RecordArray MakeIntegers(const char* path, std::size_t width, std::vector<std::int32_t> values) {
  RecordArray out;
  out.path = path;
  out.rows = values.size() / width;
  out.width = width;
  out.integers = std::move(values);
  return out;
}

RecordArray MakeTexts(const char* path, std::vector<std::string> values) {
  RecordArray out;
  out.path = path;
  out.rows = values.size();
  out.texts = std::move(values);
  return out;
}

bool IsMesh(ShapeType type) {
  return type == ShapeType::Mesh || type == ShapeType::HeightField || type == ShapeType::Field;
}

void CheckTriangles(const std::vector<std::array<int, 3>>& triangles, std::size_t vertices, const std::string& where) {
  for (const auto& triangle : triangles) {
    for (const int v : triangle) {
      Require(v >= 0 && static_cast<std::size_t>(v) < vertices, where, fmt::format("a triangle has the vertex {}", v),
              fmt::format("from 0 to {}", static_cast<std::int64_t>(vertices) - 1));
    }
  }
}

void AppendShapes(const RecordHeader& header, std::vector<RecordArray>* out) {
  std::vector<std::string> names, types, kinds;
  std::vector<std::int32_t> link, group, collides, mesh;
  std::vector<double> size, pose;
  for (const RecordShape& shape : header.shapes) {
    names.push_back(shape.name);
    types.emplace_back(ToString(shape.type));
    kinds.emplace_back(kKinds[static_cast<std::size_t>(shape.kind)]);
    link.push_back(shape.link);
    group.push_back(shape.group);
    collides.push_back(shape.collides ? 1 : 0);
    mesh.push_back(shape.mesh);
    size.insert(size.end(), shape.size.begin(), shape.size.end());
    const Quaternion q(shape.X_LS.R);
    pose.insert(pose.end(), shape.X_LS.p.begin(), shape.X_LS.p.end());
    pose.insert(pose.end(), {q.w(), q.x(), q.y(), q.z()});
  }
  out->push_back(MakeTexts("/shapes/name", std::move(names)));
  out->push_back(MakeTexts("/shapes/type", std::move(types)));
  out->push_back(MakeTexts("/shapes/kind", std::move(kinds)));
  out->push_back(MakeIntegers("/shapes/link", 1, std::move(link)));
  out->push_back(MakeIntegers("/shapes/group", 1, std::move(group)));
  out->push_back(MakeIntegers("/shapes/collides", 1, std::move(collides)));
  out->push_back(MakeIntegers("/shapes/mesh", 1, std::move(mesh)));
  out->push_back(MakeReals("/shapes/size", 3, std::move(size)));
  out->push_back(MakeReals("/shapes/pose", kRecordPoseSize, std::move(pose)));
}

// All meshes one after the other, with where each begins.
void AppendMeshes(const RecordHeader& header, std::vector<RecordArray>* out) {
  std::vector<double> vertices;
  std::vector<std::int32_t> triangles, vertex_start = {0}, triangle_start = {0};
  for (const TriangleMesh& mesh : header.meshes) {
    for (const Vector3& v : mesh.vertices) vertices.insert(vertices.end(), v.begin(), v.end());
    for (const auto& t : mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    vertex_start.push_back(static_cast<std::int32_t>(vertices.size() / 3));
    triangle_start.push_back(static_cast<std::int32_t>(triangles.size() / 3));
  }
  out->push_back(MakeIntegers("/meshes/vertex_start", 1, std::move(vertex_start)));
  out->push_back(MakeIntegers("/meshes/triangle_start", 1, std::move(triangle_start)));
  out->push_back(MakeReals("/meshes/vertices", 3, std::move(vertices)));
  out->push_back(MakeIntegers("/meshes/triangles", 3, std::move(triangles)));
}

void AppendDeformables(const RecordHeader& header, std::vector<RecordArray>* out) {
  std::vector<std::string> names;
  std::vector<std::int32_t> vertices, triangles, nodes, start = {0};
  for (const RecordDeformable& deformable : header.deformables) {
    for (int v = 0; v < deformable.vertices; ++v) {
      nodes.push_back(deformable.nodes.empty() ? v : deformable.nodes[static_cast<std::size_t>(v)]);
    }
    names.push_back(deformable.name);
    vertices.push_back(deformable.vertices);
    for (const auto& t : deformable.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    start.push_back(static_cast<std::int32_t>(triangles.size() / 3));
  }
  out->push_back(MakeTexts("/deformables/name", std::move(names)));
  out->push_back(MakeIntegers("/deformables/vertices", 1, std::move(vertices)));
  out->push_back(MakeIntegers("/deformables/triangle_start", 1, std::move(start)));
  out->push_back(MakeIntegers("/deformables/triangles", 3, std::move(triangles)));
  out->push_back(MakeIntegers("/deformables/node", 1, std::move(nodes)));
  out->push_back(MakeIntegers("/deformables/stressed", 1, {header.stress ? 1 : 0}));
}

void AppendRods(const RecordHeader& header, std::vector<RecordArray>* out) {
  std::vector<std::string> names;
  std::vector<std::int32_t> segments;
  std::vector<double> radius, spacing;
  for (const RecordRod& rod : header.rods) {
    names.push_back(rod.name);
    segments.push_back(rod.segments);
    radius.push_back(rod.radius);
    spacing.push_back(rod.spacing);
  }
  out->push_back(MakeTexts("/rods/name", std::move(names)));
  out->push_back(MakeIntegers("/rods/segments", 1, std::move(segments)));
  out->push_back(MakeReals("/rods/radius", 1, std::move(radius)));
  out->push_back(MakeReals("/rods/spacing", 1, std::move(spacing)));
}

/// Reads tables of which nothing is trusted.
class GeometryReader {
 public:
  GeometryReader(const Hdf5Tree& tree, RecordHeader* header) : tree_(tree), header_(*header) {}

  void ReadShapes() {
    const std::vector<std::string>& names = Texts("/shapes/name");
    const auto count = static_cast<std::int64_t>(names.size());
    const std::vector<std::string>&types = Texts("/shapes/type", count), &kinds = Texts("/shapes/kind", count);
    const std::vector<int> link = tree_.Integers("/shapes/link", count, -1),
                           mesh = tree_.Integers("/shapes/mesh", count, -1),
                           group = tree_.Integers("/shapes/group", count),
                           collides = tree_.Integers("/shapes/collides", count, 0, 1);
    const VectorX size = tree_.Reals("/shapes/size", 3 * count),
                  pose = tree_.Reals("/shapes/pose", kRecordPoseSize * count);
    for (std::size_t i = 0; i < names.size(); ++i) {
      RecordShape shape;
      shape.name = names[i];
      shape.link = link[i];
      shape.mesh = mesh[i];
      shape.group = group[i];
      shape.collides = collides[i] != 0;
      shape.type = FindType(types[i]);
      const auto kind = std::find(std::begin(kKinds), std::end(kKinds), kinds[i]);
      if (kind == std::end(kKinds))
        tree_.Fail("/shapes/kind", "'" + kinds[i] + "' is not known", "fixed, object or robot");
      shape.kind = static_cast<RecordKind>(kind - std::begin(kKinds));
      const auto k = static_cast<Eigen::Index>(i);
      shape.size = size.segment<3>(3 * k);
      const auto row = pose.segment<kRecordPoseSize>(kRecordPoseSize * k);
      const Quaternion q(row[3], row[4], row[5], row[6]);
      if (!(std::abs(q.norm() - 1) < 1e-3)) tree_.Fail("/shapes/pose", "has a quaternion of another length", "1");
      shape.X_LS = Pose(q.normalized().toRotationMatrix(), row.head<3>());
      header_.shapes.push_back(std::move(shape));
    }
  }

  void ReadMeshes() {
    const std::vector<int> vertex_start = Starts("/meshes/vertex_start"),
                           triangle_start = Starts("/meshes/triangle_start");
    if (vertex_start.size() != triangle_start.size()) {
      tree_.Fail("/meshes/triangle_start", "has another length than vertex_start", "one more than meshes");
    }
    const VectorX vertices = tree_.Reals("/meshes/vertices", 3 * static_cast<std::int64_t>(vertex_start.back()));
    const auto triangles = Triangles("/meshes/triangles", triangle_start.back());
    for (std::size_t m = 0; m + 1 < vertex_start.size(); ++m) {
      TriangleMesh mesh;
      for (int v = vertex_start[m]; v < vertex_start[m + 1]; ++v)
        mesh.vertices.emplace_back(vertices.segment<3>(3 * v));
      mesh.triangles.assign(triangles.begin() + triangle_start[m], triangles.begin() + triangle_start[m + 1]);
      header_.meshes.push_back(std::move(mesh));
    }
  }

  void ReadDeformables(bool numbered) {
    const std::vector<std::string>& names = Texts("/deformables/name");
    const std::vector<int> vertices =
        tree_.Integers("/deformables/vertices", static_cast<std::int64_t>(names.size()), 0, kMostVertices);
    const std::vector<int> start = Starts("/deformables/triangle_start");
    if (start.size() != names.size() + 1) {
      tree_.Fail("/deformables/triangle_start", "does not fit the names", "one more than deformables");
    }
    const auto triangles = Triangles("/deformables/triangles", start.back());
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < names.size(); ++d) {
      sum += vertices[d];
      if (sum > kMostVertices)
        tree_.Fail("/deformables/vertices", "adds up to too many", fmt::format("{}", kMostVertices));
      RecordDeformable deformable{names[d], vertices[d], {}, {}};
      deformable.triangles.assign(triangles.begin() + start[d], triangles.begin() + start[d + 1]);
      header_.deformables.push_back(std::move(deformable));
    }
    if (!numbered) return;
    const std::vector<int> nodes = tree_.Integers("/deformables/node", sum);
    auto next = nodes.begin();
    for (RecordDeformable& deformable : header_.deformables) {
      deformable.nodes.assign(next, next + deformable.vertices);
      next += deformable.vertices;
    }
    header_.stress = tree_.Integers("/deformables/stressed", 1, 0, 1)[0] != 0;
  }

  void ReadRods() {
    const std::vector<std::string>& names = Texts("/rods/name");
    const auto count = static_cast<std::int64_t>(names.size());
    const std::vector<int> segments = tree_.Integers("/rods/segments", count, 0, kMostVertices);
    const VectorX radius = tree_.Reals("/rods/radius", count), spacing = tree_.Reals("/rods/spacing", count);
    std::int64_t sum = 0;
    for (std::size_t r = 0; r < names.size(); ++r) {
      sum += segments[r];
      if (sum > kMostVertices) tree_.Fail("/rods/segments", "adds up to too many", fmt::format("{}", kMostVertices));
      const auto k = static_cast<Eigen::Index>(r);
      header_.rods.push_back({names[r], segments[r], radius[k], spacing[k]});
    }
  }

 private:
  const std::vector<std::string>& Texts(const char* path, std::int64_t count = -1) const {
    const Hdf5Array& array = tree_.At(path);
    if (array.type != Hdf5Array::Type::Text) tree_.Fail(path, "holds no texts", "names");
    if (count >= 0 && static_cast<std::int64_t>(array.texts.size()) != count) {
      tree_.Fail(path, fmt::format("has {} entries", array.texts.size()), fmt::format("{}", count));
    }
    return array.texts;
  }
  // Increasing, from 0.
  std::vector<int> Starts(const char* path) const {
    std::vector<int> out = tree_.Integers(path, Hdf5Tree::kAnyCount);
    if (out.empty() || out[0] != 0 || !std::is_sorted(out.begin(), out.end())) {
      tree_.Fail(path, "does not increase from 0", "where each begins, and the end");
    }
    return out;
  }
  std::vector<std::array<int, 3>> Triangles(const char* path, int count) const {
    const std::vector<int> flat = tree_.Integers(path, 3 * static_cast<std::int64_t>(count));
    std::vector<std::array<int, 3>> out(static_cast<std::size_t>(count));
    for (std::size_t t = 0; t < out.size(); ++t) out[t] = {flat[3 * t], flat[3 * t + 1], flat[3 * t + 2]};
    return out;
  }
  ShapeType FindType(const std::string& name) const {
    for (const ShapeType type : kShapeTypes) {
      if (name == ToString(type)) return type;
    }
    tree_.Fail("/shapes/type", "'" + name + "' is not known", "a type of shapes, such as box");
  }

  const Hdf5Tree& tree_;
  RecordHeader& header_;
};

}  // namespace

void CheckGeometry(const RecordHeader& header, const std::string& where) {
  const auto links = static_cast<int>(header.links.size()), meshes = static_cast<int>(header.meshes.size());
  for (const RecordShape& shape : header.shapes) {
    const std::string which = where + ": shape '" + shape.name + "'";
    Require(shape.link >= -1 && shape.link < links, which, fmt::format("is on the link {}", shape.link),
            fmt::format("from -1 to {}", links - 1));
    const bool has_mesh = shape.mesh >= 0 && shape.mesh < meshes;
    Require(has_mesh || (shape.mesh == -1 && !IsMesh(shape.type)), which, fmt::format("has the mesh {}", shape.mesh),
            fmt::format("one of {} meshes, or -1 for shapes without triangles", meshes));
    Require(shape.group >= 0, which, fmt::format("has the group {}", shape.group), "0 or more");
    Require(shape.size.allFinite() && shape.X_LS.p.allFinite() && shape.X_LS.R.allFinite(), which,
            "has numbers that are not finite", "finite sizes and poses");
  }
  for (const TriangleMesh& mesh : header.meshes)
    CheckTriangles(mesh.triangles, mesh.vertices.size(), where + ": a mesh");
  for (const RecordDeformable& d : header.deformables) {
    Require(d.vertices >= 0, where, fmt::format("deformable '{}' has {} vertices", d.name, d.vertices), "0 or more");
    const std::string which = where + ": deformable '" + d.name + "'";
    CheckTriangles(d.triangles, static_cast<std::size_t>(d.vertices), which);
    Require(d.nodes.empty() || d.nodes.size() == static_cast<std::size_t>(d.vertices), which,
            fmt::format("has {} numbers of nodes", d.nodes.size()), fmt::format("{}, or none", d.vertices));
  }
  for (const RecordRod& rod : header.rods) {
    Require(rod.segments >= 0 && std::isfinite(rod.radius) && rod.radius > 0 && std::isfinite(rod.spacing) &&
                rod.spacing > 0,
            where + ": rod '" + rod.name + "'",
            fmt::format("has {} segments, {} m long, of radius {} m", rod.segments, rod.spacing, rod.radius),
            "0 or more, lengths > 0");
  }
}

std::vector<RecordArray> FlattenGeometry(const RecordHeader& header) {
  std::vector<RecordArray> out;
  AppendShapes(header, &out);
  AppendMeshes(header, &out);
  AppendDeformables(header, &out);
  AppendRods(header, &out);
  return out;
}

void ReadGeometry(const Hdf5Tree& tree, int version, RecordHeader* header) {
  GeometryReader reader(tree, header);
  reader.ReadShapes();
  reader.ReadMeshes();
  reader.ReadDeformables(version >= 3);
  if (version >= 3) reader.ReadRods();
  CheckGeometry(*header, tree.file);
}

}  // namespace tactus
