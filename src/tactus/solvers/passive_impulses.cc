#include "tactus/solvers/passive_impulses.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace tactus {

namespace {

bool IsPassive(const ContactProblem& problem, int i) {
  return problem.dim(i) == 3 || problem.law(i - problem.num_contacts()).rigid();
}

}  // namespace

int PassiveImpulses::Find(int subsystem) {
  while (root_[subsystem] != subsystem) subsystem = root_[subsystem] = root_[root_[subsystem]];
  return subsystem;
}

void PassiveImpulses::FindIslands(const ContactProblem& problem) {
  root_.resize(problem.has_dynamics() ? problem.mass().num_subsystems() : 1);
  std::iota(root_.begin(), root_.end(), 0);
  if (!problem.has_dynamics()) return;
  const BlockRows& J = problem.jacobian();
  for (int i = 0; i < problem.num_constraints(); ++i) {
    int last = -1;
    for (int k = 0; k < J.count(i); ++k) {
      const int subsystem = problem.mass().subsystem_of_dof(J.cols(i)[k]);
      if (subsystem == last) continue;
      if (last >= 0) {
        const int a = Find(last), b = Find(subsystem);
        root_[std::max(a, b)] = std::min(a, b);
      }
      last = subsystem;
    }
  }
}

int PassiveImpulses::IslandOf(const ContactProblem& problem, int i) {
  if (!problem.has_dynamics() || problem.jacobian().count(i) == 0) return 0;
  return Find(problem.mass().subsystem_of_dof(problem.jacobian().cols(i)[0]));
}

void PassiveImpulses::CalcWork(const ContactProblem& problem, const VectorX& lambda, const VectorX& impulses,
                               std::vector<double>* work) {
  problem.CalcSigma(impulses, &sigma_);
  work->assign(root_.size(), 0);
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (!IsPassive(problem, i)) continue;
    const int at = problem.offset(i), dim = problem.dim(i);
    (*work)[IslandOf(problem, i)] += lambda.segment(at, dim).dot(sigma_.segment(at, dim));
  }
}

void PassiveImpulses::Limit(const ContactProblem& problem, VectorX* lambda, SolveReport* report) {
  FindIslands(problem);
  CalcWork(problem, *lambda, *lambda, &with_);
  if (std::none_of(with_.begin(), with_.end(), [](double work) { return work > 0; })) return;
  kept_ = *lambda;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (IsPassive(problem, i)) kept_.segment(problem.offset(i), problem.dim(i)).setZero();
  }
  CalcWork(problem, *lambda, kept_, &without_);
  double least = 1;
  for (std::size_t k = 0; k < with_.size(); ++k) {
    const bool limited = with_[k] > 0 && std::isfinite(with_[k]) && std::isfinite(without_[k]);
    with_[k] = limited ? std::clamp(-without_[k] / (with_[k] - without_[k]), 0.0, 1.0) : 1;
    least = std::min(least, with_[k]);
  }
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (IsPassive(problem, i)) lambda->segment(problem.offset(i), problem.dim(i)) *= with_[IslandOf(problem, i)];
  }
  report->Say("cut off: impulses scaled by " + std::to_string(least) + " at least to add no energy");
}

}  // namespace tactus
