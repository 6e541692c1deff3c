#include "tactus/io/mjcf.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tactus/io/mesh/mesh_file.h"
#include "tactus/io/mjcf_elements.h"
#include "tactus/io/parse_number.h"
#include "tactus/io/warning_list.h"

namespace tactus {

namespace mjcf {

void ReadCompiler(const Node& node, Compiler* compiler, WarningList* warnings) {
  CheckAttributes(node.xml, "compiler", warnings);
  for (const Node& child : node.children) {
    if (child.tag() != "lengthrange") child.xml.Fail("unknown element in <compiler>", "lengthrange");
    warnings->AddLeftOut(child.xml, "<lengthrange>", "it belongs to muscles", {});
  }
  const Element element(node.xml);
  Compiler& c = *compiler;
  c.angles.degrees = element.OneOf("angle", {"radian", "degree"}, c.angles.degrees ? 1 : 0) == 1;
  if (element.Has("eulerseq")) {
    c.angles.euler_sequence = std::string(element.Text("eulerseq"));
    const std::string& letters = c.angles.euler_sequence;
    if (letters.size() != 3 || letters.find_first_not_of("xyzXYZ") != std::string::npos) {
      element.FailAttribute("eulerseq", "three of the letters x, y, z, X, Y, Z");
    }
  }
  if (element.Text("coordinate") == "global") {
    element.FailAttribute("coordinate", "'local': coordinates of the parent's frame");
  }
  c.autolimits = element.Bool("autolimits", c.autolimits);
  constexpr decltype(Compiler::inertia_from_geoms) kModes[] = {Compiler::Never, Compiler::Always, Compiler::Auto};
  c.inertia_from_geoms = kModes[element.OneOf("inertiafromgeom", {"false", "true", "auto"},
                                              static_cast<std::size_t>(c.inertia_from_geoms))];
  if (element.Has("inertiagrouprange")) {
    const std::vector<double> range = node.xml.RequireNumbers("inertiagrouprange", 2, 2);
    for (const double x : range) {
      if (!(x >= -1000 && x <= 1000)) element.FailAttribute("inertiagrouprange", "two numbers of groups");
    }
    c.lowest_group = static_cast<long long>(range[0]);
    c.highest_group = static_cast<long long>(range[1]);
  }
  c.least_mass = element.NotNegative("boundmass", c.least_mass);
  c.least_inertia = element.NotNegative("boundinertia", c.least_inertia);
  c.balance_inertia = element.Bool("balanceinertia", c.balance_inertia);
  c.total_mass = element.Number("settotalmass", c.total_mass);
  c.strip_path = element.Bool("strippath", c.strip_path);
  c.fit_boxes = element.Bool("fitaabb", c.fit_boxes);
  c.exact_meshes = element.Bool("exactmeshinertia", c.exact_meshes);
  c.align_free = element.Bool("alignfree", c.align_free);
  // assetdir stands for both folders; meshdir goes before it.
  if (element.Has("assetdir")) c.mesh_folder = std::string(element.Text("assetdir"));
  if (element.Has("meshdir")) c.mesh_folder = std::string(element.Text("meshdir"));
}

namespace {

constexpr const char* kSections[] = {"compiler", "option",    "size",     "visual",    "statistic", "default",
                                     "custom",   "extension", "asset",    "worldbody", "contact",   "deformable",
                                     "equality", "tendon",    "actuator", "sensor",    "keyframe"};

struct OptionState {
  bool gravity = true, contact = true;
};

void ReadFlags(const Node& node, OptionState* state, WarningList* warnings) {
  for (const std::string_view name : node.xml.AttributeNames()) {
    const std::string attribute(name);
    const bool enabled = node.xml.RequireOneOf(attribute.c_str(), {"disable", "enable"}) == 1;
    if (name == "gravity") {
      state->gravity = enabled;
    } else if (name == "contact") {
      state->contact = enabled;
    } else {
      warnings->AddLeftOut(node.xml, fmt::format("flag '{}'", Quote(name)), "it is not supported", {});
    }
  }
}

void ReadOption(const Node& node, OptionState* state, Context* context) {
  CheckAttributes(node.xml, "option", context->warnings);
  ModelDescription& model = *context->model;
  model.gravity = node.xml.Vector3Or("gravity", model.gravity);
  if (node.xml.Has("timestep")) {
    model.timestep = node.xml.RequireNumber("timestep");
    if (!(model.timestep > 0)) node.xml.FailAttribute("timestep", "a number > 0");
  }
  if (node.xml.Has("cone") && node.xml.RequireOneOf("cone", {"pyramidal", "elliptic"}) == 0) {
    context->warnings->AddLeftOut(node.xml, "cone='pyramidal'", "friction cones are round", {});
  }
  if (const Node* flag = node.OnlyChild("flag")) ReadFlags(*flag, state, context->warnings);
  for (const Node& child : node.children) {
    if (child.tag() != "flag") child.xml.Fail("unknown element in <option>", "flag");
  }
}

void CheckSize(const Node& node, WarningList* warnings) {
  CheckAttributes(node.xml, "size", warnings);
  for (const std::string_view name : node.xml.AttributeNames()) {
    const std::string attribute(name);
    if (name.substr(0, 6) != "nuser_") continue;
    const auto value = ParseNumber(node.xml.Text(attribute.c_str()));
    if (!value || *value < -1) node.xml.FailAttribute(attribute.c_str(), "a number >= -1");
  }
}

// Reads sections kind by kind, as MuJoCo does, wherever they stand in the file.
class ModelReader {
 public:
  ModelReader(const Node& root, Context* context) : root_(root), context_(*context) {}

