// Checks of the files that a command names, before it does any work.
#pragma once

#include <string>
#include <vector>

namespace tactus::cli {

struct NamedPath {
  std::string what;    ///< "--record", "the scene"
  std::string path;    ///< empty: not asked for
  bool input = false;  ///< is only read
};

/// Throws InputError where an output is the same file as an earlier path of the list, also through links of either
/// kind. Devices and pipes may be named twice.
void CheckDistinct(const std::vector<NamedPath>& paths);

/// Throws InputError unless the file can be written. `in_place`: not by OutputFile but as it stands, so that it may be
/// a device or a pipe. What is there stays as it is. Nothing to check where `path` is empty.
void CheckOutput(const std::string& what, const std::string& path, bool in_place = false);

}  // namespace tactus::cli
