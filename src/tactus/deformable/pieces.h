// A deformable cut into pieces that are deformables themselves (paper 002, section III-A), so that each can be a
// subsystem of its own in a contact problem.
//
// Finite elements: elements are shared out, and a node of several pieces has a copy in each, with the mass and the
// stiffness of the piece's own elements; equality rows hold the copies together. Rods: runs of segments; the springs of
// a joint between two runs are soft rows between subsystems. Either way nothing is approximated: A, b and the rows
// together say the same as A and b of the whole.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "tactus/deformable/deformable.h"
#include "tactus/deformable/rods/rod_joint.h"

namespace tactus {

struct DeformablePiece {
  std::shared_ptr<const Deformable> body;
  std::vector<int> items;  ///< of the whole, ascending: item i of the piece is items[i] of the whole
};

struct DeformablePieces {
  struct Place {
    int piece = 0, item = 0;  ///< of the piece
  };
  std::vector<DeformablePiece> pieces;
  std::vector<std::vector<Place>> places;  ///< of each item of the whole, pieces ascending
  std::vector<int> joints;                 ///< rods: each cut is between this segment and the next

  bool empty() const { return pieces.empty(); }
  /// A piece that has all of these items, the first of them; -1: none has.
  int FindPiece(const int* items, int count) const;
};

/// Cuts along the longest side of what is left, again and again, into parts with about as many elements (or segments)
/// each; always the same for the same body. A part that does not hang together becomes several, so that there may be
/// more pieces than asked for. Throws InputError if `count` is not from 2 to the number of elements, or for a rod to
/// half that of its segments.
DeformablePieces CutDeformable(const Deformable& whole, int count);

/// The springs of one joint of a rod as soft rows lambda = -ke - d y, y = J [v_a; v_b].
struct RodJointRows {
  static constexpr int kMost = 18;
  int count = 0;
  std::array<Vector12, kMost> J;  ///< zero where a segment is held: what that does is in ke
  std::array<double, kMost> d{};
  std::array<double, kMost> ke{};
};

/// Of the joint behind `segment`: six of its springs, and those of the geometric stiffness there are. `q` is where
/// forces are taken: that of the input or, for fully implicit steps, q (+) c h v_hat.
void CalcRodJointRows(const Deformable& rod, const DeformableScheme& scheme, const DeformableInput& input,
                      const VectorX& q, int segment, RodJointRows* rows);

}  // namespace tactus
