#include "tactus/geometry/fields/thread_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tactus/core/error.h"

namespace tactus {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

double Scale(double pitch, double r) {
  const double k = pitch / (kTurn * r);
  return 1 / std::sqrt(1 + k * k);
}

}  // namespace

ThreadProfile::ThreadProfile(const MetricThread& thread) : pitch_(thread.pitch), major_(0.5 * thread.diameter) {
  Require(pitch_ > 0 && std::isfinite(major_) && pitch_ <= 0.3 * thread.diameter, "metric thread",
          "the pitch does not go with the diameter", "0 < pitch <= 0.3 diameter");
  minor_ = major_ - 0.625 * 0.5 * std::numbers::sqrt3 * pitch_;
  corners_[0] = Vector2(major_, 0);
  corners_[1] = Vector2(major_, pitch_ / 16);
  corners_[2] = Vector2(minor_, 0.375 * pitch_);
  corners_[3] = Vector2(minor_, 0.5 * pitch_);
  depth_ = std::min(pitch_, 0.6 * minor_);
  inner_ = minor_ - depth_;
  outer_ = 1.5 * major_;
  inner_scale_ = Scale(pitch_, inner_);
}

double ThreadProfile::CalcSection(double r, double z, Vector2* gradient) const {
  // Ridges repeat and are symmetric, so the nearest point is in the same half of the same ridge.
  const double folded = z - pitch_ * std::round(z / pitch_);
  const double side = folded < 0 ? -1 : 1;
  const Vector2 p(r, std::abs(folded));
  const Vector2 flank = corners_[2] - corners_[1];
  const Vector2 n = Vector2(0.5, 0.5 * std::numbers::sqrt3);  // out of the flank
  const double height = n.dot(p - corners_[1]);
  const double along = flank.dot(p - corners_[1]) / flank.squaredNorm();
  const bool inside = p.y() <= corners_[1].y() ? r < major_ : (p.y() >= corners_[2].y() ? r < minor_ : height < 0);

  // Feet on crest, flank and root: the nearest counts. On a straight piece the normal is known without dividing.
  double best2 = along >= 0 && along <= 1 ? height * height : std::numeric_limits<double>::infinity();
  Vector2 best = n;
  double value = height;
  const auto corner = [&](const Vector2& foot, const Vector2& normal, bool straight) {
    const Vector2 difference = p - foot;
    const double squared = difference.squaredNorm();
    if (!(squared < best2)) return;
    best2 = squared;
    const double distance = std::sqrt(squared);
    value = inside ? -distance : distance;
    best = straight || !(distance > 0) ? normal : Vector2(difference / value);
  };
  const Vector2 radial = Vector2::UnitX();
  corner(Vector2(major_, std::min(p.y(), corners_[1].y())), radial, p.y() <= corners_[1].y());
  corner(Vector2(minor_, std::max(p.y(), corners_[2].y())), radial, p.y() >= corners_[2].y());
  *gradient = Vector2(best.x(), side * best.y());
  return value;
}

double ThreadProfile::Evaluate(const Vector3& p, double offset, Vector3* gradient) const {
  const double r = std::sqrt(p[0] * p[0] + p[1] * p[1]);
  const Vector2 radial = r > 0 ? Vector2(p[0] / r, p[1] / r) : Vector2(1, 0);
  const double cone = inner_scale_ * (0.5 * (r - inner_) - depth_ - offset);
  if (r <= inner_) {
    if (gradient != nullptr) *gradient = 0.5 * inner_scale_ * Vector3(radial[0], radial[1], 0);
    return cone;
  }
  Vector2 g;
  const double lead = pitch_ / kTurn;
  const double section = CalcSection(r, p[2] - lead * std::atan2(p[1], p[0]), &g) - offset;
  const double at = std::min(r, outer_), k2 = lead * lead / (at * at), scale = 1 / std::sqrt(1 + k2);
  const double value = section * scale;
  if (value < cone) {
    if (gradient != nullptr) *gradient = 0.5 * inner_scale_ * Vector3(radial[0], radial[1], 0);
    return cone;
  }
  if (gradient != nullptr) {
    const double along_r = scale * (g[0] + (r < outer_ ? section * k2 / (r * (1 + k2)) : 0));
    const double around = -scale * g[1] * lead / r;
    *gradient =
        Vector3(along_r * radial[0] - around * radial[1], along_r * radial[1] + around * radial[0], scale * g[1]);
  }
  return value;
}

}  // namespace tactus
