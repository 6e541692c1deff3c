// Who does not touch though near: what is attached to the other, and pairs of which it is said.
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/deformable/rods/rod.h"
#include "tactus/simulation/sensors.h"
#include "tactus/simulation/world_testing.h"

namespace tactus {
namespace {

constexpr double kGravity = 9.81, kPlateMass = 0.2;

SimulatorSettings MakeSettings(int threads = 1) {
  SimulatorSettings settings;
  settings.scheme.step = 0.005;
  settings.threads = threads;
  return settings;
}

DeformableSetup At(const Vector3& place, double friction = 0.5) {
  DeformableSetup setup;
  setup.pose.p = place;
  setup.material.friction = friction;
  return setup;
}

// A cube of 0.1 m.
std::shared_ptr<const FemBody> MakePad(int cells = 3) {
  FemMaterial material;
  material.young = 2e4;
  material.density = 500;
  material.stiffness_damping = 0.01;
  return std::make_shared<const FemBody>(MakeBoxTets(Vector3(0.1, 0.1, 0.1), {cells, cells, cells}), material);
}

Attachment AttachTop(const FemBody& pad, int link) {
  Attachment out;
  out.link = link;
  for (int i = 0; i < pad.num_items(); ++i) {
    if (pad.initial_q()[3 * i + 2] > 0.049) out.items.push_back(i);
  }
  return out;
}

// A pad on the ground, its top attached to a plate that overlaps it.
struct PlateOnPad {
  explicit PlateOnPad(double overlap, double half = 0.05, double to = std::numeric_limits<double>::infinity(),
                      int threads = 1) {
    world.AddGround(0.5);
    world.AddBody(ShapeType::Box, Vector3(half, half, 0.01), kPlateMass, Pose(Vector3(0, 0, 0.11 - overlap)), 0.5);
    simulator = world.Make(MakeSettings(threads));
    const auto pad = MakePad();
    simulator->AddDeformable(pad, At(Vector3(0, 0, 0.05)));
    Attachment top = AttachTop(*pad, 0);
    top.times.to = to;
    simulator->AddAttachment(top);
  }
  int Between() const {
    int count = 0;
    for (const ContactState& c : simulator->contacts()) {
      count += simulator->objects()[static_cast<std::size_t>(c.object_a)].link == 0;
    }
    return count;
  }
  TestWorld world;
  std::unique_ptr<Simulator> simulator;
};

TEST(DeformableExceptions, AttachedPlateRestsOnThePad) {
  for (const double overlap : {0.0, 0.005}) {
    const PlateOnPad scene(overlap);
    Simulator& simulator = *scene.simulator;
    EXPECT_TRUE(simulator.ExcludeInitialOverlaps().empty());
    const double apart = simulator.LinkPose(0).p[2] - simulator.state().deformables[0].q[3 * 63 + 2];
    StepFor(&simulator, 1.5);
    EXPECT_EQ(scene.Between(), 0);
    // The attachment alone carries the plate, and the ground both.
    const double weight = kGravity * kPlateMass, pad = kGravity * simulator.deformables().body(0).mass();
    const Vector6 wrench = simulator.CalcAttachmentWrench(0);
    EXPECT_NEAR(wrench[2], -weight, 1e-3 * weight);
    EXPECT_LT(wrench.head<2>().norm() + wrench.tail<3>().norm(), 1e-3 * weight);
    Vector6 sum = Vector6::Zero();
    for (std::size_t i = 0; i < simulator.attachments()[0].items.size(); ++i) {
      sum += simulator.CalcAttachmentForce(0, static_cast<int>(i));
    }
    EXPECT_LT((sum.head<3>() - wrench.head<3>()).norm(), 1e-12);
    EXPECT_NEAR(CalcContactWrench(simulator, 0).norm(), 0, 1e-12);
    Vector3 ground = Vector3::Zero();
    for (const ContactState& c : simulator.contacts()) ground -= c.impulse_W() / 0.005;
    EXPECT_NEAR(ground[2], weight + pad, 1e-3 * weight);
    EXPECT_NEAR(simulator.LinkPose(0).p[2] - simulator.state().deformables[0].q[3 * 63 + 2], apart, 1e-6);
  }
}

TEST(DeformableExceptions, CollidesAgainAfterwards) {
  // Wider than the pad: on borders that lie on each other contacts come and go.
  const PlateOnPad scene(0, 0.06, 0.1);
  StepFor(scene.simulator.get(), 0.1);
  EXPECT_EQ(scene.Between(), 0);
  StepFor(scene.simulator.get(), 1.4);
  EXPECT_GT(scene.Between(), 3);
  EXPECT_EQ(scene.simulator->CalcAttachmentWrench(0), Vector6::Zero().eval());
  EXPECT_NEAR(CalcContactWrench(*scene.simulator, 0)[2], kGravity * kPlateMass, 1e-3);
  // Going back in time, too.
  State state = scene.simulator->state();
  state.time = 0;
  scene.simulator->SetState(state);
  ASSERT_TRUE(scene.simulator->Step().moved());
  EXPECT_EQ(scene.Between(), 0);
}

TEST(DeformableExceptions, ThreadsGiveTheSameBits) {
  std::uint64_t hash[2] = {};
  for (const int k : {0, 1}) {
    const PlateOnPad scene(0.005, 0.05, 0.05, k == 0 ? 1 : 3);
    StepFor(scene.simulator.get(), 0.1);
    hash[k] = scene.simulator->CalcStateHash();
  }
  EXPECT_EQ(hash[0], hash[1]);
}

// Shapes of links that are welded to the one it is attached to are of the same body; others are not.
TEST(DeformableExceptions, WeldedLinksAreOneBody) {
  TestWorld world;
  world.AddBody(ShapeType::Sphere, Vector3(0.01, 0, 0), 1, Pose(Vector3(0, 0, 1)));
  LinkDescription plate;
  plate.name = "plate";
  plate.parent = 0;
  plate.X_PL = Pose(Vector3(0, 0, 0.005));
  plate.shapes.push_back(world.MakeShape(ShapeType::Box, Vector3(0.05, 0.05, 0.01), 0.5, "plate"));
  world.description.links.push_back(plate);
  world.AddBody(ShapeType::Box, Vector3(0.05, 0.05, 0.01), 1, Pose(Vector3(0, 0, 1.005)));
  const auto simulator = world.Make(MakeSettings());
  const auto pad = MakePad();
  simulator->AddDeformable(pad, At(Vector3(0, 0, 0.95)));
  // Rigid ones that overlap are another matter: here only those with the pad count.
  const auto find = [&] {
    int with[3] = {};
    for (const InitialOverlap& o : simulator->ExcludeInitialOverlaps()) {
      if (o.second != "deformable") continue;
      ++with[o.first == "body0" ? 0 : o.first == "plate" ? 1 : 2];
    }
    return std::array<int, 3>{with[0], with[1], with[2]};
  };
  EXPECT_EQ(find(), (std::array<int, 3>{1, 1, 1}));
  simulator->AddAttachment(AttachTop(*pad, 0));
  EXPECT_EQ(find(), (std::array<int, 3>{0, 0, 1}));
}

TEST(DeformableExceptions, RodsEndInABox) {
  TestWorld world;
  world.AddBody(ShapeType::Box, Vector3(0.025, 0.025, 0.025), 0.2, Pose(Vector3(0.425, 0, 0)));
  const auto simulator = world.Make(MakeSettings());
  RodSettings rod;
  rod.length = 0.4;
  rod.segments = 80;  // shorter than thick: several overlap with the box
  rod.radius = 0.004;
  rod.held = {0};
  DeformableSetup setup;
  setup.clamps = {{{0}, nullptr}};
  simulator->AddDeformable(std::make_shared<const Rod>(rod), setup);
  Attachment end;
  end.items = {78};
  end.link = 0;
  end.times.to = 0.5;
  simulator->AddAttachment(end);
  EXPECT_TRUE(simulator->ExcludeInitialOverlaps().empty());
  while (simulator->time() < 0.499) {
    ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
    for (const ContactState& c : simulator->contacts()) EXPECT_LT(c.point_b.items[0], 75) << simulator->time();
  }
  ASSERT_TRUE(simulator->Step().moved());
  EXPECT_FALSE(simulator->contacts().empty());
}

// As with clamps: what stays in the world does not feel what is fixed there, nor what stays likewise.
TEST(DeformableExceptions, WhatIsCarriedByOneBodyDoesNotTouch) {
  TestWorld world;
  world.AddGround(0.5);
  const auto simulator = world.Make(MakeSettings());
  for (const double x : {0.0, 0.05}) {
    const auto pad = MakePad(1);
    Attachment all;
    all.deformable = simulator->AddDeformable(pad, At(Vector3(x, 0, 0.04)));
    for (int i = 0; i < pad->num_items(); ++i) all.items.push_back(i);
    simulator->AddAttachment(all);
  }
  StepFor(simulator.get(), 0.02);
  EXPECT_TRUE(simulator->contacts().empty());
}

TEST(DeformableExceptions, PairsThatNeverTouch) {
  for (const bool soft : {false, true}) {
    for (const bool excluded : {false, true}) {
      TestWorld world;
      world.AddBody(ShapeType::Box, Vector3(0.05, 0.05, 0.01), 1, Pose(Vector3(soft ? 1 : 0, 0, 0.105)));
      const auto simulator = world.Make(MakeSettings());
      simulator->AddDeformable(MakePad(1), At(Vector3(0, 0, 0.05)));
      if (soft) simulator->AddDeformable(MakePad(1), At(Vector3(0, 0, 0.145)));
      const std::uint64_t world_hash = simulator->CalcWorldHash();
      const int last = static_cast<int>(simulator->objects().size()) - 1;
      if (excluded) {
        simulator->SetDeformablePair({last, last - 1, std::nullopt});
        EXPECT_NE(simulator->CalcWorldHash(), world_hash);
      }
      EXPECT_EQ(simulator->Step().candidates == 0, excluded) << soft;
    }
  }
}

// Whatever masks and rules that exclude say.
TEST(DeformableExceptions, PairsWithAFrictionOfTheirOwn) {
  TestWorld world;
  world.AddGround(0.5);
  world.description.gravity = kGravity * Vector3(std::sin(0.3), 0, -std::cos(0.3));
  const auto simulator = world.Make(MakeSettings());
  DeformableSetup setup = At(Vector3(0, 0, 0.05));
  setup.contact_type = setup.contact_affinity = 0;
  simulator->AddDeformable(MakePad(2), setup);
  simulator->SetDeformablePair({0, 1, 0.0});
  simulator->SetDeformablePair({0, 1, std::nullopt});
  StepFor(simulator.get(), 0.5);
  const DeformableState& state = simulator->state().deformables[0];
  DeformableInput input;
  input.q = &state.q;
  input.v = &state.v;
  input.held_velocity = &state.held_velocity;
  const Deformable& pad = simulator->deformables().body(0);
  EXPECT_NEAR(pad.CalcMomentum(input).linear[0] / pad.mass(), 0.5 * kGravity * std::sin(0.3), 1e-6);
  ASSERT_FALSE(simulator->contacts().empty());
  EXPECT_EQ(simulator->contacts()[0].friction2, 0);
}

TEST(DeformableExceptions, RefusesPairsThatMakeNoSense) {
  TestWorld world;
  world.AddGround();
  world.AddBody(ShapeType::Sphere, Vector3(0.1, 0, 0), 1, Pose(Vector3(0, 0, 1)));
  const auto simulator = world.Make(MakeSettings());
  simulator->AddDeformable(MakePad(1));
  EXPECT_THROW(simulator->SetDeformablePair({0, 1, std::nullopt}), InputError);
  EXPECT_THROW(simulator->SetDeformablePair({0, 3, std::nullopt}), InputError);
  EXPECT_THROW(simulator->SetDeformablePair({-1, 2, std::nullopt}), InputError);
  EXPECT_THROW(simulator->SetDeformablePair({0, 2, -1.0}), InputError);
}

}  // namespace
}  // namespace tactus
