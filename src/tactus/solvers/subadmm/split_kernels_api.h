// Kernels of an iteration of SubADMM, four contacts or copies at a time, compiled once per instruction-set level.
//
// Everything is in world axes. A contact on bodies a and b has a copy of the velocity of each body's point at the
// contact. Copies are sorted by body, those of a body begin at a multiple of four and are padded with zeros.
#pragma once

namespace tactus {

/// Copies, as structure of arrays.
struct SplitCopies {
  const double* r[3];  // point relative to the body's reference
  double* p[3];        // velocity of the point: out of the parts' solves
  double* c[3];        // beta z +- lambda: what pulls at the body
};

/// Contacts, as structure of arrays; a multiple of four.
struct SplitContacts {
  const int *slot_a, *slot_b;  // copies; those of the world are of no body
  const double* n[3];
  const double* e[3];
  const double *mu, *beta, *weight;  // weight = beta / number of copies
  const double* has_b;               // 0 where b is the world, else 1
  double* lambda[3];                 // impulse on a
  double* za[3];
  double* zb[3];
};

/// A free body: v = H^{-1} (b + what its copies pull).
struct SplitBody {
  int begin = 0, end = 0;  // copies
  int dof = 0;
};

struct SplitKernels {
  /// Of free bodies [begin, end): `inverse` has 6 columns of 8 a body; `pull` (b and what scalar rows add) and v by
  /// dof.
  void (*solve_bodies)(const SplitBody* bodies, int begin, int end, const double* inverse, const SplitCopies& copies,
                       const double* pull, double* v);
  /// wrench = sum over copies of [c; r x c].
  void (*sum_copies)(const SplitCopies& copies, int begin, int end, double* wrench);
  /// p = v + w x r.
  void (*spread_twist)(const SplitCopies& copies, int begin, int end, const double* twist);
  /// y = M x, M column major with columns of `stride` numbers, a multiple of four, up to 64; x of n numbers.
  void (*multiply)(const double* M, int stride, int n, const double* x, double* y);
  /// y_k = M_k . x of columns M_k: the transposed product; x has `stride` numbers, those beyond its length zero.
  void (*multiply_transposed)(const double* M, int stride, int n, const double* x, double* y);
  /// The law of contacts [begin, end), multiples of four, with over-relaxation alpha; writes lambda, za, zb and c.
  void (*project)(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end, double alpha);
};

const SplitKernels& GetSplitKernels();

}  // namespace tactus
