// Instruction-set levels. Hot kernels (files *_kernels.cc) are compiled once per level and chosen at start-up, so that
// one binary starts on any x86-64 and is fast where it can be. Results are bitwise the same per level.
#pragma once

namespace tactus {

enum class SimdLevel {
  Baseline,  ///< plain x86-64 (SSE2)
  V3,        ///< x86-64-v3 (AVX2, FMA)
};
const char* ToString(SimdLevel level);

/// The best level this machine has, unless the environment variable TACTUS_SIMD=baseline asks for less. Fixed for the
/// life of the process.
SimdLevel ActiveSimdLevel();

}  // namespace tactus
