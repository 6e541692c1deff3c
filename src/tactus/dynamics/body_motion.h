// The step along the tree that all algorithms begin with.
#pragma once

#include "tactus/dynamics/free_body_kernels_api.h"
#include "tactus/dynamics/model_data.h"
#include "tactus/math/sin_cos.h"

namespace tactus {

/// Sines and cosines of all revolute joints, which PlaceBody wants.
inline void CalcAngles(const Model& model, const double* q, ModelData* data) {
  const int count = static_cast<int>(model.angles().size());
  for (int i = 0; i < count; ++i) data->angle[i] = q[model.angles()[i]];
  CalcSinCos(data->angle.data(), count, data->sine.data(), data->cosine.data());
}

inline FreeBodyArrays ArraysOfFreeBodies(ModelData* data, bool inertia, bool velocity) {
  static_assert(sizeof(Vector3) == 3 * sizeof(double) && sizeof(FrameArrays) == 12 * sizeof(double) &&
                sizeof(SpatialInertia) == 10 * sizeof(double));
  return {data->origin.data()->data(), data->frames.data()->R, data->S.data(),
          inertia ? &data->inertia.data()->m : nullptr, velocity ? data->V.data() : nullptr};
}

namespace body_motion_detail {

/// A frame moved by the joint of a body, and the joint's motion subspace.
inline void MoveFrame(const ModelBody& body, const double* q, const FrameArrays& before, const ModelData& data,
                      FrameArrays* after, double* S) {
  if (body.angle < 0) {
    body.kind->calc_motion(q + body.q, before, after, S);
    return;
  }
  // Revolute, which most joints are: a turn about z.
  const double c = data.cosine[body.angle], s = data.sine[body.angle];
  const double *R = before.R, *p = before.p;
  for (int i = 0; i < 3; ++i) {
    const double x = R[3 * i], y = R[3 * i + 1];
    after->R[3 * i] = c * x + s * y;
    after->R[3 * i + 1] = c * y - s * x;
    after->R[3 * i + 2] = R[3 * i + 2];
    after->p[i] = p[i];
    S[3 + i] = R[3 * i + 2];
  }
  S[0] = p[1] * R[8] - p[2] * R[5];
  S[1] = p[2] * R[2] - p[0] * R[8];
  S[2] = p[0] * R[5] - p[1] * R[2];
}

}  // namespace body_motion_detail

/// Frame and motion subspace of body b; those of its parent are known, and CalcAngles was called.
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
    body_motion_detail::MoveFrame(body, q, before, *data, &data->frames[b], S);
    return;
  }
  // A root: its origin is where the joint takes it.
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) before.R[3 * i + j] = T[3 * j + i];
    before.p[i] = t[i];
  }
  body_motion_detail::MoveFrame(body, q, before, *data, &data->frames[b], S);
  Vector3& origin = data->origin[b];
  for (int i = 0; i < 3; ++i) {
    origin[i] = data->frames[b].p[i];
    before.p[i] -= origin[i];
  }
  body_motion_detail::MoveFrame(body, q, before, *data, &data->frames[b], S);
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
