// Rows of suite `cond` against what is known: derivatives of energies, beams and rods, energy of integrators, paper
// 001's closed forms, and what virtual nodes do to answers.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/statistics.h"
#include "apps/cli/suites/baselines_suite.h"
#include "apps/cli/suites/cond_runs.h"
#include "apps/cli/suites/scenario_runs.h"
#include "tactus/core/random.h"
#include "tactus/deformable/deformable_stepper.h"
#include "tactus/deformable/fem/cantilever.h"
#include "tactus/deformable/fem/fem_hyperelastic.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/deformable/rods/rod.h"
#include "tactus/generate/groove.h"
#include "tactus/generate/mat.h"
#include "tactus/generate/rod.h"
#include "tactus/math/finite_difference.h"
#include "tactus/math/spatial.h"
#include "tactus/solvers/cond/cond_inverse.h"
#include "tactus/solvers/cond/cond_nodalized.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

using Rows = std::vector<BenchRow>;
using std::numbers::pi;

VectorX Draw(int count, double size, Random* random) {
  VectorX x(count);
  for (double& value : x) value = random->Uniform(-size, size);
  return x;
}

const char* NameOf(FemModel model) { return model == FemModel::Corotational ? "corotational" : "neo-Hookean"; }

// Stress and its derivative against differences of the energy, strains of up to a fifth in any direction.
void AddElements(Rows* rows) {
  for (const FemModel model : {FemModel::Corotational, FemModel::NeoHookean}) {
    const LameConstants lame = CalcLame({2e5, 0.35, 1000, 0, 0, model});
    Random random(1);
    double stress_error = 0, stiffness_error = 0;
    for (int i = 0; i < 50; ++i) {
      const VectorX strain = Draw(9, 0.2, &random);
      const Matrix3 R = ExpRotation(Draw(3, 3, &random)).toRotationMatrix();
      const Matrix3 F = R * (Matrix3::Identity() + Eigen::Map<const Matrix3>(strain.data()));
      const VectorX at = Eigen::Map<const VectorX>(F.data(), 9);
      const auto energy = [&](const VectorX& f) {
        return CalcEnergyDensity(model, lame, Eigen::Map<const Matrix3>(f.data()));
      };
      const auto stress = [&](const VectorX& f) -> VectorX {
        const Matrix3 P = CalcStress(model, lame, Eigen::Map<const Matrix3>(f.data()));
        return Eigen::Map<const VectorX>(P.data(), 9);
      };
      const VectorX P = stress(at);
      const Matrix9 H = CalcStressDerivative(model, lame, F);
      stress_error = std::max(stress_error, (P - CalcFiniteDifferenceGradient(energy, at, 1e-5)).norm() / P.norm());
      stiffness_error =
          std::max(stiffness_error, (H - CalcFiniteDifferenceJacobian(stress, at, 1e-5)).norm() / H.norm());
    }
    const std::string what = fmt::format("laws, element, {}", NameOf(model));
    rows->push_back(BenchRow::AtMost(what + ": force from differences, worst of 50", stress_error, "", 1e-7));
    rows->push_back(BenchRow::AtMost(what + ": stiffness from differences, worst of 50", stiffness_error, "", 1e-7));
  }
}

// b of a step from rest is h times the elastic force.
VectorX CalcElasticForce(const FemBody& body, const VectorX& q) {
  DeformableStepper stepper(body, {1, 0});
  stepper.q = q;
  const DeformableInput input = stepper.input();
  if (!body.Assemble({1, 0}, input, nullptr, stepper.data.get(), &stepper.A, &stepper.b)) stepper.b *= std::nan("");
  return stepper.b;
}

