#include "tactus/dynamics/mass_matrix.h"

#include <algorithm>
#include <cmath>

#include "tactus/dynamics/free_body_kernels_api.h"
#include "tactus/dynamics/spatial_arrays.h"

namespace tactus {

namespace {

// Products of F with the dofs of a floating root, last dof first. The root is where its tree's origin is, so that its
// rotations have no linear part and its translations no angular part.
inline void MultiplyFloatingRoot(const double* S, const double* F, double* out) {
  for (int k = 0; k < 3; ++k) {
    const double *rotation = S + 6 * (5 - k) + 3, *translation = S + 6 * (2 - k);
    out[k] = rotation[0] * F[3] + rotation[1] * F[4] + rotation[2] * F[5];
    out[3 + k] = translation[0] * F[0] + translation[1] * F[1] + translation[2] * F[2];
  }
}

// Rows of M of bodies [begin, end), which are whole trees; data->composite holds their inertias.
void CalcRange(const Model& model, int begin, int end, const double* diagonal, ModelData* data) {
  std::vector<SpatialInertia>& composite = data->composite;
  const double* S = data->S.data();
  for (int b = end - 1; b >= begin; --b) {
    const ModelBody& body = model.body(b);
    const bool floating = body.parent >= 0 && model.body(body.root).kind->type == JointType::Floating;
    for (int d = body.v; d < body.v + body.nv; ++d) {
      double F[6];
      spatial::Multiply(composite[b], S + 6 * static_cast<std::size_t>(d), F);
      double* row = data->M.data() + model.branch_start(d);
      const int length = model.branch_length(d) - (floating ? 6 : 0);
      for (int t = 0, e = d; t < length; ++t, e = model.dof_parent(e)) {
        row[t] = spatial::Dot(S + 6 * static_cast<std::size_t>(e), F);
      }
      if (floating) MultiplyFloatingRoot(S + 6 * static_cast<std::size_t>(model.body(body.root).v), F, row + length);
      row[0] += diagonal[d];
    }
    if (body.parent >= 0) composite[body.parent] += composite[b];
  }
}

// Rows of L for the dofs of bodies [begin, end).
bool FactorizeRange(const Model& model, int begin, int end, ModelData* data) {
  if (begin == end) return true;
  const int first = model.body(begin).v, last = model.body(end - 1).v + model.body(end - 1).nv;
  std::copy(data->M.begin() + model.branch_start(first), data->M.begin() + model.branch_start(last),
            data->L.begin() + model.branch_start(first));
  double* L = data->L.data();
  for (int k = last - 1; k >= first; --k) {
    double* row = L + model.branch_start(k);
    const int length = model.branch_length(k);
    if (!(row[0] > 0) || !std::isfinite(row[0])) return false;
    // Rows of ancestors are the tails of this row. They wait for a division only, not for the root.
    const double inverse = 1 / row[0];
    for (int t = 1, i = model.dof_parent(k); t < length; ++t, i = model.dof_parent(i)) {
      double* __restrict other = L + model.branch_start(i);
      const double* __restrict tail = row + t;
      const double l = inverse * row[t];
      for (int s = 0; s < length - t; ++s) other[s] -= l * tail[s];
    }
    const double scale = std::sqrt(inverse);
    row[0] *= scale;
    for (int t = 1; t < length; ++t) row[t] *= scale;
  }
  return true;
}

}  // namespace

void CalcMassMatrixOf(const Model& model, std::span<const SpatialInertia> inertia, const ConstVectorRef& diagonal,
                      ModelData* data) {
  std::copy(inertia.begin(), inertia.end(), data->composite.begin());
  CalcRange(model, 0, model.num_bodies(), diagonal.data(), data);
}

void CalcMassMatrix(const Model& model, ModelData* data) {
  if (!model.free_batches().empty()) {
    GetFreeBodyKernels().mass_matrix(model.free_batches().data(), static_cast<int>(model.free_batches().size()),
                                     data->frames.data()->R, data->M.data());
  }
  for (const auto& [begin, end] : model.tree_ranges()) {
    std::copy(data->inertia.begin() + begin, data->inertia.begin() + end, data->composite.begin() + begin);
    CalcRange(model, begin, end, model.armature().data(), data);
  }
}

bool FactorizeMassMatrix(const Model& model, ModelData* data) {
  if (!model.free_batches().empty() &&
      !GetFreeBodyKernels().factorize(model.free_batches().data(), static_cast<int>(model.free_batches().size()),
                                      data->M.data(), data->L.data())) {
    return false;
  }
  for (const auto& [begin, end] : model.tree_ranges()) {
    if (!FactorizeRange(model, begin, end, data)) return false;
  }
  return true;
}

void SolveMassMatrix(const Model& model, const ModelData& data, double* x) {
  const double* L = data.L.data();
  for (int k = model.nv() - 1; k >= 0; --k) {
    const double* row = L + model.branch_start(k);
    x[k] /= row[0];
    for (int t = 1, i = model.dof_parent(k); i >= 0; ++t, i = model.dof_parent(i)) x[i] -= row[t] * x[k];
  }
  for (int k = 0; k < model.nv(); ++k) {
    const double* row = L + model.branch_start(k);
    double sum = x[k];
    for (int t = 1, i = model.dof_parent(k); i >= 0; ++t, i = model.dof_parent(i)) sum -= row[t] * x[i];
    x[k] = sum / row[0];
  }
}

void MultiplyMassMatrix(const Model& model, const ModelData& data, const ConstVectorRef& x, VectorX* y) {
  y->setZero(model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    const double* row = data.M.data() + model.branch_start(k);
    double sum = row[0] * x[k];
    for (int t = 1, i = model.dof_parent(k); i >= 0; ++t, i = model.dof_parent(i)) {
      sum += row[t] * x[i];
      (*y)[i] += row[t] * x[k];
    }
    (*y)[k] += sum;
  }
}

}  // namespace tactus
