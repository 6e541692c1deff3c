// Small dense convex quadratic programs, by a primal-dual interior-point method (Mehrotra's predictor and corrector):
//
//     min  1/2 x^T H x + q^T x    s.t.  E x = e,  G x <= h
//
// What the baselines and the oracle of inverse problems consist of. Debian 12 has no QP solver under a licence that the
// library could be linked with.
#pragma once

#include <Eigen/LU>

#include "tactus/core/types.h"

namespace tactus {

struct ConvexQp {
  MatrixX H;  ///< n x n, symmetric positive semidefinite
  VectorX q;
  MatrixX E;  ///< equalities; rows may depend on each other as long as they agree
  VectorX e;
  MatrixX G;  ///< inequalities; a row with h = infinity is none
  VectorX h;
};

enum class ConvexQpStatus {
  Solved,
  Infeasible,  ///< multipliers grow without bound while constraints stay violated
  Stalled,     ///< neither; x is the last iterate
};

struct ConvexQpResult {
  ConvexQpStatus status = ConvexQpStatus::Stalled;
  VectorX x;
  VectorX y, z;      ///< multipliers of E x = e (any sign) and of G x <= h (>= 0)
  double value = 0;  ///< 1/2 x^T H x + q^T x
  int iterations = 0;
};

/// `tolerance` is relative to the numbers in the problem.
ConvexQpResult SolveConvexQp(const ConvexQp& qp, double tolerance = 1e-10);

}  // namespace tactus
