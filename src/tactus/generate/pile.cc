#include "tactus/generate/pile.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tactus/generate/generator_entry.h"
#include "tactus/generate/scene_builder.h"

namespace tactus {

namespace {

struct Spheres {
  std::vector<Vector3> center;
  std::vector<double> radius;
  double half_width = 0;  // of the box; its floor is z = 0

  int count() const { return static_cast<int>(center.size()); }
};

using Pairs = std::vector<std::pair<int, int>>;

Pairs FindPairs(const Spheres& s, double margin) {
  Pairs pairs;
  for (int i = 0; i < s.count(); ++i) {
    for (int k = i + 1; k < s.count(); ++k) {
      const double reach = s.radius[i] + s.radius[k] + margin;
      if ((s.center[i] - s.center[k]).squaredNorm() < reach * reach) pairs.emplace_back(i, k);
    }
  }
  return pairs;
}

void KeepInBox(int i, Spheres* s) {
  const double limit = s->half_width - s->radius[i];
  s->center[i].x() = std::clamp(s->center[i].x(), -limit, limit);
  s->center[i].y() = std::clamp(s->center[i].y(), -limit, limit);
  s->center[i].z() = std::max(s->center[i].z(), s->radius[i]);
}

// Loose layers of a square lattice, jittered.
Spheres PlaceInLayers(const PileSettings& settings, Random* random) {
  Spheres s;
  const double largest = settings.radius * (1 + settings.spread);
  const int side = std::max(2, static_cast<int>(std::lround(0.8 * std::cbrt(settings.bodies))));
  s.half_width = 1.25 * largest * side;
  for (int i = 0; i < settings.bodies; ++i) {
    const int layer = i / (side * side), cell = i % (side * side), row = cell / side;
    s.radius.push_back(settings.radius * (1 + settings.spread * random->Uniform(-1, 1)));
    Vector3 p(cell % side - 0.5 * (side - 1), row - 0.5 * (side - 1), 0.5 + layer);
    p.head<2>() *= 2.4 * largest;
    p.z() *= 2.1 * largest;
    s.center.emplace_back(p + 0.15 * largest * RandomNormal3(random));
    KeepInBox(i, &s);
  }
  return s;
}

// Lets the spheres sink, ever slower, and pushes them apart in turn, until only small overlaps and gaps are left.
void Settle(double mean, Spheres* s) {
  constexpr int kPasses = 4;
  double height = 0;
  for (const Vector3& c : s->center) height = std::max(height, c.z());
  // They sink by more than the height of the loose layers in all.
  const int rounds = std::max(400, static_cast<int>(30 * height / mean));
  for (int round = 0; round < rounds; ++round) {
    const double sink = 0.1 * mean * (1 - static_cast<double>(round) / rounds);
    for (Vector3& c : s->center) c.z() -= sink;
    const Pairs pairs = FindPairs(*s, 0.2 * mean);
    for (int pass = 0; pass < kPasses; ++pass) {
      for (const auto& [i, k] : pairs) {
        const Vector3 difference = s->center[i] - s->center[k];
        const double distance = difference.norm(), overlap = s->radius[i] + s->radius[k] - distance;
        if (overlap <= 0) continue;
        const Vector3 push = (distance > 0 ? Vector3(difference / distance) : Vector3(0, 0, 1)) * (0.5 * overlap);
        s->center[i] += push;
        s->center[k] -= push;
      }
      for (int i = 0; i < s->count(); ++i) KeepInBox(i, s);
    }
  }
}

void AddContacts(const Spheres& s, const PileSettings& settings, SceneBuilder* scene) {
  for (int i = 0; i < s.count(); ++i) {
    const Vector3& c = s.center[i];
    const double r = s.radius[i];
    for (const Vector3& wall :
         {Vector3(1, 0, 0), Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, -1, 0), Vector3(0, 0, -1)}) {
      const double limit = wall.z() < 0 ? 0 : s.half_width;
      const double gap = limit - wall.dot(c) - r;
      if (gap < settings.margin)
        scene->AddContact(i, kWorld, c + (r + gap) * wall, -wall, settings.mu, std::max(gap, 0.0));
    }
  }
  for (const auto& [i, k] : FindPairs(s, settings.margin)) {
    const Vector3 difference = s.center[i] - s.center[k];
    const double distance = difference.norm(), gap = distance - s.radius[i] - s.radius[k];
    if (distance <= 0) continue;
    const Vector3 normal = difference / distance;
    scene->AddContact(i, k, s.center[k] + (s.radius[k] + 0.5 * gap) * normal, normal, settings.mu, std::max(gap, 0.0));
  }
}

const SettingFields<PileSettings>& Fields() {
  static const SettingFields<PileSettings> fields = {
      {"bodies", &PileSettings::bodies, 1, 5000, "number of spheres"},
      {"mu", &PileSettings::mu, 0, 100, "friction coefficient"},
      {"radius", &PileSettings::radius, 1e-4, 10, "mean radius [m]"},
      {"spread", &PileSettings::spread, 0, 0.8, "radii are uniform in radius (1 +- spread)"},
      {"mass", &PileSettings::mass, 1e-9, 1e9, "mass of a sphere of mean radius [kg]"},
      {"mass_ratio", &PileSettings::mass_ratio, 1, 1e9, "largest ratio of densities"},
      {"speed", &PileSettings::speed, 0, 1e3, "scale of the random velocities [m/s]"},
      {"margin", &PileSettings::margin, 0, 1, "pairs closer than this are contacts [m]"},
      {"dt", &PileSettings::dt, 1e-6, 1, "time step [s]"},
  };
  return fields;
}

}  // namespace

ContactProblem MakePile(const PileSettings& settings, std::uint64_t seed) {
  ValidateFields("pile", Fields(), settings);
  Random random(seed);
  Spheres s = PlaceInLayers(settings, &random);
  Settle(settings.radius, &s);
  SceneBuilder scene(settings.dt);
  for (int i = 0; i < s.count(); ++i) {
    const double r = s.radius[i], ratio = r / settings.radius;
    const double density = std::pow(settings.mass_ratio, random.Uniform(-0.5, 0.5));
    const double mass = settings.mass * ratio * ratio * ratio * density;
    Vector6 velocity;
    velocity << settings.speed * RandomNormal3(&random), settings.speed / r * RandomNormal3(&random);
    scene.AddBody("sphere", mass, Vector3::Constant(0.4 * mass * r * r), s.center[i], velocity, Vector6::Zero());
  }
  AddContacts(s, settings, &scene);
  return scene.Build();
}

GeneratorEntry MakePileEntry() {
  return MakeGeneratorEntry("pile", "spheres heaped in a box, in contact with each other, the floor and the walls",
                            Fields(), &MakePile);
}

}  // namespace tactus
