// Iterations of the solvers, and the judge.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/suites/cond_runs.h"
#include "apps/cli/suites/micro_cases.h"
#include "tactus/contact/ncp_residual.h"
#include "tactus/core/timer.h"
#include "tactus/generate/generator.h"
#include "tactus/generate/mat.h"
#include "tactus/solvers/cond/cond_solver.h"
#include "tactus/solvers/first_order/impulse_system.h"
#include "tactus/solvers/pgs/pgs_solver.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

using Cases = std::vector<MicroCase>;

// A solver and a problem of its own.
struct Solve {
  ContactProblem problem;
  std::unique_ptr<ContactSolver> solver;
  ContactSolution solution;

  SolveReport Run(const SolveSettings& settings) { return solver->Solve(problem, settings, WarmStart(), &solution); }
};
std::shared_ptr<Solve> Share(ContactProblem problem, std::unique_ptr<ContactSolver> solver) {
  return std::make_shared<Solve>(Solve{std::move(problem), std::move(solver), {}});
}

// Seconds of an iteration: those of many less those of few, so that getting ready is not counted.
std::function<double()> MeasureIteration(const std::shared_ptr<Solve>& s, int count) {
  return [s, count] {
    const SolveReport many = s->Run(IterationsOnly(11 * count)), few = s->Run(IterationsOnly(count));
    return (many.cpu_time - few.cpu_time) / (many.iterations - few.iterations);
  };
}

ContactProblem MakeSpheres(int bodies) { return Generate("pile", {{"bodies", bodies}}, 1); }

// Contacts' sides that are bodies, not the world.
double CountCopies(const ContactProblem& problem) {
  double copies = 0;
  for (const ContactGeometry& g : problem.geometry()) copies += (g.a != kWorld) + (g.b != kWorld);
  return copies;
}

// SubADMM, from its kernels: 86 flops a contact (over-relaxation, law, multipliers) on 18 numbers, nine of them
// written; 27 a copy, of which three numbers are read, three read and written; 72 a body, whose inverse has 21 numbers.
void AddSubadmm(int bodies, Cases* cases) {
  const auto s = Share(MakeSpheres(bodies), MakeSolver("subadmm"));
  const double contacts = s->problem.num_contacts(), copies = CountCopies(s->problem), n = bodies;
  const double residual = s->Run(IterationsOnly(100)).residual.natural_rho;
  const double bytes = contacts * (8 * (18 + 9) + 8) + copies * 8 * (3 + 4 * 3) + n * 8 * (21 + 6);
  cases->push_back({fmt::format("{} spheres, SubADMM, an iteration", bodies),
                    nullptr,
                    MeasureIteration(s, 20),
                    86 * contacts + 27 * copies + 72 * n,
                    bytes,
                    contacts * (8 * 18 + 8) + copies * 8 * 6 + n * 8 * 27,
                    {"residual after 100", residual, 0}});
}

// Gauss-Seidel: two flops a number of J and Y (or of W), 60 a contact for its law.
void AddGaussSeidel(Cases* cases) {
  PgsSettings settings;
  settings.check_interval = 1 << 20;
  const auto s = Share(MakeSpheres(200), std::make_unique<PgsSolver>(settings));
  ImpulseSystem system;
  system.Prepare(s->problem, SystemForm::Auto, true);
  const double numbers = system.product_cost(), contacts = s->problem.num_contacts();
  PgsSolver checked;
  const double residual =
      checked.Solve(s->problem, IterationsOnly(100), WarmStart(), &s->solution).residual.natural_rho;
  cases->push_back({"200 spheres, Gauss-Seidel, a sweep",
                    nullptr,
                    MeasureIteration(s, 20),
                    2 * numbers + 60 * contacts,
                    8 * (numbers + 15 * contacts),
                    8 * (numbers + 15 * contacts),
                    {"residual after 100", residual, 0}});
}

// W x by runs of columns: two flops a number.
void AddDelassus(Cases* cases) {
  struct Product {
    ContactProblem problem;
    ImpulseSystem system;
    VectorX x, y;
  };
  const auto p = std::make_shared<Product>();
  p->problem = MakeSpheres(500);
  p->system.Prepare(p->problem, SystemForm::Delassus, true);
  p->x = VectorX::LinSpaced(p->problem.size(), -1, 1);
  const auto run = [p] { p->system.Multiply(p->x, &p->y); };
  run();
  VectorX expected, none;
  p->problem.CalcSigma(p->x, &expected);
  p->problem.CalcSigma(VectorX::Zero(p->x.size()), &none);
  expected -= none;
  const double bytes = 8 * (p->system.product_cost() + 2 * static_cast<double>(p->x.size()));
  cases->push_back({"500 spheres, product with W",
                    run,
                    nullptr,
                    2 * p->system.product_cost(),
                    bytes,
                    bytes,
                    {"error", (p->y - expected).norm() / expected.norm(), 1e-12}});
}

