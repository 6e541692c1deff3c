// Memory for the algorithms of dynamics: one for each thread that works on a model.
//
// All spatial vectors are in world axes about one point per tree, its origin: where the tree's first body is. So
// nothing is transformed on the way along the tree, and no digits are lost far from the world's origin.
#pragma once

#include <vector>

#include "tactus/math/spatial.h"
#include "tactus/model/model.h"

namespace tactus {

struct ModelData {
  explicit ModelData(const Model& model);

  std::vector<Vector3> origin;              ///< of a body's tree, in the world, per body [m]
  std::vector<FrameArrays> frames;          ///< of bodies, relative to their origins
  std::vector<double> angle, sine, cosine;  ///< of Model::angles()
  std::vector<double> S;                    ///< motion subspace, 6 per dof
  std::vector<double> V, A, F;  ///< velocities, accelerations, forces: 6 per body; A and F not of free single bodies
  std::vector<SpatialInertia> inertia;  ///< of bodies, in world axes about their origins
  std::vector<SpatialInertia> composite;
  std::vector<double> M, L;  ///< mass matrix and its factor, with branch sparsity (Model::branch_start)
  // Of forward dynamics.
  std::vector<double> IA, pA, C, U, u, D;
  std::vector<double> work;  ///< nv

  /// Pose of a body, and of a link, in the world.
  Pose BodyPose(int body) const;
  Pose LinkPose(const Model& model, int link) const;
  /// M(i, j), zero where the two dofs are on different branches.
  double mass_entry(const Model& model, int i, int j) const;
  MatrixX DenseMass(const Model& model) const;
};

}  // namespace tactus
