// Free bodies under gravity and contacts by gap: what the generators of scenes have in common.
#pragma once

#include <string>
#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/core/random.h"

namespace tactus {

inline constexpr double kGravity = 9.81;  ///< [m/s^2], along -z

/// Rows t1, t2, n; t1 is perpendicular to the world axis that n leans to least.
Matrix3 MakeContactFrame(const Vector3& normal);

Vector3 RandomNormal3(Random* random);
Vector3 RandomDirection(Random* random);

/// A ContactProblemBuilder for one semi-implicit Euler step of `dt` seconds.
class SceneBuilder {
 public:
  explicit SceneBuilder(double dt) : dt_(dt) {}

  double dt() const { return dt_; }
  ContactProblemBuilder& builder() { return builder_; }

  /// A free body with principal inertia along the world axes. `velocity` is before the step, [linear; angular];
  /// `wrench` [N; N m] acts during it besides gravity.
  BodyIndex AddBody(const std::string& name, double mass, const Vector3& inertia, const Vector3& center,
                    const Vector6& velocity, const Vector6& wrench);
  /// A contact with a gap [m] (negative: overlap, corrected at once); the normal points from b towards a.
  void AddContact(BodyIndex a, BodyIndex b, const Vector3& point, const Vector3& normal, double mu, double gap) {
    AddContactWithOffset(a, b, point, normal, mu, gap / dt_);
  }
  /// The same with e_n [m/s] itself.
  void AddContactWithOffset(BodyIndex a, BodyIndex b, const Vector3& point, const Vector3& normal, double mu,
                            double e_n);

  ContactProblem Build() { return builder_.Build(); }

 private:
  double dt_;
  ContactProblemBuilder builder_;
};

}  // namespace tactus
