#include "tactus/solvers/hybrid/body_space_engine.h"

#include <algorithm>
#include <cmath>

#include "tactus/contact/constraint_law.h"
#include "tactus/core/simd.h"
#include "tactus/solvers/hybrid/body_space_detail.h"
#include "tactus/solvers/hybrid/false_motion.h"

namespace tactus {

namespace baseline {
extern const PairKernels kPairKernels;
extern const LinkKernels kLinkKernels;
}  // namespace baseline
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const PairKernels kPairKernels;
extern const LinkKernels kLinkKernels;
}  // namespace v3
#endif

const PairKernels& GetPairKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kPairKernels;
#endif
  return baseline::kPairKernels;
}

const LinkKernels& GetLinkKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kLinkKernels;
#endif
  return baseline::kLinkKernels;
}

using body_space_detail::AddBlock;
using body_space_detail::kArrays;
using body_space_detail::kE;
using body_space_detail::kLambdaK;
using body_space_detail::kLargestBlock;
using body_space_detail::kM;
using body_space_detail::kMu;
using body_space_detail::kN;
using body_space_detail::kR;
using body_space_detail::kRho;

PairContactArrays BodySpaceEngine::Arrays(const ContactSet& set, const double* lambda_k, double* lambda) {
  PairContactArrays c;
  const double* data = set.data.data();
  const auto at = [&](int which) { return data + static_cast<std::size_t>(which) * set.padded; };
  for (int k = 0; k < 3; ++k) {
    c.r[k] = at(kR + k);
    c.n[k] = at(kN + k);
    c.m[k] = at(kM + k);
    c.e[k] = at(kE + k);
    c.lambda_k[k] = lambda_k + static_cast<std::size_t>(k) * set.padded;
    c.lambda[k] = lambda + static_cast<std::size_t>(k) * set.padded;
  }
  c.mu = at(kMu);
  c.rho = at(kRho);
  return c;
}

PairContactArrays BodySpaceEngine::Arrays(const double* lambda_k, double* lambda) {
  return Arrays(all_, lambda_k, lambda);
}

double BodySpaceEngine::UpdateNormalSpeed() {
  const PairContactArrays c = Arrays(all_.lambda.data(), all_.lambda.data());
  double change = 0, twist[6];
  CalcTwists(v_.data());
  for (const Pair& pair : pairs_) {
    PairTwist(pair, twist);
    for (int i = pair.begin; i < pair.end; ++i) {
      const double speed = c.n[0][i] * (twist[0] + c.e[0][i]) + c.n[1][i] * (twist[1] + c.e[1][i]) +
                           c.n[2][i] * (twist[2] + c.e[2][i]) + c.m[0][i] * twist[3] + c.m[1][i] * twist[4] +
                           c.m[2][i] * twist[5];
      change = std::max(change, std::abs(speed - normal_speed_[i]));
      normal_speed_[i] = speed;
    }
  }
  return change;
}

bool BodySpaceEngine::SelectNear(double margin) {
  constexpr double kWorthwhile = 0.7;
  chosen_.clear();
  const std::size_t stride = all_.padded;
  const double* l = all_.lambda.data();
  int slots = 0;
  near_.begin.resize(pairs_.size());
  near_.end.resize(pairs_.size());
  for (std::size_t q = 0; q < pairs_.size(); ++q) {
    near_.begin[q] = slots;
    // Those with an impulse side by side: kernels skip the work of sliding where none of four slides.
    for (const bool wanted : {true, false}) {
      for (int i = pairs_[q].begin; i < pairs_[q].end; ++i) {
        const bool loaded = l[i] != 0 || l[stride + i] != 0 || l[2 * stride + i] != 0;
        if (loaded != wanted || (!loaded && normal_speed_[i] > margin)) continue;
        if (all_.data[kRho * stride + i] == 0) continue;  // padding
        chosen_.emplace_back(slots++, i);
      }
    }
    near_.end[q] = slots = (slots + 3) & ~3;
  }
  if (slots > kWorthwhile * all_.padded) return false;
  near_.padded = slots;
  near_.data.assign(static_cast<std::size_t>(kArrays) * slots, 0.0);
  near_.lambda.assign(3 * static_cast<std::size_t>(slots), 0.0);
  for (int which = 0; which < kArrays; ++which) {
    const double* from = all_.data.data() + which * stride;
    double* to = near_.data.data() + static_cast<std::size_t>(which) * slots;
    for (const auto& [slot, i] : chosen_) to[slot] = from[i];
  }
  return true;
}

