// A smooth piece of the feasible set: every contact in a fixed branch of its law, every actuator free or at a bound.
// On a piece the problem has equality constraints only, and Newton's method solves it; with planar or no friction it is
// a linear system.
#pragma once

#include <vector>

#include "tactus/inverse/qpcc_sweeps.h"
#include "tactus/math/dense_lu.h"

namespace tactus {

/// A branch of the law, or what lies between two.
enum class Branch : unsigned char {
  Open,   ///< l = 0, s free                      (needs s_n >= 0)
  Stick,  ///< s = 0, l free                      (needs l in the cone)
  Slide,  ///< l = l_n (-mu d, 1), s = (s d, 0)   (needs l_n >= 0, s >= 0)
  Edge,   ///< s = 0, l = l_n (-mu d, 1): between stick and slide   (needs l_n >= 0)
  Graze,  ///< l = 0, s_n = 0: between open and slide
  Rest,   ///< l = 0, s = 0: between open and stick
};
enum class AtBound : signed char { Lower = -1, Free = 0, Upper = 1 };

/// Which piece, and where on it.
struct QpccPiece {
  std::vector<AtBound> bounds;     ///< per actuator
  std::vector<Branch> branches;    ///< per contact
  std::vector<double> normal;      ///< l_n per contact: Slide, Edge
  std::vector<Vector2> direction;  ///< d per contact: Slide, Edge; (+-1, 0) where there is one tangent

  /// The same bounds and branches, and contacts that slide do so within 60 degrees of each other.
  bool SameAs(const QpccPiece& other) const;
};

/// How Newton's method on a piece ended.
enum class PieceEnd {
  Converged,  ///< the KKT conditions of the piece hold
  Left,       ///< it went where a sliding contact pulls or slides backwards: the piece has no answer nearby
  Failed,     ///< neither
};

/// Newton's method on a piece, with proximal regularization of both blocks, so that redundant contacts do not matter.
/// Where directions of sliding make the piece curved: the exact Hessian where it curves upwards along the step, else
/// Gauss-Newton's, and a line search on the loss plus violated constraints. In scaled units. x_hat, s_hat, y_x, y_s and
/// modes of the iterate are where it starts and ends.
class QpccPieceSolver {
 public:
  /// Systems of more than `most_rows` rows will not be tried.
  void Resize(const QpccScaled& problem, int most_rows);
  /// Until the KKT conditions of the piece hold to `tolerance` (relative). Adds to `steps`.
  [[nodiscard]] PieceEnd Solve(const QpccScaled& problem, double tolerance, QpccPiece* piece, QpccIterate* it,
                               int* steps);

 private:
  struct Column {
    int index = 0;  // actuator or contact
    int part = 0;   // of a contact: component (Stick), 0 length and 1 angle (Slide, Edge)
    bool contact = false;
  };
  struct Row {
    int contact = 0;
    int part = 0;  // component of sigma; kAcross: d_perp . sigma_t
  };
  static constexpr int kAcross = -1;

  void List(const QpccScaled& problem, const QpccPiece& piece);
  void Evaluate(const QpccScaled& problem, const QpccPiece& piece, QpccIterate* it);
  void Differentiate(const QpccScaled& problem, const QpccPiece& piece);
  void CollectMultipliers(const QpccScaled& problem, const QpccPiece& piece, QpccIterate* it);
  double CalcError(const QpccScaled& problem, QpccIterate* it);
  void Assemble(const QpccScaled& problem, const QpccPiece& piece, DenseLu::Matrix* K);
  void AddCurvature(const QpccScaled& problem, const QpccPiece& piece, const QpccIterate& it, DenseLu::Matrix* K) const;
  void StartMultipliers(const QpccScaled& problem, const QpccPiece& piece, const QpccIterate& it);
  bool FindDirection(const QpccScaled& problem, const QpccPiece& piece, const QpccIterate& it, int* steps);
  void CalcKktResidual(const QpccScaled& problem, const QpccPiece& piece, const QpccIterate& it);
  double CalcMerit(const QpccScaled& problem, const QpccIterate& it) const;
  double SearchLine(const QpccScaled& problem, QpccPiece* piece, QpccIterate* it);
  void Move(const QpccScaled& problem, double fraction, QpccPiece* piece, QpccIterate* it);
  bool LeftPiece(const QpccScaled& problem, const QpccPiece& piece) const;
  void Finish(const QpccScaled& problem, const QpccPiece& piece, QpccIterate* it);

  std::vector<Column> columns_;
  std::vector<Row> rows_;
  MatrixX Hdx_;      // n x columns: H dx
  MatrixX dsigma_;   // m x columns: CD dx
  MatrixX hessian_;  // columns x columns: of the Lagrangian, kept from being overwritten by its factors
  VectorX sigma_, gradient_, nu_, constraint_, residual_, kkt_, correction_;
  double hessian_scale_ = 1, merit_weight_ = 0;
  bool curved_ = false;  // some contact may turn
  int failures_ = 0;     // line searches that found no merit
  int most_rows_ = 0;
  QpccPiece start_piece_;
  QpccIterate start_;
  DenseLu lu_;
};

}  // namespace tactus
