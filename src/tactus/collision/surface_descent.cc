#include "tactus/collision/surface_descent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tactus {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kPieces = 5;
constexpr int kSteps = 150;
constexpr int kProjections = 8;
constexpr double kFlat = 1e-5;  // slopes that are not worth a step of this length

// A point of the surface, and the direction that counts as its normal.
struct Place {
  FieldSample at;
  Vector3 normal = Vector3::UnitZ();
  bool found = false;
};

// The model's piece: value at x + d is `value` + slope.d, d in the tangent plane of x.
struct Piece {
  double value = 0;
  Vector2 slope = Vector2::Zero();
};

// The least of the greatest piece over a disc; all candidates are tried.
class DiscMinimum {
 public:
  DiscMinimum(const Piece* pieces, int count, double radius) : pieces_(pieces), count_(count), radius_(radius) {}

  Vector2 Run(double* value) {
    Try(Vector2::Zero());
    for (int i = 0; i < count_; ++i) {
      const double length = pieces_[i].slope.norm();
      if (length > 0) Try(-radius_ / length * pieces_[i].slope);
      for (int j = 0; j < i; ++j) TryPair(pieces_[i], pieces_[j]);
    }
    for (int i = 0; i < count_; ++i) {
      for (int j = 0; j < i; ++j) {
        for (int k = 0; k < j; ++k) TryTriple(pieces_[i], pieces_[j], pieces_[k]);
      }
    }
    *value = least_;
    return best_;
  }

 private:
  void Try(const Vector2& d) {
    double most = -kInfinity;
    for (int i = 0; i < count_; ++i) most = std::max(most, pieces_[i].value + pieces_[i].slope.dot(d));
    if (!(most < least_)) return;
    least_ = most;
    best_ = d;
  }

  // Where both are the same: a line; its foot and its ends on the circle.
  void TryPair(const Piece& p, const Piece& q) {
    const Vector2 normal = p.slope - q.slope;
    const double length2 = normal.squaredNorm(), offset = q.value - p.value;
    if (!(length2 > 0) || offset * offset > radius_ * radius_ * length2) return;
    const Vector2 foot = offset / length2 * normal;
    const double half = std::sqrt(std::max(0.0, radius_ * radius_ - foot.squaredNorm()) / length2);
    const Vector2 along(-half * normal[1], half * normal[0]);
    Try(foot);
    Try(foot + along);
    Try(foot - along);
  }

  void TryTriple(const Piece& p, const Piece& q, const Piece& r) {
    const Vector2 u = p.slope - q.slope, v = p.slope - r.slope;
    const double b = q.value - p.value, c = r.value - p.value, determinant = u[0] * v[1] - u[1] * v[0];
    if (determinant == 0) return;
    const Vector2 d((b * v[1] - c * u[1]) / determinant, (u[0] * c - v[0] * b) / determinant);
    if (d.squaredNorm() <= radius_ * radius_) Try(d);
  }

  const Piece* pieces_;
  int count_;
  double radius_;
  double least_ = kInfinity;
  Vector2 best_ = Vector2::Zero();
};

class Descent {
 public:
  explicit Descent(const DescentInput& in) : in_(in) {}

