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

Keys<C> Common(const char* type, const char* help) {
  Keys<C> keys(std::string("controller_") + type, help, type);
  keys.Add("name", &C::name, Name(), "for reports");
  keys.Add("joints", &C::joints, List(Text(), kMaxJoints), "of one dof; 'panda/*' are all of a model").Required();
  keys.Add("rate", &C::rate, Number(Within(0, 1e9, "Hz")), "updates per second, 0: every step [Hz]");
  keys.Finally([](const Cursor& cursor, C* out) {
    if (out->joints.empty()) cursor.Key("joints").FailValue("one joint or more");
  });
  return keys;
}

Keys<C> Gains(const char* type, const char* help) {
  Keys<C> keys = Common(type, help);
  keys.Add("stiffness", &C::stiffness, OneOrMany(AtLeast(0)), "one for all, or one for each joint").Required();
  keys.Add("damping", &C::damping, OneOrMany(AtLeast(0)), "likewise; else 0");
  return keys;
}

std::function<void(C*)> Begin(SceneControllerType type) {
  return [type](C* out) { out->type = type; };
}

const std::string& TableSchema() {
  static const std::string schema = ListSchema(Numbers(AnyNumber(), 2, kMaxJoints + 1).schema, kMaxRows);
  return schema;
}

}  // namespace

const Keys<SceneDrive>& DriveKeys() {
  using D = SceneDrive;
  static const Keys<D> keys =
      Keys<D>("drive", "A motor on a joint, solved together with the contacts: stable for any gain.")
          .Add("joint", &D::joint, Text(), "of one dof; 'panda/*' are all of a model")
          .Required()
          .Add("stiffness", &D::stiffness, Number(AtLeast(0)), "[N m/rad, N/m]")
          .Add("damping", &D::damping, Number(AtLeast(0)), "[N m s/rad, N s/m]")
          .Add("effort", &D::effort, NumberOrInfinity(AtLeast(0)), "the most it can [N m, N]")
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
           .AddRead("waypoints", ReadTable, TableSchema(), "rows [time, position, ...], a position for each joint")
           .Required(),
       Begin(T::Waypoints)},
      {Common("script", "A table of what to do when.")
           .Add("mode", &C::mode,
                Choice<SceneScriptMode>({{"torque", SceneScriptMode::Torque},
                                         {"position", SceneScriptMode::Position},
                                         {"velocity", SceneScriptMode::Velocity}}),
                "what the values are")
           .Add("stiffness", &C::stiffness, OneOrMany(AtLeast(0)), "of positions")
           .Add("damping", &C::damping, OneOrMany(AtLeast(0)), "of positions and velocities")
           .AddRead("table", ReadTable, TableSchema(), "rows [time, value, ...]; a value holds until the next time")
           .Required(),
       Begin(T::Script)},
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
          .Add("from", &W::from, Number(Within(-1e9, 1e9, "s")), "[s]")
          .Add("to", &W::to, NumberOrInfinity(AnyNumber("s")), "[s]")
          .Finally([](const Cursor& cursor, W* out) {
            if (!(out->to > out->from)) cursor.Fail("it ends before it begins", "from < to");
          });
  return keys;
}

const std::vector<Kind<SceneSensor>>& SensorKinds() {
  using S = SceneSensor;
  using T = SceneSensorType;
  enum Of { Body, Joint, Nothing };
  const auto make = [](const char* type, const char* help, Of of) {
    Keys<S> keys(std::string("sensor_") + type, help, type);
    keys.Add("name", &S::name, Name(), "of its column").Required();
    if (of == Body) keys.Add("body", &S::body, Text(), "an object or a link").Required();
    if (of == Joint) keys.Add("joint", &S::joint, Text(), "of a model").Required();
    keys.Add("rate", &S::rate, Number(Within(0, 1e9, "Hz")), "samples per second, 0: every step [Hz]");
    return keys;
  };
  const auto begin = [](T type) { return [type](S* out) { out->type = type; }; };
  static const std::vector<Kind<S>> kinds = {
      {make("pose", "Where a body is.", Body), begin(T::Pose)},
      {make("velocity", "How a body moves.", Body), begin(T::Velocity)},
      {make("acceleration",
            "What an inertial sensor on a body measures: acceleration less gravity, and turning, in its axes.", Body),
       begin(T::Acceleration)},
      {make("joint_state", "Position and velocity of a joint.", Joint), begin(T::JointState)},
      {make("contact_force", "Sum of all contact forces on a body.", Body), begin(T::ContactForce)},
      {make("joint_wrench", "Force and moment through the joint or weld of a link, in its axes.", Body),
       begin(T::JointWrench)},
      {make("energy", "Kinetic and potential energy of everything.", Nothing), begin(T::Energy)},
  };
  return kinds;
}

}  // namespace tactus::scene
