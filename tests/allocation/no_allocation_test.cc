// Once a solver has seen a problem's structure, solving takes no memory from the heap.
//
// Counted at malloc, which Eigen calls directly. The hook replaces glibc's malloc for this program only; sanitizers
// bring their own, so that the tests are skipped there.
#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include <gtest/gtest.h>

#include "tactus/control/robots_testing.h"
#include "tactus/control/task_controller.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/deformable/rods/rod.h"
#include "tactus/dynamics/forward_dynamics.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"
#include "tactus/generate/generator.h"
#include "tactus/inverse/qpcc_solver.h"
#include "tactus/inverse/random_qpcc.h"
#include "tactus/math/square_system.h"
#include "tactus/simulation/discrete_dynamics.h"
#include "tactus/simulation/world_testing.h"
#include "tactus/solvers/registry.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TACTUS_FOREIGN_MALLOC 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define TACTUS_FOREIGN_MALLOC 1
#endif

namespace {

thread_local bool g_counting = false;
thread_local int g_allocations = 0;

}  // namespace

#ifndef TACTUS_FOREIGN_MALLOC

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): glibc's names
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t size) {
  g_allocations += g_counting;
  return __libc_malloc(size);
}

void* calloc(std::size_t nmemb, std::size_t size) {
  g_allocations += g_counting;
  return __libc_calloc(nmemb, size);
}

void* realloc(void* ptr, std::size_t size) {
  g_allocations += g_counting;
  return __libc_realloc(ptr, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  g_allocations += g_counting;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memptr, std::size_t alignment, std::size_t size) {
  g_allocations += g_counting;
  *memptr = __libc_memalign(alignment, size);
  return *memptr ? 0 : 12;
}

}  // extern "C"

#endif

namespace tactus {
namespace {

template <typename Work>
int CountAllocations(Work&& work) {
  g_allocations = 0;
  g_counting = true;
  work();
  g_counting = false;
  return g_allocations;
}

class NoAllocation : public testing::Test {
 protected:
  void SetUp() override {
#ifdef TACTUS_FOREIGN_MALLOC
    GTEST_SKIP() << "allocations cannot be counted here: malloc belongs to a sanitizer, or is not glibc's";
#endif
    // The counter counts; the pointer is volatile, or the compiler may drop the pair.
    ASSERT_GT(CountAllocations([] {
                int* volatile p = new int(1);
                delete p;
              }),
              0);
  }

