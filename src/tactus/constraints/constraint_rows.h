// Where constraints put their rows: it knows how errors of position become velocities in a step.
//
// Rows of one step are of three sorts, y = J v being the velocity of what they hold:
//   gap       g >= 0 or g = 0 at the end of the step:  y + (g - g_t)/h >= 0 or = 0, with the target gap g_t = 0 if g is
//             fine now, otherwise what the correction speed allows (CalcCorrectionSpeed);
//   velocity  a law on y itself (dry friction, rolling);
//   spring    lambda = -h k (g + c h y) - h d (y - y_ref), clipped to h [lo, hi], with c = 1 - theta.
// When a step is linearised again about q_bar = q (+) h v_prev, the same calls are made with gaps at q_bar, and the
// linear part is taken off again: e = (g(q_bar) - g_t)/h - J v_prev.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/contact/contact_problem.h"

namespace tactus {

/// How fast errors of position are corrected: an error d is asked to vanish at min(alpha d/h, sqrt(0.2 g d),
/// max_speed), g being gravity (SPEC: without the root a stack with overlaps throws its top box).
struct StabilizationSettings {
  enum class Kind {
    GapSpeed,   ///< as above
    Baumgarte,  ///< without the root
    Split,      ///< as GapSpeed, and correction adds no momentum: a second solve without it gives the velocities
  };
  Kind kind = Kind::GapSpeed;
  double alpha = 1;
  double max_speed = 1;  ///< [m/s, rad/s]
  /// Overlaps of contacts up to this are left as they are [m]. Correcting what a step's linearisation leaves, fractions
  /// of a micrometer, keeps things rocking that would come to rest.
  double slop = 0;
};
const char* ToString(StabilizationSettings::Kind kind);

/// The speed at which an error of position d >= 0 is corrected.
double CalcCorrectionSpeed(const StabilizationSettings& settings, double gravity, double h, double d);

/// A row over steps: what it belongs to and which of its rows it is. Impulses are matched by it from step to step.
constexpr std::uint64_t RowKey(int constraint, int row) {
  return (static_cast<std::uint64_t>(constraint) << 32) | static_cast<std::uint32_t>(row);
}

/// The impedance of a spring row.
struct SpringLaw {
  double stiffness = 0;           ///< k [N/m, N m/rad]
  double damping = 0;             ///< d [N s/m, N m s/rad]
  double reference_velocity = 0;  ///< y_ref
  double lower = -kInfinity;      ///< of the force [N, N m]
  double upper = kInfinity;
  double force = 0;  ///< added to it
};

class ConstraintRows {
 public:
  /// `h` and `theta` of the step; `gravity` its norm.
  void Begin(double h, double theta, double gravity, const StabilizationSettings& stabilization,
             ContactProblemBuilder* builder);
  /// Starts another linearisation of the same step about v_prev, to the same builder, which must be empty of rows.
  void BeginAgain(const VectorX& v_prev);

  // On dofs of the problem.
  void AddGap(std::uint64_t key, const RowLaw& law, std::span<const int> columns, std::span<const double> values,
              double gap);
  void AddVelocity(std::uint64_t key, const RowLaw& law, std::span<const int> columns, std::span<const double> values,
                   double e);
  void AddSpring(std::uint64_t key, const SpringLaw& law, std::span<const int> columns, std::span<const double> values,
                 double gap);
  // On the velocity of body a relative to b, as a screw [linear; angular] about a point. `moving` is what the velocity
  // has besides, because one of the two moves as prescribed.
  void AddBodyGap(std::uint64_t key, const RowLaw& law, BodyIndex a, BodyIndex b, const Vector3& point,
                  const Vector6& screw, double gap, double moving = 0);
  void AddBodyVelocity(std::uint64_t key, const RowLaw& law, BodyIndex a, BodyIndex b, const Vector3& point,
                       const Vector6& screw, double e);
  void AddBodySpring(std::uint64_t key, const SpringLaw& law, BodyIndex a, BodyIndex b, const Vector3& point,
                     const Vector6& screw, double gap, double moving = 0);

  double h() const { return h_; }
  double theta() const { return theta_; }
  double CorrectionSpeed(double d) const { return CalcCorrectionSpeed(stabilization_, gravity_, h_, d); }
  /// e of something with a gap now, or linearised again: y_prev = J v_prev and `gap0`, the gap at the start of the
  /// step. An overlap up to `slop` is kept as it is.
  double CalcOffset(double gap, double gap0, double y_prev, double slop) const;
  bool again() const { return v_prev_ != nullptr; }

  /// Of the rows in the order they were added.
  const std::vector<std::uint64_t>& keys() const { return keys_; }

 private:
  double StartGap(std::uint64_t key, double gap, double y_prev);
  void FinishGap(std::uint64_t key, const RowLaw& law, int row, double gap, double moving);
  void FinishSpring(std::uint64_t key, const SpringLaw& law, int row, double gap, double moving);

  struct Start {
    std::uint64_t key;
    double gap;
  };
  double h_ = 0, theta_ = 0, gravity_ = 0;
  StabilizationSettings stabilization_;
  ContactProblemBuilder* builder_ = nullptr;
  const VectorX* v_prev_ = nullptr;
  std::vector<std::uint64_t> keys_;
  std::vector<Start> starts_;  // gaps at the start of the step, in the order of the first linearisation
  std::size_t next_start_ = 0;
};

}  // namespace tactus