// A mesh turned as a whole, and one that is strained evenly with a node out of place: no force within.
void AddMeshes(Rows* rows) {
  for (const FemModel model : {FemModel::Corotational, FemModel::NeoHookean}) {
    const FemMaterial material{2e5, 0.35, 1000, 0, 0, model};
    TetMesh mesh = MakeBoxTets(Vector3(2, 2, 2), {2, 2, 2});
    constexpr int kInner = 13;
    mesh.nodes[kInner] += Vector3(0.2, -0.1, 0.15);
    const FemBody body(mesh, material);
    Matrix3 F;
    F << 1.1, 0.05, 0, -0.02, 0.95, 0.1, 0.03, 0, 1.02;
    const Matrix3 R = ExpRotation(Vector3(1, -2, 0.5)).toRotationMatrix();
    VectorX strained = body.initial_q(), turned = strained, both = strained;
    for (int i = 0; i < body.num_nodes(); ++i) {
      const Vector3 x = body.initial_q().segment<3>(3 * i);
      strained.segment<3>(3 * i) = F * x;
      turned.segment<3>(3 * i) = R * x + Vector3(3, 4, 5);
      both.segment<3>(3 * i) = R * (F * x) + Vector3(3, 4, 5);
    }
    const VectorX force = CalcElasticForce(body, strained), after = CalcElasticForce(body, both);
    double follows = 0;
    for (int i = 0; i < body.num_nodes(); ++i) {
      follows = std::max(follows, (after.segment<3>(3 * i) - R * force.segment<3>(3 * i)).norm());
    }
    const std::string what = fmt::format("laws, mesh, {}", NameOf(model));
    rows->push_back(BenchRow::AtMost(what + ": force of a rigid motion, over that of a strain of 0.1",
                                     CalcElasticForce(body, turned).norm() / force.norm(), "", 1e-11));
    rows->push_back(
        BenchRow::AtMost(what + ": force turns with the mesh, relative error", follows / force.norm(), "", 1e-11));
    rows->push_back(BenchRow::AtMost(what + ": patch test, force on the inner node",
                                     force.segment<3>(3 * kInner).norm() / force.norm(), "", 1e-12));
  }
}

// Linear tetrahedra are too stiff by an error that falls with the square of their size.
void AddCantilever(bool quick, Rows* rows) {
  const double coarse = CalcDeflectionShare(0.3, {40, 4, 4}), fine = CalcDeflectionShare(0.3, {80, 8, 8});
  rows->push_back(BenchRow::Measured("laws, cantilever, 4 cells across: deflection over Timoshenko's", coarse, ""));
  rows->push_back(BenchRow::Measured("laws, cantilever, 8 cells across: deflection over Timoshenko's", fine, ""));
  rows->push_back(BenchRow::AtMost("laws, cantilever, extrapolated from 4 and 8: error",
                                   std::abs(fine + (fine - coarse) / 3 - 1), "", 0.02));
  if (quick) return;
  rows->push_back(BenchRow::AtMost("laws, cantilever, 16 cells across: error",
                                   std::abs(CalcDeflectionShare(0.3, {160, 16, 16}) - 1), "", 0.02));
}

RodSettings ClampedRod(int segments) {
  RodSettings rod;
  rod.length = 0.4;
  rod.segments = segments;
  rod.radius = 0.004;
  rod.young = 3e6;
  rod.poisson = 0.4;
  rod.density = 1250;
  rod.held = {0};
  return rod;
}

void AddRodDerivatives(Rows* rows) {
  Vector6 K;
  K << 900, 300, 300, 2, 5, 5;
  Random random(2);
  double force_error = 0, stiffness_error = 0;
  for (int i = 0; i < 50; ++i) {
    const Quaternion Ra = ExpRotation(Draw(3, 2, &random)), Rb = Ra * ExpRotation(Draw(3, 0.5, &random));
    const Vector3 pa = Draw(3, 1, &random), pb = pa + Ra * Vector3(0.1, 0, 0) + Vector3(Draw(3, 0.03, &random));
    const auto joint = [&](const VectorX& x) {
      return CalcRodJoint(pa + x.segment<3>(0), ExpRotation(x.segment<3>(3)) * Ra, pb + x.segment<3>(6),
                          ExpRotation(x.segment<3>(9)) * Rb, 0.05);
    };
    const auto energy = [&](const VectorX& x) {
      const Vector6 e = joint(x).e;
      return 0.5 * e.dot(K.cwiseProduct(e));
    };
    const auto wrench = [&](const VectorX& x) -> VectorX {
      const RodJoint at = joint(x);
      return at.J.transpose() * K.cwiseProduct(at.e);
    };
    const VectorX zero = VectorX::Zero(12), force = wrench(zero);
    const RodJoint at = joint(zero);
    const Matrix12 stiffness =
        at.J.transpose() * K.asDiagonal() * at.J + CalcGeometricStiffness(pa, Ra, pb, Rb, 0.05, K.cwiseProduct(at.e));
    force_error =
        std::max(force_error, (force - CalcFiniteDifferenceGradient(energy, zero, 1e-5)).norm() / force.norm());
    stiffness_error = std::max(
        stiffness_error, (stiffness - CalcFiniteDifferenceJacobian(wrench, zero, 1e-5)).norm() / stiffness.norm());
  }
  rows->push_back(BenchRow::AtMost("laws, rod: force from differences, worst of 50", force_error, "", 1e-7));
  rows->push_back(BenchRow::AtMost("laws, rod: stiffness from differences, worst of 50", stiffness_error, "", 1e-7));
}

