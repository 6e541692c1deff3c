// <contact>, <equality> and <tendon>.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "tactus/io/mjcf_elements.h"
#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

namespace {

std::string RequireName(const XmlElement& xml, const char* attribute) {
  return std::string(xml.RequireText(attribute));
}

void ReadPair(const Node& node, Context* context) {
  const Element element = context->defaults.Apply(node.xml, 0);
  const std::string names[] = {RequireName(node.xml, "geom1"), RequireName(node.xml, "geom2")};
  for (const Replica& copy : context->names.Resolve(node.xml, {{Kind::Geom, names[0]}, {Kind::Geom, names[1]}})) {
    context->names.Add(Kind::Pair, node.xml, element.name() + (element.name().empty() ? "" : copy.suffix), {});
    ContactPairDescription pair;
    pair.first = names[0] + copy.suffix;
    pair.second = names[1] + copy.suffix;
    const Geom* geoms[2];
    for (int i = 0; i < 2; ++i) {
      geoms[i] = &context->geoms[context->geom_names.at(i == 0 ? pair.first : pair.second)];
      std::vector<ShapeInstance>& shapes = geoms[i]->link < 0
                                               ? context->model->world_shapes
                                               : context->model->links[static_cast<std::size_t>(geoms[i]->link)].shapes;
      ShapeInstance& shape = shapes[geoms[i]->shape];
      // Masks of zero mean only pairs, not for show; what has no shape stays out.
      const bool empty =
          (shape.shape.type == ShapeType::Mesh && !shape.shape.mesh) || shape.shape.type == ShapeType::HeightField;
      if (!empty) shape.collides = true;
    }
    // Without a word of its own: as the two geoms would together.
    const bool same = geoms[0]->priority == geoms[1]->priority;
    const Geom* chosen = geoms[0]->priority > geoms[1]->priority ? geoms[0] : geoms[1];
    std::array<double, 5> friction = {1, 1, 0.005, 0.0001, 0.0001};
    friction[0] = same ? std::max(geoms[0]->friction, geoms[1]->friction) : chosen->friction;
    friction[1] = friction[0];
    element.Numbers("friction", 1, &friction);
    if (!(friction[0] >= 0 && friction[1] >= 0)) element.FailAttribute("friction", "numbers >= 0");
    const long long condim =
        element.Integer("condim", same ? std::max(geoms[0]->condim, geoms[1]->condim) : chosen->condim);
    if (condim != 1 && condim != 3 && condim != 4 && condim != 6) element.FailAttribute("condim", "1, 3, 4 or 6");
    if (condim > 3) {
      context->warnings->AddCounted(
          node.xml, fmt::format("condim {} is taken as 3: there is no torsional and rolling friction", condim),
          element.name());
    }
    if (condim > 1 && friction[0] != friction[1]) {
      context->warnings->AddLeftOut(node.xml, "the second number of 'friction' of <pair>",
                                    "friction is the same in all directions", element.name());
    }
    pair.friction = condim == 1 ? 0 : friction[0];
    context->model->contact_pairs.push_back(pair);
  }
}

// Of a link, where the description puts it.
Pose StartPose(const ModelDescription& model, int index) {
  Pose X;
  for (int i = index; i >= 0; i = model.links[static_cast<std::size_t>(i)].parent) {
    const LinkDescription& link = model.links[static_cast<std::size_t>(i)];
    for (const JointDescription& joint : link.joints) {
      if (joint.type == JointType::Floating) X = joint.initial * X;
    }
    X = link.X_PL * X;
  }
  return X;
}

// The place of a link or a site of it.
struct Anchor {
  std::string link;
  Pose X_LS;
};

Anchor FindAnchor(Kind kind, const std::string& name, const Context& context) {
  if (kind == Kind::Body) return {name == "world" ? "" : name, {}};
  const SiteDescription& site = context.model->sites[context.site_names.at(name)];
  return {site.link < 0 ? "" : context.model->links[static_cast<std::size_t>(site.link)].name, site.X_LS};
}

Pose ReadRelativePose(const XmlElement& xml, const Vector3& anchor, bool* given) {
  *given = false;
  if (!xml.Has("relpose")) return {};
  const std::vector<double> numbers = xml.RequireNumbers("relpose", 7, 7);
  const Eigen::Vector4d q(numbers[3], numbers[4], numbers[5], numbers[6]);
  if (q.isZero(0)) return {};  // as at the start
  *given = true;
  const double norm = q.stableNorm();
  const Matrix3 R = Quaternion(q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm).matrix();
  // MuJoCo's position is that of the second's anchor.
  return {R, Vector3(numbers[0], numbers[1], numbers[2]) - R * anchor};
}

// The same seen from the other side.
void PutWorldSecond(const Context& context, EqualityDescription* equality) {
  std::swap(equality->first, equality->second);
  const Pose X_WL = StartPose(*context.model, context.links.at(equality->first));
  if (equality->type == EqualityType::Weld) {
    const Pose relative = equality->relative ? *equality->relative : X_WL;
    equality->anchor = relative * equality->anchor;
    if (equality->relative) equality->relative = relative.Inverse();
  } else {
    const Vector3 in_world = equality->anchor;
    equality->anchor = equality->second_anchor ? *equality->second_anchor : X_WL.Inverse() * in_world;
    equality->second_anchor = in_world;
  }
}

// <connect> and <weld>, between bodies or sites.
void ReadBodyEquality(const Node& node, const Element& element, Context* context) {
  const XmlElement& xml = node.xml;
  const bool weld = node.tag() == "weld", sites = xml.Has("site1") || xml.Has("site2");
  if (sites && (xml.Has("body1") || xml.Has("body2"))) xml.Fail("there are bodies and sites", "two of one kind");
  const Kind kind = sites ? Kind::Site : Kind::Body;
  const std::string first = RequireName(xml, sites ? "site1" : "body1");
  const std::string second =
      sites ? RequireName(xml, "site2") : std::string(xml.Has("body2") ? xml.RequireText("body2") : "world");
  for (const Replica& copy : context->names.Resolve(xml, {{kind, first}, {kind, second}})) {
    EqualityDescription equality;
    equality.type = weld ? EqualityType::Weld : EqualityType::Connect;
    equality.name = context->names.Add(Kind::Equality, xml, element.name(), copy);
    equality.active = element.Bool("active", true);
    const Anchor a = FindAnchor(kind, first + copy.suffix, *context);
    const Anchor b = FindAnchor(kind, second + copy.suffix, *context);
    Vector3 anchor = element.Position("anchor", Vector3::Zero());
    if (sites) {
      for (const char* other : {"anchor", "relpose"}) {
        if (xml.Has(other)) xml.Fail(fmt::format("attribute '{}' is there beside sites", other), "one of them");
      }
    } else if (!weld && !xml.Has("anchor")) {
      xml.FailAttribute("anchor", "3 numbers");
    }
    bool given = false;
    Pose relative = ReadRelativePose(xml, anchor, &given);
    if (sites) {
      anchor = weld ? b.X_LS.p : a.X_LS.p;
      equality.second_anchor = weld ? std::optional<Vector3>() : b.X_LS.p;
      relative = a.X_LS * b.X_LS.Inverse();
      given = true;
    }
    equality.anchor = anchor;
    if (weld && given) equality.relative = relative;
    equality.first = a.link;
    equality.second = b.link;
    if (a.link == b.link) xml.Fail("it holds a body to itself", "two bodies");
    if (equality.first.empty()) PutWorldSecond(*context, &equality);
    context->model->equalities.push_back(equality);
  }
}

// <joint> and <tendon>: one as a polynomial of the other.
void ReadCoupling(const Node& node, const Element& element, Context* context) {
  const XmlElement& xml = node.xml;
  const bool joints = node.tag() == "joint";
  const Kind kind = joints ? Kind::Joint : Kind::Tendon;
  const std::string first = RequireName(xml, joints ? "joint1" : "tendon1");
  const std::string second(xml.Text(joints ? "joint2" : "tendon2"));
  std::vector<Reference> references = {{kind, first}};
  if (!second.empty()) references.push_back({kind, second});
  for (const Replica& copy : context->names.Resolve(xml, references)) {
    EqualityDescription equality;
    equality.type = joints ? EqualityType::Joint : EqualityType::Tendon;
    equality.name = context->names.Add(Kind::Equality, xml, element.name(), copy);
    equality.active = element.Bool("active", true);
    equality.first = first + copy.suffix;
    if (!second.empty()) equality.second = second + copy.suffix;
    std::array<double, 5> polynomial = {0, 1, 0, 0, 0};
    element.Numbers("polycoef", 1, &polynomial);
    std::copy(polynomial.begin(), polynomial.end(), equality.polynomial);
    bool taken = true;
    for (const std::string& name : {equality.first, equality.second}) {
      if (name.empty()) continue;
      if (joints) {
        const JointType type = context->Joint(context->joints.at(name)).type;
        if (GetJointKind(type).nv != 1)
          xml.Fail(fmt::format("joint '{}' has several dofs", Quote(name)), "hinges and slides");
      } else {
        taken = taken && context->tendons.at(name).index >= 0;
      }
    }
    if (taken) {
      context->model->equalities.push_back(equality);
    } else {
      context->warnings->AddLeftOut(xml, "an equality of tendons", "it is about tendons that are left out",
                                    element.name());
    }
  }
}

void ReadTendon(const Node& node, Context* context) {
  const XmlElement& xml = node.xml;
  CheckAttributes(xml, node.tag(), context->warnings);
  const Element element = context->defaults.Apply(xml, 0, "tendon");
  const auto range = ReadRange(element, "limited", "range", context->compiler.autolimits);
  std::array<double, 2> rest = {-1, -1};
  element.Numbers("springlength", 1, &rest);
  if (element.Has("springlength")) {
    if (element.Find("springlength")->RequireNumbers("springlength", 1, 2).size() == 1) rest[1] = rest[0];
    if (rest[0] > rest[1]) element.FailAttribute("springlength", "one length, or two in order");
  }
  const bool fixed = node.tag() == "fixed";
  std::vector<Reference> references;
  for (const Node& child : node.children) {
    const std::string_view tag = child.tag();
    if (fixed ? tag != "joint" : tag != "site" && tag != "geom" && tag != "pulley") {
      child.xml.Fail(fmt::format("unknown element in <{}>", node.tag()), fixed ? "joint" : "site, geom or pulley");
    }
    if (tag == "pulley") continue;
    const Kind kind = tag == "joint" ? Kind::Joint : tag == "site" ? Kind::Site : Kind::Geom;
    references.push_back({kind, RequireName(child.xml, ToString(kind))});
  }
  if (references.empty()) xml.Fail("there is nothing in it", "a path");
  for (const Replica& copy : context->names.Resolve(xml, references)) {
    TendonDescription tendon;
    tendon.name = context->names.Add(Kind::Tendon, xml, element.name(), copy);
    TendonPlace place;
    if (fixed) {
      tendon.stiffness = element.NotNegative("stiffness", 0);
      tendon.damping = element.NotNegative("damping", 0);
      tendon.dry_friction = element.NotNegative("frictionloss", 0);
      if (range) {
        tendon.lower = range->lower;
        tendon.upper = range->upper;
      }
      double relaxed = 0;  // length with all joints where their springs rest
      for (std::size_t i = 0; i < references.size(); ++i) {
        const std::string name = references[i].name + copy.suffix;
        const JointDescription& joint = context->Joint(context->joints.at(name));
        if (GetJointKind(joint.type).nv != 1)
          node.children[i].xml.Fail("the joint has several dofs", "hinges and slides");
        const double coefficient = node.children[i].xml.RequireNumber("coef");
        tendon.joints.emplace_back(name, coefficient);
        relaxed += coefficient * joint.rest_position;
      }
      const bool own = rest[0] != -1;
      tendon.rest_lower = own ? rest[0] : relaxed;
      tendon.rest_upper = own ? rest[1] : relaxed;
      place.index = static_cast<int>(context->model->tendons.size());
      context->model->tendons.push_back(tendon);
    } else {
      context->warnings->AddLeftOut(xml, "<spatial>", "only fixed tendons are supported", element.name());
    }
    if (!tendon.name.empty()) context->tendons[tendon.name] = place;
  }
}

}  // namespace

