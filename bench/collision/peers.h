// Other libraries' answers to: how far are these convex shapes apart, or how deep in each other?
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/geometry/shape.h"
#include "tactus/math/spatial.h"

namespace tactus {

struct PeerAnswer {
  bool answered = false;
  double gap = 0;  ///< negative: depth
  bool has_normal = false;
  Vector3 normal = Vector3::Zero();  ///< from b to a
};

/// One pair of shapes, prepared once.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  /// Ends the program in some cases: ask in a child process first.
  virtual bool may_die() const { return false; }
  virtual void Prepare(const Shape& a, const Shape& b) = 0;
  virtual PeerAnswer Ask(const Pose& X_WA, const Pose& X_WB) = 0;
};

/// libccd with its default tolerances and with tight ones (GJK and EPA, its distance where apart); FCL's signed
/// distance.
std::vector<std::unique_ptr<Peer>> MakePeers();

}  // namespace tactus
