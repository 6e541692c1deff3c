// A surface of triangles, not convex, prepared for collision: neighbours across edges and a tree of boxes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tactus/collision/polytope.h"
#include "tactus/geometry/aabb.h"
#include "tactus/geometry/height_field.h"
#include "tactus/geometry/mesh.h"

namespace tactus {

/// Immutable.
class TriangleSurface {
 public:
  struct Triangle {
    std::array<int, 3> vertex;
    std::array<int, 3> edge;      ///< number of the edge from vertex i to the next; both triangles on it agree
    std::array<int, 3> opposite;  ///< the third vertex of the triangle across edge i; -1: a border, -2: several
    Vector3 normal;               ///< unit; zero if it has no area
  };

  /// Solid inside if the mesh is closed (every edge once in each direction, positive volume), otherwise a sheet that
  /// can be touched from both sides. InputError for bad indices or coordinates.
  static TriangleSurface FromMesh(const TriangleMesh& mesh, const std::string& where);
  /// Solid below.
  static TriangleSurface FromHeightField(const HeightField& field, const std::string& where);

  const std::vector<Vector3>& vertices() const { return vertices_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  const Vector3& vertex(int v) const { return vertices_[static_cast<std::size_t>(v)]; }
  const Triangle& triangle(int t) const { return triangles_[static_cast<std::size_t>(t)]; }
  const IndexLists& vertex_neighbours() const { return vertex_neighbours_; }
  const Aabb& box() const { return box_; }
  /// Only what comes from the outside is pushed out.
  bool one_sided() const { return one_sided_; }
  /// An edge or vertex where the surface bulges outwards or ends: contacts there are more than those of its faces.
  bool sharp_edge(int e) const { return sharp_edge_[static_cast<std::size_t>(e)]; }
  bool sharp_vertex(int v) const { return sharp_vertex_[static_cast<std::size_t>(v)]; }
  /// With no sharp vertex: it can be touched along its normal only.
  bool flat_triangle(const Triangle& t) const {
    return !sharp_vertex(t.vertex[0]) && !sharp_vertex(t.vertex[1]) && !sharp_vertex(t.vertex[2]);
  }

  /// Numbers of the triangles whose boxes overlap `box`, increasing.
  void Find(const Aabb& box, std::vector<int>* stack, std::vector<int>* out) const;

 private:
  // Children of an inner node are the next one and `right`; a leaf has triangles order_[first, first + count).
  struct Node {
    Aabb box;
    int right = -1;
    int first = 0;
    int count = 0;
  };

  void Connect();
  void MakeTree();
  int MakeNode(const std::vector<Aabb>& boxes, int first, int count);

  std::vector<Vector3> vertices_;
  std::vector<Triangle> triangles_;
  IndexLists vertex_neighbours_;
  std::vector<bool> sharp_edge_, sharp_vertex_;
  std::vector<Node> nodes_;
  std::vector<int> order_;
  Aabb box_;
  bool one_sided_ = false;
};

}  // namespace tactus
