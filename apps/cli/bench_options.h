// Which options of `tactus bench` go with what.
#pragma once

#include <string>
#include <vector>

namespace tactus::cli {

/// What `tactus bench` is asked to do.
enum class BenchMode { List, Run, Compare, Summarize };

/// Throws InputError for the first of the options ("--only", ...) that has no meaning there: in this mode or, when
/// running, for this suite or every suite of this group. Says what it goes with.
void CheckBenchOptions(const std::vector<std::string>& given, BenchMode mode, const std::string& suite);

}  // namespace tactus::cli
