#include "apps/cli/inverse/inverse_methods.h"

#include "tactus/core/error.h"
#include "tactus/core/timer.h"
#include "tactus/inverse/baselines/active_set.h"
#include "tactus/inverse/baselines/branch_and_bound.h"
#include "tactus/inverse/baselines/enumerate_modes.h"
#include "tactus/inverse/contact_activation.h"
#include "tactus/inverse/qpcc_residual.h"
#include "tactus/inverse/qpcc_solver.h"

namespace tactus::cli {

namespace {

InverseAnswer SolveAlm(const QpccProblem& problem, const QpccSettings& settings, const QpccSolution* warm) {
  InverseAnswer answer;
  QpccWorkspace workspace;
  answer.report = SolveQpcc(problem, settings, warm, &workspace, &answer.solution);
  return answer;
}

InverseAnswer SolveActivating(const QpccProblem& problem, const QpccSettings& settings, const QpccSolution* warm) {
  InverseAnswer answer;
  ActivationWorkspace workspace;
  answer.report = SolveQpccByActivation(problem, settings, {}, warm, &workspace, &answer.solution);
  return answer;
}

InverseAnswer SolveBySets(const QpccProblem& problem, const QpccSettings& settings, const QpccSolution*) {
  InverseAnswer answer;
  answer.report = SolveActiveSet(problem, {.time_budget = settings.time_budget}, &answer.solution);
  return answer;
}

InverseAnswer SolveByBranches(const QpccProblem& problem, const QpccSettings& settings, const QpccSolution*) {
  InverseAnswer answer;
  BranchAndBoundSettings bounds;
  if (settings.time_budget > 0) bounds.time_budget = settings.time_budget;
  const BranchAndBoundResult result = SolveBranchAndBound(problem, bounds, &answer.solution);
  answer.report = result.report;
  answer.lower_bound = result.lower_bound;
  return answer;
}

InverseAnswer SolveByEnumeration(const QpccProblem& problem, const QpccSettings& settings, const QpccSolution*) {
  InverseAnswer answer;
  const Timer timer;
  const ThreadCpuTimer cpu_timer;
  EnumerateResult result = EnumerateModes(problem);
  answer.report.time = timer.seconds();
  answer.report.cpu_time = cpu_timer.seconds();
  answer.report.starts = result.combinations;
  if (!result.found) {
    answer.report.status = QpccStatus::Infeasible;
    return answer;
  }
  answer.solution = std::move(result.solution);
  QpccScaled scaled;
  ScaleQpcc(problem, settings.scaling_iterations, &scaled);
  QpccJudgeMemory memory;
  JudgeQpcc(problem, scaled, answer.solution, &memory, &answer.report);
  answer.report.status = QpccStatus::Solved;
  // With 3-D friction it is the best known, not a bound.
  if (problem.kind != QpccKind::Ncp) answer.lower_bound = result.loss;
  return answer;
}

InverseAnswer SolveIpoptPlain(const QpccProblem& problem, const QpccSettings& settings, const QpccSolution*) {
  return SolveWithIpopt(problem, settings, false);
}

InverseAnswer SolveIpoptHomotopy(const QpccProblem& problem, const QpccSettings& settings, const QpccSolution*) {
  return SolveWithIpopt(problem, settings, true);
}

}  // namespace

const std::vector<InverseMethod>& InverseMethods() {
  static const std::vector<InverseMethod> table = {
      {"alm", "ours: alternating minimization, polished; docs/inverse.md", true, true, true, true, SolveAlm},
      {"alm-activate", "ours for many contacts of which few act: they join as they are needed", true, true, true, true,
       SolveActivating},
      {"active-set", "a guess of which contacts touch, and flips of it", true, true, false, false, SolveBySets},
      {"miqp", "branch and bound over the modes, with a lower bound; exact up to some 12 contacts", true, true, true,
       false, SolveByBranches},
      {"enumerate", "every combination of modes; up to 5 contacts, 3 with 3-D friction", true, true, true, true,
       SolveByEnumeration},
      {"ipopt", "a general interior-point method, complementarity as equations", HasIpopt(), true, true, true,
       SolveIpoptPlain},
      {"ipopt-homotopy", "the same, complementarity relaxed less and less", HasIpopt(), true, true, true,
       SolveIpoptHomotopy},
  };
  return table;
}

const InverseMethod& FindInverseMethod(const std::string& name) {
  std::string names;
  for (const InverseMethod& method : InverseMethods()) {
    if (name == method.name) {
      Require(method.available, "--method", "'" + name + "' is not part of this build",
              "a build where Ipopt was found (Debian: coinor-libipopt-dev)");
      return method;
    }
    names += (names.empty() ? "" : ", ") + std::string(method.name);
  }
  throw InputError("--method", "'" + name + "' is not known", "one of " + names);
}

}  // namespace tactus::cli
