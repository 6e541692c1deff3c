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

/// What the gradients at the corners of a triangle say of the field at each other.
class CornerPieces {
 public:
  explicit CornerPieces(const std::array<const FieldSample*, 3>& corners);

  /// How far the field is below that: where it is not, it looks convex.
  double concavity() const { return concavity_; }
  /// How far it is from that: a measure of what else may be between them.
  double bend() const { return bend_; }
  /// The greatest of the pieces is nowhere lower; quickly known.
  double bound() const { return bound_; }
  /// The least of the greatest of the pieces, with those that are above the lowest corner moved down to it: there the
  /// model is right. That bound of FindKinkedMinimum from the corners alone.
  double CalcLeast() const;

 private:
  std::array<std::array<double, 3>, 3> said_;  // [piece][corner]
  std::size_t lowest_ = 0;
  double concavity_ = 0, bend_ = 0, bound_ = 0;
};

}  // namespace tactus
