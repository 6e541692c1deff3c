#include "tactus/collision/surface_descent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tactus/collision/piece_model.h"

namespace tactus {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kPieces = 6;
constexpr int kCuts = PieceModel::kMostBounds;
constexpr int kSteps = 200;
constexpr int kSettling = 12;
constexpr int kProjections = 8;
constexpr double kFlat = 1e-6;      // slopes that are not worth a step of this length
constexpr double kSameSide = 0.98;  // cosine of the angle between normals of one smooth part

// A point of the surface, and the direction that counts as its normal.
struct Place {
  FieldSample at;
  Vector3 normal = Vector3::UnitZ();
  bool found = false;
};

class Descent {
 public:
  explicit Descent(const DescentInput& in) : in_(in) {}

  FieldSample Run(const FieldSample& start, double radius, double accuracy) {
    x_ = OntoSurface(start.p, nullptr);
    return Continue(radius, accuracy, kSteps, true);
  }

 private:
  FieldSample Continue(double radius, double accuracy, int steps, bool settles) {
    if (!x_.found) {
      x_.at.value = kInfinity;
      return x_.at;
    }
    const double longest = 4 * radius;
    for (int step = 0; step < steps && radius > accuracy; ++step) {
      const Step next = FindStep(radius);
      if (next.promised <= kFlat * radius) {
        radius *= 0.25;
        Forget(2 * radius);
        continue;
      }
      const Place y = Go(next);
      if (!y.found) {
        radius *= 0.25;
        continue;
      }
      double gain = x_.at.value - y.at.value;
      const double error = next.promised - gain;
      if (settles && gain < 0.5 * next.promised && error < 0.1 * radius) {
        // Valleys and edges curve: first down to where they are by now.
        Descent inner(in_);
        inner.x_ = y;
        inner.Continue(std::min(4 * error, 0.25 * radius), accuracy, kSettling, false);
        gain = x_.at.value - inner.x_.at.value;
        if (gain > 0) {
          inner.Keep(x_, next);
          x_ = inner.x_, places_ = inner.places_, cuts_ = inner.cuts_;
          count_ = inner.count_, cut_count_ = inner.cut_count_, oldest_cut_ = inner.oldest_cut_;
          if (gain > 0.5 * next.promised) radius = std::min(2 * radius, longest);
          continue;
        }
      }
      Keep(gain > 0 ? x_ : y, next);
      if (gain > 0) {
        if (gain > 0.5 * next.promised) radius = std::min(2 * radius, longest);
        x_ = y;
      } else {
        radius *= 0.5;
      }
    }
    return x_.at;
  }

  // A half-space that has the surface on this side of an edge: where the edge stands out, also the solid, where it is
  // the floor of a groove, what is outside.
  struct Cut {
    Vector3 at = Vector3::Zero(), normal = Vector3::Zero();  // out of the half-space
    Vector3 side = Vector3::Zero();                          // normal of the surface beyond the edge
  };
  struct Step {
    Vector3 normal = Vector3::Zero(), d = Vector3::Zero();
    double promised = -kInfinity;
  };

  // The best in the plane of any side that x is on.
  Step FindStep(double radius) const {
    Step best = FindStepIn(x_.normal, radius);
    for (int i = 0; i < cut_count_; ++i) {
      const Cut& cut = cuts_[static_cast<std::size_t>(i)];
      if (cut.side.dot(x_.normal) > kSameSide || std::abs(Over(cut)) > 1e-3 * radius) continue;
      const Step other = FindStepIn(cut.side, radius);
      if (other.promised > best.promised) best = other;
    }
    return best;
  }

  Step FindStepIn(const Vector3& normal, double radius) const {
    const Matrix3 frame = RotationFromZ(normal);
    const auto plane = frame.leftCols<2>();
    PieceModel model(radius);
    model.Add(LinearPiece{x_.at.value, plane.transpose() * x_.at.gradient});
    for (int i = 0; i < count_; ++i) {
      const Place& place = places_[static_cast<std::size_t>(i)];
      const Vector3 slope = SlopeAlong(place, normal);
      // None may be above x: there the model is right.
      model.Add(LinearPiece{std::min(place.at.value + slope.dot(x_.at.p - place.at.p), x_.at.value),
                            plane.transpose() * slope});
    }
    for (int i = 0; i < cut_count_; ++i) {
      const Cut& cut = cuts_[static_cast<std::size_t>(i)];
      const double over = Over(cut);
      // Surfaces curve, so x may be a little beyond; where it is by much, the edge is not one of a convex part.
      if (cut.side.dot(normal) > kSameSide || over > 0.05 * (cut.at - x_.at.p).norm() + 10 * in_.tolerance) continue;
      model.Add(LinearBound{plane.transpose() * cut.normal, std::max(0.0, -over)});
    }
    double least = 0;
    const Vector2 d = model.FindLeast(&least);
    return {normal, plane * d, x_.at.value - least};
  }

