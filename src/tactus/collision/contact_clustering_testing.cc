#include "tactus/collision/contact_clustering_testing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tactus/collision/collision_testing.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/math/spatial.h"

namespace tactus {

namespace {

// Numbers of features, gaps at random.
ContactManifold Finish(ContactManifold manifold, Random* random) {
  for (int i = 0; i < manifold.size(); ++i) {
    ContactPoint& c = manifold.points[static_cast<std::size_t>(i)];
    c.feature = static_cast<std::uint64_t>(i);
    c.gap = 1e-4 * random->Normal();
  }
  return manifold;
}

ContactManifold Placed(const Pose& X, ContactManifold manifold) {
  for (ContactPoint& c : manifold.points) {
    c.point = X * c.point;
    c.normal = X.R * c.normal;
  }
  return manifold;
}

void Roughen(double by, Random* random, ContactManifold* manifold) {
  for (ContactPoint& c : manifold->points) {
    c.normal = (c.normal + by * Vector3(random->Normal(), random->Normal(), random->Normal())).normalized();
  }
}

// Of the half axes `size`, some way along z; a rectangle or an ellipse.
ContactManifold MakeAnyPatch(Random* random) {
  ContactManifold out = MakePatch(200 + random->Index(2000), random->Index(2) == 0, random);
  const double width = random->Uniform(0.1, 1);
  for (ContactPoint& c : out.points) c.point[1] *= width;
  return out;
}

ContactManifold MakeTwoPatches(Random* random) {
  ContactManifold out = MakeAnyPatch(random);
  const ContactManifold other =
      Placed(Pose(ExpRotation(random->Uniform(0, 2) * MakeRandomDirection(random)).toRotationMatrix(),
                  random->Uniform(0.05, 0.3) * MakeRandomDirection(random)),
             MakeAnyPatch(random));
  out.points.insert(out.points.end(), other.points.begin(), other.points.end());
  return Finish(out, random);
}

ContactManifold MakeAnyRing(Random* random) {
  ContactManifold out;
  const int count = 150 + random->Index(1500);
  const double tilt = random->Uniform(-1.5, 1.5), height = random->Uniform(0, 0.03), width = random->Uniform(0, 0.02);
  for (int i = 0; i < count; ++i) {
    const double a = 2 * M_PI * i / count;
    const Vector3 radial(std::cos(a), std::sin(a), 0);
    out.points.push_back({(0.05 + width * random->Uniform()) * radial + height * random->Uniform() * Vector3::UnitZ(),
                          -std::sin(tilt) * radial + std::cos(tilt) * Vector3::UnitZ(), 0, 0});
  }
  return Finish(out, random);
}

ContactManifold MakeHalfCylinder(Random* random) {
  ContactManifold out;
  const int count = 200 + random->Index(2000);
  const double length = random->Uniform(0.02, 0.2), half = random->Uniform(0.3, M_PI / 2);
  for (int i = 0; i < count; ++i) {
    const double a = random->Uniform(-half, half);
    const Vector3 n(0, std::sin(a), std::cos(a));
    out.points.push_back({-0.05 * n + random->Uniform(-length, length) * Vector3::UnitX(), n, 0, 0});
  }
  return Finish(out, random);
}

ContactManifold MakeLine(Random* random) {
  ContactManifold out;
  const int count = 130 + random->Index(800);
  const double twist = random->Uniform(0, 2);
  for (int i = 0; i < count; ++i) {
    const double x = random->Uniform(-0.1, 0.1), a = 10 * twist * x;
    out.points.push_back({Vector3(x, 0, 0), Vector3(0, std::sin(a), std::cos(a)), 0, 0});
  }
  return Finish(out, random);
}

// Of a sphere, or of a saddle with its normals.
ContactManifold MakeCurved(bool saddle, Random* random) {
  ContactManifold out;
  const int count = 200 + random->Index(2000);
  const double bend = random->Uniform(0.2, 1);
  while (out.size() < count) {
    const Vector2 p(random->Uniform(-1, 1), random->Uniform(-1, 1));
    if (p.norm() > 1) continue;
    const double other = saddle ? -bend : bend;
    const Vector3 n = Vector3(bend * p[0], other * p[1], 1).normalized();
    out.points.push_back({Vector3(p[0], p[1], -0.5 * (bend * p[0] * p[0] + other * p[1] * p[1])), n, 0, 0});
  }
  return Finish(out, random);
}

Shape FieldShape(FieldPointer field) {
  Shape shape;
  shape.type = ShapeType::Field;
  shape.field = std::move(field);
  return shape;
}

ContactManifold MakeBowlContacts(Random* random) {
  const DishProfile bowl{{random->Uniform(0.02, 0.05), 0}, {0.075, random->Uniform(0.03, 0.06)}, 2e-3};
  const auto shape = CollisionShape::Make(FieldShape(MakeDishField(bowl, 5e-3)), "");
  const Pose X(ExpRotation(random->Uniform(0, 2e-3) * MakeRandomDirection(random)).toRotationMatrix(),
               Vector3(0, 0, CalcStackHeight(bowl, bowl)) + random->Uniform(0, 1e-4) * MakeRandomDirection(random));
  const Pose X_WB = MakeRandomPose(1, random);
  CollisionScratch scratch;
  ContactManifold out;
  CollideShapes(*shape, X_WB * X, *shape, X_WB, random->Uniform(1e-4, 4e-4), &scratch, &out);
  return out;
}

// About the middle of the box of `all`, in units of its radius.
class ReachOf {
 public:
  explicit ReachOf(const ContactManifold& all) {
    Vector3 low = all.points[0].point, high = low;
    for (const ContactPoint& c : all.points) {
      low = low.cwiseMin(c.point);
      high = high.cwiseMax(c.point);
    }
    middle_ = 0.5 * (low + high);
    for (const ContactPoint& c : all.points) radius_ = std::max(radius_, (c.point - middle_).norm());
  }
  // The wrench that reaches farthest along d.
  double operator()(const ContactManifold& manifold, const Vector6& d, double mu, Vector6* wrench) const {
    double most = -1e9;
    const ContactPoint* best = nullptr;
    for (const ContactPoint& c : manifold.points) {
      const Vector3 v = d.head<3>() + d.tail<3>().cross(c.point - middle_) / radius_;
      const double along = v.dot(c.normal), reach = along + mu * (v - along * c.normal).norm();
      if (reach > most) best = &c;
      most = std::max(most, reach);
    }
    const Vector3 r = (best->point - middle_) / radius_, v = d.head<3>() + d.tail<3>().cross(r),
                  f = best->normal + mu * (v - v.dot(best->normal) * best->normal).stableNormalized();
    *wrench << f, r.cross(f);
    return most;
  }

