// Kernels over links of trees for the body-space solver, compiled once per instruction-set level: twists of links,
// what wrenches on them pull, what contacts on them add to H, products with a tree's matrix.
#pragma once

namespace tactus {

/// Dofs that move a link, side by side: `count` from `dof` on, of the tree; `column` is that of the first in J.
struct LinkRun {
  int dof = 0, column = 0, count = 0;
};

/// J of a link, 6 rows of `stride` numbers: the columns of dofs that move it, then zeros up to a multiple of four.
/// A free body has none: its twist is its dofs.
struct LinkJacobian {
  const double* values = nullptr;
  int stride = 0;
  const LinkRun* begin = nullptr;
  const LinkRun* end = nullptr;
};

struct LinkKernels {
  /// twist = J v, v of the tree.
  void (*twist)(const LinkJacobian& J, const double* v, double* twist);
  /// f += J^T wrench, f of the tree.
  void (*add_force)(const LinkJacobian& J, const double* wrench, double* f);
  /// out += J_a^T K J_b, K row major 6 x 6, out of one tree by the other, row major with its stride.
  void (*add_congruence)(const LinkJacobian& a, const double* K, const LinkJacobian& b, double* out, int stride);
  /// y = A x, A symmetric n x n.
  void (*multiply)(const double* A, int n, const double* x, double* y);
};

const LinkKernels& GetLinkKernels();

}  // namespace tactus
