#include "apps/cli/suites/machine_kernels_api.h"

#include "tactus/math/lanes.h"

namespace tactus::TACTUS_KERNEL_NS {

namespace {

// A fused multiply-add takes four or five cycles and two begin in each: ten must be in flight. Without them a product
// and a sum take as many registers, of which there are sixteen.
#ifdef __AVX2__
constexpr int kChains = 12;
#else
constexpr int kChains = 6;
#endif

double MultiplyAdd(long rounds, double m, double c) {
  Lanes x[kChains];
  for (int k = 0; k < kChains; ++k) x[k] = Splat(k);
  const Lanes factor = Splat(m), term = Splat(c);
  for (long r = 0; r < rounds; ++r) {
#pragma GCC unroll 16
    for (int k = 0; k < kChains; ++k) x[k] = x[k] * factor + term;
  }
  Lanes sum = {};
  for (int k = 0; k < kChains; ++k) sum += x[k];
  return Sum(sum);
}

void Triad(double* a, const double* b, const double* c, double s, long n) {
  const Lanes factor = Splat(s);
  for (long k = 0; k < n; k += 4) Store(a + k, Load(b + k) + factor * Load(c + k));
}

}  // namespace

extern const cli::MachineKernels kMachineKernels;
const cli::MachineKernels kMachineKernels = {MultiplyAdd, 8 * kChains, Triad};

}  // namespace tactus::TACTUS_KERNEL_NS
