// A function of the plane as the greatest of some linear ones.
#pragma once

#include <array>

#include "tactus/core/types.h"

namespace tactus {

/// value + slope.d
struct LinearPiece {
  double value = 0;
  Vector2 slope = Vector2::Zero();
};

/// d may go no further than normal.d = most.
struct LinearBound {
  Vector2 normal = Vector2::Zero();
  double most = 0;
};

/// The greatest of some pieces over what some bounds leave of a disc around 0. Bounds must leave 0 in.
///
/// The least is found piece by piece: where one is above the least so far, the new least is on it, where it is above
/// all before (Seidel's linear programming in few dimensions).
class PieceModel {
 public:
  static constexpr std::size_t kMostPieces = 12, kMostBounds = 4;

  explicit PieceModel(double radius) : radius_(radius) {}

  /// No more than kMostPieces.
  void Add(const LinearPiece& piece) { pieces_[piece_count_++] = piece; }
  /// No more than kMostBounds.
  void Add(const LinearBound& bound) { bounds_[bound_count_++] = bound; }

  /// Where it is least, and `least` as that.
  Vector2 FindLeast(double* least) const;

 private:
  static constexpr std::size_t kMostLines = kMostPieces + kMostBounds;
  struct Lines {
    std::array<LinearBound, kMostLines> at;
    std::size_t count = 0;
  };
  bool FindLeastOn(std::size_t piece, Vector2* d) const;
  bool FindLeastAlong(const Lines& lines, std::size_t line, const Vector2& slope, Vector2* d) const;
  double Value(std::size_t piece, const Vector2& d) const { return pieces_[piece].value + pieces_[piece].slope.dot(d); }
  double Value(const Vector2& d) const;

  double radius_;
  std::array<LinearPiece, kMostPieces> pieces_;
  std::array<LinearBound, kMostBounds> bounds_;
  std::size_t piece_count_ = 0, bound_count_ = 0;
};

}  // namespace tactus
