#include "tactus/dynamics/model_data.h"

namespace tactus {

ModelData::ModelData(const Model& model) {
  const std::size_t bodies = model.num_bodies(), dofs = model.nv();
  origin.assign(bodies, Vector3::Zero());
  frames.resize(bodies);
  angle.assign(model.angles().size(), 0.0);
  sine = cosine = angle;
  S.assign(6 * dofs, 0.0);
  for (const FreeBodyBatch& batch : model.free_batches()) {
    for (const int v : batch.v) {
      for (int k = 0; k < 3; ++k) S[6 * (static_cast<std::size_t>(v) + k) + k] = 1;
    }
  }
  V.assign(6 * bodies, 0.0);
  A.assign(6 * bodies, 0.0);
  F.assign(6 * bodies, 0.0);
  inertia.resize(bodies);
  composite.resize(bodies);
  M.assign(model.branch_size(), 0.0);
  L.assign(model.branch_size(), 0.0);
  IA.assign(36 * bodies, 0.0);
  pA.assign(6 * bodies, 0.0);
  C.assign(6 * bodies, 0.0);
  U.assign(6 * dofs, 0.0);
  u.assign(dofs, 0.0);
  D.assign(dofs, 0.0);
  work.assign(dofs, 0.0);
}

Pose ModelData::BodyPose(int body) const {
  if (body < 0) return {};
  Pose X;
  X.R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(frames[body].R);
  X.p = Vector3::Map(frames[body].p) + origin[body];
  return X;
}

Pose ModelData::LinkPose(const Model& model, int link) const {
  const ModelLink& l = model.links()[link];
  return BodyPose(l.body) * l.X_BL;
}

double ModelData::mass_entry(const Model& model, int i, int j) const {
  if (i < j) std::swap(i, j);
  int place = model.branch_start(i);
  for (int d = i; d >= j; d = model.dof_parent(d), ++place) {
    if (d == j) return M[place];
  }
  return 0;
}

MatrixX ModelData::DenseMass(const Model& model) const {
  MatrixX out = MatrixX::Zero(model.nv(), model.nv());
  for (int i = 0; i < model.nv(); ++i) {
    int place = model.branch_start(i);
    for (int d = i; d >= 0; d = model.dof_parent(d)) out(i, d) = out(d, i) = M[place++];
  }
  return out;
}

}  // namespace tactus
