#include "tactus/simulation/prescribed_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "tactus/core/error.h"

namespace tactus {

namespace {

class ConstantMotion : public PrescribedMotion {
 public:
  ConstantMotion(const Pose& start, const Vector3& v, const Vector3& w) : start_(start), v_(v), w_(w) {}
  Pose CalcPose(double time) const override {
    return {ExpRotation(time * w_).toRotationMatrix() * start_.R, start_.p + time * v_};
  }

 private:
  Pose start_;
  Vector3 v_, w_;
};

class Oscillation : public PrescribedMotion {
 public:
  Oscillation(const Pose& start, const Vector3& amplitude, const Vector3& rotation, double frequency, double phase)
      : start_(start), amplitude_(amplitude), rotation_(rotation), frequency_(frequency), phase_(phase) {}
  Pose CalcPose(double time) const override {
    const double s = std::sin(2 * std::numbers::pi * frequency_ * time + phase_);
    return {ExpRotation(s * rotation_).toRotationMatrix() * start_.R, start_.p + s * amplitude_};
  }

 private:
  Pose start_;
  Vector3 amplitude_, rotation_;
  double frequency_, phase_;
};

class WaypointMotion : public PrescribedMotion {
 public:
  WaypointMotion(std::vector<double> times, std::vector<Pose> poses)
      : times_(std::move(times)), poses_(std::move(poses)) {}
  Pose CalcPose(double time) const override {
    if (time <= times_.front()) return poses_.front();
    if (time >= times_.back()) return poses_.back();
    const auto next = static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), time) - times_.begin());
    const Pose &from = poses_[next - 1], &to = poses_[next];
    const double u = (time - times_[next - 1]) / (times_[next] - times_[next - 1]);
    const double s = u * u * (3 - 2 * u);
    const Vector3 turn = LogRotation(Quaternion(to.R * from.R.transpose()));
    return {ExpRotation(s * turn).toRotationMatrix() * from.R, from.p + s * (to.p - from.p)};
  }

 private:
  std::vector<double> times_;
  std::vector<Pose> poses_;
};

class Winding : public PrescribedMotion {
 public:
  Winding(const Pose& start, const WindingMotion& winding) : start_(start), w_(winding) {}
  Pose CalcPose(double time) const override {
    const double u = w_.begin > 0 ? std::clamp(time / w_.begin, 0.0, 1.0) : 1;
    if (u < 1) return {start_.R, start_.p + u * (Place(0) - start_.p)};
    return {start_.R, Place(time - w_.begin)};
  }

 private:
  Vector3 Place(double t) const {
    const Vector3 out(std::cos(w_.rate * t), std::sin(w_.rate * t), 0), along(-out[1], out[0], 0);
    Vector3 p = w_.centre + w_.radius * out + (w_.length + w_.length_rate * t) * along;
    p[2] = w_.height + w_.height_rate * t;
    return p;
  }

  Pose start_;
  WindingMotion w_;
};

}  // namespace

std::shared_ptr<const PrescribedMotion> MakeConstantMotion(const Pose& start, const Vector3& velocity,
                                                           const Vector3& angular_velocity) {
  Require(velocity.allFinite() && angular_velocity.allFinite(), "motion", "a velocity is not finite", "finite numbers");
  return std::make_shared<ConstantMotion>(start, velocity, angular_velocity);
}

std::shared_ptr<const PrescribedMotion> MakeOscillation(const Pose& start, const Vector3& amplitude,
                                                        const Vector3& rotation, double frequency, double phase) {
  Require(amplitude.allFinite() && rotation.allFinite() && std::isfinite(frequency) && std::isfinite(phase), "motion",
          "a number is not finite", "finite numbers");
  return std::make_shared<Oscillation>(start, amplitude, rotation, frequency, phase);
}

std::shared_ptr<const PrescribedMotion> MakeWaypointMotion(const std::vector<double>& times,
                                                           const std::vector<Pose>& poses) {
  Require(!times.empty() && times.size() == poses.size(), "motion",
          std::to_string(times.size()) + " times and " + std::to_string(poses.size()) + " poses",
          "as many, one or more");
  for (std::size_t k = 0; k < times.size(); ++k) {
    Require(std::isfinite(times[k]) && (k == 0 || times[k] > times[k - 1]), "motion",
            "time " + std::to_string(k) + " is " + std::to_string(times[k]), "increasing times [s]");
  }
  return std::make_shared<WaypointMotion>(times, poses);
}

std::shared_ptr<const PrescribedMotion> MakeWinding(const Pose& start, const WindingMotion& w) {
  Require(w.centre.allFinite() && std::isfinite(w.rate + w.length + w.length_rate + w.height + w.height_rate) &&
              w.radius >= 0 && w.begin >= 0 && std::isfinite(w.radius + w.begin),
          "motion", "a number of the winding is not finite, or negative", "finite numbers, radius and begin >= 0");
  return std::make_shared<Winding>(start, w);
}

}  // namespace tactus
