// Every scene of scenes/physics against its known answer, at default settings.
#include "apps/cli/physics_suite.h"

#include <gtest/gtest.h>

#include "apps/cli/scene_library.h"

namespace tactus::cli {
namespace {

class PhysicsSuite : public testing::TestWithParam<std::string> {};

TEST_P(PhysicsSuite, AgreesWithMechanics) {
  for (const PhysicsRow& row : MeasurePhysics("hybrid", GetParam())) {
    EXPECT_TRUE(row.pass) << row.what << ": " << row.measured << ", exact " << row.exact << " +- " << row.tolerance;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, PhysicsSuite, testing::ValuesIn(PhysicsScenes()),
                         [](const auto& scene) { return scene.param; });

// No scene without a measurement.
TEST(PhysicsSuite, MeasuresAllScenes) {
  const std::vector<std::string> measured = PhysicsScenes();
  for (const BuiltinScene& scene : FindBuiltinScenes()) {
    if (scene.name.rfind("physics/", 0) != 0) continue;
    EXPECT_NE(std::find(measured.begin(), measured.end(), scene.name.substr(8)), measured.end()) << scene.name;
  }
}

// A relaxed law must fail where the exact one passes: these measurements can tell.
TEST(PhysicsSuite, TellsRelaxedContactApart) {
  bool failed = false;
  for (const PhysicsRow& row : MeasurePhysics("soft-convex", "sliding_cube")) failed = failed || !row.pass;
  EXPECT_TRUE(failed);
}

}  // namespace
}  // namespace tactus::cli
