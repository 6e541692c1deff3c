#include "tactus/collision/line_ends.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

// Lines at an angle of a lesser sine lie along each other.
constexpr double kAlong = 0.5;
// A mantle this much thinner than the other's, as an edge is, says where the point is and not where the normal looks:
// overlap would soon reach its axis.
constexpr double kThin = 0.1;
// Turns to find the direction in which a rim is nearest to the other line. Each divides its error by 4 or more unless
// the lines are deep in each other; there they may not converge, and the direction from axis to axis must do.
constexpr int kMaxTurns = 30;
constexpr double kSameDirection = 1e-10;

// One line, `sharp`, touches the other's mantle with a point on its own surface, and the normal is that of the mantle
// there. So both points are on the surfaces in whatever direction the first one is; the best is where it is deepest.
class Touch {
 public:
  // Normals look from the mantle towards the sharp line. `normal` serves where the lines meet.
  Touch(const RoundLine& sharp, int sharp_end, const RoundLine& mantle, int mantle_end, const Vector3& normal)
      : sharp_(sharp), mantle_(mantle), sharp_sign_(sharp_end == 1 ? 1 : -1), mantle_sign_(mantle_end == 1 ? 1 : -1) {
    Place(Vector3::Zero());
    // From axis to axis; across the mantle.
    const Vector3 to = ToAxis(normal);
    if (sharp.round_ends && sharp_ends_ && sharp_sign_ * to.dot(sharp.along) >= 0) {
      Place(to.normalized());  // on the half sphere, which is nearest there
      if (sharp_ends_) return;
    }
    const Vector3 first = Across(to);
    Place(first);
    for (int turn = 0; turn < kMaxTurns; ++turn) {
      const Vector3 before = look_;
      Place(Across(ToAxis(normal)));
      if ((look_ - before).norm() < kSameDirection) return;
    }
    Place(first);
  }

  // False where there is none.
  bool Calc(LineEnd* out) const {
    if (!(std::abs(s_) <= mantle_.half && std::abs(t_) <= sharp_.half)) return false;
    const Vector3 x = p_ + sharp_.radius * look_, from_axis = x - q_;
    // Deep in the mantle x may be past its axis.
    const double distance = from_axis.dot(look_) > 0 ? -from_axis.norm() : from_axis.norm();
    if (!(std::abs(distance) > 0)) return false;
    out->normal = from_axis / distance;
    out->gap = distance - mantle_.radius;
    out->point = x - 0.5 * out->gap * out->normal;
    return true;
  }

  bool sharp_ends() const { return sharp_ends_; }

 private:
  // From p to the mantle's axis; against the normal where p is on the axis.
  Vector3 ToAxis(const Vector3& normal) const {
    const Vector3 to = q_ - p_;
    return to.norm() > 1e-12 * (sharp_.half + mantle_.half) ? to : Vector3(-normal);
  }

  Vector3 Across(const Vector3& d) const { return (d - d.dot(sharp_.along) * sharp_.along).normalized(); }

  // The surface that looks there: at the line's end, or beside the mantle's end if that comes first.
  void Place(const Vector3& look) {
    look_ = look;
    t_ = sharp_sign_ * sharp_.half;
    s_ = (sharp_.middle + t_ * sharp_.along + sharp_.radius * look - mantle_.middle).dot(mantle_.along);
    sharp_ends_ = !(mantle_sign_ * s_ > mantle_.half);
    if (!sharp_ends_) {
      const double last = mantle_sign_ * mantle_.half;
      t_ += (last - s_) / sharp_.along.dot(mantle_.along);
      s_ = last;
    }
    p_ = sharp_.middle + t_ * sharp_.along;
    q_ = mantle_.middle + s_ * mantle_.along;
  }

  const RoundLine &sharp_, &mantle_;
  double sharp_sign_, mantle_sign_;
  double t_ = 0, s_ = 0;  // along the lines, from their middles
  Vector3 p_, q_;         // on the axes
  Vector3 look_;          // from p, unit
  bool sharp_ends_ = false;
};

}  // namespace

int CalcLineEnds(const RoundLine& a, const RoundLine& b, const Vector3& normal, double least, LineEnd out[2]) {
  if (!(a.along.cross(b.along).norm() < kAlong)) return 0;
  // Along a, from its middle.
  const double centre = (b.middle - a.middle).dot(a.along), reach = b.half * a.along.dot(b.along);
  const double low = std::max(-a.half, centre - std::abs(reach)), high = std::min(a.half, centre + std::abs(reach));
  if (!(high - low > least)) return 0;
  int count = 0;
  for (const int end_a : {0, 1}) {
    const int end_b = (end_a == 1) == (reach >= 0) ? 1 : 0;
    // A rim that ends on a mantle is the sharper one.
    const bool a_ends = std::abs(end_a == 0 ? low : high) == a.half;
    const bool a_sharp = a_ends ? b.radius >= kThin * a.radius : a.radius < kThin * b.radius;
    const Touch touch = a_sharp ? Touch(a, end_a, b, end_b, normal) : Touch(b, end_b, a, end_a, -normal);
    LineEnd& end = out[count];
    if (!touch.Calc(&end)) continue;
    ++count;
    if (!a_sharp) end.normal = -end.normal;
    end.a_ends = touch.sharp_ends() == a_sharp;
    end.end = end.a_ends ? end_a : end_b;
  }
  return count;
}

}  // namespace tactus
