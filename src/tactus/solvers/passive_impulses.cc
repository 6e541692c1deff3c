#include "tactus/solvers/passive_impulses.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tactus {

namespace {

bool IsPassive(const ContactProblem& problem, int i) {
  return problem.dim(i) == 3 || problem.law(i - problem.num_contacts()).rigid();
}

}  // namespace

int PassiveImpulses::IslandOf(const ContactProblem& problem, int i) {
  if (!problem.has_dynamics() || problem.jacobian().count(i) == 0) return 0;
  return islands_.Find(problem.mass().subsystem_of_dof(problem.jacobian().cols(i)[0]));
}

// By bodies, J^T lambda . v, which takes no product with J for each motion.
void PassiveImpulses::CalcWork(const ContactProblem& problem, const VectorX& lambda, bool with_passive,
                               std::vector<double>* work) {
  work->assign(islands_.num_names(), 0);
  if (!problem.has_dynamics()) {
    problem.CalcSigma(with_passive ? lambda : others_, &motion_);
    (*work)[0] = passive_.dot(motion_);
    return;
  }
  const MassMatrix& mass = problem.mass();
  if (!with_passive && !has_others_) {
    motion_ = problem.free_velocity();
  } else {
    motion_ = problem.b();
    if (with_passive) motion_ += momentum_;
    if (has_others_) problem.AddMultiplyJT(others_, &motion_);
    mass.SolveInPlace(motion_);
  }
  for (int s = 0; s < mass.num_subsystems(); ++s) {
    const int dof = mass.subsystem(s).dof, size = mass.subsystem(s).size;
    (*work)[islands_.Find(s)] += momentum_.segment(dof, size).dot(motion_.segment(dof, size));
  }
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const int at = problem.offset(i), dim = problem.dim(i);
    double sum = 0;
    for (int k = at; k < at + dim; ++k) sum += passive_[k] * problem.e()[k];
    if (sum != 0) (*work)[IslandOf(problem, i)] += sum;
  }
}

bool PassiveImpulses::AddsEnergy(const ContactProblem& problem, const VectorX& work) {
  with_.assign(islands_.num_names(), 0);
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (work[i] != 0 && IsPassive(problem, i)) with_[IslandOf(problem, i)] += work[i];
  }
  return std::any_of(with_.begin(), with_.end(), [](double sum) { return !(sum <= 0); });
}

void PassiveImpulses::Limit(const ContactProblem& problem, VectorX* lambda, SolveReport* report, const VectorX* work) {
  islands_.Build(problem);
  if (work != nullptr && !AddsEnergy(problem, *work)) return;
  passive_ = *lambda;
  others_.setZero(lambda->size());
  has_others_ = false;
  for (int i = problem.num_contacts(); i < problem.num_constraints(); ++i) {
    if (IsPassive(problem, i)) continue;
    std::swap(passive_[problem.offset(i)], others_[problem.offset(i)]);
    has_others_ = true;
  }
  if (problem.has_dynamics()) {
    momentum_.setZero(problem.num_dofs());
    problem.AddMultiplyJT(passive_, &momentum_);
  }
  CalcWork(problem, *lambda, /*with_passive=*/true, &with_);
  if (std::none_of(with_.begin(), with_.end(), [](double sum) { return sum > 0; })) return;
  CalcWork(problem, *lambda, /*with_passive=*/false, &without_);
  double least = 1;
  for (std::size_t k = 0; k < with_.size(); ++k) {
    const bool limited = with_[k] > 0 && std::isfinite(with_[k]) && std::isfinite(without_[k]);
    with_[k] = limited ? std::clamp(-without_[k] / (with_[k] - without_[k]), 0.0, 1.0) : 1;
    least = std::min(least, with_[k]);
  }
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (!IsPassive(problem, i)) continue;
    const double scale = with_[IslandOf(problem, i)];
    if (scale != 1) lambda->segment(problem.offset(i), problem.dim(i)) *= scale;
  }
  char text[100];
  std::snprintf(text, sizeof(text), "stopped early: impulses lowered by up to %.2g %% so that they add no energy",
                100 * (1 - least));
  report->Say(text);
}

}  // namespace tactus