double BodySpaceEngine::InverseEnergyNorm(const double* f) const {
  double sum = 0, product[kLargestBlock];
  for (const Block& block : blocks_) {
    if (block.size == 6) {
      const Eigen::Map<const Vector6, Eigen::Unaligned> x(f + block.dof);
      sum += x.dot(Eigen::Map<const Matrix6, Eigen::Unaligned>(Ainv_.data() + block.place) * x);
      continue;
    }
    const double* x = f + block.dof;
    link_kernels_->multiply(Ainv_.data() + block.place, block.size, x, product);
    for (int i = 0; i < block.size; ++i) sum += x[i] * product[i];
  }
  return std::sqrt(std::max(0.0, sum));
}

double BodySpaceEngine::Evaluate(ContactSet* set, const double* v, double beta, bool jacobian) {
  PairContactArrays arrays =
      Arrays(*set, set->data.data() + static_cast<std::size_t>(kLambdaK) * set->padded, set->lambda.data());
  if (hold_discs_) arrays.radius = radius_.data();
  CalcTwists(v);
  std::fill(wrenches_.begin(), wrenches_.end(), 0.0);
  if (jacobian) {
    lu_.Clear();
    for (std::size_t j = 0; j < blocks_.size(); ++j) {
      const int entry = diagonal_entry_[j];
      AddBlock(A_.data() + blocks_[j].place, blocks_[j].size, lu_.entry(entry), lu_.entry_stride(entry));
    }
    if (!jacobians_.empty()) std::fill(link_blocks_.begin(), link_blocks_.end(), 0.0);
  }
  double twist[6], wrench[6], K[36], product[kLargestBlock];
  for (std::size_t q = 0; q < pairs_.size(); ++q) {
    const Pair& pair = pairs_[q];
    if (set->begin[q] == set->end[q]) continue;
    PairTwist(pair, twist);
    if (jacobian) {
      kernels_->evaluate_jacobian(arrays, set->begin[q], set->end[q], twist, beta, wrench, K);
      AddPairBlock(pair, K);
    } else {
      kernels_->evaluate(arrays, set->begin[q], set->end[q], twist, beta, wrench);
    }
    AddPairWrench(pair, wrench);
  }
  CollectForce();
  for (std::size_t b = 0; b < bodies_.size() && jacobian && !jacobians_.empty(); ++b) {
    const double* K_body = link_blocks_.data() + 36 * b;
    const bool touched = std::any_of(K_body, K_body + 36, [](double x) { return x != 0; });
    if (!bodies_[b].free() && touched)
      AddCongruence(diagonal_entry_[bodies_[b].subsystem], bodies_[b], K_body, bodies_[b]);
  }
  for (Row& row : rows_) {
    const double y = RowVelocity(row, v);
    const double weight = beta * row.rho;
    double slope = 0;
    row.lambda = ProjectRow(row.law, row.lambda_k - weight * y, weight, row.e, &slope);
    AddRowForce(row);
    if (jacobian && slope > 0) AddRowBlock(row, weight * slope);
  }
  for (const Block& block : blocks_) {
    const int d = block.dof;
    if (block.size == 6) {
      const Eigen::Map<const Vector6, Eigen::Unaligned> x(v + d);
      const Vector6 Ax = Eigen::Map<const Matrix6, Eigen::Unaligned>(A_.data() + block.place) * x;
      for (int k = 0; k < 6; ++k) residual_[d + k] = Ax[k] - b_[d + k] - force_[d + k];
      continue;
    }
    link_kernels_->multiply(A_.data() + block.place, block.size, v + d, product);
    for (int k = 0; k < block.size; ++k) residual_[d + k] = product[k] - b_[d + k] - force_[d + k];
  }
  return InverseEnergyNorm(residual_.data());
}

