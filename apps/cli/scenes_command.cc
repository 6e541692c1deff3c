// tactus scenes
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/scene_library.h"
#include "tactus/core/error.h"
#include "tactus/scene/scene_file.h"

namespace tactus::cli {

namespace {

int RunScenes(bool json) {
  Json list = Json::array();
  for (const BuiltinScene& builtin : FindBuiltinScenes()) {
    const SceneDescription scene = LoadScene(builtin.file);
    list.push_back({{"name", builtin.name}, {"description", scene.description}, {"file", builtin.file.string()}});
    if (!json) fmt::print("{:<28} {}\n", builtin.name, scene.description);
  }
  if (json) fmt::print("{}\n", Dump(list));
  return kAllSolved;
}

}  // namespace

CommandRun AddScenesCommand(CLI::App* app) {
  const auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "print a JSON list");
  return [json] { return RunScenes(*json); };
}

}  // namespace tactus::cli
