#include "tactus/scene/compile_deformables.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tactus/core/error.h"

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

}  // namespace

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
  int number = 0;
  try {
    number = simulator->AddDeformable(MakeBody(d, std::move(held)), setup);
  } catch (const InputError& error) {
    throw InputError(where, error.what(), "a body that can be simulated");
  }
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
