// What drives a scene and what is measured: drives, controllers, wrenches, sensors.
#include <fmt/format.h>

#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

namespace {

using C = SceneController;

constexpr std::size_t kMaxJoints = 10000, kMaxRows = 1 << 17;

Codec<std::vector<double>> OneOrMany(const NumberRule& rule) {
  const Codec<double> one = Number(rule);
  const Codec<std::vector<double>> many = Numbers(rule, 1, kMaxJoints);
  return {[one, many](const Cursor& cursor, std::vector<double>* out) {
            if (cursor.IsList()) {
              many.read(cursor, out);
            } else {
              out->resize(1);
              one.read(cursor, &out->front());
            }
          },
          "{\"anyOf\": [" + one.schema + ", " + many.schema + "]}"};
}

// Rows [time, value, value, ...], times increasing.
void ReadTable(const Cursor& cursor, C* out) {
  CheckListSize(cursor, kMaxRows);
  if (cursor.size() == 0) cursor.FailValue("a row [time, value, ...] or more");
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    std::vector<double> row;
    Numbers(AnyNumber(), 2, kMaxJoints + 1).read(cursor.At(i), &row);
    if (i > 0 && row.size() != out->values.front().size() + 1) {
      cursor.At(i).FailValue(fmt::format("{} numbers, as in the first row", out->values.front().size() + 1));
    }
    if (i > 0 && !(row[0] > out->times.back())) {
      cursor.At(i).Fail(fmt::format("its time {:g} is not after that of the row before", row[0]), "increasing times");
    }
    out->times.push_back(row[0]);
    out->values.emplace_back(row.begin() + 1, row.end());
  }
}

Keys<C> Common(const char* type, const char* help, const char* rate = "0") {
  Keys<C> keys(std::string("controller_") + type, help, type);
  keys.Add("name", &C::name, Name(), "for reports");
  keys.Add("joints", &C::joints, List(Text(), kMaxJoints), "of one dof; 'panda/*' are all of a model").Required();
  keys.Add("rate", &C::rate, Number(Within(0, 1e9, "Hz")), "updates per second, 0: every step [Hz]").Default(rate);
  keys.Finally([](const Cursor& cursor, C* out) {
    if (out->joints.empty()) cursor.Key("joints").FailValue("one joint or more");
  });
  return keys;
}

Keys<C> Gains(const char* type, const char* help) {
  Keys<C> keys = Common(type, help);
  keys.Add("stiffness", &C::stiffness, OneOrMany(AtLeast(0)), "one for all, or one for each joint [N m/rad, N/m]")
      .Required();
  keys.Add("damping", &C::damping, OneOrMany(AtLeast(0)), "likewise; else 0 [N m s/rad, N s/m]");
  return keys;
}

void ReadPath(const Cursor& cursor, C* out) {
  List(Object(PathPointKeys()), 10000).read(cursor, &out->path);
  if (out->path.empty()) cursor.FailValue("one point or more");
  for (std::size_t i = 1; i < out->path.size(); ++i) {
    if (out->path[i].time > out->path[i - 1].time) continue;
    cursor.At(i).Key("time").FailValue(
        fmt::format("a time after {:g}, that of the point before", out->path[i - 1].time));
  }
}

std::function<void(C*)> Begin(SceneControllerType type) {
  return [type](C* out) { out->type = type; };
}

const std::string& TableSchema() {
  static const std::string schema = ListSchema(Numbers(AnyNumber(), 2, kMaxJoints + 1).schema, kMaxRows);
  return schema;
}

}  // namespace

