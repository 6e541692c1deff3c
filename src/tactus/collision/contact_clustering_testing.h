// Dense manifolds of many kinds, and what is lost when some of their points are taken out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/collision/contact_point.h"
#include "tactus/core/random.h"

namespace tactus {

struct NamedManifold {
  std::string name;
  ContactManifold manifold;
};

/// Made by hand: patches (smooth, rough, in twos), rings, half cylinders, lines, caps, saddles; two of each kind.
std::vector<NamedManifold> MakeManifolds(std::uint64_t seed);
/// Found by CollideShapes: bowls in bowls at poses that are a little off, nuts M12 to M64 on one flank and on both.
std::vector<NamedManifold> MakeFieldManifolds(std::uint64_t seed);

ContactManifold MakePatch(int count, bool disc, Random* random);
/// Cones of tilt 0.6, scattered by 0.02.
ContactManifold MakeRing(int count, Random* random);
/// Of a nut with clearance 0.2 mm that was lowered by `drop` on its bolt, both made to M48's measure, then scaled.
ContactManifold MakeThreadContacts(double diameter, double pitch, double drop, double margin);
ContactManifold MakeRandomContacts(int count, Random* random);

/// The greatest fall of reach (see ClusterContacts) from `all` to `some`: along random unit vectors of wrench space and
/// along those found by ascent from the worst of them. From the definition.
double CalcWorstLoss(const ContactManifold& all, const ContactManifold& some, double friction, int directions,
                     std::uint64_t seed);

}  // namespace tactus
