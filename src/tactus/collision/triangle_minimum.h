// The least value of a field on a triangle.
#pragma once

#include <array>

#include "tactus/geometry/field.h"

namespace tactus {

/// A field at a point of its frame.
struct FieldSample {
  Vector3 p = Vector3::Zero();
  double value = 0;
  Vector3 gradient = Vector3::Zero();
};

FieldSample CalcSample(const SignedDistanceField& field, const Vector3& p);

/// Local minimum of the field on the triangle with these corners, found downhill from the lowest of them: Frank-Wolfe
/// steps (paper 000, VII-A, its [56]), each to the lowest place between x and the corner that lies farthest down the
/// gradient, then projected gradient steps where these zigzag towards a point inside. Ends when no point of the
/// triangle is lower than x by more than `tolerance` to first order, or when none can be below `limit`.
///
/// `corner`: which corner it is, or -1 for points between them.
struct TriangleMinimum {
  FieldSample at;
  int corner = -1;
};
TriangleMinimum FindTriangleMinimum(const SignedDistanceField& field, const std::array<const FieldSample*, 3>& corners,
                                    double limit, double tolerance);

/// The same by cutting planes, for fields with kinks, where steps along gradients zigzag: x goes to the least of the
/// greatest of the linear pieces seen so far. On a convex field that is a lower bound, and what is found is known to
/// `tolerance`; on others it is a low place. Ends when the bound is above `limit`. `evaluations` at most.
FieldSample FindKinkedMinimum(const SignedDistanceField& field, const std::array<const FieldSample*, 3>& corners,
                              double limit, double tolerance, int evaluations);

/// That bound from the corners alone.
double CalcKinkedBound(const std::array<const FieldSample*, 3>& corners);

}  // namespace tactus
