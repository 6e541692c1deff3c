#include "tactus/deformable/fem/fem_kernels_api.h"
#include "tactus/math/lanes.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

// Row by row.
struct Lanes33 {
  Lanes m[9];
};

inline Lanes Select(const Mask& mask, Lanes yes, Lanes no) {
  return reinterpret_cast<Lanes>((mask & reinterpret_cast<Mask>(yes)) | (~mask & reinterpret_cast<Mask>(no)));
}

// F = sum over corners of x g^T.
inline Lanes33 Deformation(const FemBatch& batch, const double* x) {
  Lanes33 F = {};
  for (int a = 0; a < 4; ++a) {
    const double* p[4];
    for (int k = 0; k < 4; ++k) p[k] = x + 3 * static_cast<long>(batch.node[a][k]);
    for (int i = 0; i < 3; ++i) {
      const Lanes xi = {p[0][i], p[1][i], p[2][i], p[3][i]};
      for (int j = 0; j < 3; ++j) F.m[3 * i + j] += xi * Load(batch.gradient[3 * a + j]);
    }
  }
  return F;
}

inline Lanes33 Cofactors(const Lanes33& A) {
  const Lanes* m = A.m;
  return {{m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6], m[2] * m[7] - m[1] * m[8],
           m[0] * m[8] - m[2] * m[6], m[1] * m[6] - m[0] * m[7], m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5],
           m[0] * m[4] - m[1] * m[3]}};
}
inline Lanes SquaredNorm(const Lanes33& A) {
  Lanes sum = A.m[0] * A.m[0];
  for (int k = 1; k < 9; ++k) sum += A.m[k] * A.m[k];
  return sum;
}

// X <- (g X + X^-T / g) / 2 converges quadratically to the rotation if det F > 0; with g^2 = |X^-1| / |X| in the first
// steps from far as well.
inline Mask Polar(const Lanes33& F, Lanes33* R) {
  Lanes33 X = F;
  Lanes33 C = Cofactors(X);
  Lanes det = X.m[0] * C.m[0] + X.m[1] * C.m[1] + X.m[2] * C.m[2];
  const Lanes third = SquaredNorm(X) / 3.0;
  const Mask good = (det > Splat(0)) & (det * det > 1e-8 * (third * third * third)) & (third < Splat(1e60));
  for (int k = 0; k < 9; ++k) X.m[k] = Select(good, X.m[k], Splat(k % 4 == 0 ? 1 : 0));
  Mask moving = good;
  for (int iteration = 0; iteration < 12; ++iteration) {
    C = Cofactors(X);
    det = X.m[0] * C.m[0] + X.m[1] * C.m[1] + X.m[2] * C.m[2];
    Lanes g = Splat(1);
    if (iteration < 2) g = Sqrt(Sqrt(SquaredNorm(C) / SquaredNorm(X)) / det);
    const Lanes a = 0.5 * g, b = 0.5 / (g * det);
    Lanes change = {};
    for (int k = 0; k < 9; ++k) {
      const Lanes next = a * X.m[k] + b * C.m[k], difference = next - X.m[k];
      change += difference * difference;
      X.m[k] = next;
    }
    // The error is now about half the square of the change.
    moving = change > Splat(1e-18);
    if (!Any(moving)) break;
  }
  *R = X;
  return good & ~moving;
}

void Rotate(const FemBatch* batches, int count, const double* x, double* R, unsigned char* bad) {
  for (int i = 0; i < count; ++i) {
    Lanes33 rotation;
    const Mask good = Polar(Deformation(batches[i], x), &rotation);
    for (int k = 0; k < 9; ++k) Store(R + kFemRotationStride * static_cast<long>(i) + 4 * k, rotation.m[k]);
    unsigned bits = 0;
    for (int k = 0; k < 4; ++k) bits |= (good[k] ? 0u : 1u) << k;
    bad[i] = static_cast<unsigned char>(bits);
  }
}

// Number k of each of four elements -> numbers of one element together.
inline void StoreFour(const Lanes* r, double* to, long stride) {
  const Lanes a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  const Lanes c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  Store(to, __builtin_shufflevector(a, c, 0, 1, 4, 5));
  Store(to + stride, __builtin_shufflevector(b, d, 0, 1, 4, 5));
  Store(to + 2 * stride, __builtin_shufflevector(a, c, 2, 3, 6, 7));
  Store(to + 3 * stride, __builtin_shufflevector(b, d, 2, 3, 6, 7));
}

