#include "tactus/core/simd.h"

#include <cstdlib>
#include <cstring>

namespace tactus {

const char* ToString(SimdLevel level) { return level == SimdLevel::V3 ? "x86-64-v3" : "x86-64"; }

SimdLevel ActiveSimdLevel() {
  static const SimdLevel level = [] {
    const char* forced = std::getenv("TACTUS_SIMD");
    if (forced && std::strcmp(forced, "baseline") == 0) return SimdLevel::Baseline;
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    return v3 ? SimdLevel::V3 : SimdLevel::Baseline;
  }();
  return level;
}

}  // namespace tactus
