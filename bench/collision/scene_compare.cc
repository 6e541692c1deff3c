// The collision stage of a step beside FCL's broad and narrow phase, on the same poses of the same scene.
//   scene_compare SCENE.yaml [FIRST_STEP] [FRAMES] [STEPS BETWEEN FRAMES]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/collision/fcl_scene.h"
#include "tactus/core/error.h"
#include "tactus/core/timer.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

namespace tactus {
namespace {

double Median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

// Of the shapes that collide, in the order of Simulator::objects().
std::vector<Shape> CollidingShapes(const ModelDescription& description) {
  std::vector<Shape> shapes;
  const auto add = [&](const std::vector<ShapeInstance>& instances) {
    for (const ShapeInstance& instance : instances) {
      if (instance.collides) shapes.push_back(instance.shape);
    }
  };
  add(description.world_shapes);
  for (const LinkDescription& link : description.links) add(link.shapes);
  return shapes;
}

struct Totals {
  std::vector<double> ours, fcl, ratios;  // [ms], per frame
  double our_contacts = 0, our_touching = 0, fcl_contacts = 0, fcl_pairs = 0;
};

// One set of poses, both in turns.
void Compare(const Simulator& simulator, ContactFinder* finder, FclScene* fcl, Totals* totals) {
  constexpr int kTurns = 3;
  ModelData data(simulator.model());
  CalcPositions(simulator.model(), simulator.state().q, &data);
  CalcVelocities(simulator.model(), simulator.state().v, &data);
  const FinderInput input{&data, nullptr, simulator.settings().scheme.step};
  std::vector<Pose> poses;
  for (std::size_t k = 0; k < finder->objects().size(); ++k) {
    poses.push_back(finder->ObjectPose(input, static_cast<int>(k)));
  }
  std::vector<ContactState> contacts;
  FclScene::Counts counts;
  double ours = 1e300, theirs = 1e300;
  for (int turn = 0; turn < kTurns; ++turn) {
    const ThreadCpuTimer our_timer;
    finder->Find(input, &contacts);
    ours = std::min(ours, our_timer.seconds());
    const ThreadCpuTimer fcl_timer;
    counts = fcl->Find(poses);
    theirs = std::min(theirs, fcl_timer.seconds());
  }
  totals->ours.push_back(1e3 * ours);
  totals->fcl.push_back(1e3 * theirs);
  totals->ratios.push_back(theirs / ours);
  totals->our_contacts += static_cast<double>(contacts.size());
  totals->our_touching += static_cast<double>(
      std::count_if(contacts.begin(), contacts.end(), [](const ContactState& c) { return c.geometry.gap < 0; }));
  totals->fcl_contacts += static_cast<double>(counts.contacts);
  totals->fcl_pairs += static_cast<double>(counts.pairs);
}

int Run(const std::string& file, int first, int frames, int stride) {
  const SceneSimulation simulation = MakeSimulation(LoadScene(file));
  Simulator& simulator = *simulation.simulator;
  ContactFinder finder(simulator.model(), simulator.settings().contacts, 1);
  FclScene fcl;
  const std::vector<Shape> shapes = CollidingShapes(simulator.model().description());
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const SimulatorObject& object = finder.objects()[k];
    if (!fcl.Add(shapes[k], object.X_BS, object.body)) {
      std::fprintf(stderr, "scene_compare: only spheres, boxes and half-spaces\n");
      return 2;
    }
  }
  fcl.Finish();
  Totals totals;
  const int steps = first + (frames - 1) * stride;
  for (int k = 0; k <= steps; ++k) {
    if (k >= first && (k - first) % stride == 0) Compare(simulator, &finder, &fcl, &totals);
    if (k < steps && !simulator.Step().moved()) return 1;
  }
  const auto [low, high] = std::minmax_element(totals.ratios.begin(), totals.ratios.end());
  std::printf(
      "| scene | objects | our contacts (overlapping) | our time | FCL pairs | FCL contacts | FCL time | ratio |\n");
  std::printf("| %s | %zu | %.0f (%.0f) | %.3g ms | %.0f | %.0f | %.3g ms | %.2f (%.2f to %.2f) |\n",
              simulation.simulator->model().description().name.c_str(), shapes.size(), totals.our_contacts / frames,
              totals.our_touching / frames, Median(totals.ours), totals.fcl_pairs / frames,
              totals.fcl_contacts / frames, Median(totals.fcl), Median(totals.fcl) / Median(totals.ours), *low, *high);
  return 0;
}

}  // namespace
}  // namespace tactus

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "scene_compare SCENE.yaml [FIRST_STEP] [FRAMES] [STEPS BETWEEN FRAMES]\n");
    return 2;
  }
  const auto number = [&](int k, int otherwise) { return argc > k ? std::max(1, std::atoi(argv[k])) : otherwise; };
  try {
    return tactus::Run(argv[1], number(2, 20), number(3, 20), number(4, 10));
  } catch (const tactus::InputError& error) {
    std::fprintf(stderr, "scene_compare: %s\n", error.what());
    return 2;
  }
}
