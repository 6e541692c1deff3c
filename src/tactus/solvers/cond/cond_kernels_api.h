// Kernels of COND, compiled once per instruction-set level. Vectors of nodes have three numbers a node and end in one
// number more, so that four may be read at any node.
#pragma once

namespace tactus {

/// Rows of A as 3 x 3 blocks, column major, with one number more at the end. Row r is the equation of node row_node[r].
struct CondMatrix {
  const int* row_start;
  const int* columns;    // nodes
  const double* blocks;  // 9 an entry
  const int* row_node;
};

/// The same matrix with one block of each symmetric pair, in bands of rows: large ones are limited by memory. What a
/// band adds to rows behind it goes to its overflow, so that bands do not get in each other's way.
struct CondHalfMatrix {
  const int* row_start;
  const int* columns;    // of a row the row itself first, then later ones
  const double* blocks;  // 9 an entry, column major
};

/// What an iteration does with the velocities of rows [begin, end). Arrays of rows have 3 numbers a row.
struct CondVectors {
  const double* b;        // of rows
  const double* w;        // W, of rows
  const double* inertia;  // of rows
  double* v;              // of nodes: the iterate
  double* previous;       // of nodes: the one before; becomes the next
  double* star;           // of rows: v*, then v++
};

/// Sums over rows of one chunk.
enum CondSum {
  kCondResidual = 0,  // |W^{-1}(v++ - v)|^2 in the norm of 1/inertia
  kCondSteps,         // |next - v|^2 in the norm of the inertia
  kCondMomentum,      // |v++|^2, the same
  kCondInner,         // |W^{-1/2}(v++ - v)|^2
  kCondSums
};

/// Contacts, four at a time: three lanes of numbers side by side (see CondPlace).
struct CondContacts {
  const int* start;      // of entries of each contact
  const int* nodes;      // of entries: places of touched nodes in q
  const double* blocks;  // 9 an entry, column major, one number more at the end
  const double* e;       // quads
  const double* mu;      // a contact
  const double* step;    // a contact: 1/(gamma + omega); 0 where nothing moves
  const double* omega;   // a contact
  const double* extra;   // quads: velocity that comes from copies of rigid bodies
  double* x;             // quads: what is projected
  double* lambda;        // quads
};
/// Where component 0 of a contact is in quads; the others are 4 and 8 further on.
inline constexpr int CondPlace(int contact) { return 12 * (contact >> 2) + (contact & 3); }

struct CondKernels {
  /// y = A x, of rows.
  void (*multiply)(const CondMatrix& A, const double* x, int begin, int end, double* y);
  /// star = v - scale W (A v - b); `gradient`, if any, receives A v - b.
  void (*gradient)(const CondMatrix& A, const CondVectors& x, int begin, int end, double scale, double* gradient);
  /// Sums of the rows [begin, end) of a band, four numbers a row: y of its own rows, `overflow` of those behind.
  void (*multiply_half)(const CondHalfMatrix& A, const double* x, int begin, int end, double* y, double* overflow);
  /// star = v - scale W (y - b) for rows [begin, end); y has four numbers a row.
  void (*descend)(const CondVectors& x, const double* y, int begin, int end, double scale);
  /// previous = nu (relax (star - v) + v - previous) + previous, which is the next iterate; sums over what happened.
  void (*accelerate)(const CondMatrix& A, const CondVectors& x, int begin, int end, double scale, double nu,
                     double relax, double* sums);
  /// x = lambda - step (J q + extra + e + omega lambda) and its projection, for quads [begin, end) of contacts. q holds
  /// four numbers a touched node.
  void (*contacts)(const CondContacts& c, const double* q, bool strict, int begin, int end);
};
/// Those of the active instruction level.
const CondKernels& GetCondKernels();

}  // namespace tactus
