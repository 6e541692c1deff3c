#include "tactus/model/compose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/model/model.h"
#include "tactus/model/random_model.h"

namespace tactus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Pose MakeRandomPose(Random* random) {
  const Vector3 rotation(random->Uniform(-2, 2), random->Uniform(-2, 2), random->Uniform(-2, 2));
  const Vector3 position(random->Uniform(-1, 1), random->Uniform(-1, 1), random->Uniform(-1, 1));
  return {ExpRotation(rotation).matrix(), position};
}

void ExpectNear(const Pose& a, const Pose& b) {
  EXPECT_LT((a.R - b.R).norm(), 1e-12);
  EXPECT_LT((a.p - b.p).norm(), 1e-12);
}

Pose ReadPose(const VectorX& q, int at) {
  return {Quaternion(q[at + 3], q[at + 4], q[at + 5], q[at + 6]).matrix(), q.segment<3>(at)};
}

void WritePose(const Pose& X, int at, VectorX* q) {
  const Quaternion r(X.R);
  q->segment<3>(at) = X.p;
  q->segment<4>(at + 3) << r.w(), r.x(), r.y(), r.z();
}

// q of the part, standing at X_WP in the world: poses of links that float turn with it.
VectorX MoveConfiguration(const Model& part, const Pose& X_WP, VectorX q) {
  for (const ModelBody& body : part.bodies()) {
    if (body.parent >= 0 || body.kind->type != JointType::Floating) continue;
    WritePose(body.X_PJ.Inverse() * X_WP * body.X_PJ * ReadPose(q, body.q), body.q, &q);
  }
  return q;
}

ModelDescription MakePart(int seed, Random* random) {
  ModelDescription part = MakeRandomDescription(static_cast<std::uint64_t>(seed), {.joints = 4 + seed % 9});
  part.name = "part" + std::to_string(seed);
  LinkDescription& root = part.links.front();
  root.X_PL = MakeRandomPose(random);
  if (!root.joints.empty()) {
    root.joints.front().anchor = Vector3(0.1, 0.2, -0.3);
    if (root.joints.front().type == JointType::Floating) root.joints.front().initial = MakeRandomPose(random);
  }
  return part;
}

TEST(AppendModel, LinksMoveAsThoseOfTheParts) {
  Random random(1);
  for (int seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const Pose X_WP[2] = {MakeRandomPose(&random), MakeRandomPose(&random)};
    const ModelDescription parts[2] = {MakePart(2 * seed, &random), MakePart(2 * seed + 1, &random)};
    ModelDescription world;
    for (int k = 0; k < 2; ++k) AppendModel(parts[k], k == 0 ? "a" : "b", X_WP[k], &world);
    const Model model(world);

    const Model part_models[2] = {Model(parts[0]), Model(parts[1])};
    ASSERT_EQ(model.nq(), part_models[0].nq() + part_models[1].nq());
    for (const bool initial : {true, false}) {
      VectorX part_q[2], q(model.nq());
      for (int k = 0; k < 2; ++k) {
        part_q[k] = initial ? part_models[k].MakeInitial() : part_models[k].MakeRandom(&random);
      }
      q << MoveConfiguration(part_models[0], X_WP[0], part_q[0]), MoveConfiguration(part_models[1], X_WP[1], part_q[1]);
      if (initial) q = model.MakeInitial();
      ModelData data(model);
      CalcFrames(model, q, &data);
      int link = 0;
      for (int k = 0; k < 2; ++k) {
        ModelData part_data(part_models[k]);
        CalcFrames(part_models[k], part_q[k], &part_data);
        for (int i = 0; i < static_cast<int>(part_models[k].links().size()); ++i, ++link) {
          EXPECT_EQ(model.links()[link].name, (k == 0 ? "a/" : "b/") + part_models[k].links()[i].name);
          ExpectNear(data.LinkPose(model, link), X_WP[k] * part_data.LinkPose(part_models[k], i));
        }
      }
    }
  }
}

// A base with an arm: the names of everything that refers to something.
ModelDescription MakeArm() {
  ModelDescription part;
  part.name = "arm";
  LinkDescription base, arm, finger;
  base.name = "base";
  base.inertia = LinkInertia{1, Vector3::Zero(), Matrix3::Identity()};
  arm.name = "arm";
  arm.parent = 0;
  arm.inertia = base.inertia;
  arm.joints.emplace_back();
  arm.joints[0].name = "shoulder";
  arm.shapes.emplace_back();
  arm.shapes[0].name = "skin";
  finger = arm;
  finger.name = "finger";
  finger.parent = 1;
  finger.joints[0].name = "knuckle";
  finger.joints[0].mimic = Mimic{"shoulder", 2, 0};
  finger.shapes[0].name = "nail";
  part.links = {base, arm, finger};
  part.sites = {{"tip", 2, Pose()}, {"mark", -1, Pose(Vector3(1, 0, 0))}};
  part.world_shapes.emplace_back();
  part.world_shapes[0].name = "floor";
  part.actuators.emplace_back();
  part.actuators[0].name = "motor";
  part.actuators[0].joint = "shoulder";
  part.tendons.emplace_back();
  part.tendons[0].name = "cable";
  part.tendons[0].joints = {{"shoulder", 1.0}, {"knuckle", -1.0}};
  part.contact_pairs = {{"nail", "floor", 0.5}};
  part.contact_excludes = {{"arm", "finger"}, {"world", "base"}};
  return part;
}

