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

/// The free end of a string that is wound around an axis along z: tangent to a circle, at a distance that shrinks while
/// it goes round. With phi = rate (t - begin), s = length + length_rate (t - begin):
///     p = centre + radius (cos phi, sin phi, 0) + s (-sin phi, cos phi, 0), z = height + height_rate (t - begin).
/// Before `begin` it goes straight from where it starts to p(begin); it never turns.
struct WindingMotion {
  Vector3 centre = Vector3::Zero();    ///< its z does not count [m]
  double radius = 0;                   ///< >= 0 [m]
  double rate = 0;                     ///< [rad/s]
  double length = 0, length_rate = 0;  ///< [m, m/s]
  double height = 0, height_rate = 0;  ///< [m, m/s]
  double begin = 0;                    ///< >= 0 [s]
};
std::shared_ptr<const PrescribedMotion> MakeWinding(const Pose& start, const WindingMotion& winding);

}  // namespace tactus
