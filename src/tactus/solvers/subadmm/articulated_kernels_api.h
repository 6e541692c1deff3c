// Sweeps along a tree of joints, compiled once per instruction-set level.
#pragma once

#include "tactus/solvers/subadmm/split_kernels_api.h"

namespace tactus {

/// A tree of `size` dofs. Spatial vectors [linear; angular] take eight numbers, the last two zero; nodes are the world,
/// then the dofs.
struct SplitJoints {
  int size;
  const int* parent;      // nodes
  const double* motion;   // S, a vector a dof
  const double* gain;     // U / D
  const double* inverse;  // 1 / D
  double *force, *twist;  // a vector a node; the world's twist is zero
};

/// Links [begin, end) that are touched, and the nodes that they are.
struct SplitJointLinks {
  const SplitLink* links;
  const int* node;
  int begin, end;
};

struct ArticulatedKernels {
  /// v = H^{-1} (pull + J^T of what pulls at copies), and the velocities of copies; `pull` and v are the tree's.
  void (*solve)(const SplitJoints& joints, const SplitJointLinks& links, const SplitCopies& copies, const double* pull,
                double* v);
  /// Velocities of copies from the dofs'.
  void (*spread)(const SplitJoints& joints, const SplitJointLinks& links, const SplitCopies& copies, const double* v);
};

const ArticulatedKernels& GetArticulatedKernels();

}  // namespace tactus
