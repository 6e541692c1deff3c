#include "apps/cli/record_shapes.h"

#include <map>
#include <tuple>

#include "tactus/geometry/coarse_mesh.h"
#include "tactus/geometry/convex_hull.h"

namespace tactus::cli {

namespace {

constexpr int kMostTriangles = 20000;

TriangleMesh MakeTerrain(const HeightField& field) {
  TriangleMesh mesh;
  for (int r = 0; r < field.rows; ++r) {
    for (int c = 0; c < field.columns; ++c) {
      mesh.vertices.emplace_back((2.0 * c / (field.columns - 1) - 1) * field.half_x,
                                 (2.0 * r / (field.rows - 1) - 1) * field.half_y, field.height(r, c));
    }
  }
  for (int r = 0; r + 1 < field.rows; ++r) {
    for (int c = 0; c + 1 < field.columns; ++c) {
      const int a = r * field.columns + c, b = a + 1, d = a + field.columns, e = d + 1;
      mesh.triangles.push_back({a, b, e});
      mesh.triangles.push_back({a, e, d});
    }
  }
  return mesh;
}

class ShapeCollector {
 public:
  explicit ShapeCollector(const Model& model, RecordHeader* header) : model_(model), header_(*header) {
    bodies_.resize(static_cast<std::size_t>(model.num_bodies()), 0);
    for (const ModelBody& body : model.bodies()) ++bodies_[static_cast<std::size_t>(body.root)];
  }

  void Add(const ShapeInstance& instance, int link) {
    RecordShape shape;
    shape.name = instance.name;
    shape.link = link;
    shape.collides = instance.collides;
    shape.type = instance.shape.type;
    shape.size = instance.shape.size;
    shape.X_LS = instance.X_LS;
    if (!FindMesh(instance, &shape.mesh)) return;
    Classify(link, &shape);
    header_.shapes.push_back(std::move(shape));
  }

 private:
  // What is joined to something is a robot; one that stands on a link welded to the world counts as a whole.
  void Classify(int link, RecordShape* shape) const {
    shape->kind = RecordKind::Fixed;
    if (link < 0) return;
    const ModelLink& l = model_.links()[static_cast<std::size_t>(link)];
    if (l.body < 0) {
      for (const ModelLink& other : model_.links()) {
        if (other.parent != link || other.body < 0) continue;
        shape->kind = RecordKind::Robot;
        shape->group = model_.body(other.body).root;
        return;
      }
      return;
    }
    const int root = model_.body(l.body).root;
    const bool alone = bodies_[static_cast<std::size_t>(root)] == 1 && model_.body(root).nv == 6;
    shape->kind = alone ? RecordKind::Object : RecordKind::Robot;
    shape->group = root;
  }

  // False: there is nothing to draw, such as a mesh that was not read. Shapes of the same triangles share them.
  bool FindMesh(const ShapeInstance& instance, int* mesh) {
    const Shape& shape = instance.shape;
    const bool hull = shape.type == ShapeType::Mesh && instance.collides && !shape.concave;
    const void* source = nullptr;
    switch (shape.type) {
      case ShapeType::Mesh: source = shape.mesh.get(); break;
      case ShapeType::HeightField: source = shape.height_field.get(); break;
      case ShapeType::Field: source = shape.field.get(); break;
      default: return true;
    }
    if (source == nullptr) return false;
    const auto [known, fresh] = sources_.try_emplace({source, hull}, -1);
    if (fresh) {
      known->second = hull                             ? AddMesh(MakeConvexHull(shape.mesh->vertices, instance.name))
                      : shape.type == ShapeType::Mesh  ? AddMesh(*shape.mesh)
                      : shape.type == ShapeType::Field ? AddMesh(shape.field->surface())
                                                       : AddMesh(MakeTerrain(*shape.height_field));
    }
    *mesh = known->second;
    return true;
  }

  int AddMesh(const TriangleMesh& full) {
    TriangleMesh mesh = MakeCoarseMesh(full, kMostTriangles);
    mesh.parts.clear();
    // Objects that a scene repeats have fields of their own with the same triangles.
    const auto key = std::make_tuple(mesh.vertices.size(), mesh.triangles.size());
    for (auto [it, end] = by_size_.equal_range(key); it != end; ++it) {
      const TriangleMesh& other = header_.meshes[static_cast<std::size_t>(it->second)];
      if (other.vertices == mesh.vertices && other.triangles == mesh.triangles) return it->second;
    }
    const int number = static_cast<int>(header_.meshes.size());
    by_size_.emplace(key, number);
    header_.meshes.push_back(std::move(mesh));
    return number;
  }

  const Model& model_;
  RecordHeader& header_;
  std::vector<int> bodies_;  // of each tree, at its root
  std::map<std::pair<const void*, bool>, int> sources_;
  std::multimap<std::tuple<std::size_t, std::size_t>, int> by_size_;
};

}  // namespace

void AddRecordShapes(const Model& model, RecordHeader* header) {
  ShapeCollector collector(model, header);
  const ModelDescription& description = model.description();
  for (const ShapeInstance& shape : description.world_shapes) collector.Add(shape, -1);
  for (std::size_t l = 0; l < description.links.size(); ++l) {
    const int link = model.FindLink(description.links[l].name);
    for (const ShapeInstance& shape : description.links[l].shapes) collector.Add(shape, link);
  }
}

}  // namespace tactus::cli
