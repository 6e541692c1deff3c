// The part of QpccPolisher that looks for smaller losses on other pieces: first on those next to the best one, then on
// any, drawn at random from a fixed seed. A small problem has few pieces, and most of them are looked at.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "tactus/core/random.h"
#include "tactus/inverse/qpcc_polish.h"
#include "tactus/inverse/qpcc_polish_detail.h"

namespace tactus {

using namespace polish;  // NOLINT: of this file and its siblings

namespace {

constexpr int kSearchRounds = 4;
constexpr std::uint64_t kSeed = 1;

}  // namespace

// Tries search_piece_ with one contact in another branch.
bool QpccPolisher::TryNeighbour(const QpccScaled& p, const QpccSettings& settings, const QpccClock& clock, int contact,
                                const NeighbourOption& option) {
  piece_ = search_piece_;
  it_ = search_it_;
  SetBranch(p, contact, option.branch, search_it_, &piece_);
  Vector2& d = piece_.direction[static_cast<std::size_t>(contact)];
  d = Vector2(option.cos * d[0] - option.sin * d[1], option.sin * d[0] + option.cos * d[1]);
  if (!PolishPiece(p, settings, clock, kSearchRounds)) return false;
  static_cast<void>(Descend(p, clock));
  return true;
}

// Neighbours of the best piece, and theirs, as long as the loss falls.
bool QpccPolisher::SearchNeighbours(const QpccScaled& p, const QpccSettings& settings, const QpccClock& clock,
                                    int most) {
  // What each law has, slides turned by quarters.
  static constexpr NeighbourOption kLcp[] = {{Branch::Open, 1, 0}, {Branch::Stick, 1, 0}, {Branch::Rest, 1, 0}};
  static constexpr NeighbourOption kPlanar[] = {{Branch::Open, 1, 0},   {Branch::Stick, 1, 0}, {Branch::Slide, 1, 0},
                                                {Branch::Slide, -1, 0}, {Branch::Edge, 1, 0},  {Branch::Edge, -1, 0},
                                                {Branch::Graze, 1, 0}};
  static constexpr NeighbourOption kNcp[] = {{Branch::Open, 1, 0},   {Branch::Stick, 1, 0}, {Branch::Slide, 1, 0},
                                             {Branch::Slide, -1, 0}, {Branch::Slide, 0, 1}, {Branch::Slide, 0, -1},
                                             {Branch::Edge, 1, 0},   {Branch::Edge, -1, 0}, {Branch::Graze, 1, 0}};
  std::span<const NeighbourOption> options = kNcp;
  if (p.kind == QpccKind::Lcp) options = kLcp;
  if (p.kind == QpccKind::Planar) options = kPlanar;
  bool improved = false, moved = true;
  while (moved && !Exhausted(p)) {
    moved = false;
    search_piece_ = best_piece_;
    search_it_ = best_;
    for (int c = 0; c < p.num_contacts(); ++c) {
      for (const NeighbourOption& option : options) {
        if (moved || solves_ >= most || Over(clock)) break;
        moved = TryNeighbour(p, settings, clock, c, option);
      }
    }
    improved = improved || moved;
  }
  return improved;
}

// Every contact in a branch drawn, sliding anywhere; actuators free, where the best answer has them, or at bounds
// drawn.
void QpccPolisher::DrawPiece(const QpccScaled& p, Random* random) {
  const int dim = p.dim(), t = dim - 1;
  piece_ = best_piece_;
  it_ = best_;
  it_.y_x.setZero();
  it_.y_s.setZero();
  const int bounds = random->Index(3);
  if (bounds == 0) std::fill(piece_.bounds.begin(), piece_.bounds.end(), AtBound::Free);
  for (int i = 0; i < p.na && bounds == 1; ++i) {
    const int side = random->Index(4);
    AtBound& at = piece_.bounds[static_cast<std::size_t>(i)];
    at = side == 0 && std::isfinite(p.lower[i])   ? AtBound::Lower
         : side == 1 && std::isfinite(p.upper[i]) ? AtBound::Upper
                                                  : AtBound::Free;
  }
  const double largest = MaxAbs(best_.x_hat.tail(p.m)), scale = largest > 0 ? largest : 1;
  for (int c = 0; c < p.num_contacts(); ++c) {
    const auto k = static_cast<std::size_t>(c);
    const int branch = random->Index(t == 0 ? 2 : 4);  // sliding twice as often
    const double angle = random->Uniform(0, 2 * std::numbers::pi), normal = random->Uniform(0, scale);
    piece_.branches[k] = branch == 0 ? Branch::Open : branch == 1 ? Branch::Stick : Branch::Slide;
    piece_.direction[k] = t == 2 ? Vector2(std::cos(angle), std::sin(angle)) : Vector2(angle < 3 ? 1 : -1, 0);
    piece_.normal[k] = normal;
  }
}

bool QpccPolisher::SearchAnywhere(const QpccScaled& p, const QpccSettings& settings, const QpccClock& clock, int most) {
  Random random(kSeed);
  bool improved = false;
  while (solves_ < most && !Over(clock) && !Exhausted(p)) {
    DrawPiece(p, &random);
    num_seen_ = 0;  // only not in circles
    const int before = solves_;
    if (PolishPiece(p, settings, clock, settings.polish_rounds)) {
      improved = true;
      static_cast<void>(Descend(p, clock));
    }
    if (solves_ == before) break;
  }
  return improved;
}

bool QpccPolisher::Search(const QpccScaled& p, const QpccSettings& settings, const QpccClock& clock,
                          const QpccIterate& start) {
  StartCall(1);
  if (!found_) {
    // Of no use as an answer, but there are pieces around it.
    best_ = start;
    MakePiece(p, start, &best_piece_);
  }
  const int most = solves_ + settings.search_solves;
  bool improved = SearchNeighbours(p, settings, clock, most);
  if (SearchAnywhere(p, settings, clock, most)) {
    improved = true;
    static_cast<void>(SearchNeighbours(p, settings, clock, most));
  }
  return improved;
}

}  // namespace tactus