// P = 2 mu (F - R) + lambda tr(R^T F - 1) R; the force on corner a is -V P g_a.
inline void Forces(const FemBatch& batch, const Lanes33& F, const Lanes33& R, double lambda, double mu,
                   double* forces) {
  Lanes trace = Splat(-3);
  for (int k = 0; k < 9; ++k) trace += F.m[k] * R.m[k];
  const Lanes volume = Load(batch.volume), spread = lambda * trace - 2 * mu;
  Lanes P[9];
  for (int k = 0; k < 9; ++k) P[k] = -volume * (2 * mu * F.m[k] + spread * R.m[k]);
  Lanes f[12];
  for (int a = 0; a < 4; ++a) {
    const Lanes* g = reinterpret_cast<const Lanes*>(batch.gradient[3 * a]);
    for (int i = 0; i < 3; ++i) f[3 * a + i] = P[3 * i] * g[0] + P[3 * i + 1] * g[1] + P[3 * i + 2] * g[2];
  }
  for (int k = 0; k < 12; k += 4) StoreFour(f + k, forces + k, kFemForceStride);
}

// With turned gradients h_a = R g_a, block (a, b) of R K0 R^T is
//     V (lambda h_a h_b^T + mu h_b h_a^T + mu h_a . h_b 1).
inline void Blocks(const FemBatch& batch, const Lanes33& R, double lambda, double mu, double* blocks) {
  Lanes h[12];
  for (int a = 0; a < 4; ++a) {
    const Lanes* g = reinterpret_cast<const Lanes*>(batch.gradient[3 * a]);
    for (int i = 0; i < 3; ++i) {
      h[3 * a + i] = R.m[3 * i] * g[0] + R.m[3 * i + 1] * g[1] + R.m[3 * i + 2] * g[2];
    }
  }
  const Lanes volume = Load(batch.volume), l = lambda * volume, m = mu * volume;
  Lanes out[kFemBlockStride];
  int at = 0;
  for (int a = 0; a < 4; ++a) {
    for (int b = a; b < 4; ++b, at += 9) {
      const Lanes *p = h + 3 * a, *q = h + 3 * b;
      const Lanes dot = m * (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) out[at + 3 * i + j] = l * (p[i] * q[j]) + m * (q[i] * p[j]);
        out[at + 4 * i] += dot;
      }
    }
  }
  out[at] = out[at + 1] = Lanes{};
  for (int k = 0; k < kFemBlockStride; k += 4) StoreFour(out + k, blocks + k, kFemBlockStride);
}

void Corotational(const FemBatch* batches, int count, const double* x, const double* R, double lambda, double mu,
                  double* forces, double* blocks) {
  for (int i = 0; i < count; ++i) {
    Lanes33 rotation;
    for (int k = 0; k < 9; ++k) rotation.m[k] = Load(R + kFemRotationStride * static_cast<long>(i) + 4 * k);
    Forces(batches[i], Deformation(batches[i], x), rotation, lambda, mu, forces + 4L * kFemForceStride * i);
    if (blocks) Blocks(batches[i], rotation, lambda, mu, blocks + 4L * kFemBlockStride * i);
  }
}

void Gather(const FemPair* pairs, int count, const int* sources, const double* blocks, double stiffness_scale,
            double mass_scale, double* values) {
  for (int k = 0; k < count; ++k) {
    const FemPair& pair = pairs[k];
    Lanes first = {}, second = {};
    double last = 0;
    for (int s = pair.begin; s < pair.end; ++s) {
      const double* block = blocks + sources[s];
      first += Load(block);
      second += Load(block + 4);
      last += block[8];
    }
    double sum[9];
    Store(sum, stiffness_scale * first);
    Store(sum + 4, stiffness_scale * second);
    sum[8] = stiffness_scale * last;
    for (int i = 0; i < 9; i += 4) sum[i] += mass_scale * pair.mass;
    for (int i = 0; i < 3; ++i) {
      double* row = values + pair.upper + static_cast<long>(pair.upper_stride) * i;
      for (int j = 0; j < 3; ++j) row[j] = sum[3 * i + j];
    }
    for (int i = 0; pair.lower >= 0 && i < 3; ++i) {
      double* row = values + pair.lower + static_cast<long>(pair.lower_stride) * i;
      for (int j = 0; j < 3; ++j) row[j] = sum[3 * j + i];
    }
  }
}

}  // namespace

extern const FemKernels kFemKernels;
const FemKernels kFemKernels = {Rotate, Corotational, Gather};

}  // namespace tactus::TACTUS_KERNEL_NS
