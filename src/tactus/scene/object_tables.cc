// Objects: shapes, mass, motion, copies.
#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/inertia_check.h"
#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

namespace {

struct InertiaValues {
  Vector3 com = Vector3::Zero();
  std::vector<double> moments, products = {0, 0, 0};
};

const Keys<InertiaValues>& InertiaKeys() {
  static const Keys<InertiaValues> keys =
      Keys<InertiaValues>("inertia", "Mass properties in the object's frame, in place of those of its shapes.")
          .Add("com", &InertiaValues::com, Vector(Within(-1e6, 1e6, "m")), "centre of mass [m]")
          .Add("moments", &InertiaValues::moments, Numbers(Within(kLeastInertia, 1e12, "kg m^2"), 3, 3),
               "xx, yy, zz about the centre of mass [kg m^2]")
          .Required()
          .Add("products", &InertiaValues::products, Numbers(AnyNumber("kg m^2"), 3, 3), "xy, xz, yz [kg m^2]");
  return keys;
}

struct VelocityValues {
  Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
};

const Keys<VelocityValues>& VelocityKeys() {
  static const Keys<VelocityValues> keys =
      Keys<VelocityValues>("velocity", "At the start, in world axes.")
          .Add("linear", &VelocityValues::linear, Vector(Within(-1e6, 1e6, "m/s")), "of the frame's origin [m/s]")
          .Add("angular", &VelocityValues::angular, Vector(Within(-1e6, 1e6, "rad/s")), "[rad/s]");
  return keys;
}

struct WaypointValues {
  double time = 0;
  Pose pose;
};

const Keys<WaypointValues>& WaypointKeys() {
  static const Keys<WaypointValues> keys =
      Keys<WaypointValues>("waypoint", "A pose at a time.")
          .Add("time", &WaypointValues::time, Number(Within(-1e9, 1e9, "s")), "[s]")
          .Required()
          .Add("pose", &WaypointValues::pose, PoseCodec(), "in the world")
          .Required();
  return keys;
}

void ReadWaypoints(const Cursor& cursor, SceneMotion* out) {
  std::vector<WaypointValues> points;
  List(Object(WaypointKeys()), 10000).read(cursor, &points);
  if (points.size() < 2) cursor.FailValue("two waypoints or more");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0 && !(points[i].time > points[i - 1].time)) {
      cursor.At(i).Key("time").FailValue(
          fmt::format("a time after {:g}, that of the waypoint before", out->times[i - 1]));
    }
    out->times.push_back(points[i].time);
    out->poses.push_back(points[i].pose);
  }
}

Keys<SceneMotion> WindingKeys() {
  using W = WindingMotion;
  Keys<SceneMotion> keys("motion_winding",
                         "The free end of a string that is wound around an axis along z: c + radius (cos phi, sin phi) "
                         "+ (length + length_rate t) (-sin phi, cos phi), phi = rate t; before that straight to there.",
                         "winding");
  const auto add = [&keys](const char* key, auto member, const auto& codec, const char* help) {
    keys.AddRead(
        key, [member, codec](const Cursor& cursor, SceneMotion* out) { codec.read(cursor, &(out->winding.*member)); },
        codec.schema, help);
    keys.Default(codec.Show(W().*member));
  };
  const Codec<double> number = Number(Within(-1e6, 1e6));
  add("centre", &W::centre, Vector(Within(-1e6, 1e6, "m")), "of the axis, z does not count [m]");
  add("radius", &W::radius, Number(Within(0, 1e6, "m")), "of the circle that the string touches [m]");
  add("rate", &W::rate, number, "[rad/s]");
  add("length", &W::length, number, "of the string that is free at first [m]");
  add("length_rate", &W::length_rate, number, "[m/s]");
  add("height", &W::height, number, "z at first [m]");
  add("height_rate", &W::height_rate, number, "[m/s]");
  add("begin", &W::begin, Number(Within(0, 1e9, "s")), "when winding begins [s]");
  return keys;
}

