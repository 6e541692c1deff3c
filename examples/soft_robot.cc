// A soft finger with two cables, a rigid post beside it, and a controller that finds the tensions: the tip is to go to
// a place behind the post's edge, and whether the finger touches the post is not told but found (docs/soft-control.md).
#include <cstdio>
#include <memory>

#include "tactus/control/soft_controller.h"
#include "tactus/deformable/mesh/tet_shapes.h"

using namespace tactus;

namespace {

std::unique_ptr<Simulator> MakeWorld() {
  ModelDescription world;
  ShapeInstance post;
  post.name = "post";
  post.shape.type = ShapeType::Box;
  post.shape.size = Vector3(0.01, 0.02, 0.01);  // half lengths
  post.X_LS.p = Vector3(0.06, 0, 0.0215);
  world.world_shapes.push_back(post);
  SimulatorSettings settings;
  settings.scheme.step = 0.005;
  return std::make_unique<Simulator>(std::make_shared<const Model>(world), settings);
}

}  // namespace

int main() {
  const std::unique_ptr<Simulator> simulator = MakeWorld();

  // The finger lies along x, held at x = 0.
  const TetMesh mesh = MakeBeamTets(0.1, 0.02, 0.02, 0.006);
  FemMaterial silicone;
  silicone.young = 3e5;
  silicone.poisson = 0.4;
  silicone.stiffness_damping = 0.02;
  FemSettings fem;
  SoftTask tip;
  for (int i = 0; i < static_cast<int>(mesh.nodes.size()); ++i) {
    const double x = mesh.nodes[static_cast<std::size_t>(i)].x();
    if (x < 1e-9) fem.held.push_back(i);
    if (x > 0.1 - 1e-9) tip.items.push_back(i);
  }
  const auto finger = std::make_shared<const FemBody>(mesh, silicone, fem);
  simulator->AddDeformable(finger);

  // A cable along its upper side, one along its lower.
  for (const double z : {0.006, -0.006}) {
    SoftActuator cable;
    cable.name = z > 0 ? "upper" : "lower";
    cable.force =
        std::make_shared<const Cable>(*finger, std::vector<CablePoint>{CableInBody(*finger, Vector3(0.095, 0, z)),
                                                                       CableInBody(*finger, Vector3(0.05, 0, z)),
                                                                       CableInBody(*finger, Vector3(0, 0, z))});
    cable.upper = 8;  // [N]
    simulator->AddSoftActuator(cable);
  }

  // The tip goes up by 8 mm, more than the post lets the middle of the finger go.
  tip.name = "tip";
  tip.deformable = 0;
  tip.axes = {false, false, true};
  tip.gain = 15;  // [1/s]
  tip.target.times = {0};
  tip.target.values = {{0, 0, 0.008}};
  SoftControllerSettings settings;
  settings.tasks = {tip};
  settings.inverse.change_weight = 1e-5;
  auto owned = std::make_unique<SoftController>(*simulator, settings);
  const SoftController& controller = *owned;
  simulator->AddController(std::move(owned));

  std::printf("  time   height of the tip   tensions           contacts: open, stick, slip\n");
  for (int k = 0; k < 120; ++k) {
    if (!simulator->Step().moved()) return 1;
    if (k % 20 != 19) continue;
    const SoftReport& report = controller.report();
    std::printf("%.2f s   %14.3f mm   %5.2f N, %5.2f N   %d, %d, %d\n", simulator->time(),
                1e3 * CalcEffectorPlace(*simulator, tip).z(), report.inputs[0], report.inputs[1], report.solve.open,
                report.solve.stick, report.solve.slip);
  }
  return CalcEffectorPlace(*simulator, tip).z() > 0.007 ? 0 : 1;
}
