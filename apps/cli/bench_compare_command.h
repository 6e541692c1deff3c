// `tactus bench --compare A B`: prints what CompareBenchRuns finds.
#pragma once

#include <filesystem>

namespace tactus::cli {

/// Two files or folders of results, or summaries. Prints a JSON array of changes, with remarks on stderr, or everything
/// as text. Returns the exit code; throws InputError where there is nothing to compare.
int CompareBenchResults(const std::filesystem::path& before, const std::filesystem::path& after, double noise,
                        bool json);

}  // namespace tactus::cli
