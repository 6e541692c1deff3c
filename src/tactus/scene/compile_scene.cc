#include "tactus/scene/compile_scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tactus/constraints/kinds.h"
#include "tactus/core/error.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/scene/compile_deformables.h"
#include "tactus/scene/compile_soft.h"
#include "tactus/scene/compile_tasks.h"
#include "tactus/scene/scene_hash.h"
#include "tactus/scene/setup_checks.h"
#include "tactus/scene/yaml_tree.h"
#include "tactus/simulation/controllers.h"
#include "tactus/simulation/link_path.h"
#include "tactus/simulation/sensors.h"

namespace tactus {

SimulatorSettings MakeSettings(const SceneSettings& s) {
  SimulatorSettings out;
  out.scheme.step = s.time_step;
  if (s.theta) out.scheme.theta = *s.theta;
  if (s.linearizations) out.linearizations = *s.linearizations;
  if (s.margin) out.contacts.margin = *s.margin;
  if (s.max_points) out.contacts.max_points = *s.max_points;
  if (s.max_contacts) out.contacts.max_contacts = *s.max_contacts;
  if (s.rest_speed) out.rest_speed = *s.rest_speed;
  if (s.impact_threshold) out.impact_threshold = *s.impact_threshold;
  if (s.newton_iterations) out.newton_iterations = *s.newton_iterations;
  if (s.newton_tolerance) out.newton_tolerance = *s.newton_tolerance;
  if (s.stabilization) {
    using Kind = StabilizationSettings::Kind;
    out.stabilization.kind = *s.stabilization == SceneStabilization::Split       ? Kind::Split
                             : *s.stabilization == SceneStabilization::Baumgarte ? Kind::Baumgarte
                                                                                 : Kind::GapSpeed;
  }
  if (s.stabilization_alpha) out.stabilization.alpha = *s.stabilization_alpha;
  if (s.stabilization_max_speed) out.stabilization.max_speed = *s.stabilization_max_speed;
  if (s.stabilization_slop) out.stabilization.slop = *s.stabilization_slop;
  if (s.solver) out.solver = *s.solver;
  out.cond = s.cond;
  if (s.virtual_node_damping && *s.virtual_node_damping > 0) {
    out.cond.virtual_nodes = CondVirtualNodes::Plain;
    out.cond.tie_damping = *s.virtual_node_damping * s.time_step;
  }
  if (s.tolerance) out.solve.tolerance = *s.tolerance;
  if (s.max_iterations) out.solve.max_iterations = *s.max_iterations;
  if (s.time_budget) out.solve.time_budget = *s.time_budget;
  if (s.warm_start) out.warm_start = *s.warm_start;
  if (s.on_failure) {
    out.on_failure = *s.on_failure == SceneFailurePolicy::Retry  ? FailurePolicy::Retry
                     : *s.on_failure == SceneFailurePolicy::Stop ? FailurePolicy::Stop
                                                                 : FailurePolicy::Continue;
  }
  if (s.retry_solver) out.retry_solver = *s.retry_solver;
  if (s.threads) out.threads = *s.threads;
  return out;
}

namespace {

// "model/joint, model/link": the nearest of them to a name, or what is expected otherwise.
template <typename Items, typename NameOf>
std::string Suggest(const std::string& name, const Items& items, const NameOf& name_of, const char* otherwise) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(name_of(item));
  const std::string nearest = FindNearest(name, names);
  return nearest.empty() ? otherwise : "did you mean '" + nearest + "'?";
}

class Compiler {
 public:
  Compiler(const SceneDescription& scene, const SimulatorSettings& settings) : scene_(scene), settings_(settings) {}

