#include "tactus/model/random_model.h"

namespace tactus {

namespace {

Vector3 RandomVector(Random* random) { return {random->Normal(), random->Normal(), random->Normal()}; }

LinkInertia RandomInertia(Random* random) {
  LinkInertia inertia;
  inertia.mass = random->Uniform(0.2, 3);
  inertia.com = 0.1 * RandomVector(random);
  Matrix3 B;
  for (double& x : B.reshaped()) x = random->Normal();
  // Of a cloud of points, so that the triangle inequality holds.
  const Matrix3 spread = 0.02 * inertia.mass * (B * B.transpose() + 0.1 * Matrix3::Identity());
  inertia.central = spread.trace() * Matrix3::Identity() - spread;
  return inertia;
}

}  // namespace

ModelDescription MakeRandomDescription(std::uint64_t seed, const RandomModelOptions& options) {
  Random random(seed);
  ModelDescription out;
  out.name = "random";
  out.gravity = Vector3(0.3, -0.5, -9.7);
  int joints = 0;
  while (joints < options.joints) {
    LinkDescription link;
    const int index = static_cast<int>(out.links.size());
    link.name = "link" + std::to_string(index);
    link.parent = index == 0 ? -1 : (random.Uniform() < options.branching ? random.Index(index) : index - 1);
    link.X_PL = {ExpRotation(RandomVector(&random)).matrix(), 0.3 * RandomVector(&random)};
    const int count = index == 0 || random.Uniform() < 0.7 ? 1 : random.Index(3);  // none: welded; two: as in MJCF
    for (int k = 0; k < count; ++k, ++joints) {
      JointDescription joint;
      joint.name = "joint" + std::to_string(joints);
      joint.axis = RandomVector(&random);
      if (k == 0 && random.Uniform() < 0.3) joint.axis = Vector3::Unit(random.Index(3));
      if (random.Uniform() < 0.5) joint.anchor = 0.2 * RandomVector(&random);
      joint.type = random.Uniform() < 0.7 ? JointType::Revolute : JointType::Prismatic;
      if (options.all_types && count == 1 && random.Uniform() < 0.3) {
        constexpr JointType kOthers[] = {JointType::Continuous, JointType::Ball, JointType::Planar,
                                         JointType::Floating};
        joint.type = kOthers[random.Index(4)];
      }
      if (index == 0 && options.floating_base) joint.type = JointType::Floating;
      if (random.Uniform() < 0.3) joint.armature = random.Uniform(0, 0.1);
      link.joints.push_back(joint);
    }
    if (count > 0 || random.Uniform() < 0.5) link.inertia = RandomInertia(&random);
    out.links.push_back(link);
  }
  return out;
}

ModelDescription MakeRandomFreeBodies(std::uint64_t seed, int count) {
  Random random(seed);
  ModelDescription out;
  for (int i = 0; i < count; ++i) {
    LinkDescription link;
    link.name = "body" + std::to_string(i);
    JointDescription joint;
    joint.name = link.name;
    joint.type = JointType::Floating;
    link.joints.push_back(joint);
    LinkInertia inertia;
    inertia.mass = random.Uniform(0.5, 2);
    inertia.com = Vector3::NullaryExpr([&] { return random.Uniform(-0.1, 0.1); });
    inertia.central = Vector3::NullaryExpr([&] { return random.Uniform(0.02, 0.03); }).asDiagonal();
    link.inertia = inertia;
    out.links.push_back(link);
  }
  return out;
}

}  // namespace tactus
