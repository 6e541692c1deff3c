// Padded polylines, revolved about z.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tactus/core/error.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/geometry/fields/revolved_mesh.h"
#include "tactus/geometry/polyline.h"

namespace tactus {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr const char* kWhere = "revolved field";

// Walks once around a padded polyline: out along its right side, around its end, back along the other.
class OutlineWalk {
 public:
  OutlineWalk(const std::vector<Vector2>& profile, double padding, double edge)
      : profile_(profile), padding_(padding), outline_(edge) {}

  OutlineBuilder Run() {
    Side(profile_);
    const std::vector<Vector2> back(profile_.rbegin(), profile_.rend());
    Cap(back[0], back[1]);
    Side(back);
    if (profile_.front().x() > 0) Cap(profile_[0], profile_[1]);
    return std::move(outline_);
  }

 private:
  static Vector2 Normal(const Vector2& from, const Vector2& to) {
    const Vector2 t = (to - from).normalized();
    return {t.y(), -t.x()};
  }
  static double Angle(const Vector2& n) { return std::atan2(n.y(), n.x()); }

  // Half a turn, counterclockwise, around an end that was reached from `before`.
  void Cap(const Vector2& end, const Vector2& before) {
    const double from = Angle(Normal(before, end));
    outline_.AddArc(end, padding_, from, from + kPi);
  }

  // The right side of the polyline.
  void Side(const std::vector<Vector2>& line) {
    const std::size_t count = line.size();
    Vector2 at = Start(line[0], Normal(line[0], line[1]));
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const Vector2 n = Normal(line[i], line[i + 1]);
      Vector2 end = line[i + 1] + padding_ * n;
      double arc = 0;
      if (i + 2 < count) {
        const Vector2 m = Normal(line[i + 1], line[i + 2]);
        const double turn = std::atan2(n.x() * m.y() - n.y() * m.x(), n.dot(m));  // > 0: to the left, bulging
        if (turn > 0) {
          arc = turn;
        } else {
          end = line[i + 1] + padding_ / (1 + n.dot(m)) * (n + m);
        }
      } else {
        end = End(line[i + 1], n);
      }
      // Dents at both ends must leave something of the side between them.
      Require((end - at).dot(line[i + 1] - line[i]) > 0, kWhere,
              "the padding is too thick for the bends of the profile", "longer pieces or gentler bends");
      outline_.AddLine(at, end);
      if (arc > 0) {
        const double from = Angle(n);
        outline_.AddArc(line[i + 1], padding_, from, from + arc);
        end = line[i + 1] + padding_ * Normal(line[i + 1], line[i + 2]);
      }
      at = end;
    }
    if (line.back().x() == 0) FinishOnAxis(line.back(), Normal(line[count - 2], line[count - 1]));
  }

  // On the axis the profile meets its mirror image: a bulge (rounded) or a dent.
  Vector2 Start(const Vector2& p, const Vector2& n) {
    if (p.x() > 0) return p + padding_ * n;
    if (n.x() < 0) return p + Vector2(0, padding_ / n.y());
    outline_.AddArc(p, padding_, -kPi / 2, Angle(n));
    return p + padding_ * n;
  }
  Vector2 End(const Vector2& p, const Vector2& n) const {
    return p.x() > 0 || n.x() >= 0 ? Vector2(p + padding_ * n) : Vector2(p + Vector2(0, padding_ / n.y()));
  }
  void FinishOnAxis(const Vector2& p, const Vector2& n) {
    if (n.x() > 0) outline_.AddArc(p, padding_, Angle(n), kPi / 2);
  }

  const std::vector<Vector2>& profile_;
  double padding_;
  OutlineBuilder outline_;
};

class RevolvedField final : public SignedDistanceField {
 public:
  RevolvedField(const std::vector<Vector2>& profile, double padding, double edge)
      : profile_(profile), padding_(padding) {
    const OutlineBuilder outline = OutlineWalk(profile, padding, edge).Run();
    for (const Vector2& p : outline.points()) {
      Require(p.x() >= 0, kWhere, "the padding reaches across the axis", "a profile farther from the axis");
      const double off = CalcPolylineDistance(profile, p, nullptr) - padding;
      Require(std::abs(off) < 1e-9 * (padding + p.norm()), kWhere,
              "the profile comes nearer to itself than its padding", "a thinner padding or a wider profile");
    }
    std::vector<Vector2> points = outline.points();
    if ((points.front() - points.back()).norm() < 1e-9 * edge) points.pop_back();
    RevolvedMesh revolved = MakeRevolvedMesh(points, edge);
    SetSurface(std::move(revolved.mesh), outline.error() + revolved.error);
  }

  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    const double rho = std::sqrt(p[0] * p[0] + p[1] * p[1]);
    Vector2 g;
    const double distance = CalcPolylineDistance(profile_, Vector2(rho, p[2]), &g);
    if (gradient != nullptr) {
      *gradient = rho > 0 ? Vector3(g[0] * p[0] / rho, g[0] * p[1] / rho, g[1]) : Vector3(g[0], 0, g[1]);
    }
    return distance - padding_;
  }

  bool CalcSupport(const Vector3& d, Vector3* point) const override {
    const double rho = std::hypot(d[0], d[1]);
    const Vector2* best = &profile_[0];
    for (const Vector2& q : profile_) {
      if (rho * q.x() + d[2] * q.y() > rho * best->x() + d[2] * best->y()) best = &q;
    }
    const Vector3 radial = rho > 0 ? Vector3(d[0] / rho, d[1] / rho, 0) : Vector3(Vector3::UnitX());
    *point = best->x() * radial + best->y() * Vector3::UnitZ() + padding_ * d.normalized();
    return true;
  }

 private:
  std::vector<Vector2> profile_;
  double padding_;
};

}  // namespace

FieldPointer MakeRevolvedField(const std::vector<Vector2>& profile, double padding, double edge) {
  Require(profile.size() >= 2, kWhere, "the profile has no line", "two points or more");
  Require(padding > 0 && std::isfinite(padding), kWhere, "the padding is not positive", "padding > 0");
  Require(edge > 0, kWhere, "the edge length of its triangles is not positive", "edge > 0");
  for (std::size_t i = 0; i < profile.size(); ++i) {
    Require(profile[i].allFinite() && profile[i].x() >= 0 && (i == 0 || profile[i].x() > 0), kWhere,
            "a point of the profile is on the axis or beyond", "r > 0 but for the first point");
    Require(i == 0 || (profile[i] - profile[i - 1]).norm() > 0, kWhere, "two points of the profile are the same",
            "different points");
  }
  return std::make_shared<RevolvedField>(profile, padding, edge);
}

FieldPointer MakeDishField(const DishProfile& dish, double edge) {
  return MakeRevolvedField({Vector2::Zero(), dish.A, dish.B}, dish.d, edge);
}

}  // namespace tactus
