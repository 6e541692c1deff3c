#include "tactus/inverse/baselines/branch_and_bound.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <vector>

#include "tactus/core/error.h"
#include "tactus/inverse/baselines/mode_qp.h"
#include "tactus/inverse/qpcc_clock.h"
#include "tactus/inverse/qpcc_polish.h"
#include "tactus/inverse/qpcc_residual.h"
#include "tactus/inverse/qpcc_unscale.h"

namespace tactus {

namespace {

struct Node {
  double bound = 0;
  int depth = 0;
  std::vector<ModeChoice> choices;
  // Best bound first; deeper first among equals.
  bool operator<(const Node& other) const { return bound != other.bound ? bound > other.bound : depth < other.depth; }
};

class Search {
 public:
  Search(const QpccProblem& problem, const BranchAndBoundSettings& settings)
      : settings_(settings), clock_(settings.time_budget) {
    ScaleQpcc(problem, QpccSettings().scaling_iterations, &p_);
    it_.Resize(p_);
    best_ = it_;
    best_.x_hat.head(p_.na) = p_.lower.cwiseMax(0).cwiseMin(p_.upper);
  }

  void Run() {
    Node root;
    root.bound = 0;
    root.choices.assign(static_cast<std::size_t>(p_.num_contacts()), ModeChoice::Any);
    queue_.push(root);
    while (!queue_.empty() && nodes_ < settings_.most_nodes && !clock_.over()) {
      const Node node = queue_.top();
      bound_ = std::min(node.bound, left_);
      if (Enough(node.bound)) return;
      queue_.pop();
      Expand(node);
    }
    bound_ = std::min(queue_.empty() ? loss_ : queue_.top().bound, left_);
  }

  const QpccScaled& scaled() const { return p_; }
  const QpccIterate& best() const { return best_; }
  const QpccClock& clock() const { return clock_; }
  bool found() const { return loss_ < std::numeric_limits<double>::infinity(); }
  bool proven() const { return found() && Enough(bound_); }
  double bound() const { return std::min(bound_, loss_) / p_.cost; }
  int nodes() const { return nodes_; }

 private:
  bool Enough(double bound) const { return bound >= loss_ - settings_.gap * loss_ - 1e-12 * ModeQpConstant(p_); }

  void Expand(const Node& node) {
    ++nodes_;
    BuildModeQp(p_, node.choices, &mode_qp_);
    const ConvexQpResult relaxed = SolveConvexQp(mode_qp_.qp, 1e-9);
    if (relaxed.status == ConvexQpStatus::Infeasible) return;
    // A program that stalled says nothing of the bound; its parent's holds.
    double bound = node.bound;
    if (relaxed.status == ConvexQpStatus::Solved) bound = std::max(bound, relaxed.value + ModeQpConstant(p_));
    if (Enough(bound)) return;
    if (!relaxed.x.allFinite()) {
      left_ = std::min(left_, bound);
      return;
    }
    ReadModeQp(p_, node.choices, mode_qp_, relaxed.x, &it_);
    const int contact = FindBranching(node, relaxed.x);
    if (contact < 0) {
      Offer(bound);
      return;
    }
    TryRounding(node);
    const int options = p_.kind == QpccKind::Lcp ? 2 : 4;
    for (int k = 1; k <= options; ++k) {
      Node child{bound, node.depth + 1, node.choices};
      child.choices[static_cast<std::size_t>(contact)] = static_cast<ModeChoice>(k);
      queue_.push(child);
    }
  }

  // The free contact that violates its law most; -1 if none does.
  int FindBranching(const Node& node, const VectorX& v) {
    const int dim = p_.dim();
    const VectorX x_c = mode_qp_.impulses * v.tail(v.size() - p_.na), sigma = mode_qp_.contact * v + p_.g;
    int worst = -1;
    double most = 1e-9;
    for (int c = 0; c < p_.num_contacts(); ++c) {
      if (node.choices[static_cast<std::size_t>(c)] != ModeChoice::Any) continue;
      const double off = CalcLawViolation(p_.kind, p_.friction(c), x_c.data() + c * dim, sigma.data() + c * dim, 1, 1);
      if (off > most) most = off, worst = c;
    }
    return worst;
  }

  void Offer(double loss) {
    if (loss >= loss_) return;
    loss_ = loss;
    best_ = it_;
  }

  // A feasible point near the relaxed one: modes as they look, with what polishing makes of them.
  void TryRounding(const Node& node) {
    if (node.depth > 0 && nodes_ % 8 != 0) return;
    polisher_.Resize(p_, polish_settings_);
    if (polisher_.Polish(p_, polish_settings_, clock_, it_) && polisher_.loss() < loss_) {
      loss_ = polisher_.loss();
      best_ = polisher_.best();
    }
  }

  const BranchAndBoundSettings settings_;
  const QpccClock clock_;
  QpccScaled p_;
  QpccIterate it_, best_;
  ModeQp mode_qp_;
  QpccPolisher polisher_;
  QpccSettings polish_settings_;
  std::priority_queue<Node> queue_;
  double loss_ = std::numeric_limits<double>::infinity(), bound_ = 0;
  double left_ = std::numeric_limits<double>::infinity();  // least bound of nodes whose program broke down
  int nodes_ = 0;
};

}  // namespace

BranchAndBoundResult SolveBranchAndBound(const QpccProblem& problem, const BranchAndBoundSettings& settings,
                                         QpccSolution* solution) {
  problem.Validate();
  Require(problem.kind != QpccKind::Ncp, "branch and bound", "the problem is ncp", "lcp or planar contacts");
  Require(settings.gap >= 0 && settings.time_budget >= 0, "branch and bound", "a setting is negative", "numbers >= 0");
  Search search(problem, settings);
  search.Run();
  BranchAndBoundResult result;
  QpccReport& report = result.report;
  UnscaleIterate(search.scaled(), search.best(), solution);
  QpccJudgeMemory memory;
  JudgeQpcc(problem, search.scaled(), *solution, &memory, &report);
  report.starts = search.nodes();
  report.status = search.proven()         ? QpccStatus::Solved
                  : search.found()        ? QpccStatus::Feasible
                  : search.clock().over() ? QpccStatus::TimeBudget
                                          : QpccStatus::Infeasible;
  if (!search.found()) {
    report.message = report.status == QpccStatus::Infeasible ? "no combination of modes is feasible"
                                                             : "no feasible combination of modes was found in time";
  }
  result.lower_bound = search.bound();
  report.time = search.clock().seconds();
  report.cpu_time = search.clock().cpu_seconds();
  return result;
}

}  // namespace tactus
