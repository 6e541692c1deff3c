// Deformables in a simulator: momentum, weight, friction, coupling with rigid bodies, clamps and attachments.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/deformable/rods/rod.h"
#include "tactus/simulation/world_testing.h"

namespace tactus {
namespace {

constexpr double kGravity = 9.81;

std::shared_ptr<const FemBody> MakeMat(int cells, double young = 1e5, const FemSettings& settings = {}) {
  FemMaterial material;
  material.young = young;
  material.density = 200;
  material.stiffness_damping = 0.01;
  return std::make_shared<const FemBody>(MakeMatTets(0.4, 0.4, 0.02, {cells, cells, 1}), material, settings);
}

std::shared_ptr<const FemBody> MakeCube(double young = 2e5) {
  FemMaterial material;
  material.young = young;
  material.density = 500;
  material.stiffness_damping = 0.01;
  return std::make_shared<const FemBody>(MakeBoxTets(Vector3(0.1, 0.1, 0.1), {3, 3, 3}), material);
}

DeformableSetup At(const Vector3& place, double friction = 0.5) {
  DeformableSetup setup;
  setup.pose.p = place;
  setup.material.friction = friction;
  return setup;
}

DeformableMomentum CalcMomentum(const Simulator& simulator, int k) {
  const DeformableState& state = simulator.state().deformables[static_cast<std::size_t>(k)];
  DeformableInput input;
  input.q = &state.q;
  input.v = &state.v;
  input.held_velocity = &state.held_velocity;
  return simulator.deformables().body(k).CalcMomentum(input);
}

/// Force of contacts on deformable k, mean over the last step [N].
Vector3 CalcContactForce(const Simulator& simulator, int k) {
  Vector3 sum = Vector3::Zero();
  for (const ContactState& c : simulator.contacts()) {
    if (simulator.objects()[static_cast<std::size_t>(c.object_a)].deformable == k) sum += c.impulse_W();
    if (simulator.objects()[static_cast<std::size_t>(c.object_b)].deformable == k) sum -= c.impulse_W();
  }
  return sum / simulator.settings().scheme.step;
}

Vector3 CalcCentre(const VectorX& q) {
  Vector3 sum = Vector3::Zero();
  for (int i = 0; i < q.size() / 3; ++i) sum += q.segment<3>(3 * i);
  return 3 * sum / static_cast<double>(q.size());
}

double LowestNode(const VectorX& q) {
  double least = 1e300;
  for (int i = 2; i < q.size(); i += 3) least = std::min(least, q[i]);
  return least;
}

SimulatorSettings MakeSettings(const std::string& solver = "hybrid", double step = 0.01) {
  SimulatorSettings settings;
  settings.scheme.step = step;
  settings.solver = solver;
  return settings;
}

// Cut into pieces a mat and a rod move as they do in one: hard rows and springs between pieces lose nothing.
TEST(Deformables, PiecesMoveAsTheWhole) {
  for (const double theta : {0.0, 0.5}) {
    VectorX q[2][2];
    VectorX held[2];
    for (int cut = 0; cut < 2; ++cut) {
      TestWorld world;
      world.AddGround();
      SimulatorSettings settings = MakeSettings();
      settings.scheme.theta = theta;
      settings.solve.tolerance = 1e-12;
      settings.newton_iterations = theta > 0 ? 2 : 0;
      const auto simulator = world.Make(settings);
      DeformableSetup setup = At(Vector3(0, 0, 0.01));
      setup.linear_velocity = Vector3(0.3, 0, -0.2);
      setup.angular_velocity = Vector3(0.2, 0.1, 0);
      setup.pieces = cut == 0 ? 1 : 4;
      simulator->AddDeformable(MakeMat(4), setup);
      RodSettings rod;
      rod.segments = 12;
      rod.length = 0.4;
      rod.held = {0};
      setup.pose.p = Vector3(0, 1, 0.02);
      DeformableClamp clamp;
      clamp.items = {0};
      setup.clamps.push_back(clamp);
      simulator->AddDeformable(std::make_shared<const Rod>(rod), setup);
      StepFor(simulator.get(), 0.08);
      EXPECT_GT(CalcContactForce(*simulator, 0).norm() + CalcContactForce(*simulator, 1).norm(), 1e-3);
      for (std::size_t k = 0; k < 2; ++k) q[cut][k] = simulator->state().deformables[k].q;
      held[cut] = simulator->deformables().held_forces(1);
    }
    for (int k = 0; k < 2; ++k) EXPECT_LT((q[0][k] - q[1][k]).cwiseAbs().maxCoeff(), 1e-8) << k << " " << theta;
    EXPECT_LT((held[0] - held[1]).norm(), 1e-6 * held[0].norm());
  }
}

// What pieces are for: ADMM on each by itself ends where the whole does.
TEST(Deformables, SubadmmMovesPiecesAsTheWhole) {
  VectorX q[2];
  for (const bool cut : {false, true}) {
    TestWorld world;
    world.AddGround(0.4);
    SimulatorSettings settings = MakeSettings(cut ? "subadmm" : "hybrid");
    settings.solve.tolerance = cut ? 1e-7 : 1e-10;
    settings.solve.max_iterations = cut ? 20000 : 0;
    const auto simulator = world.Make(settings);
    RodSettings rod;
    rod.segments = 12;
    rod.length = 0.4;
    DeformableSetup setup = At(Vector3(0, 0, 0.006), 0.4);
    // Along itself: how a thin rod begins to roll is decided by the last digits.
    setup.linear_velocity = Vector3(0.3, 0, -0.1);
    setup.pieces = cut ? 3 : 1;
    simulator->AddDeformable(std::make_shared<const Rod>(rod), setup);
    StepFor(simulator.get(), 0.05);
    EXPECT_GT(CalcContactForce(*simulator, 0)[2], 0);
    q[cut] = simulator->state().deformables[0].q;
  }
  EXPECT_LT((q[0] - q[1]).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Deformables, FreeFlightKeepsMomentum) {
  for (const double theta : {0.0, 0.5}) {
    TestWorld world;
    world.description.gravity = Vector3::Zero();
    SimulatorSettings settings = MakeSettings();
    settings.scheme.theta = theta;
    const auto simulator = world.Make(settings);
    DeformableSetup setup = At(Vector3(0, 0, 1));
    setup.linear_velocity = Vector3(0.3, -0.2, 0.1);
    setup.angular_velocity = Vector3(0.5, 1, -0.3);
    simulator->AddDeformable(MakeMat(4), setup);
    RodSettings rod;
    rod.segments = 20;
    setup.pose.p = Vector3(0, 2, 0);
    simulator->AddDeformable(std::make_shared<const Rod>(rod), setup);
    const DeformableMomentum mat = CalcMomentum(*simulator, 0), cable = CalcMomentum(*simulator, 1);
    StepFor(simulator.get(), 0.3);
    EXPECT_LT((CalcMomentum(*simulator, 0).linear - mat.linear).norm(), 1e-9 * mat.linear.norm());
    EXPECT_LT((CalcMomentum(*simulator, 1).linear - cable.linear).norm(), 1e-9 * cable.linear.norm());
    // Angular momentum to the order of the step.
    EXPECT_LT((CalcMomentum(*simulator, 0).angular - mat.angular).norm(), 0.05 * mat.angular.norm());
    EXPECT_LT((CalcMomentum(*simulator, 1).angular - cable.angular).norm(), 0.05 * cable.angular.norm());
  }
}

TEST(Deformables, FallsAsABodyDoes) {
  TestWorld world;
  const auto simulator = world.Make(MakeSettings());
  simulator->AddDeformable(MakeMat(3), At(Vector3(0, 0, 5)));
  const double before = CalcCentre(simulator->state().deformables[0].q)[2];
  StepFor(simulator.get(), 0.2);
  // Backward Euler: h^2 g (1 + 2 + ... + n).
  const double fallen = before - CalcCentre(simulator->state().deformables[0].q)[2];
  EXPECT_NEAR(fallen, kGravity * 1e-4 * 20 * 21 / 2, 1e-9);
}

TEST(Deformables, MatOnPlaneCarriesItsWeight) {
  for (const char* solver : {"hybrid", "cond"}) {
    TestWorld world;
    world.AddGround(0.5);
    const auto simulator = world.Make(MakeSettings(solver));
    simulator->AddDeformable(MakeMat(4), At(Vector3(0, 0, 0.002)));
    StepFor(simulator.get(), 2.0);
    const double weight = kGravity * simulator->deformables().body(0).mass();
    EXPECT_NEAR(CalcContactForce(*simulator, 0)[2], weight, 1e-6 * weight) << solver;
    EXPECT_LT(CalcContactForce(*simulator, 0).head<2>().norm(), 1e-6 * weight) << solver;
    EXPECT_GT(LowestNode(simulator->state().deformables[0].q), -1e-6) << solver;
  }
}

TEST(Deformables, HybridAndCondGiveTheSameMotion) {
  VectorX q[2];
  int k = 0;
  for (const char* solver : {"hybrid", "cond"}) {
    TestWorld world;
    world.AddGround(0.5);
    world.AddBody(ShapeType::Box, Vector3(0.05, 0.05, 0.05), 0.4, Pose(Vector3(0.03, 0.02, 0.08)), 0.5);
    SimulatorSettings settings = MakeSettings(solver);
    settings.solve.tolerance = 1e-9;
    const auto simulator = world.Make(settings);
    simulator->AddDeformable(MakeMat(4), At(Vector3(0, 0, 0.005)));
    StepFor(simulator.get(), 0.3);
    q[k++] = simulator->state().deformables[0].q;
  }
  EXPECT_LT((q[0] - q[1]).cwiseAbs().maxCoeff(), 1e-6);
}

// Beyond the angle of friction a soft cube slides as a point does; below it stays.
TEST(Deformables, CubeSlidesDownAnIncline) {
  const double mu = 0.3, slope = 0.5;
  TestWorld world;
  world.AddGround(mu);
  // Gravity turned in place of the plane.
  world.description.gravity = kGravity * Vector3(std::sin(slope), 0, -std::cos(slope));
  const auto simulator = world.Make(MakeSettings("hybrid", 0.005));
  simulator->AddDeformable(MakeCube(), At(Vector3(0, 0, 0.05), mu));
  StepFor(simulator.get(), 0.2);  // settles
  const Vector3 before = CalcMomentum(*simulator, 0).linear;
  const double mass = simulator->deformables().body(0).mass();
  StepFor(simulator.get(), 0.2);
  const double gained = (CalcMomentum(*simulator, 0).linear - before)[0] / mass;
  EXPECT_NEAR(gained, 0.2 * kGravity * (std::sin(slope) - mu * std::cos(slope)), 0.01);
}

TEST(Deformables, CubeSticksOnASlope) {
  TestWorld world;
  world.AddGround(0.8);
  world.description.gravity = kGravity * Vector3(std::sin(0.4), 0, -std::cos(0.4));
  const auto simulator = world.Make(MakeSettings());
  simulator->AddDeformable(MakeCube(), At(Vector3(0, 0, 0.05), 0.8));
  StepFor(simulator.get(), 1.0);
  EXPECT_LT(CalcMomentum(*simulator, 0).linear.norm() / simulator->deformables().body(0).mass(), 1e-4);
}

// What the box presses on the mat, the mat presses on the box, and the ground carries both.
TEST(Deformables, BoxOnMat) {
  TestWorld world;
  world.AddGround(0.5);
  world.AddBody(ShapeType::Box, Vector3(0.06, 0.06, 0.04), 0.5, Pose(Vector3(0.01, -0.02, 0.061)), 0.5);
  const auto simulator = world.Make(MakeSettings());
  simulator->AddDeformable(MakeMat(6, 2e5), At(Vector3::Zero()));
  StepFor(simulator.get(), 2.0);
  Vector3 on_box = Vector3::Zero(), on_mat = Vector3::Zero();
  for (const ContactState& c : simulator->contacts()) {
    const SimulatorObject &a = simulator->objects()[static_cast<std::size_t>(c.object_a)],
                          &b = simulator->objects()[static_cast<std::size_t>(c.object_b)];
    ASSERT_EQ(b.deformable, 0);
    (a.body >= 0 ? on_box : on_mat) += (a.body >= 0 ? 1 : -1) * c.impulse_W() / 0.01;
  }
  const double mat = simulator->deformables().body(0).mass();
  EXPECT_NEAR(on_box[2], 0.5 * kGravity, 1e-5);
  EXPECT_NEAR(on_mat[2], (0.5 + mat) * kGravity, 1e-5);
  EXPECT_NEAR(simulator->LinkPose(0).p[2], 0.06, 0.003);
}

// A corner that is smaller than the distance of nodes does not pass between them.
TEST(Deformables, SmallBallDoesNotSlipBetweenNodes) {
  TestWorld world;
  world.AddGround(0.5);
  // Cells of 0.1 m; the ball's radius is 0.02 m, over the middle of a triangle.
  world.AddBody(ShapeType::Sphere, Vector3(0.02, 0, 0), 0.05, Pose(Vector3(0.03, 0.04, 0.042)), 0.5);
  const auto simulator = world.Make(MakeSettings());
  simulator->AddDeformable(MakeMat(4, 5e5), At(Vector3::Zero()));
  StepFor(simulator.get(), 0.5);
  EXPECT_GT(simulator->LinkPose(0).p[2], 0.035);
  EXPECT_LT(simulator->LinkPose(0).p[2], 0.041);
}

// A catenary carries half its weight at each clamp.
TEST(Deformables, RodBetweenClamps) {
  TestWorld world;
  const auto simulator = world.Make(MakeSettings());
  RodSettings settings;
  settings.length = 1;
  settings.segments = 40;
  settings.radius = 0.004;
  settings.young = 1e6;
  settings.held = {0, 39};
  DeformableSetup setup;
  setup.clamps = {{{0}, nullptr}, {{39}, nullptr}};
  simulator->AddDeformable(std::make_shared<const Rod>(settings), setup);
  StepFor(simulator.get(), 6.0);
  const VectorX& force = simulator->deformables().held_forces(0);
  const double weight = kGravity * simulator->deformables().body(0).mass();
  ASSERT_EQ(force.size(), 12);
  EXPECT_NEAR(force[2] + force[8], weight, 0.02 * weight);
  EXPECT_NEAR(force[2], force[8], 1e-3 * weight);
  EXPECT_NEAR(force[0], -force[6], 1e-3 * weight);
  EXPECT_LT(force[0], 0);  // pulls outwards at the beginning of the rod
  const VectorX& q = simulator->state().deformables[0].q;
  EXPECT_LT(q[7 * 20 + 2], -0.01);
  EXPECT_NEAR(q[7 * 20 + 2], q[7 * 19 + 2], 1e-4);
}

// A clamp moves as told, and takes the rest along.
TEST(Deformables, ClampsMove) {
  TestWorld world;
  world.description.gravity = Vector3::Zero();
  FemSettings held;
  const TetMesh mesh = MakeMatTets(0.4, 0.4, 0.02, {4, 4, 1});
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    if (mesh.nodes[i][0] < -0.19) held.held.push_back(static_cast<int>(i));
  }
  DeformableSetup setup;
  setup.clamps = {{held.held, MakeConstantMotion(Pose(Vector3(-0.2, 0, 0)), Vector3(0, 0, 0.1), Vector3(0, 0, 0.5))}};
  const auto simulator = world.Make(MakeSettings());
  simulator->AddDeformable(MakeMat(4, 1e6, held), setup);
  const VectorX before = simulator->state().deformables[0].q;
  StepFor(simulator.get(), 1.0);
  const VectorX& q = simulator->state().deformables[0].q;
  const Matrix3 R = Eigen::AngleAxisd(0.5, Vector3::UnitZ()).toRotationMatrix();
  const Vector3 pivot(-0.2, 0, 0);
  for (const int i : held.held) {
    const Vector3 goal = pivot + R * (before.segment<3>(3 * i) - pivot) + Vector3(0, 0, 0.1);
    EXPECT_LT((q.segment<3>(3 * i) - goal).norm(), 1e-9);
  }
  EXPECT_NEAR(CalcCentre(q)[2] - CalcCentre(before)[2], 0.1, 0.03);
}

// A rod that hangs from a link pulls with its weight; its end stays there.
TEST(Deformables, AttachmentsHold) {
  TestWorld world;
  world.AddBody(ShapeType::Sphere, Vector3(0.05, 0, 0), 2, Pose(Vector3(0, 0, 1)), 0.5);
  LinkDescription arm = MakeHinge("hinge", Vector3(1, 0, 1), 0.01);
  world.description.links.push_back(arm);
  world.description.links.back().joints[0].axis = Vector3::UnitZ();
  for (const double theta : {0.0, 0.5}) {
    SimulatorSettings settings = MakeSettings();
    settings.scheme.theta = theta;
    const auto simulator = world.Make(settings);
    RodSettings rod;
    rod.length = 0.3;
    rod.segments = 12;
    DeformableSetup setup;
    setup.collides = false;
    setup.pose = Pose(Eigen::AngleAxisd(std::numbers::pi / 2, Vector3::UnitY()).toRotationMatrix(), Vector3(1, 0, 1));
    simulator->AddDeformable(std::make_shared<const Rod>(rod), setup);
    Attachment attachment;
    attachment.items = {0};
    attachment.link = 1;
    simulator->AddAttachment(attachment);
    const VectorX before = simulator->state().deformables[0].q;
    StepFor(simulator.get(), 1.5);
    const double weight = kGravity * simulator->deformables().body(0).mass();
    EXPECT_NEAR(simulator->CalcAttachmentForce(0, 0)[2], weight, 0.02 * weight);
    EXPECT_LT((simulator->state().deformables[0].q.head<7>() - before.head<7>()).norm(), 1e-6);
  }
}

TEST(Deformables, SnapshotsAndThreadsGiveTheSameBits) {
  TestWorld world;
  world.AddGround(0.5);
  world.AddBody(ShapeType::Box, Vector3(0.04, 0.04, 0.04), 0.3, Pose(Vector3(0.02, 0.01, 0.09)), 0.5);
  std::uint64_t hash[3] = {};
  std::vector<std::uint8_t> bytes;
  for (const int k : {0, 1, 2}) {
    SimulatorSettings settings = MakeSettings();
    settings.threads = k == 1 ? 3 : 1;
    const auto simulator = world.Make(settings);
    simulator->AddDeformable(MakeMat(5), At(Vector3(0, 0, 0.01)));
    if (k == 2) {
      simulator->Restore(Snapshot::Deserialize(bytes));
    } else {
      StepFor(simulator.get(), 0.1);
    }
    if (k == 0) bytes = simulator->MakeSnapshot().Serialize();
    StepFor(simulator.get(), 0.1);
    hash[k] = simulator->CalcStateHash();
  }
  EXPECT_EQ(hash[0], hash[1]);
  EXPECT_EQ(hash[0], hash[2]);
}

TEST(Deformables, RefusesWhatDoesNotFit) {
  TestWorld world;
  const auto simulator = world.Make(MakeSettings());
  EXPECT_THROW(simulator->AddDeformable(nullptr), InputError);
  DeformableSetup setup;
  setup.clamps = {{{0}, nullptr}};
  EXPECT_THROW(simulator->AddDeformable(MakeMat(2), setup), InputError);  // not held
  EXPECT_TRUE(simulator->deformables().empty());
  EXPECT_TRUE(simulator->state().deformables.empty());
  simulator->AddDeformable(MakeMat(2));
  Attachment attachment;
  attachment.items = {100};
  EXPECT_THROW(simulator->AddAttachment(attachment), InputError);
  State state = simulator->state();
  state.deformables[0].q[3] = std::nan("");
  EXPECT_THROW(simulator->SetState(state), InputError);
  state.deformables.clear();
  EXPECT_THROW(simulator->SetState(state), InputError);
}

}  // namespace
}  // namespace tactus
