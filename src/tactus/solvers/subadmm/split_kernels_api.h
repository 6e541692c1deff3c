// Kernels of SubADMM, four contacts, copies or rows at a time, compiled once per instruction-set level.
//
// Everything is in world axes. A contact on bodies a and b has a copy of the velocity of each body's point at the
// contact. Copies are sorted by body, those of a body begin at a multiple of four and are padded with zeros.
#pragma once

namespace tactus {

/// Trees of up to this many dofs; a matrix's columns are a multiple of four numbers apart.
inline constexpr int kSplitLargestTree = 64;

/// Four copies at a time: three lanes of r, or x, side by side. What a thread reads of another's bodies is then on few
/// lines of the cache.
struct SplitCopies {
  const double* r;  // point relative to the body's reference
  double* x;        // what pulls at the body; after the parts' solves the velocity of the point
};
/// Where component 0 of a copy is; the others are 4 and 8 further on.
inline constexpr int SplitPlace(int slot) { return 3 * (slot & ~3) + (slot & 3); }

/// Numbers of a contact: four contacts at a time, kSplitArrays lanes side by side.
enum SplitArray {
  kN = 0,
  kE = 3,
  kMu = 6,
  kBeta = 7,
  kInverse = 8,  // 1 / beta
  kHasB = 9,     // 0 where b is the world, else 1
  kRho = 10,
  kLambda = 11,  // impulse on a
  kZa = 14,
  kZb = 17,
  kSplitArrays = 20
};
inline constexpr int SplitIndex(int array, int contact) {
  return kSplitArrays * (contact & ~3) + 4 * array + (contact & 3);
}

struct SplitContacts {
  const int *place_a, *place_b;  // SplitPlace of their copies; those of the world are of no body
  double* data;
};

/// A free body: v = M (pull + what its copies pull), M = 6 columns of 8.
struct SplitBody {
  int begin = 0, end = 0, padded = 0;  // copies, and those that fill up vectors
  int dof = 0;
  bool has_rows = false;  // v is wanted: neighbours in it belong to other threads
};

/// A link that is touched: its twist is J v, J^T given as six columns of `stride` numbers.
struct SplitLink {
  int begin = 0, end = 0, padded = 0;
  int columns = 0, count = 0;  // in SplitTrees::columns: dofs within the tree that move it
  long jacobian = 0;           // in SplitTrees::jacobians
  int stride = 0;
};

/// A robot: v = M (pull + J^T of what its links' copies pull), M = `size` columns of `stride`. Where links have few
/// contacts it has the Jacobians of its points instead of its links': for every copy, and four at a time as in
/// SplitCopies, three columns of `stride`.
struct SplitTree {
  int dof = 0, size = 0, stride = 0;
  int first_link = 0, last_link = 0;
  int first_slot = 0, points = 0;  // copies, a multiple of four; 0: by links
  long matrix = 0;                 // where M is
  long point_jacobian = 0;         // in SplitTrees::points
};

struct SplitTrees {
  const SplitTree* trees;
  const SplitLink* links;
  const int* columns;
  const double* jacobians;
  const double* points;
};

/// Scalar rows on one dof each, as structure of arrays; a multiple of four:
/// lambda = clip(slope (lambda - beta z) + shift, lo, hi).
struct SplitRows {
  const int* dof;
  const double *value, *beta, *slope, *shift, *lo, *hi;
  double *lambda, *z;
  double* pull;  // on the dof
};

/// Sums over contacts: squares of the natural map's error and of impulses, weighted by rho; lambda . sigma; and the
/// worst penetration.
struct SplitScore {
  double error = 0, lambda = 0, power = 0, violation = 0;
};

struct SplitKernels {
  /// Of free bodies [begin, end); `pull` and v by dof.
  void (*solve_bodies)(const SplitBody* bodies, int begin, int end, const double* inverse, const SplitCopies& copies,
                       const double* pull, double* v);
  void (*solve_trees)(const SplitTrees& trees, int begin, int end, const double* inverse, const SplitCopies& copies,
                      const double* pull, double* v);
  /// x = v + w x r for copies of free bodies and of links, from velocities.
  void (*spread_bodies)(const SplitBody* bodies, int begin, int end, const SplitCopies& copies, const double* v);
  void (*spread_trees)(const SplitTrees& trees, int begin, int end, const SplitCopies& copies, const double* v);
  /// Point masses `beta`, one a copy: sums of beta, beta r, beta r r^T (xx, xy, xz, yy, yz, zz).
  void (*sum_masses)(const SplitCopies& copies, const double* beta, int begin, int end, double* sums);
  /// H += point masses with these sums, at a body's reference: of a free body (6 columns of 8), or J^T of it J.
  void (*add_body_mass)(const double* sums, double* H);
  void (*add_link_mass)(const SplitTrees& trees, int link, const double* sums, double* H, int stride);
  /// x[0] = trace of the compliance of a body's points, a body of compliance C (6 columns of 8).
  void (*trace_points)(const SplitCopies& copies, int begin, int end, const double* compliance);
  /// The same of trees that go by points: H += beta J^T J; x[0] = trace, M as in SplitTree.
  void (*add_point_masses)(const SplitTrees& trees, int tree, const double* beta, double* H);
  void (*trace_tree_points)(const SplitTrees& trees, int tree, const double* matrix, const SplitCopies& copies);
  /// M <- M^{-1}, n columns of `stride` numbers of a symmetric positive definite matrix; false if it is not.
  bool (*invert)(double* M, int n, int stride);
  /// C = J M J^T of a link (6 columns of 8), M as in SplitTree.
  void (*link_compliance)(const SplitTrees& trees, int link, const double* matrix, int stride, double* compliance);
  /// The law of contacts [begin, end), multiples of four, with over-relaxation alpha; leaves what pulls in x.
  void (*project)(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end, double alpha);
  void (*project_rows)(const SplitRows& rows, int begin, int end, double alpha, const double* v);
  /// x = +-lambda, to find the motion that impulses make; or beta z +- lambda, to go on from them.
  void (*load_impulses)(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
  void (*load_pulls)(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
  /// z = x: copies are what bodies do.
  void (*store_copies)(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
  /// Of velocities in x. Pulls are loaded again.
  SplitScore (*score)(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
};

const SplitKernels& GetSplitKernels();

}  // namespace tactus