void BodySpaceEngine::CalcVelocity(const double* force, double* v) const {
  double product[kLargestBlock];
  for (const Block& block : blocks_) {
    const int d = block.dof;
    if (block.size == 6) {
      const Vector6 dv = Eigen::Map<const Matrix6, Eigen::Unaligned>(Ainv_.data() + block.place) *
                         Eigen::Map<const Vector6, Eigen::Unaligned>(force + d);
      for (int k = 0; k < 6; ++k) v[d + k] = v_free_[d + k] + dv[k];
      continue;
    }
    link_kernels_->multiply(Ainv_.data() + block.place, block.size, force + d, product);
    for (int k = 0; k < block.size; ++k) v[d + k] = v_free_[d + k] + product[k];
  }
}

// Of v_score_, whose twists are in twists_: as NcpResidual::violation(); if `heavy` also motion that impulses within
// their cones should have stopped: contacts that push and part, or stick and creep. Loads a million times those of the
// bodies they rest on hide it otherwise.
double BodySpaceEngine::CalcViolation(bool heavy) const {
  const double* data = all_.data.data();
  const auto at = [&](int which, int i) { return data[static_cast<std::size_t>(which) * all_.padded + i]; };
  double violation = 0, twist[6];
  for (const Pair& pair : pairs_) {
    PairTwist(pair, twist);
    for (int i = pair.begin; i < pair.end; ++i) {
      const Vector3 n(at(kN, i), at(kN + 1, i), at(kN + 2, i)), r(at(kR, i), at(kR + 1, i), at(kR + 2, i));
      const Vector3 sigma = Vector3(twist[0] + at(kE, i), twist[1] + at(kE + 1, i), twist[2] + at(kE + 2, i)) +
                            Vector3(twist[3], twist[4], twist[5]).cross(r);
      const Vector3 lambda(all_.lambda[i], all_.lambda[all_.padded + i], all_.lambda[2 * all_.padded + i]);
      const double sigma_n = n.dot(sigma), lambda_n = n.dot(lambda);
      violation = std::max(violation, -sigma_n);
      if (!(lambda_n > 0) || !heavy) continue;  // also what only fills up vectors
      violation = std::max(violation, FalseMotion(sigma_n, (sigma - sigma_n * n).norm(), lambda_n,
                                                  (lambda - lambda_n * n).norm(), at(kMu, i), at(kRho, i)));
    }
  }
  for (const Row& row : rows_) {
    violation = std::max(violation, RowViolation(row.law, RowVelocity(row, v_score_.data()) + row.e));
  }
  return violation;
}

double BodySpaceEngine::CalcScore() {
  // force_ belongs to all_.lambda: the last Evaluate saw to that.
  CalcVelocity(force_.data(), v_score_.data());
  CalcTwists(v_score_.data());
  const PairContactArrays arrays = Arrays(all_.lambda.data(), all_.lambda.data());
  double error = 0, length = 0, twist[6];
  for (const Pair& pair : pairs_) {
    PairTwist(pair, twist);
    kernels_->score(arrays, pair.begin, pair.end, twist, &error, &length);
  }
  for (const Row& row : rows_) {
    const double y = RowVelocity(row, v_score_.data());
    const double difference = row.lambda - ProjectRow(row.law, row.lambda - row.rho * y, row.rho, row.e);
    error += difference * difference / row.rho;
    length += row.lambda * row.lambda / row.rho;
  }
  const double scale = std::max(std::sqrt(length), q_norm_);
  if (!std::isfinite(error) || !std::isfinite(length)) return kInfinity;
  double score = error > 0 ? std::sqrt(error) / scale : 0;
  // Beside large impulses the error looks small: the judge also wants little violation, in hundreds of the largest free
  // velocity (half of that here, as world axes are not the contacts').
  const bool heavy = scale > 10 * q_norm_;
  if (score <= tolerance_ || heavy) {
    score = std::max(score, velocity_scale_ > 0 ? CalcViolation(heavy) / (50 * velocity_scale_) : 0);
  }
  // Until the tolerance is met, what counts is the error itself: beside impulses that are far too large it looks small,
  // and a solve that is cut off there would throw bodies about.
  const double rank = score <= tolerance_ ? score - 1 : std::sqrt(error);
  if (rank < best_rank_) {
    best_rank_ = rank;
    best_score_ = score;
    best_ = all_.lambda;
    for (std::size_t k = 0; k < rows_.size(); ++k) best_rows_[k] = rows_[k].lambda;
  }
  return score;
}

