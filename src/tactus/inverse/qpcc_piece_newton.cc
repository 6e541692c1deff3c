// Newton's method on a piece: directions, line search, and when to stop. What a piece is made of: qpcc_pieces.cc.
#include <algorithm>
#include <cmath>

#include "tactus/inverse/qpcc_pieces.h"
#include "tactus/inverse/qpcc_polish_detail.h"

namespace tactus {

using namespace polish;  // NOLINT: of these files

namespace {

constexpr int kMostSteps = 25, kMostHalvings = 6;
constexpr int kMostFailures = 3;      // of the line search: from there on it creeps
constexpr double kLargestTurn = 0.5;  // [rad] a step
constexpr double kFarOutside = 1e-2;  // relative: what LeftPiece calls far

}  // namespace

// The step in unknowns and multipliers, into kkt_.
bool QpccPieceSolver::FindDirection(const QpccScaled& p, const QpccPiece& piece, const QpccIterate& it, int* steps) {
  const int nz = static_cast<int>(columns_.size()), nr = static_cast<int>(rows_.size());
  Differentiate(p, piece);
  for (const bool exact : {true, false}) {
    if (!exact && !curved_) break;
    const bool check = exact && curved_;
    DenseLu::Matrix K = lu_.Prepare(nz + nr);
    Assemble(p, piece, &K);
    if (check) {
      AddCurvature(p, piece, it, &K);
      hessian_.topLeftCorner(nz, nz) = K.topLeftCorner(nz, nz);
    }
    if (!lu_.Factorize()) return false;
    kkt_.head(nz + nr) = residual_.head(nz + nr);
    lu_.Solve(kkt_.data());
    ++*steps;
    if (!kkt_.head(nz + nr).allFinite()) return false;
    if (!check) break;
    double curvature = 0;
    for (int j = 0; j < nz; ++j) curvature += kkt_[j] * hessian_.col(j).head(nz).dot(kkt_.head(nz));
    if (curvature >= 0) break;
  }
  return true;
}

double QpccPieceSolver::CalcMerit(const QpccScaled& p, const QpccIterate& it) const {
  // f = 1/2 x.(gradient + q) up to a constant.
  return 0.5 * it.x_hat.dot(gradient_ + p.q) +
         merit_weight_ * constraint_.head(static_cast<Eigen::Index>(rows_.size())).lpNorm<1>();
}

void QpccPieceSolver::Move(const QpccScaled& p, double fraction, QpccPiece* piece, QpccIterate* it) {
  const int dim = p.dim(), nz = static_cast<int>(columns_.size());
  for (int j = 0; j < nz; ++j) {
    const Column& column = columns_[static_cast<std::size_t>(j)];
    const auto k = static_cast<std::size_t>(column.index);
    const double step = fraction * kkt_[j];
    if (!column.contact) {
      it->x_hat[column.index] += step;
    } else if (piece->branches[k] == Branch::Stick) {
      it->x_hat[p.na + column.index * dim + column.part] += step;
    } else if (column.part == 0) {
      piece->normal[k] += step;
    } else {
      const Vector2 d = piece->direction[k];
      piece->direction[k] = (std::cos(step) * d + std::sin(step) * Perpendicular(d)).normalized();
    }
  }
}

// Moves along the step; returns the fraction of it that was taken. Flat pieces take all.
double QpccPieceSolver::SearchLine(const QpccScaled& p, QpccPiece* piece, QpccIterate* it) {
  const int nz = static_cast<int>(columns_.size()), nr = static_cast<int>(rows_.size());
  if (!curved_) {
    Move(p, 1, piece, it);
    return 1;
  }
  double turn = 0;
  for (int j = 0; j < nz; ++j) {
    const Column& column = columns_[static_cast<std::size_t>(j)];
    const bool angle =
        column.contact && column.part == 1 && HasDirection(piece->branches[static_cast<std::size_t>(column.index)]);
    if (angle) turn = std::max(turn, std::abs(kkt_[j]));
  }
  double fraction = turn > kLargestTurn ? kLargestTurn / turn : 1;
  for (int r = 0; r < nr; ++r) merit_weight_ = std::max(merit_weight_, 2 * std::abs(nu_[r] + kkt_[nz + r]));
  const double before = CalcMerit(p, *it);
  start_piece_ = *piece;
  start_.x_hat = it->x_hat;
  for (int k = 0; k < kMostHalvings; ++k, fraction *= 0.5) {
    Move(p, fraction, piece, it);
    Evaluate(p, *piece, it);
    // Up by rounding is no reason to go back.
    const double allowed = before + 1e-12 * (1 + std::abs(before));
    if (CalcMerit(p, *it) <= allowed) return fraction;
    if (k == 0) {
      // Second-order correction: the step was good but for the curvature of the constraints.
      correction_.setZero();
      correction_.segment(nz, nr) = -constraint_.head(nr);
      lu_.Solve(correction_.data());
      std::swap(correction_, kkt_);
      Move(p, 1, piece, it);
      std::swap(correction_, kkt_);
      Evaluate(p, *piece, it);
      if (CalcMerit(p, *it) <= allowed) return fraction;
    }
    *piece = start_piece_;
    it->x_hat = start_.x_hat;
  }
  // No merit in any of them: the last one, and see.
  ++failures_;
  Move(p, fraction, piece, it);
  return fraction;
}

// Newton's method wanders off where the piece ends: the cone's other half, or sliding backwards.
bool QpccPieceSolver::LeftPiece(const QpccScaled& p, const QpccPiece& piece) const {
  double largest = 0;
  for (int c = 0; c < p.num_contacts(); ++c) {
    if (HasDirection(piece.branches[static_cast<std::size_t>(c)])) {
      largest = std::max(largest, std::abs(piece.normal[static_cast<std::size_t>(c)]));
    }
  }
  const double fastest = kFarOutside * std::max(MaxAbs(sigma_), MaxAbs(p.g));
  for (int c = 0; c < p.num_contacts(); ++c) {
    const auto k = static_cast<std::size_t>(c);
    if (!HasDirection(piece.branches[k])) continue;
    if (piece.normal[k] < -kFarOutside * largest) return true;
    const bool backwards = piece.direction[k].dot(sigma_.segment<2>(3 * c)) < -fastest;
    if (piece.branches[k] == Branch::Slide && p.friction(c) > 0 && backwards) return true;
  }
  return false;
}

PieceEnd QpccPieceSolver::Solve(const QpccScaled& p, double tolerance, QpccPiece* piece, QpccIterate* it, int* steps) {
  List(p, *piece);
  const auto nz = static_cast<Eigen::Index>(columns_.size()), nr = static_cast<Eigen::Index>(rows_.size());
  if (nz + nr > most_rows_) return PieceEnd::Failed;
  StartMultipliers(p, *piece, *it);
  merit_weight_ = 0;
  failures_ = 0;
  PieceEnd end = PieceEnd::Failed;
  for (int n = 0; n <= kMostSteps; ++n) {
    Evaluate(p, *piece, it);
    CollectMultipliers(p, *piece, it);
    CalcKktResidual(p, *piece, *it);
    const double error = CalcError(p, it);
    if (!std::isfinite(error)) return PieceEnd::Failed;
    if (n > 0 && error <= tolerance) end = PieceEnd::Converged;
    if (n > 1 && curved_ && end != PieceEnd::Converged && LeftPiece(p, *piece)) end = PieceEnd::Left;
    if (end != PieceEnd::Failed || n == kMostSteps || failures_ >= kMostFailures) break;
    if (!FindDirection(p, *piece, *it, steps)) return PieceEnd::Failed;
    const double fraction = SearchLine(p, piece, it);
    nu_.head(nr) += fraction * kkt_.segment(nz, nr);
  }
  if (end != PieceEnd::Failed) Finish(p, *piece, it);
  return end;
}

}  // namespace tactus
