// Contacts between a surface of triangles and a field.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/collision/contact_point.h"
#include "tactus/collision/deepest_point.h"
#include "tactus/collision/field_probe.h"
#include "tactus/collision/triangle_minimum.h"
#include "tactus/math/spatial.h"

namespace tactus {

/// Finds points of a manifold by their place.
class PointGrid {
 public:
  /// Forgets all; points nearer than `tolerance` count as one. Cells are counted from `origin`.
  void Reset(double tolerance, const Vector3& origin);
  /// The point at p with about the same normal that was put in first; -1 if there is none.
  int Find(const Vector3& p, const Vector3& normal, const std::vector<ContactPoint>& points) const;
  /// Points are put in in the order of their numbers.
  void Insert(const Vector3& p);

 private:
  struct Head {
    std::uint32_t stamp = 0;  ///< of another Reset: empty
    int index = -1;
  };
  std::size_t Slot(const Eigen::Array3i& cell) const;
  Eigen::Array3i Cell(const Vector3& p) const;

  double tolerance_ = 0, cell_ = 1;
  std::uint32_t stamp_ = 0;
  std::vector<Head> heads_;
  std::vector<int> next_;  // of the same slot
  Vector3 origin_ = Vector3::Zero();
};

struct FieldScratch {
  struct Visit {
    int node;
    double most;  ///< the field at the node's centre is at most that
  };
  std::vector<FieldSample> samples;   ///< at the probe's vertices
  std::vector<std::uint32_t> stamps;  ///< samples[v] is of the call `stamp` if stamps[v] is
  std::uint32_t stamp = 0;
  std::vector<Visit> stack;
  std::vector<int> vertices;     ///< those sampled
  std::vector<LowTriangle> low;  ///< those that may have points within the limit
  PointGrid grid;
};

/// What is held against what.
struct ProbeInput {
  const FieldProbe& probe;
  const Pose& X_WP;
  const SignedDistanceField& field;
  const Pose& X_WF;
  double margin;
  bool corners_only;
  bool probe_is_a;  ///< otherwise it is b
};

/// Appends the points of the probe's surface where the field is at most `margin`:
///   - each vertex that is not on a part of the surface that falls off steeply towards the field (more than 30 degrees:
///     such a part is the side of something that touches elsewhere),
///   - the minimum of each triangle where that is lower than its corners,
///   - for curved probes, from vertices that are lower than their neighbours, the minimum on the surface itself.
/// Points at places the grid knows are merged, the lower one is kept.
void ProbeField(const ProbeInput& in, FieldScratch* scratch, ContactManifold* out);

/// Adds a point to the manifold and the grid, or merges it.
void AddFieldContact(const ContactPoint& contact, PointGrid* grid, ContactManifold* out);

/// The gradient as a unit vector; `otherwise` where there is none.
Vector3 UnitGradient(const FieldSample& sample, const Vector3& otherwise);

}  // namespace tactus
