// Tasks of controllers of type `task` (control/task.h).
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

namespace {

using T = SceneTask;

constexpr std::size_t kMaxRows = 1 << 17, kMaxValues = 10001;

// Rows [time, value, ...], times increasing; `count` values, 0: any number.
std::function<void(const Cursor&, T*)> ReadTarget(std::size_t count) {
  return [count](const Cursor& cursor, T* out) {
    CheckListSize(cursor, kMaxRows);
    if (cursor.size() == 0) cursor.FailValue("a row [time, value, ...] or more");
    for (std::size_t i = 0; i < cursor.size(); ++i) {
      std::vector<double> row;
      Numbers(AnyNumber(), 2, kMaxValues).read(cursor.At(i), &row);
      const std::size_t wanted = count > 0 ? count : i > 0 ? out->values.front().size() : row.size() - 1;
      if (row.size() != wanted + 1) cursor.At(i).FailValue(fmt::format("a time and {} values", wanted));
      if (i > 0 && !(row[0] > out->times.back())) cursor.At(i).FailValue("times that increase");
      out->times.push_back(row[0]);
      out->values.emplace_back(row.begin() + 1, row.end());
    }
  };
}

void ReadPath(const Cursor& cursor, T* out) {
  List(Object(PathPointKeys()), 10000).read(cursor, &out->path);
  if (out->path.empty()) cursor.FailValue("one point or more");
  for (std::size_t i = 1; i < out->path.size(); ++i) {
    if (!(out->path[i].time > out->path[i - 1].time)) cursor.At(i).Key("time").FailValue("times that increase");
  }
}

// What a kind of task has beside a weight and times.
struct Parts {
  bool motion = true, body = true, frame = true, axes = true, path = false, joints = false;
  std::size_t values = 0;  ///< of a row of its target; 0: none
  const char* target = "";
};

Kind<T> MakeKind(const char* type, TaskType value, const char* help, const Parts& parts) {
  Keys<T> keys(std::string("task_") + type, help, type);
  keys.Add("name", &T::name, Text(200), "for reports and goals; else its type");
  keys.Add("weight", &T::weight, Number(Above(0)),
           "what its rows are multiplied with, before squares are added up [s/m, s/rad; forces 1/N, 1/(N m)]");
  keys.Add("from", &T::from, NumberOrInfinity(AnyNumber("s")), "it counts from this time on [s]").Default("\"-inf\"");
  keys.Add("to", &T::to, NumberOrInfinity(AnyNumber("s")), "and before this one [s]");
  if (parts.motion) {
    keys.Add("gain", &T::gain, Number(Within(0, 1e6, "1/s")), "how fast its error decays [1/s]");
    keys.Add("damping", &T::damping, NumberOrInfinity(Above(0, "1/s")),
             "how fast its velocity follows; inf: within one control step [1/s]");
  }
  if (parts.body) keys.Add("body", &T::body, Text(), "an object or a link").Required();
  if (parts.frame) keys.Add("frame", &T::frame, PoseCodec(), "what of it, in its frame");
  if (parts.axes) keys.Add("axes", &T::axes, AxesCodec(), "world axes that count");
  if (parts.path) {
    keys.AddRead("path", ReadPath, ListSchema(PathPointKeys().schema(), 10000),
                 "in the order of times; else where it is at the start");
  }
  if (parts.joints) {
    keys.Add("joints", &T::joints, List(Text(), 10000), "else all of the controller; 'panda/*' are all of a model");
  }
  if (parts.values > 0 || parts.joints) {
    keys.AddRead("target", ReadTarget(parts.values), ListSchema(Numbers(AnyNumber(), 2, kMaxValues).schema, kMaxRows),
                 parts.target);
  }
  if (parts.path || parts.values > 0 || parts.joints) {
    keys.Add("kind", &T::kind,
             Choice<ScenePathKind>({{"smooth", ScenePathKind::Smooth}, {"linear", ScenePathKind::Linear}}),
             "between times: with a stop at each, or not");
  }
  return {std::move(keys), [value](T* out) { out->type = value; }};
}

Parts OfPath(bool axes) {
  Parts parts;
  parts.path = true;
  parts.axes = axes;
  return parts;
}

Parts OfValues(bool body, bool frame, bool axes, std::size_t values, const char* target) {
  Parts parts;
  parts.body = body;
  parts.frame = frame;
  parts.axes = axes;
  parts.values = values;
  parts.target = target;
  return parts;
}

Parts OfJoints(bool motion, const char* target) {
  Parts parts = OfValues(false, false, false, 0, target);
  parts.motion = motion;
  parts.joints = true;
  return parts;
}

}  // namespace