// Damped semismooth Newton on r(v) = 0 from v_, monotone in the A^{-1} norm, over the contacts of `set`. Leaves its
// impulses and force_ at the last point.
bool BodySpaceEngine::NewtonOn(ContactSet* set, double beta, double precision, const SolveMonitor& monitor,
                               double* tolerance) {
  constexpr int kTrials = 8;
  constexpr double kShorter = 0.6;
  double merit = Evaluate(set, v_.data(), beta, true);
  const double scale = std::max(InverseEnergyNorm(force_.data()), 1e-3 * q_norm_);
  *tolerance = std::max(std::min(precision * scale, 0.1 * merit), 1e-14 * scale);
  const std::size_t n = v_.size();
  const bool hurry = monitor.settings().time_budget > 0;
  double begin = hurry ? monitor.cpu_seconds() : 0;
  for (int step = 0; step < settings_.newton_max && merit > *tolerance; ++step) {
    if (hurry && step > 0) {
      const double now = monitor.cpu_seconds();
      step_seconds_ = std::max(step_seconds_, now - begin);
      begin = now;
    }
    Termination why;
    if (monitor.ShouldStop(&why, settings_.reserve * step_seconds_) || !lu_.Factorize()) return false;
    step_ = residual_;
    lu_.Solve(step_.data());
    ++newton_;
    double length = 1, trial_merit = 0;
    bool accepted = false;
    for (int k = 0; k < kTrials && !accepted; ++k) {
      for (std::size_t i = 0; i < n; ++i) v_trial_[i] = v_[i] - length * step_[i];
      trial_merit = Evaluate(set, v_trial_.data(), beta, k == 0);
      accepted = trial_merit < (1 - 1e-4 * length) * merit;
      if (!accepted) length *= kShorter;
    }
    if (!accepted && stubborn_) {
      length = 1;
      accepted = TryDampedSteps(set, beta, merit, &trial_merit);
    }
    if (!accepted) return false;
    std::swap(v_, v_trial_);
    if (length < 1) trial_merit = Evaluate(set, v_.data(), beta, true);
    merit = trial_merit;
  }
  return merit <= *tolerance;
}

// Where friction and normal impulses feed each other H may be all but singular, and its steps endless.
bool BodySpaceEngine::TryDampedSteps(ContactSet* set, double beta, double merit, double* trial_merit) {
  for (const double share : {settings_.damping, 10 * settings_.damping}) {
    Evaluate(set, v_.data(), beta, true);
    for (std::size_t j = 0; j < blocks_.size(); ++j) {
      const int entry = diagonal_entry_[j];
      AddBlock(A_.data() + blocks_[j].place, blocks_[j].size, lu_.entry(entry), lu_.entry_stride(entry), share * beta);
    }
    if (!lu_.Factorize()) return false;
    step_ = residual_;
    lu_.Solve(step_.data());
    ++newton_;
    for (std::size_t i = 0; i < v_.size(); ++i) v_trial_[i] = v_[i] - step_[i];
    *trial_merit = Evaluate(set, v_trial_.data(), beta, true);
    if (*trial_merit < (1 - 1e-4) * merit) return true;
  }
  return false;
}

