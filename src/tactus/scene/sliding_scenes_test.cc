// Boxes that slide, against what is known: paper 001's Table I, and friction of an ellipse.
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

namespace tactus {
namespace {

SceneSimulation Load(const std::string& name, std::vector<std::string> overrides) {
  SceneFileSettings settings;
  settings.overrides = std::move(overrides);
  return MakeSimulation(LoadScene(std::filesystem::path(TACTUS_PROJECT_DIR) / "scenes" / (name + ".yaml"), settings));
}

Vector3 BoxPlace(const Simulator& simulator) { return simulator.LinkPose(simulator.model().FindLink("box")).p; }

// Mean errors over the steps of a second: z is (m g / 4 k_v)(T / 2), y is friction times z.
TEST(BoxSlide, VirtualNodesSinkAsInTableOne) {
  for (const double k_v : {1e3, 1e4, 1e5}) {
    const SceneSimulation simulation = Load("box-slide", {"k_v=" + std::to_string(k_v)});
    Simulator& simulator = *simulation.simulator;
    const double a = (2 - 0.2 * 0.5 * 9.81) / 0.5;
    Vector3 error = Vector3::Zero();
    for (int k = 0; k < 100; ++k) {
      ASSERT_TRUE(simulator.Step().moved());
      const double t = simulator.time();
      error += (BoxPlace(simulator) - Vector3(0, 0.5 * a * t * t, 0.1)).cwiseAbs() / 100;
    }
    const double sinking = 0.5 * 9.81 / (4 * k_v) * 0.5;
    EXPECT_NEAR(error[2], sinking, 0.02 * sinking) << k_v;
    EXPECT_NEAR(error[1], 0.2 * sinking, 0.02 * 0.2 * sinking) << k_v;
    EXPECT_LT(error[0], 1e-9) << k_v;
  }
}

// m dv/dt = -m g (mu1^2 v_x, mu2^2 v_y) / |(mu1 v_x, mu2 v_y)|: of all forces in the ellipse the one that dissipates
// most. Small steps of the classical Runge-Kutta method.
Vector3 SolveSlide(const Vector3& velocity, double mu1, double mu2, double time) {
  const auto rate = [&](const Eigen::Vector4d& x) {
    const double vx = x[2], vy = x[3], scale = std::hypot(mu1 * vx, mu2 * vy);
    const double f = scale > 1e-9 ? 9.81 / scale : 0;
    return Eigen::Vector4d(vx, vy, -f * mu1 * mu1 * vx, -f * mu2 * mu2 * vy);
  };
  const int steps = 20000;
  const double h = time / steps;
  Eigen::Vector4d x(0, 0, velocity[0], velocity[1]);
  for (int k = 0; k < steps && x.tail<2>().norm() > 1e-4; ++k) {
    const Eigen::Vector4d k1 = rate(x), k2 = rate(x + 0.5 * h * k1), k3 = rate(x + 0.5 * h * k2), k4 = rate(x + h * k3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return Vector3(x[0], x[1], 0);
}

TEST(AnisotropicSlide, FollowsMaximumDissipation) {
  struct Case {
    double mu1, mu2;
    const char* solver;
  };
  for (const Case& c : {Case{0.3, 0.1, "cond"}, Case{0.1, 0.4, "cond"}, Case{0.2, 0.2, "cond"}, Case{0.5, 0.05, "cond"},
                        Case{0.3, 0.1, "hybrid"}, Case{0.3, 0.1, "subadmm"}, Case{0.3, 0.1, "pgs"}}) {
    const SceneSimulation simulation =
        Load("anisotropic-slide",
             {"mu1=" + std::to_string(c.mu1), "mu2=" + std::to_string(c.mu2), std::string("solver.name=") + c.solver});
    Simulator& simulator = *simulation.simulator;
    double worst = 0;
    for (int k = 1; k <= 240; ++k) {
      ASSERT_TRUE(simulator.Step().moved());
      if (k % 20 != 0) continue;
      const Vector3 known = SolveSlide(Vector3(1, 1, 0), c.mu1, c.mu2, simulator.time());
      worst = std::max(worst, (BoxPlace(simulator) - known).head<2>().norm());
    }
    EXPECT_LT(worst, 1e-3) << c.solver << " " << c.mu1 << " " << c.mu2;
    RecordProperty(std::string(c.solver) + std::to_string(c.mu1), std::to_string(worst));
  }
}

}  // namespace
}  // namespace tactus
