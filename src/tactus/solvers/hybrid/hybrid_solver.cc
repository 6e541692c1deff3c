#include "tactus/solvers/hybrid/hybrid_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tactus/contact/constraint_law.h"

namespace tactus {

namespace {

// Connected components of the coupling graph, each an ascending list of constraints.
std::vector<std::vector<int>> FindIslands(const DelassusMatrix& W) {
  const int count = W.num_constraints();
  std::vector<int> label(count, -1), stack;
  std::vector<std::vector<int>> islands;
  for (int seed = 0; seed < count; ++seed) {
    if (label[seed] >= 0) continue;
    const int island = static_cast<int>(islands.size());
    islands.emplace_back();
    stack.assign(1, seed);
    label[seed] = island;
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      islands.back().push_back(i);
      for (int k = W.row_begin(i); k < W.row_end(i); ++k) {
        if (label[W.column(k)] >= 0) continue;
        label[W.column(k)] = island;
        stack.push_back(W.column(k));
      }
    }
    std::sort(islands.back().begin(), islands.back().end());
  }
  return islands;
}

double FreeScale(const ContactProblem& p, const DelassusMatrix& W, const VectorX& sigma_free) {
  double sum = 0;
  for (int i = 0; i < p.num_constraints(); ++i) {
    const double rho = W.rho()[i];
    if (p.dim(i) == 3) {
      sum += rho * sigma_free.segment<3>(p.offset(i)).squaredNorm();
    } else {
      const int row = i - p.num_contacts();
      const double s = RowFreeSigma(p.law(row), sigma_free[p.offset(i)] - p.row_offset(row), p.row_offset(row), rho);
      sum += rho * s * s;
    }
  }
  return std::sqrt(sum);
}

}  // namespace

Termination HybridSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                  SolveReport* report) {
  if (PreferBodySpace(problem)) {
    free_body_.Build(problem);
    const bool cold = lambda->isZero(0);
    const int max_outers =
        monitor->settings().max_iterations > 0 ? monitor->settings().max_iterations : settings_.max_outers;
    const Termination end = free_body_.Solve(cold, max_outers, monitor, lambda, report);
    if (end == Termination::Converged || end == Termination::TimeBudget || end == Termination::Cancelled) return end;
    if (monitor->settings().max_iterations > 0 && report->iterations >= monitor->settings().max_iterations) return end;
    report->message = "body space did not converge, went on in Delassus form";
    const VectorX from_body_space = *lambda;
    lambda->setZero();
    const Termination second = SolveDelassus(problem, monitor, lambda, report);
    if (second != Termination::Converged &&
        CalcNcpResidual(problem, from_body_space).natural_rho < CalcNcpResidual(problem, *lambda).natural_rho) {
      *lambda = from_body_space;
    }
    return second;
  }
  return SolveDelassus(problem, monitor, lambda, report);
}

// Body space pays where contacts outnumber dofs; with one contact a pair the islands of the Delassus form are as small.
bool HybridSolver::PreferBodySpace(const ContactProblem& problem) const {
  if (!FreeBodyEngine::Supports(problem)) return false;
  return 3 * problem.num_contacts() >= 2 * problem.num_dofs();
}

Termination HybridSolver::SolveDelassus(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                        SolveReport* report) {
  delassus_.Assign(problem);
  const DelassusMatrix& W = delassus_;
  VectorX sigma_free;
  problem.CalcSigma(VectorX::Zero(problem.size()), &sigma_free);
  const std::vector<std::vector<int>> islands = FindIslands(W);
  const bool compress = settings_.compress && problem.asymmetry() < 1e-12;
  const bool cold = lambda->isZero(0);
  const SolveSettings& settings = monitor->settings();
  const int max_outers = settings.max_iterations > 0 ? settings.max_iterations : settings_.max_outers;

  // Each island gets its share of the whole problem's scale; 0.5 covers the sum of all islands (their errors add in
  // squares to at most 3/4 of the tolerance).
  IslandTarget target;
  target.tolerance = 0.5 * settings.tolerance;
  target.shared_scale = FreeScale(problem, W, sigma_free) / std::sqrt(static_cast<double>(islands.size()));
  target.velocity_scale = sigma_free.cwiseAbs().maxCoeff();
  if (settings.accept_natural) {
    double trace = 0;
    for (int i = 0; i < problem.num_constraints(); ++i) trace += problem.dim(i) / W.rho()[i];
    target.single_weights = {1.0, trace > 0 ? problem.size() / trace : 1.0};
    target.shared_velocity = sigma_free.norm() / std::sqrt(static_cast<double>(islands.size()));
  }

  // Islands are solved one after the other, but as far as iterations go they could be solved side by side.
  int total_outers = report->iterations, most_outers = 0;
  Termination end = Termination::Converged;
  for (const std::vector<int>& constraints : islands) {
    island_.Build(problem, W, sigma_free, constraints, compress);
    const Termination island_end = island_.Solve(target, cold, max_outers, total_outers, monitor, lambda, report);
    total_outers += island_.outers();
    most_outers = std::max(most_outers, island_.outers());
    if (island_end != Termination::Converged) end = island_end;
    if (end == Termination::TimeBudget || end == Termination::Cancelled) break;
  }
  report->iterations += most_outers;
  return end;
}

}  // namespace tactus