// The inner problem with friction limited by discs instead of cones, those of the last impulses: it is that of CANAL,
// convex, and H symmetric. From v_start_.
bool BodySpaceEngine::NewtonWithHeldDiscs(double beta, double precision, const SolveMonitor& monitor) {
  const std::size_t stride = all_.padded;
  const auto at = [&](int which, std::size_t i) { return all_.data[which * stride + i]; };
  v_ = v_start_;
  bool solved = true;
  for (int round = 0; round < settings_.disc_rounds && solved; ++round) {
    const double* l = round == 0 ? all_.data.data() + kLambdaK * stride : all_.lambda.data();
    for (std::size_t i = 0; i < stride; ++i) {
      const double normal = l[i] * at(kN, i) + l[stride + i] * at(kN + 1, i) + l[2 * stride + i] * at(kN + 2, i);
      radius_[i] = at(kMu, i) * std::max(0.0, normal);
    }
    double tolerance = 0;
    hold_discs_ = true;
    solved = NewtonOn(&all_, beta, precision, monitor, &tolerance);
    hold_discs_ = false;
  }
  return solved;
}

// v_ belongs to the impulses of the start. Where those were matched with other contact points, light bodies under a
// load fly about; velocities from before, if there are any, may be the better start.
void BodySpaceEngine::ChooseStart(const VectorX* other, double beta) {
  if (other == nullptr) return;
  const double merit = Evaluate(&all_, v_.data(), beta, false);
  if (!(Evaluate(&all_, other->data(), beta, false) < merit)) return;
  std::copy(other->data(), other->data() + other->size(), v_.begin());
}

// Newton on the contacts of near_ only, if asked for; should others close on the way, on all of them from there.
bool BodySpaceEngine::Newton(double beta, double precision, bool near_only, const SolveMonitor& monitor) {
  double tolerance = 0;
  if (!near_only) return NewtonOn(&all_, beta, precision, monitor, &tolerance);
  const bool solved = NewtonOn(&near_, beta, precision, monitor, &tolerance);
  const double merit = Evaluate(&all_, v_.data(), beta, false);
  if (!solved || merit <= 2 * tolerance) return solved;
  return NewtonOn(&all_, beta, precision, monitor, &tolerance);
}

void BodySpaceEngine::ImportImpulses(const VectorX& lambda) {
  for (int i = 0; i < num_contacts_; ++i) {
    const int slot = slot_[i];
    const double* R = frames_.data() + 9 * static_cast<std::size_t>(slot);
    for (int k = 0; k < 3; ++k) {
      all_.lambda[static_cast<std::size_t>(k) * all_.padded + slot] =
          R[k] * lambda[3 * i] + R[3 + k] * lambda[3 * i + 1] + R[6 + k] * lambda[3 * i + 2];
    }
  }
  for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k].lambda = lambda[3 * num_contacts_ + static_cast<int>(k)];
}

void BodySpaceEngine::ExportImpulses(const std::vector<double>& contacts, const std::vector<double>& rows,
                                     VectorX* lambda) const {
  for (int i = 0; i < num_contacts_; ++i) {
    const int slot = slot_[i];
    const double* R = frames_.data() + 9 * static_cast<std::size_t>(slot);
    for (int c = 0; c < 3; ++c) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += R[3 * c + k] * contacts[static_cast<std::size_t>(k) * all_.padded + slot];
      (*lambda)[3 * i + c] = sum;
    }
  }
  for (std::size_t k = 0; k < rows.size(); ++k) (*lambda)[3 * num_contacts_ + static_cast<int>(k)] = rows[k];
}

// Of the impulses that are there, all zero if `cold`.
double BodySpaceEngine::ScoreStart(bool cold) {
  std::fill(wrenches_.begin(), wrenches_.end(), 0.0);
  if (!cold) {
    const PairContactArrays arrays = Arrays(all_.lambda.data(), all_.lambda.data());
    double wrench[6];
    for (const Pair& pair : pairs_) {
      kernels_->wrench(arrays, pair.begin, pair.end, wrench);
      AddPairWrench(pair, wrench);
    }
  }
  CollectForce();
  if (!cold) {
    for (const Row& row : rows_) AddRowForce(row);
  }
  return CalcScore();
}

