#include "tactus/inverse/qpcc_polish.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/inverse/qpcc_polish_detail.h"

namespace tactus {

using namespace polish;  // NOLINT: of this file and its sibling

namespace {

/// Inequalities may be violated by this, relative; and multipliers.
constexpr double kZero = 1e-10, kZeroBound = 1e-13, kZeroMultiplier = 1e-9;
constexpr int kMostSeen = 512;

}  // namespace

void QpccPolisher::Resize(const QpccScaled& p, const QpccSettings& settings) {
  const auto nc = static_cast<std::size_t>(p.num_contacts()), na = static_cast<std::size_t>(p.na);
  solver_.Resize(p, settings.polish_size);
  for (QpccPiece* piece : {&piece_, &next_, &best_piece_, &search_piece_}) {
    piece->bounds.assign(na, AtBound::Free);
    piece->branches.assign(nc, Branch::Open);
    piece->normal.assign(nc, 0);
    piece->direction.assign(nc, Vector2(1, 0));
  }
  for (QpccIterate* it : {&it_, &best_, &search_it_, &base_}) it->Resize(p);
  seen_.resize(kMostSeen);
  for (QpccPiece& piece : seen_) {
    piece.bounds.resize(na);
    piece.branches.resize(nc);
    piece.direction.resize(nc);
  }
  visited_.assign(nc, 0);
  num_seen_ = steps_ = solves_ = 0;
  most_steps_ = call_steps_ = settings.polish_steps > 0 ? settings.polish_steps : std::numeric_limits<int>::max();
  found_ = stationary_ = descended_ = false;
}

void QpccPolisher::StartCall(double share) {
  const int left = std::max(0, most_steps_ - steps_);
  call_steps_ = steps_ + static_cast<int>(share * left);
}

void QpccPolisher::SetBranch(const QpccScaled& p, int contact, Branch branch, const QpccIterate& at,
                             QpccPiece* piece) const {
  const int dim = p.dim(), t = dim - 1;
  const auto k = static_cast<std::size_t>(contact);
  const double* l = at.x_hat.data() + p.na + contact * dim;
  const double* s = at.s_hat.data() + contact * dim;
  if (t > 0 && (branch == Branch::Slide || branch == Branch::Edge)) {
    // Along the velocity where there is one, else against the impulse.
    const bool moving = branch == Branch::Slide && Length(s, t) > zero_s_;
    const Branch before = piece->branches[k];
    if (before != Branch::Slide && before != Branch::Edge) {
      piece->direction[k] = moving ? DirectionOf(s, t, 1) : DirectionOf(l, t, -1);
      piece->normal[k] = std::max(l[t], 0.0);
    }
  }
  piece->branches[k] = branch;
}

void QpccPolisher::MakePiece(const QpccScaled& p, const QpccIterate& from, QpccPiece* piece) const {
  for (int i = 0; i < p.na; ++i) {
    const double x = from.x_hat[i];
    AtBound& at = piece->bounds[static_cast<std::size_t>(i)];
    at = x <= p.lower[i] ? AtBound::Lower : x >= p.upper[i] ? AtBound::Upper : AtBound::Free;
  }
  for (int c = 0; c < p.num_contacts(); ++c) {
    const auto k = static_cast<std::size_t>(c);
    piece->branches[k] = Branch::Open;
    const ContactMode mode = from.modes[k];
    SetBranch(p, c,
              mode == ContactMode::Open    ? Branch::Open
              : mode == ContactMode::Stick ? Branch::Stick
                                           : Branch::Slide,
              from, piece);
  }
}

// Contacts that a projection left at a limit of their branch: stick on the cone's edge, open without a gap.
bool QpccPolisher::HoldLimits(const QpccScaled& p, const QpccIterate& at, QpccPiece* piece) const {
  const int dim = p.dim(), t = dim - 1;
  bool any = false;
  for (int c = 0; c < p.num_contacts(); ++c) {
    const auto k = static_cast<std::size_t>(c);
    const double* l = at.x_hat.data() + p.na + c * dim;
    const double* s = at.s_hat.data() + c * dim;
    Branch to = piece->branches[k];
    if (to == Branch::Stick && t > 0 && l[t] > 0 && Length(l, t) >= p.friction(c) * l[t] * (1 - 1e-9))
      to = Branch::Edge;
    if (to == Branch::Open && s[t] == 0) to = t > 0 ? Branch::Graze : Branch::Rest;
    if (to == piece->branches[k]) continue;
    SetBranch(p, c, to, at, piece);
    any = true;
  }
  return any;
}

bool QpccPolisher::Remember(const QpccPiece& piece) {
  for (int k = 0; k < num_seen_; ++k) {
    if (seen_[static_cast<std::size_t>(k)].SameAs(piece)) return false;
  }
  if (num_seen_ == kMostSeen) return false;
  QpccPiece& slot = seen_[static_cast<std::size_t>(num_seen_++)];
  slot.bounds = piece.bounds;
  slot.branches = piece.branches;
  slot.direction = piece.direction;
  return true;
}

void QpccPolisher::SetTolerances(const QpccScaled& p) {
  zero_l_ = kZero * std::max(MaxAbs(it_.x_hat), kSmallest);
  zero_s_ = kZero * std::max({MaxAbs(it_.s_hat), MaxAbs(p.g), kSmallest});
  zero_y_ = kZeroMultiplier * std::max({MaxAbs(it_.y_x), MaxAbs(it_.y_s), MaxAbs(p.q), kSmallest});
}

bool QpccPolisher::Exhausted(const QpccScaled& p) const {
  return found_ && stationary_ && loss_ <= 1e-24 * p.b.squaredNorm();
}

bool QpccPolisher::Keep(const QpccScaled& p, bool stationary) {
  // Beyond the bounds by rounding only.
  it_.x_hat.head(p.na) = it_.x_hat.head(p.na).cwiseMax(p.lower).cwiseMin(p.upper);
  const double loss = CalcLoss(p, it_.x_hat);
  const bool lower = !found_ || loss < loss_ * (1 - 1e-12);
  // As good as before, and now known to be stationary.
  const bool same = found_ && stationary && !stationary_ && loss <= loss_ * (1 + 1e-12);
  if (!lower && !same) return false;
  best_ = it_;
  best_piece_ = piece_;
  loss_ = loss;
  stationary_ = stationary;
  descended_ = false;
  found_ = true;
  return lower;
}

// Actuators beyond a bound go to it. Returns the largest violation, relative.
double QpccPolisher::RepairBounds(const QpccScaled& p) {
  double worst = 0;
  const double zero = kZeroBound * std::max(MaxAbs(it_.x_hat), kSmallest);
  for (int i = 0; i < p.na; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (piece_.bounds[k] != AtBound::Free) continue;
    const double below = p.lower[i] - it_.x_hat[i], above = it_.x_hat[i] - p.upper[i];
    if (below > zero) next_.bounds[k] = AtBound::Lower;
    if (above > zero) next_.bounds[k] = AtBound::Upper;
    worst = std::max({worst, below, above});
  }
  return worst > zero ? worst : 0;
}

// A contact outside of what its branch allows goes to the branch beyond; where that one has sent it here, to what lies
// between the two.
double QpccPolisher::RepairContact(const QpccScaled& p, int contact) {
  const int dim = p.dim(), t = dim - 1;
  const auto k = static_cast<std::size_t>(contact);
  const double* l = it_.x_hat.data() + p.na + contact * dim;
  const double* s = it_.s_hat.data() + contact * dim;
  const double mu = p.friction(contact);
  const double lt = Length(l, t), st = Length(s, t);
  const Branch at = piece_.branches[k];
  Branch to = at;
  double violation = 0;
  if (at == Branch::Open && s[t] < -zero_s_) {
    violation = -s[t];
    to = t > 0 && st > zero_s_ ? Branch::Slide : Branch::Stick;
    if (visited_[k] & Bit(to)) to = t > 0 && to == Branch::Slide ? Branch::Graze : Branch::Rest;
  } else if (at == Branch::Stick && (l[t] < -zero_l_ || lt > mu * l[t] + zero_l_)) {
    violation = std::max(-l[t], lt - mu * l[t]);
    to = l[t] <= 0 ? Branch::Open : Branch::Slide;
    if (visited_[k] & Bit(to)) to = to == Branch::Slide ? Branch::Edge : Branch::Rest;
  } else if ((at == Branch::Slide || at == Branch::Edge) && piece_.normal[k] < -zero_l_) {
    violation = -piece_.normal[k];
    to = Branch::Open;
    if (visited_[k] & Bit(to)) to = at == Branch::Slide ? Branch::Graze : Branch::Rest;
  } else if (at == Branch::Slide && mu > 0) {
    const double speed =
        t == 2 ? piece_.direction[k][0] * s[0] + piece_.direction[k][1] * s[1] : piece_.direction[k][0] * s[0];
    if (speed < -zero_s_) {
      violation = -speed;
      to = visited_[k] & Bit(Branch::Stick) ? Branch::Edge : Branch::Stick;
    }
  }
  if (to != at) SetBranch(p, contact, to, it_, &next_);
  return violation;
}

// How much the multiplier of a bound pulls inwards.
double QpccPolisher::CalcBoundPull(const QpccScaled& p, int actuator) const {
  const AtBound at = piece_.bounds[static_cast<std::size_t>(actuator)];
  if (at == AtBound::Free || p.lower[actuator] == p.upper[actuator]) return 0;
  return at == AtBound::Lower ? it_.y_x[actuator] : -it_.y_x[actuator];
}

// Between two branches: how much the loss falls along one of them, and which (conditions of docs/inverse.md).
double QpccPolisher::CalcPull(const QpccScaled& p, int contact, Branch* to) const {
  const int dim = p.dim(), t = dim - 1;
  const auto k = static_cast<std::size_t>(contact);
  const double* y_c = it_.y_x.data() + p.na + contact * dim;
  const double* y_s = it_.y_s.data() + contact * dim;
  const double mu = p.friction(contact);
  double first = 0, second = 0;
  Branch first_to = Branch::Open, second_to = Branch::Slide;
  switch (piece_.branches[k]) {
    case Branch::Edge:
      first = Along(piece_.direction[k], y_c, t) + mu * y_c[t];
      second = Along(piece_.direction[k], y_s, t);
      first_to = Branch::Stick;
      break;
    case Branch::Graze:
      first = y_s[t];
      second = y_c[t] - mu * Along(DirectionOf(it_.s_hat.data() + contact * dim, t, 1), y_c, t);
      break;
    case Branch::Rest:
      first = std::max(Length(y_s, t), y_s[t]);
      second = mu * Length(y_c, t) + y_c[t];
      second_to = Branch::Stick;
      break;
    default: return 0;
  }
  *to = first > second ? first_to : second_to;
  return std::max({first, second, 0.0});
}

// Lets go of everything that pulls; returns the largest pull, 0 if there is none.
double QpccPolisher::ReleaseAll(const QpccScaled& p) {
  double worst = 0;
  for (int i = 0; i < p.na; ++i) {
    const double pull = CalcBoundPull(p, i);
    if (pull <= zero_y_) continue;
    next_.bounds[static_cast<std::size_t>(i)] = AtBound::Free;
    worst = std::max(worst, pull);
  }
  for (int c = 0; c < p.num_contacts(); ++c) {
    Branch to = Branch::Open;
    const double pull = CalcPull(p, c, &to);
    if (pull <= zero_y_) continue;
    SetBranch(p, c, to, it_, &next_);
    worst = std::max(worst, pull);
  }
  return worst;
}

// Rounds on piece_ from it_: solve, repair, release.
bool QpccPolisher::PolishPiece(const QpccScaled& p, const QpccSettings&, const QpccClock& clock, int rounds) {
  bool improved = false;
  ended_stationary_ = false;
  for (int c = 0; c < p.num_contacts(); ++c) visited_[static_cast<std::size_t>(c)] = 0;
  for (int round = 0; round < rounds && !Over(clock) && Remember(piece_); ++round) {
    ++solves_;
    const PieceEnd end = solver_.Solve(p, kPieceTolerance, &piece_, &it_, &steps_);
    if (end == PieceEnd::Failed) break;
    SetTolerances(p);
    next_ = piece_;
    for (int c = 0; c < p.num_contacts(); ++c) {
      visited_[static_cast<std::size_t>(c)] |= Bit(piece_.branches[static_cast<std::size_t>(c)]);
    }
    double violation = RepairBounds(p);
    for (int c = 0; c < p.num_contacts(); ++c) violation = std::max(violation, RepairContact(p, c));
    if (violation == 0) {
      if (end == PieceEnd::Left) break;
      const double pull = ReleaseAll(p);
      improved = Keep(p, pull == 0) || improved;
      ended_stationary_ = pull == 0;
      if (pull == 0) break;
    }
    piece_ = next_;
  }
  return improved;
}

bool QpccPolisher::Polish(const QpccScaled& p, const QpccSettings& settings, const QpccClock& clock,
                          const QpccIterate& start) {
  StartCall(kShareOfCall);
  zero_s_ = kZero * std::max(MaxAbs(start.s_hat), kSmallest);
  it_ = start;
  MakePiece(p, start, &piece_);
  bool improved = PolishPiece(p, settings, clock, settings.polish_rounds);
  bool stationary = ended_stationary_;
  // The same with contacts at the limits of their branches held there.
  it_ = start;
  MakePiece(p, start, &piece_);
  if (HoldLimits(p, start, &piece_)) {
    improved = PolishPiece(p, settings, clock, settings.polish_rounds) || improved;
    stationary = stationary || ended_stationary_;
  }
  ended_stationary_ = stationary;
  return improved;
}

}  // namespace tactus