const std::vector<Kind<SceneMotion>>& MotionKinds() {
  using M = SceneMotion;
  const NumberRule speed = Within(-1e6, 1e6);
  static const std::vector<Kind<M>> kinds = {
      {Keys<M>("motion_constant", "Constant velocity, whatever is in the way.", "constant")
           .Add("velocity", &M::velocity, Vector(speed), "[m/s]")
           .Add("angular_velocity", &M::angular_velocity, Vector(speed), "about its own origin, world axes [rad/s]"),
       [](M* motion) { motion->type = MotionType::Constant; }},
      {Keys<M>("motion_oscillate", "A sine about the object's pose.", "oscillate")
           .Add("amplitude", &M::amplitude, Vector(speed), "[m]")
           .Add("rotation", &M::rotation, AngleVector(), "a rotation vector [rad]")
           .Add("frequency", &M::frequency, Number({0, 1e6, true, "Hz"}), "[Hz]")
           .Required()
           .Add("phase", &M::phase, Angle(), "at time 0 [rad]"),
       [](M* motion) { motion->type = MotionType::Oscillate; }},
      {Keys<M>("motion_waypoints", "Smoothly through poses, with a stop at each.", "waypoints")
           .AddRead("waypoints", ReadWaypoints, ListSchema(WaypointKeys().schema(), 10000), "in the order of times")
           .Required(),
       [](M* motion) { motion->type = MotionType::Waypoints; }},
      {WindingKeys(), [](M* motion) { motion->type = MotionType::Winding; }},
  };
  return kinds;
}

const Keys<SceneArray>& ArrayKeys() {
  static const Keys<SceneArray> keys =
      Keys<SceneArray>("array", "Copies on a grid, called name_0, name_1, ...; x fastest.")
          .AddRead(
              "count",
              [](const Cursor& cursor, SceneArray* out) {
                if (!cursor.IsList() || cursor.size() != 3) cursor.FailValue("three whole numbers from 1 to 10000");
                for (std::size_t k = 0; k < 3; ++k) Integer(1, 10000).read(cursor.At(k), &out->count[k]);
                double copies = 1;
                for (const int count : out->count) copies *= count;
                const int most = cursor.context().settings->max_bodies;
                if (copies > most) cursor.Fail(fmt::format("{:g} copies", copies), fmt::format("at most {}", most));
              },
              R"({"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 3, "maxItems": 3})",
              "along x, y, z")
          .Required()
          .Add("spacing", &SceneArray::spacing, Vector(Within(-1e6, 1e6, "m")), "from copy to copy [m]")
          .Add("jitter", &SceneArray::jitter, Number(Within(0, 1e6, "m")),
               "each coordinate moves by up to this, by the scene's seed [m]")
          .Finally([](const Cursor& cursor, SceneArray* out) {
            // All copies in one place would be pushed apart by every other one.
            constexpr const char* kAxes[] = {"x", "y", "z"};
            for (int k = 0; k < 3; ++k) {
              const int count = out->count[static_cast<std::size_t>(k)];
              if (count < 2 || out->spacing[k] != 0) continue;
              cursor.Fail(fmt::format("{} copies along {} are in one place", count, kAxes[k]),
                          "a spacing along that axis that is not zero [m]");
            }
          });
  return keys;
}

void ReadInertia(const Cursor& cursor, SceneObject* out) {
  InertiaValues values;
  InertiaKeys().Read(cursor, &values);
  LinkInertia inertia;
  inertia.com = values.com;
  inertia.central.diagonal() = Vector3(values.moments[0], values.moments[1], values.moments[2]);
  inertia.central(0, 1) = inertia.central(1, 0) = values.products[0];
  inertia.central(0, 2) = inertia.central(2, 0) = values.products[1];
  inertia.central(1, 2) = inertia.central(2, 1) = values.products[2];
  if (!out->mass) cursor.Fail("there is no mass beside it", "a key 'mass' too");
  inertia.mass = *out->mass;
  const std::string wrong = DescribeNonPhysical(inertia);
  if (!wrong.empty()) cursor.Fail(wrong, "the inertia of a body");
  out->inertia = inertia;
}

void ReadShapes(const Cursor& cursor, SceneObject* out) {
  // What the object says holds for its shapes, unless they say otherwise.
  const ShapeInstance common = out->shapes.empty() ? ShapeInstance() : out->shapes.front();
  CheckListSize(cursor, 1000);
  if (cursor.size() == 0) cursor.FailValue("one shape or more");
  out->shapes.assign(cursor.size(), common);
  for (std::size_t i = 0; i < cursor.size(); ++i) ShapeCodec().read(cursor.At(i), &out->shapes[i]);
}

ShapeInstance& FirstShape(SceneObject* out) {
  if (out->shapes.empty()) out->shapes.emplace_back();
  return out->shapes.front();
}