// COND: 18 flops a block of A, 18 a dof (step, acceleration, sums), 60 a contact. Matrices of 4096 rows and more are
// kept by half.
void AddCond(int nodes, Cases* cases) {
  MatSettings mat;
  mat.nodes = nodes;
  CondSettings settings;
  settings.check_interval = 1000;
  const auto s = Share(MakeMat(mat, 1), std::make_unique<CondSolver>(settings));
  const double dofs = s->problem.num_dofs(), contacts = s->problem.num_contacts(), rows = dofs / 3;
  const double blocks = static_cast<double>(s->problem.mass().sparse_block(0).nonZeros()) / 9;
  const double stored = rows >= 4096 ? (blocks + rows) / 2 : blocks;
  SolveSettings tolerance;
  tolerance.tolerance = 1e-6;
  CondSolver whole;
  const SolveReport report = whole.Solve(s->problem, tolerance, WarmStart(), &s->solution);
  const double bytes = stored * (72 + 4) + dofs * 8 * 8 + contacts * 8 * 20;
  cases->push_back({fmt::format("mat of {} nodes, COND, an iteration", nodes),
                    nullptr,
                    MeasureIteration(s, 10),
                    18 * blocks + 18 * dofs + 60 * contacts,
                    bytes,
                    bytes,
                    {"residual of a solve to 1e-6", report.residual.worst(), 1e-6}});
}

// Hybrid, all of a solve divided by its Newton steps: 300 flops a contact that slips (docs/benchmarks.md).
void AddNewton(Cases* cases) {
  const auto s = Share(Generate("bolt", {{"gap", 0}}, 1), MakeSolver("hybrid"));
  const SolveReport report = s->Run(SolveSettings());
  const double contacts = s->problem.num_contacts();
  cases->push_back({"bolt, hybrid, a Newton step",
                    nullptr,
                    [s] {
                      double seconds = 0, steps = 0;
                      for (int k = 0; k < 20; ++k) {
                        const SolveReport one = s->Run(SolveSettings());
                        seconds += one.cpu_time;
                        steps += one.newton_steps;
                      }
                      return seconds / steps;
                    },
                    300 * contacts,
                    8 * contacts * 30,
                    8 * contacts * 30,
                    {"residual", report.residual.worst(), 1e-8}});
}

// The judge: J^T lambda and J v, with impulses and without, two flops a number each; A^{-1} of bodies, 72; effective
// masses, six half solves of 48 a contact; 200 for its measures.
void AddJudge(Cases* cases) {
  struct Judged {
    ContactProblem problem;
    ContactSolution solution;
    JudgeWorkspace workspace;
    NcpResidual residual;
  };
  const auto j = std::make_shared<Judged>();
  j->problem = MakeSpheres(500);
  const SolveReport report = MakeSolver("subadmm")->Solve(j->problem, IterationsOnly(50), WarmStart(), &j->solution);
  const auto run = [j] { j->residual = CalcNcpResidual(j->problem, j->solution.impulse, &j->workspace); };
  run();
  const double numbers = static_cast<double>(j->problem.jacobian().values.size()), contacts = j->problem.num_contacts();
  const double bytes = 3 * 8 * numbers + 8 * (36 * 500.0 + 30 * contacts);
  cases->push_back(
      {"500 spheres, the judge",
       run,
       nullptr,
       6 * numbers + 72 * 500.0 + contacts * (6 * 48 + 200),
       bytes,
       8 * (numbers + 36 * 500.0 + 30 * contacts),
       {"difference from the solver's report",
        std::abs(j->residual.natural_rho - report.residual.natural_rho) / report.residual.natural_rho, 1e-12}});
}

}  // namespace

void AddSolverCases(bool quick, Cases* cases) {
  AddDelassus(cases);
  AddGaussSeidel(cases);
  AddSubadmm(200, cases);
  AddSubadmm(1000, cases);
  AddCond(1477, cases);
  if (!quick) AddCond(10000, cases);
  AddNewton(cases);
  AddJudge(cases);
}

}  // namespace tactus::cli
