#include "tactus/simulation/link_path.h"

#include <numbers>

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/io/data_folder.h"
#include "tactus/io/urdf.h"

namespace tactus {
namespace {

constexpr double kPi = std::numbers::pi;

// Down, with a turn of 4.5 rad about the vertical, then round a circle.
LinkPath MakePath(const Model& model) {
  LinkPath path;
  path.link = model.FindLink("panda_hand");
  path.X_LF = Pose(Vector3(0, 0, 0.1));
  const Quaternion down(Eigen::AngleAxisd(kPi, Vector3::UnitX()));
  path.waypoints = {{0, Vector3(0.5, 0, 0.5), down, 0, 0, 0},
                    {1, Vector3(0.5, 0, 0.3), down, 0.75, 0, 0},
                    {2, Vector3(0.5, 0, 0.3), down, -3.5, 0, 0},
                    {3, Vector3(0.5, 0, 0.3), down, 0, 0.05, 0},
                    {5, Vector3(0.5, 0, 0.3), down, 0, 0.05, 4 * kPi}};
  return path;
}

TEST(LinkPath, IsFollowedByAnArm) {
  const Model model(LoadUrdf(FindDataFolder("models") / "panda_hand.urdf"));
  VectorX q = model.MakeInitial();
  std::vector<int> dofs;
  const double start[7] = {0, -0.8, 0, -2.4, 0, 1.6, 0.8};
  for (int k = 0; k < 7; ++k) {
    const ModelBody& body = model.body(model.joints()[model.FindJoint("panda_joint" + std::to_string(k + 1))].body);
    dofs.push_back(body.v);
    q[body.q] = start[k];
  }
  const LinkPath path = MakePath(model);
  const Timeline timeline = PlanPath(model, q, path, dofs);
  EXPECT_NO_THROW(timeline.Validate(7));
  EXPECT_EQ(timeline.times.size(), 1201u);
  ModelData data(model);
  for (const double time : {0.0, 0.3, 1.0, 1.7, 2.0, 3.33, 4.9, 5.0}) {
    for (std::size_t k = 0; k < 7; ++k) {
      double slope = 0;
      q[model.body(model.dof_body(dofs[k])).q] = timeline.Evaluate(k, time, &slope);
    }
    CalcFrames(model, q, &data);
    const ModelLink& link = model.links()[static_cast<std::size_t>(path.link)];
    const Pose X = data.BodyPose(link.body) * link.X_BL * path.X_LF, expected = path.Evaluate(time);
    EXPECT_LT((X.p - expected.p).norm(), 1e-5) << time;
    EXPECT_LT((X.R - expected.R).norm(), 1e-5) << time;
  }
  const Pose end = path.Evaluate(7);
  EXPECT_LT((end.p - Vector3(0.55, 0, 0.3)).norm(), 1e-12);
}

TEST(LinkPath, SaysWhereItCannotBeFollowed) {
  const Model model(LoadUrdf(FindDataFolder("models") / "panda_hand.urdf"));
  LinkPath path = MakePath(model);
  path.waypoints[1].position[0] = 2;
  VectorX q = model.MakeInitial();
  try {
    static_cast<void>(PlanPath(model, q, path, {0, 1, 2, 3, 4, 5, 6}));
    FAIL() << "it is out of reach";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be followed at"), std::string::npos) << error.what();
  }
  path.waypoints[1].time = 0;
  EXPECT_THROW(path.Validate(), InputError);
  path.waypoints.clear();
  EXPECT_THROW(path.Validate(), InputError);
}

}  // namespace
}  // namespace tactus
