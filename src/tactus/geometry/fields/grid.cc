#include "tactus/geometry/fields/grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tactus/core/error.h"
#include "tactus/geometry/closed_mesh.h"
#include "tactus/geometry/fields/grid_cache.h"
#include "tactus/geometry/mesh_distance.h"

namespace tactus {

namespace {

constexpr int kLeastPadding = 2;  // cells
constexpr double kMostNodes = 2e8;
class GridField final : public SignedDistanceField {
 public:
  GridField(GridTable table, const TriangleMesh& closed, TriangleMesh surface)
      : table_(std::move(table)), distance_(closed) {
    SetSurface(std::move(surface), 0);
    near_ = 1e-10 * (box().high - box().low).norm();
  }

  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    const MeshDistance::Nearest nearest = distance_.Find(p, FindNear(p));
    if (gradient != nullptr) {
      // Next to the surface only its normal knows the direction.
      const bool normal = nearest.on_face || std::abs(nearest.distance) <= near_;
      *gradient = normal ? nearest.normal.normalized() : Vector3((p - nearest.point) / nearest.distance);
    }
    return nearest.distance;
  }

 private:
  // The triangle next to the next node: if it is not the nearest here, that one is hardly nearer.
  int FindNear(const Vector3& p) const {
    std::size_t index = 0;
    for (int i = 0; i < 3; ++i) {
      const auto nodes = table_.nodes[static_cast<std::size_t>(i)];
      const double x =
          std::clamp(std::round((p[i] - table_.low[i]) / table_.cell), 0.0, static_cast<double>(nodes - 1));
      index = index * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(x);
    }
    return table_.triangles[index];
  }

  GridTable table_;
  MeshDistance distance_;
  double near_ = 0;
};

// Where nodes will be.
GridTable MakeForm(const Aabb& box, const GridFieldSettings& settings, const std::string& where) {
  const Vector3 size = box.high - box.low;
  Require(settings.cell >= 0 && settings.padding >= 0 && settings.edge >= 0 && settings.cell < 1e300 &&
              settings.padding < 1e300 && settings.edge < 1e300,
          where, "a length of the grid is negative or not finite", "lengths >= 0");
  Require(settings.cell > 0 || (settings.cells >= 4 && settings.cells <= 1024), where,
          std::to_string(settings.cells) + " cells along the longest side", "4 to 1024");
  GridTable form;
  form.cell = settings.cell > 0 ? settings.cell : size.maxCoeff() / settings.cells;
  const double padding = std::max(settings.padding, kLeastPadding * form.cell);
  double count = 1;
  for (int i = 0; i < 3; ++i) {
    // In the middle, with a cell more on each side.
    const double cells = std::ceil((size[i] + 2 * padding) / form.cell) + 2;
    count *= cells + 1;
    Require(count <= kMostNodes, where, "the grid has more than 2e8 nodes", "larger cells");
    form.nodes[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(cells) + 1;
    form.low[i] = 0.5 * (box.low[i] + box.high[i]) - 0.5 * cells * form.cell;
  }
  return form;
}

// Calls use(point, on the border) along z, then y, then x.
template <typename Use>
void ForNodes(const GridTable& table, const Use& use) {
  for (int i = 0; i < table.nodes[0]; ++i) {
    for (int j = 0; j < table.nodes[1]; ++j) {
      for (int k = 0; k < table.nodes[2]; ++k) {
        const Vector3 p = table.low + table.cell * Vector3(i, j, k);
        const bool border =
            i == 0 || j == 0 || k == 0 || i == table.nodes[0] - 1 || j == table.nodes[1] - 1 || k == table.nodes[2] - 1;
        use(p, border);
      }
    }
  }
}

void Bake(const TriangleMesh& mesh, const std::string& where, GridTable* table) {
  const MeshDistance distance(mesh);
  table->triangles.clear();
  table->triangles.reserve(table->size());
  int hint = -1;  // what was nearest to the point before is near
  ForNodes(*table, [&](const Vector3& p, bool border) {
    const MeshDistance::Nearest nearest = distance.Find(p, hint);
    hint = nearest.triangle;
    if (border) {
      Require(nearest.distance > 0, where,
              "seen from outside, triangle " + std::to_string(hint) +
                  " looks inwards, or the surface passes through itself",
              "a surface that looks outwards and does not cut itself");
    }
    table->triangles.push_back(hint);
  });
}

void FillFromCache(const TriangleMesh& mesh, const GridFieldSettings& settings, const std::string& where,
                   GridTable* table, GridFieldReport* report) {
  const std::string folder = settings.folder.empty() ? DefaultCacheFolder() : settings.folder;
  if (folder.empty()) {
    report->warning = where + ": no cache, as neither XDG_CACHE_HOME nor HOME is set";
    Bake(mesh, where, table);
    return;
  }
  const GridKey key = CalcGridKey(mesh, *table);
  report->file = GridFileName(folder, key);
  std::string why;
  const GridFileState state = ReadGridFile(report->file, key, table, &why);
  report->from_cache = state == GridFileState::Read;
  if (report->from_cache) return;
  if (state == GridFileState::Useless) report->warning = where + ": " + report->file + " is made anew, as " + why;
  Bake(mesh, where, table);
  const std::string failure = WriteGridFile(report->file, key, *table);
  if (!failure.empty()) {
    report->warning +=
        (report->warning.empty() ? where + ": " : "; ") + "the table is not kept in " + folder + ", as " + failure;
  }
}

double CalcSurfaceValue(const SignedDistanceField& field) {
  double most = 0;
  const auto& vertices = field.surface().vertices;
  for (const Vector3& p : vertices) most = std::max(most, std::abs(field.Evaluate(p, nullptr)));
  for (const auto& t : field.surface().triangles) {
    Vector3 centre = Vector3::Zero();
    for (const int v : t) centre += vertices[static_cast<std::size_t>(v)] / 3;
    most = std::max(most, std::abs(field.Evaluate(centre, nullptr)));
  }
  return most;
}

}  // namespace

FieldPointer MakeGridField(const TriangleMesh& mesh, const GridFieldSettings& settings, const std::string& where,
                           GridFieldReport* report) {
  const TriangleMesh closed = MakeClosedMesh(mesh, where);
  Aabb box;
  for (const Vector3& p : closed.vertices) box.Extend(p);
  GridTable table = MakeForm(box, settings, where);
  table.triangle_count = static_cast<int>(closed.triangles.size());
  GridFieldReport said;
  said.cell = table.cell;
  for (int i = 0; i < 3; ++i) said.cells[i] = table.nodes[static_cast<std::size_t>(i)] - 1;
  if (settings.cached) {
    FillFromCache(closed, settings, where, &table, &said);
  } else {
    Bake(closed, where, &table);
  }
  const double edge = settings.edge > 0 ? settings.edge : 0.1 * (box.high - box.low).maxCoeff();
  auto field = std::make_shared<const GridField>(std::move(table), closed, RefineMesh(closed, edge));
  if (report != nullptr) {
    said.surface_value = CalcSurfaceValue(*field);
    *report = std::move(said);
  }
  return field;
}

}  // namespace tactus