  /// Allocations of a solve after solving both problems, cold and warm.
  static void ExpectNone(const std::string& name, const ContactProblem& p, const ContactProblem& other) {
    const auto solver = MakeSolver(name);
    const SolveSettings settings;
    ContactSolution solution;
    WarmStart warm;
    for (const ContactProblem* problem : {&other, &p}) {
      ASSERT_TRUE(solver->Solve(*problem, settings, WarmStart(), &solution).solved()) << problem->provenance;
      warm.impulse = solution.impulse;
      static_cast<void>(solver->Solve(*problem, settings, warm, &solution));
    }
    warm.impulse = 1.01 * warm.impulse;
    const WarmStart cold;
    EXPECT_EQ(CountAllocations([&] { static_cast<void>(solver->Solve(p, settings, cold, &solution)); }), 0)
        << name << " from cold on " << p.provenance;
    EXPECT_EQ(CountAllocations([&] { static_cast<void>(solver->Solve(p, settings, warm, &solution)); }), 0)
        << name << " from a warm start on " << p.provenance;
    EXPECT_EQ(CountAllocations([&] { static_cast<void>(solver->Solve(other, settings, cold, &solution)); }), 0)
        << name << " on " << other.provenance;
  }
};

TEST_F(NoAllocation, HybridOnBolt) {
  ExpectNone("hybrid", Generate("bolt", {}, 1), Generate("bolt", {}, 2));
  ExpectNone("hybrid", Generate("bolt", {{"contacts", 501}, {"mu", 1}}, 3), Generate("bolt", {{"contacts", 501}}, 4));
}

TEST_F(NoAllocation, HybridOnDishes) {
  ExpectNone("hybrid", Generate("dishes", {}, 1), Generate("dishes", {}, 2));
  ExpectNone("hybrid", Generate("dishes", {{"contacts", 400}, {"mu", 1}}, 3),
             Generate("dishes", {{"contacts", 400}}, 4));
}

// Nodes alone, rigid bodies on them, and nodes with several contacts; both problems of one size, as vectors of another
// size are made anew.
TEST_F(NoAllocation, CondOnMats) {
  for (const char* what : {"pressed", "boxes", "walls"}) {
    const GeneratorParameters parameters = {{"contacts", 100}, {what, 1}};
    ExpectNone("cond", Generate("mat", parameters, 1), Generate("mat", parameters, 2));
  }
}

// The pattern, its analysis and all vectors are there.
TEST_F(NoAllocation, CanalOnMats) {
  for (const char* what : {"pressed", "walls"}) {
    const GeneratorParameters parameters = {{"contacts", 100}, {what, 1}, {"mu", 0.1}};
    ExpectNone("canal", Generate("mat", parameters, 1), Generate("mat", parameters, 2));
  }
}

// Dynamics of an arm of all joint types beside free bodies: nothing once ModelData exists and results have their size.
TEST_F(NoAllocation, Dynamics) {
  ModelDescription description;
  for (int i = 0; i < 12; ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i);
    link.parent = i < 6 ? i - 1 : -1;
    link.X_PL.p = Vector3(0, 0, 0.2);
    JointDescription joint;
    joint.name = link.name;
    constexpr JointType kTypes[] = {JointType::Revolute, JointType::Prismatic, JointType::Ball,
                                    JointType::Planar,   JointType::Floating,  JointType::Continuous};
    joint.type = i < 6 ? kTypes[i] : JointType::Floating;
    joint.damping = 0.1;
    link.joints.push_back(joint);
    link.inertia = LinkInertia{1, Vector3(0.1, 0, 0), 0.1 * Matrix3::Identity()};
    if (i >= 6) link.X_PL = Pose();
    description.links.push_back(link);
  }
  const Model model(description);
  ASSERT_EQ(model.free_batches().size(), 2U);
  ModelData data(model);
  Random random(1);
  State state{model.MakeRandom(&random), VectorX::Ones(model.nv()), 0};
  const VectorX tau = VectorX::Ones(model.nv());
  const std::vector<Vector6> external(model.num_bodies(), Vector6::Ones());
  VectorX out = tau, difference = tau, v_hat = tau, q = state.q;
  Matrix6X J = Matrix6X::Zero(6, model.nv());
  DiscreteDynamics dynamics;
  dynamics.AddModel(model);
  bool good = true;
  EXPECT_EQ(CountAllocations([&] {
              CalcInverseDynamics(model, state.q, state.v, tau, &data, &out, &external);
              CalcBias(model, state.q, state.v, &data, &out);
              CalcGravityTorque(model, state.q, &data, &out);
              good = good && CalcForwardDynamics(model, state.q, state.v, tau, &data, &out, &external);
              CalcFrames(model, state.q, &data);
              CalcPositions(model, state.q, &data);
              CalcVelocities(model, state.v, &data);
              CalcMassMatrix(model, &data);
              good = good && FactorizeMassMatrix(model, &data);
              SolveMassMatrix(model, data, out.data());
              MultiplyMassMatrix(model, data, state.v, &out);
              CalcPointJacobian(model, data, 5, Vector3::Zero(), &J);
              AddPointForce(model, data, 5, Vector3::Zero(), Vector6::Ones(), &out);
              static_cast<void>(CalcMomentum(model, data));
              static_cast<void>(CalcKineticEnergy(model, data, state.v));
              model.Integrate(state.q, state.v, 0.01, &q);
              model.Difference(state.q, q, &difference);
              good = good && dynamics.Update(0, state, {&tau, &external});
              dynamics.Advance(0, v_hat, &state);
            }),
            0);
  EXPECT_TRUE(good);
}

// Whole steps: boxes that land and rest, linearised once and twice.
TEST_F(NoAllocation, StepsOfBoxes) {
  for (const int linearizations : {1, 2}) {
    TestWorld world;
    world.AddGround(0.5);
    for (int k = 0; k < 6; ++k) {
      world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose(Vector3(0.01 * k, 0, 0.12 + 0.21 * k)), 0.5);
    }
    SimulatorSettings settings;
    settings.linearizations = linearizations;
    const auto simulator = world.Make(settings);
    for (int k = 0; k < 200; ++k) ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
    int bad = 0;
    EXPECT_EQ(CountAllocations([&] {
                for (int k = 0; k < 50; ++k) bad += simulator->Step().status == StepStatus::Ok ? 0 : 1;
              }),
              0);
    EXPECT_EQ(bad, 0);
  }
}

