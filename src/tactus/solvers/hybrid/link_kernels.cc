#include "tactus/solvers/hybrid/link_kernels_api.h"

#include "tactus/math/lanes.h"
#include "tactus/solvers/hybrid/body_space_detail.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

using body_space_detail::kLargestBlock;

// The dofs that move a link, side by side, and zeros.
inline void GatherRuns(const LinkJacobian& J, const double* v, double* x) {
  for (int k = J.stride - 4; k < J.stride; ++k) x[k] = 0;
  for (const LinkRun* run = J.begin; run != J.end; ++run) {
    for (int k = 0; k < run->count; ++k) x[run->column + k] = v[run->dof + k];
  }
}

inline void AddRuns(const LinkJacobian& J, const double* x, double* v) {
  for (const LinkRun* run = J.begin; run != J.end; ++run) {
    const double* from = x + run->column;
    double* to = v + run->dof;
    int k = 0;
    for (; k + 4 <= run->count; k += 4) Store(to + k, Load(to + k) + Load(from + k));
    for (; k < run->count; ++k) to[k] += from[k];
  }
}

// Four columns of M X, M 6 x 6 and X 6 rows of `stride`.
inline void MultiplySix(const double* M, const Lanes* x, Lanes* y) {
  for (int i = 0; i < 6; ++i) {
    Lanes sum = M[6 * i] * x[0];
    for (int j = 1; j < 6; ++j) sum += M[6 * i + j] * x[j];
    y[i] = sum;
  }
}

}  // namespace

void Twist(const LinkJacobian& J, const double* v, double* twist) {
  double x[kLargestBlock];
  GatherRuns(J, v, x);
  Lanes sums[6] = {};
  for (int q = 0; q < J.stride; q += 4) {
    const Lanes xq = Load(x + q);
    for (int i = 0; i < 6; ++i) sums[i] += Load(J.values + i * J.stride + q) * xq;
  }
  Store(twist, Sum4(sums[0], sums[1], sums[2], sums[3]));
  twist[4] = Sum(sums[4]);
  twist[5] = Sum(sums[5]);
}

void AddForce(const LinkJacobian& J, const double* wrench, double* f) {
  double x[kLargestBlock];
  for (int q = 0; q < J.stride; q += 4) {
    Lanes sum = wrench[0] * Load(J.values + q);
    for (int i = 1; i < 6; ++i) sum += wrench[i] * Load(J.values + i * J.stride + q);
    Store(x + q, sum);
  }
  AddRuns(J, x, f);
}

// K J_b first, which J_a^T spreads over the rows.
void AddCongruence(const LinkJacobian& a, const double* K, const LinkJacobian& b, double* out, int stride) {
  double KJ[6 * kLargestBlock];
  const bool free_a = a.values == nullptr, free_b = b.values == nullptr;
  const int width = free_b ? 8 : b.stride;
  if (free_b) {
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < 6; ++k) KJ[8 * i + k] = K[6 * i + k];
      KJ[8 * i + 6] = KJ[8 * i + 7] = 0;
    }
  } else {
    for (int q = 0; q < width; q += 4) {
      Lanes x[6], y[6];
      for (int j = 0; j < 6; ++j) x[j] = Load(b.values + j * width + q);
      MultiplySix(K, x, y);
      for (int i = 0; i < 6; ++i) Store(KJ + i * width + q, y[i]);
    }
  }
  const auto add = [&](const double* row, double* to) {
    if (free_b) {
      for (int k = 0; k < 6; ++k) to[k] += row[k];
    } else {
      AddRuns(b, row, to);
    }
  };
  if (free_a) {
    for (int i = 0; i < 6; ++i) add(KJ + i * width, out + i * stride);
    return;
  }
  double row[kLargestBlock];
  for (const LinkRun* run = a.begin; run != a.end; ++run) {
    for (int m = 0; m < run->count; ++m) {
      const double* J = a.values + run->column + m;
      for (int q = 0; q < width; q += 4) {
        Lanes sum = J[0] * Load(KJ + q);
        for (int i = 1; i < 6; ++i) sum += J[i * a.stride] * Load(KJ + i * width + q);
        Store(row + q, sum);
      }
      add(row, out + (run->dof + m) * stride);
    }
  }
}

// Column by column, as rows are columns.
void Multiply(const double* A, int n, const double* x, double* y) {
  int q = 0;
  for (; q + 8 <= n; q += 8) {
    Lanes low = {}, high = {};
    for (int j = 0; j < n; ++j) {
      low += x[j] * Load(A + j * n + q);
      high += x[j] * Load(A + j * n + q + 4);
    }
    Store(y + q, low);
    Store(y + q + 4, high);
  }
  for (; q + 4 <= n; q += 4) {
    Lanes sum = {};
    for (int j = 0; j < n; ++j) sum += x[j] * Load(A + j * n + q);
    Store(y + q, sum);
  }
  for (; q < n; ++q) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += x[j] * A[j * n + q];
    y[q] = sum;
  }
}

extern const LinkKernels kLinkKernels;
const LinkKernels kLinkKernels = {Twist, AddForce, AddCongruence, Multiply};

}  // namespace tactus::TACTUS_KERNEL_NS
