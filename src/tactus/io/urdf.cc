#include "tactus/io/urdf.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/mesh/mesh_file.h"
#include "tactus/io/parse_number.h"
#include "tactus/io/urdf_elements.h"
#include "tactus/io/warning_list.h"

namespace tactus {

namespace {

using urdf::Context;
using urdf::Joint;

// Raw xacro has the look of URDF and would be read as a robot with parts missing. Calls of macros alone may be left
// over in files that were expanded (the PR2's is one); they are unknown elements, with a warning.
void RefuseXacro(const XmlElement& element) {
  for (const XmlElement& child : element.Children()) {
    for (const char* tag :
         {"xacro:include", "xacro:macro", "xacro:property", "xacro:arg", "xacro:if", "xacro:unless"}) {
      if (child.tag() == tag) child.Fail("this is a xacro file", "URDF: expand the file by the program xacro first");
    }
  }
}

void CheckRobot(const XmlElement& robot) {
  if (robot.tag() != "robot") robot.Fail("this is no URDF file", "the root element <robot>");
  if (robot.Has("version")) robot.RequireOneOf("version", {"1.0", "1.1", "1.2"});
  RefuseXacro(robot);
  for (const XmlElement& child : robot.Children()) RefuseXacro(child);
}

// The links and joints of a file in its order, and how they hang together.
struct Robot {
  std::vector<XmlElement> link_elements;
  std::vector<LinkDescription> links;
  std::vector<Joint> joints;
  std::map<std::string, int> link_index;
  std::vector<int> parent_joint;               // of each link; -1: none
  std::vector<std::vector<int>> child_joints;  // of each link, in the file's order
};

Robot ReadElements(const XmlElement& element, const Context& context) {
  Robot robot;
  std::set<std::string> joint_names;
  for (const XmlElement& child : element.Children()) {
    if (child.tag() == "link") {
      LinkDescription link = urdf::ReadLink(child, context);
      if (!robot.link_index.emplace(link.name, static_cast<int>(robot.links.size())).second) {
        child.Fail("there is another link of that name", "every name once");
      }
      robot.link_elements.push_back(child);
      robot.links.push_back(std::move(link));
    } else if (child.tag() == "joint") {
      robot.joints.push_back(urdf::ReadJoint(child, context));
      if (!joint_names.insert(robot.joints.back().description.name).second) {
        child.Fail("there is another joint of that name", "every name once");
      }
    } else if (child.tag() == "transmission") {
      context.warnings->AddLeftOut(child, "<transmission>", "actuators are not taken from URDF files",
                                   child.Text("name"));
    } else if (child.tag() == "gazebo") {
      context.warnings->AddLeftOut(child, "<gazebo>", "it belongs to another simulator", child.Text("reference"));
    } else if (child.tag() != "material") {
      context.warnings->AddLeftOut(child, fmt::format("<{}> in <robot>", Quote(child.tag())), "it is not known here",
                                   child.Text("name"));
    }
  }
  if (robot.links.empty()) element.Fail("there are no links in it", "one <link> at least");
  return robot;
}

int FindLink(const Robot& robot, const Joint& joint, const char* role, const std::string& name) {
  const auto found = robot.link_index.find(name);
  if (found != robot.link_index.end()) return found->second;
  joint.element.RequireChild(role).Fail(fmt::format("there is no link '{}'", Quote(name)), "the name of a link");
}

void ConnectLinks(Robot* robot) {
  robot->parent_joint.assign(robot->links.size(), -1);
  robot->child_joints.resize(robot->links.size());
  for (std::size_t j = 0; j < robot->joints.size(); ++j) {
    const Joint& joint = robot->joints[j];
    const auto parent = static_cast<std::size_t>(FindLink(*robot, joint, "parent", joint.parent));
    const auto child = static_cast<std::size_t>(FindLink(*robot, joint, "child", joint.child));
    if (parent == child) {
      joint.element.Fail(fmt::format("link '{}' is its parent and its child", Quote(joint.parent)), "two links");
    }
    if (const int other = robot->parent_joint[child]; other >= 0) {
      const std::string& name = robot->joints[static_cast<std::size_t>(other)].description.name;
      joint.element.Fail(fmt::format("link '{}' is already the child of joint '{}'", Quote(joint.child), Quote(name)),
                         "a tree: every link the child of one joint");
    }
    robot->parent_joint[child] = static_cast<int>(j);
    robot->child_joints[parent].push_back(static_cast<int>(j));
  }
}

int FindRoot(const Robot& robot) {
  int root = -1;
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (robot.parent_joint[i] >= 0) continue;
    if (root >= 0) {
      robot.link_elements[i].Fail(fmt::format("it hangs on nothing, and neither does link '{}'",
                                              Quote(robot.links[static_cast<std::size_t>(root)].name)),
                                  "one root link");
    }
    root = static_cast<int>(i);
  }
  if (root < 0) robot.joints[0].element.Fail("links hang on one another in a circle", "a tree with one root link");
  return root;
}

void CheckMimics(const Robot& robot) {
  std::map<std::string_view, const Joint*> by_name;
  for (const Joint& joint : robot.joints) by_name[joint.description.name] = &joint;
  const auto leader = [&](const Joint& joint) {
    return joint.description.mimic ? by_name[joint.description.mimic->joint] : nullptr;
  };
  std::set<const Joint*> good;
  for (const Joint& joint : robot.joints) {
    if (!joint.description.mimic) continue;
    const XmlElement mimic = joint.element.RequireChild("mimic");
    const Joint* other = leader(joint);
    if (other == nullptr) mimic.FailAttribute("joint", "the name of a joint");
    const JointType type = other->description.type;
    if (type == JointType::Fixed || GetJointKind(type).nv != 1) mimic.FailAttribute("joint", "a joint with one dof");
    // Follow the chain to its end or to one that is known to end.
    std::set<const Joint*> chain = {&joint};
    for (const Joint* next = other; next != nullptr && !good.contains(next); next = leader(*next)) {
      if (!chain.insert(next).second) mimic.Fail("joints mimic one another in a circle", "a chain that ends");
    }
    good.merge(chain);
  }
}

std::string FreeName(const Robot& robot, std::string name) {
  const auto taken = [&] {
    return std::any_of(robot.joints.begin(), robot.joints.end(),
                       [&](const Joint& joint) { return joint.description.name == name; });
  };
  while (taken()) name += "_";
  return name;
}

// Links depth-first from the root, children in the file's order.
void AppendTree(Robot* robot, int root, BaseType base, ModelDescription* model) {
  std::vector<std::pair<int, int>> stack = {{root, -1}};  // link, parent's index in the model
  std::vector<bool> reached(robot->links.size());
  while (!stack.empty()) {
    const auto [index, parent] = stack.back();
    stack.pop_back();
    const auto at = static_cast<std::size_t>(index);
    reached[at] = true;
    LinkDescription link = std::move(robot->links[at]);
    link.parent = parent;
    if (parent < 0) {
      if (base == BaseType::Floating) {
        JointDescription floating;
        floating.name = FreeName(*robot, "floating_base");
        floating.type = JointType::Floating;
        link.joints.push_back(floating);
      }
    } else {
      const Joint& joint = robot->joints[static_cast<std::size_t>(robot->parent_joint[at])];
      link.X_PL = joint.X_PL;
      if (joint.description.type == JointType::Fixed) {
        link.weld_name = joint.description.name;
      } else {
        link.joints.push_back(joint.description);
      }
    }
    const int here = static_cast<int>(model->links.size());
    model->links.push_back(std::move(link));
    const std::vector<int>& children = robot->child_joints[at];
    for (auto j = children.rbegin(); j != children.rend(); ++j) {
      stack.emplace_back(robot->link_index.at(robot->joints[static_cast<std::size_t>(*j)].child), here);
    }
  }
  // All but the root hang on something, so what was not reached goes round in a circle.
  const auto lost = std::find(reached.begin(), reached.end(), false);
  if (lost != reached.end()) {
    robot->link_elements[static_cast<std::size_t>(lost - reached.begin())].Fail("links hang on one another in a circle",
                                                                                "a tree with one root link");
  }
}

ModelDescription BuildModel(std::string_view text, const std::string& file, const std::filesystem::path& folder,
                            const FileRoots& roots, const UrdfSettings& settings) {
  const XmlDocument document = XmlDocument::Parse(text, file, settings.xml);
  const XmlElement element = document.root();
  CheckRobot(element);
  MeshLibrary meshes(&roots);
  WarningList warnings;
  Robot robot = ReadElements(element, {&settings, &roots, &meshes, &warnings, folder});
  ConnectLinks(&robot);
  const int root = FindRoot(robot);
  CheckMimics(robot);
  ModelDescription model;
  model.name = std::string(element.Text("name"));
  AppendTree(&robot, root, settings.base, &model);
  model.warnings = warnings.Take();
  return model;
}

}  // namespace

ModelDescription LoadUrdf(const std::filesystem::path& file, const UrdfSettings& settings) {
  FileRoots roots(settings.files);
  const std::string text = roots.Read(file);
  roots.AddRoot(file.parent_path());
  return BuildModel(text, Quote(file.string(), 500), file.parent_path(), roots, settings);
}

ModelDescription ParseUrdf(std::string_view text, const std::string& file, const UrdfSettings& settings) {
  return BuildModel(text, file, {}, FileRoots(settings.files), settings);
}

}  // namespace tactus
