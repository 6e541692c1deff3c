#include "apps/cli/suites/machine_limits.h"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "apps/cli/suites/machine_kernels_api.h"
#include "tactus/core/simd.h"
#include "tactus/core/thread_team.h"
#include "tactus/core/timer.h"

namespace tactus {

namespace baseline {
extern const cli::MachineKernels kMachineKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const cli::MachineKernels kMachineKernels;
}
#endif

namespace cli {

const MachineKernels& GetMachineKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kMachineKernels;
#endif
  return baseline::kMachineKernels;
}

namespace {

// Of a cache; where the system does not say, a usual one.
double CacheSize(int name, double otherwise) {
  const long size = sysconf(name);
  return size > 0 ? static_cast<double>(size) : otherwise;
}

// A limit is what was once reached: the fastest try. Processor time, as other programs may run.
double MeasureFlops() {
  constexpr long kRounds = 200000;
  const MachineKernels& kernels = GetMachineKernels();
  volatile double sink = 0;
  double best = 0;
  for (int repeat = 0; repeat < 40; ++repeat) {
    const ThreadCpuTimer timer;
    sink = sink + kernels.multiply_add(kRounds, 0.999, 1e-3);
    best = std::max(best, static_cast<double>(kernels.flops_per_round) * kRounds / timer.seconds());
  }
  return best;
}

struct Arrays {
  explicit Arrays(double bytes) : n(std::max(64L, static_cast<long>(bytes / 24) / 8 * 8)), a(n, 0), b(n, 1), c(n, 2) {}
  long n;
  std::vector<double> a, b, c;
};

double MeasureTriad(double bytes) {
  Arrays x(bytes);
  const double size = 24.0 * static_cast<double>(x.n);
  const int passes = std::max(1, static_cast<int>(4e6 / size));
  double best = 0;
  for (int repeat = 0; repeat < (size > 1e8 ? 5 : 40); ++repeat) {
    const ThreadCpuTimer timer;
    for (int k = 0; k < passes; ++k) GetMachineKernels().triad(x.a.data(), x.b.data(), x.c.data(), 0.5, x.n);
    best = std::max(best, passes * size / timer.seconds());
  }
  return best;
}

// Of both by the clock: processor time would not say how long they took together.
double MeasureTriadOfTwo(double bytes) {
  Arrays x(bytes);
  const long half = x.n / 2;
  ThreadTeam team(2);
  double best = 0;
  team.Begin();
  for (int repeat = 0; repeat < 8; ++repeat) {
    const Timer timer;
    team.ForEach([&](int piece) {
      const long at = piece * half;
      GetMachineKernels().triad(x.a.data() + at, x.b.data() + at, x.c.data() + at, 0.5, half);
    });
    best = std::max(best, 24.0 * 2 * static_cast<double>(half) / timer.seconds());
  }
  team.End();
  return best;
}

}  // namespace

const MemoryLevel& MachineLimits::LevelOf(double bytes) const {
  return *std::find_if(levels.begin(), levels.end() - 1, [&](const MemoryLevel& level) { return bytes <= level.size; });
}

MachineLimits MeasureMachineLimits() {
  constexpr double kMega = 1024 * 1024;
  const double l1 = CacheSize(_SC_LEVEL1_DCACHE_SIZE, 32 * 1024), l2 = CacheSize(_SC_LEVEL2_CACHE_SIZE, kMega),
               l3 = CacheSize(_SC_LEVEL3_CACHE_SIZE, 0);
  MachineLimits out;
  out.flops = MeasureFlops();
  out.levels = {{"L1", l1, l1 / 2, 0}, {"L2", l2, l2 / 2, 0}};
  // Of a cache that all cores share, a part is all that one may count on.
  if (l3 >= 4 * l2) out.levels.push_back({"L3", l3 / 4, std::min(4 * l2, l3 / 4), 0});
  // Beyond all caches, within reason.
  const double large = std::clamp(1.5 * std::max(l2, l3), 96 * kMega, 400 * kMega);
  out.levels.push_back({"memory", std::numeric_limits<double>::infinity(), large, 0});
  for (MemoryLevel& level : out.levels) level.rate = MeasureTriad(level.bytes);
  out.memory_two_threads = MeasureTriadOfTwo(large);
  return out;
}

}  // namespace cli

}  // namespace tactus
