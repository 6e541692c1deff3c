// Loops that find a machine's limits, compiled once per instruction-set level as the library's kernels are.
#pragma once

namespace tactus::cli {

struct MachineKernels {
  /// `rounds` times x <- x m + c in as many registers as are in flight at once; returns their sum, so that it is done.
  double (*multiply_add)(long rounds, double m, double c);
  int flops_per_round;  ///< multiplications and additions counted apart
  /// a = b + s c, n numbers, a multiple of four: STREAM's triad.
  void (*triad)(double* a, const double* b, const double* c, double s, long n);
};

/// Those of the active level.
const MachineKernels& GetMachineKernels();

}  // namespace tactus::cli