  SceneSimulation Run() {
    if (!scene_.contacts_enabled) settings_.contacts.enabled = false;
    ModelDescription world = MakeWorld(scene_);
    notes_ = scene_.notes;
    const VectorX initial = FindInitial(world);
    AddJointSprings(initial, &world);
    AddPairs(&world);
    model_ = std::make_shared<const Model>(world);
    SceneSimulation out;
    out.simulator = std::make_unique<Simulator>(model_, settings_);
    simulator_ = out.simulator.get();
    State state = simulator_->state();
    state.q = initial;
    SetVelocities(&state);
    simulator_->SetState(state);
    for (const SceneDrive& d : scene_.drives) AddDrive(d);
    for (const SceneController& c : scene_.controllers) AddController(c);
    // After controllers, as paths say where links start.
    for (const SceneConstraint& c : scene_.constraints) AddConstraint(c);
    for (const SceneDeformable& d : scene_.deformables) {
      AddDeformable(
          d, [&](const std::string& name) { return Body(name, "deformable '" + d.name + "'"); }, simulator_);
    }
    AddDeformablePairs(scene_, simulator_);
    for (const SceneController& c : scene_.controllers) AddSoftController(c);
    for (const SceneWrench& w : scene_.wrenches) {
      const std::string where = "wrench on '" + w.body + "'";
      Require(w.body != "world", where, "nothing moves the world", "an object or a link");
      simulator_->AddWrench({Body(w.body, where), w.force, w.torque, w.point, w.from, w.to});
    }
    for (const SceneObject& object : scene_.objects) AddMotion(object);
    for (const SceneSensor& sensor : scene_.sensors) out.probes.push_back(MakeProbe(sensor));
    CheckMasses(*model_);
    for (std::string& note : NoteSetup(simulator_)) notes_.push_back(std::move(note));
    simulator_->SetWorldTag(CalcSceneTag(scene_, initial));
    out.notes = std::move(notes_);
    out.task_controllers = std::move(task_controllers_);
    out.soft_controllers = std::move(soft_controllers_);
    return out;
  }

 private:
  int Body(const std::string& name, const std::string& where) const {
    if (name == "world") return -1;
    const int link = model_->FindLink(name);
    if (link < 0) {
      throw InputError(where, "there is no body '" + name + "'",
                       Suggest(
                           name, model_->links(), [](const ModelLink& l) { return l.name; },
                           "an object, a link as model/link, or world"));
    }
    return link;
  }

  // q at the start: of the models' files, then what the scene says.
  VectorX FindInitial(const ModelDescription& world) {
    model_ = std::make_shared<const Model>(world);
    VectorX q = model_->MakeInitial();
    for (const SceneModel& model : scene_.models) {
      if (!model.keyframe.empty()) SetKeyframe(model, &q);
      for (const auto& [name, value] : model.joints) {
        const ModelBody& body = OneDof(model.name + "/" + name, "model '" + model.name + "'");
        q[body.q] = value;
      }
    }
    FollowMimics(&q);
    return q;
  }

  // Joints that follow others start where those put them, unless the scene says otherwise.
  void FollowMimics(VectorX* q) const {
    for (std::size_t round = 0; round < model_->joints().size(); ++round) {
      bool changed = false;
      for (const ModelJoint& joint : model_->joints()) {
        if (joint.mimic < 0) continue;
        const ModelBody &body = model_->body(joint.body),
                        &leader = model_->body(model_->joints()[static_cast<std::size_t>(joint.mimic)].body);
        const double value = joint.description.mimic->multiplier * (*q)[leader.q] + joint.description.mimic->offset;
        changed = changed || (*q)[body.q] != value;
        (*q)[body.q] = value;
      }
      if (!changed) break;
    }
  }

  void SetKeyframe(const SceneModel& model, VectorX* q) const {
    const Model part(model.description);
    const auto& frames = model.description.keyframes;
    const auto frame = std::find_if(frames.begin(), frames.end(),
                                    [&](const KeyframeDescription& f) { return f.name == model.keyframe; });
    const std::string where = "model '" + model.name + "'";
    Require(frame != frames.end(), where, "there is no keyframe '" + model.keyframe + "'", "one of its file");
    Require(static_cast<int>(frame->q.size()) == part.nq(), where, "keyframe '" + model.keyframe + "' has no q",
            "a keyframe with positions");
    for (const ModelJoint& joint : part.joints()) {
      const int j = model_->FindJoint(model.name + "/" + joint.description.name);
      if (j < 0) continue;  // a base that the scene fixes
      const ModelBody &from = part.body(joint.body),
                      &to = model_->body(model_->joints()[static_cast<std::size_t>(j)].body);
      const int nq = GetJointKind(joint.description.type).nq;
      for (int k = 0; k < nq; ++k) (*q)[to.q + k] = frame->q[static_cast<std::size_t>(from.q + k)];
      if (joint.description.type == JointType::Floating) {
        // In the part's own world.
        const Pose X(Quaternion((*q)[to.q + 3], (*q)[to.q + 4], (*q)[to.q + 5], (*q)[to.q + 6]).toRotationMatrix(),
                     q->segment<3>(to.q));
        const Pose moved = model.pose * X;
        const Quaternion turn(moved.R);
        q->segment<7>(to.q) << moved.p, turn.w(), turn.x(), turn.y(), turn.z();
      }
    }
  }

