#include "tactus/collision/polytope.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

namespace tactus {

namespace {

constexpr double kFlat = 1e-6;    // of the size: what is one plane
constexpr int kFewVertices = 24;  // up to which all are looked at

using Edge = std::pair<int, int>;

class FaceMerger {
 public:
  explicit FaceMerger(const TriangleMesh& hull) : hull_(hull) {
    const int count = static_cast<int>(hull.triangles.size());
    Vector3 low = hull.vertices[0], high = low;
    for (const Vector3& p : hull.vertices) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    tolerance_ = kFlat * (high - low).maxCoeff();
    for (int t = 0; t < count; ++t) {
      for (int i = 0; i < 3; ++i) owner_[{corner(t, i), corner(t, i + 1)}] = t;
      area_normals_.push_back((vertex(t, 1) - vertex(t, 0)).cross(vertex(t, 2) - vertex(t, 0)));
    }
    face_of_.assign(static_cast<std::size_t>(count), -1);
  }

  void Run(Polytope* out) {
    // The largest triangles know best where their plane is.
    std::vector<int> order(hull_.triangles.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int s, int t) {
      return area_normals_[static_cast<std::size_t>(s)].squaredNorm() >
             area_normals_[static_cast<std::size_t>(t)].squaredNorm();
    });
    for (const int seed : order) {
      if (face_of(seed) >= 0) continue;
      const int face = static_cast<int>(out->face_normals.size());
      std::vector<int> members = Grow(seed, face);
      std::vector<int> loop = Outline(members, face);
      if (loop.empty()) {  // not one simple loop: leave the triangles as they are
        for (const int t : members) face_of_[static_cast<std::size_t>(t)] = -1;
        face_of_[static_cast<std::size_t>(seed)] = face;
        loop = {corner(seed, 0), corner(seed, 1), corner(seed, 2)};
      }
      out->face_vertices.Append(loop);
      out->face_normals.push_back(Normal(seed));
    }
  }

  int face_of(int t) const { return face_of_[static_cast<std::size_t>(t)]; }

 private:
  int corner(int t, int i) const {
    return hull_.triangles[static_cast<std::size_t>(t)][static_cast<std::size_t>(i % 3)];
  }
  const Vector3& vertex(int t, int i) const { return hull_.vertices[static_cast<std::size_t>(corner(t, i))]; }
  Vector3 Normal(int t) const {
    const Vector3& n = area_normals_[static_cast<std::size_t>(t)];
    const double length = n.norm();
    return length > 0 ? Vector3(n / length) : Vector3::UnitZ();
  }

  std::vector<int> Grow(int seed, int face) {
    const Vector3 n = Normal(seed);
    std::vector<int> members{seed};
    face_of_[static_cast<std::size_t>(seed)] = face;
    for (std::size_t k = 0; k < members.size(); ++k) {
      for (int i = 0; i < 3; ++i) {
        const auto next = owner_.find({corner(members[k], i + 1), corner(members[k], i)});
        if (next == owner_.end() || face_of(next->second) >= 0) continue;
        const int t = next->second;
        double off = 0;
        for (int j = 0; j < 3; ++j) off = std::max(off, std::abs(n.dot(vertex(t, j) - vertex(seed, 0))));
        if (off > tolerance_ || n.dot(area_normals_[static_cast<std::size_t>(t)]) < 0) continue;
        face_of_[static_cast<std::size_t>(t)] = face;
        members.push_back(t);
      }
    }
    return members;
  }

  // The loop of edges between the face and others; empty if there are several.
  std::vector<int> Outline(const std::vector<int>& members, int face) const {
    std::map<int, int> next;
    for (const int t : members) {
      for (int i = 0; i < 3; ++i) {
        const auto other = owner_.find({corner(t, i + 1), corner(t, i)});
        if (other != owner_.end() && face_of(other->second) == face) continue;
        if (!next.emplace(corner(t, i), corner(t, i + 1)).second) return {};
      }
    }
    std::vector<int> loop;
    if (next.empty()) return loop;
    int at = next.begin()->first;
    do {
      loop.push_back(at);
      const auto step = next.find(at);
      if (step == next.end() || loop.size() > next.size()) return {};
      at = step->second;
    } while (at != loop[0]);
    if (loop.size() != next.size()) return {};
    return loop;
  }

  const TriangleMesh& hull_;
  double tolerance_ = 0;
  std::map<Edge, int> owner_;
  std::vector<Vector3> area_normals_;
  std::vector<int> face_of_;
};

void AppendSorted(std::vector<int>* list, IndexLists* out) {
  std::sort(list->begin(), list->end());
  list->erase(std::unique(list->begin(), list->end()), list->end());
  out->Append(*list);
}

}  // namespace

Polytope MakePolytope(const TriangleMesh& hull) {
  Polytope out;
  out.vertices = hull.vertices;
  FaceMerger merger(hull);
  merger.Run(&out);

  std::map<Edge, int> edges;
  std::vector<int> list;
  for (int f = 0; f < out.face_vertices.count(); ++f) {
    const auto loop = out.face_vertices[f];
    list.clear();
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int a = loop[i], b = loop[(i + 1) % loop.size()];
      const Edge edge{std::min(a, b), std::max(a, b)};
      list.push_back(edges.emplace(edge, static_cast<int>(edges.size())).first->second);
    }
    out.face_edges.Append(list);
  }
  out.edge_count = static_cast<int>(edges.size());

  // Faces and neighbours come from the triangles, so that a corner inside a merged face has some, too.
  const std::size_t count = hull.vertices.size();
  std::vector<std::vector<int>> faces(count), neighbours(count);
  for (std::size_t t = 0; t < hull.triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto a = static_cast<std::size_t>(hull.triangles[t][i]);
      faces[a].push_back(merger.face_of(static_cast<int>(t)));
      neighbours[a].push_back(hull.triangles[t][(i + 1) % 3]);
      neighbours[a].push_back(hull.triangles[t][(i + 2) % 3]);
    }
  }
  for (std::size_t v = 0; v < count; ++v) {
    AppendSorted(&faces[v], &out.vertex_faces);
    AppendSorted(&neighbours[v], &out.vertex_neighbours);
  }
  for (int axis = 0; axis < 3; ++axis) {
    const auto less = [axis](const Vector3& p, const Vector3& q) { return p[axis] < q[axis]; };
    const auto begin = out.vertices.begin(), end = out.vertices.end();
    out.extreme[static_cast<std::size_t>(2 * axis)] = static_cast<int>(std::min_element(begin, end, less) - begin);
    out.extreme[static_cast<std::size_t>(2 * axis + 1)] = static_cast<int>(std::max_element(begin, end, less) - begin);
  }
  return out;
}

int CalcSupportVertex(const Polytope& polytope, const Vector3& d, int start) {
  const std::vector<Vector3>& vertices = polytope.vertices;
  const int count = static_cast<int>(vertices.size());
  int best = 0;
  double best_height = d.dot(vertices[0]);
  const auto look = [&](int v) {
    const double height = d.dot(vertices[static_cast<std::size_t>(v)]);
    if (height <= best_height) return false;
    best = v;
    best_height = height;
    return true;
  };
  if (count <= kFewVertices) {
    for (int v = 1; v < count; ++v) look(v);
    return best;
  }
  if (start >= 0 && start < count) {
    look(start);
  } else {
    for (const int v : polytope.extreme) look(v);
  }
  for (bool up = true; up;) {
    up = false;
    for (const int v : polytope.vertex_neighbours[best]) up = look(v) || up;
  }
  return best;
}

}  // namespace tactus
