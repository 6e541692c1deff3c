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
// Of the error in the middle of cells: what is allowed for elsewhere. 1.2 was found to be enough.
constexpr double kBetween = 1.5;

// Weights of the four nodes around t in [0, 1], at -1, 0, 1 and 2, and their derivatives.
void CalcWeights(double t, Eigen::Vector4d* w, Eigen::Vector4d* dw) {
  const double t2 = t * t, t3 = t2 * t;
  *w << -0.5 * t3 + t2 - 0.5 * t, 1.5 * t3 - 2.5 * t2 + 1, -1.5 * t3 + 2 * t2 + 0.5 * t, 0.5 * t3 - 0.5 * t2;
  *dw << -1.5 * t2 + 2 * t - 0.5, 4.5 * t2 - 5 * t, -4.5 * t2 + 4 * t + 0.5, 1.5 * t2 - t;
}

// The polynomials need a node more on each side: the box they are used in is smaller than the nodes' by a cell.
double Interpolate(const GridTable& table, const Vector3& p, Vector3* gradient) {
  std::array<Eigen::Vector4d, 3> w, dw;
  std::size_t corner[3];
  for (int i = 0; i < 3; ++i) {
    const double x = (p[i] - table.low[i]) / table.cell;
    const double cell =
        std::clamp(std::floor(x), 1.0, static_cast<double>(table.nodes[static_cast<std::size_t>(i)] - 3));
    CalcWeights(x - cell, &w[static_cast<std::size_t>(i)], &dw[static_cast<std::size_t>(i)]);
    corner[i] = static_cast<std::size_t>(cell) - 1;
  }
  const auto stride_y = static_cast<std::size_t>(table.nodes[2]),
             stride_x = stride_y * static_cast<std::size_t>(table.nodes[1]);
  const double* start = table.values.data() + corner[0] * stride_x + corner[1] * stride_y + corner[2];
  using Row = Eigen::Map<const Eigen::Vector4d>;
  // Along y first, then x, each for four values along z at once.
  Eigen::Vector4d sum = Eigen::Vector4d::Zero(), sum_x = sum, sum_y = sum;
  for (int i = 0; i < 4; ++i, start += stride_x) {
    const Row r0(start), r1(start + stride_y), r2(start + 2 * stride_y), r3(start + 3 * stride_y);
    const Eigen::Vector4d along_y = w[1][0] * r0 + w[1][1] * r1 + w[1][2] * r2 + w[1][3] * r3;
    sum += w[0][i] * along_y;
    if (gradient == nullptr) continue;
    sum_x += dw[0][i] * along_y;
    sum_y += w[0][i] * (dw[1][0] * r0 + dw[1][1] * r1 + dw[1][2] * r2 + dw[1][3] * r3);
  }
  if (gradient != nullptr) *gradient = Vector3(w[2].dot(sum_x), w[2].dot(sum_y), dw[2].dot(sum)) / table.cell;
  return w[2].dot(sum);
}

class GridField final : public SignedDistanceField {
 public:
  GridField(GridTable table, const TriangleMesh& closed, TriangleMesh surface)
      : table_(std::move(table)), distance_(closed) {
    low_ = table_.low.array() + table_.cell;
    for (int i = 0; i < 3; ++i) {
      high_[i] = table_.low[i] + table_.cell * (table_.nodes[static_cast<std::size_t>(i)] - 2);
    }
    SetSurface(std::move(surface), 0);
    SetValueError(table_.value_error);
  }

  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    // How far inside of the polynomials' box p is, in cells, and from which side that is counted.
    int axis = 0;
    const double inside = (p - low_).cwiseMin(high_ - p).minCoeff(&axis) / table_.cell;
    if (inside >= 1) return Interpolate(table_, p, gradient);
    if (!(inside > 0)) return CalcExact(p, gradient);
    // In the last cell from one to the other, continuously differentiable: share 3 t^2 - 2 t^3 of the polynomials.
    Vector3 exact_gradient;
    const double table = Interpolate(table_, p, gradient);
    const double exact = CalcExact(p, gradient != nullptr ? &exact_gradient : nullptr);
    const double share = inside * inside * (3 - 2 * inside);
    if (gradient != nullptr) {
      *gradient = share * *gradient + (1 - share) * exact_gradient;
      const double slope = 6 * inside * (1 - inside) / table_.cell;
      (*gradient)[axis] += (p[axis] - low_[axis] < high_[axis] - p[axis] ? slope : -slope) * (table - exact);
    }
    return share * table + (1 - share) * exact;
  }

 private:
  // Out here the distance is never zero.
  double CalcExact(const Vector3& p, Vector3* gradient) const {
    const MeshDistance::Nearest nearest = distance_.Find(p);
    if (gradient != nullptr) *gradient = (p - nearest.point) / nearest.distance;
    return nearest.distance;
  }

  GridTable table_;
  MeshDistance distance_;
  Vector3 low_, high_;  // where the polynomials are
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
    // In the middle; a cell more on each side for the polynomials.
    const double cells = std::ceil((size[i] + 2 * padding) / form.cell) + 2;
    count *= cells + 1;
    Require(count <= kMostNodes, where, "the grid has more than 2e8 nodes", "larger cells");
    form.nodes[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(cells) + 1;
    form.low[i] = 0.5 * (box.low[i] + box.high[i]) - 0.5 * cells * form.cell;
  }
  return form;
}

// Calls use(point, index) along z, then y, then x, for points `shift` cells from the nodes.
template <typename Use>
void ForNodes(const GridTable& table, int first, int last, double shift, const Use& use) {
  for (int i = first; i < table.nodes[0] + last; ++i) {
    for (int j = first; j < table.nodes[1] + last; ++j) {
      for (int k = first; k < table.nodes[2] + last; ++k) {
        const Vector3 p = table.low + table.cell * Vector3(i + shift, j + shift, k + shift);
        const bool border =
            i == 0 || j == 0 || k == 0 || i == table.nodes[0] - 1 || j == table.nodes[1] - 1 || k == table.nodes[2] - 1;
        use(p, border);
      }
    }
  }
}

void Bake(const TriangleMesh& mesh, const std::string& where, GridTable* table) {
  const MeshDistance distance(mesh);
  table->values.clear();
  table->values.reserve(table->size());
  int hint = -1;  // what was nearest to the point before is near
  ForNodes(*table, 0, 0, 0, [&](const Vector3& p, bool border) {
    const MeshDistance::Nearest nearest = distance.Find(p, hint);
    hint = nearest.triangle;
    if (border) {
      Require(nearest.distance > 0, where,
              "seen from outside, triangle " + std::to_string(hint) +
                  " looks inwards, or the surface passes through itself",
              "a surface that looks outwards and does not cut itself");
    }
    table->values.push_back(nearest.distance);
  });
  double worst = 0;
  ForNodes(*table, 1, -2, 0.5, [&](const Vector3& p, bool /*border*/) {
    const MeshDistance::Nearest nearest = distance.Find(p, hint);
    hint = nearest.triangle;
    worst = std::max(worst, std::abs(Interpolate(*table, p, nullptr) - nearest.distance));
  });
  table->value_error = kBetween * worst;
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
