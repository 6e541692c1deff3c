#include "apps/cli/problem_dump.h"

#include <filesystem>

#include <fmt/format.h>

#include "tactus/contact/problem_file.h"
#include "tactus/core/error.h"

namespace tactus::cli {

ProblemDump::ProblemDump(std::string folder, std::int64_t every) : folder_(std::move(folder)), every_(every) {
  if (folder_.empty()) {
    Require(every == 1, "--every", "there is nothing to write every few steps", "--dump-problems DIR with it");
    return;
  }
  Require(every >= 1, "--every", fmt::format("is {}", every), "1 or more steps");
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  Require(std::filesystem::is_directory(folder_), "--dump-problems",
          fmt::format("'{}' is not a folder and cannot be made", folder_), "a folder");
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    Require(entry.path().extension() != ".h5", "--dump-problems",
            fmt::format("'{}' holds '{}', which may be an earlier run's", folder_, entry.path().filename().string()),
            "a folder without .h5 files");
  }
}

void ProblemDump::Append(int trial, std::int64_t step, const ContactProblem& problem) {
  if (folder_.empty() || step % every_ != 0 || problem.num_constraints() == 0) return;
  const std::string prefix = trial < 0 ? "" : fmt::format("trial_{:04}_", trial);
  WriteProblemFile(fmt::format("{}/{}step_{:06}.h5", folder_, prefix, step), problem);
  ++count_;
}

}  // namespace tactus::cli
