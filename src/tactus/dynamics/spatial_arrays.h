// Spatial vectors as plain arrays of six, for the inner loops of dynamics.
//
// Motion V = [v; w], force F = [f; n], all in world axes about one point (see ModelData).
#pragma once

#include "tactus/math/spatial.h"
#include "tactus/model/joint.h"

namespace tactus::spatial {

inline void Zero(double* a) {
  for (int k = 0; k < 6; ++k) a[k] = 0;
}
inline void Copy(const double* a, double* out) {
  for (int k = 0; k < 6; ++k) out[k] = a[k];
}
inline void Add(const double* a, double* out) {
  for (int k = 0; k < 6; ++k) out[k] += a[k];
}
inline void AddScaled(double s, const double* a, double* out) {
  for (int k = 0; k < 6; ++k) out[k] += s * a[k];
}
inline double Dot(const double* a, const double* b) {
  return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
}
inline void Cross3(const double* a, const double* b, double* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}
/// out += V x U for motions: [w x u_v + v x u_w; w x u_w].
inline void AddMotionCross(const double* V, const double* U, double* out) {
  const double *v = V, *w = V + 3, *a = U, *b = U + 3;
  out[0] += w[1] * a[2] - w[2] * a[1] + v[1] * b[2] - v[2] * b[1];
  out[1] += w[2] * a[0] - w[0] * a[2] + v[2] * b[0] - v[0] * b[2];
  out[2] += w[0] * a[1] - w[1] * a[0] + v[0] * b[1] - v[1] * b[0];
  out[3] += w[1] * b[2] - w[2] * b[1];
  out[4] += w[2] * b[0] - w[0] * b[2];
  out[5] += w[0] * b[1] - w[1] * b[0];
}
/// out += V x* F for forces: [w x f; w x n + v x f].
inline void AddForceCross(const double* V, const double* F, double* out) {
  const double *v = V, *w = V + 3, *f = F, *n = F + 3;
  out[0] += w[1] * f[2] - w[2] * f[1];
  out[1] += w[2] * f[0] - w[0] * f[2];
  out[2] += w[0] * f[1] - w[1] * f[0];
  out[3] += w[1] * n[2] - w[2] * n[1] + v[1] * f[2] - v[2] * f[1];
  out[4] += w[2] * n[0] - w[0] * n[2] + v[2] * f[0] - v[0] * f[2];
  out[5] += w[0] * n[1] - w[1] * n[0] + v[0] * f[1] - v[1] * f[0];
}
/// out = I V: [m v + w x h; h x v + I w].
inline void Multiply(const SpatialInertia& I, const double* V, double* out) {
  const double *v = V, *w = V + 3, *h = I.h;
  out[0] = I.m * v[0] + w[1] * h[2] - w[2] * h[1];
  out[1] = I.m * v[1] + w[2] * h[0] - w[0] * h[2];
  out[2] = I.m * v[2] + w[0] * h[1] - w[1] * h[0];
  out[3] = h[1] * v[2] - h[2] * v[1] + I.I[0] * w[0] + I.I[3] * w[1] + I.I[4] * w[2];
  out[4] = h[2] * v[0] - h[0] * v[2] + I.I[3] * w[0] + I.I[1] * w[1] + I.I[5] * w[2];
  out[5] = h[0] * v[1] - h[1] * v[0] + I.I[4] * w[0] + I.I[5] * w[1] + I.I[2] * w[2];
}
/// A body's inertia, given about its own origin in its own axes, about the common origin in world axes.
inline void MoveInertia(const SpatialInertia& I, const FrameArrays& X, SpatialInertia* out) {
  const double *R = X.R, *p = X.p;
  double h[3], T[9];
  for (int i = 0; i < 3; ++i) {
    const double* r = R + 3 * i;
    h[i] = r[0] * I.h[0] + r[1] * I.h[1] + r[2] * I.h[2];
    T[3 * i] = r[0] * I.I[0] + r[1] * I.I[3] + r[2] * I.I[4];
    T[3 * i + 1] = r[0] * I.I[3] + r[1] * I.I[1] + r[2] * I.I[5];
    T[3 * i + 2] = r[0] * I.I[4] + r[1] * I.I[5] + r[2] * I.I[2];
  }
  const auto dot = [](const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  const double m = I.m;
  // With g = h + m p/2 the terms of the shift are 2 (p . g) 1 - p g^T - g p^T.
  const double g[3] = {h[0] + 0.5 * m * p[0], h[1] + 0.5 * m * p[1], h[2] + 0.5 * m * p[2]};
  const double trace = 2 * dot(p, g);
  out->m = m;
  for (int k = 0; k < 3; ++k) out->h[k] = h[k] + m * p[k];
  out->I[0] = dot(T, R) + trace - 2 * p[0] * g[0];
  out->I[1] = dot(T + 3, R + 3) + trace - 2 * p[1] * g[1];
  out->I[2] = dot(T + 6, R + 6) + trace - 2 * p[2] * g[2];
  out->I[3] = dot(T, R + 3) - p[0] * g[1] - p[1] * g[0];
  out->I[4] = dot(T, R + 6) - p[0] * g[2] - p[2] * g[0];
  out->I[5] = dot(T + 3, R + 6) - p[1] * g[2] - p[2] * g[1];
}

}  // namespace tactus::spatial