 private:
  Vector3 middle_;
  double radius_ = 0;
};

}  // namespace

ContactManifold MakePatch(int count, bool disc, Random* random) {
  ContactManifold out;
  while (out.size() < count) {
    const Vector3 p(random->Uniform(-0.1, 0.1), random->Uniform(-0.1, 0.1), 0);
    if (!disc || p.norm() < 0.1) out.points.push_back({p, Vector3::UnitZ(), 0, 0});
  }
  return Finish(out, random);
}

ContactManifold MakeRing(int count, Random* random) {
  ContactManifold out;
  for (int i = 0; i < count; ++i) {
    const double a = 2 * M_PI * i / count, tilt = 0.6 + 0.02 * random->Normal();
    const Vector3 radial(std::cos(a), std::sin(a), 0);
    out.points.push_back({0.05 * radial, -std::sin(tilt) * radial + std::cos(tilt) * Vector3::UnitZ(), 0, 0});
  }
  return Finish(out, random);
}

ContactManifold MakeThreadContacts(double diameter, double pitch, double drop, double margin) {
  const double scale = diameter / 48e-3;
  const MetricThread thread{diameter, pitch};
  const Shape bolt = FieldShape(MakeBoltField(thread, scale * 0.08, scale * 3e-3));
  const NutSize size{.height = scale * 38e-3, .across_flats = scale * 75e-3, .clearance = scale * 2e-4};
  const Shape nut = FieldShape(MakeNutField(thread, size, scale * 3e-3));
  CollisionScratch scratch;
  ContactManifold out;
  CollideShapes(*CollisionShape::Make(nut, ""), Pose(Vector3(0, 0, -scale * drop)), *CollisionShape::Make(bolt, ""),
                Pose(), scale * margin, &scratch, &out);
  return out;
}

ContactManifold MakeRandomContacts(int count, Random* random) {
  ContactManifold out;
  for (int i = 0; i < count; ++i) {
    out.points.push_back({0.1 * random->Uniform() * MakeRandomDirection(random), MakeRandomDirection(random), 0, 0});
  }
  return Finish(out, random);
}

std::vector<NamedManifold> MakeManifolds(std::uint64_t seed) {
  std::vector<NamedManifold> out;
  Random random(seed);
  const auto add = [&](const std::string& name, const ContactManifold& manifold) {
    out.push_back({name + " " + std::to_string(out.size()), Placed(MakeRandomPose(1, &random), manifold)});
  };
  for (int k = 0; k < 2; ++k) {
    add("patch", MakeAnyPatch(&random));
    ContactManifold rough = MakeAnyPatch(&random);
    Roughen(random.Uniform(0.005, 0.05), &random, &rough);
    add("rough patch", rough);
    add("two patches", MakeTwoPatches(&random));
    ContactManifold rough_two = MakeTwoPatches(&random);
    Roughen(random.Uniform(0.005, 0.03), &random, &rough_two);
    add("two rough patches", rough_two);
    add("ring", MakeAnyRing(&random));
    ContactManifold rough_ring = MakeAnyRing(&random);
    Roughen(random.Uniform(0.005, 0.05), &random, &rough_ring);
    add("rough ring", rough_ring);
    add("half cylinder", MakeHalfCylinder(&random));
    add("line", MakeLine(&random));
    add("cap", MakeCurved(false, &random));
    add("saddle", MakeCurved(true, &random));
  }
  return out;
}

std::vector<NamedManifold> MakeFieldManifolds(std::uint64_t seed) {
  std::vector<NamedManifold> out;
  Random random(seed);
  for (int k = 0; k < 6; ++k) out.push_back({"bowls " + std::to_string(k), MakeBowlContacts(&random)});
  struct Size {
    std::string name;
    double diameter, pitch;
  };
  for (const auto& [name, diameter, pitch] :
       {Size{"M12", 12e-3, 1.75e-3}, Size{"M20", 20e-3, 2.5e-3}, Size{"M48", 48e-3, 5e-3}, Size{"M64", 64e-3, 6e-3}}) {
    const double drop = random.Uniform(2.1e-4, 2.35e-4), margin = random.Uniform(0.5e-4, 1.5e-4);
    out.push_back({name + " on a flank", MakeThreadContacts(diameter, pitch, drop, margin)});
    out.push_back({name + " on both", MakeThreadContacts(diameter, pitch, random.Uniform(0, 5e-5), 2.2e-4)});
  }
  return out;
}

double CalcWorstLoss(const ContactManifold& all, const ContactManifold& some, double friction, int directions,
                     std::uint64_t seed) {
  const ReachOf reach(all);
  Random random(seed);
  Vector6 of_all, of_some;
  const auto loss_along = [&](const Vector6& d) {
    return reach(all, d, friction, &of_all) - reach(some, d, friction, &of_some);
  };
  std::vector<std::pair<double, Vector6>> tried;
  for (int i = 0; i < directions; ++i) {
    Vector6 d;
    for (int k = 0; k < 6; ++k) d[k] = random.Normal();
    d.normalize();
    tried.emplace_back(loss_along(d), d);
  }
  const auto starts = std::min<std::ptrdiff_t>(10, directions);
  std::partial_sort(tried.begin(), tried.begin() + starts, tried.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  double worst = tried.front().first;
  for (auto start = tried.begin(); start != tried.begin() + starts; ++start) {
    auto [loss, d] = *start;
    for (double step = 0.1; step > 1e-4;) {
      loss_along(d);
      const Vector6 gradient = of_all - of_some, slope = gradient - gradient.dot(d) * d;
      const Vector6 next = (d + step * slope.stableNormalized()).normalized();
      const double found = loss_along(next);
      if (found > loss) {
        loss = found;
        d = next;
      } else {
        step *= 0.6;
      }
    }
    worst = std::max(worst, loss);
  }
  return worst;
}

}  // namespace tactus
