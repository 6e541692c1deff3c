#include "tactus/solvers/hybrid/hybrid_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "tactus/contact/constraint_law.h"

namespace tactus {

namespace {

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
  const Termination end = SolveInBestForm(problem, monitor, lambda, report);
  if (end != Termination::Converged) passive_.Limit(problem, lambda, report);
  return end;
}

Termination HybridSolver::SolveInBestForm(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                          SolveReport* report) {
  if (PreferBodySpace(problem)) {
    body_space_.Build(problem);
    const bool cold = lambda->isZero(0);
    const int max_outers =
        monitor->settings().max_iterations > 0 ? monitor->settings().max_iterations : settings_.max_outers;
    const Termination end = body_space_.Solve(cold, max_outers, monitor, lambda, report);
    if (end == Termination::Converged || end == Termination::TimeBudget || end == Termination::Cancelled) return end;
    if (monitor->settings().max_iterations > 0 && report->iterations >= monitor->settings().max_iterations) return end;
    if (delassus_.CountEntries(problem) > settings_.most_entries) {
      report->message = "body space did not converge, and W is too large for the Delassus form";
      return end;
    }
    report->message = "body space did not converge, went on in Delassus form";
    const VectorX from_body_space = *lambda;
    lambda->setZero();
    const Termination second = SolveDelassus(problem, monitor, lambda, report);
    if (second == Termination::Converged) return second;
    // Where there is no solution impulses grow, and beside them errors look small; what forbids motion tells.
    const NcpResidual first_residual = CalcNcpResidual(problem, from_body_space);
    const NcpResidual residual = CalcNcpResidual(problem, *lambda);
    if (!(residual.natural_rho < first_residual.natural_rho && residual.violation() <= first_residual.violation())) {
      *lambda = from_body_space;
    }
    if (second == Termination::TimeBudget || second == Termination::Cancelled) return second;
    if (monitor->settings().max_iterations > 0) return second;
    if (report->infeasible || std::min(first_residual.impulse_ratio, residual.impulse_ratio) > 1e4) return second;
    const VectorX before = *lambda;
    report->message = "neither body space nor the Delassus form converged, went on in body space";
    const Termination third = body_space_.Solve(lambda->isZero(0), settings_.max_outers, monitor, lambda, report, true);
    if (third != Termination::Converged) *lambda = before;
    return third == Termination::Converged ? third : second;
  }
  return SolveDelassus(problem, monitor, lambda, report);
}

// Body space pays where contacts outnumber dofs; with one contact a pair the islands of the Delassus form are as small.
bool HybridSolver::PreferBodySpace(const ContactProblem& problem) const {
  if (!BodySpaceEngine::Supports(problem)) return false;
  const bool trees = std::any_of(problem.mass().subsystems().begin(), problem.mass().subsystems().end(),
                                 [](const Subsystem& s) { return s.kind != SubsystemKind::Free; });
  if (trees) return 2 * problem.size() >= 3 * problem.num_dofs();
  return 3 * problem.num_contacts() >= 2 * problem.num_dofs();
}

void HybridSolver::FindIslands() {
  const DelassusMatrix& W = delassus_;
  const int count = W.num_constraints();
  label_.assign(count, -1);
  num_islands_ = 0;
  for (int seed = 0; seed < count; ++seed) {
    if (label_[seed] >= 0) continue;
    if (num_islands_ == static_cast<int>(islands_.size())) islands_.emplace_back();
    std::vector<int>& island = islands_[num_islands_];
    island.clear();
    stack_.assign(1, seed);
    label_[seed] = num_islands_;
    while (!stack_.empty()) {
      const int i = stack_.back();
      stack_.pop_back();
      island.push_back(i);
      for (int k = W.row_begin(i); k < W.row_end(i); ++k) {
        if (label_[W.column(k)] >= 0) continue;
        label_[W.column(k)] = num_islands_;
        stack_.push_back(W.column(k));
      }
    }
    std::sort(island.begin(), island.end());
    ++num_islands_;
  }
}

IslandSolver* HybridSolver::TakeSolver(const std::vector<int>& constraints) {
  constexpr std::size_t kMostSlots = 32;
  const int count = static_cast<int>(constraints.size());
  int entries = 0;
  for (const int c : constraints) entries += delassus_.row_end(c) - delassus_.row_begin(c);
  Slot* oldest = nullptr;
  for (Slot& slot : slots_) {
    if (slot.constraints == count && slot.entries == entries) {
      slot.used = ++use_;
      return slot.solver.get();
    }
    if (oldest == nullptr || slot.used < oldest->used) oldest = &slot;
  }
  if (slots_.size() < kMostSlots) {
    slots_.emplace_back();
    oldest = &slots_.back();
    oldest->solver = std::make_unique<IslandSolver>(settings_.island);
  }
  oldest->constraints = count;
  oldest->entries = entries;
  oldest->used = ++use_;
  return oldest->solver.get();
}

Termination HybridSolver::SolveDelassus(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                        SolveReport* report) {
  delassus_.Assign(problem);
  const DelassusMatrix& W = delassus_;
  VectorX& sigma_free = sigma_free_;
  if (problem.has_dynamics()) {
    problem.MultiplyJ(problem.free_velocity(), &sigma_free);
    sigma_free += problem.e();
  } else {
    sigma_free = problem.e();
  }
  FindIslands();
  const bool compress = settings_.compress && problem.asymmetry() < 1e-12;
  const bool cold = lambda->isZero(0);
  const SolveSettings& settings = monitor->settings();
  const int max_outers = settings.max_iterations > 0 ? settings.max_iterations : settings_.max_outers;

  // Each island gets its share of the whole problem's scale; 0.5 covers the sum of all islands (their errors add in
  // squares to at most 3/4 of the tolerance).
  IslandTarget target;
  target.tolerance = 0.5 * settings.tolerance;
  target.shared_scale = FreeScale(problem, W, sigma_free) / std::sqrt(static_cast<double>(num_islands_));
  target.velocity_scale = sigma_free.cwiseAbs().maxCoeff();
  if (settings.accept_natural) {
    double trace = 0;
    for (int i = 0; i < problem.num_constraints(); ++i) trace += problem.dim(i) / W.rho()[i];
    target.single_weights = {1.0, trace > 0 ? problem.size() / trace : 1.0};
    target.shared_velocity = sigma_free.norm() / std::sqrt(static_cast<double>(num_islands_));
  }

  // Islands are solved one after the other, but as far as iterations go they could be solved side by side.
  int total_outers = report->iterations, most_outers = 0;
  Termination end = Termination::Converged;
  for (int k = 0; k < num_islands_; ++k) {
    IslandSolver& island = *TakeSolver(islands_[k]);
    island.Build(problem, W, sigma_free, islands_[k], compress);
    const Termination island_end = island.Solve(target, cold, max_outers, total_outers, monitor, lambda, report);
    total_outers += island.outers();
    most_outers = std::max(most_outers, island.outers());
    if (island_end != Termination::Converged) end = island_end;
    if (end == Termination::TimeBudget || end == Termination::Cancelled) break;
  }
  report->iterations += most_outers;
  return end;
}

}  // namespace tactus