void ReadContact(const Node& section, Context* context) {
  for (const Node& child : section.children) {
    CheckAttributes(child.xml, child.tag(), context->warnings);
    if (child.tag() == "pair") {
      ReadPair(child, context);
    } else if (child.tag() == "exclude") {
      const std::string first = RequireName(child.xml, "body1"), second = RequireName(child.xml, "body2");
      for (const Replica& copy : context->names.Resolve(child.xml, {{Kind::Body, first}, {Kind::Body, second}})) {
        context->model->contact_excludes.emplace_back(first + copy.suffix, second + copy.suffix);
      }
    } else {
      child.xml.Fail("unknown element in <contact>", "pair or exclude");
    }
  }
}

void ReadEquality(const Node& section, Context* context) {
  for (const Node& child : section.children) {
    const bool coupling = child.tag() == "joint" || child.tag() == "tendon";
    CheckAttributes(child.xml, coupling ? fmt::format("equality {}", child.tag()) : std::string(child.tag()),
                    context->warnings);
    const Element element = context->defaults.Apply(child.xml, 0, "equality");
    if (coupling) {
      ReadCoupling(child, element, context);
    } else if (child.tag() == "connect" || child.tag() == "weld") {
      ReadBodyEquality(child, element, context);
    } else if (child.tag() == "flex" || child.tag() == "flexvert" || child.tag() == "flexstrain" ||
               child.tag() == "distance") {
      context->warnings->AddLeftOut(child.xml, fmt::format("<{}> in <equality>", child.tag()), "it is not supported",
                                    child.xml.Text("name"));
    } else {
      child.xml.Fail("unknown element in <equality>", "connect, weld, joint or tendon");
    }
  }
}

void ReadTendons(const Node& section, Context* context) {
  for (const Node& child : section.children) {
    if (child.tag() != "fixed" && child.tag() != "spatial") {
      child.xml.Fail("unknown element in <tendon>", "fixed or spatial");
    }
    ReadTendon(child, context);
  }
}

}  // namespace tactus::mjcf
