#include "tactus/generate/wedge.h"

#include <cmath>
#include <numbers>

#include "tactus/generate/generator_entry.h"
#include "tactus/generate/scene_builder.h"

namespace tactus {

namespace {

const SettingFields<WedgeSettings>& Fields() {
  static const SettingFields<WedgeSettings> fields = {
      {"mu", &WedgeSettings::mu, 0, 100, "friction coefficient"},
      {"mass", &WedgeSettings::mass, 1e-9, 1e9, "mass of the body [kg]"},
      {"push", &WedgeSettings::push, 0, 1e3, "separation speed every contact demands [m/s]"},
      {"feasible", &WedgeSettings::feasible, 0, 1,
       "1: contacts allow that approach speed instead, so there is a solution"},
      {"speed", &WedgeSettings::speed, 0, 1e3, "speed before the step [m/s]"},
      {"dt", &WedgeSettings::dt, 1e-6, 1, "time step [s]"},
  };
  return fields;
}

}  // namespace

ContactProblem MakeWedge(const WedgeSettings& settings, std::uint64_t seed) {
  ValidateFields("wedge", Fields(), settings);
  const double angle = seed == 0 ? 0 : Random(seed).Uniform(0, 2 * std::numbers::pi);
  SceneBuilder scene(settings.dt);
  Vector6 velocity = Vector6::Zero();
  velocity.head<2>() = settings.speed * Vector2(std::cos(angle), std::sin(angle));
  const BodyIndex body = scene.AddBody("wedge", settings.mass, Vector3::Constant(0.01 * settings.mass), Vector3::Zero(),
                                       velocity, Vector6::Zero());
  const double e_n = settings.feasible ? settings.push : -settings.push;
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      for (const double z : {-0.1, 0.1}) {
        scene.AddContactWithOffset(body, kWorld, Vector3(x, y, z), Vector3(x < 0 ? 1 : -1, 0, 0.2), settings.mu, e_n);
      }
    }
  }
  return scene.Build();
}

GeneratorEntry MakeWedgeEntry() {
  return MakeGeneratorEntry("wedge",
                            "a body jammed between two pushing walls: infeasible for mu > 0.2 unless told otherwise",
                            Fields(), &MakeWedge);
}

}  // namespace tactus