  int JointIndex(const std::string& name, const std::string& where) const {
    const int joint = model_->FindJoint(name);
    if (joint < 0) {
      throw InputError(where, "there is no joint '" + name + "'",
                       Suggest(
                           name, model_->joints(), [](const ModelJoint& j) { return j.description.name; },
                           "a joint as model/joint"));
    }
    return joint;
  }

  const ModelBody& OneDof(const std::string& name, const std::string& where) const {
    const ModelJoint& joint = model_->joints()[static_cast<std::size_t>(JointIndex(name, where))];
    const ModelBody& body = model_->body(joint.body);
    Require(body.nv == 1, where, "joint '" + name + "' has " + std::to_string(body.nv) + " dofs", "a joint of one dof");
    return body;
  }

  // "panda/*" are all joints of one dof that follow no other.
  std::vector<int> Joints(const std::string& name, const std::string& where) const {
    if (!name.ends_with("/*") && name != "*") return {JointIndex(name, where)};
    const std::string prefix = name.substr(0, name.size() - 1);
    std::vector<int> out;
    for (std::size_t j = 0; j < model_->joints().size(); ++j) {
      const ModelJoint& joint = model_->joints()[j];
      if (joint.description.name.starts_with(prefix) && model_->body(joint.body).nv == 1 && joint.mimic < 0) {
        out.push_back(static_cast<int>(j));
      }
    }
    Require(!out.empty(), where, "there are no joints '" + name + "'", "joints of one dof");
    return out;
  }

  void AddJointSprings(const VectorX& initial, ModelDescription* world) const {
    for (const SceneConstraint& c : scene_.constraints) {
      if (c.type != SceneConstraintType::JointSpring) continue;
      const ModelBody& body = OneDof(c.joint, "spring '" + c.name + "'");
      for (LinkDescription& link : world->links) {
        for (JointDescription& joint : link.joints) {
          if (joint.name != c.joint) continue;
          joint.stiffness += c.stiffness;
          joint.damping += c.damping;
          joint.rest_position = c.rest.value_or(initial[body.q]);
        }
      }
    }
  }

  // Links of a body, or of a whole model.
  std::vector<int> Links(const std::string& name, const std::string& where) const {
    if (const int link = model_->FindLink(name); link >= 0) return {link};
    std::vector<int> out;
    for (std::size_t l = 0; l < model_->links().size(); ++l) {
      if (model_->links()[l].name.starts_with(name + "/")) out.push_back(static_cast<int>(l));
    }
    Require(!out.empty(), where, "there is no body or model '" + name + "'", "an object, model/link or a model");
    return out;
  }

  // Of what is rigid.
  void AddPairs(ModelDescription* world) const {
    for (const auto& [first, second] : scene_.contact_excludes) {
      if (NamesDeformable(scene_, first, second)) continue;
      for (const int a : Links(first, "contacts.exclude")) {
        for (const int b : Links(second, "contacts.exclude")) {
          if (a == b) continue;
          world->contact_excludes.emplace_back(model_->links()[static_cast<std::size_t>(a)].name,
                                               model_->links()[static_cast<std::size_t>(b)].name);
        }
      }
    }
    for (const SceneContactPair& pair : scene_.contact_pairs) {
      if (NamesDeformable(scene_, pair.first, pair.second)) continue;
      for (const int a : Links(pair.first, "contacts.pairs")) {
        for (const int b : Links(pair.second, "contacts.pairs")) {
          for (const ShapeInstance& x : world->links[static_cast<std::size_t>(a)].shapes) {
            for (const ShapeInstance& y : world->links[static_cast<std::size_t>(b)].shapes) {
              if (x.collides && y.collides) world->contact_pairs.push_back({x.name, y.name, pair.friction});
            }
          }
        }
      }
    }
  }

