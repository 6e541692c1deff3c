#include "apps/cli/scene_library.h"

#include <algorithm>

#include "tactus/core/error.h"
#include "tactus/io/data_folder.h"

namespace tactus::cli {

std::vector<BuiltinScene> FindBuiltinScenes() {
  const std::filesystem::path folder = FindDataFolder("scenes");
  std::vector<BuiltinScene> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".yaml") continue;
    std::filesystem::path name = std::filesystem::relative(entry.path(), folder);
    out.push_back({name.replace_extension().generic_string(), entry.path()});
  }
  std::sort(out.begin(), out.end(), [](const BuiltinScene& a, const BuiltinScene& b) { return a.name < b.name; });
  return out;
}

std::filesystem::path FindScene(const std::string& scene) {
  if (std::filesystem::exists(scene)) return scene;
  std::string names;
  for (const BuiltinScene& builtin : FindBuiltinScenes()) {
    if (builtin.name == scene) return builtin.file;
    if (builtin.name.find('/') == std::string::npos) names += (names.empty() ? "" : ", ") + builtin.name;
  }
  throw InputError("scene '" + scene + "'", "there is no such file or built-in scene",
                   "a YAML, URDF or MJCF file, or one of `tactus scenes`: " + names + ", physics/...");
}

}  // namespace tactus::cli