  // Along a smooth part the surface follows the plane; what is found on another side of an edge counts as it is.
  static Vector3 SlopeAlong(const Place& place, const Vector3& normal) {
    const Vector3& g = place.at.gradient;
    if (place.normal.dot(normal) < kSameSide) return g;
    return g - g.dot(place.normal) * place.normal;
  }

  double Over(const Cut& cut) const { return cut.normal.dot(x_.at.p - cut.at); }

  Place Go(const Step& step) {
    Cut cut;
    Place y = OntoSurface(x_.at.p + step.d, &cut);
    if (cut.side.isZero() && y.found) cut = {y.at.p, -y.normal, y.normal};
    if (cut.side.isZero() || cut.side.dot(step.normal) > kSameSide) return y;
    cuts_[static_cast<std::size_t>(cut_count_ < kCuts ? cut_count_++ : oldest_cut_)] = cut;
    if (cut_count_ == kCuts) oldest_cut_ = (oldest_cut_ + 1) % kCuts;
    return y;
  }

  // Instead of what says least about where the model led.
  void Keep(const Place& place, const Step& step) {
    if (count_ < kPieces) {
      places_[static_cast<std::size_t>(count_++)] = place;
      return;
    }
    Place* lowest = nullptr;
    double least = kInfinity;
    for (Place& p : places_) {
      const double value = p.at.value + SlopeAlong(p, step.normal).dot(x_.at.p + step.d - p.at.p);
      if (!(value < least)) continue;
      least = value;
      lowest = &p;
    }
    if (lowest != nullptr) *lowest = place;
  }

  // Pieces from afar may be too high here, as surfaces curve; those from near are right to second order.
  void Forget(double distance) {
    const auto far = [&](const Vector3& p) { return (p - x_.at.p).squaredNorm() > distance * distance; };
    const auto places = places_.begin();
    const auto cuts = cuts_.begin();
    count_ =
        static_cast<int>(std::remove_if(places, places + count_, [&](const Place& p) { return far(p.at.p); }) - places);
    cut_count_ =
        static_cast<int>(std::remove_if(cuts, cuts + cut_count_, [&](const Cut& c) { return far(c.at); }) - cuts);
    oldest_cut_ = 0;
  }

  // Newton's method on own = 0. At a sharp edge the two sides would take turns, each undoing what the other did: a step
  // for one then keeps to the other. `cut`: what p is beyond of, if it is outside.
  Place OntoSurface(const Vector3& p, Cut* cut) const {
    Vector3 q = in_.X_FO.R.transpose() * (p - in_.X_FO.p), gradient, before = Vector3::Zero();
    Place out;
    for (int i = 0; i < kProjections; ++i) {
      const double off = in_.own.Evaluate(q, &gradient);
      const double length2 = gradient.squaredNorm();
      if (cut != nullptr && i == 0 && off > in_.tolerance && length2 > 0) {
        cut->at = in_.X_FO * Vector3(q - off / length2 * gradient);
        cut->normal = cut->side = in_.X_FO.R * (gradient / std::sqrt(length2));
      }
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

  const DescentInput& in_;
  Place x_;
  std::array<Place, kPieces> places_;
  std::array<Cut, kCuts> cuts_;
  int count_ = 0, cut_count_ = 0, oldest_cut_ = 0;
};

}  // namespace

FieldSample CalcSurfaceSample(const DescentInput& in, const Vector3& p) {
  Vector3 q = in.X_FO.R.transpose() * (p - in.X_FO.p), gradient;
  for (int i = 0; i < kProjections; ++i) {
    const double off = in.own.Evaluate(q, &gradient);
    if (std::abs(off) <= in.tolerance) return CalcSample(in.field, in.X_FO * q);
    q -= off * gradient;
  }
  FieldSample nowhere;
  nowhere.value = kInfinity;
  return nowhere;
}

FieldSample DescendOnSurface(const DescentInput& in, const FieldSample& start, double radius, double accuracy) {
  return Descent(in).Run(start, radius, accuracy);
}

}  // namespace tactus
