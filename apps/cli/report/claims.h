// What the papers claim, beside the rows of our suites that measure it.
#pragma once

#include <string>
#include <vector>

namespace tactus::cli {

struct Claim {
  const char* suite;
  const char* row;     ///< its exact name
  const char* source;  ///< paper and table or figure
  const char* says;
  double value;     ///< the paper's figure
  bool at_least;    ///< ours should be at least the paper's; else at most
  const char* why;  ///< one sentence where ours may differ
};

const std::vector<Claim>& Claims();

}  // namespace tactus::cli
