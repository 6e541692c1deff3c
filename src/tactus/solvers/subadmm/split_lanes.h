// Lanes of SubADMM's kernels, for split_*kernels.cc.
#pragma once

#include "tactus/math/lanes.h"
#include "tactus/solvers/subadmm/split_kernels_api.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

inline Lanes Gather(const double* p, const int* at) { return Lanes{p[at[0]], p[at[1]], p[at[2]], p[at[3]]}; }
// Three lanes side by side.
inline Lanes3 Load3(const double* p) { return {Load(p), Load(p + 4), Load(p + 8)}; }
inline void Store3(double* p, const Lanes3& v) {
  Store(p, v.x);
  Store(p + 4, v.y);
  Store(p + 8, v.z);
}
// Of four copies.
inline Lanes3 Gather3(const double* p, const int* at) { return {Gather(p, at), Gather(p + 4, at), Gather(p + 8, at)}; }
// Three dofs of four bodies.
inline Lanes3 GatherDofs(const double* p, const int* dof) {
  return {Gather(p, dof), Gather(p + 1, dof), Gather(p + 2, dof)};
}
inline void Scatter3(double* p, const int* at, const Lanes3& v) {
  for (int k = 0; k < 4; ++k) {
    double* to = p + at[k];
    to[0] = v.x[k];
    to[4] = v.y[k];
    to[8] = v.z[k];
  }
}
inline Lanes3 operator+(const Lanes3& a, const Lanes3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Lanes3 operator-(const Lanes3& a, const Lanes3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Lanes3 operator*(Lanes s, const Lanes3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Lanes Max(Lanes a, Lanes b) { return a > b ? a : b; }
inline Lanes Min(Lanes a, Lanes b) { return a < b ? a : b; }

// wrench = sum over copies of [x; r x x].
inline void SumInto(const SplitCopies& copies, int begin, int end, double* wrench) {
  Lanes3 force{}, torque{};
  for (int i = begin; i < end; i += 4) {
    const Lanes3 x = Load3(copies.x + 3 * static_cast<long>(i));
    force = force + x;
    torque = torque + Cross(Load3(copies.r + 3 * static_cast<long>(i)), x);
  }
  Store(wrench, Sum4(force.x, force.y, force.z, torque.x));
  wrench[4] = Sum(torque.y);
  wrench[5] = Sum(torque.z);
}

// x = v + w x r. What fills up vectors must not pull.
inline void Spread(const SplitCopies& copies, int begin, int end, int padded, const double* twist) {
  const Lanes3 v = {Splat(twist[0]), Splat(twist[1]), Splat(twist[2])},
               w = {Splat(twist[3]), Splat(twist[4]), Splat(twist[5])};
  for (int i = begin; i < padded; i += 4)
    Store3(copies.x + 3 * static_cast<long>(i), v + Cross(w, Load3(copies.r + 3 * static_cast<long>(i))));
  for (int i = end; i < padded; ++i) {
    double* x = copies.x + SplitPlace(i);
    x[0] = x[4] = x[8] = 0;
  }
}

}  // namespace

// Of contacts and rows: split_contact_kernels.cc. See SplitKernels.
void ProjectUnits(const SplitUnit* units, int begin, int end, const SplitContacts& contacts, const SplitCopies& copies,
                  double alpha);
void Project(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end, double alpha);
void ProjectRows(const SplitRows& rows, int begin, int end, double alpha, const double* v);
void LoadImpulses(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
void LoadPulls(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
void StoreCopies(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
SplitScore Score(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end, double* work);

}  // namespace tactus::TACTUS_KERNEL_NS
