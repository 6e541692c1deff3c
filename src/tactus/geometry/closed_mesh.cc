#include "tactus/geometry/closed_mesh.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include "tactus/core/error.h"
#include "tactus/geometry/convex_hull.h"

namespace tactus {

namespace {

using Triangle = std::array<int, 3>;

const Vector3& At(const TriangleMesh& mesh, int v) { return mesh.vertices[static_cast<std::size_t>(v)]; }

// A triangle's use of an edge; `low` < `high`.
struct EdgeUse {
  int low, high;
  int triangle;
  bool forward;  // from low to high

  bool SameEdge(const EdgeUse& other) const { return low == other.low && high == other.high; }
};

std::vector<EdgeUse> SortedEdges(const TriangleMesh& mesh) {
  std::vector<EdgeUse> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int from = mesh.triangles[t][i], to = mesh.triangles[t][(i + 1) % 3];
      edges.push_back({std::min(from, to), std::max(from, to), static_cast<int>(t), from < to});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const EdgeUse& e, const EdgeUse& f) {
    return std::pair(e.low, e.high) != std::pair(f.low, f.high) ? std::pair(e.low, e.high) < std::pair(f.low, f.high)
                                                                : e.triangle < f.triangle;
  });
  return edges;
}

bool HasOpenEdge(const TriangleMesh& mesh) {
  const std::vector<EdgeUse> edges = SortedEdges(mesh);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const bool before = i > 0 && edges[i - 1].SameEdge(edges[i]);
    const bool after = i + 1 < edges.size() && edges[i + 1].SameEdge(edges[i]);
    if (!before && !after) return true;
  }
  return false;
}

std::string Place(const Vector3& p) {
  std::ostringstream out;
  out << "(" << p[0] << ", " << p[1] << ", " << p[2] << ")";
  return out.str();
}

// `uses`: all uses of one edge; "" if they are as they should be.
std::string DescribeFault(const TriangleMesh& mesh, const EdgeUse* uses, std::size_t count) {
  if (count == 2 && uses[0].forward != uses[1].forward) return "";
  std::ostringstream out;
  out << "the edge from " << Place(At(mesh, uses[0].low)) << " to " << Place(At(mesh, uses[0].high));
  if (count == 1) {
    out << " belongs to triangle " << uses[0].triangle << " only: the surface is open";
  } else if (count == 2) {
    out << " is run through in the same direction by triangles " << uses[0].triangle << " and " << uses[1].triangle
        << ": one of them is turned over";
  } else {
    out << " belongs to " << count << " triangles:";
    for (std::size_t k = 0; k < std::min<std::size_t>(count, 6); ++k) out << " " << uses[k].triangle;
    if (count > 6) out << " ...";
  }
  return out.str();
}

void RequireGoodEdges(const TriangleMesh& mesh, const std::string& where) {
  const std::vector<EdgeUse> edges = SortedEdges(mesh);
  for (std::size_t first = 0; first < edges.size();) {
    std::size_t last = first;
    while (last < edges.size() && edges[last].SameEdge(edges[first])) ++last;
    const std::string fault = DescribeFault(mesh, &edges[first], last - first);
    Require(fault.empty(), where, fault, "two triangles at each edge, in opposite directions");
    first = last;
  }
}

// With good edges the triangles at a vertex form rings; there must be one only.
void RequireOneRing(const TriangleMesh& mesh, const std::string& where) {
  std::vector<int> triangles_at(mesh.vertices.size(), 0);
  std::map<std::pair<int, int>, int> after;  // (vertex, next corner of a triangle) -> its third
  std::vector<int> start(mesh.vertices.size(), -1);
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      ++triangles_at[static_cast<std::size_t>(t[i])];
      after[{t[i], t[(i + 1) % 3]}] = t[(i + 2) % 3];
      start[static_cast<std::size_t>(t[i])] = t[(i + 1) % 3];
    }
  }
  for (std::size_t v = 0; v < start.size(); ++v) {
    if (start[v] < 0) continue;
    int length = 0, w = start[v];
    do {
      w = after.at({static_cast<int>(v), w});
      ++length;
    } while (w != start[v]);
    Require(length == triangles_at[v], where,
            "at " + Place(mesh.vertices[v]) + " (vertex " + std::to_string(v) +
                ") parts of the surface meet in a point only",
            "triangles around each vertex that hang together");
  }
}

TriangleMesh WithoutCollapsed(TriangleMesh mesh) {
  std::erase_if(mesh.triangles, [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  return mesh;
}

TriangleMesh Welded(const TriangleMesh& mesh) {
  const auto less = [&](int v, int w) {
    const Vector3 &p = At(mesh, v), &q = At(mesh, w);
    return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3);
  };
  std::vector<int> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), less);
  std::vector<int> same(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool again = i > 0 && !less(order[i - 1], order[i]);
    same[static_cast<std::size_t>(order[i])] = again ? same[static_cast<std::size_t>(order[i - 1])] : order[i];
  }
  TriangleMesh out{mesh.vertices, mesh.triangles, {}};
  for (Triangle& t : out.triangles) {
    for (int& v : t) v = same[static_cast<std::size_t>(v)];
  }
  return WithoutCollapsed(std::move(out));
}

