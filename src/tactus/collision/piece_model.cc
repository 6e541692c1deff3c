#include "tactus/collision/piece_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus {

namespace {

constexpr double kRounding = 1e-12;

}  // namespace

double PieceModel::Value(const Vector2& d) const {
  double most = Value(0, d);
  for (std::size_t i = 1; i < piece_count_; ++i) most = std::max(most, Value(i, d));
  return most;
}

Vector2 PieceModel::FindLeast(double* least) const {
  Vector2 d = Vector2::Zero();
  double most = -std::numeric_limits<double>::infinity();  // of the pieces so far, at d
  for (std::size_t i = 0; i < piece_count_; ++i) {
    const double value = Value(i, d);
    if (value <= most) continue;
    // Pieces that are almost the same may leave nothing by rounding; then what was found will do.
    Vector2 on = d;
    const bool found = FindLeastOn(i, &on);
    if (found) d = on;
    most = found ? Value(i, d) : value;
  }
  *least = Value(d);
  const double here = Value(Vector2::Zero());
  if (*least <= here) return d;
  *least = here;
  return Vector2::Zero();
}

// The least of one piece where it is above those before.
bool PieceModel::FindLeastOn(std::size_t piece, Vector2* d) const {
  const LinearPiece& p = pieces_[piece];
  Lines lines;
  for (std::size_t i = 0; i < bound_count_; ++i) lines.at[lines.count++] = bounds_[i];
  for (std::size_t i = 0; i < piece; ++i) {
    lines.at[lines.count++] = {pieces_[i].slope - p.slope, p.value - pieces_[i].value};
  }
  const double length = p.slope.norm();
  *d = length > 0 ? Vector2(-radius_ / length * p.slope) : Vector2(Vector2::Zero());
  for (std::size_t i = 0; i < lines.count; ++i) {
    const LinearBound& line = lines.at[i];
    const double over = line.normal.dot(*d) - line.most;
    if (over <= 0 || over <= kRounding * radius_ * line.normal.norm()) continue;
    if (!FindLeastAlong(lines, i, p.slope, d)) return false;
  }
  return true;
}

// The least of a slope along one of the lines, within those before and the circle.
bool PieceModel::FindLeastAlong(const Lines& lines, std::size_t line, const Vector2& slope, Vector2* d) const {
  const LinearBound& l = lines.at[line];
  const double length = l.normal.norm();
  if (!(length > 0) || std::abs(l.most) > radius_ * length) return false;
  const Vector2 foot = l.most / (length * length) * l.normal, along = Vector2(-l.normal[1], l.normal[0]) / length;
  double high = std::sqrt(std::max(0.0, radius_ * radius_ - foot.squaredNorm())), low = -high;
  for (std::size_t i = 0; i < line; ++i) {
    const LinearBound& other = lines.at[i];
    const double rate = other.normal.dot(along), left = other.most - other.normal.dot(foot);
    if (rate * rate <= kRounding * kRounding * other.normal.squaredNorm()) {
      if (left < -kRounding * radius_ * other.normal.norm()) return false;
    } else if (rate > 0) {
      high = std::min(high, left / rate);
    } else {
      low = std::max(low, left / rate);
    }
  }
  if (low > high + kRounding * radius_) return false;
  *d = foot + (slope.dot(along) > 0 ? low : high) * along;
  return true;
}

}  // namespace tactus