// Driven arms that press on boxes, two islands.
void CountStepsOfArms(const SimulatorSettings& settings) {
  TestWorld world;
  world.AddGround(0.5);
  for (int k = 0; k < 2; ++k) {
    world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1, Pose(Vector3(0.5 + 2 * k, 0, 0.1)), 0.5);
    LinkDescription arm;
    arm.name = "arm" + std::to_string(k);
    arm.X_PL = Pose(Vector3(2 * k, 0, 0.25));
    arm.inertia = LinkInertia{2, Vector3(0.25, 0, 0), Matrix3::Identity() * 0.01};
    JointDescription joint;
    joint.name = "hinge" + std::to_string(k);
    joint.axis = Vector3::UnitY();
    joint.lower = -1;
    joint.upper = 1;
    joint.dry_friction = 0.1;
    arm.joints.push_back(joint);
    ShapeInstance hand = world.MakeShape(ShapeType::Sphere, Vector3(0.04, 0, 0), 0.5, "hand");
    hand.X_LS = Pose(Vector3(0.5, 0, 0));
    arm.shapes.push_back(hand);
    world.description.links.push_back(arm);
  }
  const auto simulator = world.Make(settings);
  for (int k = 0; k < 2; ++k) {
    const int joint = simulator->model().FindJoint("hinge" + std::to_string(k));
    const int drive = simulator->AddDrive({joint, 100, 10});
    simulator->control().drives[static_cast<std::size_t>(drive)].position = 0.5;
  }
  for (int k = 0; k < 200; ++k) ASSERT_EQ(simulator->Step().status, StepStatus::Ok);
  EXPECT_GT(simulator->problem().num_rows(), 2);
  EXPECT_GE(simulator->problem().num_contacts(), 6);
  int bad = 0;
  EXPECT_EQ(CountAllocations([&] {
              for (int k = 0; k < 50; ++k) bad += simulator->Step().status == StepStatus::Ok ? 0 : 1;
            }),
            0);
  EXPECT_EQ(bad, 0);
}

// Trees and rows take the hybrid solver to its Delassus form.
TEST_F(NoAllocation, StepsOfAnArm) { CountStepsOfArms({}); }

// With the joints of trees, along which this one goes.
TEST_F(NoAllocation, StepsOfAnArmAlongItsJoints) {
  SimulatorSettings settings;
  settings.solver = "subadmm-aba";
  settings.solve.tolerance = 1e-4;
  CountStepsOfArms(settings);
}

