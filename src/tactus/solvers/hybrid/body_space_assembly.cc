// Twists of the bodies that touch, and what contacts and rows add to forces and to H.
#include <algorithm>

#include "tactus/solvers/hybrid/body_space_detail.h"
#include "tactus/solvers/hybrid/body_space_engine.h"

namespace tactus {

using body_space_detail::AddBlock;
using body_space_detail::Cross;

LinkJacobian BodySpaceEngine::JacobianOf(const Body& body) const {
  if (body.free()) return {};
  return {jacobians_.data() + body.jacobian, body.stride, runs_.data() + body.run_begin, runs_.data() + body.run_end};
}

void BodySpaceEngine::CalcTwists(const double* v) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    const double* x = v + body.dof;
    double* twist = twists_.data() + 6 * b;
    if (body.free()) {
      std::copy(x, x + 6, twist);
    } else {
      link_kernels_->twist(JacobianOf(body), x, twist);
    }
  }
}

void BodySpaceEngine::PairTwist(const Pair& pair, double* twist) const {
  const double* a = twists_.data() + 6 * static_cast<std::size_t>(pair.a);
  for (int k = 0; k < 6; ++k) twist[k] = a[k];
  if (pair.b < 0) return;
  const double* b = twists_.data() + 6 * static_cast<std::size_t>(pair.b);
  double shift[3];
  Cross(b + 3, pair.d, shift);
  for (int k = 0; k < 3; ++k) {
    twist[k] -= b[k] + shift[k];
    twist[3 + k] -= b[3 + k];
  }
}

void BodySpaceEngine::AddPairWrench(const Pair& pair, const double* wrench) {
  double* a = wrenches_.data() + 6 * static_cast<std::size_t>(pair.a);
  for (int k = 0; k < 6; ++k) a[k] += wrench[k];
  if (pair.b < 0) return;
  double* b = wrenches_.data() + 6 * static_cast<std::size_t>(pair.b);
  double moment[3];
  Cross(pair.d, wrench, moment);
  for (int k = 0; k < 3; ++k) {
    b[k] -= wrench[k];
    b[3 + k] -= wrench[3 + k] + moment[k];
  }
}

void BodySpaceEngine::CollectForce() {
  std::fill(force_.begin(), force_.end(), 0.0);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    const double* wrench = wrenches_.data() + 6 * b;
    double* f = force_.data() + body.dof;
    if (body.free()) {
      for (int k = 0; k < 6; ++k) f[k] += wrench[k];
      continue;
    }
    link_kernels_->add_force(JacobianOf(body), wrench, f);
  }
}

void BodySpaceEngine::AddCongruence(int entry, const Body& a, const double* K, const Body& b) {
  link_kernels_->add_congruence(JacobianOf(a), K, JacobianOf(b), lu_.entry(entry), lu_.entry_stride(entry));
}

void BodySpaceEngine::AddPairBlock(const Pair& pair, const double* K) {
  const Body& a = bodies_[pair.a];
  if (pair.b < 0) {
    if (a.free()) {
      AddBlock(K, 6, lu_.entry(pair.aa), lu_.entry_stride(pair.aa));
    } else {
      AddBlock(K, 6, link_blocks_.data() + 36 * static_cast<std::size_t>(pair.a), 6);
    }
    return;
  }
  const Body& b = bodies_[pair.b];
  if (a.free() && b.free()) {
    double* const out[4] = {lu_.entry(pair.aa), lu_.entry(pair.ab), lu_.entry(pair.ba), lu_.entry(pair.bb)};
    const int stride[4] = {lu_.entry_stride(pair.aa), lu_.entry_stride(pair.ab), lu_.entry_stride(pair.ba),
                           lu_.entry_stride(pair.bb)};
    kernels_->add_blocks(K, pair.d, out, stride);
    return;
  }
  // Diagonal blocks of links are summed up first.
  double ab[36] = {}, ba[36] = {};
  double* const out[4] = {a.free() ? lu_.entry(pair.aa) : link_blocks_.data() + 36 * static_cast<std::size_t>(pair.a),
                          ab, ba,
                          b.free() ? lu_.entry(pair.bb) : link_blocks_.data() + 36 * static_cast<std::size_t>(pair.b)};
  const int stride[4] = {a.free() ? lu_.entry_stride(pair.aa) : 6, 6, 6, b.free() ? lu_.entry_stride(pair.bb) : 6};
  kernels_->add_blocks(K, pair.d, out, stride);
  AddCongruence(pair.ab, a, ab, b);
  AddCongruence(pair.ba, b, ba, a);
}

void BodySpaceEngine::AddRowBlock(const Row& row, double weight) {
  const auto add = [&](int entry, int i_begin, int i_end, int subsystem_i, int j_begin, int j_end, int subsystem_j) {
    double* out = lu_.entry(entry);
    const int stride = lu_.entry_stride(entry), first_i = blocks_[subsystem_i].dof, first_j = blocks_[subsystem_j].dof;
    for (int i = i_begin; i < i_end; ++i) {
      const double w = weight * row_values_[i];
      for (int j = j_begin; j < j_end; ++j)
        out[(row_dofs_[i] - first_i) * stride + row_dofs_[j] - first_j] += w * row_values_[j];
    }
  };
  add(row.aa, row.begin, row.middle, row.sa, row.begin, row.middle, row.sa);
  if (row.sb < 0) return;
  add(row.ab, row.begin, row.middle, row.sa, row.middle, row.end, row.sb);
  add(row.ba, row.middle, row.end, row.sb, row.begin, row.middle, row.sa);
  add(row.bb, row.middle, row.end, row.sb, row.middle, row.end, row.sb);
}

double BodySpaceEngine::RowVelocity(const Row& row, const double* v) const {
  double y = 0;
  for (int k = row.begin; k < row.end; ++k) y += row_values_[k] * v[row_dofs_[k]];
  return y;
}

void BodySpaceEngine::AddRowForce(const Row& row) {
  for (int k = row.begin; k < row.end; ++k) force_[row_dofs_[k]] += row_values_[k] * row.lambda;
}

}  // namespace tactus