  void SetVelocities(State* state) const {
    const auto set = [&](const std::string& name, const Vector3& linear, const Vector3& angular) {
      const ModelLink& link = model_->links()[static_cast<std::size_t>(model_->FindLink(name))];
      if (link.body < 0) return;
      const ModelBody& body = model_->body(link.body);
      if (body.kind->type != JointType::Floating) return;
      const Quaternion turn(state->q[body.q + 3], state->q[body.q + 4], state->q[body.q + 5], state->q[body.q + 6]);
      state->v.segment<3>(body.v) = linear;
      state->v.segment<3>(body.v + 3) = turn.conjugate() * angular;
    };
    for (const SceneModel& model : scene_.models) {
      for (const auto& [name, value] : model.velocities) {
        state->v[OneDof(model.name + "/" + name, "model '" + model.name + "'").v] = value;
      }
      if (model.linear_velocity.isZero(0) && model.angular_velocity.isZero(0)) continue;
      for (const LinkDescription& link : model.description.links) {
        if (link.parent < 0) set(model.name + "/" + link.name, model.linear_velocity, model.angular_velocity);
      }
    }
    for (const SceneObject& object : scene_.objects) {
      if (object.linear_velocity.isZero(0) && object.angular_velocity.isZero(0)) continue;
      const int copies = object.array ? object.array->size() : 1;
      for (int k = 0; k < copies; ++k) {
        set(object.array ? object.name + "_" + std::to_string(k) : object.name, object.linear_velocity,
            object.angular_velocity);
      }
    }
  }

  void AddConstraint(const SceneConstraint& c) {
    using T = SceneConstraintType;
    const std::string where = "constraint '" + c.name + "'";
    if (c.type == T::JointSpring || c.type == T::Tendon) return;  // part of the model
    if (c.type == T::Gear) {
      JointCoupling coupling;
      coupling.name = c.name;
      coupling.first = JointIndex(c.joint, where);
      coupling.first_start = simulator_->state().q[OneDof(c.joint, where).q];
      coupling.second = JointIndex(c.other_joint, where);
      coupling.second_start = simulator_->state().q[OneDof(c.other_joint, where).q];
      coupling.polynomial = c.polynomial;
      simulator_->AddConstraint(MakeJointCoupling(*model_, coupling));
      return;
    }
    const int first = Body(c.first, where);
    if (c.type == T::NoSlip) {
      NoSlip wheel;
      wheel.name = c.name;
      wheel.link = first;
      wheel.center = c.first_point.value_or(Vector3::Zero());
      wheel.axis = c.axis;
      wheel.normal = c.normal;
      wheel.radius = c.radius;
      wheel.slides_sideways = !c.lateral;
      simulator_->AddConstraint(MakeNoSlip(*model_, wheel));
      return;
    }
    const int second = Body(c.second, where);
    const ConstraintTimes times{c.from, c.to};
    const auto pose = [&](int link) { return link < 0 ? Pose() : simulator_->LinkPose(link); };
    const Pose X_AB = pose(first).Inverse() * pose(second);
    PointLink points{first, second, c.first_point.value_or(Vector3::Zero()), Vector3::Zero()};
    const bool same_place = c.type == T::Connect || c.type == T::Weld;
    points.p_B = c.second_point.value_or(same_place ? Vector3(X_AB.Inverse() * points.p_A) : Vector3::Zero());
    if (c.type == T::Spring || c.type == T::Distance) {
      const double length = (points.p_A - X_AB * points.p_B).norm();
      if (c.type == T::Spring) {
        simulator_->AddConstraint(
            MakeSpring(*model_, {c.name, points, c.stiffness, c.damping, c.rest.value_or(length)}), times);
      } else {
        const bool rope = std::isfinite(c.upper);
        simulator_->AddConstraint(
            MakeDistance(*model_, {c.name, points, rope ? c.upper : c.rest.value_or(length), rope}), times);
      }
      return;
    }
    Weld weld;
    weld.name = c.name;
    weld.first = first;
    weld.second = second;
    if (c.type == T::Connect) {
      weld.X_AC.p = points.p_A;
      weld.X_BD.p = points.p_B;
      simulator_->AddConstraint(MakeConnect(*model_, weld), times);
    } else {
      weld.X_AC = c.relative.value_or(X_AB);
      simulator_->AddConstraint(MakeWeld(*model_, weld), times);
      const std::string note = NoteOpenWeld(c.name, weld.X_AC, X_AB);
      if (!note.empty() && times.from <= 0 && times.to > 0) notes_.push_back(note);
    }
  }

