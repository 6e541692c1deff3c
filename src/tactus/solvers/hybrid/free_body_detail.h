// What the parts of FreeBodyEngine share.
#pragma once

namespace tactus::free_body_detail {

/// Order of the arrays in ContactSet::data.
enum { kR = 0, kN = 3, kM = 6, kE = 9, kMu = 12, kRho = 13, kLambdaK = 14, kArrays = 17 };

inline void Cross(const double* a, const double* b, double* c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

}  // namespace tactus::free_body_detail
