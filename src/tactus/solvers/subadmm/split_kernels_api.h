// Kernels of SubADMM, four contacts, copies or rows at a time, compiled once per instruction-set level.
//
// Everything is in world axes. A contact on bodies a and b has a copy of the velocity of each body's point at the
// contact. Copies are sorted by body, those of a body begin at a multiple of four and are padded with zeros.
#pragma once

#include <cstdint>

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

/// Numbers of a contact: four contacts at a time, kSplitArrays lanes side by side. Copies are kept times beta, as
/// impulses: nothing is divided then. What only fills up vectors has beta = 0, so that it never pulls.
enum SplitArray {
  kN = 0,
  kE = 3,  // beta e
  kMu = 6,
  kBeta = 7,
  kHasB = 8,    // 0 where b is the world, else 1
  kLambda = 9,  // impulse on a
  kZa = 12,     // beta z
  kZb = 15,
  kSplitArrays = 18
};
inline constexpr int SplitIndex(int array, int contact) {
  return kSplitArrays * (contact & ~3) + 4 * array + (contact & 3);
}
/// Numbers for the residual only: rho, and 1 / beta.
enum SplitWeight { kRho = 0, kInverse = 1, kSplitWeights = 2 };
inline constexpr int SplitWeightIndex(int array, int contact) {
  return kSplitWeights * (contact & ~3) + 4 * array + (contact & 3);
}

struct SplitContacts {
  const int *place_a, *place_b;  // SplitPlace of their copies; those of the world are of no body
  double* data;
  const double* weights;
};

/// A free body, or four of them side by side: v = M (pull + what its copies pull). The first `owned` quads of copies
/// are body a's of the contacts from `contact` on, in the same order; `other_quads` of contacts that others own begin
/// `others_at` quads after `begin`. Of one body M is 6 columns of 8, of four the lower triangle, 21 quads of numbers.
struct SplitUnit {
  double others[4] = {};  // quads, of four; of one: others[0] copies: those of contacts that others own
  int begin = 0;          // first copy
  int owned = 0, others_at = 0, other_quads = 0;
  int contact = 0;
  int matrix = 0, pull = 0;  // where M is, and b: 8 numbers, or 6 quads
  int dof[4] = {};
  int first_body = 0;
  bool four = false;
  bool has_rows = false;  // b and v by dof are wanted: neighbours in them belong to other threads
  int size() const { return four ? 4 : 1; }
  int quads() const { return others_at + other_quads; }
};
/// Place in the lower triangle of a symmetric 6 x 6 matrix.
inline constexpr int SplitTriangle(int row, int column) {
  return row >= column ? row * (row + 1) / 2 + column : column * (column + 1) / 2 + row;
}
inline constexpr int kSplitTriangle = 21;

/// A link that is touched: its twist is J v, J^T given as six columns of `stride` numbers.
struct SplitLink {
  int begin = 0, end = 0, padded = 0;
  int columns = 0, count = 0;  // in SplitTrees::columns: dofs within the tree that move it
  long jacobian = 0;           // in SplitTrees::jacobians
  int stride = 0;
};

/// Four copies of a robot's points: what moves them, three lanes a dof. First come the dofs that move all of the
/// robot's points, then each point's own in runs of four neighbours, with zeros for those of them that are not its own.
struct SplitGroup {
  int slot = 0;
  int runs = 0;       // of the point that has most
  int columns = 0;    // in SplitTrees::columns: of each run the first dof of the four points, within the tree
  long jacobian = 0;  // in SplitTrees::points
};

/// A robot: v = M (pull + J^T of what its links' copies pull), M = `size` columns of `stride`. Where links have few
/// contacts it has the Jacobians of its points instead of its links'.
struct SplitTree {
  int dof = 0, size = 0, stride = 0;  // stride 0: no M, it goes along its joints
  int first_link = 0, last_link = 0;
  int first_group = 0, last_group = 0;  // if by points
  int common = 0, columns = 0;          // dofs that move all points of its groups, in SplitTrees::columns
  std::uint64_t common_dofs = 0;        // the same as bits
  long matrix = 0;                      // where M is
  bool by_points = false;
};

