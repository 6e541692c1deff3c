#include "apps/cli/suites/cond_runs.h"

#include <algorithm>
#include <cmath>

#include "tactus/solvers/registry.h"

namespace tactus::cli {

ContactProblem WithoutFactors(const ContactProblem& problem) {
  ContactProblemBuilder builder;
  const MassMatrix& A = problem.mass();
  for (int j = 0; j < A.num_subsystems(); ++j) {
    const Subsystem& s = A.subsystem(j);
    const VectorX b = problem.b().segment(s.dof, s.size);
    if (s.kind == SubsystemKind::Sparse) {
      builder.AddSparse(A.sparse_block(j), b, A.sparse_inertia(j));
    } else if (s.kind == SubsystemKind::Tree) {
      builder.AddTree(A.dense_block(j), A.tree_parent(j), b);
    } else {
      builder.AddDense(A.dense_block(j), b);
    }
  }
  const BlockRows& J = problem.jacobian();
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const std::vector<int> columns(J.cols(i), J.cols(i) + J.count(i));
    const Eigen::Map<const RowMatrixX> values(J.block(i), problem.dim(i), J.count(i));
    const auto e = problem.e().segment(problem.offset(i), problem.dim(i));
    if (i < problem.num_contacts()) {
      builder.AddContactRows(columns, values, problem.friction(i), e);
    } else {
      builder.AddRow(problem.law(i - problem.num_contacts()), columns, VectorX(values.row(0)), e[0]);
    }
  }
  return builder.Build();
}

VectorX MakeCondReference(const ContactProblem& problem, CondOperator law) {
  CondSettings settings;
  settings.law = law;
  settings.default_max_iterations = 200000;
  SolveSettings tight;
  tight.tolerance = 1e-11;
  ContactSolution solution;
  const SolveReport report = CondSolver(settings).Solve(problem, tight, WarmStart(), &solution);
  static_cast<void>(report);
  return solution.velocity;
}

VectorX MakeExactReference(const ContactProblem& problem) {
  SolveSettings tight;
  tight.tolerance = 1e-10;
  ContactSolution solution;
  const SolveReport report = MakeSolver("hybrid")->Solve(WithoutFactors(problem), tight, WarmStart(), &solution);
  if (!report.solved()) solution.velocity.setConstant(std::nan(""));
  return solution.velocity;
}

double CalcVelocityError(const ContactProblem& problem, const VectorX& v, const VectorX& reference, bool by_momentum) {
  VectorX inertia;
  problem.mass().CalcInertia(&inertia);
  const auto norm = [&](const VectorX& x) { return std::sqrt(x.dot(inertia.cwiseProduct(x))); };
  const double momentum = by_momentum ? norm(problem.b().cwiseQuotient(inertia)) : 0;
  return norm(v - reference) / std::max(norm(reference), momentum);
}

SolveSettings IterationsOnly(int count) {
  SolveSettings settings;
  settings.tolerance = 1e-15;
  settings.max_iterations = count;
  return settings;
}

Reached ReachAccuracy(const std::function<ContactProblem()>& make, ContactSolver* solver, const VectorX& reference,
                      double limit, double growth, const WarmStart& start) {
  constexpr double kAccuracy = 1e-3;
  Reached out;
  ContactSolution solution;
  for (double k = 1; k < 1e5; k = std::max(k + 1, growth * k)) {
    const ContactProblem problem = make();
    const SolveReport report = solver->Solve(problem, IterationsOnly(static_cast<int>(k)), start, &solution);
    out.iterations = report.iterations;
    out.error = CalcVelocityError(problem, solution.velocity, reference);
    if (out.error <= kAccuracy) {
      out.milliseconds = 1e3 * report.cpu_time;
      break;
    }
    if (report.time > limit) break;
  }
  return out;
}

}  // namespace tactus::cli
