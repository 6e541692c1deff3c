// The scenes that come with tactus.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tactus::cli {

struct BuiltinScene {
  std::string name;  ///< "conveyor", "physics/arch": the file in scenes/, without its ending
  std::filesystem::path file;
};

/// All of them, sorted by name.
std::vector<BuiltinScene> FindBuiltinScenes();
/// A file, or a built-in scene by name. Throws InputError that suggests one; `others` are further names that the caller
/// knows.
std::filesystem::path FindScene(const std::string& scene, const std::vector<std::string>& others = {});

}  // namespace tactus::cli
