// <keyframe>, and the names in <sensor>.
#include <cmath>

#include <fmt/format.h>

#include "tactus/io/mjcf_elements.h"
#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

namespace {

std::vector<double> ReadVector(const XmlElement& xml, const char* attribute, std::size_t size) {
  std::vector<double> numbers = xml.RequireNumbers(attribute, 0, xml.Text(attribute).size() + 1);
  if (numbers.size() != size) {
    xml.Fail(fmt::format("attribute '{}' has {} numbers", attribute, numbers.size()), fmt::format("{} numbers", size));
  }
  return numbers;
}

// Those of actuators that are not left out.
std::vector<double> Select(const std::vector<double>& numbers, const std::vector<bool>& taken) {
  std::vector<double> selected;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (taken[i]) selected.push_back(numbers[i]);
  }
  return selected;
}

void NormalizeQuaternions(const XmlElement& xml, const Model& model, std::vector<double>* q) {
  for (const ModelBody& body : model.bodies()) {
    const bool floating = body.kind->type == JointType::Floating;
    if (!floating && body.kind->type != JointType::Ball) continue;
    Eigen::Map<Eigen::Vector4d> r(q->data() + body.q + (floating ? 3 : 0));
    const double norm = r.stableNorm();
    if (!(norm > 1e-14)) xml.Fail("a quaternion in 'qpos' is zero", "unit quaternions");
    r /= norm;
  }
}

}  // namespace

void ReadKeyframes(const Node& section, const Model& model, Context* context) {
  const VectorX start = model.MakeInitial();
  for (const Node& child : section.children) {
    const XmlElement& xml = child.xml;
    if (child.tag() != "key") xml.Fail("unknown element in <keyframe>", "key");
    CheckAttributes(xml, "key", context->warnings);
    KeyframeDescription key;
    key.name = context->names.Add(Kind::Key, xml, xml.Text("name"), {});
    key.time = xml.Number("time", 0);
    key.q.assign(start.begin(), start.end());
    if (xml.Has("qpos")) {
      key.q = ReadVector(xml, "qpos", key.q.size());
      NormalizeQuaternions(xml, model, &key.q);
    }
    key.v.assign(static_cast<std::size_t>(model.nv()), 0);
    if (xml.Has("qvel")) key.v = ReadVector(xml, "qvel", key.v.size());
    std::vector<double> control(context->actuator_taken.size()), activation(context->activation_taken.size());
    if (xml.Has("ctrl")) control = ReadVector(xml, "ctrl", control.size());
    if (xml.Has("act")) activation = ReadVector(xml, "act", activation.size());
    key.control = Select(control, context->actuator_taken);
    key.activation = Select(activation, context->activation_taken);
    context->model->keyframes.push_back(std::move(key));
  }
}

void ReadSensors(const Node& section, Context* context) {
  static constexpr std::pair<const char*, Kind> kObjects[] = {
      {"site", Kind::Site},  {"joint", Kind::Joint}, {"tendon", Kind::Tendon}, {"actuator", Kind::Actuator},
      {"body", Kind::Body},  {"geom", Kind::Geom},   {"camera", Kind::Camera}, {"body1", Kind::Body},
      {"body2", Kind::Body}, {"geom1", Kind::Geom},  {"geom2", Kind::Geom}};
  static constexpr std::pair<std::string_view, Kind> kTypes[] = {
      {"body", Kind::Body},     {"xbody", Kind::Body},  {"geom", Kind::Geom},     {"site", Kind::Site},
      {"camera", Kind::Camera}, {"joint", Kind::Joint}, {"tendon", Kind::Tendon}, {"actuator", Kind::Actuator}};
  for (const Node& child : section.children) {
    const XmlElement& xml = child.xml;
    context->warnings->AddLeftOut(xml, fmt::format("<{}> in <sensor>", child.tag()), "sensors are not supported",
                                  xml.Text("name"));
    std::vector<Reference> references;
    for (const auto& [attribute, kind] : kObjects) {
      if (xml.Has(attribute)) references.push_back({kind, std::string(xml.RequireText(attribute))});
    }
    for (const auto& [type, name] : {std::pair("objtype", "objname"), std::pair("reftype", "refname")}) {
      for (const auto& [text, kind] : kTypes) {
        if (xml.Has(name) && xml.Text(type) == text) references.push_back({kind, std::string(xml.RequireText(name))});
      }
    }
    for (const Reference& reference : references) context->names.Resolve(xml, {reference});
    context->names.Add(Kind::Sensor, xml, xml.Text("name"), {});
  }
}

}  // namespace tactus::mjcf
