// What a simulation is made of, as 64 bits: a snapshot goes with one world only.
#include <unordered_map>

#include "tactus/core/hash.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

namespace {

// Visits a description. Meshes are shared by many shapes, so each is looked at once.
class WorldHasher {
 public:
  void Add(const ModelDescription& model) {
    Add(model.gravity);
    AddAll(model.links, [&](const LinkDescription& link) { Add(link); });
    AddAll(model.world_shapes, [&](const ShapeInstance& shape) { Add(shape); });
    AddAll(model.actuators, [&](const ActuatorDescription& a) {
      out.Add(a.name);
      out.Add(a.joint);
      out.Add(a.tendon);
      AddNumbers({a.gear, a.gain, a.bias[0], a.bias[1], a.bias[2], a.control_lower, a.control_upper, a.force_lower,
                  a.force_upper, a.time_constant, a.activation_lower, a.activation_upper});
      out.AddRange(a.gears.data(), a.gears.size());
      out.Add(a.activation);
    });
    AddAll(model.equalities, [&](const EqualityDescription& e) {
      out.Add(e.type);
      out.Add(e.first);
      out.Add(e.second);
      Add(e.anchor);
      Add(e.second_anchor.value_or(Vector3::Zero()));
      Add(e.relative.value_or(Pose()));
      out.AddRange(e.polynomial, 5);
      out.Add(e.active);
    });
    AddAll(model.tendons, [&](const TendonDescription& t) {
      AddAll(t.joints, [&](const std::pair<std::string, double>& joint) {
        out.Add(joint.first);
        out.Add(joint.second);
      });
      AddNumbers({t.lower, t.upper, t.stiffness, t.damping, t.dry_friction, t.rest_lower, t.rest_upper});
    });
    AddAll(model.contact_pairs, [&](const ContactPairDescription& p) {
      out.Add(p.first);
      out.Add(p.second);
      out.Add(p.friction);
    });
    AddAll(model.contact_excludes, [&](const std::pair<std::string, std::string>& p) {
      out.Add(p.first);
      out.Add(p.second);
    });
  }

  Hasher out;

 private:
  template <typename List, typename Each>
  void AddAll(const List& items, const Each& each) {
    out.Add(items.size());
    for (const auto& item : items) each(item);
  }
  void AddNumbers(std::initializer_list<double> numbers) { out.AddRange(numbers.begin(), numbers.size()); }
  void Add(const Vector3& v) { out.AddRange(v.data(), 3); }
  void Add(const Pose& X) {
    out.AddRange(X.R.data(), 9);
    Add(X.p);
  }

  void Add(const LinkDescription& link) {
    out.Add(link.name);
    out.Add(link.parent);
    Add(link.X_PL);
    AddAll(link.joints, [&](const JointDescription& j) {
      out.Add(j.name);
      out.Add(j.type);
      Add(j.axis);
      Add(j.anchor);
      AddNumbers({j.lower, j.upper, j.effort_limit, j.damping, j.dry_friction, j.stiffness, j.rest_position, j.armature,
                  j.reference});
      Add(j.initial);  // what "as at the start" refers to
      out.Add(j.mimic ? std::string_view(j.mimic->joint) : std::string_view());
      if (j.mimic) AddNumbers({j.mimic->multiplier, j.mimic->offset});
    });
    out.Add(link.inertia.has_value());
    if (link.inertia) {
      out.Add(link.inertia->mass);
      Add(link.inertia->com);
      out.AddRange(link.inertia->central.data(), 9);
    }
    AddAll(link.shapes, [&](const ShapeInstance& shape) { Add(shape); });
  }