// The first-order solver, in several threads too, and what chooses between it and the hybrid.
TEST_F(NoAllocation, StepsOfBoxesWithOtherSolvers) {
  for (const char* solver : {"subadmm", "auto"}) {
    for (const int threads : {1, 2}) {
      TestWorld world;
      world.AddGround(0.5);
      for (int k = 0; k < 60; ++k) {
        world.AddBody(ShapeType::Box, Vector3(0.1, 0.1, 0.1), 1,
                      Pose(Vector3(0.3 * (k % 20), 0, 0.12 + 0.21 * (k / 20))), 0.5);
      }
      SimulatorSettings settings;
      settings.solver = solver;
      settings.solve.tolerance = 1e-4;
      settings.threads = threads;
      const auto simulator = world.Make(settings);
      for (int k = 0; k < 200; ++k) ASSERT_EQ(simulator->Step().status, StepStatus::Ok) << solver;
      int bad = 0;
      EXPECT_EQ(CountAllocations([&] {
                  for (int k = 0; k < 50; ++k) bad += simulator->Step().status == StepStatus::Ok ? 0 : 1;
                }),
                0)
          << solver << ' ' << threads;
      EXPECT_EQ(bad, 0);
    }
  }
}

// Problems of a simulation: the builder takes back the memory of old ones.
TEST_F(NoAllocation, BuildingProblemsInTurns) {
  ContactProblemBuilder builder;
  ContactProblem problem;
  const MatrixX A = 2 * MatrixX::Identity(4, 4);
  const VectorX b = VectorX::Ones(4);
  const std::vector<int> parent = {-1, 0, 1, 1};
  const Matrix6X J = Matrix6X::Ones(6, 4);
  const Matrix6 inertia = Matrix6::Identity();
  const std::vector<int> columns = {25, 3};
  const std::vector<double> values = {1, -1};
  const auto build = [&](int contacts) {
    BodyIndex first = kWorld;
    for (int i = 0; i < 4; ++i) {
      first = builder.AddFreeBody(inertia, Vector6::Ones(), Vector3(i, 0, 0), "a body with a name that is long");
    }
    const BodyIndex link = builder.AddLink(builder.AddTree(A, parent, b), J, Vector3::Zero(), "link");
    for (int i = 0; i < contacts; ++i) {
      builder.AddContact(i % 2 ? link : first, i % 3 ? kWorld : 0, Vector3(0, i, 1), Matrix3::Identity(), 0.5,
                         Vector3(0, 0, 0.1));
      builder.AddRow(RowLaw::Inequality(), columns, values, 0);
    }
    builder.Build(&problem);
  };
  build(20);
  build(20);
  EXPECT_EQ(CountAllocations([&] { build(20); }), 0);
  EXPECT_EQ(problem.num_contacts(), 20);
  EXPECT_EQ(problem.num_dofs(), 28);
}

// Newton's linear systems, sparse: once a pattern has been factorized, by either way, it takes nothing more.
TEST_F(NoAllocation, SparseSystem) {
  const int bodies = 40, block = 6;
  SquarePattern pattern;
  pattern.n = bodies * block;
  for (int c = 0; c < pattern.n; ++c) {
    const int first = std::max(0, c / block - 1), last = std::min(bodies - 1, c / block + 1);
    for (int r = first * block; r < (last + 1) * block; ++r) pattern.rows.push_back(r);
    pattern.start.push_back(static_cast<int>(pattern.rows.size()));
  }
  SquareSystem system;
  system.SetPattern(pattern);
  ASSERT_FALSE(system.dense());
  VectorX x = VectorX::Ones(pattern.n);
  bool good = true;
  const auto step = [&](double diagonal) {
    std::fill_n(system.values(), system.num_values(), 0.1);
    for (int i = 0; i < pattern.n; ++i) system.values()[system.slot(i, i)] = diagonal;
    good = good && system.FactorizeCholesky();
    system.SolveInPlace(&x);
    good = good && system.FactorizeLu();
    system.SolveInPlace(&x);
  };
  step(20);
  EXPECT_EQ(CountAllocations([&] {
              step(30);
              step(40);
            }),
            0);
  EXPECT_TRUE(good);
}

