// What contacts and the small dense blocks of What do to each other, compiled once per instruction-set level.
#pragma once

#include <cstddef>

#include "tactus/math/local_contact.h"

namespace tactus {

/// Ranks up to this one run in the kernels of contacts.
inline constexpr int kPaddedRank = 8;

/// One contact in the coordinates of its group g: its three rows of C, and What_gg C^T, padded with zeros.
struct alignas(32) ContactBasis {
  double C[3][kPaddedRank];
  double WC[3][kPaddedRank];
};

/// What in block-CSR over groups: block k is column major, rows x rank[k], at values + start[k], and multiplies the
/// coordinates from coordinate[k] on.
struct CoordinateRows {
  const double* values;
  const std::size_t* start;
  const int* coordinate;
  const int* rank;
};

/// A group of contacts with rank <= kPaddedRank.
struct ContactGroup {
  int begin, end;              // contacts
  int rank, coordinate;        // size and first of its coordinates
  int block_begin, block_end;  // its row of What
};

struct CoordinateKernels {
  /// y = sum over the blocks [begin, end) of B_k s[coordinate_k ...], r rows.
  void (*multiply_row)(int r, const CoordinateRows& rows, int begin, int end, const double* s, double* y);
  /// S += B K, B column major r x c, K row major c x c, S row major with the given stride.
  void (*add_product)(int r, int c, const double* B, const double* K, double* S, int stride);
  /// One Gauss-Seidel sweep with exact local solves over contacts: r_i += relaxation (local solution - r_i), s = C^T r
  /// kept up to date. `diagonal` holds 9 entries of W_ii a contact, q and r three a contact. `tolerance` as in
  /// SingleContact::Solve.
  void (*sweep)(const ContactGroup* groups, int count, bool backward, double relaxation, double tolerance,
                const CoordinateRows& rows, const ContactBasis* basis, const SingleContact* local,
                const double* diagonal, const double* q, double* s, double* r);
  /// K = sum_i C_i^T G_i C_i over contacts [begin, end), K row major rank x rank, G 9 entries a contact.
  void (*gram)(int begin, int end, int rank, const ContactBasis* basis, const double* G, double* K);
  /// s = sum_i C_i^T r_i over contacts [begin, end).
  void (*to_coordinates)(int begin, int end, int rank, const ContactBasis* basis, const double* r, double* s);
  /// u_i = C_i y for contacts [begin, end).
  void (*from_coordinates)(int begin, int end, int rank, const ContactBasis* basis, const double* y, double* u);
};

const CoordinateKernels& GetCoordinateKernels();

}  // namespace tactus
