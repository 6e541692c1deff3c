// Things that stand on each other.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/cli/physics/physics_run.h"

namespace tactus::cli {

namespace {

constexpr double kG = 9.81;

// Upward force of everything fixed on everything that moves [N].
double GroundForce(PhysicsScene* scene) {
  double sum = 0;
  for (const ContactState& c : scene->sim().contacts()) {
    if (!c.active) continue;
    const bool a = scene->sim().objects()[static_cast<std::size_t>(c.object_a)].body >= 0;
    const bool b = scene->sim().objects()[static_cast<std::size_t>(c.object_b)].body >= 0;
    if (a != b) sum += (a ? 1 : -1) * c.impulse_W()[2] / scene->step();
  }
  return sum;
}

// How far any link is from where it was.
double Moved(PhysicsScene* scene, const std::vector<Vector3>& from) {
  double most = 0;
  for (std::size_t l = 0; l < from.size(); ++l) {
    most = std::max(most, (scene->sim().LinkPose(static_cast<int>(l)).p - from[l]).norm());
  }
  return most;
}

std::vector<Vector3> Places(PhysicsScene* scene) {
  std::vector<Vector3> out;
  for (std::size_t l = 0; l < scene->sim().model().links().size(); ++l) {
    out.push_back(scene->sim().LinkPose(static_cast<int>(l)).p);
  }
  return out;
}

void MeasureStack(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  scene.Run(4);
  table->Add("height of the top box [m]", scene.Position("box_9")[2], 0.95, 1e-7);
  table->Add("force on the ground [N]", GroundForce(&scene), 10 * kG, 1e-5);
  table->Add("deepest penetration [m]", scene.deepest(), 0, 1e-8);
  table->AddSteps(scene);
}

void MeasureCards(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  const std::vector<Vector3> start = Places(&scene);
  scene.Run(3);
  table->Add("moved in 3 s [m]", Moved(&scene, start), 0, 1e-5);
  table->Add("force on the ground [N]", GroundForce(&scene), scene.total_mass() * kG, 1e-5);
  table->AddSteps(scene);
}

void MeasureArch(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  const std::vector<Vector3> start = Places(&scene);
  scene.Run(2);
  table->Add("moved in 2 s [m]", Moved(&scene, start), 0, 1e-4);
  table->Add("force on the ground [N]", GroundForce(&scene), scene.total_mass() * kG, 1e-3);
  table->AddSteps(scene);
}

// Thinner than 0.1075 of the radius no semicircular arch stands (Milankovitch).
void MeasureThinArch(PhysicsTable* table) {
  PhysicsScene scene = table->Load();
  scene.Run(2);
  table->Add("the keystone has fallen (1: yes)", scene.Position("block_5")[2] < 0.5 ? 1 : 0, 1, 0);
  table->AddSteps(scene);
}

void MeasureRatio(PhysicsTable* table) {
  for (const double mass : {1.0, 1e3, 1e6}) {
    PhysicsScene scene = table->Load({fmt::format("objects.heavy.mass={}", mass)});
    // The worst step counts.
    double force = 1;
    scene.Run(1, [&] {
      const double now = GroundForce(&scene) / ((mass + 1) * kG);
      if (std::abs(now - 1) > std::abs(force - 1)) force = now;
    });
    table->Add(fmt::format("height of {:g} kg on 1 kg [m]", mass), scene.Position("heavy")[2], 0.3, 1e-7);
    table->Add("force on the ground in the worst step, relative", force, 1, 1e-5);
    table->AddSteps(scene);
  }
}

}  // namespace

const std::vector<PhysicsEntry>& StructureEntries() {
  static const std::vector<PhysicsEntry> table = {{"box_stack", MeasureStack},
                                                  {"card_house", MeasureCards},
                                                  {"arch", MeasureArch},
                                                  {"arch_thin", MeasureThinArch},
                                                  {"mass_ratio", MeasureRatio}};
  return table;
}

}  // namespace tactus::cli
