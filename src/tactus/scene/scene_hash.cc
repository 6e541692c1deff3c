#include "tactus/scene/scene_hash.h"

#include "tactus/core/hash.h"

namespace tactus {

namespace {

void Add(const Vector3& v, Hasher* out) { out->AddRange(v.data(), 3); }
void Add(const std::vector<double>& v, Hasher* out) { out->AddRange(v.data(), v.size()); }
void Add(const Pose& X, Hasher* out) {
  out->AddRange(X.R.data(), 9);
  Add(X.p, out);
}

template <typename V, typename Each>
void AddMaybe(const std::optional<V>& value, const Each& each, Hasher* out) {
  out->Add(value.has_value());
  if (value) each(*value);
}

void Add(const SceneConstraint& c, Hasher* out) {
  out->Add(c.type);
  for (const std::string* text : {&c.first, &c.second, &c.joint, &c.other_joint}) out->Add(*text);
  const auto vector = [&](const Vector3& v) { Add(v, out); };
  AddMaybe(c.first_point, vector, out);
  AddMaybe(c.second_point, vector, out);
  AddMaybe(
      c.relative, [&](const Pose& X) { Add(X, out); }, out);
  AddMaybe(
      c.rest, [&](double x) { out->Add(x); }, out);
  out->AddRange(c.polynomial.data(), c.polynomial.size());
  for (const auto& [joint, coefficient] : c.joints) {
    out->Add(joint);
    out->Add(coefficient);
  }
  for (const double x : {c.stiffness, c.damping, c.dry_friction, c.lower, c.upper, c.radius, c.from, c.to}) out->Add(x);
  Add(c.axis, out);
  Add(c.normal, out);
  out->Add(c.lateral);
}

void Add(const SceneTask& t, Hasher* out) {
  out->Add(t.type);
  for (const double x : {t.weight, t.rotation_weight, t.gain, t.damping, t.from, t.to}) out->Add(x);
  for (const bool axis : t.axes) out->Add(axis);
  out->Add(t.body);
  Add(t.frame, out);
  out->Add(t.kind);
  for (const SceneWaypoint& w : t.path) {
    Add(w.pose, out);
    for (const double x : {w.time, w.turn, w.radius, w.angle}) out->Add(x);
  }
  Add(t.times, out);
  for (const std::vector<double>& row : t.values) Add(row, out);
  for (const std::string& joint : t.joints) out->Add(joint);
}

void Add(const SceneController& c, Hasher* out) {
  out->Add(c.type);
  for (const std::string& joint : c.joints) out->Add(joint);
  out->Add(c.rate);
  for (const std::vector<double>* list : {&c.stiffness, &c.damping, &c.target, &c.torque, &c.times}) Add(*list, out);
  for (const std::vector<double>& row : c.values) Add(row, out);
  out->Add(c.gravity_compensation);
  out->Add(c.mode);
  out->Add(c.body);
  Add(c.frame, out);
  out->Add(c.payload);
  out->Add(c.path_kind);
  for (const SceneWaypoint& w : c.path) {
    Add(w.pose, out);
    for (const double x : {w.time, w.turn, w.radius, w.angle}) out->Add(x);
    AddMaybe(
        w.payload, [&](double x) { out->Add(x); }, out);
  }
  for (const SceneTask& task : c.tasks) Add(task, out);
  for (const double x : {c.effort_share, c.margin, c.time_budget}) out->Add(x);
}

void Add(const SceneMotion& m, Hasher* out) {
  out->Add(m.type);
  for (const Vector3* v : {&m.velocity, &m.angular_velocity, &m.amplitude, &m.rotation}) Add(*v, out);
  out->Add(m.frequency);
  out->Add(m.phase);
  Add(m.times, out);
  for (const Pose& X : m.poses) Add(X, out);
  if (m.type != MotionType::Winding) return;
  const WindingMotion& w = m.winding;
  Add(w.centre, out);
  for (const double x : {w.radius, w.rate, w.length, w.length_rate, w.height, w.height_rate, w.begin}) out->Add(x);
}

void Add(const SceneItems& items, Hasher* out) {
  out->Add(items.items.size());
  for (const int i : items.items) out->Add(i);
  AddMaybe(
      items.low, [&](const Vector3& v) { Add(v, out); }, out);
  AddMaybe(
      items.high, [&](const Vector3& v) { Add(v, out); }, out);
}

// Nodes and friction are known to the simulator.
void Add(const SceneDeformable& d, Hasher* out) {
  out->Add(d.type);
  for (const double x : {d.fem.young, d.fem.poisson, d.fem.density, d.fem.mass_damping, d.fem.stiffness_damping}) {
    out->Add(x);
  }
  out->Add(d.fem.model);
  out->Add(d.fem_settings.mass);
  out->Add(d.fem_settings.stiffness);
  out->Add(d.fem_settings.geometric_bound);
  for (const double x : {d.rod.length, d.rod.radius, d.rod.young, d.rod.poisson, d.rod.density, d.rod.mass_damping,
                         d.rod.stiffness_damping}) {
    out->Add(x);
  }
  out->Add(d.rod.geometry);
  Add(d.pose, out);
  out->Add(d.contact_type);
  out->Add(d.contact_affinity);
  for (const SceneClamp& clamp : d.clamps) {
    Add(clamp.items, out);
    AddMaybe(
        clamp.motion, [&](const SceneMotion& m) { Add(m, out); }, out);
  }
  for (const SceneAttachment& a : d.attachments) {
    Add(a.items, out);
    out->Add(a.body);
    out->Add(a.from);
    out->Add(a.to);
  }
}

}  // namespace

std::uint64_t CalcSceneTag(const SceneDescription& scene, const VectorX& initial) {
  Hasher out;
  out.AddRange(initial.data(), static_cast<std::size_t>(initial.size()));
  for (const SceneConstraint& c : scene.constraints) Add(c, &out);
  for (const SceneController& c : scene.controllers) Add(c, &out);
  for (const SceneWrench& w : scene.wrenches) {
    out.Add(w.body);
    for (const Vector3* v : {&w.force, &w.torque, &w.point}) Add(*v, &out);
    out.Add(w.from);
    out.Add(w.to);
  }
  for (const SceneObject& object : scene.objects) {
    AddMaybe(
        object.motion, [&](const SceneMotion& m) { Add(m, &out); }, &out);
  }
  for (const SceneDeformable& d : scene.deformables) Add(d, &out);
  return out.value();
}

}  // namespace tactus
