// Several suites of benchmarks, or parts of them, under one name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {

/// A suite, or what of it has `only` in its name.
struct BenchPart {
  const char* suite;
  const char* only;
};

/// One line of the table of groups. Each part's rows are kept as those of its suite, so that the report and comparisons
/// find them.
struct BenchGroup {
  const char* name;
  const char* what;
  std::vector<BenchPart> parts;
};

/// Seeds of each scene of scenarios and deformables in a group, and problems of each soft robot that every method of
/// inverse dynamics gets, so that all of it ends in an hour and a half; results say it.
inline constexpr int kGroupTrials = 1, kGroupCompared = 8;

const std::vector<BenchGroup>& BenchGroups();
/// Null if there is none of that name.
const BenchGroup* FindBenchGroup(const std::string& name);

/// What was asked for, reduced where the group says so and nothing else was asked for.
BenchSettings MakePartSettings(const BenchSettings& asked, const BenchPart& part);

/// How long a part took when it was last run with these settings, by the results in `folder` [s]; 0: not known.
double FindEarlierSeconds(const std::filesystem::path& folder, const std::string& suite, const BenchSettings& settings);

}  // namespace tactus::cli
