#include "apps/cli/scene_library.h"

#include <algorithm>

#include "tactus/core/error.h"
#include "tactus/io/data_folder.h"
#include "tactus/scene/yaml_tree.h"

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

std::filesystem::path FindScene(const std::string& scene, const std::vector<std::string>& others) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(scene, error);
  if (!folder && std::filesystem::exists(scene, error)) return scene;
  // Names with - and _ are about as many, and nobody remembers which has which.
  const auto plain = [](std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
  };
  std::vector<std::string> names;
  std::string all;
  for (const BuiltinScene& builtin : FindBuiltinScenes()) {
    if (plain(builtin.name) == plain(scene)) return builtin.file;
    names.push_back(builtin.name);
    if (builtin.name.find('/') == std::string::npos) all += (all.empty() ? "" : ", ") + builtin.name;
  }
  if (folder) return scene;  // whoever reads it says what is wrong
  all += ", physics/...";
  for (const std::string& name : others) {
    names.push_back(name);
    all += (name == others.front() ? "; " : ", ") + name;
  }
  const std::string nearest = FindNearest(scene, names);
  throw InputError("scene '" + scene + "'", "there is no such file or built-in scene",
                   (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") +
                       std::string("A YAML, URDF or MJCF file, or one of `tactus scenes`: ") + all);
}

}  // namespace tactus::cli
