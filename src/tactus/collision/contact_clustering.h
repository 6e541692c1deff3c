// Fewer points for dense manifolds.
#pragma once

#include <vector>

#include "tactus/collision/contact_point.h"
#include "tactus/collision/wrench_hull.h"

namespace tactus {

struct ClusterSettings {
  int cap = 120;            ///< manifolds with no more points are left alone (paper 000, VII-A)
  double tolerance = 0.01;  ///< of reach that may be lost, see ClusterContacts; > 0
  double friction = 1;      ///< greatest coefficient for which reach is kept, with all smaller ones; >= 0
};

struct ClusterReport {
  int merged = 0;          ///< points taken out
  double error = 0;        ///< bound of the loss of reach, over all directions and coefficients
  bool within_cap = true;  ///< false: tolerance needed more points than the cap, and has got them
};

/// Memory of one thread; nothing in it influences results.
struct ClusterScratch {
  std::vector<int> chosen, order;  ///< points; the next two are of those in `order`
  std::vector<ContactWrench> wrenches;
  WrenchTable part;
  WrenchHull hull;  ///< of `chosen`
  std::vector<char> kept;
  std::vector<WrenchHull::Combination> starts;
  std::vector<int> start_fine, start_coarse;  ///< of each part of space, in `starts`
};

/// Takes points out of a manifold with more than `cap`, such that the others can do nearly all it could. With forces of
/// total normal part 1 at the points, each in its friction cone, the net wrenches (force, and torque about the middle
/// in units of the manifold's radius) fill a convex set; its reach along a unit vector d of wrench space is
///
///     h(d) = max over points of  v.n + mu |v - (v.n) n|,    d = (a, b),  v = a + b x r.
///
/// h falls by no more than `tolerance` along any d, for any mu from 0 to `friction`. For each point that is taken out,
/// weights of points that are left were found with which these do each of its wrenches but for a rest no longer than
/// the tolerance (ContactWrench says why one set of weights answers for all of them); so
/// d.w <= (d. what they do) + |rest| <= h(d) of those left + tolerance. Where there are no such weights, the point
/// farthest out there is chosen.
///
/// Points that are left keep their features and gaps; the deepest point is among them, and so is, as far as the cap
/// allows, the deepest of each part of the manifold. `merged` of the manifold counts what was taken out. If the cap is
/// too low for the tolerance, more points are kept; all of them as soon as, beyond twice the cap, it turns out to be
/// more than half of those looked at.
ClusterReport ClusterContacts(const ClusterSettings& settings, ClusterScratch* scratch, ContactManifold* manifold);

}  // namespace tactus
