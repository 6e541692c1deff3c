// Scene files (YAML). docs/scenes.md describes them, scenes/scene.schema.json is their JSON schema.
//
// Keys that are not known are refused, with the nearest that is; so are numbers that are not finite or out of range.
// Errors are InputError, "file:line: objects.cube.mass: is 'heavy' (expected: a number > 0 [kg])".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/io/file_roots.h"
#include "tactus/io/mesh/mesh_file.h"
#include "tactus/scene/scene_description.h"
#include "tactus/scene/yaml_tree.h"

namespace tactus {

struct SceneFileSettings {
  /// "key=value" each, put into the file before it is read: "objects.cube.mass=2", "gravity=[0, 0, -1.6]", or
  /// "particles=45" for a parameter of the file.
  std::vector<std::string> overrides;
  int trial = 0;                      ///< which of the scene's trials, from 0
  std::optional<std::uint64_t> seed;  ///< in place of the file's
  MissingMeshes missing_meshes = MissingMeshes::Error;
  FileSettings files;  ///< the folder of the scene file is always a root
  YamlSettings yaml;
  int max_bodies = 100000;  ///< copies of arrays included
};

/// A scene file, or a bare URDF or MJCF file (MakeSceneFromModel), told by its contents.
SceneDescription LoadScene(const std::filesystem::path& file, const SceneFileSettings& settings = {});

/// From text. `file` is the name in messages; other files are looked for in `files.roots` of the settings only.
SceneDescription ParseScene(std::string_view text, const std::string& file, const SceneFileSettings& settings = {});

/// A model alone, on the ground if the file has none of its own: an object "ground" is added, and a note says so.
/// Links that float keep doing so; the base of a URDF file is fixed unless `base` says otherwise.
SceneDescription MakeSceneFromModel(const ModelDescription& model, BaseChange base = BaseChange::Keep);

/// The JSON schema of scene files: scenes/scene.schema.json.
std::string MakeSceneSchema();

/// Every kind of map in scene files with its keys: what they take, defaults, meanings. docs/scene-keys.md.
std::string MakeSceneKeysPage();
/// The same as plain text: all of it, or the tables whose name begins as this ("sensor", "constraint_weld"). Throws
/// InputError with a suggestion if there is none.
std::string DescribeSceneKeys(const std::string& table = "");

}  // namespace tactus
