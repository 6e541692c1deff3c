#include "apps/cli/output_paths.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/core/output_file.h"

namespace tactus::cli {

namespace {

namespace fs = std::filesystem;

bool AreSame(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error)) {
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  }
  const auto place = [&](const std::string& path) {
    return fs::weakly_canonical(FollowLinks(fs::absolute(path)), error);
  };
  return place(a) == place(b);
}

}  // namespace

void CheckDistinct(const std::vector<NamedPath>& paths) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].input || paths[i].path.empty()) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (paths[j].path.empty() || !AreSame(paths[j].path, paths[i].path)) continue;
      throw InputError(paths[i].what, fmt::format("'{}' is that of {} too", paths[i].path, paths[j].what),
                       "another file");
    }
  }
}

void CheckOutput(const std::string& what, const std::string& path, bool in_place) {
  if (path.empty()) return;
  std::error_code error;
  try {
    if (!in_place || !fs::exists(path, error) || fs::is_directory(path, error)) {
      const OutputFile probe(path);
    } else if (access(path.c_str(), W_OK) != 0) {
      throw InputError(path, fmt::format("cannot be written: {}", std::strerror(errno)), "a file that can be written");
    }
  } catch (const InputError& e) {
    throw InputError(fmt::format("{} {}", what, e.what()));
  }
}

}  // namespace tactus::cli
