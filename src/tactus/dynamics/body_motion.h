// The step along the tree that all algorithms begin with.
#pragma once

#include "tactus/dynamics/model_data.h"

namespace tactus {

/// Frame and motion subspace of body b; those of its parent are known.
inline void PlaceBody(const Model& model, int b, const double* q, ModelData* data) {
  const ModelBody& body = model.body(b);
  FrameArrays before;
  const double* T = body.X_PJ.R.data();  // column major
  const double* t = body.X_PJ.p.data();
  double* S = data->S.data() + 6 * static_cast<std::size_t>(body.v);
  if (body.parent >= 0) {
    const FrameArrays& parent = data->frames[body.parent];
    for (int i = 0; i < 3; ++i) {
      const double* r = parent.R + 3 * i;
      for (int j = 0; j < 3; ++j) before.R[3 * i + j] = r[0] * T[3 * j] + r[1] * T[3 * j + 1] + r[2] * T[3 * j + 2];
      before.p[i] = parent.p[i] + r[0] * t[0] + r[1] * t[1] + r[2] * t[2];
    }
    data->origin[b] = data->origin[body.parent];
    body.kind->calc_motion(q + body.q, before, &data->frames[b], S);
    return;
  }
  // A root: its origin is where the joint takes it.
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) before.R[3 * i + j] = T[3 * j + i];
    before.p[i] = t[i];
  }
  body.kind->calc_motion(q + body.q, before, &data->frames[b], S);
  Vector3& origin = data->origin[b];
  for (int i = 0; i < 3; ++i) {
    origin[i] = data->frames[b].p[i];
    before.p[i] -= origin[i];
  }
  body.kind->calc_motion(q + body.q, before, &data->frames[b], S);
}

/// Velocity of body b, and its acceleration as far as it does not come from joint accelerations or its parent's, into
/// C.
inline void MoveBody(const Model& model, int b, const double* v, ModelData* data, double* C) {
  const ModelBody& body = model.body(b);
  double* V = data->V.data() + 6 * static_cast<std::size_t>(b);
  const double* S = data->S.data() + 6 * static_cast<std::size_t>(body.v);
  double joint[6] = {0, 0, 0, 0, 0, 0}, before[6] = {0, 0, 0, 0, 0, 0};
  if (body.parent >= 0) {
    const double* parent = data->V.data() + 6 * static_cast<std::size_t>(body.parent);
    for (int k = 0; k < 6; ++k) before[k] = parent[k];
  }
  for (int k = 0; k < 6; ++k) V[k] = before[k];
  for (int d = 0; d < body.nv; ++d) {
    const double speed = v[body.v + d];
    for (int k = 0; k < 6; ++k) joint[k] += speed * S[6 * d + k];
    if (d + 1 == body.linear_dofs) {
      // Rotations of the joint ride on its translations.
      for (int k = 0; k < 6; ++k) before[k] += joint[k];
    }
  }
  for (int k = 0; k < 6; ++k) {
    V[k] += joint[k];
    C[k] = 0;
  }
  const double *u = before, *w = before + 3, *a = joint, *c = joint + 3;
  C[0] = w[1] * a[2] - w[2] * a[1] + u[1] * c[2] - u[2] * c[1];
  C[1] = w[2] * a[0] - w[0] * a[2] + u[2] * c[0] - u[0] * c[2];
  C[2] = w[0] * a[1] - w[1] * a[0] + u[0] * c[1] - u[1] * c[0];
  C[3] = w[1] * c[2] - w[2] * c[1];
  C[4] = w[2] * c[0] - w[0] * c[2];
  C[5] = w[0] * c[1] - w[1] * c[0];
}

}  // namespace tactus
