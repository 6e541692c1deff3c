// Curves of benchmarks in files of results.
#pragma once

#include <filesystem>
#include <vector>

#include "apps/cli/bench_suite.h"
#include "apps/cli/json_output.h"

namespace tactus::cli {

/// Five digits: noise is larger, and differences of summaries stay readable.
Json ShortNumber(double x);

/// A few hundred points a line.
Json MakeTracesJson(const std::vector<BenchTrace>& traces);
/// Throws InputError that names the file.
std::vector<BenchTrace> ParseTraces(const std::filesystem::path& file, const Json& json);

}  // namespace tactus::cli