void ReadMask(const Cursor& cursor, unsigned* mask) {
  int value = 0;
  Integer(0, std::numeric_limits<int>::max()).read(cursor, &value);
  *mask = static_cast<unsigned>(value);
}

void CheckObject(const Cursor& cursor, SceneObject* out) {
  out->place = cursor.where();
  if (cursor.Has("shape") == cursor.Has("shapes")) cursor.Fail("it has no shape, or both keys", "shape or shapes");
  if (out->fixed && out->motion) cursor.Fail("it is fixed and has a motion", "one of them");
  if (cursor.Has("mass") && cursor.Has("density")) cursor.Fail("it has mass and density", "one of them");
  if (out->motion && (!out->linear_velocity.isZero(0) || !out->angular_velocity.isZero(0))) {
    cursor.Fail("it has a velocity and a motion", "one of them");
  }
  for (const ShapeInstance& shape : out->shapes) {
    const bool endless = shape.shape.type == ShapeType::HalfSpace || shape.shape.type == ShapeType::HeightField;
    if (endless && !out->fixed && !out->motion) {
      cursor.Fail(fmt::format("a {} cannot be moved by forces", ToString(shape.shape.type)),
                  "fixed: true, or a motion");
    }
  }
}

}  // namespace

Codec<SceneMotion> MotionCodec() { return OneOf(MotionKinds()); }

void ReadVelocity(const Cursor& cursor, Vector3* linear, Vector3* angular) {
  VelocityValues values;
  VelocityKeys().Read(cursor, &values);
  *linear = values.linear;
  *angular = values.angular;
}

const Keys<SceneObject>& ObjectKeys() {
  using O = SceneObject;
  static const std::string mask_schema = Integer(0, std::numeric_limits<int>::max()).schema;
  static const Keys<O> keys =
      Keys<O>("object", "A rigid body.")
          .Add("name", &O::name, Name(), "by which others refer to it")
          .Required()
          .AddRead(
              "material", [](const Cursor& cursor, O* out) { MaterialCodec().read(cursor, &FirstShape(out).material); },
              MaterialCodec().schema, "a name of `materials`, or its keys")
          .AddRead(
              "group", [](const Cursor& cursor, O* out) { ReadMask(cursor, &FirstShape(out).contact_type); },
              mask_schema, "bits; it collides with what has one of them in its mask, either way round")
          .Default("1")
          .AddRead(
              "mask", [](const Cursor& cursor, O* out) { ReadMask(cursor, &FirstShape(out).contact_affinity); },
              mask_schema, "bits of the groups that it collides with")
          .Default("1")
          .AddRead(
              "shape",
              [](const Cursor& cursor, O* out) {
                FirstShape(out);
                ShapeCodec().read(cursor, &out->shapes.front());
              },
              ShapeCodec().schema, "the only one")
          .AddRead("shapes", ReadShapes, ListSchema(ShapeCodec().schema, 1000), "several")
          .Add("pose", &O::pose, PoseCodec(), "at the start")
          .Add("mass", &O::mass, Maybe(Number(Within(kLeastMass, kMostMass, "kg"))), "else density times volume [kg]")
          .Add("density", &O::density, Number({0, 1e12, true, "kg/m^3"}), "of its shapes, if it has no mass [kg/m^3]")
          .AddRead("inertia", ReadInertia, InertiaKeys().schema(), "in place of that of its shapes")
          .AddRead(
              "velocity",
              [](const Cursor& cursor, O* out) { ReadVelocity(cursor, &out->linear_velocity, &out->angular_velocity); },
              VelocityKeys().schema(), "at the start")
          .Add("fixed", &O::fixed, Bool(), "true: it never moves")
          .Add("motion", &O::motion, Maybe(MotionCodec()), "it moves as this says, whatever is in the way")
          .Add("array", &O::array, Maybe(Object(ArrayKeys())), "many copies")
          .Finally(CheckObject);
  return keys;
}

std::vector<const TableInfo*> ObjectTables() {
  std::vector<const TableInfo*> tables = {&InertiaKeys().info(), &VelocityKeys().info(), &ArrayKeys().info(),
                                          &WaypointKeys().info()};
  for (const Kind<SceneMotion>& kind : MotionKinds()) tables.push_back(&kind.keys.info());
  for (const ShapeKind& kind : ShapeKinds()) tables.push_back(&kind.keys.info());
  return tables;
}

}  // namespace tactus::scene