Termination BodySpaceEngine::Solve(bool cold, int max_outers, SolveMonitor* monitor, VectorX* lambda,
                                   SolveReport* report, bool last_resort) {
  const double tolerance = tolerance_ = 0.9 * monitor->settings().tolerance;
  best_score_ = best_rank_ = kInfinity;
  // Whatever comes: on numbers near overflow no score may ever be finite.
  best_.assign(all_.lambda.size(), 0.0);
  best_rows_.assign(rows_.size(), 0.0);
  newton_ = 0;
  step_seconds_ = 0;
  ImportImpulses(*lambda);
  double* lambda_k = all_.data.data() + static_cast<std::size_t>(kLambdaK) * all_.padded;
  double score = ScoreStart(cold);
  if (!cold && score > settings_.useless_start) {
    cold = true;
    std::fill(all_.lambda.begin(), all_.lambda.end(), 0.0);
    for (Row& row : rows_) row.lambda = 0;
    best_score_ = best_rank_ = kInfinity;
    score = ScoreStart(cold);
  }
  v_ = v_score_;
  double beta = settings_.beta_cold;
  if (!cold && score > tolerance) {
    beta = std::clamp(settings_.beta_warm / score, settings_.beta_warm_least, settings_.beta_warm_most);
  }
  const double full_growth = cold ? settings_.growth_cold : settings_.growth_warm;
  double growth = full_growth;
  int failures = 0, outer = 0;
  Termination end = Termination::MaxIterations;
  bool accepted = true, near_only = false;
  normal_speed_.assign(all_.padded, 0.0);
  radius_.resize(all_.padded);
  UpdateNormalSpeed();
  // With one or two points a pair the Delassus form is as small, and the quicker way out.
  const bool dense = last_resort || num_contacts_ >= settings_.dense * static_cast<double>(pairs_.size());
  const int most_outers = std::min(max_outers, dense ? settings_.max_outers : settings_.max_outers_sparse);
  while (score > tolerance && outer < most_outers) {
    if (monitor->ShouldStop(&end, settings_.reserve * step_seconds_)) break;
    ++outer;
    // lambda_k is the last accepted point.
    if (accepted) {
      std::copy(all_.lambda.begin(), all_.lambda.end(), lambda_k);
      for (Row& row : rows_) row.lambda_k = row.lambda;
      if (outer == 1) ChooseStart(monitor->start_velocity(), beta);
      v_start_ = v_;
      if (outer > 1) near_only = SelectNear(2 * UpdateNormalSpeed());
    } else {
      v_ = v_start_;
    }
    const double precision = std::max(1e-14, std::min(1e-3, 0.3 * score));
    stubborn_ = dense && failures >= settings_.stubborn_after;
    accepted =
        Newton(beta, precision, near_only, *monitor) || (stubborn_ && NewtonWithHeldDiscs(beta, precision, *monitor));
    const double next = CalcScore();
    if (next <= tolerance) {
      score = next;
    } else if (accepted) {
      score = next;
      beta = std::min(growth * beta, settings_.beta_max);
      growth = std::min(1.5 * growth, full_growth);
    } else {
      ++failures;
      if (next < 0.5 * score) {
        score = next;
        accepted = true;
      }
      growth = settings_.growth_after_failure;
      beta = std::max(beta / settings_.shrink, settings_.beta_min);
      if (failures > (dense ? settings_.max_failures : settings_.max_failures_sparse)) {
        end = Termination::Stalled;
        break;
      }
    }
    if (monitor->settings().record_history) {
      ExportImpulses(best_, best_rows_, lambda);
      monitor->Record(outer, report->newton_steps + newton_, *lambda);
    }
  }
  ExportImpulses(best_, best_rows_, lambda);
  report->iterations += outer;
  report->newton_steps += newton_;
  report->inner_failures += failures;
  return best_score_ <= tolerance ? Termination::Converged : end;
}

}  // namespace tactus
