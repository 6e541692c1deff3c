// tactus scenes
#include <memory>
#include <string>

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

// One scene: what it shows, its parameters and goals.
int ShowScene(const std::string& name, bool json) {
  const std::filesystem::path file = FindScene(name);
  const SceneDescription scene = LoadScene(file);
  Json out = {{"name", scene.name}, {"description", scene.description}, {"file", file.string()}};
  out["parameters"] = Json::array();
  for (const auto& [key, p] : scene.parameters) {
    out["parameters"].push_back({{"name", key}, {"value", p.value}, {"help", p.help}});
  }
  out["goals"] = Json::array();
  for (const SceneGoal& goal : scene.goals) out["goals"].push_back(goal.name);
  if (json) {
    fmt::print("{}\n", Dump(out));
    return kAllSolved;
  }
  fmt::print("{}: {}\n  file         {}\n  duration     {:g} s\n", scene.name, scene.description, file.string(),
             scene.duration);
  for (const auto& [key, p] : scene.parameters) {
    fmt::print("  --set {}={:g}  {}\n", key, p.value, p.help);
  }
  for (const SceneGoal& goal : scene.goals) fmt::print("  goal         {}\n", goal.name);
  return kAllSolved;
}

}  // namespace

CommandRun AddScenesCommand(CLI::App* app) {
  const auto json = std::make_shared<bool>(false);
  const auto table = std::make_shared<std::string>(), scene = std::make_shared<std::string>();
  app->add_option("scene", *scene, "show this one with its parameters and goals")->type_name("SCENE");
  auto* json_flag = app->add_flag("--json", *json, "print a JSON list");
  auto* keys = app->add_option("--keys", *table,
                               "print the keys of scene files instead: of the maps whose kind begins as KIND, or all")
                   ->type_name("KIND")
                   ->expected(0, 1)
                   ->excludes(json_flag);
  return [json, table, scene, keys] {
    if (!scene->empty()) return ShowScene(*scene, *json);
    if (keys->count() == 0) return RunScenes(*json);
    fmt::print("{}", DescribeSceneKeys(*table));
    return kAllSolved;
  };
}

}  // namespace tactus::cli
