// Poses and materials.
#include <algorithm>

#include "tactus/core/error.h"
#include "tactus/io/parse_number.h"
#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

namespace {

struct PoseValues {
  Vector3 position = Vector3::Zero();
  Vector3 rpy = Vector3::Zero();
  std::vector<double> quaternion;
  std::optional<Vector3> axis;
  std::optional<double> angle;
};

const Keys<PoseValues>& PoseKeys() {
  static const Keys<PoseValues> keys =
      Keys<PoseValues>("pose", "Where something is. One of rpy, quaternion, or axis with angle; none: not turned.")
          .Add("position", &PoseValues::position, Vector(Within(-1e6, 1e6, "m")), "x, y, z [m]")
          .Add("rpy", &PoseValues::rpy, AngleVector(), "roll, pitch, yaw: about the fixed x, then y, then z axis [rad]")
          .Add("quaternion", &PoseValues::quaternion, Numbers(AnyNumber(), 4, 4), "w, x, y, z; any length but zero")
          .Add("axis", &PoseValues::axis, Maybe(Vector(AnyNumber())), "of the rotation; any length but zero")
          .Add("angle", &PoseValues::angle, Maybe(Angle()), "about `axis` [rad]")
          .Finally([](const Cursor& cursor, PoseValues* out) {
            const bool about_axis = out->axis || out->angle;
            if (cursor.Has("rpy") + cursor.Has("quaternion") + about_axis > 1) {
              cursor.Fail("it has several orientations", "one of rpy, quaternion, or axis with angle");
            }
            if (about_axis && !(out->axis && out->angle)) {
              cursor.Fail("one of axis and angle is there alone", "both or none");
            }
          });
  return keys;
}

Pose MakePose(const Cursor& cursor, const PoseValues& values) {
  Matrix3 R = Matrix3::Identity();
  if (!values.quaternion.empty()) {
    const Eigen::Vector4d q(values.quaternion[0], values.quaternion[1], values.quaternion[2], values.quaternion[3]);
    if (q.norm() < 1e-9) cursor.Key("quaternion").Fail("has length zero", "w, x, y, z, not all zero");
    const Eigen::Vector4d unit = q.normalized();
    R = Quaternion(unit[0], unit[1], unit[2], unit[3]).matrix();
  } else if (values.axis) {
    if (values.axis->norm() < 1e-9) cursor.Key("axis").Fail("has length zero", "a direction");
    R = ExpRotation(values.axis->normalized() * *values.angle).matrix();
  } else if (!values.rpy.isZero(0)) {
    R = (Eigen::AngleAxisd(values.rpy[2], Vector3::UnitZ()) * Eigen::AngleAxisd(values.rpy[1], Vector3::UnitY()) *
         Eigen::AngleAxisd(values.rpy[0], Vector3::UnitX()))
            .toRotationMatrix();
  }
  return {R, values.position};
}

}  // namespace

Codec<Pose> PoseCodec() {
  return {[](const Cursor& cursor, Pose* out) {
            PoseValues values;
            PoseKeys().Read(cursor, &values);
            *out = MakePose(cursor, values);
          },
          PoseKeys().schema(), [](const Pose&) { return std::string("{}"); }};
}

const TableInfo& PoseTable() { return PoseKeys().info(); }

const Keys<Material>& MaterialKeys() {
  const auto rule = [] {
    return Choice<CombinationRule>({{"geometric_mean", CombinationRule::GeometricMean},
                                    {"average", CombinationRule::Average},
                                    {"minimum", CombinationRule::Minimum},
                                    {"product", CombinationRule::Product},
                                    {"maximum", CombinationRule::Maximum}});
  };
  static const Keys<Material> keys =
      Keys<Material>("material", "What a surface is made of.")
          .Add("friction", &Material::friction, Number(Within(0, 1e6)), "coefficient of Coulomb friction")
          .Add("friction2", &Material::friction2, Maybe(Number(Within(0, 1e6))),
               "across friction_direction; none: as friction")
          .Add("friction_direction", &Material::friction_direction, Vector(AnyNumber()),
               "the direction of `friction`, in the shape's axes")
          .Add("friction_rule", &Material::friction_rule, rule(), "how two become one; the later in the list decides")
          .Add("restitution", &Material::restitution, Number(Within(0, 1)), "0: inelastic, 1: elastic")
          .Add("restitution_rule", &Material::restitution_rule, rule(), "how two become one")
          .Add("surface_velocity", &Material::surface_velocity, Vector(Within(-1e6, 1e6, "m/s")),
               "of the surface along the body (conveyor), in the shape's axes [m/s]")
          .Add("stiffness", &Material::stiffness, NumberOrInfinity(Above(0, "N/m")), "[N/m]; inf: rigid")
          .Add("damping", &Material::damping, Number(AtLeast(0, "N s/m")), "beside the stiffness [N s/m]")
          .Finally([](const Cursor& cursor, Material* out) { out->Validate(cursor.where()); });
  return keys;
}

Codec<Material> MaterialCodec() {
  return {[](const Cursor& cursor, Material* out) {
            if (cursor.IsMap()) {
              *out = {};
              MaterialKeys().Read(cursor, out);
              return;
            }
            std::vector<std::string> names;
            for (const auto& [name, material] : cursor.context().scene->materials) names.push_back(name);
            if (!cursor.IsText()) cursor.FailValue("the name of a material, or a map of its keys");
            const auto found = std::find(names.begin(), names.end(), cursor.node().text);
            if (found == names.end()) {
              cursor.Fail("there is no material '" + Quote(cursor.node().text) + "'",
                          SuggestName(cursor.node().text, names));
            }
            *out = cursor.context().scene->materials[static_cast<std::size_t>(found - names.begin())].second;
          },
          R"({"anyOf": [{"type": "string"}, )" + MaterialKeys().schema() + "]}"};
}

}  // namespace tactus::scene