// A force across the end, a moment that makes a circle, a twist and a pull.
void AddRodForms(Rows* rows) {
  const RodSettings long_rod = ClampedRod(40), short_rod = ClampedRod(20);
  const double area = pi * long_rod.radius * long_rod.radius, I = area * area / (4 * pi), EI = long_rod.young * I;
  const double G = long_rod.young / (2 * (1 + long_rod.poisson));
  {
    const Rod rod(long_rod);
    const double F = 1e-6, l = rod.segment_length(), length = long_rod.length - l;
    VectorX external = VectorX::Zero(rod.nv());
    external[rod.first_dof(39) + 2] = F;
    const VectorX q = FindEquilibrium(rod, external, Vector3::Zero(), rod.initial_q());
    const double theory = F * std::pow(length, 3) / (3 * EI) + F * length / (CalcRodStiffness(long_rod)[1] * l);
    rows->push_back(BenchRow::AtMost("laws, rod of 40 segments: deflection, error against beam theory",
                                     std::abs(Rod::position(q, 39)[2] / theory - 1), "", 0.6 / (40 * 40)));
  }
  const Rod rod(short_rod);
  const double l = rod.segment_length(), moment = EI * 2 * pi / (20 * l), length = 19 * l;
  VectorX q = rod.initial_q();
  for (int part = 1; part <= 8; ++part) {
    VectorX external = VectorX::Zero(rod.nv());
    external[rod.first_dof(19) + 4] = -moment * part / 8;
    q = FindEquilibrium(rod, external, Vector3::Zero(), q);
  }
  const Vector3 end = Rod::position(q, 19) + Rod::rotation(q, 19) * Vector3(l / 2, 0, 0);
  rows->push_back(BenchRow::AtMost("laws, rod bent to a circle: gap where it closes", end.norm(), "m", 1e-7));
  VectorX external = VectorX::Zero(rod.nv());
  const double angle = 2.5, pull = 0.5;
  external[rod.first_dof(19) + 3] = G * 2 * I * angle / length;
  external[rod.first_dof(19)] = pull;
  q = FindEquilibrium(rod, external, Vector3::Zero(), rod.initial_q());
  const double stretch = Rod::position(q, 19)[0] - Rod::position(rod.initial_q(), 19)[0];
  rows->push_back(BenchRow::AtMost("laws, rod twisted by 2.5 rad: error",
                                   (LogRotation(Rod::rotation(q, 19)) - Vector3(angle, 0, 0)).norm(), "rad", 1e-8));
  rows->push_back(BenchRow::AtMost("laws, rod pulled: error of its length",
                                   std::abs(stretch - pull * length / (short_rod.young * area)), "m", 1e-9));
}

// A ball thrown, turning and squeezed: what is left of its energy, the flight's apart, after 120 steps of 5 ms.
void AddEnergy(Rows* rows) {
  struct Integrator {
    const char* name;
    double theta;
    int newton;
    FemStiffness stiffness;
    double least, most;
  };
  const auto positive = FemStiffness::Positive;
  for (const Integrator& kind :
       {Integrator{"backward Euler", 0, 0, positive, 0, 1}, Integrator{"fully implicit Euler", 0, 3, positive, 0, 1},
        Integrator{"midpoint", 0.5, 0, positive, 0.7, 1.3},
        Integrator{"fully implicit midpoint", 0.5, 4, FemStiffness::Exact, 0.97, 1.03}}) {
    FemSettings settings;
    settings.stiffness = kind.stiffness;
    const FemBody body(MakeBallTets(0.1, 4), {5e4, 0.3, 1000, 0, 0, FemModel::Corotational}, settings);
    DeformableStepper stepper(body, {0.005, kind.theta});
    for (int i = 0; i < body.num_nodes(); ++i) {
      const Vector3 x = stepper.q.segment<3>(3 * i);
      stepper.v.segment<3>(3 * i) = Vector3(1, 0, 2) + Vector3(0, 3, 1).cross(x) + 2 * Vector3(x[0], -x[1], 0);
    }
    const auto inner = [&] {
      return stepper.energy().total() - 0.5 * stepper.momentum().linear.squaredNorm() / body.mass();
    };
    const double start = inner();
    for (int k = 0; k < 120; ++k) stepper.Step(kind.newton);
    const double left = inner() / start;
    const std::string what = fmt::format("laws, energy left after 120 steps, {}", kind.name);
    rows->push_back(BenchRow::AtMost(what, left, "", kind.most));
    if (kind.least > 0) rows->push_back(BenchRow::AtLeast(what + ", at least", left, "", kind.least));
  }
}

