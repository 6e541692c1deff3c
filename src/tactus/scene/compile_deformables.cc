#include "tactus/scene/compile_deformables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/deformable/mesh/tet_edit.h"

namespace tactus {

namespace {

// Places of nodes or of the middles of segments in the deformable's own frame.
std::vector<Vector3> FindPlaces(const SceneDeformable& d) {
  if (d.type == SceneDeformableType::Fem) return d.mesh->nodes;
  std::vector<Vector3> out;
  for (int i = 0; i < d.rod.segments; ++i) out.emplace_back((i + 0.5) * d.rod.length / d.rod.segments, 0, 0);
  return out;
}

std::vector<int> FindItems(const SceneItems& items, const std::vector<Vector3>& places, const std::string& where) {
  const int count = static_cast<int>(places.size());
  std::vector<int> out;
  for (const int i : items.items) {
    Require(i >= -count && i < count, where, fmt::format("there is no item {}", i),
            fmt::format("0 to {}, or -1 to -{} from the end", count - 1, count));
    out.push_back(i < 0 ? count + i : i);
  }
  if (items.low) {
    for (int i = 0; i < count; ++i) {
      const Vector3& p = places[static_cast<std::size_t>(i)];
      if ((p.array() >= items.low->array()).all() && (p.array() <= items.high->array()).all()) out.push_back(i);
    }
    Require(!out.empty(), where, "nothing is in its box", "a box with nodes or segments in it");
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::shared_ptr<const Deformable> MakeBody(const SceneDeformable& d, std::vector<int> held) {
  if (d.type == SceneDeformableType::Fem) {
    FemSettings settings = d.fem_settings;
    settings.held = std::move(held);
    return std::make_shared<const FemBody>(*d.mesh, d.fem, settings);
  }
  RodSettings settings = d.rod;
  settings.held = std::move(held);
  return std::make_shared<const Rod>(settings);
}

// Cables, cavities and motors of a solid; `places` are those of its nodes.
void AddSoftActuators(const SceneDeformable& d, const std::vector<Vector3>& places, int number,
                      const std::string& where, Simulator* simulator) {
  const auto* body = dynamic_cast<const FemBody*>(&simulator->deformables().body(number));
  if (body == nullptr) return;
  SoftActuator actuator;
  actuator.deformable = number;
  for (const SceneCable& cable : d.cables) {
    std::vector<CablePoint> points;
    for (const Vector3& p : cable.points) points.push_back(CableInBody(*body, p));
    actuator.name = cable.name;
    actuator.force = std::make_shared<const Cable>(*body, points);
    actuator.lower = 0;
    actuator.upper = cable.most;
    simulator->AddSoftActuator(actuator);
  }
  for (const SceneCavity& cavity : d.cavities) {
    actuator.name = cavity.name;
    try {
      actuator.force =
          std::make_shared<const PressureCavity>(*body, FindWalls(body->mesh(), {cavity.low, cavity.high}));
    } catch (const InputError& error) {
      throw InputError(where + ".cavities: '" + cavity.name + "': " + error.what());
    }
    actuator.lower = cavity.least;
    actuator.upper = cavity.most;
    simulator->AddSoftActuator(actuator);
  }
  actuator.force = nullptr;
  for (const SceneMotor& motor : d.motors) {
    actuator.name = motor.name;
    actuator.items = FindItems(motor.items, places, where + ".motors");
    actuator.axis = motor.axis.normalized();
    actuator.lower = -motor.speed;
    actuator.upper = motor.speed;
    actuator.travel_lower = -motor.back;
    actuator.travel_upper = motor.forth;
    simulator->AddSoftActuator(actuator);
  }
}

// Of a deformable, an object, a link, or all of a model.
std::vector<int> FindObjects(const std::string& name, const std::string& where, const Simulator& simulator) {
  std::vector<int> out;
  bool exists = false;
  for (const ModelLink& link : simulator.model().links()) {
    exists = exists || link.name == name || link.name.starts_with(name + "/");
  }
  for (std::size_t k = 0; k < simulator.objects().size(); ++k) {
    const SimulatorObject& object = simulator.objects()[k];
    const bool soft = object.deformable >= 0 && object.name == name;
    exists = exists || soft;
    if (object.link >= 0) {
      const std::string& link = simulator.model().links()[static_cast<std::size_t>(object.link)].name;
      if (link == name || link.starts_with(name + "/")) out.push_back(static_cast<int>(k));
    }
    if (soft) out.push_back(static_cast<int>(k));
  }
  Require(exists, where, "there is no body, model or deformable '" + name + "'",
          "an object, model/link, a model or a deformable");
  return out;
}

void SetPairs(const std::string& first, const std::string& second, std::optional<double> friction,
              const std::string& where, Simulator* simulator) {
  for (const int a : FindObjects(first, where, *simulator)) {
    for (const int b : FindObjects(second, where, *simulator)) simulator->SetDeformablePair({a, b, friction});
  }
}

}  // namespace

bool NamesDeformable(const SceneDescription& scene, const std::string& first, const std::string& second) {
  return std::any_of(scene.deformables.begin(), scene.deformables.end(),
                     [&](const SceneDeformable& d) { return d.name == first || d.name == second; });
}

void AddDeformablePairs(const SceneDescription& scene, Simulator* simulator) {
  for (const auto& [first, second] : scene.contact_excludes) {
    if (NamesDeformable(scene, first, second)) SetPairs(first, second, std::nullopt, "contacts.exclude", simulator);
  }
  for (const SceneContactPair& pair : scene.contact_pairs) {
    if (!NamesDeformable(scene, pair.first, pair.second)) continue;
    SetPairs(pair.first, pair.second, pair.friction, "contacts.pairs", simulator);
  }
}

std::shared_ptr<const PrescribedMotion> MakeMotion(const SceneMotion& m, const Pose& start) {
  switch (m.type) {
    case MotionType::Constant: return MakeConstantMotion(start, m.velocity, m.angular_velocity);
    case MotionType::Oscillate: return MakeOscillation(start, m.amplitude, m.rotation, m.frequency, m.phase);
    case MotionType::Waypoints: return MakeWaypointMotion(m.times, m.poses);
    case MotionType::Winding: return MakeWinding(start, m.winding);
  }
  return nullptr;
}

std::vector<int> FindItems(const SceneDeformable& d, const SceneItems& items, const std::string& where) {
  return FindItems(items, FindPlaces(d), where);
}

void AddDeformable(const SceneDeformable& d, const std::function<int(const std::string&)>& find_body,
                   Simulator* simulator) {
  const std::string where = d.place.empty() ? "deformable '" + d.name + "'" : d.place;
  Require(d.type != SceneDeformableType::Fem || d.mesh != nullptr, where, "it has no mesh", "a mesh of tetrahedra");
  const std::vector<Vector3> places = FindPlaces(d);
  DeformableSetup setup;
  setup.name = d.name;
  setup.material = d.material;
  setup.pose = d.pose;
  setup.linear_velocity = d.linear_velocity;
  setup.angular_velocity = d.angular_velocity;
  setup.self_contact = d.self_contact;
  setup.collides = d.collides;
  setup.contact_type = d.contact_type;
  setup.contact_affinity = d.contact_affinity;
  setup.pieces = d.pieces;
  std::vector<int> held;
  for (const SceneClamp& clamp : d.clamps) {
    DeformableClamp out;
    out.items = FindItems(clamp.items, places, where + ".clamps");
    held.insert(held.end(), out.items.begin(), out.items.end());
    if (clamp.motion) {
      Vector3 middle = Vector3::Zero();
      for (const int i : out.items) middle += places[static_cast<std::size_t>(i)];
      middle /= static_cast<double>(out.items.size());
      out.motion = MakeMotion(*clamp.motion, Pose(d.pose * middle));
    }
    setup.clamps.push_back(std::move(out));
  }
  for (const SceneMotor& motor : d.motors) {
    const std::vector<int> items = FindItems(motor.items, places, where + ".motors");
    held.insert(held.end(), items.begin(), items.end());
  }
  int number = 0;
  try {
    number = simulator->AddDeformable(MakeBody(d, std::move(held)), setup);
  } catch (const InputError& error) {
    throw InputError(where, error.what(), "a body that can be simulated");
  }
  AddSoftActuators(d, places, number, where, simulator);
  for (const SceneAttachment& a : d.attachments) {
    Attachment out;
    out.deformable = number;
    out.items = FindItems(a.items, places, where + ".attachments");
    out.link = find_body(a.body);
    out.times = {a.from, a.to};
    simulator->AddAttachment(out);
  }
}

}  // namespace tactus