// All the program does with an answer of known size.
TEST_F(NoAllocation, Judge) {
  for (const char* kind : {"bolt", "dishes", "chain"}) {
    const ContactProblem p = Generate(kind, {}, 5);
    const VectorX impulse = VectorX::Random(p.size());
    JudgeWorkspace workspace;
    std::vector<ContactMode> modes;
    static_cast<void>(CalcNcpResidual(p, impulse, &workspace));
    CalcContactModes(p, impulse, workspace, &modes);
    EXPECT_EQ(CountAllocations([&] {
                static_cast<void>(CalcNcpResidual(p, impulse, &workspace));
                CalcContactModes(p, impulse, workspace, &modes);
              }),
              0)
        << kind;
  }
}

// A step of a deformable but for solving it, by one thread and by two, implicit and not.
void ExpectNoneOf(const Deformable& body) {
  const VectorX v = VectorX::Constant(body.nv(), 0.1), held = VectorX::Zero(body.num_held_dofs());
  VectorX q = body.initial_q(), b, force;
  auto data = body.MakeData();
  SparseMatrix A = body.pattern();
  ThreadPool pool(2);
  DeformableInput input;
  input.q = &q;
  input.v = &v;
  input.held_velocity = &held;
  const auto step = [&] {
    for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
      for (const VectorX* v_hat : {static_cast<const VectorX*>(nullptr), &v}) {
        input.v_hat = v_hat;
        static_cast<void>(body.Assemble({}, input, threads, data.get(), &A, &b));
      }
      body.CalcHeldForces({}, input, v, data.get(), &force);
      body.Integrate(v, &held, 0.01, &q);
      static_cast<void>(body.CalcEnergy(input, data.get()));
    }
  };
  step();
  EXPECT_EQ(CountAllocations(step), 0);
}

TEST_F(NoAllocation, Deformables) {
  const FemSettings settings{.geometric_bound = true, .held = {0, 1}};
  const TetMesh box = MakeBoxTets(Vector3(1, 1, 1), {3, 3, 3});
  ExpectNoneOf(FemBody(box, {}));
  ExpectNoneOf(FemBody(box, {1e5, 0.3, 1000, 0, 0, FemModel::NeoHookean}, settings));
  ExpectNoneOf(Rod({}));
}

// A controller solves an inverse problem every millisecond.
TEST_F(NoAllocation, InverseDynamicsInALoop) {
  for (const QpccKind kind : {QpccKind::Lcp, QpccKind::Planar, QpccKind::Ncp}) {
    QpccProblem problem = MakeRandomQpcc({.kind = kind, .contacts = 4, .actuators = 12, .tasks = 6}, 3);
    const QpccSettings settings = QpccSettings::RealTime();
    QpccWorkspace workspace;
    QpccSolution solution;
    static_cast<void>(SolveQpcc(problem, settings, nullptr, &workspace, &solution));
    const int allocations = CountAllocations([&] {
      static_cast<void>(SolveQpcc(problem, settings, nullptr, &workspace, &solution));
      for (int k = 0; k < 30; ++k) {
        problem.b *= 1.05;
        problem.g *= 0.97;
        static_cast<void>(SolveQpcc(problem, settings, &solution, &workspace, &solution));
      }
    });
    EXPECT_EQ(allocations, 0) << ToString(kind);
  }
}