  void Add(const ShapeInstance& s) {
    out.Add(s.collides);
    if (!s.collides) return;
    out.Add(s.name);
    out.Add(s.shape.type);
    Add(s.shape.size);
    out.Add(s.shape.concave);
    out.Add(s.shape.corners_only);
    if (s.shape.mesh != nullptr) out.Add(HashMesh(*s.shape.mesh));
    if (s.shape.field != nullptr) out.Add(HashMesh(s.shape.field->surface()));
    if (s.shape.height_field != nullptr) {
      const HeightField& field = *s.shape.height_field;
      AddNumbers({field.half_x, field.half_y, static_cast<double>(field.rows)});
      out.AddRange(field.heights.data(), field.heights.size());
    }
    Add(s.X_LS);
    out.Add(s.contact_type);
    out.Add(s.contact_affinity);
    const Material& m = s.material;
    AddNumbers({m.friction, m.friction2.value_or(m.friction), m.restitution, m.stiffness, m.damping});
    Add(m.friction_direction);
    Add(m.surface_velocity);
    out.Add(m.friction_rule);
    out.Add(m.restitution_rule);
    out.Add(m.frictionless);
  }

  std::uint64_t HashMesh(const TriangleMesh& mesh) {
    const auto [entry, is_new] = meshes_.emplace(&mesh, 0);
    if (is_new) {
      Hasher hasher;
      hasher.Add(mesh.triangles.size());
      for (const Vector3& v : mesh.vertices) hasher.AddRange(v.data(), 3);
      for (const auto& triangle : mesh.triangles) {
        for (const int corner : triangle) hasher.Add(corner);
      }
      entry->second = hasher.value();
    }
    return entry->second;
  }

  std::unordered_map<const TriangleMesh*, std::uint64_t> meshes_;
};

}  // namespace

std::uint64_t Simulator::CalcWorldHash() const {
  WorldHasher hasher;
  hasher.Add(model_->description());
  Hasher& out = hasher.out;
  out.Add(constraints_.size());
  for (const auto& constraint : constraints_) out.Add(constraint->name());
  for (const ConstraintTimes& times : constraint_times_) {
    out.Add(times.from);
    out.Add(times.to);
  }
  out.Add(drives_.size());
  for (const JointDrive& drive : drives_) {
    out.Add(drive.joint);
    out.Add(drive.stiffness);
    out.Add(drive.damping);
    out.Add(drive.effort);
  }
  out.Add(controllers_.size());
  out.Add(scripts_.size());
  for (int k = 0; k < deformables_.size(); ++k) {
    const Deformable& body = deformables_.body(k);
    const DeformableSetup& setup = deformables_.setup(k);
    out.Add(setup.name);
    out.AddRange(body.initial_q().data(), static_cast<std::size_t>(body.nq()));
    out.Add(body.mass());
    out.Add(body.nv());
    for (int i = 0; i < body.num_items(); ++i) out.Add(body.first_dof(i));
    out.Add(body.pattern().nonZeros());
    out.Add(setup.material.friction);
    out.Add(setup.self_contact);
    out.Add(setup.collides);
  }
  for (const DeformablePair& pair : finder_.deformable_pairs()) {
    out.Add(pair.a);
    out.Add(pair.b);
    out.Add(pair.friction.value_or(-1));
  }
  for (const Attachment& attachment : attachments_) {
    out.Add(attachment.deformable);
    out.Add(attachment.link);
    for (const int item : attachment.items) out.Add(item);
    out.Add(attachment.times.from);
    out.Add(attachment.times.to);
  }
  for (const SoftActuator& actuator : soft_actuators_) {
    out.Add(actuator.deformable);
    for (const double x : {actuator.lower, actuator.upper, actuator.travel_lower, actuator.travel_upper}) out.Add(x);
    for (const int item : actuator.items) out.Add(item);
    out.AddRange(actuator.axis.data(), 3);
    if (actuator.force != nullptr) {
      const ActuatorRow row = actuator.force->MakeRow();
      for (const int dof : row.dof) out.Add(dof);
    }
  }
  out.Add(world_tag_);
  return out.value();
}

}  // namespace tactus
