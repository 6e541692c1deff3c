// The robots in models/: they load without a warning, are as heavy and as movable as they should be, and satisfy the
// identities of dynamics.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tactus/dynamics/identities_testing.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/io/urdf.h"
#include "tests/common/model_files.h"

namespace tactus {
namespace {

struct OurModel {
  const char* name;
  int dofs, mimics;
  double mass;       ///< [kg]
  double standing;   ///< height of the root's frame over the lowest point of shapes at zero, < 0: fixed base
  const char* link;  ///< the last of a limb
};
constexpr OurModel kModels[] = {
    {"panda_hand", 9, 1, 17.451901, -1, "panda_leftfinger"},
    {"panda_tool", 7, 0, 16.991901, -1, "tool_tip"},
    {"panda_x5_gripper", 13, 5, 17.212901, -1, "gripper_left_finger"},
    {"panda_allegro", 23, 0, 17.646801, -1, "thumb_tip"},
    {"g1_upper_body", 28, 0, 15.9082, -1, "left_hand_thumb_2_link"},
    {"laikago", 12, 0, 25.433, 0.5265, "FL_foot"},
    {"go2", 12, 0, 16.087, 0.448, "FL_foot"},
    {"husky_panda", 13, 1, 74.033901, 0.13228, "panda_leftfinger"},
    {"humanoid", 29, 0, 75, 0.9275, "left_wrist_pitch"},
};

std::string Name(const testing::TestParamInfo<OurModel>& info) { return info.param.name; }

ModelDescription Load(const OurModel& model, BaseType base = BaseType::Fixed) {
  UrdfSettings settings;
  settings.base = base;
  return LoadUrdf(OurModels() / (std::string(model.name) + ".urdf"), settings);
}

class OurModelsTest : public testing::TestWithParam<OurModel> {};
INSTANTIATE_TEST_SUITE_P(All, OurModelsTest, testing::ValuesIn(kModels), Name);

TEST(OurModels, AreAllInTheTable) {
  std::set<std::string> known, found;
  for (const OurModel& model : kModels) known.insert(model.name);
  for (const auto& entry : std::filesystem::directory_iterator(OurModels())) {
    if (entry.path().extension() == ".urdf") found.insert(entry.path().stem().string());
  }
  EXPECT_EQ(found, known);
}

TEST_P(OurModelsTest, IsWhatItShouldBe) {
  const ModelDescription description = Load(GetParam());
  EXPECT_EQ(description.name, GetParam().name);
  for (const std::string& warning : description.warnings) ADD_FAILURE() << warning;
  const Model model(description);
  EXPECT_EQ(model.nv(), GetParam().dofs);
  EXPECT_NEAR(model.total_mass(), GetParam().mass, 5e-5);
  EXPECT_GE(model.FindLink(GetParam().link), 0);
  int mimics = 0;
  for (const ModelJoint& joint : model.joints()) mimics += joint.description.mimic ? 1 : 0;
  EXPECT_EQ(mimics, GetParam().mimics);
}

// The lowest point of a shape, exactly for spheres, boxes and cylinders.
double Bottom(const Shape& shape, const Pose& X) {
  const Vector3 down = X.R.row(2).cwiseAbs().transpose();  // how much of each of the shape's axes is vertical
  if (shape.type == ShapeType::Sphere) return X.p[2] - shape.size[0];
  if (shape.type == ShapeType::Box) return X.p[2] - down.dot(shape.size);
  return X.p[2] - down[2] * shape.size[1] - std::hypot(down[0], down[1]) * shape.size[0];
}

TEST_P(OurModelsTest, StandsAtItsHeight) {
  if (GetParam().standing < 0) return;
  const Model model(Load(GetParam()));
  ModelData data(model);
  CalcPositions(model, model.MakeNeutral(), &data);
  double bottom = 0;
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    for (const ShapeInstance& instance : model.description().links[i].shapes) {
      bottom = std::min(bottom, Bottom(instance.shape, data.LinkPose(model, static_cast<int>(i)) * instance.X_LS));
    }
  }
  EXPECT_NEAR(-bottom, GetParam().standing, 1e-6);
}

TEST_P(OurModelsTest, SatisfiesIdentities) {
  for (const BaseType base : {BaseType::Fixed, BaseType::Floating}) {
    const ModelDescription description = Load(GetParam(), base);
    for (int seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(seed);
      const DynamicsCase c = MakeDynamicsCase(description, seed);
      ExpectForwardUndoesInverse(c);
      ExpectMassMatrixIsOfInverseDynamics(c);
      ExpectFactorAndProducts(c);
      ExpectJacobiansAreDerivatives(c);
      ExpectEnergyRateIsPower(c);
      if (base == BaseType::Floating) ExpectMomentumInFreeFlight(c);
    }
  }
}

}  // namespace
}  // namespace tactus
