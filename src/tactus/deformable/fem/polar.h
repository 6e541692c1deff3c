// The rotation in a deformation gradient.
#pragma once

#include "tactus/core/types.h"

namespace tactus {

/// The rotation R (det R = +1, always) nearest to F, by its singular values: F = U S V^T, R = U diag(1, 1, d) V^T with
/// d = det(U V^T) on the smallest one. So F = R S with S symmetric, whose smallest eigenvalue is negative where F is
/// inverted. Where the nearest rotation is not unique (F of rank one, zero, or a reflection of a ball) it is one of
/// them, the same each time. F not finite: NaN.
Matrix3 CalcRotation(const Matrix3& F);

}  // namespace tactus
