#include <immintrin.h>

#include "tactus/dynamics/free_body_kernels_api.h"

// Vectors cross only functions of this file, which are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

using Lanes __attribute__((vector_size(32), aligned(8), may_alias)) = double;

using Mask = long long __attribute__((vector_size(32)));

inline bool All(const Mask& m) { return (m[0] & m[1] & m[2] & m[3]) != 0; }
inline Lanes Load(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
inline void Store(double* p, Lanes v) { *reinterpret_cast<Lanes*>(p) = v; }
inline Lanes Splat(double x) { return Lanes{x, x, x, x}; }

#ifdef __AVX2__
inline Lanes Sqrt(Lanes v) { return reinterpret_cast<Lanes>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(v))); }
#else
inline Lanes Sqrt(Lanes v) {
  const __m128d low = _mm_sqrt_pd(__m128d{v[0], v[1]}), high = _mm_sqrt_pd(__m128d{v[2], v[3]});
  return Lanes{low[0], low[1], high[0], high[1]};
}
#endif

// Four numbers of each of four bodies: row k is of body k before, of number k after.
inline void Transpose(Lanes* r) {
  const Lanes a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  const Lanes c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
inline void LoadFour(const double* base, const int* start, int offset, Lanes* out) {
  for (int k = 0; k < 4; ++k) out[k] = Load(base + start[k] + offset);
  Transpose(out);
}
inline void StoreFour(Lanes a, Lanes b, Lanes c, Lanes d, double* const* to) {
  Lanes r[4] = {a, b, c, d};
  Transpose(r);
  for (int k = 0; k < 4; ++k) Store(to[k], r[k]);
}

struct Lanes3 {
  Lanes x, y, z;
};
inline Lanes3 operator+(const Lanes3& a, const Lanes3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Lanes3 operator-(const Lanes3& a, const Lanes3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Lanes3 operator*(Lanes s, const Lanes3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Lanes3 Cross(const Lanes3& a, const Lanes3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Lanes3 Load3(const double (*p)[4]) { return {Load(p[0]), Load(p[1]), Load(p[2])}; }
inline Lanes3 Splat3(const double* p) { return {Splat(p[0]), Splat(p[1]), Splat(p[2])}; }

// Symmetric: xx, yy, zz, xy, xz, yz.
struct Symmetric {
  Lanes xx, yy, zz, xy, xz, yz;
};
inline Symmetric LoadSymmetric(const double (*p)[4]) {
  return {Load(p[0]), Load(p[1]), Load(p[2]), Load(p[3]), Load(p[4]), Load(p[5])};
}
inline Lanes3 operator*(const Symmetric& I, const Lanes3& a) {
  return {I.xx * a.x + I.xy * a.y + I.xz * a.z, I.xy * a.x + I.yy * a.y + I.yz * a.z,
          I.xz * a.x + I.yz * a.y + I.zz * a.z};
}

// Rows.
struct Rotation {
  Lanes3 r0, r1, r2;
};
inline Lanes Dot(const Lanes3& a, const Lanes3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Lanes3 operator*(const Rotation& R, const Lanes3& a) { return {Dot(R.r0, a), Dot(R.r1, a), Dot(R.r2, a)}; }
inline Lanes3 TransposeTimes(const Rotation& R, const Lanes3& a) { return a.x * R.r0 + a.y * R.r1 + a.z * R.r2; }

// Quaternions of any length, as users write them.
inline Rotation FromQuaternion(const Lanes* q) {
  const Lanes w = q[0], x = q[1], y = q[2], z = q[3];
  const Lanes s = 2.0 / (w * w + x * x + y * y + z * z);
  return {{1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
          {s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)},
          {s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)}};
}

// Where a batch is, and all that only depends on that.
inline Rotation Place(const FreeBodyBatch& batch, const double* q, const FreeBodyArrays& out) {
  Lanes quaternion[4];
  LoadFour(q, batch.q, 3, quaternion);
  const Rotation R = FromQuaternion(quaternion);
  const Lanes zero = {};
  double *frame[4], *rest[4];
  for (int k = 0; k < 4; ++k) {
    const double* x = q + batch.q[k];
    double* origin = out.origin + 3 * static_cast<long>(batch.body[k]);
    for (int i = 0; i < 3; ++i) origin[i] = x[i];
    frame[k] = out.frames + 12 * static_cast<long>(batch.body[k]);
  }
  StoreFour(R.r0.x, R.r0.y, R.r0.z, R.r1.x, frame);
  for (double*& p : frame) p += 4;
  StoreFour(R.r1.y, R.r1.z, R.r2.x, R.r2.y, frame);
  for (double*& p : frame) p += 4;
  StoreFour(R.r2.z, zero, zero, zero, frame);
  // Rotations about the body's axes: columns of R in the angular part, which is followed by zeros but for the last.
  for (int k = 0; k < 4; ++k) rest[k] = out.S + 6 * static_cast<long>(batch.v[k]) + 21;
  StoreFour(R.r0.x, R.r1.x, R.r2.x, zero, rest);
  for (double*& p : rest) p += 6;
  StoreFour(R.r0.y, R.r1.y, R.r2.y, zero, rest);
  for (double*& p : rest) p += 5;
  StoreFour(zero, R.r0.z, R.r1.z, R.r2.z, rest);
  if (out.inertia) {
    const Symmetric I = LoadSymmetric(batch.inertia);
    const Lanes m = Load(batch.mass);
    const Lanes3 h = R * (m * Load3(batch.com));
    const Lanes3 t0 = I * R.r0, t1 = I * R.r1, t2 = I * R.r2;  // rows of R I
    double* inertia[4];
    for (int k = 0; k < 4; ++k) inertia[k] = out.inertia + 10 * static_cast<long>(batch.body[k]);
    StoreFour(m, h.x, h.y, h.z, inertia);
    for (double*& p : inertia) p += 4;
    const Lanes xy = Dot(t0, R.r1), xz = Dot(t0, R.r2), yz = Dot(t1, R.r2);
    const Lanes xx = Dot(t0, R.r0), yy = Dot(t1, R.r1), zz = Dot(t2, R.r2);
    StoreFour(xx, yy, zz, xy, inertia);
    for (double*& p : inertia) p += 2;
    StoreFour(zz, xy, xz, yz, inertia);
  }
  return R;
}

struct Motion {
  Lanes3 v, w;  // w in body axes
};
inline Motion LoadMotion(const FreeBodyBatch& batch, const double* v) {
  Lanes a[4], b[4];
  LoadFour(v, batch.v, 0, a);
  LoadFour(v, batch.v, 2, b);
  return {{a[0], a[1], a[2]}, {b[1], b[2], b[3]}};
}
inline void StoreMotion(const FreeBodyBatch& batch, const Lanes3& v, const Lanes3& w, double* out) {
  double* to[4];
  for (int k = 0; k < 4; ++k) to[k] = out + batch.v[k];
  StoreFour(v.x, v.y, v.z, w.x, to);
  for (double*& p : to) p += 2;
  StoreFour(v.z, w.x, w.y, w.z, to);
}
inline void StoreVelocity(const FreeBodyBatch& batch, const Rotation& R, const Motion& V, double* out) {
  const Lanes3 w = R * V.w;
  double* to[4];
  for (int k = 0; k < 4; ++k) to[k] = out + 6 * static_cast<long>(batch.body[k]);
  StoreFour(V.v.x, V.v.y, V.v.z, w.x, to);
  for (double*& p : to) p += 2;
  StoreFour(V.v.z, w.x, w.y, w.z, to);
}
// [force; moment] in world axes, moments turned to the body's.
inline void LoadForce(const FreeBodyBatch& batch, const Rotation& R, const double* external, Lanes3* f, Lanes3* n) {
  int start[4];
  for (int k = 0; k < 4; ++k) start[k] = 6 * batch.body[k];
  Lanes a[4], b[4];
  LoadFour(external, start, 0, a);
  LoadFour(external, start, 2, b);
  *f = {a[0], a[1], a[2]};
  *n = TransposeTimes(R, Lanes3{b[1], b[2], b[3]});
}

void PlaceAll(const FreeBodyBatch* batches, int count, const double* q, const FreeBodyArrays& out) {
  for (int i = 0; i < count; ++i) Place(batches[i], q, out);
}

void InverseDynamics(const FreeBodyBatch* batches, int count, const double* q, const double* v, const double* a,
                     const double* external, const double* gravity, const FreeBodyArrays& out, double* tau) {
  const Lanes3 g = Splat3(gravity);
  for (int i = 0; i < count; ++i) {
    const FreeBodyBatch& batch = batches[i];
    const Rotation R = Place(batch, q, out);
    const Lanes3 c = Load3(batch.com);
    const Symmetric I = LoadSymmetric(batch.central);
    Lanes3 point = {}, linear = {}, n = {};  // acceleration of c relative to the origin's, in body axes
    if (v) {
      const Motion V = LoadMotion(batch, v);
      point = Cross(V.w, Cross(V.w, c));
      n = Cross(V.w, I * V.w);
      if (out.velocity) StoreVelocity(batch, R, V, out.velocity);
    }
    if (a) {
      const Motion A = LoadMotion(batch, a);
      point = point + Cross(A.w, c);
      n = n + I * A.w;
      linear = A.v;
    }
    Lanes3 f = Load(batch.mass) * ((linear - g) + R * point);
    n = n + Cross(c, TransposeTimes(R, f));
    if (external) {
      Lanes3 f_external, n_external;
      LoadForce(batch, R, external, &f_external, &n_external);
      f = f - f_external;
      n = n - n_external;
    }
    StoreMotion(batch, f, n, tau);
  }
}

void ForwardDynamics(const FreeBodyBatch* batches, int count, const double* q, const double* v, const double* tau,
                     const double* external, const double* gravity, const FreeBodyArrays& out, double* a) {
  const Lanes3 g = Splat3(gravity);
  for (int i = 0; i < count; ++i) {
    const FreeBodyBatch& batch = batches[i];
    const Rotation R = Place(batch, q, out);
    const Lanes3 c = Load3(batch.com);
    const Motion V = LoadMotion(batch, v);
    if (out.velocity) StoreVelocity(batch, R, V, out.velocity);
    Motion F = LoadMotion(batch, tau);
    if (external) {
      Lanes3 f_external, n_external;
      LoadForce(batch, R, external, &f_external, &n_external);
      F = {F.v + f_external, F.w + n_external};
    }
    const Lanes3 moment = F.w - Cross(c, TransposeTimes(R, F.v)) - Cross(V.w, LoadSymmetric(batch.central) * V.w);
    const Lanes3 alpha = LoadSymmetric(batch.central_inverse) * moment;
    const Lanes3 point = Cross(alpha, c) + Cross(V.w, Cross(V.w, c));
    StoreMotion(batch, Load(batch.inverse_mass) * F.v + g - R * point, alpha, a);
  }
}

// Entries (0,0), (1,1), (1,0), (2,2), (2,1), (2,0), ... of M = [m 1, -[h]x R; ., I], I about the origin in body axes.
void MassMatrix(const FreeBodyBatch* batches, int count, const double* frames, double* M) {
  for (int i = 0; i < count; ++i) {
    const FreeBodyBatch& batch = batches[i];
    Lanes r[3][4];
    int start[4];
    double* to[4];
    for (int k = 0; k < 4; ++k) {
      start[k] = 12 * batch.body[k];
      to[k] = M + batch.mass_start[k];
    }
    for (int k = 0; k < 3; ++k) LoadFour(frames, start, 4 * k, r[k]);
    const Rotation R = {{r[0][0], r[0][1], r[0][2]}, {r[0][3], r[1][0], r[1][1]}, {r[1][2], r[1][3], r[2][0]}};
    const Lanes m = Load(batch.mass), zero = {};
    const Symmetric I = LoadSymmetric(batch.inertia);
    const Lanes3 h = R * (m * Load3(batch.com));
    // Column k of -[h]x R = (column k of R) x h.
    const Lanes3 b0 = Cross(Lanes3{R.r0.x, R.r1.x, R.r2.x}, h);
    const Lanes3 b1 = Cross(Lanes3{R.r0.y, R.r1.y, R.r2.y}, h);
    const Lanes3 b2 = Cross(Lanes3{R.r0.z, R.r1.z, R.r2.z}, h);
    const Lanes entries[24] = {m,    m,    zero, m,    zero, zero, I.xx, b0.z, b0.y, b0.x, I.yy, I.xy,
                               b1.z, b1.y, b1.x, I.zz, I.yz, I.xz, b2.z, b2.y, b2.x, zero, zero, zero};
    for (int k = 0; k < 5; ++k) {
      StoreFour(entries[4 * k], entries[4 * k + 1], entries[4 * k + 2], entries[4 * k + 3], to);
      for (double*& p : to) p += 4;
    }
    for (int k = 0; k < 4; ++k) to[k][0] = b2.x[k];
  }
}

bool Factorize(const FreeBodyBatch* batches, int count, const double* M, double* L) {
  bool all = true;
  for (int i = 0; i < count; ++i) {
    const FreeBodyBatch& batch = batches[i];
    Lanes e[5][4];
    for (int k = 0; k < 5; ++k) LoadFour(M, batch.mass_start, 4 * k, e[k]);
    Lanes last;
    double* to[4];
    for (int k = 0; k < 4; ++k) {
      last[k] = M[batch.mass_start[k] + 20];
      to[k] = L + batch.mass_start[k];
    }
    // The angular block, then rows 3 to 5 of the rest, then what is left of the linear block.
    const Lanes one = Splat(1);
    const Lanes c22 = Sqrt(e[3][3]), t2 = one / c22, c21 = t2 * e[4][0], c20 = t2 * e[4][1];
    const Lanes i11 = e[2][2] - c21 * c21, c11 = Sqrt(i11), t1 = one / c11, c10 = t1 * (e[2][3] - c21 * c20);
    const Lanes i00 = e[1][2] - c20 * c20 - c10 * c10, c00 = Sqrt(i00), t0 = one / c00;
    const Lanes3 b0 = {e[2][1], e[2][0], e[1][3]}, b1 = {e[3][2], e[3][1], e[3][0]}, b2 = {last, e[4][3], e[4][2]};
    const Lanes3 l2 = t2 * b2, l1 = t1 * (b1 - c21 * l2), l0 = t0 * (b0 - c10 * l1 - c20 * l2);
    const Lanes a22 = e[0][3] - (l0.z * l0.z + l1.z * l1.z + l2.z * l2.z);
    const Lanes a21 = e[1][0] - (l0.z * l0.y + l1.z * l1.y + l2.z * l2.y),
                a20 = e[1][1] - (l0.z * l0.x + l1.z * l1.x + l2.z * l2.x);
    const Lanes a11 = e[0][1] - (l0.y * l0.y + l1.y * l1.y + l2.y * l2.y);
    const Lanes a10 = e[0][2] - (l0.y * l0.x + l1.y * l1.x + l2.y * l2.x);
    const Lanes a00 = e[0][0] - (l0.x * l0.x + l1.x * l1.x + l2.x * l2.x);
    const Lanes d22 = Sqrt(a22), s2 = one / d22, d21 = s2 * a21, d20 = s2 * a20;
    const Lanes r11 = a11 - d21 * d21, d11 = Sqrt(r11), d10 = (a10 - d21 * d20) / d11;
    const Lanes r00 = a00 - d20 * d20 - d10 * d10, d00 = Sqrt(r00);
    const Mask good = (e[3][3] > 0) & (i11 > 0) & (i00 > 0) & (a22 > 0) & (r11 > 0) & (r00 > 0) & (r00 < 1e300);
    all = all && All(good);
    const Lanes entries[20] = {d00, d11, d10,  d22,  d21,  d20, c00, l0.z, l0.y, l0.x,
                               c11, c10, l1.z, l1.y, l1.x, c22, c21, c20,  l2.z, l2.y};
    for (int k = 0; k < 5; ++k) {
      StoreFour(entries[4 * k], entries[4 * k + 1], entries[4 * k + 2], entries[4 * k + 3], to);
      for (double*& p : to) p += 4;
    }
    for (int k = 0; k < 4; ++k) to[k][0] = l2.x[k];
  }
  return all;
}

}  // namespace

extern const FreeBodyKernels kFreeBodyKernels;
const FreeBodyKernels kFreeBodyKernels = {PlaceAll, InverseDynamics, ForwardDynamics, MassMatrix, Factorize};

}  // namespace tactus::TACTUS_KERNEL_NS
