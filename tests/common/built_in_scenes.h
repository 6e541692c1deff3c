// The scenes that come with tactus, as parameters of tests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/io/data_folder.h"

namespace tactus {

/// "conveyor", "physics/arch", ...: the files in scenes/ without their endings, sorted.
inline std::vector<std::string> BuiltInScenes() {
  std::vector<std::string> out;
  const std::filesystem::path folder = FindDataFolder("scenes");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    out.push_back(std::filesystem::relative(entry.path(), folder).replace_extension().generic_string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

inline std::filesystem::path BuiltInSceneFile(const std::string& scene) {
  return FindDataFolder("scenes") / (scene + ".yaml");
}

/// As names of tests may be.
inline std::string SceneTestName(const testing::TestParamInfo<std::string>& scene) {
  std::string name = scene.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return name;
}

}  // namespace tactus
