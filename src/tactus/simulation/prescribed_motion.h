// Motions that are prescribed: of kinematic bodies and of drives' targets.
#pragma once

#include <memory>
#include <vector>

#include "tactus/math/spatial.h"

namespace tactus {

/// A pose as a function of time. Immutable.
class PrescribedMotion {
 public:
  virtual ~PrescribedMotion() = default;
  virtual Pose CalcPose(double time) const = 0;
};

/// Constant velocity: X(t) turns about its own origin.
std::shared_ptr<const PrescribedMotion> MakeConstantMotion(const Pose& start, const Vector3& velocity,
                                                           const Vector3& angular_velocity);
/// start + amplitude sin(2 pi frequency t + phase), and a turn by rotation sin(...), the rotation a rotation vector.
std::shared_ptr<const PrescribedMotion> MakeOscillation(const Pose& start, const Vector3& amplitude,
                                                        const Vector3& rotation, double frequency, double phase);
/// Through poses at increasing times, with zero velocity at each (smooth: 3 s^2 - 2 s^3), at rest before and after.
std::shared_ptr<const PrescribedMotion> MakeWaypointMotion(const std::vector<double>& times,
                                                           const std::vector<Pose>& poses);

}  // namespace tactus
