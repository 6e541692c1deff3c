// How a tree moves and what it weighs: what its block of A is made of, for solvers that go along the tree instead of
// factorizing A.
#pragma once

#include <vector>

#include "tactus/core/types.h"
#include "tactus/math/spatial.h"

namespace tactus {

/// With J_d the motion vectors of dof d and of its ancestors, columns of zeros elsewhere,
///     A = sum_d J_d^T I_d J_d + diag(diagonal).
/// Spatial vectors are [linear; angular] in world axes, all about one point.
struct TreeMechanism {
  Vector3 origin = Vector3::Zero();     ///< that point, p_WO [m]
  std::vector<double> motion;           ///< 6 a dof: the twist of what it moves at speed 1
  std::vector<SpatialInertia> inertia;  ///< a dof: of the body that it moves, zero within a joint of several dofs
  std::vector<double> diagonal;         ///< a dof: armature, damping, stiffness, scaled as A is

  int size() const { return static_cast<int>(diagonal.size()); }
  Eigen::Map<const Vector6> motion_of(int dof) const {
    return Eigen::Map<const Vector6>(motion.data() + 6 * static_cast<std::size_t>(dof));
  }
  void Resize(int dofs);
};

/// The A that it makes, by the composite-rigid-body algorithm.
MatrixX CalcTreeMatrix(const TreeMechanism& mechanism, const std::vector<int>& parent);

/// Throws InputError, naming the subsystem, unless this is what A is made of, up to rounding. `composite` is scratch.
void CheckMechanism(const TreeMechanism& mechanism, const Eigen::Ref<const MatrixX>& A, const std::vector<int>& parent,
                    int subsystem, std::vector<SpatialInertia>* composite);

}  // namespace tactus
