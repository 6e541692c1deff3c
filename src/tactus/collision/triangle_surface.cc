#include "tactus/collision/triangle_surface.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "tactus/core/error.h"
#include "tactus/geometry/convex_hull.h"

namespace tactus {

namespace {

constexpr int kLeafSize = 4;
// Sine of the angle by which a neighbour must fall off for an edge to be sharp.
constexpr double kSharp = 1e-3;

}  // namespace

TriangleSurface TriangleSurface::FromMesh(const TriangleMesh& mesh, const std::string& where) {
  Require(!mesh.triangles.empty(), where, "the mesh has no triangles", "at least one");
  TriangleSurface surface;
  surface.vertices_ = mesh.vertices;
  const int count = static_cast<int>(mesh.vertices.size());
  for (const Vector3& p : mesh.vertices) Require(p.allFinite(), where, "a vertex is not finite", "finite coordinates");
  std::map<std::pair<int, int>, int> half_edges;
  for (const auto& corners : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      Require(corners[i] >= 0 && corners[i] < count, where, "a triangle names a vertex that is not there",
              "numbers from 0 to the number of vertices");
      ++half_edges[{corners[i], corners[(i + 1) % 3]}];
    }
    surface.triangles_.push_back({corners, {}, {}, Vector3::Zero()});
  }
  bool closed = true;
  for (const auto& [edge, uses] : half_edges) {
    const auto back = half_edges.find({edge.second, edge.first});
    closed = closed && uses == 1 && back != half_edges.end() && back->second == 1;
  }
  surface.one_sided_ = closed && CalcVolume(mesh) > 0;
  surface.Connect();
  surface.MakeTree();
  return surface;
}

TriangleSurface TriangleSurface::FromHeightField(const HeightField& field, const std::string& where) {
  Require(field.rows >= 2 && field.columns >= 2, where, "the height field has no cell", "two rows and columns or more");
  Require(field.heights.size() == static_cast<std::size_t>(field.rows) * static_cast<std::size_t>(field.columns), where,
          "the number of heights is not rows x columns", "one for each");
  Require(field.half_x > 0 && field.half_y > 0 && std::isfinite(field.half_x) && std::isfinite(field.half_y), where,
          "the height field has no extent", "positive half lengths");
  TriangleSurface surface;
  for (int r = 0; r < field.rows; ++r) {
    for (int c = 0; c < field.columns; ++c) {
      const double height = field.height(r, c);
      Require(std::isfinite(height), where, "a height is not finite", "finite heights");
      surface.vertices_.emplace_back((2.0 * c / (field.columns - 1) - 1) * field.half_x,
                                     (2.0 * r / (field.rows - 1) - 1) * field.half_y, height);
    }
  }
  for (int r = 0; r + 1 < field.rows; ++r) {
    for (int c = 0; c + 1 < field.columns; ++c) {
      const int v = r * field.columns + c, above = v + field.columns;
      surface.triangles_.push_back({{v, v + 1, above + 1}, {}, {}, Vector3::Zero()});
      surface.triangles_.push_back({{v, above + 1, above}, {}, {}, Vector3::Zero()});
    }
  }
  surface.one_sided_ = true;
  surface.Connect();
  surface.MakeTree();
  return surface;
}

