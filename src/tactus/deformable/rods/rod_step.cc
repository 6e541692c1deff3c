// One step of a Rod as A v_hat = b.
#include <algorithm>

#include "tactus/deformable/rods/rod.h"

namespace tactus {

double Rod::StiffnessScale(const DeformableScheme& scheme) const {
  return (1 - scheme.theta) * scheme.step * scheme.step + scheme.step * settings_.stiffness_damping;
}

Matrix6 Rod::MassOf(const RodData& data, int segment) const {
  Matrix6 M = Matrix6::Zero();
  M.topLeftCorner<3, 3>().diagonal().setConstant(segment_mass_);
  M.bottomRightCorner<3, 3>() = data.inertia[static_cast<std::size_t>(segment)];
  return M;
}

void Rod::FillMatrix(const DeformableScheme& scheme, const RodData& data, SparseMatrix* A) const {
  const double mass = 1 / (1 - scheme.theta) + scheme.step * settings_.mass_damping;
  const double stiffness = StiffnessScale(scheme), implicit = (1 - scheme.theta) * scheme.step * scheme.step;
  const int* start = A->outerIndexPtr();
  double* values = A->valuePtr();
  const auto block_of = [&](std::size_t joint, int row, int column) -> Matrix6 {
    Matrix6 K = stiffness * data.K[joint].block<6, 6>(row, column);
    if (!data.extra.empty()) K += implicit * data.extra[joint].block<6, 6>(row, column);
    return K;
  };
  for (int i = 0; i < num_segments(); ++i) {
    if (first_dof(i) < 0) continue;
    int column = 0;  // within the rows of this segment
    for (int j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= num_segments() || first_dof(j) < 0) continue;
      const auto k = static_cast<std::size_t>(i);
      Matrix6 block;
      if (j < i) {
        block = block_of(k - 1, 6, 0);
      } else if (j > i) {
        block = block_of(k, 0, 6);
      } else {
        block = mass * MassOf(data, i);
        if (i > 0) block += block_of(k - 1, 6, 6);
        if (i + 1 < num_segments()) block += block_of(k, 0, 0);
      }
      for (int r = 0; r < 6; ++r) {
        for (int c = 0; c < 6; ++c) values[start[first_dof(i) + r] + column + c] = block(r, c);
      }
      column += 6;
    }
  }
}

// Row of a segment, free or held: what A has between it and held ones is not in it.
Vector6 Rod::RightSide(const DeformableScheme& scheme, const DeformableInput& input, const RodData& data,
                       int segment) const {
  const double h = scheme.step, implicit = (1 - scheme.theta) * h * h;
  const Vector6 v = VelocityOf(input, *input.v, segment);
  const Matrix3& inertia = data.inertia[static_cast<std::size_t>(segment)];
  const Vector3 w = v.tail<3>();
  Vector6 force = Vector6::Zero();
  force.head<3>() = segment_mass_ * input.gravity;
  force.tail<3>() = -w.cross(inertia * w);
  if (input.external && first_dof(segment) >= 0) force += input.external->segment<6>(first_dof(segment));
  Vector6 right = MassOf(data, segment) * v / (1 - scheme.theta);
  for (int side = 0; side < 2; ++side) {
    const int joint = segment - 1 + side, row = side == 0 ? 6 : 0;
    if (joint < 0 || joint + 1 >= num_segments()) continue;
    const auto k = static_cast<std::size_t>(joint);
    force += data.forces[k].segment<6>(row);
    if (!input.v_hat) continue;
    Vector12 u;
    u << VelocityOf(input, *input.v_hat, joint), VelocityOf(input, *input.v_hat, joint + 1);
    right += implicit * (data.K[k].middleRows<6>(row) * u);
    if (!data.extra.empty()) right += implicit * (data.extra[k].middleRows<6>(row) * u);
  }
  return right + h * force;
}

bool Rod::Assemble(const DeformableScheme& scheme, const DeformableInput& input, ThreadPool* /*pool*/,
                   DeformableData* data, SparseMatrix* A, VectorX* b) const {
  CheckSizes(input, *A);
  auto* scratch = static_cast<RodData*>(data);
  scratch->q = *input.q;
  if (input.v_hat) Integrate(*input.v_hat, input.held_velocity, (1 - scheme.theta) * scheme.step, &scratch->q);
  CalcJoints(true, scratch);
  FillMatrix(scheme, *scratch, A);
  b->resize(nv());
  const double stiffness = StiffnessScale(scheme), implicit = (1 - scheme.theta) * scheme.step * scheme.step;
  for (int i = 0; i < num_segments(); ++i) {
    if (first_dof(i) < 0) continue;
    Vector6 right = RightSide(scheme, input, *scratch, i);
    // What A has between this segment and held neighbours.
    for (int side = 0; side < 2; ++side) {
      const int other = side == 0 ? i - 1 : i + 1;
      if (other < 0 || other >= num_segments() || first_dof(other) >= 0) continue;
      const auto k = static_cast<std::size_t>(std::min(i, other));
      const int row = side == 0 ? 6 : 0, column = 6 - row;
      const Vector6 v = VelocityOf(input, *input.v, other);
      right -= stiffness * (scratch->K[k].block<6, 6>(row, column) * v);
      if (!scratch->extra.empty()) right -= implicit * (scratch->extra[k].block<6, 6>(row, column) * v);
    }
    b->segment<6>(first_dof(i)) = right;
  }
  return b->allFinite() && Eigen::Map<const VectorX>(A->valuePtr(), A->nonZeros()).allFinite();
}

void Rod::CalcHeldForces(const DeformableScheme& scheme, const DeformableInput& input, const VectorX& v_hat,
                         DeformableData* data, VectorX* force) const {
  const auto* scratch = static_cast<const RodData*>(data);
  const double stiffness = StiffnessScale(scheme), implicit = (1 - scheme.theta) * scheme.step * scheme.step;
  const double mass = 1 / (1 - scheme.theta) + scheme.step * settings_.mass_damping;
  force->resize(num_held_dofs());
  for (int i = 0; i < num_segments(); ++i) {
    if (first_held_dof(i) < 0) continue;
    Vector6 left = mass * MassOf(*scratch, i) * VelocityOf(input, v_hat, i);
    for (int joint = i - 1; joint <= i; ++joint) {
      if (joint < 0 || joint + 1 >= num_segments()) continue;
      const auto k = static_cast<std::size_t>(joint);
      const int row = joint == i ? 0 : 6;
      Vector12 u;
      u << VelocityOf(input, v_hat, joint), VelocityOf(input, v_hat, joint + 1);
      left += stiffness * (scratch->K[k].middleRows<6>(row) * u);
      if (!scratch->extra.empty()) left += implicit * (scratch->extra[k].middleRows<6>(row) * u);
    }
    force->segment<6>(first_held_dof(i)) = (left - RightSide(scheme, input, *scratch, i)) / scheme.step;
  }
}

}  // namespace tactus