// Vertices that no triangle names would only enlarge boxes.
TriangleMesh WithoutUnused(const TriangleMesh& mesh) {
  std::vector<int> number(mesh.vertices.size(), -1);
  TriangleMesh out;
  for (Triangle t : mesh.triangles) {
    for (int& v : t) {
      int& renamed = number[static_cast<std::size_t>(v)];
      if (renamed < 0) {
        renamed = static_cast<int>(out.vertices.size());
        out.vertices.push_back(At(mesh, v));
      }
      v = renamed;
    }
    out.triangles.push_back(t);
  }
  return out;
}

void RequireArea(const TriangleMesh& mesh, const std::string& where) {
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle& t = mesh.triangles[i];
    const Vector3 u = At(mesh, t[1]) - At(mesh, t[0]), v = At(mesh, t[2]) - At(mesh, t[0]);
    Require(u.cross(v).norm() > 1e-14 * std::max(u.squaredNorm(), v.squaredNorm()), where,
            "triangle " + std::to_string(i) + " at " + Place(At(mesh, t[0])) + " has no area", "triangles with area");
  }
}

}  // namespace

TriangleMesh MakeClosedMesh(const TriangleMesh& mesh, const std::string& where) {
  Require(!mesh.triangles.empty(), where, "the mesh has no triangles", "a closed surface");
  for (const Vector3& p : mesh.vertices) Require(p.allFinite(), where, "a vertex is not finite", "finite coordinates");
  const int count = static_cast<int>(mesh.vertices.size());
  for (const Triangle& t : mesh.triangles) {
    for (const int v : t) {
      Require(v >= 0 && v < count, where, "a triangle names a vertex that is not there",
              "numbers from 0 to the number of vertices");
    }
  }
  TriangleMesh out = WithoutCollapsed({mesh.vertices, mesh.triangles, {}});
  if (HasOpenEdge(out)) out = Welded(out);
  Require(!out.triangles.empty(), where, "no triangle of the mesh has an area", "a closed surface");
  RequireGoodEdges(out, where);
  RequireOneRing(out, where);
  RequireArea(out, where);
  const double volume = CalcVolume(out);
  std::ostringstream said;
  said << "the triangles look inwards: the volume is " << volume << " m^3";
  Require(volume > 0, where, said.str(), "corners counterclockwise seen from outside");
  return WithoutUnused(out);
}

TriangleMesh RefineMesh(const TriangleMesh& mesh, double edge) {
  Require(edge > 0, "RefineMesh", "the length of edges is not positive", "edge > 0");
  TriangleMesh out{mesh.vertices, mesh.triangles, {}};
  std::vector<Triangle> finer;
  for (bool changed = true; changed;) {
    changed = false;
    finer.clear();
    std::map<std::pair<int, int>, int> middles;  // -1: short enough
    const auto middle = [&](int v, int w) {
      const auto [entry, is_new] = middles.try_emplace({std::min(v, w), std::max(v, w)}, -1);
      if (is_new && (At(out, v) - At(out, w)).norm() > edge) {
        entry->second = static_cast<int>(out.vertices.size());
        out.vertices.push_back(0.5 * (At(out, v) + At(out, w)));
      }
      return entry->second;
    };
    for (const Triangle& t : out.triangles) {
      // All its long edges are halved; the cuts start from the middle of the longest, which keeps angles wide.
      std::size_t longest = 0;
      double most = -1;
      std::array<int, 3> cut{};
      for (std::size_t i = 0; i < 3; ++i) {
        const double length = (At(out, t[i]) - At(out, t[(i + 1) % 3])).norm();
        cut[i] = middle(t[i], t[(i + 1) % 3]);
        if (length > most) {
          most = length;
          longest = i;
        }
      }
      const int a = t[longest], b = t[(longest + 1) % 3], c = t[(longest + 2) % 3];
      const int ab = cut[longest], bc = cut[(longest + 1) % 3], ca = cut[(longest + 2) % 3];
      if (ab < 0) {
        finer.push_back(t);
        continue;
      }
      changed = true;
      if (ca < 0) {
        finer.push_back({a, ab, c});
      } else {
        finer.push_back({a, ab, ca});
        finer.push_back({ca, ab, c});
      }
      if (bc < 0) {
        finer.push_back({ab, b, c});
      } else {
        finer.push_back({ab, b, bc});
        finer.push_back({ab, bc, c});
      }
    }
    out.triangles = finer;
  }
  return out;
}

}  // namespace tactus
