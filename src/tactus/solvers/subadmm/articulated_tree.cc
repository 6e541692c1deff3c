#include "tactus/solvers/subadmm/articulated_tree.h"

#include <algorithm>
#include <cmath>

#include "tactus/core/simd.h"

namespace tactus {

namespace baseline {
extern const ArticulatedKernels kArticulatedKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const ArticulatedKernels kArticulatedKernels;
}
#endif

const ArticulatedKernels& GetArticulatedKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kArticulatedKernels;
#endif
  return baseline::kArticulatedKernels;
}

bool ArticulatedTree::Reset(const TreeMechanism& mechanism, const std::vector<int>& parent) {
  mechanism_ = &mechanism;
  const std::size_t n = parent.size();
  node_parent_.resize(n);
  motion_.assign(8 * n, 0.0);
  for (std::size_t d = 0; d < n; ++d) {
    node_parent_[d] = parent[d] + 1;
    std::copy_n(mechanism.motion.begin() + static_cast<std::ptrdiff_t>(6 * d), 6,
                motion_.begin() + static_cast<std::ptrdiff_t>(8 * d));
  }
  force_.assign(8 * (n + 1), 0.0);
  twist_.assign(8 * (n + 1), 0.0);
  inertia_.resize(n);
  StartPenalties();
  return Factorize(&mass_);
}

void ArticulatedTree::ResetLinks(int first) {
  first_link_ = first;
  link_node_.clear();
}

void ArticulatedTree::StartPenalties() {
  diagonal_.assign(mechanism_->diagonal.begin(), mechanism_->diagonal.end());
  for (std::size_t d = 0; d < inertia_.size(); ++d) inertia_[d] = mechanism_->inertia[d].matrix();
}

void ArticulatedTree::AddPoints(int dof, const double* sums) {
  // sum beta r r^T is xx, xy, xz, yy, yz, zz: the rotational inertia is its trace less it.
  SpatialInertia I;
  I.m = sums[0];
  std::copy_n(sums + 1, 3, I.h);
  const double *s = sums + 4, entries[6] = {s[3] + s[5], s[0] + s[5], s[0] + s[3], -s[1], -s[2], -s[4]};
  std::copy_n(entries, 6, I.I);
  inertia_[dof] += I.matrix();
}

// Inertias are lost.
bool ArticulatedTree::Factorize(Factor* factor) {
  const int n = mechanism_->size();
  factor->gain.assign(8 * static_cast<std::size_t>(n), 0.0);
  factor->inverse.resize(n);
  for (int d = n - 1; d >= 0; --d) {
    const Vector6 S = mechanism_->motion_of(d), U = inertia_[d] * S;
    const double D = S.dot(U) + diagonal_[d];
    if (!(D > 0) || !std::isfinite(D)) return false;
    factor->inverse[d] = 1 / D;
    Eigen::Map<Vector6> gain(factor->gain.data() + 8 * static_cast<std::size_t>(d));
    gain = U / D;
    if (node_parent_[d] == 0) continue;
    Matrix6& on = inertia_[node_parent_[d] - 1];
    on += inertia_[d];
    on.noalias() -= U * gain.transpose();
  }
  return true;
}

// What moves under a wrench: the parent's compliance seen through the free joint, and the joint itself.
void ArticulatedTree::CalcCompliances() {
  const int n = mechanism_->size();
  compliance_.resize(static_cast<std::size_t>(n) + 1);
  inverse_diagonal_.resize(n);
  compliance_[0].setZero();
  for (int d = 0; d < n; ++d) {
    const Vector6 S = mechanism_->motion_of(d);
    const Eigen::Map<const Vector6> gain(mass_.gain.data() + 8 * static_cast<std::size_t>(d));
    const Matrix6& C = compliance_[node_parent_[d]];
    const Vector6 moved = C * gain;
    inverse_diagonal_[d] = mass_.inverse[d] + gain.dot(moved);
    // (1 - S gain^T) C (1 - gain S^T) + S S^T / D.
    Matrix6& out = compliance_[static_cast<std::size_t>(d) + 1];
    out = C;
    out.noalias() -= S * moved.transpose();
    out.noalias() -= moved * S.transpose();
    out.noalias() += (inverse_diagonal_[d] * S) * S.transpose();
  }
}

double ArticulatedTree::CalcQuadratic(const int* dofs, const double* values, int count, int first_dof) {
  x_.setZero(mechanism_->size());
  y_.resize(mechanism_->size());
  for (int k = 0; k < count; ++k) x_[dofs[k] - first_dof] += values[k];
  kernels_->solve(Joints(mass_), {nullptr, nullptr, 0, 0}, {nullptr, nullptr}, x_.data(), y_.data());
  return x_.dot(y_);
}

}  // namespace tactus
