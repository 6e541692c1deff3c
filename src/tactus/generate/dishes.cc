#include "tactus/generate/dishes.h"

#include <array>
#include <cmath>
#include <numbers>

#include "tactus/generate/generator_entry.h"
#include "tactus/generate/scene_builder.h"
#include "tactus/geometry/dish_profile.h"

namespace tactus {

namespace {

constexpr int kDishes = 4;
constexpr int kRings = 3;         // per interface
constexpr double kMargin = 1e-4;  // parts of the profiles closer than this touch [m]

// Bowl in bowl touch along their walls, the plate lies with its wall on the bowl's rim, the pot stands on its base.
const std::array<DishProfile, kDishes> kProfiles = {{
    {{0.035, 0}, {0.075, 0.050}, 2e-3},
    {{0.035, 0}, {0.075, 0.050}, 2e-3},
    {{0.060, 0}, {0.110, 0.025}, 2e-3},
    {{0.055, 0}, {0.070, 0.100}, 3e-3},
}};
const std::array<const char*, kDishes> kNames = {"lower bowl", "upper bowl", "plate", "pot"};

// A circle of contacts, in the frame of the lower dish.
struct Ring {
  Vector2 point;
  Vector2 normal;
  double gap = 0;
};

// Where a dish touches what is below it: rings spread evenly over the stretch of its underside that is near. `distance`
// is the field below.
template <class Distance>
std::vector<Ring> FindRings(const DishProfile& dish, double height, const Distance& distance) {
  std::vector<Ring> near;
  for (const Vector2& p : SampleUnderside(dish, 1e-4)) {
    Ring ring;
    ring.point = p + Vector2(0, height);
    ring.gap = distance(ring.point, &ring.normal);
    if (ring.gap < kMargin && p.x() > 5e-3) near.push_back(ring);
  }
  std::vector<Ring> rings;
  for (int k = 1; k <= kRings; ++k) rings.push_back(near[(near.size() - 1) * k / kRings]);
  return rings;
}

const SettingFields<DishesSettings>& Fields() {
  static const SettingFields<DishesSettings> fields = {
      {"contacts", &DishesSettings::contacts, 4, 100000, "number of contacts in all"},
      {"mu", &DishesSettings::mu, 0, 100, "friction coefficient"},
      {"mass", &DishesSettings::mass, 1e-9, 1e9, "mass of bowls and plate [kg]"},
      {"pot", &DishesSettings::pot, 1e-9, 1e9, "mass of the pot [kg]"},
      {"gap", &DishesSettings::gap, 0, 1e-2, "scale of the random gaps [m]"},
      {"wrench", &DishesSettings::wrench, 0, 1e9, "scale of the random forces, in weights"},
      {"speed", &DishesSettings::speed, 0, 1e3, "scale of the random velocities [m/s, rad/s]"},
      {"dt", &DishesSettings::dt, 1e-6, 1, "time step [s]"},
  };
  return fields;
}

}  // namespace

ContactProblem MakeDishes(const DishesSettings& settings, std::uint64_t seed) {
  ValidateFields("dishes", Fields(), settings);
  Random random(seed);
  SceneBuilder scene(settings.dt);
  std::array<double, kDishes> height{};
  height[0] = kProfiles[0].d;
  for (int i = 1; i < kDishes; ++i) height[i] = height[i - 1] + CalcStackHeight(kProfiles[i - 1], kProfiles[i]);

  for (int i = 0; i < kDishes; ++i) {
    const double mass = i + 1 == kDishes ? settings.pot : settings.mass;
    const DishInertia shell = CalcDishInertia(kProfiles[i]);
    Vector6 wrench, velocity;
    wrench << RandomNormal3(&random), 0.03 * RandomNormal3(&random);
    velocity << RandomNormal3(&random), RandomNormal3(&random);
    scene.AddBody(kNames[i], mass, mass * Vector3(shell.transverse, shell.transverse, shell.axial),
                  Vector3(0, 0, height[i] + shell.center), settings.speed * velocity,
                  settings.wrench * mass * kGravity * wrench);
  }

  for (int i = 0; i < kDishes; ++i) {
    const auto ground = [](const Vector2& p, Vector2* normal) {
      *normal = Vector2(0, 1);
      return p.y();
    };
    const auto dish_below = [&](const Vector2& p, Vector2* normal) {
      return CalcDishDistance(kProfiles[i - 1], p - Vector2(0, height[i - 1]), normal);
    };
    const std::vector<Ring> rings =
        i == 0 ? FindRings(kProfiles[i], height[i], ground) : FindRings(kProfiles[i], height[i], dish_below);
    const int first = settings.contacts * i / kDishes, count = settings.contacts * (i + 1) / kDishes - first;
    const double start = random.Uniform(0, 2 * std::numbers::pi);
    for (int k = 0; k < count; ++k) {
      const Ring& ring = rings[k % kRings];
      const double angle = start + 2 * std::numbers::pi * k / count;
      const Vector3 radial(std::cos(angle), std::sin(angle), 0);
      const double extra = (first + k) % 3 > 0 ? std::abs(random.Normal()) * settings.gap : 0;
      scene.AddContact(i, i - 1, ring.point.x() * radial + ring.point.y() * Vector3::UnitZ(),
                       ring.normal.x() * radial + ring.normal.y() * Vector3::UnitZ(), settings.mu,
                       std::max(0.0, ring.gap) + extra);
    }
  }
  return scene.Build();
}

GeneratorEntry MakeDishesEntry() {
  return MakeGeneratorEntry("dishes", "bowl, bowl, plate and a heavy pot stacked on the ground: 24 dofs, mass ratio 50",
                            Fields(), &MakeDishes);
}

}  // namespace tactus