Codec<std::array<bool, 3>> AxesCodec() {
  return {[](const Cursor& cursor, std::array<bool, 3>* out) {
            *out = {false, false, false};
            if (!cursor.IsText() || cursor.node().text.empty()) cursor.FailValue("some of x, y and z, such as xy");
            for (const char c : cursor.node().text) {
              if (c < 'x' || c > 'z') cursor.FailValue("some of x, y and z, such as xy");
              (*out)[static_cast<std::size_t>(c - 'x')] = true;
            }
          },
          R"({"type": "string", "pattern": "^[xyz]+$"})",
          [](const std::array<bool, 3>& axes) {
            std::string text;
            for (std::size_t k = 0; k < 3; ++k) {
              if (axes[k]) text += static_cast<char>('x' + k);
            }
            return "\"" + text + "\"";
          }};
}

const std::vector<Kind<SceneTask>>& TaskKinds() {
  static const std::vector<Kind<T>> kinds = [] {
    std::vector<Kind<T>> out;
    out.push_back(MakeKind("position", TaskType::Position, "A frame's origin goes along a path.", OfPath(true)));
    out.push_back(MakeKind("orientation", TaskType::Orientation, "A frame turns along a path.", OfPath(true)));
    out.push_back(MakeKind("pose", TaskType::Pose, "A frame goes and turns along a path.", OfPath(true)));
    out.back().keys.Add("rotation_weight", &T::rotation_weight, Number(Above(0)),
                        "that of its three rows of rotation; `axes` are of the position [s/rad]");
    out.push_back(MakeKind("angular_velocity", TaskType::AngularVelocity, "A body turns at a rate, world axes.",
                           OfValues(true, false, true, 3, "rows [time, wx, wy, wz] [s; rad/s]")));
    out.back().keys.Finally([](const Cursor& cursor, T* task) {
      if (task->times.empty()) cursor.Fail("it has no target", "rows [time, wx, wy, wz]");
    });
    out.push_back(
        MakeKind("center_of_mass", TaskType::CenterOfMass, "Of the robot, that is of all trees with its joints.",
                 OfValues(false, false, true, 3, "rows [time, x, y, z]; else where it is at the start [s; m]")));
    out.push_back(MakeKind("height", TaskType::Height, "z of a frame's origin.",
                           OfValues(true, true, false, 1, "rows [time, z]; else what it is at the start [s; m]")));
    Parts attitude;
    attitude.axes = false;
    out.push_back(
        MakeKind("attitude", TaskType::Attitude, "The frame's z axis points upwards, whatever its heading.", attitude));
    out.push_back(
        MakeKind("posture", TaskType::Posture, "Positions of joints.",
                 OfJoints(true, "rows [time, position, ...], one for each joint; else as at the start [s; rad, m]")));
    Parts force = OfValues(true, false, true, 3, "rows [time, fx, fy, fz] [s; N]");
    force.motion = false;
    out.push_back(MakeKind("force", TaskType::Force, "Sum of the contact forces on a body, world axes.", force));
    out.back().keys.Finally([](const Cursor& cursor, T* task) {
      if (task->times.empty()) cursor.Fail("it has no target", "rows [time, fx, fy, fz]");
    });
    out.push_back(MakeKind("torque", TaskType::Torque, "Small torques, or given ones.",
                           OfJoints(false, "rows [time, torque, ...], one for each joint; else zero [s; N m, N]")));
    return out;
  }();
  return kinds;
}

}  // namespace tactus::scene
