// The lowest point of a surface in a field, next to a given one.
#pragma once

#include "tactus/collision/triangle_minimum.h"
#include "tactus/math/spatial.h"

namespace tactus {

/// A solid's surface, given by its own field, in another field; all in the frame of the latter.
struct DescentInput {
  const SignedDistanceField& own;
  const SignedDistanceField& field;
  const Pose& X_FO;
  double tolerance;  ///< the surface is where |own| is no more [m]
};

/// The field at the point of the surface next to p. Where the solid's own field is a bound only, one step does not get
/// there; if some do not either, the sample is of no use: infinitely high.
FieldSample CalcSurfaceSample(const DescentInput& in, const Vector3& p);

/// Goes down on the surface where own = 0, from the point next to `start`, in steps of about `radius` first, until that
/// gains less than `accuracy`. Infinitely high if that point is not found.
///
/// Both fields may have kinks: inside of convex solids the way out changes sides, and surfaces have edges. Therefore
/// not along the gradient (which zigzags there) but by a bundle of linear pieces: with x + d brought back to the
/// surface along its normal, the field at the result is modelled by the greatest of the pieces found at the last
/// points, d goes to the least of that model in a disc of the tangent plane, and the disc shrinks where the model was
/// wrong. Where x + d came out beyond an edge, a plane cuts off what is there, be the edge one that stands out or the
/// floor of a groove; at an edge the planes of both sides are tried. Valleys and edges curve, so a step that gains less
/// than promised first goes down to the valley's floor from where it ended, and is judged then.
FieldSample DescendOnSurface(const DescentInput& in, const FieldSample& start, double radius, double accuracy);

}  // namespace tactus
