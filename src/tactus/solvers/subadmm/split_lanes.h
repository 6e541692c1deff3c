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

}  // namespace

// Of contacts and rows: split_contact_kernels.cc. See SplitKernels.
void ProjectUnits(const SplitUnit* units, int begin, int end, const SplitContacts& contacts, const SplitCopies& copies,
                  double alpha);
void Project(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end, double alpha);
void ProjectRows(const SplitRows& rows, int begin, int end, double alpha, const double* v);
void LoadImpulses(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
void LoadPulls(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
void StoreCopies(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);
SplitScore Score(const SplitContacts& contacts, const SplitCopies& copies, int begin, int end);

}  // namespace tactus::TACTUS_KERNEL_NS
