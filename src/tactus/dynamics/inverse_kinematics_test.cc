#include "tactus/dynamics/inverse_kinematics.h"

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/dynamics/kinematics.h"

namespace tactus {
namespace {

// Seven hinges about x, y and z in turn, 0.2 m apart.
Model MakeArm() {
  ModelDescription description;
  for (int i = 0; i < 7; ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i);
    link.parent = i - 1;
    link.X_PL.p = Vector3(0, 0, i == 0 ? 0 : 0.2);
    link.inertia = LinkInertia{1, Vector3::Zero(), 0.01 * Matrix3::Identity()};
    JointDescription joint;
    joint.name = link.name;
    joint.type = JointType::Revolute;
    joint.axis = Vector3::Unit((i + 2) % 3);
    joint.lower = -2.5;
    joint.upper = 2.5;
    link.joints.push_back(joint);
    description.links.push_back(link);
  }
  return Model(description);
}

const std::vector<int> kAll = {0, 1, 2, 3, 4, 5, 6};

TEST(InverseKinematics, FindsPosesNearby) {
  const Model model = MakeArm();
  InverseKinematics solver(model, kAll);
  ModelData data(model);
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    VectorX q(7), start(7);
    for (int k = 0; k < 7; ++k) {
      q[k] = random.Uniform(-2, 2);
      start[k] = q[k] + random.Uniform(-0.2, 0.2);
    }
    CalcFrames(model, q, &data);
    const PoseTarget target{6, Pose(Vector3(0.05, 0, 0.1)), data.BodyPose(6) * Pose(Vector3(0.05, 0, 0.1))};
    const VectorX rest = start;
    const InverseKinematicsResult result = solver.Solve(target, &rest, &start);
    EXPECT_TRUE(result.reached) << trial << ": " << result.position_error << " m, " << result.rotation_error;
    CalcFrames(model, start, &data);
    EXPECT_LT(((data.BodyPose(6) * target.X_BF).p - target.X_WF.p).norm(), 1e-8);
    EXPECT_LT(((data.BodyPose(6) * target.X_BF).R - target.X_WF.R).norm(), 1e-8);
    EXPECT_LE(start.cwiseAbs().maxCoeff(), 2.5);
  }
}

// The first step of a smooth path is tiny, and the rest posture far: what it wants must not keep the target from being
// met.
TEST(InverseKinematics, SmallStepsFarFromTheRestPosture) {
  const Model model = MakeArm();
  InverseKinematics solver(model, kAll);
  ModelData data(model);
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    VectorX q(7), rest(7);
    for (int k = 0; k < 7; ++k) {
      q[k] = random.Uniform(-2, 2);
      rest[k] = random.Uniform(-2, 2);
    }
    CalcFrames(model, q, &data);
    PoseTarget target{6, Pose(Vector3(0.05, 0, 0.1)), data.BodyPose(6) * Pose(Vector3(0.05, 0, 0.1))};
    target.X_WF.p[2] -= 1e-6;
    const InverseKinematicsResult result = solver.Solve(target, &rest, &q);
    EXPECT_TRUE(result.reached) << trial << ": " << result.position_error << " m, " << result.rotation_error;
  }
}

TEST(InverseKinematics, KeepsToLimitsAndSaysWhatIsMissing) {
  const Model model = MakeArm();
  InverseKinematics solver(model, kAll);
  VectorX q = VectorX::Constant(7, 0.3);
  const PoseTarget far{6, Pose(), Pose(Vector3(5, 0, 0))};
  const InverseKinematicsResult result = solver.Solve(far, nullptr, &q);
  EXPECT_FALSE(result.reached);
  EXPECT_GT(result.position_error, 3);
  EXPECT_TRUE(q.allFinite());
  EXPECT_LE(q.cwiseAbs().maxCoeff(), 2.5);
}

TEST(InverseKinematics, LeavesOtherJointsAlone) {
  const Model model = MakeArm();
  InverseKinematics solver(model, {0, 1, 2});
  VectorX q = VectorX::Constant(7, 0.3);
  const VectorX before = q;
  static_cast<void>(solver.Solve({6, Pose(), Pose(Vector3(0.3, 0.2, 0.9))}, nullptr, &q));
  EXPECT_EQ(q.tail(4), before.tail(4));
  EXPECT_THROW(InverseKinematics(model, {7}), InputError);
}

}  // namespace
}  // namespace tactus
