// Element loops of finite elements in vector registers, four elements at a time, compiled once per instruction-set
// level. Plain arrays only.
#pragma once

namespace tactus {

/// Four elements. Their nodes are ascending. Where there are fewer than four, the last one is repeated.
struct FemBatch {
  int node[4][4];          ///< [corner][element]
  double gradient[12][4];  ///< of the shape functions, [3 corner + axis][element] [1/m]
  double volume[4];        ///< at rest [m^3]
};

/// Results per element: stiffness blocks of corners (a, b), a <= b, in the order 00 01 02 03 11 12 13 22 23 33, each
/// row by row; and forces, 3 a corner.
constexpr int kFemBlockStride = 92;  // 10 blocks of 9, and 2 to make it a multiple of four
constexpr int kFemForceStride = 12;
constexpr int kFemRotationStride = 36;  // per batch: [3 row + column][element]

/// One block of A, or two that mirror each other: sum of element blocks and a multiple of the identity.
struct FemPair {
  int begin, end;           ///< of its sources: where its blocks begin in the array of element blocks
  int upper, upper_stride;  ///< where it goes in the values of A, and how long its rows there are
  int lower, lower_stride;  ///< its transpose; lower < 0: on the diagonal
  double mass;              ///< [kg]
};

struct FemKernels {
  /// R of F = R S by scaled Newton iteration (Higham 1986). Bit k of bad[i] is set where element k of batch i is
  /// inverted, nearly flat or not finite; there R must be found otherwise.
  void (*rotate)(const FemBatch* batches, int count, const double* x, double* R, unsigned char* bad);
  /// Forces and, unless null, stiffness R K0 R^T of linear elasticity in turned axes.
  void (*corotational)(const FemBatch* batches, int count, const double* x, const double* R, double lambda, double mu,
                       double* forces, double* blocks);
  /// values = stiffness_scale K + mass_scale M of the pairs.
  void (*gather)(const FemPair* pairs, int count, const int* sources, const double* blocks, double stiffness_scale,
                 double mass_scale, double* values);
};

const FemKernels& GetFemKernels();

}  // namespace tactus
