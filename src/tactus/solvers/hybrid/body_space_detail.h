// What the parts of BodySpaceEngine share.
#pragma once

namespace tactus::body_space_detail {

/// Order of the arrays in ContactSet::data.
enum { kR = 0, kN = 3, kM = 6, kE = 9, kMu = 12, kRho = 13, kLambdaK = 14, kArrays = 17 };

/// The most dofs of a subsystem, whose block is dense.
inline constexpr int kLargestBlock = 64;

inline void Cross(const double* a, const double* b, double* c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

}  // namespace tactus::body_space_detail
