// The signed distance from a mesh.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "tactus/geometry/aabb.h"
#include "tactus/geometry/mesh.h"

namespace tactus {

/// Exact to rounding, by a tree of boxes. The sign is that of the angle-weighted pseudonormal of the face, edge or
/// vertex that is nearest (Baerentzen and Aanaes 2005), which is right everywhere for surfaces that do not pass through
/// themselves. Immutable.
class MeshDistance {
 public:
  /// A mesh as MakeClosedMesh returns it.
  explicit MeshDistance(const TriangleMesh& mesh);

  struct Nearest {
    double distance = std::numeric_limits<double>::infinity();  ///< negative inside
    Vector3 point = Vector3::Zero();                            ///< of the surface
    Vector3 normal = Vector3::Zero();  ///< of the face, edge or vertex there; not of unit length
    bool on_face = false;              ///< and not on an edge or vertex
    int triangle = -1;
  };
  /// `hint`: a triangle that may be near, to start from; -1 if none is known.
  Nearest Find(const Vector3& p, int hint = -1) const;

 private:
  // Children of an inner node are the next one and `right`; a leaf has triangles order_[first, first + count).
  struct Node {
    Aabb box;
    int right = -1;
    int first = 0;
    int count = 0;
  };
  struct Face {
    std::array<Vector3, 3> corner, corner_normal;
    std::array<Vector3, 3> edge_normal;  // of the edge opposite to corner i
    Vector3 normal;
  };

  void MakeNormals(const TriangleMesh& mesh);
  int MakeNode(int first, int count);
  void Look(const Vector3& p, int triangle, double* least2, Vector3* weights, Nearest* nearest) const;

  std::vector<Face> faces_;
  std::vector<Node> nodes_;
  std::vector<int> order_;
};

}  // namespace tactus
