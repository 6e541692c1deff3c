// <worldbody> and what is in it: bodies, frames and replicas.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "tactus/io/mjcf_elements.h"
#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

namespace {

// Where an element stands: on which link, in which frame of that, within which defaults and copy.
struct Place {
  int link = -1;
  Pose X_LF;
  int scope = 0;  // default class
  Replica replica;
  bool gives_mass = false;
};

class TreeReader {
 public:
  explicit TreeReader(Context* context) : context_(context) {}

  void ReadChildren(const Node& node, const Place& place) {
    for (const Node& child : node.children) {
      if (++context_->elements > context_->settings->xml.max_elements) {
        child.xml.Fail("too many elements, replicas counted",
                       fmt::format("at most {}", context_->settings->xml.max_elements));
      }
      ReadChild(child, place);
    }
  }

 private:
  Element Apply(const Node& node, const Place& place) const { return context_->defaults.Apply(node.xml, place.scope); }

  void ReadChild(const Node& node, const Place& place) {
    const std::string_view tag = node.tag();
    if (tag == "body") return ReadBody(node, place);
    if (tag == "frame") return ReadFrame(node, place);
    if (tag == "replicate") return ReadReplicate(node, place);
    if (tag == "geom") {
      for (const Node& child : node.children) LeaveOutPlugin(child);
      return ReadGeom(Apply(node, place), place.link, place.X_LF, place.replica, place.gives_mass, context_);
    }
    if (tag == "joint" || tag == "freejoint") return ReadJointElement(node, place);
    if (tag == "site") return ReadSite(node, place);
    if (tag == "inertial") return ReadInertialElement(node, place);
    if (tag == "camera" || tag == "light") {
      const Kind kind = tag == "camera" ? Kind::Camera : Kind::Light;
      context_->names.Add(kind, node.xml, node.xml.Text("name"), place.replica);
      context_->warnings->AddLeftOut(node.xml, fmt::format("<{}>", tag), "only what moves and collides is read",
                                     node.xml.Text("name"));
      return;
    }
    if (tag == "plugin") return LeaveOutPlugin(node);
    if (tag == "attach" || tag == "composite" || tag == "flexcomp") {
      node.xml.Fail("it adds bodies in a way that is not supported",
                    "bodies written out, or <include> and <replicate>");
    }
    node.xml.Fail(fmt::format("unknown element in <{}>", place.link < 0 ? "worldbody" : "body"),
                  "body, frame, replicate, inertial, joint, freejoint, geom, site, camera or light");
  }

  void LeaveOutPlugin(const Node& node) {
    if (node.tag() != "plugin") node.xml.Fail("unknown element", "a plugin, or none");
    context_->warnings->AddLeftOut(node.xml, "<plugin>", "plugins are not supported", node.xml.Text("plugin"));
  }

  static const Node* FindInertial(const Node& node) {
    const Node* found = node.OnlyChild("inertial");
    for (const Node& child : node.children) {
      if (found == nullptr && child.tag() == "frame") found = FindInertial(child);
    }
    return found;
  }

  void ReadBody(const Node& node, const Place& outer) {
    CheckAttributes(node.xml, "body", context_->warnings);
    ModelDescription& model = *context_->model;
    Place place = outer;
    place.link = static_cast<int>(model.links.size());
    place.X_LF = {};
    place.scope = context_->defaults.Find(node.xml, "childclass", outer.scope);
    LinkDescription link;
    link.name = context_->names.Add(Kind::Body, node.xml, node.xml.Text("name"), outer.replica);
    if (!link.name.empty()) context_->links[link.name] = place.link;
    link.parent = outer.link;
    const Element element(node.xml);
    link.X_PL = outer.X_LF * ReadPose(element, context_->compiler.angles);
    const bool has_inertial = FindInertial(node) != nullptr;
    place.gives_mass = context_->compiler.inertia_from_geoms == Compiler::Always ||
                       (context_->compiler.inertia_from_geoms == Compiler::Auto && !has_inertial);
    model.links.push_back(std::move(link));
    context_->bodies.push_back({node.xml, has_inertial, {}});
    ReadChildren(node, place);
    FinishJoints(node, element, place.link);
  }

  void FinishJoints(const Node& node, const Element& element, int index) {
    LinkDescription& link = context_->model->links[static_cast<std::size_t>(index)];
    int dofs = 0;
    bool ball = false;
    for (JointDescription& joint : link.joints) {
      dofs += GetJointKind(joint.type).nv;
      if (ball && joint.type != JointType::Prismatic)
        node.xml.Fail("a ball joint is followed by another rotation", "the ball joint last");
      ball |= joint.type == JointType::Ball;
      if (joint.type != JointType::Floating) continue;
      if (link.parent >= 0)
        node.xml.Fail("it has a free joint, but is not on the world itself", "free joints at the top level");
      // As in MuJoCo the position of a free joint is the pose in the world.
      joint.initial = link.X_PL;
      link.X_PL = {};
    }
    if (dofs > 6) node.xml.Fail(fmt::format("it has {} degrees of freedom", dofs), "at most 6");
    if (!element.Bool("mocap", false)) return;
    if (!link.joints.empty() || link.parent >= 0) {
      node.xml.Fail("it is a mocap body, but has joints or is not on the world itself",
                    "a fixed body at the top level");
    }
    context_->warnings->AddLeftOut(node.xml, "attribute 'mocap' of <body>", "it stays where it is", link.name);
  }