// Paper 001's Table I: mean errors over a second are (m g / 4 k_v)(T / 2) in z, and friction times that in y.
void AddTableI(Rows* rows) {
  for (const char* k_v : {"1000", "10000"}) {
    RunPlan plan;
    plan.set = {fmt::format("k_v={}", k_v)};
    plan.solver = "cond";
    plan.steps = 100;
    Vector3 error = Vector3::Zero();
    RunOutcome outcome;
    RunScene("box-slide", plan, &outcome, [&](const Simulator& simulator) {
      const double a = (2 - 0.2 * 0.5 * 9.81) / 0.5, t = simulator.time();
      const Vector3 p = simulator.LinkPose(simulator.model().FindLink("box")).p;
      error += (p - Vector3(0, 0.5 * a * t * t, 0.1)).cwiseAbs() / 100;
    });
    const double sinking = 0.5 * 9.81 / (4 * std::stod(k_v)) * 0.5;
    const std::string what = fmt::format("laws, box-slide, k_v={}: ", k_v);
    rows->push_back(BenchRow::AtMost(what + "z from the closed form", std::abs(error[2] / sinking - 1), "", 0.02));
    rows->push_back(
        BenchRow::AtMost(what + "y from the closed form", std::abs(error[1] / (0.2 * sinking) - 1), "", 0.02));
  }
}

void AddGroove(Rows* rows) {
  constexpr double kMu = 0.3;
  SolveSettings settings;
  settings.tolerance = 1e-12;
  ContactSolution solution;
  (void)CondSolver().Solve(MakeNodeInGroove(0.7, kMu), settings, WarmStart(), &solution);
  rows->push_back(BenchRow::AtMost("laws, node in a groove: error of its velocity",
                                   (solution.velocity - Vector3(0, 1 - std::sqrt(2) * kMu, 0)).norm(), "m/s", 1e-10));
}

MatSettings LawsMat(int boxes) {
  MatSettings mat;
  mat.nodes = 200;
  mat.boxes = boxes;
  return mat;
}

// Impulses from velocities alone, whether the solve has converged or not.
void AddInverse(Rows* rows) {
  const ContactProblem p = MakeMat(LawsMat(0), 1);
  for (const CondOperator law : {CondOperator::Strict, CondOperator::Proximal}) {
    CondSettings settings;
    settings.law = law;
    settings.omega = 0.05;
    double worst = 0;
    for (const int iterations : {5, 2000}) {
      ContactSolution forward;
      (void)CondSolver(settings).Solve(p, IterationsOnly(iterations), WarmStart(), &forward);
      VectorX inverse;
      CondInverseImpulses(p, settings, forward.velocity, &inverse);
      worst = std::max(worst, (inverse - forward.impulse).norm() / forward.impulse.norm());
    }
    rows->push_back(BenchRow::AtMost(fmt::format("laws, {} operator: inverse impulses from forward ones",
                                                 law == CondOperator::Strict ? "strict" : "proximal"),
                                     worst, "", 1e-10));
  }
}

CondSettings Plain(double kappa) {
  CondSettings settings;
  settings.virtual_nodes = CondVirtualNodes::Plain;
  settings.kappa = settings.row_kappa = settings.chain_kappa = kappa;
  return settings;
}

ContactSolution SolveTightly(const ContactProblem& p, const CondSettings& cond) {
  SolveSettings settings;
  settings.tolerance = 1e-10;
  settings.max_iterations = 200000;
  ContactSolution solution;
  (void)CondSolver(cond).Solve(p, settings, WarmStart(), &solution);
  return solution;
}

// COND with plain ties and the hybrid on the same problem, virtual nodes written out: how far apart their velocities
// are, and what is left of the law in the worse of the two. Where the law has several answers, or all but, both may be
// right and far apart.
struct Nodalized {
  double velocities = 0, residual = 0;

  bool agree() const { return velocities <= 1e-6 || residual <= 1e-8; }
};

Nodalized CompareNodalized(const ContactProblem& p) {
  const CondSettings plain = Plain(100);
  const ContactProblem written_out = MakeNodalized(p, plain);
  const ContactSolution cond = SolveTightly(p, plain);
  SolveSettings tight;
  tight.tolerance = 1e-10;
  ContactSolution hybrid;
  (void)MakeSolver("hybrid")->Solve(written_out, tight, WarmStart(), &hybrid);
  return {CalcVelocityError(p, cond.velocity, hybrid.velocity.head(p.num_dofs()), true),
          std::max(CalcNcpResidual(written_out, cond.impulse).natural_rho,
                   CalcNcpResidual(written_out, hybrid.impulse).natural_rho)};
}

