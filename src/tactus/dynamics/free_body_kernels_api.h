// Dynamics of free single bodies in vector registers, four bodies at a time, compiled once per instruction-set level.
//
// In the body's axes the inertia is constant, so nothing but vectors is turned:
//     f = m (a + R (alpha x c + omega x (omega x c)) - g),
//     n = I_c alpha + omega x I_c omega + c x R^T f
// with the force f at the body's origin in world axes, the moment n about it and omega, alpha in body axes.
#pragma once

#include "tactus/model/free_body_batch.h"

namespace tactus {

/// Where results go: arrays of ModelData.
struct FreeBodyArrays {
  double* origin;    ///< 3 per body
  double* frames;    ///< 12 per body: R row major, p = 0
  double* S;         ///< 6 per dof; only the rotations are written, the rest never changes
  double* inertia;   ///< 10 per body, in world axes about its origin; null: not wanted
  double* velocity;  ///< 6 per body; null: not wanted
};

struct FreeBodyKernels {
  void (*place)(const FreeBodyBatch* batches, int count, const double* q, const FreeBodyArrays& out);
  /// tau = M a + bias - external; v, a and external (6 per body, at its origin, world axes) may be null.
  void (*inverse_dynamics)(const FreeBodyBatch* batches, int count, const double* q, const double* v, const double* a,
                           const double* external, const double* gravity, const FreeBodyArrays& out, double* tau);
  void (*forward_dynamics)(const FreeBodyBatch* batches, int count, const double* q, const double* v, const double* tau,
                           const double* external, const double* gravity, const FreeBodyArrays& out, double* a);
  /// The 21 entries of M with branch sparsity; `frames` as `place` leaves them.
  void (*mass_matrix)(const FreeBodyBatch* batches, int count, const double* frames, double* M);
  /// L of M = L^T L, for any such M. False if one is not positive definite.
  bool (*factorize)(const FreeBodyBatch* batches, int count, const double* M, double* L);
};

const FreeBodyKernels& GetFreeBodyKernels();

}  // namespace tactus
