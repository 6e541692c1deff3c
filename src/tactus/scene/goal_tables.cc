// Goals of scenes: when a task counts as done.
#include <fmt/format.h>

#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

namespace {

using G = SceneGoal;

// Bounds of a box; "inf" and "-inf" leave a side open.
Codec<Vector3> Bounds() {
  const Codec<double> number = NumberOrInfinity(AnyNumber("m"));
  return {[number](const Cursor& cursor, Vector3* out) {
            if (!cursor.IsList() || cursor.size() != 3) cursor.FailValue("three numbers, or 'inf' and '-inf' [m]");
            for (std::size_t k = 0; k < 3; ++k) number.read(cursor.At(k), &(*out)[static_cast<Eigen::Index>(k)]);
          },
          R"({"type": "array", "items": )" + number.schema + R"(, "minItems": 3, "maxItems": 3})",
          [number](const Vector3& v) {
            return fmt::format("[{}, {}, {}]", number.Show(v[0]), number.Show(v[1]), number.Show(v[2]));
          }};
}

Kind<G> MakeKind(const char* type, SceneGoalType value, const char* help, bool has_bodies = true) {
  Keys<G> keys(std::string("goal_") + type, help, type);
  keys.Add("name", &G::name, Text(200), "for reports");
  if (has_bodies) {
    keys.Add("bodies", &G::bodies, List(Text(), 100000),
             "objects, links or deformables; 'ball_*' are all whose names begin so")
        .Required();
    keys.AddRead(
        "part", [](const Cursor& cursor, G* out) { GoalPartKeys().Read(cursor, out); }, GoalPartKeys().schema(),
        "of deformables: these nodes or segments, else all");
    keys.Add("share", &G::share, Number({0, 1, true, ""}), "of the bodies, nodes and segments, that must meet it");
    keys.Finally([](const Cursor& cursor, G* out) {
      if (out->bodies.empty()) cursor.Key("bodies").FailValue("one body or more");
      if (out->axis.norm() < 1e-9) cursor.Fail("its axis has no direction", "an axis of any length but zero");
      out->axis.normalize();
    });
  }
  return {std::move(keys), [value](G* out) { out->type = value; }};
}

void AddTimes(Keys<G>* keys) {
  keys->Add("from", &G::from, Number(AtLeast(0, "s")), "it is watched after this time [s]")
      .Add("to", &G::to, NumberOrInfinity(AtLeast(0, "s")), "and up to this one [s]")
      .Add("part", &G::part, Number({0, 1, true, ""}), "of the steps, in which it must be so");
}

}  // namespace

const std::vector<Kind<SceneGoal>>& GoalKinds() {
  static const std::vector<Kind<G>> kinds = [] {
    using T = SceneGoalType;
    std::vector<Kind<G>> out;
    out.push_back(MakeKind("inside", T::Inside, "Origins of bodies are in a box."));
    out.back()
        .keys.Add("of", &G::of, Text(), "the body in whose frame the box is, or world")
        .Add("low", &G::low, Bounds(), "of the box [m]")
        .Add("high", &G::high, Bounds(), "of the box [m]")
        .Add("always", &G::always, Bool(), "true: after every step, not only at the end");
    out.push_back(MakeKind("at_rest", T::AtRest, "Bodies do not move any more."));
    out.back()
        .keys.Add("speed", &G::speed, Number(AtLeast(0, "m/s")), "of their origins, at most [m/s]")
        .Required()
        .Add("spin", &G::spin, NumberOrInfinity(AtLeast(0, "rad/s")), "at most [rad/s]")
        .Required();
    out.push_back(MakeKind("turned", T::Turned, "Bodies have turned about an axis, all turns counted."));
    out.back()
        .keys.Add("of", &G::of, Text(), "relative to this body, or to the world")
        .Add("axis", &G::axis, Vector(AnyNumber()), "in the frame of `of`")
        .Add("least", &G::least, Angle(), "[rad]")
        .Required()
        .Add("most", &G::most, Angle(), "[rad]")
        .Required();
    out.push_back(MakeKind("moved", T::Moved, "Bodies are away from where they began."));
    out.back()
        .keys
        .Add("since", &G::since, Number(AtLeast(0, "s")),
             "away from where they are at this time, such as when a heap has settled [s]")
        .Add("least", &G::least, Number(AtLeast(0, "m")), "how far [m]")
        .Add("most", &G::most, NumberOrInfinity(AtLeast(0, "m")), "[m]");
    out.push_back(MakeKind("upright", T::Upright, "An axis of bodies points upwards, along the world's z."));
    out.back()
        .keys.Add("axis", &G::axis, Vector(AnyNumber()), "in the body's frame")
        .Add("most", &G::most, Angle(), "angle between the two [rad]")
        .Required();
    out.push_back(MakeKind("penetration", T::Penetration, "Shapes never overlap by more.", false));
    out.back().keys.Add("most", &G::most, Number(AtLeast(0, "m")), "[m]").Required();
    out.push_back(MakeKind("task_error", T::TaskError, "A task of a controller is followed.", false));
    out.back()
        .keys.Add("task", &G::task, Text(200), "its name")
        .Required()
        .Add("most", &G::most, Number(AtLeast(0)), "length of its error, in its units [m, rad, N, N m]")
        .Required();
    AddTimes(&out.back().keys);
    out.push_back(MakeKind("contact_force", T::ContactForce, "All contacts on a body press with this force."));
    out.back()
        .keys.Add("axis", &G::axis, Vector(AnyNumber()), "along which it is measured, in world axes")
        .Add("least", &G::least, Number(AnyNumber("N")), "[N]")
        .Required()
        .Add("most", &G::most, NumberOrInfinity(AnyNumber("N")), "[N]")
        .Add("window", &G::window, Number(AtLeast(0, "s")), "means over so long are judged; 0: those of each step [s]");
    AddTimes(&out.back().keys);
    out.push_back(
        MakeKind("contact_mode", T::ContactMode, "All contacts on a body that press do this, or none press."));
    out.back()
        .keys
        .Add("mode", &G::mode,
             Choice<ContactMode>(
                 {{"open", ContactMode::Open}, {"stick", ContactMode::Stick}, {"slip", ContactMode::Slip}}),
             "open: there is no force")
        .Required();
    AddTimes(&out.back().keys);
    return out;
  }();
  return kinds;
}

}  // namespace tactus::scene
