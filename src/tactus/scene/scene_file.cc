#include "tactus/scene/scene_file.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/collision/collision_shape.h"
#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/io/mjcf.h"
#include "tactus/io/model_format.h"
#include "tactus/io/parse_number.h"
#include "tactus/io/urdf.h"
#include "tactus/scene/expand_scene.h"
#include "tactus/scene/scene_tables.h"

namespace tactus {

namespace {

using scene::Context;
using scene::Cursor;
using scene::RandomizeValues;

// A value from outside that was put into the file.
struct Override {
  std::string source, path;
};

std::vector<Override> ApplyOverrides(const SceneFileSettings& settings, YamlDocument* document) {
  std::vector<Override> out;
  for (const std::string& text : settings.overrides) {
    const std::string source = "--set " + text;
    const std::size_t equals = text.find('=');
    Require(equals != std::string::npos && equals > 0, Quote(source, 200), "there is no key or no '='", "key=value");
    const std::string path = scene::ResolveSetPath(std::string_view(text).substr(0, equals), source, *document);
    SetYamlValue(path, std::string_view(text).substr(equals + 1), source, document);
    out.push_back({source, path});
  }
  return out;
}

enum class RandomizePart { Parameters, Rest };

// The number that an entry of `randomize` stands for; `u` is a number of [0, 1), `normal` a normal one.
double Draw(const RandomizeValues& entry, double u, double normal, double there) {
  const auto between = [u](const std::vector<double>& range) { return range[0] + (range[1] - range[0]) * u; };
  if (!entry.uniform.empty()) return between(entry.uniform);
  if (!entry.normal.empty()) return entry.normal[0] + entry.normal[1] * normal;
  return there * between(entry.scale);
}

// Draws the numbers of `randomize` and puts them where they belong: first those of parameters, on which expressions
// depend, then the others, when expressions have become numbers. Paths of values that do not matter any more, as others
// took their places, join `replaced`.
void Randomize(RandomizePart part, Context* context, YamlDocument* document, std::vector<std::string>* replaced) {
  SceneDescription& scene = *context->scene;
  const Cursor root(document, &document->root, context);
  if (!root.IsMap() || !root.Has("randomize")) return;
  const Cursor list = root.Key("randomize");
  scene::CheckListSize(list, 10000);
  Random random(scene.seed);
  const std::size_t count = list.size();
  for (std::size_t i = 0; i < count; ++i) {
    // The document changes below, so the way to the entry is gone anew.
    const Cursor at = root.Key("randomize").At(i);
    // Drawn for both parts, so that a number does not depend on which of them an entry belongs to.
    const bool is_normal = at.Has("normal");
    const double u = is_normal ? 0 : random.Uniform(), normal = is_normal ? random.Normal() : 0;
    const YamlNode* place = at.node().Find("path");
    const bool is_parameter = place && place->text.starts_with("parameters.");
    if (is_parameter != (part == RandomizePart::Parameters)) continue;
    RandomizeValues entry;
    scene::RandomizeKeys().Read(at, &entry);
    const std::string source = at.where() + " (" + Quote(entry.path, 100) + ")";
    if (is_parameter && FindYamlNode(entry.path, source, *document).kind == YamlNode::Kind::Map) {
      entry.path += ".default";
    }
    double there = 0;
    if (!entry.scale.empty()) {
      const YamlNode& node = FindYamlNode(entry.path, source, *document);
      scene::Number(scene::AnyNumber()).read(Cursor(document, &node, context), &there);
    }
    const double value = Draw(entry, u, normal, there);
    SetYamlValue(entry.path, fmt::format("{}", value), source, document);
    scene.draws.push_back({entry.path, value});
    if (entry.scale.empty()) replaced->push_back(entry.path);
  }
}

// Which values from outside changed nothing: nobody is to think that they did.
void NoteIdleOverrides(const std::vector<Override>& overrides, const std::vector<std::string>& replaced,
                       SceneDescription* scene) {
  for (const Override& change : overrides) {
    const auto is_it = [&change](const auto& parameter) {
      const std::string path = "parameters." + parameter.first;
      return !parameter.second.used && (change.path == path || change.path.starts_with(path + "."));
    };
    if (std::find(replaced.begin(), replaced.end(), change.path) != replaced.end()) {
      scene->notes.push_back(Quote(change.source, 200) + " has no effect: `randomize` draws another value");
    } else if (std::any_of(scene->parameters.begin(), scene->parameters.end(), is_it)) {
      scene->notes.push_back(Quote(change.source, 200) +
                             " has no effect: nothing depends on it with the other parameters as they are");
    }
  }
}

SceneDescription ReadScene(std::string_view text, const std::string& file, const std::filesystem::path& folder,
                           const FileRoots& roots, const SceneFileSettings& settings) {
  YamlDocument document = ParseYaml(text, file, settings.yaml);
  if (document.root.kind == YamlNode::Kind::Null) document.root.kind = YamlNode::Kind::Map;  // all defaults
  const std::vector<Override> overrides = ApplyOverrides(settings, &document);

  SceneDescription scene;
  MeshLibrary meshes(&roots);
  Context context{&settings, &roots, &meshes, folder, &scene};
  const Cursor root(&document, &document.root, &context);
  root.RequireMap();
  if (root.Has("seed")) {
    // Before all else, as other numbers depend on it.
    const std::optional<long long> seed = ParseInteger(root.Key("seed").node().text);
    if (seed && *seed >= 0) scene.seed = static_cast<std::uint64_t>(*seed);
  }
  if (settings.seed) scene.seed = *settings.seed;
  std::vector<std::string> replaced;
  Randomize(RandomizePart::Parameters, &context, &document, &replaced);
  const std::vector<std::string> unused = scene::ExpandScene(&context, &document);
  Randomize(RandomizePart::Rest, &context, &document, &replaced);
  const std::uint64_t seed = scene.seed;
  scene::SceneKeys().Read(root, &scene);
  if (settings.seed) scene.seed = seed;
  for (auto& [name, parameter] : scene.parameters) {
    parameter.used = std::find(unused.begin(), unused.end(), name) == unused.end();
  }
  NoteIdleOverrides(overrides, replaced, &scene);
  scene.text = text;
  for (const SceneModel& model : scene.models) {
    scene.warnings.insert(scene.warnings.end(), model.description.warnings.begin(), model.description.warnings.end());
  }
  return scene;
}

bool IsModelText(std::string_view text) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return !text.empty() && text.front() == '<';
}

bool HasGround(const ModelDescription& model) {
  const auto is_ground = [](const ShapeInstance& shape) {
    return shape.collides && shape.shape.type == ShapeType::HalfSpace;
  };
  if (std::any_of(model.world_shapes.begin(), model.world_shapes.end(), is_ground)) return true;
  return std::any_of(model.links.begin(), model.links.end(), [&](const LinkDescription& link) {
    return link.parent < 0 && link.joints.empty() && std::any_of(link.shapes.begin(), link.shapes.end(), is_ground);
  });
}

// A model's name as a scene can have it.
std::string MakeName(const std::string& name) {
  std::string out;
  for (const char c : name.substr(0, 100)) {
    const bool sound = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    out += sound ? c : '_';
  }
  return out.empty() || out == "world" || out == "ground" || ParseNumber(out) ? "model" : out;
}

// Where the ground goes under a model: z = 0, or lower if something of the model is lower where it starts.
double FindGround(const ModelDescription& description) {
  const Model model(description);
  ModelData data(model);
  CalcFrames(model, model.MakeInitial(), &data);
  double lowest = 0;
  for (std::size_t l = 0; l < description.links.size(); ++l) {
    for (const ShapeInstance& shape : description.links[l].shapes) {
      if (!shape.collides) continue;
      const auto prepared = CollisionShape::Make(shape.shape, "shape '" + shape.name + "'");
      const double low = prepared->CalcBox(data.LinkPose(model, static_cast<int>(l)) * shape.X_LS).low[2];
      if (std::isfinite(low)) lowest = std::min(lowest, low);
    }
  }
  return lowest;
}

std::string GroundNote(double z) {
  return z == 0 ? "a ground plane z = 0 was added, as the file has none"
                : fmt::format(
                      "a ground plane z = {:.4g} was added, as the file has none: under the model's lowest point", z);
}

// A text in double quotes of YAML.
std::string QuoteYaml(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// The scene file that says the same as a bare model file.
std::string WriteModelScene(const ModelDescription& model, const std::string& file) {
  std::string text =
      fmt::format("models:\n  - name: {}\n    file: {}\n", QuoteYaml(MakeName(model.name)), QuoteYaml(file));
  const Vector3& g = model.gravity;
  text += fmt::format("gravity: [{}, {}, {}]\n", g[0], g[1], g[2]);
  if (model.timestep > 0) text += fmt::format("time_step: {}\n", model.timestep);
  if (!HasGround(model)) {
    text += fmt::format(
        "objects:\n  - name: ground\n    fixed: true\n    shape: {{type: plane}}\n    pose: {{position: [0, 0, {}]}}\n",
        FindGround(model));
  }
  return text;
}

}  // namespace

ModelDescription scene::LoadModelFile(const std::filesystem::path& file, const SceneFileSettings& settings) {
  if (FindModelFormat(file) == ModelFormat::Mjcf) {
    MjcfSettings mjcf;
    mjcf.missing_meshes = settings.missing_meshes;
    mjcf.files = settings.files;
    mjcf.read_visual_meshes = false;
    return LoadMjcf(file, mjcf);
  }
  UrdfSettings urdf;
  urdf.missing_meshes = settings.missing_meshes;
  urdf.files = settings.files;
  urdf.read_visual_meshes = false;
  return LoadUrdf(file, urdf);
}

SceneDescription LoadScene(const std::filesystem::path& file, const SceneFileSettings& settings) {
  FileRoots roots(settings.files);
  std::string text = roots.Read(file);
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  roots.AddRoot(folder);
  const std::string name = Quote(file.string(), 500);
  if (!IsModelText(text)) return ReadScene(text, name, folder, roots, settings);

  const ModelDescription model = scene::LoadModelFile(file, settings);
  SceneDescription scene = ReadScene(WriteModelScene(model, file.filename().string()), name, folder, roots, settings);
  scene.name = model.name;
  if (!HasGround(model)) scene.notes.push_back(GroundNote(FindGround(model)));
  return scene;
}

SceneDescription ParseScene(std::string_view text, const std::string& file, const SceneFileSettings& settings) {
  return ReadScene(text, file, {}, FileRoots(settings.files), settings);
}

SceneDescription MakeSceneFromModel(const ModelDescription& model, BaseChange base) {
  SceneDescription scene;
  scene.name = model.name;
  scene.gravity = model.gravity;
  if (model.timestep > 0) scene.settings.time_step = model.timestep;
  SceneModel entry;
  entry.name = MakeName(model.name);
  entry.description = model;
  entry.base = base;
  scene.models.push_back(entry);
  scene.warnings = model.warnings;
  if (HasGround(model)) return scene;
  SceneObject ground;
  ground.name = "ground";
  ground.fixed = true;
  ground.shapes.emplace_back();
  ground.shapes[0].shape.type = ShapeType::HalfSpace;
  ground.pose.p[2] = FindGround(model);
  scene.objects.push_back(ground);
  scene.notes.push_back(GroundNote(ground.pose.p[2]));
  return scene;
}

}  // namespace tactus
