// Every kind of joint by itself: what it says about positions, velocities and their difference must fit together.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/math/spatial.h"
#include "tactus/model/model.h"

namespace tactus {
namespace {

constexpr JointType kTypes[] = {JointType::Fixed, JointType::Revolute, JointType::Continuous, JointType::Prismatic,
                                JointType::Ball,  JointType::Planar,   JointType::Floating};

class JointTest : public testing::TestWithParam<JointType> {
 protected:
  const JointKind& kind() const { return GetJointKind(GetParam()); }

  std::vector<double> RandomPosition() {
    std::vector<double> q(kind().nq);
    kind().set_random(&random_, q.data());
    return q;
  }
  std::vector<double> RandomVelocity(double size) {
    std::vector<double> v(kind().nv);
    for (double& x : v) x = random_.Uniform(-size, size);
    return v;
  }
  FrameArrays RandomFrame() {
    const Matrix3 R = ExpRotation(Vector3(random_.Normal(), random_.Normal(), random_.Normal())).matrix();
    FrameArrays frame;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) frame.R[3 * i + j] = R(i, j);
      frame.p[i] = random_.Normal();
    }
    return frame;
  }
  // Frame after the joint.
  FrameArrays Move(const std::vector<double>& q, const FrameArrays& before, std::vector<double>* S = nullptr) const {
    std::vector<double> motion(6 * static_cast<std::size_t>(kind().nv));
    FrameArrays after;
    kind().calc_motion(q.data(), before, &after, motion.data());
    if (S) *S = motion;
    return after;
  }
  std::vector<double> Integrated(std::vector<double> q, const std::vector<double>& v, double h = 1) const {
    std::vector<double> step = v;
    for (double& x : step) x *= h;
    kind().integrate(q.data(), step.data());
    return q;
  }
  // First entry of the quaternion, -1 if there is none.
  int QuaternionAt() const {
    if (GetParam() == JointType::Ball) return 0;
    return GetParam() == JointType::Floating ? 3 : -1;
  }
  static Matrix3 RotationOf(const FrameArrays& frame) {
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(frame.R);
  }
  static Vector3 PositionOf(const FrameArrays& frame) { return Vector3(frame.p[0], frame.p[1], frame.p[2]); }

  Random random_{11};
};

std::string Name(const testing::TestParamInfo<JointType>& info) { return GetJointKind(info.param).name; }
INSTANTIATE_TEST_SUITE_P(All, JointTest, testing::ValuesIn(kTypes), Name);

TEST_P(JointTest, IsFoundByItsName) {
  EXPECT_EQ(kind().type, GetParam());
  EXPECT_EQ(FindJointKind(kind().name), &kind());
  EXPECT_EQ(FindJointKind("nothing"), nullptr);
}

TEST_P(JointTest, NeutralChangesNothing) {
  std::vector<double> q(kind().nq);
  kind().set_neutral(q.data());
  const FrameArrays before = RandomFrame(), after = Move(q, before);
  EXPECT_LT((RotationOf(after) - RotationOf(before)).norm(), 1e-15);
  EXPECT_EQ(PositionOf(after), PositionOf(before));
}

// The frame after the joint hangs on the frame before it, wherever that is.
TEST_P(JointTest, MovesWithTheFrameBefore) {
  const FrameArrays world = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  const std::vector<double> q = RandomPosition();
  const FrameArrays before = RandomFrame(), after = Move(q, before), alone = Move(q, world);
  EXPECT_LT((RotationOf(after) - RotationOf(before) * RotationOf(alone)).norm(), 1e-14);
  EXPECT_LT((PositionOf(after) - PositionOf(before) - RotationOf(before) * PositionOf(alone)).norm(), 1e-14);
  EXPECT_LT((RotationOf(after) * RotationOf(after).transpose() - Matrix3::Identity()).norm(), 1e-14);
}