// A Go2 whose base goes up and down and whose feet are pulled along: control steps with four contacts that stick, slide
// and break.
TEST_F(NoAllocation, StepsOfATaskController) {
  const std::shared_ptr<const Model> model = MakeRobot("go2", BaseType::Floating);
  SimulatorSettings settings;
  settings.scheme.step = 5e-4;
  Simulator simulator(model, settings);
  const State state = MakeCrouch(*model);
  simulator.SetState(state);
  TaskControllerSettings control;
  control.joints = FindMotors(*model);
  TaskTerm height, attitude, posture, torque;
  height.type = TaskType::Height;
  height.target.times = {0, 0.1, 0.2, 0.3, 0.4};
  for (const double dz : {0.0, 0.03, 0.0, 0.03, 0.0}) height.target.values.push_back({state.q[2] + dz});
  attitude.type = TaskType::Attitude;
  height.path.link = attitude.path.link = model->FindLink("base");
  posture.type = TaskType::Posture;
  posture.weight = 0.3;
  posture.target.times = height.target.times;
  posture.target.values.resize(height.target.times.size());
  for (const int j : control.joints) {
    const ModelBody& body = model->body(model->joints()[static_cast<std::size_t>(j)].body);
    posture.dofs.push_back(body.v);
    // Hips turn to and fro, so that feet must slide.
    const double turn = posture.dofs.size() % 3 == 1 ? 0.2 : 0;
    for (std::size_t i = 0; i < height.target.times.size(); ++i) {
      posture.target.values[i].push_back(state.q[body.q] + (i % 2 == 1 ? turn : 0));
    }
  }
  torque.type = TaskType::Torque;
  torque.dofs = posture.dofs;
  torque.weight = 1e-4;
  torque.target.times = {0};
  torque.target.values = {std::vector<double>(posture.dofs.size(), 0)};
  control.tasks = {height, attitude, posture, torque};
  // Feet that lift are still there: a step with another number of contacts takes memory.
  control.margin = 0.05;
  TaskController controller(simulator, control);
  int bad = 0, allocations = 0, steps = 0, slips = 0, forward = 0;
  for (int k = 0; k < 400; ++k) {
    const int count = CountAllocations([&] { controller.Update(simulator, &simulator.control()); });
    for (int n = 0; n < 2; ++n) bad += simulator.Step().status == StepStatus::Ok ? 0 : 1;
    ASSERT_EQ(controller.report().contacts.size(), 4U) << k;
    if (k < 300) continue;  // lists of pairs that come near still grow
    allocations += count;
    steps += controller.report().solve.polish_steps;
    slips += controller.report().solve.slip;
    forward += controller.report().solve.forward_solves;
  }
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(bad, 0);
  // All of the usual ways were taken.
  EXPECT_GT(steps, 1000);
  EXPECT_GT(slips, 0);
  EXPECT_GT(forward, 0);
}

// Deformables too: matrices, their factors and contacts keep their memory.
TEST_F(NoAllocation, StepsOfDeformables) {
  for (const char* solver : {"hybrid", "cond"}) {
    TestWorld world;
    world.AddGround(0.5);
    world.AddBody(ShapeType::Box, Vector3(0.05, 0.05, 0.05), 0.3, Pose(Vector3(0, 0, 0.071)), 0.5);
    SimulatorSettings settings;
    settings.scheme.step = 0.01;
    settings.solver = solver;
    const auto simulator = world.Make(settings);
    FemMaterial material;
    material.young = 1e5;
    material.stiffness_damping = 0.01;
    simulator->AddDeformable(std::make_shared<const FemBody>(MakeMatTets(0.3, 0.3, 0.02, {4, 4, 1}), material));
    Attachment attachment;
    attachment.items = {0};
    attachment.times.to = 130 * settings.scheme.step;  // another structure of the problem, which takes memory once
    simulator->AddAttachment(attachment);
    for (int k = 0; k < 150; ++k) ASSERT_EQ(simulator->Step().status, StepStatus::Ok) << solver;
    int bad = 0;
    const int allocations = CountAllocations([&] {
      for (int k = 0; k < 20; ++k) bad += simulator->Step().status == StepStatus::Ok ? 0 : 1;
    });
    EXPECT_EQ(allocations, 0) << solver;
    EXPECT_EQ(bad, 0);
  }
}

}  // namespace
}  // namespace tactus
