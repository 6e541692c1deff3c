#include "tactus/generate/chain.h"

#include "tactus/generate/generator_entry.h"
#include "tactus/generate/scene_builder.h"

namespace tactus {

namespace {

constexpr double kLength = 0.2;  // of a link [m]
constexpr double kHeight = 0.1;  // of the chain above the ground [m]

const SettingFields<ChainSettings>& Fields() {
  static const SettingFields<ChainSettings> fields = {
      {"bodies", &ChainSettings::bodies, 1, 10000, "number of bodies"},
      {"mu", &ChainSettings::mu, 0, 100, "friction coefficient"},
      {"mass", &ChainSettings::mass, 1e-9, 1e9, "mass of a link [kg]"},
      {"tip", &ChainSettings::tip, 1e-9, 1e9, "mass of the last body [kg]"},
      {"stiffness", &ChainSettings::stiffness, 0, 1e12, "stiffness of the springs about z [N m/rad]"},
      {"effort", &ChainSettings::effort, 0, 1e12, "largest torque of the drives about x [N m]"},
      {"dry", &ChainSettings::dry, 0, 1e12, "dry friction torque at the first joint [N m]"},
      {"soft", &ChainSettings::soft, 0, 1, "1: with springs, drives and dry friction"},
      {"speed", &ChainSettings::speed, 0, 1e3, "scale of the random velocities [m/s, rad/s]"},
      {"dt", &ChainSettings::dt, 1e-6, 1, "time step [s]"},
  };
  return fields;
}

Vector6 Screw(const Vector3& linear, const Vector3& angular) {
  Vector6 out;
  out << linear, angular;
  return out;
}

// Springs about z, effort-limited drives about x between consecutive links; dry friction at the first joint.
void AddSoftRows(const ChainSettings& settings, Random* random, ContactProblemBuilder* builder) {
  const double h = settings.dt;
  for (int i = 1; i < settings.bodies; ++i) {
    const Vector3 joint(kLength * i, 0, kHeight);
    const double error = 0.05 * random->Normal(), drive_error = 0.05 * random->Normal();
    builder->AddBodyRow(RowLaw::Soft(h * h * settings.stiffness + 0.01, h * settings.stiffness * error), i, i - 1,
                        joint, Screw(Vector3::Zero(), Vector3::UnitZ()), 0);
    builder->AddBodyRow(RowLaw::BoundedSoft(h * h * settings.stiffness + 0.01, h * settings.stiffness * drive_error,
                                            -h * settings.effort, h * settings.effort),
                        i, i - 1, joint, Screw(Vector3::Zero(), Vector3::UnitX()), 0);
  }
  builder->AddBodyRow(RowLaw::DryFriction(h * settings.dry), 0, kWorld, Vector3(0, 0, kHeight),
                      Screw(Vector3::Zero(), Vector3::UnitY()), 0);
}

}  // namespace

ContactProblem MakeChain(const ChainSettings& settings, std::uint64_t seed) {
  ValidateFields("chain", Fields(), settings);
  Random random(seed);
  SceneBuilder scene(settings.dt);
  for (int i = 0; i < settings.bodies; ++i) {
    const double mass = i + 1 == settings.bodies ? settings.tip : settings.mass;
    const Vector3 linear = RandomNormal3(&random), angular = RandomNormal3(&random);
    scene.AddBody(i + 1 == settings.bodies ? "tip" : "link", mass, Vector3::Constant(0.003 * mass),
                  Vector3(kLength * (i + 0.5), 0, kHeight), settings.speed * Screw(linear, angular), Vector6::Zero());
  }
  ContactProblemBuilder& builder = scene.builder();
  for (int i = 0; i < settings.bodies; ++i) {
    for (int k = 0; k < 3; ++k) {
      builder.AddBodyRow(RowLaw::Equality(), i, i - 1, Vector3(kLength * i, 0, kHeight),
                         Screw(Vector3::Unit(k), Vector3::Zero()), 1e-3 * random.Normal());
    }
  }
  const BodyIndex tip = settings.bodies - 1;
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      scene.AddContact(tip, kWorld, Vector3(kLength * (tip + 0.5) + x, y, 0), Vector3::UnitZ(), settings.mu, 0);
    }
  }
  // Joint limits about y.
  for (int i = 1; i < settings.bodies; ++i) {
    builder.AddBodyRow(RowLaw::Inequality(), i, i - 1, Vector3(kLength * i, 0, kHeight),
                       Screw(Vector3::Zero(), Vector3::UnitY()), 0.02 * random.Normal());
  }
  if (settings.soft) AddSoftRows(settings, &random, &builder);
  return scene.Build();
}

GeneratorEntry MakeChainEntry() {
  return MakeGeneratorEntry("chain",
                            "links on ball joints, a heavy tip on the ground, limits, springs, drives, dry friction",
                            Fields(), &MakeChain);
}

}  // namespace tactus
