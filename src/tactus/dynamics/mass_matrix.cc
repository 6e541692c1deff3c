#include "tactus/dynamics/mass_matrix.h"

#include <cmath>

#include "tactus/dynamics/spatial_arrays.h"

namespace tactus {

void CalcMassMatrixOf(const Model& model, std::span<const SpatialInertia> inertia, const ConstVectorRef& diagonal,
                      ModelData* data) {
  std::vector<SpatialInertia>& composite = data->composite;
  std::copy(inertia.begin(), inertia.end(), composite.begin());
  for (int b = model.num_bodies() - 1; b >= 0; --b) {
    const ModelBody& body = model.body(b);
    for (int k = 0; k < body.nv; ++k) {
      const int d = body.v + k;
      double F[6];
      spatial::Multiply(composite[b], data->S.data() + 6 * d, F);
      double* row = data->M.data() + model.branch_start(d);
      const int length = model.branch_length(d);
      for (int t = 0, e = d; t < length; ++t, e = model.dof_parent(e)) row[t] = spatial::Dot(data->S.data() + 6 * e, F);
      row[0] += diagonal[d];
    }
    if (body.parent >= 0) composite[body.parent] += composite[b];
  }
}

void CalcMassMatrix(const Model& model, ModelData* data) {
  CalcMassMatrixOf(model, data->inertia, model.armature(), data);
}

bool FactorizeMassMatrix(const Model& model, ModelData* data) {
  std::copy(data->M.begin(), data->M.end(), data->L.begin());
  double* L = data->L.data();
  for (int k = model.nv() - 1; k >= 0; --k) {
    double* row = L + model.branch_start(k);
    const int length = model.branch_length(k);
    if (!(row[0] > 0) || !std::isfinite(row[0])) return false;
    const double diagonal = std::sqrt(row[0]), inverse = 1 / diagonal;
    row[0] = diagonal;
    for (int t = 1; t < length; ++t) row[t] *= inverse;
    // Rows of ancestors are the tails of this row.
    for (int t = 1, i = model.dof_parent(k); t < length; ++t, i = model.dof_parent(i)) {
      double* other = L + model.branch_start(i);
      const double l = row[t];
      for (int s = t; s < length; ++s) other[s - t] -= l * row[s];
    }
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
