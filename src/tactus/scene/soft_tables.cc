// Soft robots: actuators of deformables, tasks of controllers of type `soft` (control/soft_inverse.h).
#include <fmt/format.h>

#include "tactus/scene/item_keys.h"
#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

namespace {

constexpr double kLargest = 1e6;

void ReadSoftTarget(const Cursor& cursor, SceneSoftTask* out) {
  CheckListSize(cursor, 1 << 17);
  if (cursor.size() == 0) cursor.FailValue("a row [time, x, y, z] or more");
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    std::vector<double> row;
    Numbers(AnyNumber(), 4, 4).read(cursor.At(i), &row);
    if (i > 0 && !(row[0] > out->times.back())) cursor.At(i).FailValue("times that increase");
    out->times.push_back(row[0]);
    out->values.emplace_back(row.begin() + 1, row.end());
  }
}

}  // namespace

const Keys<SceneCable>& CableKeys() {
  using C = SceneCable;
  static const Keys<C> keys =
      Keys<C>("cable", "A cable through a body, pulled at its last point: its input is a tension >= 0 [N].")
          .Add("name", &C::name, Name(), "for reports")
          .Required()
          .Add("points", &C::points, List(Vector(Within(-kLargest, kLargest, "m")), 10000),
               "in the body's own frame, from where it is tied; it slides through all others [m]")
          .Required()
          .Add("most", &C::most, Number(Above(0, "N")), "tension [N]")
          .Required()
          .Finally([](const Cursor& cursor, C* out) {
            if (out->points.size() < 2) cursor.Key("points").FailValue("two points or more");
          });
  return keys;
}

const Keys<SceneCavity>& CavityKeys() {
  using C = SceneCavity;
  static const Keys<C> keys =
      Keys<C>("cavity", "A closed room in a body: its input is a pressure [Pa].")
          .Add("name", &C::name, Name(), "for reports")
          .Required()
          .Add("low", &C::low, Vector(Within(-kLargest, kLargest, "m")), "of a box with its walls and no others [m]")
          .Required()
          .Add("high", &C::high, Vector(Within(-kLargest, kLargest, "m")), "of the box [m]")
          .Required()
          .Add("least", &C::least, Number(Within(-1e9, 0, "Pa")), "pressure; below 0 it sucks [Pa]")
          .Add("most", &C::most, Number(Above(0, "Pa")), "pressure [Pa]")
          .Required();
  return keys;
}

const Keys<SceneMotor>& MotorKeys() {
  using M = SceneMotor;
  static const Keys<M> keys = [] {
    Keys<M> k("motor", "Nodes that a motor moves along an axis: its input is a velocity [m/s].");
    k.Add("name", &M::name, Name(), "for reports").Required();
    AddItemKeys(&k);
    k.Add("axis", &M::axis, Vector(AnyNumber()), "world axes, of any length").Required();
    k.Add("speed", &M::speed, Number(Above(0, "m/s")), "at most, either way [m/s]").Required();
    k.Add("back", &M::back, Number(Within(0, kLargest, "m")), "how far it goes against its axis [m]").Required();
    k.Add("forth", &M::forth, Number(Within(0, kLargest, "m")), "how far it goes along it [m]").Required();
    k.Finally([](const Cursor& cursor, M* out) {
      CheckItems(cursor, out->items);
      if (!(out->axis.norm() > 1e-9)) cursor.Key("axis").FailValue("a vector that is not zero");
    });
    return k;
  }();
  return keys;
}

const Keys<SceneSoftTask>& SoftTaskKeys() {
  using T = SceneSoftTask;
  static const Keys<T> keys = [] {
    Keys<T> k("soft_task", "A place that is to go somewhere: the mean of nodes, or a point of a rigid body.");
    k.Add("name", &T::name, Name(), "by which goals refer to it").Required();
    k.Add("deformable", &T::deformable, Text(), "whose nodes; else `body`");
    AddItemKeys(&k);
    k.Add("body", &T::body, Text(), "an object or a link, in place of a deformable");
    k.Add("point", &T::point, Vector(Within(-kLargest, kLargest, "m")), "in the body's frame [m]");
    k.Add("axes", &T::axes, AxesCodec(), "world axes that count");
    k.Add("weight", &T::weight, Number(Above(0)), "of its rows");
    k.Add("gain", &T::gain, NumberOrInfinity(Above(0, "1/s")),
          "how fast an error decays; inf: the target is to be met at the end of every control step [1/s]");
    k.Add("kind", &T::kind,
          Choice<ScenePathKind>({{"smooth", ScenePathKind::Smooth}, {"linear", ScenePathKind::Linear}}),
          "of the way from row to row: with a stop at each, or not");
    k.AddRead("target", ReadSoftTarget, ListSchema(Numbers(AnyNumber(), 4, 4).schema, 1 << 17),
              "rows [time, x, y, z]; none: it stays where it is at the start [s; m]");
    k.Add("relative", &T::relative, Bool(), "true: the target is relative to where it is at the start");
    k.Finally([](const Cursor& cursor, T* out) {
      if (out->deformable.empty() == out->body.empty())
        cursor.Fail("it has both or none of deformable and body", "one");
      if (!out->deformable.empty()) CheckItems(cursor, out->items);
    });
    return k;
  }();
  return keys;
}

}  // namespace tactus::scene