  void AddDrive(const SceneDrive& d) {
    const std::string where = "drive of '" + d.joint + "'";
    for (const int joint : Joints(d.joint, where)) {
      const int drive = simulator_->AddDrive({joint, d.stiffness, d.damping, d.effort});
      DriveTarget& target = simulator_->control().drives[static_cast<std::size_t>(drive)];
      if (d.target) target.position = *d.target;
      target.velocity = d.target_velocity;
    }
  }

  static double Pick(const std::vector<double>& values, std::size_t k, double otherwise) {
    return values.empty() ? otherwise : values.size() == 1 ? values[0] : values.at(k);
  }

  // After the deformables that they are about.
  void AddSoftController(const SceneController& c) {
    if (c.type != SceneControllerType::Soft) return;
    std::unique_ptr<SoftController> controller = MakeSoftController(c, scene_, *simulator_);
    soft_controllers_.push_back(controller.get());
    simulator_->AddController(std::move(controller));
  }

  void AddController(const SceneController& c) {
    using T = SceneControllerType;
    if (c.type == T::Soft) return;
    const std::string where = "controller '" + c.name + "'";
    std::vector<int> joints;
    for (const std::string& name : c.joints) {
      const std::vector<int> more = Joints(name, where);
      joints.insert(joints.end(), more.begin(), more.end());
    }
    for (const std::vector<double>* list : {&c.stiffness, &c.damping, &c.target, &c.torque}) {
      Require(list->size() <= 1 || list->size() == joints.size(), where,
              "has " + std::to_string(list->size()) + " values for " + std::to_string(joints.size()) + " joints",
              "one for all, or one for each");
    }
    const double period = c.rate > 0 ? 1 / c.rate : 0;
    if (c.type == T::Task) {
      std::unique_ptr<TaskController> controller = MakeTaskController(c, joints, *simulator_);
      task_controllers_.push_back(controller.get());
      simulator_->AddController(std::move(controller));
      return;
    }
    if (c.type == T::Path) {
      AddPathController(c, joints, period);
      return;
    }
    const bool force = c.type == T::Torque || (c.type == T::Script && c.mode == SceneScriptMode::Torque);
    Timeline timeline;
    timeline.times = c.times;
    timeline.values = c.values;
    if (c.type != T::Waypoints) timeline.kind = Timeline::Kind::Hold;
    if (c.times.empty()) {
      timeline.times = {0};
      timeline.values.resize(1);
      for (std::size_t k = 0; k < joints.size(); ++k) {
        const ModelBody& body = model_->body(model_->joints()[static_cast<std::size_t>(joints[k])].body);
        timeline.values[0].push_back(c.type == T::Torque ? Pick(c.torque, k, 0)
                                                         : Pick(c.target, k, simulator_->state().q[body.q]));
      }
    }
    std::vector<int> targets;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const ModelBody& body = model_->body(model_->joints()[static_cast<std::size_t>(joints[k])].body);
      Require(body.nv == 1, where, "a joint has " + std::to_string(body.nv) + " dofs", "joints of one dof");
      if (force) {
        targets.push_back(body.v);
      } else {
        targets.push_back(simulator_->AddDrive({joints[k], Pick(c.stiffness, k, 0), Pick(c.damping, k, 0)}));
      }
    }
    if (force) {
      simulator_->AddController(MakeForceController(targets, timeline, period));
    } else if (c.type == T::Script && c.mode == SceneScriptMode::Velocity) {
      simulator_->AddController(MakeVelocityController(targets, timeline, period));
    } else {
      simulator_->AddController(MakeDriveController(targets, timeline, c.gravity_compensation, period));
    }
  }

