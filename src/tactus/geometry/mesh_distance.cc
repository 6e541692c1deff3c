#include "tactus/geometry/mesh_distance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "tactus/geometry/closest_on_triangle.h"

namespace tactus {

namespace {

constexpr int kLeafSize = 4;
// Trees are split at the median: deep enough for 2^31 triangles, two entries a level.
constexpr int kStackSize = 72;

double SquaredDistance(const Aabb& box, const Vector3& p) {
  return (box.low - p).cwiseMax(p - box.high).cwiseMax(0.0).squaredNorm();
}

}  // namespace

MeshDistance::MeshDistance(const TriangleMesh& mesh) {
  MakeNormals(mesh);
  order_.resize(faces_.size());
  std::iota(order_.begin(), order_.end(), 0);
  MakeNode(0, static_cast<int>(order_.size()));
}

void MeshDistance::MakeNormals(const TriangleMesh& mesh) {
  std::vector<Vector3> at_vertex(mesh.vertices.size(), Vector3::Zero());
  std::map<std::pair<int, int>, Vector3> at_edge;
  const auto edge = [](int v, int w) { return std::pair(std::min(v, w), std::max(v, w)); };
  for (const auto& t : mesh.triangles) {
    Face face;
    for (std::size_t i = 0; i < 3; ++i) face.corner[i] = mesh.vertices[static_cast<std::size_t>(t[i])];
    face.normal = (face.corner[1] - face.corner[0]).cross(face.corner[2] - face.corner[0]).normalized();
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3 u = face.corner[(i + 1) % 3] - face.corner[i], v = face.corner[(i + 2) % 3] - face.corner[i];
      const double angle = std::atan2(u.cross(v).norm(), u.dot(v));
      at_vertex[static_cast<std::size_t>(t[i])] += angle * face.normal;
      const auto [entry, is_new] = at_edge.try_emplace(edge(t[i], t[(i + 1) % 3]), Vector3::Zero());
      entry->second += face.normal;
    }
    faces_.push_back(face);
  }
  for (std::size_t k = 0; k < faces_.size(); ++k) {
    const auto& t = mesh.triangles[k];
    for (std::size_t i = 0; i < 3; ++i) {
      faces_[k].corner_normal[i] = at_vertex[static_cast<std::size_t>(t[i])];
      faces_[k].edge_normal[i] = at_edge.at(edge(t[(i + 1) % 3], t[(i + 2) % 3]));
    }
  }
}

int MeshDistance::MakeNode(int first, int count) {
  const int number = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  const auto begin = order_.begin() + first, end = begin + count;
  Node node;
  for (auto t = begin; t != end; ++t) {
    for (const Vector3& p : faces_[static_cast<std::size_t>(*t)].corner) node.box.Extend(p);
  }
  if (count <= kLeafSize) {
    node.first = first;
    node.count = count;
  } else {
    int axis = 0;
    (node.box.high - node.box.low).maxCoeff(&axis);
    const auto centre = [&](int t) {
      const auto& c = faces_[static_cast<std::size_t>(t)].corner;
      return c[0][axis] + c[1][axis] + c[2][axis];
    };
    std::nth_element(begin, begin + count / 2, end, [&](int s, int t) {
      const double a = centre(s), b = centre(t);
      return a < b || (a == b && s < t);
    });
    MakeNode(first, count / 2);
    node.right = MakeNode(first + count / 2, count - count / 2);
  }
  nodes_[static_cast<std::size_t>(number)] = node;
  return number;
}

void MeshDistance::Look(const Vector3& p, int triangle, double* least2, Vector3* weights, Nearest* nearest) const {
  const Face& face = faces_[static_cast<std::size_t>(triangle)];
  const auto& c = face.corner;
  // Its plane is not nearer than what is known already.
  const double height = face.normal.dot(p - c[0]);
  if (height * height * (1 - 1e-9) > *least2) return;
  const Vector3 w = ClosestOnTriangle(p, c[0], c[1], c[2]);
  const Vector3 q = w[0] * c[0] + w[1] * c[1] + w[2] * c[2];
  const double squared = (q - p).squaredNorm();
  if (!(squared < *least2)) return;
  *least2 = squared;
  *weights = w;
  nearest->point = q;
  nearest->triangle = triangle;
}

MeshDistance::Nearest MeshDistance::Find(const Vector3& p, int hint) const {
  Nearest out;
  double least2 = std::numeric_limits<double>::infinity();
  Vector3 weights = Vector3::Zero();
  if (hint >= 0) Look(p, hint, &least2, &weights, &out);
  struct Visit {
    int node;
    double squared;
  };
  std::array<Visit, kStackSize> stack;
  std::size_t size = 0;
  stack[size++] = {0, SquaredDistance(nodes_[0].box, p)};
  while (size > 0) {
    const Visit visit = stack[--size];
    if (!(visit.squared < least2)) continue;
    const Node& node = nodes_[static_cast<std::size_t>(visit.node)];
    if (node.right < 0) {
      for (int i = node.first; i < node.first + node.count; ++i) {
        Look(p, order_[static_cast<std::size_t>(i)], &least2, &weights, &out);
      }
      continue;
    }
    // The nearer one is looked into first.
    Visit left{visit.node + 1, SquaredDistance(nodes_[static_cast<std::size_t>(visit.node) + 1].box, p)};
    Visit right{node.right, SquaredDistance(nodes_[static_cast<std::size_t>(node.right)].box, p)};
    if (left.squared > right.squared) std::swap(left, right);
    stack[size++] = right;
    stack[size++] = left;
  }
  // What the point is on: weights of corners it does not depend on are zero.
  const Face& face = faces_[static_cast<std::size_t>(out.triangle)];
  Vector3 normal = face.normal;
  const int zeros = static_cast<int>((weights.array() == 0).count());
  for (std::size_t i = 0; i < 3; ++i) {
    const bool zero = weights[static_cast<Eigen::Index>(i)] == 0;
    if (zeros == 1 && zero) normal = face.edge_normal[i];
    if (zeros == 2 && !zero) normal = face.corner_normal[i];
  }
  const double distance = std::sqrt(least2);
  out.normal = normal;
  out.on_face = zeros == 0;
  out.distance = normal.dot(p - out.point) < 0 ? -distance : distance;
  return out;
}

}  // namespace tactus