struct SplitTrees {
  const SplitTree* trees;
  const SplitLink* links;
  const SplitGroup* groups;
  const int* columns;
  const double* jacobians;
  const double* points;
};

/// Scalar rows on one dof each, as structure of arrays; a multiple of four:
/// lambda = clip(slope (lambda - beta z) + shift, lo, hi).
struct SplitRows {
  const int* dof;
  const double *value, *beta, *inverse, *slope, *shift, *lo, *hi;  // inverse: 1 / beta
  double *lambda, *z;
  double* pull;  // on the dof
};

/// Sums over contacts: squares of the natural map's error and of impulses, weighted by rho, and the
/// worst penetration.
struct SplitScore {
  double error = 0, lambda = 0, violation = 0;
};

struct SplitKernels {
  /// Of units [begin, end); `inverse` and `b` as the units say, `pull` and v by dof.
  void (*solve_units)(const SplitUnit* units, int begin, int end, const double* inverse, const double* b,
                      const SplitCopies& copies, const double* pull, double* v);
  void (*solve_trees)(const SplitTrees& trees, int begin, int end, const double* inverse, const SplitCopies& copies,
                      const double* pull, double* v);
  /// x = v + w x r for copies of free bodies and of links, from velocities.
  void (*spread_units)(const SplitUnit* units, int begin, int end, const SplitCopies& copies, const double* v);
  void (*spread_trees)(const SplitTrees& trees, int begin, int end, const SplitCopies& copies, const double* v);
  /// Point masses `beta`, one a copy: sums of beta, beta r, beta r r^T (xx, xy, xz, yy, yz, zz).
  void (*sum_masses)(const SplitCopies& copies, const double* beta, int begin, int end, double* sums);
  /// H += point masses: of a unit's copies, or with these sums J^T of it J of a link.
  void (*add_unit_mass)(const SplitUnit& unit, const SplitCopies& copies, const double* beta, double* H);
  void (*add_link_mass)(const SplitTrees& trees, int link, const double* sums, double* H, int stride);
  /// x[0] = trace of the compliance of points: of a link of compliance C (6 columns of 8), of a unit of inverse M.
  void (*trace_points)(const SplitCopies& copies, int begin, int end, const double* compliance);
  void (*trace_unit)(const SplitUnit& unit, const SplitCopies& copies, const double* inverse);
  /// The same of trees that go by points: H += beta J^T J, on and below the diagonal; x[0] = trace, M as in SplitTree.
  void (*add_point_masses)(const SplitTrees& trees, int tree, const double* beta, double* H);
  void (*trace_tree_points)(const SplitTrees& trees, int tree, const double* matrix, const SplitCopies& copies);
  /// M <- M^{-1}, n columns of `stride` numbers of a symmetric positive definite matrix, of which what is above the
  /// diagonal is not looked at; false if it is not positive definite. And of a unit.
  bool (*invert)(double* M, int n, int stride);
  bool (*invert_unit)(const SplitUnit& unit, double* M);
  /// C = J M J^T of a link (6 columns of 8), M as in SplitTree.
  void (*link_compliance)(const SplitTrees& trees, int link, const double* matrix, int stride, double* compliance);
  /// The law of contacts, with over-relaxation alpha; leaves what pulls in x. Of those that units own, and of any
  /// [begin, end), multiples of four.
  void (*project_units)(const SplitUnit* units, int begin, int end, const SplitContacts& contacts,
                        const SplitCopies& copies, double alpha);
  void (*project)(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end, double alpha);
  void (*project_rows)(const SplitRows& rows, int begin, int end, double alpha, const double* v);
  /// x = +-lambda, to find the motion that impulses make; or beta z +- lambda, to go on from them.
  void (*load_impulses)(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
  void (*load_pulls)(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
  /// beta z = beta x: copies are what bodies do.
  void (*store_copies)(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
  /// Of velocities in x; `work` gets lambda . sigma of each. Pulls are loaded again.
  SplitScore (*score)(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end, double* work);
};

const SplitKernels& GetSplitKernels();

}  // namespace tactus
