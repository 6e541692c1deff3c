// The part of QpccPolisher that never goes uphill: an active-set method over the pieces.
//
// From a point that obeys law and dynamics, solve on its piece. Where the way there leaves what a branch or a bound
// allows, go as far as it is allowed (base_) and add what blocks to the piece; where it does not, the loss has fallen,
// and what pulls most is let go. Pieces with planar or no friction are flat, and then this is exact; pieces with
// sliding in 3-D are curved, so that base_ only decides what blocks first, and points count only once they have been
// solved for.
#include <algorithm>
#include <cmath>

#include "tactus/inverse/qpcc_polish.h"
#include "tactus/inverse/qpcc_polish_detail.h"

namespace tactus {

using namespace polish;  // NOLINT: of this file and its sibling

namespace {

constexpr int kMostRounds = 60, kMostStuck = 4;

// The fraction of the way from `from` >= 0 to `to` at which 0 is crossed; 1 if it is not.
double CrossingOf(double from, double to, double zero) {
  if (to >= -zero) return 1;
  return from <= 0 ? 0 : from / (from - to);
}

// The same for a vector leaving the cone: |l_t| = mu l_n on the segment, a quadratic.
double ConeCrossing(double mu, int t, const double* from, const double* to, double zero) {
  if (Length(to, t) <= mu * to[t] + zero) return 1;
  double a = 0, b = 0, c = 0;
  for (int k = 0; k < t; ++k) {
    const double d = to[k] - from[k];
    a += d * d, b += from[k] * d, c += from[k] * from[k];
  }
  const double dn = to[t] - from[t];
  a -= mu * mu * dn * dn, b -= mu * mu * from[t] * dn, c -= mu * mu * from[t] * from[t];
  if (c >= 0) return 0;  // on the edge, or beyond by rounding
  // a x^2 + 2 b x + c = 0 with c < 0: the smallest positive root.
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  const double x = b > 0 ? -c / (b + root) : a != 0 ? (root - b) / a : 1;
  return std::clamp(x, 0.0, 1.0);
}

}  // namespace

// How far a contact may go from base_ to it_.
double QpccPolisher::CalcContactFraction(const QpccScaled& p, int contact) const {
  const int dim = p.dim(), t = dim - 1, o = contact * dim;
  const auto k = static_cast<std::size_t>(contact);
  const double *l0 = base_.x_hat.data() + p.na + o, *l1 = it_.x_hat.data() + p.na + o;
  const double *s0 = base_.s_hat.data() + o, *s1 = it_.s_hat.data() + o;
  switch (piece_.branches[k]) {
    case Branch::Open: return CrossingOf(s0[t], s1[t], zero_s_);
    case Branch::Stick:
      return t == 0 ? CrossingOf(l0[0], l1[0], zero_l_) : ConeCrossing(p.friction(contact), t, l0, l1, zero_l_);
    case Branch::Edge: return CrossingOf(l0[t], l1[t], zero_l_);
    case Branch::Slide: {
      const double normal = CrossingOf(l0[t], l1[t], zero_l_);
      if (p.friction(contact) == 0) return normal;
      const Vector2& d = piece_.direction[k];
      return std::min(normal, CrossingOf(Along(d, s0, t), Along(d, s1, t), zero_s_));
    }
    case Branch::Graze:
    case Branch::Rest: return 1;
  }
  return 1;
}

// What blocks first on the way from base_ to it_, and at which fraction; 1: nothing.
double QpccPolisher::FindBlock(const QpccScaled& p, int* actuator, int* contact) const {
  double least = 1;
  *actuator = *contact = -1;
  const double zero = 1e-3 * zero_l_;
  for (int i = 0; i < p.na; ++i) {
    if (piece_.bounds[static_cast<std::size_t>(i)] != AtBound::Free) continue;
    const double from = base_.x_hat[i], to = it_.x_hat[i];
    const double fraction = std::min(CrossingOf(from - p.lower[i], to - p.lower[i], zero),
                                     CrossingOf(p.upper[i] - from, p.upper[i] - to, zero));
    if (fraction < least) least = fraction, *actuator = i;
  }
  for (int c = 0; c < p.num_contacts(); ++c) {
    const double fraction = CalcContactFraction(p, c);
    if (fraction < least) least = fraction, *contact = c, *actuator = -1;
  }
  return least;
}

void QpccPolisher::MoveBase(const QpccScaled& p, double fraction) {
  base_.x_hat += fraction * (it_.x_hat - base_.x_hat);
  base_.s_hat += fraction * (it_.s_hat - base_.s_hat);
  base_.x_hat.head(p.na) = base_.x_hat.head(p.na).cwiseMax(p.lower).cwiseMin(p.upper);
}

// Adds to piece_ what blocks at base_.
void QpccPolisher::Block(const QpccScaled& p, int actuator, int contact) {
  if (actuator >= 0) {
    const double to_lower = base_.x_hat[actuator] - p.lower[actuator];
    const double to_upper = p.upper[actuator] - base_.x_hat[actuator];
    piece_.bounds[static_cast<std::size_t>(actuator)] = to_lower < to_upper ? AtBound::Lower : AtBound::Upper;
    return;
  }
  const int dim = p.dim(), t = dim - 1;
  const auto k = static_cast<std::size_t>(contact);
  const double* l = base_.x_hat.data() + p.na + contact * dim;
  const double* s = base_.s_hat.data() + contact * dim;
  Branch to = Branch::Rest;
  switch (piece_.branches[k]) {
    case Branch::Open: to = t > 0 && Length(s, t) > zero_s_ ? Branch::Graze : Branch::Rest; break;
    case Branch::Stick: to = t > 0 && l[t] > zero_l_ ? Branch::Edge : Branch::Rest; break;
    case Branch::Slide: to = l[t] > zero_l_ ? Branch::Edge : Branch::Graze; break;
    default: break;
  }
  SetBranch(p, contact, to, base_, &piece_);
}

// Lets go, on piece_, of what pulls most; returns by how much, 0 if nothing does.
double QpccPolisher::ReleaseOne(const QpccScaled& p) {
  double most = zero_y_;
  int actuator = -1, contact = -1;
  Branch branch = Branch::Open;
  for (int i = 0; i < p.na; ++i) {
    const double pull = CalcBoundPull(p, i);
    if (pull > most) most = pull, actuator = i;
  }
  for (int c = 0; c < p.num_contacts(); ++c) {
    Branch to = Branch::Open;
    const double pull = CalcPull(p, c, &to);
    if (pull > most) most = pull, contact = c, branch = to;
  }
  if (contact >= 0) {
    SetBranch(p, contact, branch, it_, &piece_);
  } else if (actuator >= 0) {
    piece_.bounds[static_cast<std::size_t>(actuator)] = AtBound::Free;
  } else {
    return 0;
  }
  return most;
}

bool QpccPolisher::Descend(const QpccScaled& p, const QpccClock& clock) {
  if (!found_ || stationary_ || descended_) return false;
  descended_ = true;  // unless a better one is kept on the way
  piece_ = best_piece_;
  it_ = best_;
  SetTolerances(p);
  return ReleaseOne(p) > 0 && DescendOnPieces(p, clock);
}

bool QpccPolisher::DescendFrom(const QpccScaled& p, const QpccClock& clock, const QpccIterate& start) {
  StartCall(kShareOfCall);
  it_ = start;
  SetTolerances(p);
  MakePiece(p, start, &piece_);
  return DescendOnPieces(p, clock);
}

// From it_, which obeys law and dynamics, on piece_.
bool QpccPolisher::DescendOnPieces(const QpccScaled& p, const QpccClock& clock) {
  bool improved = false;
  int stuck = 0;
  base_ = it_;
  ended_stationary_ = false;
  for (int round = 0; round < kMostRounds && stuck < kMostStuck && !Over(clock); ++round) {
    const PieceEnd end = solver_.Solve(p, kPieceTolerance, &piece_, &it_, &steps_);
    if (end == PieceEnd::Failed) break;
    SetTolerances(p);
    int actuator = -1, contact = -1;
    const double fraction = FindBlock(p, &actuator, &contact);
    MoveBase(p, fraction);
    stuck = fraction > 0 ? 0 : stuck + 1;
    if (fraction < 1) {
      Block(p, actuator, contact);
      it_.x_hat = base_.x_hat;
      it_.s_hat = base_.s_hat;
      continue;
    }
    if (end == PieceEnd::Left) break;
    next_ = piece_;
    const double pull = ReleaseOne(p);
    std::swap(next_, piece_);  // what the point was solved on
    improved = Keep(p, pull == 0) || improved;
    ended_stationary_ = pull == 0;
    if (pull == 0) break;
    std::swap(next_, piece_);
  }
  return improved;
}

}  // namespace tactus
