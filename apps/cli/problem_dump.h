// tactus run --dump-problems
#pragma once

#include <cstdint>
#include <string>

#include "tactus/contact/contact_problem.h"

namespace tactus::cli {

/// The contact problem of every Nth step, as files that `tactus solve` reads.
class ProblemDump {
 public:
  /// Makes the folder; an empty name: writes nothing. Throws InputError where an earlier run's files would be mixed in.
  ProblemDump(std::string folder, std::int64_t every);
  /// `trial` is negative for scenes without any.
  void Append(int trial, std::int64_t step, const ContactProblem& problem);
  std::int64_t count() const { return count_; }

 private:
  std::string folder_;
  std::int64_t every_, count_ = 0;
};

}  // namespace tactus::cli