void TriangleSurface::Connect() {
  struct EdgeUse {
    int number = 0;
    std::vector<int> thirds;
  };
  std::map<std::pair<int, int>, EdgeUse> edges;
  const std::size_t vertex_count = vertices_.size();
  std::vector<std::vector<int>> neighbours(vertex_count);
  for (Triangle& t : triangles_) {
    const Vector3& origin = vertex(t.vertex[0]);
    const Vector3 area = (vertex(t.vertex[1]) - origin).cross(vertex(t.vertex[2]) - origin);
    const double length = area.norm();
    t.normal = length > 0 ? Vector3(area / length) : Vector3::Zero();
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = t.vertex[i], b = t.vertex[(i + 1) % 3], c = t.vertex[(i + 2) % 3];
      EdgeUse& use = edges[{std::min(a, b), std::max(a, b)}];
      if (use.thirds.empty()) use.number = static_cast<int>(edges.size()) - 1;
      use.thirds.push_back(c);
      t.edge[i] = use.number;
      neighbours[static_cast<std::size_t>(a)].push_back(b);
      neighbours[static_cast<std::size_t>(a)].push_back(c);
    }
  }
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    vertex_neighbours_.Append(list);
  }
  sharp_edge_.assign(edges.size(), false);
  sharp_vertex_.assign(vertex_count, false);
  for (Triangle& t : triangles_) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = t.vertex[i], b = t.vertex[(i + 1) % 3], c = t.vertex[(i + 2) % 3];
      const EdgeUse& use = edges[{std::min(a, b), std::max(a, b)}];
      if (use.thirds.size() == 2) {
        t.opposite[i] = use.thirds[0] == c ? use.thirds[1] : use.thirds[0];
      } else {
        t.opposite[i] = use.thirds.size() == 1 ? -1 : -2;
      }
      bool sharp = t.opposite[i] < 0;
      if (!sharp) {
        const Vector3 across = vertex(t.opposite[i]) - vertex(a);
        const double fall = t.normal.dot(across);
        // From a sheet's other side dents bulge.
        sharp = (one_sided_ ? -fall : std::abs(fall)) > kSharp * across.norm();
      }
      if (!sharp) continue;
      sharp_edge_[static_cast<std::size_t>(t.edge[i])] = true;
      sharp_vertex_[static_cast<std::size_t>(a)] = true;
      sharp_vertex_[static_cast<std::size_t>(b)] = true;
    }
  }
}

void TriangleSurface::MakeTree() {
  std::vector<Aabb> boxes(triangles_.size());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    for (const int v : triangles_[t].vertex) boxes[t].Extend(vertex(v));
    box_.Extend(boxes[t]);
  }
  order_.resize(triangles_.size());
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.reserve(2 * triangles_.size());
  MakeNode(boxes, 0, static_cast<int>(triangles_.size()));
}

// Splits at the median along the longest axis.
int TriangleSurface::MakeNode(const std::vector<Aabb>& boxes, int first, int count) {
  const int node = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  Aabb box;
  for (int i = first; i < first + count; ++i) {
    box.Extend(boxes[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])]);
  }
  nodes_.back().box = box;
  if (count <= kLeafSize) {
    nodes_.back().first = first;
    nodes_.back().count = count;
    return node;
  }
  int axis = 0;
  (box.high - box.low).maxCoeff(&axis);
  const auto centre = [&](int t) {
    const Aabb& b = boxes[static_cast<std::size_t>(t)];
    return b.low[axis] + b.high[axis];
  };
  const auto begin = order_.begin() + first;
  std::nth_element(begin, begin + count / 2, begin + count,
                   [&](int s, int t) { return centre(s) < centre(t) || (centre(s) == centre(t) && s < t); });
  MakeNode(boxes, first, count / 2);
  const int right = MakeNode(boxes, first + count / 2, count - count / 2);
  nodes_[static_cast<std::size_t>(node)].right = right;
  return node;
}

void TriangleSurface::Find(const Aabb& box, std::vector<int>* stack, std::vector<int>* out) const {
  out->clear();
  stack->assign(1, 0);
  while (!stack->empty()) {
    const int k = stack->back();
    stack->pop_back();
    const Node& node = nodes_[static_cast<std::size_t>(k)];
    if (!node.box.Overlaps(box)) continue;
    if (node.right >= 0) {
      stack->push_back(k + 1);
      stack->push_back(node.right);
      continue;
    }
    for (int i = node.first; i < node.first + node.count; ++i) out->push_back(order_[static_cast<std::size_t>(i)]);
  }
  std::sort(out->begin(), out->end());
}

}  // namespace tactus
