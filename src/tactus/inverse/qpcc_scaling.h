// The problem in scaled units (paper 004, appendix D: Ruiz's equilibration).
//
//     x = (x_a, x_c) = E x',  sigma' = S sigma,  f' = c f
//
// E and S have one number for all rows of a contact, so that the contact law and mu stay what they are. Multipliers
// scale inversely: y_x' = c E y_x, y_s' = c S^{-1} y_s.
#pragma once

#include "tactus/inverse/qpcc_problem.h"
#include "tactus/inverse/qpcc_solution.h"

namespace tactus {

/// Fixed during a solve.
struct QpccScaled {
  QpccKind kind = QpccKind::Ncp;
  int na = 0, m = 0, n = 0;  ///< actuators, contact rows, both
  MatrixX AB;                ///< [A B]', ne x n
  MatrixX CD;                ///< [C D + R]', m x n
  MatrixX H;                 ///< AB^T AB
  MatrixX G;                 ///< CD^T CD, lower triangle
  VectorX b, g;
  VectorX q;  ///< AB^T b
  VectorX lower, upper, mu;
  VectorX E, S;     ///< see above
  double cost = 1;  ///< c

  int dim() const { return static_cast<int>(kind); }
  int num_contacts() const { return m / dim(); }
  double friction(int contact) const { return kind == QpccKind::Lcp ? 0 : mu[contact]; }

  VectorX norms, row_norms;  ///< memory
};

/// Computes E, S, c by `iterations` rounds (0: all ones), and the scaled problem.
void ScaleQpcc(const QpccProblem& problem, int iterations, QpccScaled* out);

}  // namespace tactus