  void Read() {
    CheckSections();
    ModelDescription& model = *context_.model;
    model.name = std::string(root_.xml.Has("model") ? root_.xml.Text("model") : "MuJoCo Model");
    OptionState option;
    ForEach("compiler", [&](const Node& node) { ReadCompiler(node, &context_.compiler, context_.warnings); });
    ForEach("option", [&](const Node& node) { ReadOption(node, &option, &context_); });
    ForEach("size", [&](const Node& node) { CheckSize(node, context_.warnings); });
    ForEach("default", [&](const Node& node) { context_.defaults.Read(node, context_.warnings); });
    ForEach("asset", [&](const Node& node) { ReadAssets(node, &context_); });
    context_.names.Add(Kind::Body, root_.xml, "world", {});
    context_.links["world"] = -1;
    ForEach("worldbody", [&](const Node& node) { ReadWorld(node, &context_); });
    FinishBodies(&context_);
    ForEach("contact", [&](const Node& node) { ReadContact(node, &context_); });
    ForEach("tendon", [&](const Node& node) { ReadTendons(node, &context_); });
    ForEach("equality", [&](const Node& node) { ReadEquality(node, &context_); });
    std::vector<const Node*> actuators;
    ForEach("actuator", [&](const Node& node) { actuators.push_back(&node); });
    ReadActuators(actuators, &context_);
    ForEach("sensor", [&](const Node& node) { ReadSensors(node, &context_); });
    SetByMassMatrix(&context_);
    const Model compiled(model);
    ForEach("keyframe", [&](const Node& node) { ReadKeyframes(node, compiled, &context_); });
    if (!option.gravity) model.gravity.setZero();
    if (!option.contact) SwitchOffContacts();
  }

 private:
  template <typename Do>
  void ForEach(std::string_view tag, Do act) const {
    for (const Node& node : root_.children) {
      if (node.tag() == tag) act(node);
    }
  }

  void CheckSections() const {
    for (const std::string_view name : root_.xml.AttributeNames()) {
      if (name != "model" && name.substr(0, 3) != "xml" && name.substr(0, 3) != "xsi") {
        root_.xml.Fail(fmt::format("unknown attribute '{}'", Quote(name)), "model");
      }
    }
    for (const Node& node : root_.children) {
      const std::string_view tag = node.tag();
      if (std::find(std::begin(kSections), std::end(kSections), tag) == std::end(kSections)) {
        node.xml.Fail("unknown element in <mujoco>", fmt::format("{}", fmt::join(kSections, ", ")));
      }
      const char* why = nullptr;
      if (tag == "visual" || tag == "statistic") why = "only what moves and collides is read";
      if (tag == "custom") why = "it has no meaning here";
      if (tag == "extension") why = "plugins are not supported";
      if (tag == "deformable") why = "flexes and skins are not supported";
      if (why != nullptr) context_.warnings->AddLeftOut(node.xml, fmt::format("<{}>", tag), why, {});
    }
  }

  // <flag contact="disable"/>.
  void SwitchOffContacts() {
    ModelDescription& model = *context_.model;
    model.contact_pairs.clear();
    for (ShapeInstance& shape : model.world_shapes) shape.collides = false;
    for (LinkDescription& link : model.links) {
      for (ShapeInstance& shape : link.shapes) shape.collides = false;
    }
  }

  const Node& root_;
  Context& context_;
};

ModelDescription BuildModel(std::string_view text, const std::string& file, const std::filesystem::path& folder,
                            const FileRoots& roots, const MjcfSettings& settings) {
  Source source(&roots, &settings, folder);
  const Node root = source.Read(text, file);
  MeshLibrary library(&roots);
  WarningList warnings;
  ModelDescription model;
  Context context;
  context.settings = &settings;
  context.roots = &roots;
  context.library = &library;
  context.warnings = &warnings;
  context.folder = folder;
  context.model = &model;
  ModelReader(root, &context).Read();
  model.warnings = warnings.Take();
  return model;
}

}  // namespace

}  // namespace mjcf

ModelDescription LoadMjcf(const std::filesystem::path& file, const MjcfSettings& settings) {
  FileRoots roots(settings.files);
  const std::string text = roots.Read(file);
  roots.AddRoot(file.parent_path());
  return mjcf::BuildModel(text, Quote(file.string(), 500), file.parent_path(), roots, settings);
}

ModelDescription ParseMjcf(std::string_view text, const std::string& file, const MjcfSettings& settings) {
  return mjcf::BuildModel(text, file, {}, FileRoots(settings.files), settings);
}

}  // namespace tactus