TEST(AppendModel, ReferencesFollowTheNames) {
  ModelDescription part = MakeArm(), world;
  EqualityDescription weld;
  weld.name = "hold";
  weld.first = "finger";
  weld.anchor = Vector3(0, 0, 1);
  weld.relative = Pose(Vector3(0, 1, 0));
  EqualityDescription connect = weld;
  connect.type = EqualityType::Connect;
  connect.name = "pin";
  connect.second_anchor = Vector3(0, 0, 2);
  part.equalities = {weld, connect};
  const Pose X_WP(Vector3(10, 0, 0));
  AppendModel(part, "left", Pose(), &world);
  AppendModel(part, "right", X_WP, &world);

  EXPECT_NO_THROW(Model{world});
  EXPECT_EQ(world.links[4].parent, 3);
  EXPECT_EQ(world.links[5].joints[0].mimic->joint, "right/shoulder");
  EXPECT_EQ(world.links[5].shapes[0].name, "right/nail");
  EXPECT_EQ(world.sites[2].name, "right/tip");
  EXPECT_EQ(world.sites[2].link, 5);
  EXPECT_EQ(world.sites[3].X_LS.p, Vector3(11, 0, 0));
  EXPECT_EQ(world.world_shapes[1].X_LS.p, Vector3(10, 0, 0));
  EXPECT_EQ(world.actuators[1].name, "right/motor");
  EXPECT_EQ(world.actuators[1].joint, "right/shoulder");
  EXPECT_EQ(world.actuators[1].tendon, "");
  EXPECT_EQ(world.tendons[1].joints[1].first, "right/knuckle");
  EXPECT_EQ(world.contact_pairs[1].first, "right/nail");
  EXPECT_EQ(world.contact_excludes[2], std::make_pair(std::string("right/arm"), std::string("right/finger")));
  EXPECT_EQ(world.contact_excludes[3], std::make_pair(std::string("world"), std::string("right/base")));
  EXPECT_EQ(world.equalities[2].first, "right/finger");
  EXPECT_EQ(world.equalities[2].second, "");
  EXPECT_EQ(world.equalities[2].anchor, Vector3(10, 0, 1));
  // The finger is where it was in the part, so the world's origin is 10 m further off.
  EXPECT_EQ(world.equalities[2].relative->p, Vector3(-10, 1, 0));
  EXPECT_EQ(*world.equalities[3].second_anchor, Vector3(10, 0, 2));
  EXPECT_EQ(world.equalities[3].anchor, Vector3(0, 0, 1));
}

TEST(AppendModel, BasesAreFixedAndFreed) {
  ModelDescription part = MakeArm(), floating, fixed;
  part.links[0].X_PL = Pose(Vector3(0, 0, 1));
  const Pose X_WP(ExpRotation(Vector3(0, 0, 1)).matrix(), Vector3(1, 2, 3));
  AppendModel(part, "a", X_WP, &floating, BaseChange::Float);
  ASSERT_EQ(floating.links[0].joints.size(), 1u);
  EXPECT_EQ(floating.links[0].joints[0].name, "a/floating_base");
  ExpectNear(floating.links[0].X_PL, Pose());
  ExpectNear(floating.links[0].joints[0].initial, X_WP * part.links[0].X_PL);

  floating.actuators.emplace_back();
  floating.actuators.back().name = "thruster";
  floating.actuators.back().joint = "a/floating_base";
  AppendModel(floating, "b", Pose(), &fixed, BaseChange::Fix);
  EXPECT_TRUE(fixed.links[0].joints.empty());
  ExpectNear(fixed.links[0].X_PL, X_WP * part.links[0].X_PL);
  EXPECT_EQ(fixed.actuators.size(), 1u);
  EXPECT_THAT(fixed.warnings,
              ElementsAre("b: actuator 'thruster' is dropped: its joint is gone, as the base is fixed"));

  part.links[0].joints.resize(1);
  part.links[0].joints[0].name = "slide";
  try {
    AppendModel(part, "c", Pose(), &fixed, BaseChange::Float);
    ADD_FAILURE() << "nothing thrown";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("it has joint 'slide' already"));
  }
}

TEST(AppendModel, WhatIsDroppedIsSaid) {
  ModelDescription part = MakeArm(), world;
  part.warnings = {"arm.urdf:3: something"};
  part.gravity = Vector3(0, 0, -1.6);
  part.keyframes.emplace_back();
  part.keyframes[0].name = "home";
  AppendModel(part, "a", Pose(), &world);
  EXPECT_TRUE(world.keyframes.empty());
  EXPECT_THAT(world.warnings, ElementsAre("arm.urdf:3: something", "a: its gravity is dropped: the world has its own",
                                          "a: keyframe 'home' is dropped: it holds for one model alone"));
}

TEST(AppendModel, NamesMustBeFree) {
  const ModelDescription part = MakeArm();
  ModelDescription world;
  AppendModel(part, "a", Pose(), &world);
  AppendModel(part, "", Pose(), &world);
  const std::size_t links = world.links.size();
  EXPECT_THROW(AppendModel(part, "a", Pose(), &world), InputError);
  EXPECT_EQ(world.links.size(), links);  // nothing was changed
}

}  // namespace
}  // namespace tactus
