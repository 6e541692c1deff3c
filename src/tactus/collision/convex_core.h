// Convex shapes as collision algorithms see them: a core, known by its support function, with a radius around it.
//
// A sphere is a point with a radius, a capsule a segment with a radius; the others have none. Distances between cores
// are found as long as they do not overlap, so that rounded shapes never need the harder algorithm for overlaps unless
// they are deep in each other.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/collision/contact_point.h"
#include "tactus/collision/polytope.h"
#include "tactus/core/types.h"

namespace tactus {

enum class CoreKind {
  Point,      ///< the origin
  Segment,    ///< from -size[2] to size[2] along z
  Cylinder,   ///< size[0] = radius, size[2] = half length along z
  Ellipsoid,  ///< semi-axes size
  Box,        ///< half lengths size
  Polytope,   ///< `polytope`
  Triangle,   ///< `corners`
};

/// In its own frame. Size is its extent along the axes for all kinds but Triangle.
struct ConvexCore {
  CoreKind kind = CoreKind::Point;
  double radius = 0;
  Vector3 size = Vector3::Zero();
  const Polytope* polytope = nullptr;
  Vector3 corners[3] = {Vector3::Zero(), Vector3::Zero(), Vector3::Zero()};
};

struct SupportPoint {
  Vector3 p;
  int vertex;  ///< number of the corner; -1 on smooth surfaces
};

/// The point of the core farthest along d (any length, also zero). `start`: a vertex to begin the search at, or -1.
SupportPoint CalcSupport(const ConvexCore& core, const Vector3& d, int start = -1);

/// A flat feature of a core: a polygon (3 points or more), a segment (2) or a point (1).
struct SupportFeature {
  std::vector<Vector3> points;
  std::vector<std::uint32_t> point_ids;  ///< FeatureId
  std::vector<std::uint32_t> edge_ids;   ///< from point i to the next
  std::uint32_t face_id = 0;             ///< of the polygon, or the segment as a whole
  Vector3 normal = Vector3::Zero();      ///< of the polygon, outwards; zero for segments and points

  int count() const { return static_cast<int>(points.size()); }
  void Clear();
  void Add(const Vector3& p, std::uint32_t point_id, std::uint32_t edge_id);
};

/// The feature that looks along the unit vector d the most and holds a point farthest along d.
void CalcSupportFeature(const ConvexCore& core, const Vector3& d, SupportFeature* out);

/// A straight line on a core that something beside it may lie along: a capsule's axis, a cylinder's for its mantle, an
/// edge of a box.
struct SupportLine {
  Vector3 middle = Vector3::Zero(), along = Vector3::UnitZ();
  double half = 0;                  ///< its length
  double round = 0;                 ///< radius of the mantle around it
  Vector3 sides = Vector3::Zero();  ///< of an edge: where its faces look, as signs; directions must not look elsewhere
  std::uint32_t end_ids[2] = {0, 0}, line_id = 0;
};

/// The line that looks along the unit vector d. Of a box the edge beside the point p of its surface that is most along
/// `other`; d may look away from a face beside it. False where there is none: the core has no such lines, or d looks
/// along it.
bool CalcSupportLine(const ConvexCore& core, const Vector3& d, const Vector3& p, const Vector3& other,
                     SupportLine* out);

/// A length that says how large the core is: no coordinate exceeds it.
double CalcExtent(const ConvexCore& core);

/// Points on the rim of a cylinder's cap that stand for it, fixed to the body.
inline constexpr int kRimPoints = 8;
/// Rim point i of the cap at z = side * size[2], side = -1 or 1.
Vector3 RimPoint(const ConvexCore& cylinder, int i, int side);

}  // namespace tactus