const Keys<SceneWaypoint>& PathPointKeys() {
  using W = SceneWaypoint;
  static const Keys<W> keys =
      Keys<W>("path_point", "Where the frame of a path is at a time.")
          .Add("time", &W::time, Number(Within(-1e9, 1e9, "s")), "[s]")
          .Required()
          .Add("pose", &W::pose, PoseCodec(), "in the world")
          .Required()
          .Add("turn", &W::turn, Angle(), "and then about its own z axis, any number of turns [rad]")
          .Add("radius", &W::radius, Number(Within(0, 1e6, "m")), "of a circle about the pose, level [m]")
          .Add("angle", &W::angle, Angle(), "where on that circle, any number of turns [rad]")
          .Add("payload", &W::payload, Maybe(Number(Within(0, 1e6, "kg"))),
               "mass carried there, going over from point to point as the rest does; else the controller's [kg]");
  return keys;
}

const Keys<SceneDrive>& DriveKeys() {
  using D = SceneDrive;
  static const Keys<D> keys =
      Keys<D>("drive", "A motor on a joint, solved together with the contacts: stable for any gain.")
          .Add("joint", &D::joint, Text(), "of one dof; 'panda/*' are all of a model")
          .Required()
          .Add("stiffness", &D::stiffness, Number(AtLeast(0)), "of its spring to the target [N m/rad, N/m]")
          .Add("damping", &D::damping, Number(AtLeast(0)), "of its damper to the target velocity [N m s/rad, N s/m]")
          .Add("effort", &D::effort, NumberOrInfinity(AtLeast(0)),
               "the most it can; the limit of the model's file holds too [N m, N]")
          .Add("target", &D::target, Maybe(Angle()), "else the position at the start [rad, m]")
          .Add("target_velocity", &D::target_velocity, Number(Within(-1e6, 1e6)), "[rad/s, m/s]");
  return keys;
}

