// What suite `micro` times: the hot kernels, each with its work counted.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tactus::cli {

/// How far a kernel's result is from what it should be, and what it may be at most (0: for information).
struct MicroError {
  std::string what;
  double value = 0, bar = 0;
};

struct MicroCase {
  std::string name;
  /// Does the work once; or, where one cannot be told from others, measures it: seconds of processor time.
  std::function<void()> run;
  std::function<double()> measure;
  double flops = 0;  ///< additions, multiplications, divisions and roots, one each
  double bytes = 0;  ///< that must come and go: each array read or written once a pass
  double size = 0;   ///< of all data it comes back to [bytes]
  MicroError error;  ///< of its result
};

/// Sets up every kernel and checks its result. Problems are the same each time.
std::vector<MicroCase> MakeMicroCases(bool quick);

/// The two halves of it.
void AddAlgebraCases(std::vector<MicroCase>* cases);
void AddSolverCases(bool quick, std::vector<MicroCase>* cases);

}  // namespace tactus::cli
