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

/// A multiple of M, n x n, to a block within a larger one.
inline void AddBlock(const double* M, int n, double* out, int stride, double factor = 1) {
  if (n == 6) {  // the compiler likes to know
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) out[i * stride + j] += factor * M[6 * i + j];
    }
    return;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) out[i * stride + j] += factor * M[n * i + j];
  }
}

}  // namespace tactus::body_space_detail