const std::vector<Kind<SceneController>>& ControllerKinds() {
  using T = SceneControllerType;
  static const std::vector<Kind<C>> kinds = {
      {Gains("impedance", "Drives that act as springs and dampers, solved together with the contacts.")
           .Add("target", &C::target, OneOrMany(AnyNumber()), "else the position at the start [rad, m]")
           .Add("gravity_compensation", &C::gravity_compensation, Bool(),
                "adds the torques that carry the robot's weight"),
       Begin(T::Impedance)},
      {Gains("position", "Drives that hold a position.")
           .Add("target", &C::target, OneOrMany(AnyNumber()), "else the position at the start [rad, m]"),
       Begin(T::Position)},
      {Common("torque", "Constant torques.")
           .Add("torque", &C::torque, OneOrMany(AnyNumber()), "one for all, or one for each joint [N m, N]")
           .Required(),
       Begin(T::Torque)},
      {Gains("waypoints", "Drives that follow positions, smoothly from one to the next.")
           .AddRead("waypoints", ReadTable, TableSchema(),
                    "rows [time, position, ...], a position for each joint [s; rad, m]")
           .Required(),
       Begin(T::Waypoints)},
      {Common("script", "A table of what to do when.")
           .Add("mode", &C::mode,
                Choice<SceneScriptMode>({{"torque", SceneScriptMode::Torque},
                                         {"position", SceneScriptMode::Position},
                                         {"velocity", SceneScriptMode::Velocity}}),
                "what the values are [N m, N; rad, m; rad/s, m/s]")
           .Add("stiffness", &C::stiffness, OneOrMany(AtLeast(0)),
                "of positions, one for all or one for each joint; else 0 [N m/rad, N/m]")
           .Add("damping", &C::damping, OneOrMany(AtLeast(0)),
                "of positions and velocities, likewise; else 0 [N m s/rad, N s/m]")
           .AddRead("table", ReadTable, TableSchema(), "rows [time, value, ...]; a value holds until the next time")
           .Required(),
       Begin(T::Script)},
      {Gains("path", "Drives that lead a frame of a link along a path; the scene starts with it at the first point.")
           .Add("body", &C::body, Text(), "the link that is led")
           .Required()
           .Add("frame", &C::frame, PoseCodec(), "what of it, in its frame")
           .AddRead("path", ReadPath, ListSchema(PathPointKeys().schema(), 10000), "in the order of times")
           .Required()
           .Add("kind", &C::path_kind,
                Choice<ScenePathKind>({{"smooth", ScenePathKind::Smooth}, {"linear", ScenePathKind::Linear}}),
                "with a stop at each point, or not")
           .Add("gravity_compensation", &C::gravity_compensation, Bool(),
                "adds the torques that carry the robot's weight and the payload's")
           .Add("payload", &C::payload, Number(Within(0, 1e6, "kg")), "mass at the frame that is carried along [kg]"),
       Begin(T::Path)},
      {Common("task",
              "Torques that serve a list of tasks best, together with what every contact does then: contact-implicit "
              "inverse dynamics (docs/control.md).",
              "1000")
           .Add("tasks", &C::tasks, List(OneOf(TaskKinds()), 1000), "what is wanted, weighed against each other")
           .Required()
           .Add("effort_share", &C::effort_share, Number({0, 1, true, ""}), "of the joints' limits, that may be used")
           .Add("margin", &C::margin, Number(Within(0, 10, "m")), "contacts are looked for this far ahead [m]")
           .Add("time_budget", &C::time_budget, Number(Within(0, 1e6, "s")),
                "of a control step: the best found by then is used; 0: none [s]"),
       [](C* out) {
         out->type = T::Task;
         out->rate = 1000;
       }},
      {Keys<C>("controller_soft",
               "Inputs of the scene's soft actuators (cables, cavities, motors) that take effectors where they should "
               "be, together with what every contact does then (docs/soft-control.md).",
               "soft")
           .Add("name", &C::name, Name(), "for reports")
           .Add("rate", &C::rate, Number(Within(1e-3, 1e9, "Hz")), "updates per second [Hz]")
           .Default("100")
           .Add("tasks", &C::soft_tasks, List(Object(SoftTaskKeys()), 1000), "where effectors are to go")
           .Required()
           .Add("margin", &C::margin, Number(Within(0, 10, "m")), "contacts are looked for this far ahead [m]")
           .Add("max_contacts", &C::max_contacts, Integer(0, 100000), "the nearest are kept")
           .Add("filter", &C::filter, Bool(), "of contacts of one tetrahedron with one thing, keep the nearest")
           .Add("effort_weight", &C::effort_weight, Number(Within(0, 1e6, "m")),
                "of inputs, relative to their range: as much as so large an error [m]")
           .Add("change_weight", &C::change_weight, Number(Within(0, 1e6, "m")),
                "of changes of tensions and pressures, likewise [m]")
           .Add("time_budget", &C::time_budget, Number(Within(0, 1e6, "s")),
                "of a control step: the best found by then is used; 0: none [s]"),
       [](C* out) {
         out->type = T::Soft;
         out->rate = 100;
       }},
  };
  return kinds;
}

const Keys<SceneWrench>& WrenchKeys() {
  using W = SceneWrench;
  static const Keys<W> keys =
      Keys<W>("wrench", "A force on a body for a while.")
          .Add("body", &W::body, Text(), "an object or a link")
          .Required()
          .Add("force", &W::force, Vector(AnyNumber("N")), "world axes [N]")
          .Add("torque", &W::torque, Vector(AnyNumber("N m")), "world axes [N m]")
          .Add("point", &W::point, Vector(Within(-1e6, 1e6, "m")), "where the force acts, in the body's frame [m]")
          .Add("from", &W::from, Number(Within(-1e9, 1e9, "s")), "when it begins [s]")
          .Add("to", &W::to, NumberOrInfinity(AnyNumber("s")), "when it ends [s]")
          .Finally([](const Cursor& cursor, W* out) {
            if (!(out->to > out->from)) cursor.Fail("it ends before it begins", "from < to");
          });
  return keys;
}

