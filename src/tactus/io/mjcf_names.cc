#include <algorithm>

#include <fmt/format.h>

#include "tactus/io/mjcf_elements.h"
#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

const char* ToString(Kind kind) {
  switch (kind) {
    case Kind::Body: return "body";
    case Kind::Joint: return "joint";
    case Kind::Geom: return "geom";
    case Kind::Site: return "site";
    case Kind::Camera: return "camera";
    case Kind::Light: return "light";
    case Kind::Frame: return "frame";
    case Kind::Tendon: return "tendon";
    case Kind::Actuator: return "actuator";
    case Kind::Equality: return "equality";
    case Kind::Pair: return "contact pair";
    case Kind::Mesh: return "mesh";
    case Kind::Key: return "keyframe";
    case Kind::Sensor: return "sensor";
  }
  return "?";
}

std::string Names::Add(Kind kind, const XmlElement& at, std::string_view name, const Replica& replica) {
  if (name.empty()) return "";
  std::string full = std::string(name) + replica.suffix;
  if (!names_.insert({kind, full}).second) {
    at.Fail(fmt::format("there is another {} of the name '{}'", ToString(kind), Quote(full)), "every name once");
  }
  if (replica.number >= 0) replicas_[{kind, std::string(name)}].push_back(replica);
  return full;
}

std::vector<Replica> Names::Resolve(const XmlElement& at, const std::vector<Reference>& references) const {
  const std::vector<Replica>* copies = nullptr;
  bool some_there = false;
  for (const Reference& reference : references) {
    const auto fail = [&](const char* what) {
      at.Fail(fmt::format("there is no {} '{}'{}", ToString(reference.kind), Quote(reference.name), what),
              fmt::format("the name of a {}", ToString(reference.kind)));
    };
    const bool there = Has(reference.kind, reference.name);
    const auto found = replicas_.find({reference.kind, reference.name});
    if (!there && found == replicas_.end()) fail("");
    some_there |= there;
    const auto same_number = [](const Replica& a, const Replica& b) { return a.number == b.number; };
    // All that it names must have been copied together, or nothing of it.
    if ((some_there && (copies != nullptr || !there)) ||
        (copies != nullptr &&
         !std::equal(copies->begin(), copies->end(), found->second.begin(), found->second.end(), same_number))) {
      fail(" that was copied together with the others");
    }
    if (!there) copies = &found->second;
  }
  if (copies == nullptr) return {Replica()};
  return *copies;
}

}  // namespace tactus::mjcf