void AddVirtualNodes(Rows* rows) {
  RodProblemSettings rod;
  rod.segments = 20;
  rod.dt = 1e-3;
  const std::map<std::string, ContactProblem> problems = {{"mat with 3 boxes", MakeMat(LawsMat(3), 1)},
                                                          {"rod of 20 segments", MakeRod(rod, 1)}};
  for (const auto& [name, p] : problems) {
    const VectorX reference = MakeExactReference(p);
    const std::vector<double> kappas = {1e2, 1e3, 1e4};
    std::vector<double> errors;
    for (const double kappa : kappas) {
      errors.push_back(CalcVelocityError(p, SolveTightly(p, Plain(kappa)).velocity, reference));
      rows->push_back(BenchRow::Measured(
          fmt::format("laws, {}, plain ties, kappa {:g}: error of velocities", name, kappa), errors.back(), ""));
    }
    rows->push_back(BenchRow::AtMost(fmt::format("laws, {}, plain ties: exponent of the error over kappa", name),
                                     FitExponent(kappas, errors), "", -0.9));
    rows->push_back(BenchRow::AtMost(fmt::format("laws, {}, exact ties: error of velocities", name),
                                     CalcVelocityError(p, SolveTightly(p, {}).velocity, reference), "", 1e-7));
    rows->push_back(BenchRow::AtMost(fmt::format("laws, {}, nodalized: velocities, cond from hybrid", name),
                                     CompareNodalized(p).velocities, "", 1e-6));
  }
}

// The same on problems of scenes, coarse: A with virtual nodes is one matrix for the hybrid.
void AddNodalizedScenes(bool quick, Rows* rows) {
  struct Case {
    const char* scene;
    std::vector<std::string> set;
    int first, every, last;
    const char* solver;
  };
  std::vector<Case> cases = {{"soft-mat-drop", {"cells=6"}, 12, 12, 36, "cond"},
                             {"soft-ball", {"edge=0.02"}, 60, 40, 140, "cond"},
                             {"soft-gripper", {"fine=3"}, 50, 25, 100, "cond"},
                             {"cable-winding", {"links=40"}, 1000, 400, 1800, "cond"},
                             {"box-slide", {}, 20, 20, 40, "cond"},
                             {"anisotropic-slide", {}, 20, 20, 40, "cond"},
                             {"soft-mat", {"cells=8"}, 60, 60, 180, "cond"},
                             {"beam-insertion", {"cells=2", "along=10"}, 100, 100, 300, "hybrid"},
                             {"collaborative-cable", {"links=40"}, 100, 200, 500, "hybrid"}};
  if (quick) {
    cases.resize(1);
    cases.back().last = cases.back().first;
  }
  for (const Case& c : cases) {
    RunPlan plan;
    plan.set = c.set;
    plan.solver = c.solver;
    plan.tolerance = 1e-6;
    plan.steps = c.last;
    const std::vector<ContactProblem> problems = CollectProblems(c.scene, plan, c.first, c.every);
    Nodalized worst;
    int apart = problems.empty() ? 1 : 0;
    for (const ContactProblem& p : problems) {
      const Nodalized one = CompareNodalized(p);
      apart += one.agree() ? 0 : 1;
      worst.velocities = std::max(worst.velocities, one.velocities);
      worst.residual = std::max(worst.residual, one.residual);
    }
    const std::string name = fmt::format("laws, {}{}, {} problems nodalized", c.scene,
                                         c.set.empty() ? "" : " " + c.set.front(), problems.size());
    rows->push_back(
        BenchRow::AtMost(name + ": cond and hybrid neither to 1e-6 the same nor both at 1e-8", apart, "", 0));
    rows->push_back(BenchRow::Measured(name + ": velocities, cond from hybrid, largest", worst.velocities, ""));
    rows->push_back(BenchRow::Measured(name + ": residual of the worse, largest", worst.residual, ""));
  }
}

}  // namespace

void AddCondLaws(bool quick, Rows* rows) {
  AddElements(rows);
  AddMeshes(rows);
  AddCantilever(quick, rows);
  AddRodDerivatives(rows);
  AddRodForms(rows);
  AddEnergy(rows);
  AddTableI(rows);
  AddAnisotropicTable(rows);
  AddGroove(rows);
  AddInverse(rows);
  AddVirtualNodes(rows);
  AddNodalizedScenes(quick, rows);
}

}  // namespace tactus::cli
