#include "tactus/inverse/qpcc_forward.h"

#include <algorithm>
#include <cmath>

#include "tactus/solvers/registry.h"

namespace tactus {

namespace {

/// Of natural_rho: as exact as it gets, and what is still good for an answer.
constexpr double kTolerance = 1e-12, kAcceptable = 1e-7;

// Row r of an inverse problem in the contact problem: planar contacts get a second tangent, which nothing acts on.
int RowOf(int dim, int r) { return dim == 2 ? 3 * (r / 2) + 2 * (r % 2) : r; }

}  // namespace

void QpccForward::Prepare(const QpccProblem& problem, const QpccSettings& use) {
  const std::string& solver = use.forward_solver;
  iterations_ = use.forward_iterations;
  if (!solver_ || solver_name_ != solver) solver_ = MakeSolver(solver);
  solver_name_ = solver;
  const int dim = problem.dim(), m = problem.num_rows(), count = problem.num_contacts();
  const int rows = dim == 2 ? 3 * count : m;
  friction_.clear();
  laws_.clear();
  for (int c = 0; c < count; ++c) {
    if (dim == 1) {
      laws_.push_back(RowLaw::Inequality());
    } else {
      friction_.emplace_back(problem.mu[c]);
    }
  }
  FillDelassus(problem);
  q_.setZero(rows);
  warm_.impulse.setZero(rows);
}

// Row by row into memory that is there: no triplets.
void QpccForward::FillDelassus(const QpccProblem& problem) {
  const int dim = problem.dim(), m = problem.num_rows(), rows = static_cast<int>(3 * friction_.size() + laws_.size());
  W_.resize(rows, rows);
  W_.reserve(static_cast<Eigen::Index>(m) * m + rows - m);
  for (int i = 0; i < m; ++i) {
    const int row = RowOf(dim, i);
    W_.startVec(row);
    for (int j = 0; j < m; ++j) {
      double value = 0.5 * (problem.D(i, j) + problem.D(j, i));
      if (i == j && problem.compliance.size() != 0) value += problem.compliance[i];
      if (value != 0 || i == j) W_.insertBackByOuterInner(row, RowOf(dim, j)) = value;
    }
    if (dim != 2 || i % 2 == 1) continue;
    W_.startVec(row + 1);
    W_.insertBackByOuterInner(row + 1, row + 1) = std::max(problem.D(i, i), 1e-12);
  }
  W_.finalize();
}

// The contact exactly on its law: what the solver's tolerance leaves becomes a dynamics gap.
void QpccForward::FillLaw(const QpccScaled& p, int contact, const double* l, const double* s, ContactMode mode,
                          QpccIterate* it) const {
  const int dim = p.dim(), t = dim - 1, o = contact * dim;
  double* l_out = it->x_hat.data() + p.na + o;
  double* s_out = it->s_hat.data() + o;
  const double by_impulse = 1 / p.E[p.na + o], by_velocity = p.S[o];
  std::fill(l_out, l_out + dim, 0.0);
  std::fill(s_out, s_out + dim, 0.0);
  const double normal = std::max(l[t], 0.0);
  if (mode == ContactMode::Open || normal == 0) {
    for (int k = 0; k < t; ++k) s_out[k] = s[k] * by_velocity;
    s_out[t] = std::max(s[t], 0.0) * by_velocity;
    it->modes[static_cast<std::size_t>(contact)] = ContactMode::Open;
    return;
  }
  it->modes[static_cast<std::size_t>(contact)] = dim == 1 ? ContactMode::Stick : mode;
  l_out[t] = normal * by_impulse;
  if (t == 0) return;
  const double mu = p.friction(contact), radius = mu * normal;
  const double lt = t == 1 ? std::abs(l[0]) : std::hypot(l[0], l[1]);
  const double st = t == 1 ? std::abs(s[0]) : std::hypot(s[0], s[1]);
  if (mode == ContactMode::Stick) {
    for (int k = 0; k < t; ++k) l_out[k] = l[k] * (lt > radius ? radius / lt : 1) * by_impulse;
    return;
  }
  // The direction is that of the velocity or of friction, whichever weighs more as a velocity: of what hardly moves the
  // velocity's direction is rounding, and friction turned into it would be far from what the dynamics say.
  const double by_friction = radius * by_impulse * std::abs(p.CD(o, p.na + o));
  const bool creeps = lt > 0 && by_friction > st * by_velocity;
  if (!creeps && !(st > 0)) return;
  double speed = 0;
  for (int k = 0; k < t; ++k) speed += creeps ? -l[k] / lt * s[k] : s[k] * s[k] / st;
  speed = std::max(speed, 0.0);
  for (int k = 0; k < t; ++k) {
    const double d = creeps ? -l[k] / lt : s[k] / st;
    s_out[k] = speed * d * by_velocity;
    l_out[k] = -radius * d * by_impulse;
  }
}

bool QpccForward::Solve(const QpccProblem& problem, const QpccScaled& p, bool warm, QpccIterate* it) {
  const int dim = p.dim(), m = p.m;
  ++solves_;
  actuation_ = p.E.head(p.na).cwiseProduct(it->x_hat.head(p.na));
  free_ = problem.g;
  free_.noalias() += problem.C * actuation_;
  for (int r = 0; r < m; ++r) q_[RowOf(dim, r)] = free_[r];
  if (warm) {
    for (int r = 0; r < m; ++r) warm_.impulse[RowOf(dim, r)] = it->x_hat[p.na + r] * p.E[p.na + r];
  }
  SolveSettings settings;
  settings.tolerance = kTolerance;
  settings.max_iterations = iterations_;
  ContactProblem::FromDelassus(W_, q_, friction_, laws_, &contacts_);
  const SolveReport report = solver_->Solve(contacts_, settings, warm ? warm_ : cold_, &solution_);
  if (!(report.residual.worst() <= kAcceptable) || report.infeasible || !solution_.impulse.allFinite()) return false;
  for (int c = 0; c < p.num_contacts(); ++c) {
    double l[3] = {0, 0, 0}, s[3] = {0, 0, 0};
    for (int k = 0; k < dim; ++k) {
      l[k] = solution_.impulse[RowOf(dim, c * dim + k)];
      s[k] = solution_.sigma[RowOf(dim, c * dim + k)];
    }
    const ContactMode mode =
        dim == 1 ? (l[0] > 0 ? ContactMode::Stick : ContactMode::Open) : solution_.modes[static_cast<std::size_t>(c)];
    FillLaw(p, c, l, s, mode, it);
  }
  return true;
}

}  // namespace tactus