  void ReadFrame(const Node& node, const Place& outer) {
    CheckAttributes(node.xml, "frame", context_->warnings);
    context_->names.Add(Kind::Frame, node.xml, node.xml.Text("name"), outer.replica);
    Place place = outer;
    place.scope = context_->defaults.Find(node.xml, "childclass", outer.scope);
    place.X_LF = outer.X_LF * ReadPose(Element(node.xml), context_->compiler.angles);
    ReadChildren(node, place);
  }

  void ReadReplicate(const Node& node, const Place& outer) {
    CheckAttributes(node.xml, "replicate", context_->warnings);
    if (!node.xml.Has("count")) node.xml.FailAttribute("count", "a whole number > 0");
    const long long count = node.xml.Integer("count", 0);
    if (count < 1 || count > 1000000) node.xml.FailAttribute("count", "a whole number > 0");
    const Vector3 offset = Element(node.xml).Position("offset", Vector3::Zero());
    const Vector3 euler = Element(node.xml).Position("euler", Vector3::Zero());
    const Angles& angles = context_->compiler.angles;
    const std::size_t digits = fmt::format("{}", count - 1).size();
    Vector3 p = Vector3::Zero();
    for (long long i = 0; i < count; ++i) {
      if (++context_->elements > context_->settings->xml.max_elements) {
        node.xml.Fail("too many replicas", fmt::format("at most {} elements", context_->settings->xml.max_elements));
      }
      Place place = outer;
      place.scope = context_->defaults.Find(node.xml, "childclass", outer.scope);
      place.replica = {fmt::format("{}{:0{}}{}", node.xml.Text("sep"), i, digits, outer.replica.suffix),
                       context_->replicas++};
      const Matrix3 R = FromEuler(euler * static_cast<double>(i), angles).matrix();
      place.X_LF = outer.X_LF * Pose(R, p);
      p += R * offset;
      ReadChildren(node, place);
    }
  }

  void ReadJointElement(const Node& node, const Place& place) {
    if (place.link < 0) node.xml.Fail("there is a joint on the world", "joints in <body>");
    CheckAttributes(node.xml, node.tag(), context_->warnings);
    LinkDescription& link = context_->model->links[static_cast<std::size_t>(place.link)];
    const JointPlace at{place.link, link.joints.size()};
    JointDescription joint;
    bool align = context_->compiler.align_free;
    if (node.tag() == "freejoint") {
      // Defaults do not apply to it.
      joint.type = JointType::Floating;
      const std::size_t own = Element(node.xml).OneOf("align", {"false", "true", "auto"}, 2);
      if (own != 2) align = own == 1;
    } else {
      joint = ReadJoint(Apply(node, place), place.X_LF, at, context_);
    }
    if (align && joint.type == JointType::Floating) {
      node.xml.Fail("the frame of a free body is to be moved to its centre of mass (align, alignfree)", "not so");
    }
    joint.name = context_->names.Add(Kind::Joint, node.xml, node.xml.Text("name"), place.replica);
    if (!joint.name.empty()) context_->joints[joint.name] = at;
    link.joints.push_back(joint);
  }

  void ReadSite(const Node& node, const Place& place) {
    CheckAttributes(node.xml, "site", context_->warnings);
    const Element element = Apply(node, place);
    SiteDescription site;
    site.name = context_->names.Add(Kind::Site, node.xml, node.xml.Text("name"), place.replica);
    site.link = place.link;
    const auto segment = ReadSegment(element);
    site.X_LS = place.X_LF * (segment ? segment->X : ReadPose(element, context_->compiler.angles));
    if (!site.name.empty()) context_->site_names[site.name] = context_->model->sites.size();
    context_->model->sites.push_back(site);
  }

  void ReadInertialElement(const Node& node, const Place& place) {
    if (place.link < 0) node.xml.Fail("the world has an inertial", "inertials in <body>");
    const LinkInertia inertia = ReadInertial(node, place.X_LF, context_);
    std::optional<LinkInertia>& own = context_->model->links[static_cast<std::size_t>(place.link)].inertia;
    if (own) node.xml.Fail("the body has another inertial", "one");
    own = inertia;
  }

  Context* context_;
};

}  // namespace

void ReadWorld(const Node& node, Context* context) {
  CheckAttributes(node.xml, "worldbody", context->warnings);
  Place world;
  world.scope = context->defaults.Find(node.xml, "childclass", 0);
  TreeReader(context).ReadChildren(node, world);
}

}  // namespace tactus::mjcf
