#include "tactus/deformable/mesh/tet_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "tactus/core/error.h"

namespace tactus {

namespace {

// Corners of the four faces, counterclockwise seen from outside.
constexpr int kFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

const Vector3& Node(const TetMesh& mesh, int i) { return mesh.nodes[static_cast<std::size_t>(i)]; }

// A face of an element, its corners sorted, so that the same faces are neighbours after sorting.
struct Face {
  std::array<int, 3> key;
  int tet, side;
  bool operator<(const Face& other) const {
    return key != other.key ? key < other.key : std::pair(tet, side) < std::pair(other.tet, other.side);
  }
};

std::vector<Face> SortedFaces(const TetMesh& mesh) {
  std::vector<Face> faces;
  faces.reserve(4 * mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (int side = 0; side < 4; ++side) {
      Face face{{}, static_cast<int>(t), side};
      for (std::size_t k = 0; k < 3; ++k) face.key[k] = mesh.tets[t][static_cast<std::size_t>(kFaces[side][k])];
      std::sort(face.key.begin(), face.key.end());
      faces.push_back(face);
    }
  }
  std::sort(faces.begin(), faces.end());
  return faces;
}

// Below this the mass of an element vanishes beside its stiffness, and A is no longer positive definite.
constexpr double kLeastEdge = 1e-7;
// Elements below it are planes up to rounding: A of a single one cannot be factorized at 1e-8.
constexpr double kLeastQuality = 1e-6;

double CalcLongestEdge(const TetMesh& mesh, std::size_t tet) {
  double longest = 0;
  for (const int i : mesh.tets[tet]) {
    for (const int j : mesh.tets[tet]) longest = std::max(longest, (Node(mesh, i) - Node(mesh, j)).norm());
  }
  return longest;
}

void CheckShape(const TetMesh& mesh, std::size_t tet, const std::string& where) {
  const double longest = CalcLongestEdge(mesh, tet);
  Require(longest >= kLeastEdge, where, fmt::format("element {} is {:.2g} m long", tet, longest),
          fmt::format("{:g} m or more; coordinates are in metres", kLeastEdge));
  const double quality = CalcTetQuality(mesh, tet);
  Require(quality > 0, where, fmt::format("element {} has no volume", tet), "four nodes that are not in one plane");
  Require(quality >= kLeastQuality, where, fmt::format("element {} is flat: its quality is {:.2g}", tet, quality),
          fmt::format("three times the inner radius over the outer one >= {:g}", kLeastQuality));
}

void CheckNodes(const TetMesh& mesh, const std::string& where) {
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    Require(mesh.nodes[i].allFinite(), where, fmt::format("node {} is not finite", i), "finite coordinates");
  }
  std::vector<int> order(mesh.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto less = [&](int i, int j) {
    const Vector3 &a = Node(mesh, i), &b = Node(mesh, j);
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  std::stable_sort(order.begin(), order.end(), less);
  for (std::size_t k = 1; k < order.size(); ++k) {
    Require(Node(mesh, order[k]) != Node(mesh, order[k - 1]), where,
            fmt::format("nodes {} and {} are at the same place", order[k - 1], order[k]), "one node a place");
  }
}

void CheckIndices(const TetMesh& mesh, const std::string& where) {
  const int count = static_cast<int>(mesh.nodes.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (const int i : mesh.tets[t]) {
      Require(i >= 0 && i < count, where, fmt::format("element {} has node {}", t, i),
              fmt::format("nodes 0 to {}", count - 1));
    }
  }
}

void CheckVolumes(const TetMesh& mesh, const std::string& where) {
  std::size_t inverted = 0, first = 0;
  for (std::size_t t = mesh.tets.size(); t-- > 0;) {
    const double volume = CalcTetVolume(mesh, t);
    CheckShape(mesh, t, where);
    if (volume < 0) {
      ++inverted;
      first = t;
    }
  }
  Require(inverted < mesh.tets.size(), where, "all elements are inverted",
          "(x1 - x0) x (x2 - x0) . (x3 - x0) > 0; swap two nodes of each, as FixOrientation does");
  Require(inverted == 0, where, fmt::format("element {} is inverted, one of {}", first, inverted),
          "(x1 - x0) x (x2 - x0) . (x3 - x0) > 0");
}

bool HaveSameNodes(std::array<int, 4> a, std::array<int, 4> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

// Whether the corners of a face, as its element lists them, are an even permutation of the sorted ones.
bool IsEven(const TetMesh& mesh, const Face& face) {
  const std::array<int, 4>& tet = mesh.tets[static_cast<std::size_t>(face.tet)];
  const int* corner = kFaces[face.side];
  const auto at = [&](int k) { return tet[static_cast<std::size_t>(corner[k])]; };
  return ((at(0) > at(1)) + (at(0) > at(2)) + (at(1) > at(2))) % 2 == 0;
}

// Two elements on the same side of a face overlap: seen from outside they would list its corners in opposite senses.
// An element that is there twice has no surface of its own, and its neighbours none where they touch it.
void CheckFaces(const TetMesh& mesh, const std::string& where) {
  const std::vector<Face> faces = SortedFaces(mesh);
  for (std::size_t k = 1; k < faces.size(); ++k) {
    const auto shares = [&](std::size_t back) { return k >= back && faces[k].key == faces[k - back].key; };
    for (std::size_t back = 1; back <= 2 && shares(back); ++back) {
      const int tet = faces[k].tet, other = faces[k - back].tet;
      Require(!HaveSameNodes(mesh.tets[static_cast<std::size_t>(tet)], mesh.tets[static_cast<std::size_t>(other)]),
              where, fmt::format("element {} repeats {}", tet, other),
              "each once; Gmsh 2.2 writes one copy for each physical group, use msh 4.1 or one group");
    }
    Require(!shares(2), where,
            fmt::format("elements {}, {} and {} share the face of nodes {}, {} and {}", faces[k - 2].tet,
                        faces[k - 1].tet, faces[k].tet, faces[k].key[0], faces[k].key[1], faces[k].key[2]),
            "at most two elements on a face");
    Require(!shares(1) || IsEven(mesh, faces[k]) != IsEven(mesh, faces[k - 1]), where,
            fmt::format("elements {} and {} overlap: they are on the same side of the face of nodes {}, {} and {}",
                        faces[k - 1].tet, faces[k].tet, faces[k].key[0], faces[k].key[1], faces[k].key[2]),
            "one on each side");
  }
}

// Union-find over nodes; each element joins its four.
void CheckConnected(const TetMesh& mesh, const std::string& where) {
  std::vector<int> root(mesh.nodes.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[static_cast<std::size_t>(i)] != i) {
      int& up = root[static_cast<std::size_t>(i)];
      up = root[static_cast<std::size_t>(up)];
      i = up;
    }
    return i;
  };
  std::vector<bool> used(mesh.nodes.size(), false);
  for (const std::array<int, 4>& tet : mesh.tets) {
    for (const int i : tet) {
      used[static_cast<std::size_t>(i)] = true;
      root[static_cast<std::size_t>(find(i))] = find(tet[0]);
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    Require(used[i], where, fmt::format("node {} belongs to no element", i), "nodes that elements use");
  }
  const int first = find(mesh.tets[0][0]);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    Require(find(mesh.tets[t][0]) == first, where, fmt::format("elements 0 and {} are in pieces that do not touch", t),
            "one piece; make each a body of its own");
  }
}

}  // namespace

double CalcTetVolume(const TetMesh& mesh, std::size_t tet) {
  const std::array<int, 4>& n = mesh.tets[tet];
  const Vector3& x0 = Node(mesh, n[0]);
  return (Node(mesh, n[1]) - x0).cross(Node(mesh, n[2]) - x0).dot(Node(mesh, n[3]) - x0) / 6;
}

double CalcVolume(const TetMesh& mesh) {
  double volume = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) volume += CalcTetVolume(mesh, t);
  return volume;
}

double CalcTetQuality(const TetMesh& mesh, std::size_t tet) {
  const std::array<int, 4>& n = mesh.tets[tet];
  const Vector3 a = Node(mesh, n[1]) - Node(mesh, n[0]), b = Node(mesh, n[2]) - Node(mesh, n[0]),
                c = Node(mesh, n[3]) - Node(mesh, n[0]);
  const double six_volumes = std::abs(a.cross(b).dot(c));
  const double area = 0.5 * (a.cross(b).norm() + b.cross(c).norm() + c.cross(a).norm() + (b - a).cross(c - a).norm());
  const double circum =
      (a.squaredNorm() * b.cross(c) + b.squaredNorm() * c.cross(a) + c.squaredNorm() * a.cross(b)).norm();
  // r = 3 V / area, R = circum / (12 V).
  return six_volumes > 0 ? six_volumes * six_volumes * 3 / (area * circum) : 0.0;
}

std::vector<std::array<int, 3>> CalcSurface(const TetMesh& mesh) {
  std::vector<Face> faces = SortedFaces(mesh), open;
  for (std::size_t k = 0; k < faces.size();) {
    std::size_t end = k + 1;
    while (end < faces.size() && faces[end].key == faces[k].key) ++end;
    if (end == k + 1) open.push_back(faces[k]);
    k = end;
  }
  std::sort(open.begin(), open.end(),
            [](const Face& a, const Face& b) { return std::pair(a.tet, a.side) < std::pair(b.tet, b.side); });
  std::vector<std::array<int, 3>> triangles;
  triangles.reserve(open.size());
  for (const Face& face : open) {
    const std::array<int, 4>& n = mesh.tets[static_cast<std::size_t>(face.tet)];
    const int* corner = kFaces[face.side];
    triangles.push_back({n[static_cast<std::size_t>(corner[0])], n[static_cast<std::size_t>(corner[1])],
                         n[static_cast<std::size_t>(corner[2])]});
  }
  return triangles;
}

std::vector<int> CalcNodesOf(const std::vector<std::array<int, 3>>& triangles) {
  std::vector<int> nodes;
  nodes.reserve(3 * triangles.size());
  for (const std::array<int, 3>& triangle : triangles) nodes.insert(nodes.end(), triangle.begin(), triangle.end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

int FixOrientation(TetMesh* mesh) {
  int fixed = 0;
  for (std::size_t t = 0; t < mesh->tets.size(); ++t) {
    if (CalcTetVolume(*mesh, t) >= 0) continue;
    std::swap(mesh->tets[t][2], mesh->tets[t][3]);
    ++fixed;
  }
  return fixed;
}

void CheckTetMesh(const TetMesh& mesh, const std::string& where) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  Require(!mesh.nodes.empty() && !mesh.tets.empty(), where,
          fmt::format("{} nodes and {} elements", mesh.nodes.size(), mesh.tets.size()), "at least one tetrahedron");
  // Dofs are counted by an int, three a node; so are the corners of elements.
  Require(mesh.nodes.size() <= kMost / 3 && mesh.tets.size() <= kMost / 16, where,
          fmt::format("{} nodes and {} elements", mesh.nodes.size(), mesh.tets.size()),
          fmt::format("at most {} and {}", kMost / 3, kMost / 16));
  CheckIndices(mesh, where);
  CheckNodes(mesh, where);
  CheckVolumes(mesh, where);
  CheckFaces(mesh, where);
  CheckConnected(mesh, where);
}

}  // namespace tactus