TEST_P(JointTest, DifferenceUndoesIntegrate) {
  for (int k = 0; k < 100; ++k) {
    const std::vector<double> q = RandomPosition(), v = RandomVelocity(1.7);  // below half a turn
    const std::vector<double> moved = Integrated(q, v);
    std::vector<double> difference(kind().nv);
    kind().difference(q.data(), moved.data(), difference.data());
    for (int i = 0; i < kind().nv; ++i) EXPECT_NEAR(difference[i], v[i], 1e-13);
    // And the other way round, also for quaternions of the other sign.
    std::vector<double> other = RandomPosition();
    if (QuaternionAt() >= 0 && k % 2 == 1) {
      for (int i = 0; i < 4; ++i) other[QuaternionAt() + i] *= -1;
    }
    kind().difference(q.data(), other.data(), difference.data());
    const FrameArrays before = RandomFrame(), there = Move(other, before),
                      arrived = Move(Integrated(q, difference), before);
    EXPECT_LT((RotationOf(there) - RotationOf(arrived)).norm(), 1e-13);
    EXPECT_LT((PositionOf(there) - PositionOf(arrived)).norm(), 1e-13);
  }
}

// S v is the velocity of the frame, about the world's origin, when q goes by Integrate.
TEST_P(JointTest, MotionSubspaceIsTheDerivative) {
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> q = RandomPosition(), v = RandomVelocity(2);
    const FrameArrays before = RandomFrame();
    std::vector<double> S;
    const FrameArrays here = Move(q, before, &S);
    Vector6 V = Vector6::Zero();
    for (int i = 0; i < kind().nv; ++i)
      V += v[i] * Eigen::Map<const Vector6>(S.data() + 6 * static_cast<std::size_t>(i));
    const double h = 1e-6;
    const FrameArrays forth = Move(Integrated(q, v, h), before), back = Move(Integrated(q, v, -h), before);
    const Vector3 angular =
        LogRotation(Quaternion(Matrix3(RotationOf(forth) * RotationOf(back).transpose()))) / (2 * h);
    const Vector3 linear = (PositionOf(forth) - PositionOf(back)) / (2 * h);
    EXPECT_LT((angular - V.tail<3>()).norm(), 1e-8);
    EXPECT_LT((linear - V.tail<3>().cross(PositionOf(here)) - V.head<3>()).norm(), 1e-8);
  }
}

TEST_P(JointTest, QuaternionsStayOfUnitLength) {
  if (QuaternionAt() < 0) return;
  std::vector<double> q = RandomPosition();
  for (int k = 0; k < 1000; ++k) q = Integrated(q, RandomVelocity(3));
  double square = 0;
  for (int i = 0; i < 4; ++i) square += q[QuaternionAt() + i] * q[QuaternionAt() + i];
  EXPECT_NEAR(square, 1, 1e-15);
  // Rounding and users' numbers are normalized away where positions are computed.
  const FrameArrays before = RandomFrame(), expected = Move(q, before);
  for (int i = 0; i < 4; ++i) q[QuaternionAt() + i] *= 1.3;
  EXPECT_LT((RotationOf(Move(q, before)) - RotationOf(expected)).norm(), 1e-14);
}

TEST_P(JointTest, RandomPositionsAreInside) {
  double largest = 0;
  for (int k = 0; k < 1000; ++k) {
    const std::vector<double> q = RandomPosition();
    for (const double x : q) largest = std::max(largest, std::abs(x));
  }
  const bool has_angle =
      GetParam() == JointType::Revolute || GetParam() == JointType::Continuous || GetParam() == JointType::Planar;
  const double bound = has_angle ? std::numbers::pi : 1;
  EXPECT_LE(largest, bound);
  if (kind().nq > 0) {
    EXPECT_GT(largest, 0.9 * bound);
  }
}

Model MakeOneJoint(const JointDescription& joint) {
  ModelDescription description;
  description.links.resize(1);
  description.links[0].name = "link";
  description.links[0].joints = {joint};
  description.links[0].inertia = LinkInertia{1, Vector3::Zero(), Matrix3::Identity()};
  return Model(description);
}

TEST(Joint, RandomPositionsAreInsideLimits) {
  for (const JointType type : {JointType::Revolute, JointType::Prismatic}) {
    JointDescription joint;
    joint.name = "joint";
    joint.type = type;
    joint.lower = 0.2;
    joint.upper = 0.5;
    const Model model = MakeOneJoint(joint);
    Random random(3);
    double least = 1, most = 0;
    for (int k = 0; k < 1000; ++k) {
      const double q = model.MakeRandom(&random)[0];
      least = std::min(least, q);
      most = std::max(most, q);
    }
    EXPECT_GE(least, 0.2);
    EXPECT_LT(least, 0.21);
    EXPECT_LE(most, 0.5);
    EXPECT_GT(most, 0.49);
  }
}

}  // namespace
}  // namespace tactus