const std::vector<Kind<SceneSensor>>& SensorKinds() {
  using S = SceneSensor;
  using T = SceneSensorType;
  enum Of { Body, Joint, Nothing, Clamp, Attachment, Item };
  const auto make = [](const char* type, const char* help, Of of) {
    Keys<S> keys(std::string("sensor_") + type, help, type);
    keys.Add("name", &S::name, Name(), "of its column").Required();
    if (of == Body) keys.Add("body", &S::body, Text(), "an object or a link").Required();
    if (of == Joint) keys.Add("joint", &S::joint, Text(), "of a model").Required();
    if (of == Clamp || of == Attachment || of == Item)
      keys.Add("deformable", &S::deformable, Text(), "its name").Required();
    if (of == Clamp) keys.Add("clamp", &S::index, Integer(-1000, 1000), "which, from 0; negative from the end");
    if (of == Attachment) {
      keys.Add("attachment", &S::index, Integer(-1000, 1000), "which, from 0; negative from the end");
    }
    if (of == Item) {
      keys.Add("item", &S::index, Integer(-10000000, 10000000), "node or segment, from 0; negative from the end");
    }
    keys.Add("rate", &S::rate, Number(Within(0, 1e9, "Hz")), "samples per second, 0: every step [Hz]");
    return keys;
  };
  const auto begin = [](T type) { return [type](S* out) { out->type = type; }; };
  static const std::vector<Kind<S>> kinds = {
      {make("pose", "Where a body is, in world axes. Columns: x, y, z [m], qw, qx, qy, qz.", Body), begin(T::Pose)},
      {make("velocity", "How a body moves, in world axes. Columns: vx, vy, vz of its origin [m/s], wx, wy, wz [rad/s].",
            Body),
       begin(T::Velocity)},
      {make(
           "acceleration",
           "What an inertial sensor at a body's origin measures, in its axes: acceleration less gravity (at rest +9.81 "
           "upwards), and turning. Columns: ax, ay, az [m/s^2], gx, gy, gz [rad/s].",
           Body),
       begin(T::Acceleration)},
      {make("joint_state", "Position and velocity of a joint of one dof. Columns: q [rad, m], v [rad/s, m/s].", Joint),
       begin(T::JointState)},
      {make("contact_force",
            "Sum of all contact forces on a body and their moment about its origin, world axes, mean over the step. "
            "Columns: fx, fy, fz [N], mx, my, mz [N m].",
            Body),
       begin(T::ContactForce)},
      {make("joint_wrench",
            "What a link feels through its joint or weld, as a wrist sensor does, in its axes, mean over the step. "
            "Columns: fx, fy, fz [N], mx, my, mz about its origin [N m].",
            Body),
       begin(T::JointWrench)},
      {make("drive_effort",
            "What drives, controllers and actuators do at a joint, mean over the step. Column: effort [N m, N].",
            Joint),
       begin(T::DriveEffort)},
      {make("energy",
            "Of everything. Columns: kinetic; potential, of gravity; elastic, of springs of bodies, joints and tendons "
            "(not of soft contacts and drives) and of deformables [J].",
            Nothing),
       begin(T::Energy)},
      {make("clamp_force",
            "What it takes to hold what a clamp of a deformable holds, about its middle, world axes, mean over the "
            "step. Columns: fx, fy, fz [N], mx, my, mz [N m].",
            Clamp),
       begin(T::ClampForce)},
      {make("attachment_force",
            "What an attachment of a deformable does to its nodes or segments, about their middle, world axes, mean "
            "over the step; the body feels the opposite. Columns: fx, fy, fz [N], mx, my, mz [N m].",
            Attachment),
       begin(T::AttachmentForce)},
      {make("deformable_item",
            "Where a node or the middle of a segment is, and how it moves, in world axes. Columns: x, y, z [m], vx, "
            "vy, vz [m/s].",
            Item),
       begin(T::DeformableItem)},
  };
  return kinds;
}

}  // namespace tactus::scene
