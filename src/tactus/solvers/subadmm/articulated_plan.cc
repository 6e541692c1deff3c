#include "tactus/solvers/subadmm/articulated_plan.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

namespace tactus {

namespace {

// Twists of links and mechanisms, relative.
constexpr double kSamePlace = 1e-9;
// Wrenches: what they miss of a row, and how much larger than the row they may be, both relative.
constexpr double kFit = 1e-11, kLargest = 1e3;

}  // namespace

void ArticulatedPlan::Make(const ContactProblem& problem) {
  const MassMatrix& mass = problem.mass();
  verdicts_.assign(mass.num_subsystems(), Verdict::NoTree);
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    if (mass.subsystem(j).kind != SubsystemKind::Tree) continue;
    verdicts_[j] = mass.mechanism(j) != nullptr ? Verdict::Articulated : Verdict::Unknown;
  }
  body_dof_.assign(problem.bodies().size(), -1);
  for (int b = 0; b < static_cast<int>(body_dof_.size()); ++b) {
    const int j = problem.bodies()[b].subsystem;
    if (articulated(j) && !FindBody(problem, b)) verdicts_[j] = Verdict::OtherPlace;
  }
  shares_.clear();
  const BlockRows& J = problem.jacobian();
  for (int i = problem.num_contacts(); i < problem.num_constraints(); ++i) {
    const int count = J.count(i);
    if (count == 1) continue;
    for (int begin = 0, end = 0; begin < count; begin = end) {
      const int j = mass.subsystem_of_dof(J.cols(i)[begin]), first = mass.subsystem(j).dof;
      while (end < count && mass.subsystem_of_dof(J.cols(i)[end]) == j) ++end;
      shares_.emplace_back();
      if (!articulated(j)) continue;
      row_.setZero(mass.subsystem(j).size);
      for (int k = begin; k < end; ++k) row_[J.cols(i)[k] - first] = J.block(i)[k];
      if (!FitShare(*mass.mechanism(j), mass.tree_parent(j), &shares_.back())) verdicts_[j] = Verdict::Joined;
    }
  }
}

// The last dof that moves it; then those on its way to the root must move it as the mechanism says, and no other.
bool ArticulatedPlan::FindBody(const ContactProblem& problem, BodyIndex index) {
  const ContactBody& body = problem.bodies()[index];
  if (body.kind != ContactBody::Kind::Link) return false;
  const TreeMechanism& mechanism = *problem.mass().mechanism(body.subsystem);
  const std::vector<int>& parent = problem.mass().tree_parent(body.subsystem);
  const Vector3 arm = body.reference - mechanism.origin;
  int dof = mechanism.size() - 1;
  while (dof >= 0 && body.jacobian.col(dof).isZero(0)) --dof;
  body_dof_[index] = std::max(dof, 0);
  int next = dof;
  for (int d = dof; d >= 0; --d) {
    const Vector6 given = body.jacobian.col(d);
    if (d != next) {
      if (!given.isZero(0)) return false;
      continue;
    }
    next = parent[d];
    const Vector6 S = mechanism.motion_of(d);
    const Vector3 linear = S.head<3>() + S.tail<3>().cross(arm);
    const double scale = S.norm() + arm.norm() * S.tail<3>().norm();
    if (!((given.head<3>() - linear).norm() + (given.tail<3>() - S.tail<3>()).norm() <= kSamePlace * scale))
      return false;
  }
  return dof >= 0;
}

// The smallest wrench w on what the last dof carries with S_d . w = row_d for that dof and those on its way to the
// root. Where they are at most six and independent there always is one.
bool ArticulatedPlan::FitShare(const TreeMechanism& mechanism, const std::vector<int>& parent, Share* share) {
  const int entries = static_cast<int>((row_.array() != 0).count());
  int last = mechanism.size() - 1;
  while (last > 0 && row_[last] == 0) --last;
  share->dof = last;
  share->entry = row_[last];
  share->single = entries <= 1;
  if (share->single) return true;
  Matrix6 G = Matrix6::Zero();
  int met = 0;
  for (int d = last; d >= 0; d = parent[d]) {
    G.noalias() += mechanism.motion_of(d) * mechanism.motion_of(d).transpose();
    met += row_[d] != 0;
  }
  if (met < entries) return false;
  // Lengths and angles alike.
  const double linear = G.diagonal().head<3>().sum(), angular = G.diagonal().tail<3>().sum();
  const double length = linear > 0 && angular > 0 ? std::sqrt(linear / angular) : 1;
  Vector6 unit = Vector6::Ones();
  unit.tail<3>().setConstant(length);
  G = unit.asDiagonal() * G * unit.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Matrix6> eigen(G);
  const double floor = 1e-12 * eigen.eigenvalues()[5];
  share->wrench.setZero();
  double missed = 0;
  // Once more for what rounding leaves, as G has the square of the motions' condition.
  for (int round = 0; round < 4; ++round) {
    Vector6 rest = Vector6::Zero();
    missed = 0;
    for (int d = last; d >= 0; d = parent[d]) {
      const Vector6 S = mechanism.motion_of(d);
      const double residual = row_[d] - S.dot(share->wrench);
      missed = std::max(missed, std::abs(residual));
      rest += residual * S;
    }
    if (round == 3) break;
    Vector6 x = eigen.eigenvectors().transpose() * (unit.asDiagonal() * rest);
    for (int k = 0; k < 6; ++k) x[k] = eigen.eigenvalues()[k] > floor ? x[k] / eigen.eigenvalues()[k] : 0;
    share->wrench += unit.asDiagonal() * (eigen.eigenvectors() * x);
  }
  const double size = row_.cwiseAbs().maxCoeff();
  const double load = unit.cwiseInverse().cwiseProduct(share->wrench).norm() * std::sqrt(eigen.eigenvalues()[5]);
  return missed <= kFit * size && load <= kLargest * size;
}

const char* ArticulatedPlan::Describe(bool supported) const {
  bool along = false;
  Verdict worst = Verdict::NoTree;
  for (const Verdict verdict : verdicts_) {
    along = along || verdict == Verdict::Articulated;
    if (verdict != Verdict::Articulated) worst = std::max(worst, verdict);
  }
  if (!along && worst == Verdict::NoTree) return "";
  // What does not fit the kernels goes by plain code, and all trees with it.
  if (!supported && along) {
    return worst == Verdict::NoTree ? "factors for all trees: there are no vector kernels for this problem"
                                    : "factors for all trees: one that does not fit is too large for the kernels";
  }
  switch (worst) {
    case Verdict::Unknown:
      return along ? "articulated bodies, factors for trees whose joints are not known"
                   : "factors for all trees: their joints are not known";
    case Verdict::OtherPlace:
      return along ? "articulated bodies, factors for trees that are touched at another place of theirs"
                   : "factors for all trees: they are touched at another place of theirs";
    case Verdict::Joined:
      return along ? "articulated bodies, factors for trees with rows across links"
                   : "factors for all trees: rows go across their links";
    default: return "articulated bodies";
  }
}

}  // namespace tactus
