#include "tactus/solvers/subadmm/articulated_kernels_api.h"
#include "tactus/solvers/subadmm/split_lanes.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

struct Spatial {
  Lanes low, high;
};
inline Spatial LoadSpatial(const double* p) { return {Load(p), Load(p + 4)}; }
inline void StoreSpatial(double* p, const Spatial& a) {
  Store(p, a.low);
  Store(p + 4, a.high);
}
inline Spatial operator+(const Spatial& a, const Spatial& b) { return {a.low + b.low, a.high + b.high}; }
inline Spatial operator-(const Spatial& a, const Spatial& b) { return {a.low - b.low, a.high - b.high}; }
inline Spatial operator*(double s, const Spatial& a) { return {Splat(s) * a.low, Splat(s) * a.high}; }
inline double Dot(const Spatial& a, const Spatial& b) { return Sum(a.low * b.low + a.high * b.high); }

inline void CollectForces(const SplitJoints& t, const SplitJointLinks& l, const SplitCopies& copies) {
  const Lanes zero = {};
  for (int k = 0; k < 2 * (t.size + 1); ++k) Store(t.force + 4 * k, zero);
  for (int k = l.begin; k < l.end; ++k) {
    double wrench[8] = {}, *force = t.force + 8 * l.node[k];
    SumInto(copies, l.links[k].begin, l.links[k].padded, wrench);
    StoreSpatial(force, LoadSpatial(force) + LoadSpatial(wrench));
  }
}

inline void SpreadTwists(const SplitJoints& t, const SplitJointLinks& l, const SplitCopies& copies) {
  for (int k = l.begin; k < l.end; ++k) {
    Spread(copies, l.links[k].begin, l.links[k].end, l.links[k].padded, t.twist + 8 * l.node[k]);
  }
}

}  // namespace

// Featherstone, Rigid Body Dynamics Algorithms, table 7.1, with forces of the other sign and velocities in place of
// accelerations. What goes on to the next dof stays in registers where that is the parent, as it is in limbs.
void Solve(const SplitJoints& t, const SplitJointLinks& links, const SplitCopies& copies, const double* pull,
           double* v) {
  CollectForces(t, links, copies);
  const Spatial zero = {};
  Spatial carry = zero;
  for (int d = t.size - 1; d >= 0; --d) {
    const Spatial F = LoadSpatial(t.force + 8 * (d + 1)) + carry;
    const double u = pull[d] + Dot(LoadSpatial(t.motion + 8 * d), F);
    v[d] = u * t.inverse[d];
    carry = F - u * LoadSpatial(t.gain + 8 * d);
    if (t.parent[d] == d) continue;
    double* to = t.force + 8 * t.parent[d];
    StoreSpatial(to, LoadSpatial(to) + carry);
    carry = zero;
  }
  Spatial V = zero;
  for (int d = 0; d < t.size; ++d) {
    if (t.parent[d] != d) V = LoadSpatial(t.twist + 8 * t.parent[d]);
    v[d] -= Dot(LoadSpatial(t.gain + 8 * d), V);
    V = V + v[d] * LoadSpatial(t.motion + 8 * d);
    StoreSpatial(t.twist + 8 * (d + 1), V);
  }
  SpreadTwists(t, links, copies);
}

void SpreadJoints(const SplitJoints& t, const SplitJointLinks& links, const SplitCopies& copies, const double* v) {
  for (int d = 0; d < t.size; ++d) {
    StoreSpatial(t.twist + 8 * (d + 1), LoadSpatial(t.twist + 8 * t.parent[d]) + v[d] * LoadSpatial(t.motion + 8 * d));
  }
  SpreadTwists(t, links, copies);
}

extern const ArticulatedKernels kArticulatedKernels;
const ArticulatedKernels kArticulatedKernels = {Solve, SpreadJoints};

}  // namespace tactus::TACTUS_KERNEL_NS
