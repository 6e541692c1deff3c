#include "tactus/solvers/hybrid/island_solver.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "tactus/contact/constraint_law.h"
#include "tactus/solvers/hybrid/false_motion.h"

namespace tactus {

void IslandSolver::Build(const ContactProblem& p, const DelassusMatrix& W, const VectorX& sigma_free,
                         const std::vector<int>& constraints, bool compress) {
  W_.Build(W, constraints, compress);
  const int count = W_.num_constraints();
  mu_.assign(count, 0.0);
  rho_.assign(count, 1.0);
  laws_.assign(count, RowLaw());
  e_.assign(count, 0.0);
  global_offset_.assign(count, 0);
  local_.assign(count, SingleContact());
  q_.resize(W_.size());
  q_norm_ = 0;
  for (int i = 0; i < count; ++i) {
    const int c = W_.global(i);
    rho_[i] = W.rho()[c];
    global_offset_[i] = W.offset(c);
    const int o = W_.offset(i);
    for (int a = 0; a < W_.dim(i); ++a) q_[o + a] = sigma_free[W.offset(c) + a];
    if (W_.dim(i) == 3) {
      mu_[i] = p.friction(c).mu1;
      local_[i] = SingleContact(W_.diagonal_block(i), mu_[i]);
      q_norm_ += rho_[i] * q_.segment<3>(o).squaredNorm();
    } else {
      laws_[i] = p.law(c - p.num_contacts());
      e_[i] = p.row_offset(c - p.num_contacts());
      const double free = RowFreeSigma(laws_[i], q_[o] - e_[i], e_[i], rho_[i]);
      q_norm_ += rho_[i] * free * free;
    }
  }
  q_norm_ = std::sqrt(q_norm_);
  G_.assign(9 * static_cast<std::size_t>(count), 0.0);
}

// T with weight beta at x = r - beta sigma; D its generalized Jacobian.
ContactMode IslandSolver::Project(int i, const double* x, double beta, double* lambda, double* D) const {
  if (W_.dim(i) == 3) return StrictProjection(x, mu_[i], lambda, D);
  double slope = 0;
  lambda[0] = ProjectRow(laws_[i], x[0] + beta * e_[i], beta, e_[i], &slope);
  if (D) D[0] = slope;
  return slope > 0 ? ContactMode::Stick : ContactMode::Open;
}

// T on one branch only, continued beyond where it holds: smooth, so that Newton has no kinks to stop at.
void IslandSolver::ProjectAs(ContactMode mode, int i, const double* x, double beta, double* lambda, double* D) const {
  if (W_.dim(i) == 1) {
    Project(i, x, beta, lambda, D);
    return;
  }
  std::fill(D, D + 9, 0.0);
  const double scale = mode == ContactMode::Open ? 0 : 1;
  for (int k = 0; k < 3; ++k) {
    lambda[k] = scale * x[k];
    D[4 * k] = scale;
  }
  const double slide = std::sqrt(x[0] * x[0] + x[1] * x[1]);
  if (mode != ContactMode::Slip || slide == 0) return;
  const double w[2] = {x[0] / slide, x[1] / slide}, s = mu_[i] * x[2] / slide;
  for (int a = 0; a < 2; ++a) {
    lambda[a] = mu_[i] * x[2] * w[a];
    for (int b = 0; b < 2; ++b) D[3 * a + b] = s * ((a == b ? 1 : 0) - w[a] * w[b]);
    D[3 * a + 2] = mu_[i] * w[a];
  }
}

IslandSolver::Score IslandSolver::CalcScore(const VectorX& r, const VectorX& sigma) const {
  double error = 0, length = 0, violation = 0;
  for (int i = 0; i < W_.num_constraints(); ++i) {
    const int o = W_.offset(i);
    const double rho = rho_[i];
    if (W_.dim(i) == 3) {
      const double* s = sigma.data() + o;
      const double* l = r.data() + o;
      const double slide = std::sqrt(s[0] * s[0] + s[1] * s[1]);
      const double x[3] = {l[0] - rho * s[0], l[1] - rho * s[1], l[2] - rho * (s[2] + mu_[i] * slide)};
      double projected[3];
      ConeProjection(x, mu_[i], projected);
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += (l[k] - projected[k]) * (l[k] - projected[k]);
      error += sum / rho;
      const double friction = std::sqrt(l[0] * l[0] + l[1] * l[1]);
      violation = std::max({violation, -s[2], FalseMotion(s[2], slide, l[2], friction, mu_[i], rho)});
      length += (l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) / rho;
    } else {
      double projected;
      const double x = r[o] - rho * sigma[o];
      Project(i, &x, rho, &projected, nullptr);
      error += (r[o] - projected) * (r[o] - projected) / rho;
      length += r[o] * r[o] / rho;
      violation = std::max(violation, RowViolation(laws_[i], sigma[o]));
    }
  }
  Score score;
  score.error = std::isfinite(error) ? std::sqrt(error) : kInfinity;
  score.scale = std::max({std::sqrt(length), q_norm_, target_.shared_scale});
  if (target_.velocity_scale > 0) score.violation = violation / (100 * target_.velocity_scale);
  return score;
}

IslandSolver::Score IslandSolver::ScoreOf(const VectorX& r) {
  W_.Multiply(r, &sigma_);
  sigma_ += q_;
  return CalcScore(r, sigma_);
}

void IslandSolver::KeepBest(const VectorX& r, const Score& score) {
  if (!(score.relative() < best_relative_)) return;
  best_relative_ = score.relative();
  best_error_ = score.error;
  best_ = r;
  done_ = best_relative_ <= target_.tolerance;
  for (const double weight : target_.single_weights) done_ = done_ && SingleWeightHolds(weight, r);
}

bool IslandSolver::SingleWeightHolds(double weight, const VectorX& r) const {
  double error = 0;
  for (int i = 0; i < W_.num_constraints(); ++i) {
    const int o = W_.offset(i);
    const double* l = r.data() + o;
    const double* s = sigma_.data() + o;
    double x[3], projected[3];
    if (W_.dim(i) == 3) {
      const double slide = std::sqrt(s[0] * s[0] + s[1] * s[1]);
      for (int k = 0; k < 3; ++k) x[k] = l[k] - weight * (s[k] + (k == 2 ? mu_[i] * slide : 0));
      ConeProjection(x, mu_[i], projected);
    } else {
      x[0] = l[0] - weight * s[0];
      Project(i, x, weight, projected, nullptr);
    }
    for (int k = 0; k < W_.dim(i); ++k) error += (l[k] - projected[k]) * (l[k] - projected[k]);
  }
  const double scale = std::max({r.norm(), weight * q_.norm(), weight * target_.shared_velocity});
  return std::sqrt(error) <= target_.tolerance * scale;
}

void IslandSolver::SweepOnce(bool backward, double relaxation, VectorX* r) {
  W_.Sweep(q_, backward, r, [&](int i, const double* u, const double* ri, double* delta) {
    const double* Wii = W_.diagonal_block(i);
    if (W_.dim(i) == 3) {
      double q[3], next[3];
      for (int a = 0; a < 3; ++a) q[a] = u[a] - (Wii[3 * a] * ri[0] + Wii[3 * a + 1] * ri[1] + Wii[3 * a + 2] * ri[2]);
      local_[i].Solve(q, next);
      for (int a = 0; a < 3; ++a) delta[a] = relaxation * (next[a] - ri[a]);
    } else {
      const RowLaw& law = laws_[i];
      const double rest = u[0] - Wii[0] * ri[0];  // sigma without this row's own impulse
      double next;
      if (law.rigid()) {
        next = Wii[0] > 0 ? Clip(-rest / Wii[0], law.lo, law.hi) : ri[0];
      } else {
        next = Clip(-(law.ke + law.d * (rest - e_[i])) / (1 + law.d * Wii[0]), law.lo, law.hi);
      }
      delta[0] = relaxation * (next - ri[0]);
    }
    for (int a = 0; a < W_.dim(i); ++a) {
      if (!std::isfinite(delta[a])) delta[0] = delta[1] = delta[2] = 0;
    }
  });
}

void IslandSolver::WarmUp(VectorX* r, int min_sweeps, double relaxation) {
  constexpr int kChunk = 10;
  double best = best_relative_;
  for (int sweep = 0; sweep < settings_.max_sweeps; sweep += kChunk) {
    if (W_.contacts_only()) {
      // Directions of sliding need be no more exact than what the chunk may reach.
      W_.SweepContacts(q_, kChunk, relaxation, std::min(1e-3, 1e-2 * best), local_.data(), r);
    } else {
      for (int k = 0; k < kChunk; ++k) SweepOnce(k % 2 == 1, relaxation, r);
    }
    const Score score = ScoreOf(*r);
    KeepBest(*r, score);
    if (done_) return;
    const bool good = score.relative() < settings_.sweep_rate * best;
    best = std::min(best, score.relative());
    if (sweep + kChunk >= min_sweeps && !good) break;
  }
  *r = best_;
}

void IslandSolver::ProjectAll(VectorX* r) const {
  for (int i = 0; i < W_.num_constraints(); ++i) {
    double* x = r->data() + W_.offset(i);
    if (W_.dim(i) == 3) {
      const double copy[3] = {x[0], x[1], x[2]};
      StrictProjection(copy, mu_[i], x);
    } else {
      x[0] = std::clamp(x[0], laws_[i].lo, laws_[i].hi);
    }
  }
}

double IslandSolver::EnergyNorm(const VectorX& r) {
  W_.Multiply(r, &Wx_);
  return std::sqrt(std::max(0.0, r.dot(Wx_)));
}

// F = r - T(r - eta (sigma + (r - r_k)/beta)), eta = rho/(1 + 1/beta); returns |F|_{1/eta}. With `jacobian`, fills
// G = E^{-1} B and g = E^{-1} F of (E + B W) d = F, E = I - D + (eta/beta) D, B = eta D.
double IslandSolver::EvaluateA(const VectorX& r, const VectorX& sigma, const VectorX& rk, double beta, bool jacobian) {
  double merit = 0;
  F_.resize(W_.size());
  if (jacobian) g_.resize(W_.size());
  for (int i = 0; i < W_.num_constraints(); ++i) {
    const int o = W_.offset(i), n = W_.dim(i);
    const double b = beta * rho_[i], eta = rho_[i] / (1 + 1 / beta);
    double x[3], lambda[3], D[9];
    for (int a = 0; a < n; ++a) x[a] = r[o + a] - eta * (sigma[o + a] + (r[o + a] - rk[o + a]) / b);
    const ContactMode mode = Project(i, x, eta, lambda, jacobian ? D : nullptr);
    double sum = 0;
    for (int a = 0; a < n; ++a) {
      F_[o + a] = r[o + a] - lambda[a];
      sum += F_[o + a] * F_[o + a];
    }
    merit += sum / eta;
    if (!jacobian) continue;
    double* G = G_.data() + 9 * static_cast<std::size_t>(i);
    if (n == 1) {
      const double E = 1 - D[0] + D[0] * eta / b;
      G[0] = eta * D[0] / E;
      g_[o] = F_[o] / E;
    } else if (mode == ContactMode::Open) {
      std::fill(G, G + 9, 0.0);
      for (int a = 0; a < 3; ++a) g_[o + a] = F_[o + a];
    } else if (mode == ContactMode::Stick) {
      std::fill(G, G + 9, 0.0);
      G[0] = G[4] = G[8] = b;
      for (int a = 0; a < 3; ++a) g_[o + a] = F_[o + a] * b / eta;
    } else {
      using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
      const Eigen::Map<const RowMatrix3> Dm(D);
      const Matrix3 Einv = (Matrix3::Identity() - (1 - eta / b) * Dm).inverse();
      Eigen::Map<RowMatrix3> Gm(G);
      Gm = eta * Einv * Dm;
      g_.segment<3>(o) = Einv * F_.segment<3>(o);
    }
  }
  return std::sqrt(merit);
}

// g = s - T(r_k - beta sigma(s)); returns sqrt(g^T W g). With `jacobian`, fills G = beta D of (I + beta D W) d = g.
double IslandSolver::EvaluateB(const VectorX& s, const VectorX& sigma, const VectorX& rk, double beta, bool jacobian,
                               VectorX* lambda, const std::vector<ContactMode>* modes) {
  lambda->resize(W_.size());
  F_.resize(W_.size());
  for (int i = 0; i < W_.num_constraints(); ++i) {
    const int o = W_.offset(i), n = W_.dim(i);
    const double b = beta * rho_[i];
    double x[3], D[9];
    for (int a = 0; a < n; ++a) x[a] = rk[o + a] - b * sigma[o + a];
    if (modes) {
      ProjectAs((*modes)[i], i, x, b, lambda->data() + o, D);
    } else {
      Project(i, x, b, lambda->data() + o, jacobian ? D : nullptr);
    }
    for (int a = 0; a < n; ++a) F_[o + a] = s[o + a] - (*lambda)[o + a];
    if (!jacobian) continue;
    double* G = G_.data() + 9 * static_cast<std::size_t>(i);
    for (int a = 0; a < n * n; ++a) G[a] = b * D[a];
  }
  if (jacobian) g_ = F_;
  return EnergyNorm(F_);
}

// Newton on the natural map of the proximal problem; nonmonotone over the last five merits.
bool IslandSolver::NewtonA(const VectorX& rk, double beta, double tolerance, double floor, VectorX* r) {
  constexpr int kMemory = 5, kTrials = 8;
  double history[kMemory];
  W_.Multiply(*r, &sigma_);
  sigma_ += q_;
  double merit = EvaluateA(*r, sigma_, rk, beta, true);
  // Demand progress, or steps of length zero would count as success for ever.
  tolerance = std::max(std::min(tolerance, 0.1 * merit), floor);
  VectorX& best = newton_best_;
  best = *r;
  double best_merit = merit;
  std::fill(history, history + kMemory, 0.0);
  history[0] = merit;
  for (int step = 0; step < settings_.newton_max && merit > tolerance; ++step) {
    if (!W_.SolveNewton(G_, g_, &d_, &z_)) break;
    ++newton_;
    const double reference = *std::max_element(history, history + kMemory);
    double length = 1;
    bool accepted = false;
    for (int k = 0; k < kTrials && !accepted; ++k) {
      trial_ = *r - length * d_;
      trial_sigma_ = sigma_ - length * z_;
      const double trial_merit = EvaluateA(trial_, trial_sigma_, rk, beta, true);
      accepted = trial_merit <= (1 - 1e-4 * length) * reference;
      if (accepted) {
        merit = trial_merit;
      } else {
        length *= 0.5;
      }
    }
    if (!accepted) break;
    r->swap(trial_);
    sigma_.swap(trial_sigma_);
    history[(step + 1) % kMemory] = merit;
    if (merit < best_merit) {
      best_merit = merit;
      best = *r;
    }
  }
  if (merit <= tolerance) return true;
  *r = best;
  return false;
}

// Newton on s = T(r_k - beta (W s + q)), monotone in the energy norm: the body-space Newton with A + J^T beta D J.
bool IslandSolver::NewtonB(const VectorX& rk, double beta, double tolerance, double floor, VectorX* s,
                           VectorX* lambda) {
  constexpr int kTrials = 12;
  W_.Multiply(*s, &sigma_);
  sigma_ += q_;
  double merit = EvaluateB(*s, sigma_, rk, beta, true, lambda);
  tolerance = std::max(std::min(tolerance, 0.1 * merit), floor);
  for (int step = 0; step < settings_.newton_max && merit > tolerance; ++step) {
    if (!W_.SolveNewton(G_, g_, &d_, &z_)) return false;
    ++newton_;
    double length = 1;
    bool accepted = false;
    for (int k = 0; k < kTrials && !accepted; ++k) {
      trial_ = *s - length * d_;
      trial_sigma_ = sigma_ - length * z_;
      const double trial_merit = EvaluateB(trial_, trial_sigma_, rk, beta, true, &lambda_trial_);
      accepted = trial_merit < (1 - 1e-4 * length) * merit;
      if (accepted) {
        merit = trial_merit;
      } else {
        length *= 0.5;
      }
    }
    if (!accepted) return false;
    s->swap(trial_);
    sigma_.swap(trial_sigma_);
    lambda->swap(lambda_trial_);
  }
  return merit <= tolerance;
}

// Newton with the modes held fixed, a few rounds: leads away from points where the semismooth Newton runs from kink to
// kink. What it finds counts only if it is better than `score`.
bool IslandSolver::FixedModes(const Score& score, VectorX* r) {
  constexpr int kRounds = 2, kSteps = 8;
  constexpr double kBeta = 1e6, kAccuracy = 1e-12, kDivergence = 1e3;
  modes_.resize(W_.num_constraints());
  VectorX s = *r, rk = *r, lambda;
  Score best = score;
  for (int round = 0; round < kRounds; ++round) {
    W_.Multiply(s, &sigma_);
    sigma_ += q_;
    for (int i = 0; i < W_.num_constraints(); ++i) {
      const int o = W_.offset(i);
      double x[3], projected[3];
      for (int a = 0; a < W_.dim(i); ++a) x[a] = s[o + a] - rho_[i] * sigma_[o + a];
      modes_[i] = Project(i, x, rho_[i], projected, nullptr);
    }
    double first = 0;
    for (int step = 0; step < kSteps; ++step) {
      const double merit = EvaluateB(s, sigma_, rk, kBeta, true, &lambda, &modes_);
      if (step == 0) first = merit;
      if (!(merit > kAccuracy * q_norm_) || !(merit < kDivergence * first) || !W_.SolveNewton(G_, g_, &d_, &z_)) break;
      ++newton_;
      s -= d_;
      W_.Multiply(s, &sigma_);
      sigma_ += q_;
    }
    if (!s.allFinite()) break;
    lambda = s;
    ProjectAll(&lambda);
    const Score found = ScoreOf(lambda);
    KeepBest(lambda, found);
    if (found.relative() < best.relative()) {
      best = found;
      *r = lambda;
    }
    if (done_) return true;
    rk = s;
  }
  return best.relative() < score.relative();
}

// The proximal/AL loop from r_k = r: inner problem, judge, then grow beta or shrink it and retry from the same point.
Termination IslandSolver::OuterLoop(double beta, bool use_a, double over_relaxation, int max_outers,
                                    SolveMonitor* monitor) {
  VectorX &r = r_, &s = s_, &s_next = s_next_, &lambda = lambda_;
  Score score = ScoreOf(r);
  s = r;
  double growth = settings_.growth, milestone = kInfinity;
  int last_milestone = outers_;
  Termination why = Termination::MaxIterations;
  while (outers_ < max_outers) {
    if (monitor->ShouldStop(&why)) return why;
    ++outers_;
    const double relative = score.relative();
    const double precision = std::max(1e-14, std::min(1e-3, settings_.inner_precision * relative));
    bool solved = false;
    Score next, partial;
    partial.error = kInfinity;
    partial.scale = 1;
    VectorX &partial_lambda = partial_lambda_, &partial_s = partial_s_;
    for (const Inner inner : {Inner::A, Inner::B}) {
      if (solved || (inner == Inner::A && !use_a)) continue;
      if (inner == Inner::A) {
        double length = 0;
        for (int i = 0; i < W_.num_constraints(); ++i)
          length += r.segment(W_.offset(i), W_.dim(i)).squaredNorm() / rho_[i];
        const double scale = std::max(std::sqrt(length), q_norm_);
        s_next = r;
        solved = NewtonA(r, beta, precision * scale, 1e-14 * scale, &s_next);
        lambda = s_next;
        ProjectAll(&lambda);
        if (!solved) use_a = false;
      } else {
        const double scale = std::max({EnergyNorm(r), EnergyNorm(s), 1e-3 * q_norm_});
        s_next = s;
        solved = NewtonB(r, beta, std::min(precision, 1e-4) * scale, 1e-14 * scale, &s_next, &lambda);
      }
      next = ScoreOf(lambda);
      KeepBest(lambda, next);
      if (done_) return Termination::Converged;
      if (next.natural() <= target_.tolerance && ++unbounded_ > settings_.unbounded_outers) return Termination::Stalled;
      if (!solved && next.relative() < partial.relative()) {
        partial = next;
        partial_lambda = lambda;
        partial_s = s_next;
      }
    }
    if (solved) {
      score = next;
      if (over_relaxation == 1) {
        r = lambda;
      } else {
        r += over_relaxation * (lambda - r);
      }
      s = s_next;
      beta = std::min(growth * beta, settings_.beta_max);
      growth = std::min(1.5 * growth, settings_.growth);
    } else {
      ++failures_;
      if (partial.relative() < 0.5 * relative) {
        r = partial_lambda;
        s = partial_s;
        score = partial;
      }
      if (failures_ % settings_.fixed_mode_interval == 0 && FixedModes(score, &r)) {
        if (done_) return Termination::Converged;
        s = r;
        score = ScoreOf(r);
      }
      growth = settings_.growth_after_failure;
      beta = std::max(beta / settings_.shrink, settings_.beta_min);
    }
    RecordBest(monitor);
    const double reached = std::min(next.relative(), score.relative());
    if (reached < 0.3 * milestone) {
      milestone = reached;
      last_milestone = outers_;
    } else if (outers_ - last_milestone > settings_.stall_outers) {
      return Termination::Stalled;
    }
  }
  return Termination::MaxIterations;
}

void IslandSolver::Scatter(const VectorX& r, VectorX* lambda) const {
  for (int i = 0; i < W_.num_constraints(); ++i) {
    for (int a = 0; a < W_.dim(i); ++a) (*lambda)[global_offset_[i] + a] = r[W_.offset(i) + a];
  }
}

void IslandSolver::RecordBest(SolveMonitor* monitor) {
  if (!monitor->settings().record_history) return;
  Scatter(best_, lambda_out_);
  monitor->Record(first_outer_ + outers_, first_newton_ + newton_, *lambda_out_);
}

Termination IslandSolver::Solve(const IslandTarget& target, bool cold, int max_outers, int first_outer,
                                SolveMonitor* monitor, VectorX* lambda, SolveReport* report) {
  target_ = target;
  first_outer_ = first_outer;
  first_newton_ = report->newton_steps;
  lambda_out_ = lambda;
  best_relative_ = best_error_ = kInfinity;
  outers_ = newton_ = failures_ = 0;
  done_ = false;
  VectorX &start = start_, &r = r_;
  start.resize(W_.size());
  for (int i = 0; i < W_.num_constraints(); ++i) {
    for (int a = 0; a < W_.dim(i); ++a) start[W_.offset(i) + a] = (*lambda)[global_offset_[i] + a];
  }
  best_ = start;  // whatever its score: on numbers near overflow no score may ever be finite
  KeepBest(start, ScoreOf(start));
  Termination end = Termination::Converged;
  int jammed = 0;  // attempts that ended with impulses without bound
  for (int attempt = 0; attempt < settings_.max_attempts && !done_ && jammed < 2; ++attempt) {
    if (attempt == 0) {
      r = start;
    } else {
      r.setZero(W_.size());
    }
    double beta = settings_.beta_start, over_relaxation = 1;
    bool use_a = attempt == 0;
    switch (attempt) {
      case 0:
        if (cold) WarmUp(&r, settings_.min_sweeps, 1);
        break;
      case 1: beta = 1; break;
      case 2:
        WarmUp(&r, 200, 1.5);
        over_relaxation = 1.5;
        break;
      case 3:
        beta = 1;
        over_relaxation = 1.5;
        break;
      default: {
        // A seeded shake of the best impulses found.
        r = best_;
        unsigned state = 977u * static_cast<unsigned>(attempt);
        for (int i = 0; i < W_.num_constraints(); ++i) {
          state = state * 1664525u + 1013904223u;
          r.segment(W_.offset(i), W_.dim(i)) *= 0.5 + static_cast<double>(state >> 8) / (1 << 24);
        }
        beta = 10;
        over_relaxation = attempt % 2 == 1 ? 1.5 : 1;
      }
    }
    if (done_) break;
    unbounded_ = 0;
    end = OuterLoop(beta, use_a, over_relaxation, max_outers, monitor);
    if (unbounded_ > settings_.unbounded_outers) ++jammed;
    if (end == Termination::TimeBudget || end == Termination::Cancelled || end == Termination::MaxIterations) break;
  }
  Scatter(best_, lambda);
  RecordBest(monitor);
  report->newton_steps += newton_;
  report->inner_failures += failures_;
  if (!done_ && jammed > 0 && end != Termination::TimeBudget && end != Termination::Cancelled) {
    report->SuspectInfeasible();
    end = Termination::Stalled;
  }
  return done_ ? Termination::Converged : end;
}

}  // namespace tactus
