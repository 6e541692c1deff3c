// Small helpers of pieces and polishing.
#pragma once

#include <algorithm>
#include <cmath>

#include "tactus/inverse/qpcc_pieces.h"

namespace tactus::polish {

inline constexpr double kPieceTolerance = 1e-12;
inline constexpr double kSmallest = 1e-300;
/// Of the steps that are left, what one call may take.
inline constexpr double kShareOfCall = 0.5;

inline double MaxAbs(const ConstVectorRef& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

inline bool HasDirection(Branch branch) { return branch == Branch::Slide || branch == Branch::Edge; }

inline Vector2 Perpendicular(const Vector2& d) { return {-d[1], d[0]}; }

inline unsigned char Bit(Branch branch) { return static_cast<unsigned char>(1u << static_cast<unsigned>(branch)); }

// Unit vector along the first t entries of v times sign; along the first axis where they vanish.
inline Vector2 DirectionOf(const double* v, int t, double sign) {
  const double x = sign * v[0], y = t == 2 ? sign * v[1] : 0, length = std::hypot(x, y);
  return length > kSmallest ? Vector2(x / length, y / length) : Vector2(1, 0);
}

inline double Length(const double* v, int t) { return t == 0 ? 0 : t == 1 ? std::abs(v[0]) : std::hypot(v[0], v[1]); }

inline double Along(const Vector2& d, const double* v, int t) {
  return t == 2 ? d[0] * v[0] + d[1] * v[1] : d[0] * v[0];
}

inline double CalcLoss(const QpccScaled& p, const VectorX& x) {
  double sum = 0;
  for (Eigen::Index i = 0; i < p.b.size(); ++i) {
    const double r = p.AB.row(i).dot(x) + p.b[i];
    sum += r * r;
  }
  return 0.5 * sum;
}

}  // namespace tactus::polish
