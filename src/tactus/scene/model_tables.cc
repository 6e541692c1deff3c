// Models out of files.
#include <algorithm>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/data_folder.h"
#include "tactus/io/mjcf.h"
#include "tactus/io/model_format.h"
#include "tactus/io/parse_number.h"
#include "tactus/io/urdf.h"
#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

namespace {

void Load(const Cursor& cursor, const std::filesystem::path& file, SceneModel* out) {
  try {
    out->description = LoadModelFile(file, *cursor.context().settings);
  } catch (const InputError& error) {
    cursor.Fail(error.what(), "a model file that can be read");
  }
}

void ReadFile(const Cursor& cursor, SceneModel* out) {
  Text().read(cursor, &out->file);
  const FileLookup lookup = cursor.context().roots->Find(out->file, cursor.context().folder);
  if (lookup.status != FileStatus::Found) {
    cursor.Fail(fmt::format("'{}' {}", Quote(out->file), lookup.reason), "a URDF or MJCF file");
  }
  Load(cursor, lookup.path, out);
}

std::vector<std::string> ListBuiltins(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".urdf") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void ReadBuiltin(const Cursor& cursor, SceneModel* out) {
  Name().read(cursor, &out->file);
  const std::filesystem::path folder = FindDataFolder("models");
  const std::vector<std::string> names = ListBuiltins(folder);
  if (std::find(names.begin(), names.end(), out->file) == names.end()) {
    cursor.Fail("there is no model '" + Quote(out->file) + "' among ours", SuggestName(out->file, names));
  }
  Load(cursor, folder / (out->file + ".urdf"), out);
}

std::vector<std::string> SingleDofJoints(const ModelDescription& model) {
  std::vector<std::string> names;
  for (const LinkDescription& link : model.links) {
    for (const JointDescription& joint : link.joints) {
      if (GetJointKind(joint.type).nv == 1) names.push_back(joint.name);
    }
  }
  return names;
}

void CheckJoints(const Cursor& cursor, const SceneModel& model) {
  const std::vector<std::string> names = SingleDofJoints(model.description);
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    const std::string& name = cursor.node().keys[i];
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      cursor.At(i).Fail("there is no joint '" + Quote(name) + "' with one degree of freedom", SuggestName(name, names));
    }
  }
}

void CheckModel(const Cursor& cursor, SceneModel* out) {
  if (cursor.Has("file") == cursor.Has("builtin")) cursor.Fail("it has no file, or both keys", "file or builtin");
  for (const char* key : {"joints", "velocities"}) {
    if (cursor.Has(key)) CheckJoints(cursor.Key(key), *out);
  }
  if (!out->keyframe.empty()) {
    std::vector<std::string> names;
    for (const KeyframeDescription& key : out->description.keyframes) names.push_back(key.name);
    if (std::find(names.begin(), names.end(), out->keyframe) == names.end()) {
      cursor.Key("keyframe")
          .Fail("the file has no keyframe '" + Quote(out->keyframe) + "'", SuggestName(out->keyframe, names));
    }
  }
}

}  // namespace

const Keys<SceneModel>& ModelKeys() {
  using M = SceneModel;
  static const Keys<M> keys =
      Keys<M>("model", "A robot or a mechanism out of a URDF or MJCF file.")
          .Add("name", &M::name, Name(), "its links and joints are called name/link, name/joint")
          .Required()
          .AddRead("file", ReadFile, Text().schema, "URDF or MJCF, relative to the scene's file")
          .AddRead("builtin", ReadBuiltin, Name().schema, "one of ours, in models/")
          .Add("pose", &M::pose, PoseCodec(), "of the file's world in the scene")
          .AddRead(
              "fixed_base",
              [](const Cursor& cursor, M* out) {
                bool fixed = false;
                Bool().read(cursor, &fixed);
                out->base = fixed ? BaseChange::Fix : BaseChange::Float;
              },
              Bool().schema, "true: floating links are welded where they start; false: the first link floats")
          .Add("keyframe", &M::keyframe, Text(), "of the file: where it starts from")
          .Add("joints", &M::joints, MapOf(Angle()), "positions at the start, by name [rad, m]")
          .Add("velocities", &M::velocities, MapOf(Number(Within(-1e6, 1e6))), "at the start, by joint [rad/s, m/s]")
          .AddRead(
              "velocity",
              [](const Cursor& cursor, M* out) { ReadVelocity(cursor, &out->linear_velocity, &out->angular_velocity); },
              R"({"$ref": "#/$defs/velocity"})", "of a floating base at the start")
          .Add("material", &M::material, Maybe(MaterialCodec()), "of all its shapes")
          .Finally(CheckModel);
  return keys;
}

}  // namespace tactus::scene
