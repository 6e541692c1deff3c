// Contacts between convex shapes: normal and gap by GJK and EPA, then points by clipping the features that face each
// other.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/collision/contact_point.h"
#include "tactus/collision/epa.h"
#include "tactus/collision/feature_clip.h"
#include "tactus/collision/gjk.h"

namespace tactus {

/// The least distance of two cores (rounding radii not taken off), in A's frame.
struct CoreSeparation {
  bool within = false;                ///< the limit; otherwise nothing else is set
  Vector3 normal = Vector3::UnitZ();  ///< unit, from B towards A
  double gap = 0;
  Vector3 a = Vector3::Zero(), b = Vector3::Zero();  ///< points of the cores that are gap * normal apart
  std::uint32_t feature_a = 0, feature_b = 0;        ///< what those points are on
};

struct ConvexScratch {
  EpaScratch epa;
  ClipScratch clip;
};

CoreSeparation CalcSeparation(MinkowskiDifference* difference, double limit, ConvexScratch* scratch);

/// clip->a and clip->b: what A and B turn to each other along the normal, in A's frame.
void FindFeatures(const MinkowskiDifference& difference, const Vector3& normal, ClipScratch* clip);

/// From a known normal and features: points of contact with gap <= margin, appended to clip.points, in A's frame. The
/// point of least gap is among them if `with_witness`.
void MakeManifold(MinkowskiDifference* difference, const CoreSeparation& separation, double margin, bool with_witness,
                  ClipScratch* clip);

/// If turning the normal to that of a face of A or B loses no gap beyond rounding, does it: normals from faces are
/// exact, those from nearly touching points are not.
void SnapToFaces(MinkowskiDifference* difference, CoreSeparation* separation, ClipScratch* clip);

/// All of the above, out in world coordinates.
void CollideCores(const ConvexCore& a, const Pose& X_WA, const ConvexCore& b, const Pose& X_WB, double margin,
                  ConvexScratch* scratch, ContactManifold* out);

/// Points in A's frame to world coordinates.
void AppendToWorld(const Pose& X_WA, const ClipScratch& clip, ContactManifold* out);

}  // namespace tactus
