// Contact-implicit inverse dynamics as a quadratic program with complementarity constraints (paper 004, eq. 10):
//
//     min  1/2 |A x_a + B x_c + b|^2                                       over x_a, x_c, sigma
//     s.t. sigma = C x_a + (D + R) x_c + g,   lo <= x_a <= hi,   (x_c, sigma) in S
//
// x_a    na, actuation impulses (h times motor torque, cable tension, ...)      [N s, N m s]
// x_c    m, contact impulses; contact i has the dim rows [t1, t2, n], [t, n] or [n], the normal last   [N s]
// sigma  m, velocities of the contact points, with gap/h on the normal rows     [m/s]
// A, B, b  the task: one row per (weighted) thing that should vanish. They are not the A and b of a ContactProblem.
// C, D, g  contact velocities: by the actuation, by the contacts (the Delassus matrix, symmetric), and otherwise
// R      diagonal: compliance of the contacts
//
// S is the law of the contacts: 0 <= x_n _|_ sigma_n >= 0 and, with friction, exact Coulomb friction. Its branches
// (stick, slide, break) are not given: which of them is best is part of the answer.
#pragma once

#include <string>

#include "tactus/core/types.h"

namespace tactus {

/// The law of the contacts. The value is the number of rows of a contact. It is part of the file format.
enum class QpccKind : int {
  Lcp = 1,     ///< [n]: Signorini, no friction
  Planar = 2,  ///< [t, n]: Coulomb friction along a line (planar mechanisms)
  Ncp = 3,     ///< [t1, t2, n]: Coulomb friction
};
const char* ToString(QpccKind kind);

/// See the head of this file.
struct QpccProblem {
  MatrixX A;           ///< task by actuation, ne x na
  MatrixX B;           ///< task by contacts, ne x m
  VectorX b;           ///< task otherwise, ne
  MatrixX C;           ///< contact velocities by actuation, m x na
  MatrixX D;           ///< Delassus matrix, m x m, symmetric positive semidefinite, may be singular
  VectorX g;           ///< contact velocities without actuation and contact, plus gap/h [m/s], m
  VectorX lower;       ///< lo, na; may be -infinity
  VectorX upper;       ///< hi >= lo, na; may be +infinity
  VectorX mu;          ///< friction coefficients >= 0, one a contact; unused (may be empty) for Lcp
  VectorX compliance;  ///< diagonal of R >= 0 [m/(N s^2)], one a row; empty: rigid contacts
  QpccKind kind = QpccKind::Ncp;
  std::string name;        ///< what this problem is
  std::string provenance;  ///< where it comes from

  int num_actuators() const { return static_cast<int>(C.cols()); }
  int num_tasks() const { return static_cast<int>(b.size()); }
  /// Rows of a contact.
  int dim() const { return static_cast<int>(kind); }
  /// Length of x_c and sigma.
  int num_rows() const { return static_cast<int>(g.size()); }
  int num_contacts() const { return num_rows() / dim(); }
  double friction(int contact) const { return kind == QpccKind::Lcp ? 0 : mu[contact]; }

  /// Sets all sizes, keeps memory where they are the same, and zeroes everything; bounds are infinite.
  void Resize(int tasks, int actuators, int contacts, QpccKind new_kind);

  /// Throws InputError unless sizes agree and all numbers make sense.
  void Validate() const;
  /// The same of the sizes alone.
  void ValidateSizes() const;
  /// What is wrong with the numbers ("D(3, 4) is not finite"); empty if nothing is.
  std::string FindFault() const;
};

/// 1/2 |A x_a + B x_c + b|^2.
double CalcQpccLoss(const QpccProblem& problem, const ConstVectorRef& actuation, const ConstVectorRef& contact);
/// C x_a + (D + R) x_c + g.
void CalcQpccSigma(const QpccProblem& problem, const ConstVectorRef& actuation, const ConstVectorRef& contact,
                   VectorX* sigma);

/// The problem with friction removed: the normal rows alone (kind Lcp).
QpccProblem MakeFrictionless(const QpccProblem& problem);

}  // namespace tactus
