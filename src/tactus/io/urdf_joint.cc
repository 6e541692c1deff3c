#include <iterator>

#include <fmt/format.h>

#include "tactus/io/parse_number.h"
#include "tactus/io/urdf_elements.h"

namespace tactus::urdf {

namespace {

struct TypeName {
  const char* name;
  JointType type;
};
constexpr TypeName kTypes[] = {{"fixed", JointType::Fixed},           {"revolute", JointType::Revolute},
                               {"continuous", JointType::Continuous}, {"prismatic", JointType::Prismatic},
                               {"floating", JointType::Floating},     {"planar", JointType::Planar},
                               {"spherical", JointType::Ball}};  // the last is Bullet's, not the standard's

JointType ReadType(const XmlElement& element) {
  for (const TypeName& known : kTypes) {
    if (element.Text("type") == known.name) return known.type;
  }
  element.FailAttribute("type", "revolute, continuous, prismatic, fixed, floating, planar or spherical");
}

bool HasOneDof(JointType type) {
  return type == JointType::Revolute || type == JointType::Continuous || type == JointType::Prismatic;
}

double RequireNotNegative(const XmlElement& element, const char* attribute, double otherwise) {
  const double value = element.Number(attribute, otherwise);
  if (value < 0) element.FailAttribute(attribute, "a number >= 0");
  return value;
}

void ReadLimit(const XmlElement& joint, const Context& context, JointDescription* description) {
  const bool ranged = description->type == JointType::Revolute || description->type == JointType::Prismatic;
  const auto limit = joint.OnlyChild("limit");
  if (!limit) {
    if (ranged) context.warnings->Add(joint, "there is no <limit>: taken as without limits");
    return;
  }
  context.warnings->AddUnknown(*limit, {}, {"lower", "upper", "velocity", "effort"});
  description->velocity_limit = RequireNotNegative(*limit, "velocity", description->velocity_limit);
  description->effort_limit = RequireNotNegative(*limit, "effort", description->effort_limit);
  for (const char* attribute : {"velocity", "effort"}) {
    if (limit->Has(attribute)) continue;
    context.warnings->Add(*limit, fmt::format("attribute '{}' is missing: taken as without that limit", attribute));
  }
  const double lower = limit->Number("lower", 0), upper = limit->Number("upper", 0);
  if (!ranged) return;  // a continuous joint has none; exporters write some all the same
  if (!limit->Has("lower") && !limit->Has("upper")) {
    context.warnings->Add(*limit,
                          "attributes 'lower' and 'upper' are missing: taken as without position limits "
                          "(the standard's default of 0 for both would lock the joint)");
    return;
  }
  if (lower > upper) {
    limit->Fail(fmt::format("attributes 'lower' {:g} and 'upper' {:g} are the wrong way round", lower, upper),
                "lower <= upper");
  }
  if (lower == upper) {
    context.warnings->Add(*limit, fmt::format("both position limits are {:g}: the joint cannot move", lower));
  }
  description->lower = lower;
  description->upper = upper;
}

void ReadMimic(const XmlElement& joint, const Context& context, JointDescription* description) {
  const auto element = joint.OnlyChild("mimic");
  if (!element) return;
  context.warnings->AddUnknown(*element, {}, {"joint", "multiplier", "offset"});
  if (!HasOneDof(description->type)) element->Fail("a joint of this type cannot mimic", "a joint with one dof");
  Mimic mimic;
  mimic.joint = std::string(element->RequireText("joint"));
  mimic.multiplier = element->Number("multiplier", 1);
  mimic.offset = element->Number("offset", 0);
  description->mimic = mimic;
}

void WarnOfOthers(const XmlElement& element, const Context& context) {
  context.warnings->AddUnknown(
      element, {"parent", "child", "origin", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"},
      {"name", "type"});
  for (const char* tag : {"safety_controller", "calibration"}) {
    for (const XmlElement& child : element.Children(tag)) {
      context.warnings->AddLeftOut(child, fmt::format("<{}>", tag), "it belongs to controllers, not to the mechanism",
                                   element.Text("name"));
    }
  }
}

}  // namespace

Joint ReadJoint(const XmlElement& element, const Context& context) {
  Joint joint{element, "", "", {}, {}};
  JointDescription& description = joint.description;
  description.name = std::string(element.RequireText("name"));
  description.type = ReadType(element);
  WarnOfOthers(element, context);
  if (description.type == JointType::Ball) {
    context.warnings->Add(element, "type 'spherical' is not in the URDF standard: taken as a ball joint");
  }
  joint.parent = std::string(element.RequireChild("parent").RequireText("link"));
  joint.child = std::string(element.RequireChild("child").RequireText("link"));
  joint.X_PL = ReadOrigin(element, context);
  const bool has_axis = HasOneDof(description.type) || description.type == JointType::Planar;
  if (const auto axis = element.OnlyChild("axis"); axis && has_axis) {
    context.warnings->AddUnknown(*axis, {}, {"xyz"});
    description.axis = axis->RequireVector3("xyz");
    // Not squares: they could overflow.
    const double length = description.axis.stableNorm();
    if (!(length > 1e-12)) axis->FailAttribute("xyz", "a direction, not of length zero");
    description.axis /= length;
  } else if (has_axis) {
    description.axis = Vector3::UnitX();  // the standard's default
  }
  if (description.type != JointType::Fixed) {
    ReadLimit(element, context, &description);
    if (const auto dynamics = element.OnlyChild("dynamics")) {
      context.warnings->AddUnknown(*dynamics, {}, {"damping", "friction"});
      description.damping = RequireNotNegative(*dynamics, "damping", 0);
      description.dry_friction = RequireNotNegative(*dynamics, "friction", 0);
    }
  }
  ReadMimic(element, context, &description);
  return joint;
}

}  // namespace tactus::urdf
