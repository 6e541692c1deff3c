#include <cmath>

#include <fmt/format.h>

#include "tactus/io/mjcf_elements.h"
#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

namespace {

// A coefficient of force; newer files may give those of squares and cubes too.
double ReadCoefficient(const Element& element, const char* attribute, WarningList* warnings) {
  std::array<double, 3> values = {0, 0, 0};
  element.Numbers(attribute, 1, &values);
  if (!(values[0] >= 0)) element.FailAttribute(attribute, "a number >= 0");
  if (values[1] != 0 || values[2] != 0) {
    warnings->AddLeftOut(element.xml(),
                         fmt::format("what attribute '{}' of <joint> says beyond its first number", attribute),
                         "springs and dampers are linear", element.xml().Text("name"));
  }
  return values[0];
}

void ReadLimits(const Element& element, const Compiler& compiler, JointDescription* joint, WarningList* warnings) {
  const auto range = ReadRange(element, "limited", "range", compiler.autolimits);
  const auto angle = [&](double x) { return joint->type == JointType::Prismatic ? x : compiler.angles.ToRadians(x); };
  if (range && joint->type == JointType::Ball) {
    warnings->AddLeftOut(element.xml(), "attribute 'range' of a ball joint", "ball joints have no limits here",
                         element.xml().Text("name"));
  } else if (range && joint->type != JointType::Floating) {
    joint->lower = angle(range->lower);
    joint->upper = angle(range->upper);
    if (joint->type == JointType::Continuous) joint->type = JointType::Revolute;
  }
  const auto force = ReadRange(element, "actuatorfrclimited", "actuatorfrcrange", compiler.autolimits);
  if (!force) return;
  if (force->lower == -force->upper) {
    joint->effort_limit = force->upper;
  } else {
    warnings->AddLeftOut(element.xml(), "attribute 'actuatorfrcrange' of <joint>",
                         "only limits that are the same either way are supported", element.xml().Text("name"));
  }
}

}  // namespace

JointDescription ReadJoint(const Element& element, const Pose& X_LF, const JointPlace& place, Context* context) {
  const Compiler& compiler = context->compiler;
  JointDescription joint;
  constexpr JointType kTypes[] = {JointType::Floating, JointType::Ball, JointType::Prismatic, JointType::Continuous};
  joint.type = kTypes[element.OneOf("type", {"free", "ball", "slide", "hinge"}, 3)];
  const bool one_dof = joint.type == JointType::Prismatic || joint.type == JointType::Continuous;
  if (joint.type != JointType::Floating) joint.anchor = X_LF * element.Position("pos", Vector3::Zero());
  if (one_dof) {
    const Vector3 axis = element.Vector("axis", Vector3::UnitZ());
    const double length = axis.stableNorm();
    if (!(length > 1e-14)) element.FailAttribute("axis", "a direction, not of length zero");
    joint.axis = X_LF.R * (axis / length);
    const double unit = joint.type == JointType::Prismatic ? 1 : compiler.angles.ToRadians(1);
    joint.reference = element.Number("ref", 0) * unit;
    joint.rest_position = element.Number("springref", 0) * unit;
  }
  ReadLimits(element, compiler, &joint, context->warnings);
  joint.stiffness = ReadCoefficient(element, "stiffness", context->warnings);
  joint.damping = ReadCoefficient(element, "damping", context->warnings);
  joint.armature = element.NotNegative("armature", 0);
  joint.dry_friction = element.NotNegative("frictionloss", 0);
  std::array<double, 2> spring_damper = {0, 0};
  element.Numbers("springdamper", 2, &spring_damper);
  if (spring_damper[0] > 0 && spring_damper[1] > 0) {
    context->spring_dampers.push_back({place, spring_damper[0], spring_damper[1]});
  }
  return joint;
}

}  // namespace tactus::mjcf