  FieldSample Run(const FieldSample& start, double radius, double accuracy) {
    Place x = OntoSurface(start.p);
    if (!x.found) {
      x.at.value = kInfinity;
      return x.at;
    }
    // Pieces by where they were found and which slope they had there, in space.
    std::array<Vector3, kPieces> at, slope;
    std::array<double, kPieces> value;
    int count = 0, oldest = 0;
    const double smallest = accuracy, longest = 4 * radius;
    for (int step = 0; step < kSteps && radius > smallest; ++step) {
      const Matrix3 frame = RotationFromZ(x.normal);
      std::array<Piece, kPieces + 1> pieces;
      for (int i = 0; i < count; ++i) {
        const auto k = static_cast<std::size_t>(i);
        pieces[k].slope = frame.leftCols<2>().transpose() * slope[k];
        // None may be above x: there the model is right.
        pieces[k].value = std::min(value[k] + slope[k].dot(x.at.p - at[k]), x.at.value);
      }
      pieces[static_cast<std::size_t>(count)] = {x.at.value, frame.leftCols<2>().transpose() * x.at.gradient};
      double least = 0;
      const Vector2 d = DiscMinimum(pieces.data(), count + 1, radius).Run(&least);
      const double promised = x.at.value - least;
      if (promised <= kFlat * radius) {
        // Pieces from afar may be too high here, as surfaces curve; those from near are right to second order.
        if (promised <= 0.1 * accuracy && radius <= 1e3 * accuracy) break;
        radius *= 0.25;
        int kept = 0;
        for (int i = 0; i < count; ++i) {
          const auto from = static_cast<std::size_t>(i), to = static_cast<std::size_t>(kept);
          if ((at[from] - x.at.p).squaredNorm() > 4 * radius * radius) continue;
          at[to] = at[from], slope[to] = slope[from], value[to] = value[from];
          ++kept;
        }
        count = kept, oldest = 0;
        continue;
      }
      const Vector3 target = x.at.p + frame.leftCols<2>() * d;
      Place y = OntoSurface(target);
      if (!y.found) {
        radius *= 0.25;
        continue;
      }
      const Vector3 composed = Straighten(x, target, &y);
      const auto slot = static_cast<std::size_t>(count < kPieces ? count++ : oldest);
      if (count == kPieces) oldest = (oldest + 1) % kPieces;
      at[slot] = y.at.p;
      slope[slot] = composed;
      value[slot] = y.at.value;
      const double gain = x.at.value - y.at.value;
      if (gain > 0) {
        if (gain > 0.5 * promised) radius = std::min(2 * radius, longest);
        x = y;
      } else {
        radius = 0.5 * std::min(radius, d.norm());
      }
    }
    return x.at;
  }

 private:
  // Newton's method on own = 0. At a sharp edge the two sides would take turns, each undoing what the other did: a step
  // for one then keeps to the other.
  Place OntoSurface(const Vector3& p) const {
    Vector3 q = in_.X_FO.R.transpose() * (p - in_.X_FO.p), gradient, before = Vector3::Zero();
    Place out;
    for (int i = 0; i < kProjections; ++i) {
      const double off = in_.own.Evaluate(q, &gradient);
      const double length2 = gradient.squaredNorm();
      if (std::abs(off) <= in_.tolerance) {
        out.at = CalcSample(in_.field, in_.X_FO * q);
        out.normal = length2 > 0 ? Vector3(in_.X_FO.R * (gradient / std::sqrt(length2))) : Vector3::UnitZ();
        out.found = true;
        return out;
      }
      const double both = gradient.dot(before);
      Vector3 way = gradient;
      if (off > 0 && both < 0) way -= both / before.squaredNorm() * before;
      q -= off / std::max(way.squaredNorm(), 1e-3) * way;
      before = off > 0 ? gradient : Vector3(Vector3::Zero());
    }
    return out;
  }

  // The slope of what is felt at y = P(target) when d changes. On a smooth part P takes off what is along the normal.
  // Targets beyond an edge come back to it from a whole wedge of directions: there only what is along the edge counts,
  // and the plane to go on in is one that leans on both sides of it.
  Vector3 Straighten(const Place& x, const Vector3& target, Place* y) const {
    const Vector3 back = target - y->at.p, g = y->at.gradient;
    const double distance = back.norm();
    if (distance > 100 * in_.tolerance) {
      Vector3 k = back / distance;
      if (k.dot(y->normal) < 0) k = -k;
      const Vector3 edge = x.normal.cross(k);
      if (k.dot(y->normal) < 0.99 && edge.norm() > 0.1) {
        const Vector3 u = edge.normalized();
        y->normal = (y->normal + k).normalized();
        return g.dot(u) * u;
      }
    }
    return g - g.dot(y->normal) * y->normal;
  }

  const DescentInput& in_;
};

}  // namespace

FieldSample DescendOnSurface(const DescentInput& in, const FieldSample& start, double radius, double accuracy) {
  return Descent(in).Run(start, radius, accuracy);
}

}  // namespace tactus
