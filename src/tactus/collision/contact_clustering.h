// Fewer points for dense manifolds.
#pragma once

#include <vector>

#include "tactus/collision/contact_point.h"

namespace tactus {

struct ClusterSettings {
  int cap = 120;            ///< manifolds with no more points are left alone (paper 000, VII-A)
  double tolerance = 0.01;  ///< of reach that may be lost, see ClusterContacts; > 0
  double friction = 1;      ///< coefficient of the cones whose reach is kept, and with it that of smaller ones; >= 0
};

struct ClusterReport {
  int merged = 0;          ///< points taken out
  double error = 0;        ///< greatest loss of reach found
  bool within_cap = true;  ///< false: tolerance needed more points than the cap, and has got them
};

/// Places, normals and what is taken off their reach, a row each. Rounded to floats: reach is wanted to 1e-3.
class ReachTable {
 public:
  void Clear() { count_ = 0; }
  void Add(const Vector3& r, const Vector3& n, double penalty);
  /// The greatest reach along d, and who has it.
  struct Farthest {
    double reach;
    int row;
  };
  Farthest Find(const Vector6& d, double friction) const;
  /// The wrench of that row that reaches farthest along d.
  Vector6 CalcWrench(int row, const Vector6& d, double friction) const;

 private:
  static constexpr int kBlock = 32;
  struct Block {
    Eigen::Array<float, kBlock, 1> r[3], n[3], penalty;
  };
  int count_ = 0;
  std::vector<Block> blocks_;  // those beyond count_ are old
};

/// Memory of one thread; nothing in it influences results.
struct ClusterScratch {
  ReachTable all, chosen;
  std::vector<Vector6> directions;  ///< to be tried
  std::vector<char> kept;
  std::vector<int> cells;  ///< a point of each
};

/// Takes points out of a manifold with more than `cap`, such that the others can do nearly all it could. With forces of
/// total normal part 1 at the points, each in its friction cone, the net wrenches (force, and torque about the middle
/// in units of the manifold's radius) fill a convex set; its reach along a unit vector d of wrench space is
///
///     h(d) = max over points of  v.n + mu |v - (v.n) n|,    d = (a, b),  v = a + b x r.
///
/// h falls by no more than `tolerance`. This is made sure of along some hundred directions, along more around those
/// where a point was missing, and for the outermost wrenches of each part. Points that are left keep their features and
/// gaps; the deepest point is among them, and so is, as far as the cap allows, the deepest of each part of the
/// manifold. `merged` of the manifold counts what was taken out. If the cap is too low for the tolerance, more points
/// are kept; all of them if that takes more than three times the cap.
ClusterReport ClusterContacts(const ClusterSettings& settings, ClusterScratch* scratch, ContactManifold* manifold);

}  // namespace tactus
