#include "tactus/generate/bolt.h"

#include <cmath>
#include <numbers>

#include "tactus/generate/generator_entry.h"
#include "tactus/generate/scene_builder.h"

namespace tactus {

namespace {

// ISO metric thread M48 x 5, in metres; nut of ISO 4032.
constexpr double kPitch = 5e-3;
constexpr double kMajorRadius = 24e-3;
constexpr double kPitchRadius = kMajorRadius - 0.5 * 0.649519 * kPitch;
constexpr double kNutMinorRadius = kMajorRadius - 0.5 * 1.082532 * kPitch;
constexpr double kNutHeight = 38e-3;
constexpr double kTanFlank = 0.57735026918962576;  // half of the 60 degree thread angle

const SettingFields<BoltSettings>& Fields() {
  static const SettingFields<BoltSettings> fields = {
      {"contacts", &BoltSettings::contacts, 1, 100000, "number of contacts on the flanks"},
      {"mu", &BoltSettings::mu, 0, 100, "friction coefficient"},
      {"gap", &BoltSettings::gap, 0, 1e-2, "scale of the random gaps [m]"},
      {"mass", &BoltSettings::mass, 1e-9, 1e9, "mass of the nut [kg]"},
      {"wrench", &BoltSettings::wrench, 0, 1e9, "scale of the random force [N], torque 0.02 m times it"},
      {"dt", &BoltSettings::dt, 1e-6, 1, "time step [s]"},
  };
  return fields;
}

}  // namespace

ContactProblem MakeBolt(const BoltSettings& settings, std::uint64_t seed) {
  ValidateFields("bolt", Fields(), settings);
  Random random(seed);
  SceneBuilder scene(settings.dt);
  Vector6 wrench;
  wrench << RandomNormal3(&random), 0.02 * RandomNormal3(&random);
  const BodyIndex nut = scene.AddBody("nut", settings.mass, settings.mass * Vector3(4e-4, 4e-4, 7e-4), Vector3::Zero(),
                                      Vector6::Zero(), settings.wrench * wrench);
  for (int k = 0; k < settings.contacts; ++k) {
    const double height = random.Uniform(-0.5, 0.5) * kNutHeight;  // of the ridge's middle
    const double angle = 2 * std::numbers::pi * height / kPitch;
    const double r = random.Uniform(kNutMinorRadius, kMajorRadius);
    const double side = random.Uniform() < 0.5 ? -1 : 1;  // upper or lower flank of the ridge
    const Vector3 radial(std::cos(angle), std::sin(angle), 0), along(-radial.y(), radial.x(), 0);
    // The ridge is half a pitch thick at the pitch radius and thinner outside. The flank is where
    // side (z - height(angle)) + (r - pitch radius) tan 30 = pitch/4; its gradient points out of the bolt.
    const double z = height + side * (0.25 * kPitch - (r - kPitchRadius) * kTanFlank);
    const double lead = kPitch / (2 * std::numbers::pi * r);
    const Vector3 normal = side * (Vector3::UnitZ() - lead * along) + kTanFlank * radial;
    scene.AddContact(nut, kWorld, r * radial + z * Vector3::UnitZ(), normal, settings.mu,
                     std::abs(random.Normal()) * settings.gap);
  }
  return scene.Build();
}

GeneratorEntry MakeBoltEntry() {
  return MakeGeneratorEntry("bolt",
                            "a nut on an M48 bolt under a random wrench: 6 dofs, contacts on the thread's flanks",
                            Fields(), &MakeBolt);
}

}  // namespace tactus