  void AddPathController(const SceneController& c, const std::vector<int>& joints, double period) {
    const std::string where = "controller '" + c.name + "'";
    LinkPath path;
    path.link = Body(c.body, where);
    path.X_LF = c.frame;
    path.kind = c.path_kind == ScenePathKind::Smooth ? Timeline::Kind::Smooth : Timeline::Kind::Linear;
    Timeline carried;
    carried.kind = path.kind;
    for (const SceneWaypoint& w : c.path) {
      path.waypoints.push_back({w.time, w.pose.p, Quaternion(w.pose.R), w.turn, w.radius, w.angle});
      carried.times.push_back(w.time);
      carried.values.push_back({w.payload.value_or(c.payload)});
    }
    std::vector<int> dofs, drives;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const ModelBody& body = model_->body(model_->joints()[static_cast<std::size_t>(joints[k])].body);
      Require(body.nv == 1, where, "a joint has " + std::to_string(body.nv) + " dofs", "joints of one dof");
      dofs.push_back(body.v);
      drives.push_back(simulator_->AddDrive({joints[k], Pick(c.stiffness, k, 0), Pick(c.damping, k, 0)}));
    }
    State state = simulator_->state();
    const Timeline timeline = PlanPath(*model_, state.q, path, dofs);
    for (std::size_t k = 0; k < dofs.size(); ++k) {
      state.q[model_->body(model_->dof_body(dofs[k])).q] = timeline.values.front()[k];
    }
    simulator_->SetState(state);
    const ModelLink& link = model_->links()[static_cast<std::size_t>(path.link)];
    simulator_->AddController(MakeDriveController(drives, timeline, c.gravity_compensation, period,
                                                  {link.body, (link.X_BL * path.X_LF).p, carried}));
  }

  void AddMotion(const SceneObject& object) {
    if (!object.motion) return;
    const SceneMotion& m = *object.motion;
    const int copies = object.array ? object.array->size() : 1;
    for (int k = 0; k < copies; ++k) {
      const int link = Body(object.array ? object.name + "_" + std::to_string(k) : object.name, "motion");
      const Pose& start = model_->links()[static_cast<std::size_t>(link)].X_BL;
      simulator_->SetMotion(link, MakeMotion(m, start));
    }
  }

  void FindDeformable(const SceneSensor& sensor, const std::string& where, SceneProbe* probe) const {
    const DeformableSet& all = simulator_->deformables();
    for (int k = 0; k < all.size(); ++k) {
      if (all.setup(k).name == sensor.deformable) probe->deformable = k;
    }
    Require(probe->deformable >= 0, where, "there is no deformable '" + sensor.deformable + "'",
            "a name of `deformables`");
    using T = SceneSensorType;
    std::vector<int> attachments;
    for (std::size_t n = 0; n < simulator_->attachments().size(); ++n) {
      if (simulator_->attachments()[n].deformable == probe->deformable) attachments.push_back(static_cast<int>(n));
    }
    const bool clamp = sensor.type == T::ClampForce, attachment = sensor.type == T::AttachmentForce;
    const int count = clamp        ? static_cast<int>(all.setup(probe->deformable).clamps.size())
                      : attachment ? static_cast<int>(attachments.size())
                                   : all.body(probe->deformable).num_items();
    int& index = probe->sensor.index;
    if (index < 0) index += count;
    Require(index >= 0 && index < count, where,
            "it has " + std::to_string(count) +
                (clamp        ? " clamps"
                 : attachment ? " attachments"
                              : " nodes or segments"),
            "an index that exists");
    if (attachment) probe->attachment = attachments[static_cast<std::size_t>(index)];
  }

  SceneProbe MakeProbe(const SceneSensor& sensor) const {
    using T = SceneSensorType;
    SceneProbe probe;
    probe.sensor = sensor;
    const std::string where = "sensor '" + sensor.name + "'";
    if (sensor.type == T::JointState || sensor.type == T::DriveEffort) {
      probe.joint = JointIndex(sensor.joint, where);
      OneDof(sensor.joint, where);
    } else if (sensor.type == T::ClampForce || sensor.type == T::AttachmentForce || sensor.type == T::DeformableItem) {
      FindDeformable(sensor, where, &probe);
    } else if (sensor.type != T::Energy) {
      probe.link = Body(sensor.body, where);
      Require(probe.link >= 0, where, "its body is the world", "an object or a link");
      Require(sensor.type != T::JointWrench || model_->links()[static_cast<std::size_t>(probe.link)].body >= 0, where,
              "body '" + sensor.body + "' does not move", "a link that moves");
    }
    probe.columns = SensorColumns(sensor.type);
    probe.size = static_cast<int>(probe.columns.size());
    return probe;
  }

  const SceneDescription& scene_;
  SimulatorSettings settings_;
  std::shared_ptr<const Model> model_;
  Simulator* simulator_ = nullptr;
  std::vector<std::string> notes_;
  std::vector<const TaskController*> task_controllers_;
  std::vector<const SoftController*> soft_controllers_;
};

}  // namespace

SceneSimulation MakeSimulation(const SceneDescription& scene, const SimulatorSettings& settings) {
  return Compiler(scene, settings).Run();
}

SceneSimulation MakeSimulation(const SceneDescription& scene) {
  return MakeSimulation(scene, MakeSettings(scene.settings));
}

}  // namespace tactus
