// How deep two convex cores are in each other: the expanding polytope algorithm (van den Bergen 2001).
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "tactus/collision/gjk.h"

namespace tactus {

/// Memory of CalcPenetration, kept from call to call.
struct EpaScratch {
  struct Face {
    std::array<int, 3> vertex;
    std::array<int, 3> neighbour;  ///< across the edge from vertex i to the next
    Vector3 normal;                ///< unit, outwards
    double offset;                 ///< of its plane from the origin; infinite if it has no area
    bool alive;
  };
  struct HorizonEdge {
    int from, to;  ///< vertices, in the order of the face that goes
    int outside;   ///< face that stays
    int slot;      ///< of the edge in that face
  };
  std::vector<MinkowskiVertex> vertices;
  std::vector<Face> faces;
  std::vector<HorizonEdge> horizon;
  std::vector<std::pair<int, int>> stack;  ///< face, slot it was entered by
  std::vector<int> face_from;              ///< by vertex: the new face whose horizon edge starts there
};

struct Penetration {
  Vector3 normal = Vector3::UnitZ();                 ///< unit, from B towards A
  double gap = 0;                                    ///< g(normal) <= 0: moving A by -gap along the normal parts them
  Vector3 a = Vector3::Zero(), b = Vector3::Zero();  ///< points of A and B that then touch, in A's frame
  Simplex feature;                                   ///< of A - B that holds a - b
  double upper_bound = 0;                            ///< on the greatest gap over all normals
  Vector3 hope = Vector3::UnitZ();                   ///< the normal that the upper bound comes from
  int iterations = 0;
};

/// `start`: simplex that holds the origin, also to rounding only. The normal with the greatest (least negative) gap.
/// Each direction tried gives a valid answer, the best of them is returned whatever happens.
Penetration CalcPenetration(MinkowskiDifference* difference, const Simplex& start, EpaScratch* scratch);

}  // namespace tactus
