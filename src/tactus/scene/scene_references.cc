// Whether the names that a scene refers to exist, with the line of those that do not.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/parse_number.h"
#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

namespace {

class References {
 public:
  explicit References(const SceneDescription& scene) {
    for (const SceneModel& model : scene.models) {
      models_.insert(model.name);
      names_.push_back(model.name);
      for (const LinkDescription& link : model.description.links) {
        AddBody(model.name + "/" + link.name);
        for (const JointDescription& joint : link.joints) {
          const std::string name = model.name + "/" + joint.name;
          joints_.emplace(name, Joint{GetJointKind(joint.type).nv, joint.mimic.has_value()});
          joint_names_.push_back(name);
        }
      }
    }
    for (const SceneObject& object : scene.objects) {
      if (object.array) {
        arrays_.emplace(object.name, object.array->size());
        body_names_.push_back(object.name + "_0");
      } else {
        AddBody(object.name);
      }
    }
    for (const SceneDeformable& deformable : scene.deformables) deformables_.push_back(deformable.name);
    names_.insert(names_.end(), body_names_.begin(), body_names_.end());
    names_.insert(names_.end(), deformables_.begin(), deformables_.end());
  }

  enum class World { Taken, Refused };
  // `instead`: what to use for a deformable.
  void CheckBody(const Cursor& cursor, World world, const char* instead = "an object or a link as model/link") const {
    const std::string& name = cursor.node().text;
    if (name == "world") {
      if (world == World::Refused) cursor.Fail("is the world, which does not move", "an object or a link");
      return;
    }
    if (IsBody(name)) return;
    if (IsDeformable(name)) cursor.Fail(fmt::format("'{}' is a deformable", Quote(name)), instead);
    FailName(cursor, "body", body_names_, "an object, a link as model/link, or world");
  }

  // One body or deformable, or all whose names begin so ("ball_*").
  void CheckBodies(const Cursor& cursor) const {
    const std::string& name = cursor.node().text;
    if (IsDeformable(name)) return;
    if (!name.ends_with('*')) return CheckBody(cursor, World::Refused);
    const std::string prefix = name.substr(0, name.size() - 1);
    const auto begins = [&](const std::string& body) { return body.starts_with(prefix); };
    if (std::any_of(body_names_.begin(), body_names_.end(), begins)) return;
    if (std::any_of(deformables_.begin(), deformables_.end(), begins)) return;
    cursor.Fail(fmt::format("there are no bodies '{}'", Quote(name)),
                "an object, a link, or the beginning of names and '*'");
  }

  // Anything that touches.
  void CheckToucher(const Cursor& cursor) const {
    const std::string& name = cursor.node().text;
    if (!IsBody(name) && !models_.contains(name) && !IsDeformable(name)) {
      FailName(cursor, "body, model or deformable", names_, "an object, a link as model/link, a model or a deformable");
    }
  }

  // One joint of one dof; `text` is its name.
  void CheckJoint(const Cursor& cursor, const std::string& text) const {
    const auto found = joints_.find(text);
    if (found == joints_.end()) {
      cursor.Fail(fmt::format("there is no joint '{}'", Quote(text)), SuggestJoint(text));
    }
    if (found->second.nv != 1) {
      cursor.Fail(fmt::format("joint '{}' has {} dofs", Quote(text), found->second.nv), "a joint of one dof");
    }
  }

  // One joint, or all of a model ("panda/*"): how many.
  std::size_t CheckJoints(const Cursor& cursor) const {
    const std::string& text = cursor.node().text;
    if (!text.ends_with("/*") && text != "*") {
      CheckJoint(cursor, text);
      return 1;
    }
    const std::string prefix = text.substr(0, text.size() - 1);
    std::size_t count = 0;
    for (const auto& [name, joint] : joints_) count += name.starts_with(prefix) && joint.nv == 1 && !joint.mimic;
    if (count == 0) cursor.Fail(fmt::format("there are no joints '{}'", Quote(text)), SuggestJoint(text));
    return count;
  }

 private:
  struct Joint {
    int nv = 0;
    bool mimic = false;
  };

  void AddBody(std::string name) {
    bodies_.insert(name);
    body_names_.push_back(std::move(name));
  }

  bool IsBody(const std::string& name) const {
    if (bodies_.contains(name)) return true;
    // A copy of an array, name_3; names may have underscores of their own.
    const std::size_t at = name.rfind('_');
    if (at == std::string::npos) return false;
    const auto array = arrays_.find(name.substr(0, at));
    const std::string digits = name.substr(at + 1);
    const std::optional<long long> number = ParseInteger(digits);
    return array != arrays_.end() && number && *number >= 0 && *number < array->second &&
           digits == std::to_string(*number);
  }

  bool IsDeformable(const std::string& name) const {
    return std::find(deformables_.begin(), deformables_.end(), name) != deformables_.end();
  }

  [[noreturn]] void FailName(const Cursor& cursor, const char* what, const std::vector<std::string>& names,
                             const char* otherwise) const {
    const std::string& text = cursor.node().text;
    if (const auto array = arrays_.find(text); array != arrays_.end()) {
      cursor.Fail(fmt::format("'{}' is an array", Quote(text)),
                  fmt::format("one of its copies, '{0}_0' to '{0}_{1}'", Quote(text), array->second - 1));
    }
    const std::string nearest = FindNearest(text, names);
    cursor.Fail(fmt::format("there is no {} '{}'", what, Quote(text)),
                nearest.empty() ? otherwise : "did you mean '" + Quote(nearest) + "'?");
  }

  std::string SuggestJoint(const std::string& text) const {
    return joint_names_.empty() ? "a joint as model/joint; the scene has none" : SuggestName(text, joint_names_);
  }

  std::unordered_set<std::string> bodies_, models_;
  std::unordered_map<std::string, int> arrays_;  // copies
  std::unordered_map<std::string, Joint> joints_;
  std::vector<std::string> body_names_, joint_names_, names_;  // to suggest
  std::vector<std::string> deformables_;
};

constexpr char kSoftSensors[] = "deformable_item, clamp_force, attachment_force, or contact_force of what it touches";

template <typename Each>
void ForEach(const Cursor& root, const char* list, const Each& each) {
  if (!root.Has(list)) return;
  const Cursor cursor = root.Key(list);
  for (std::size_t i = 0; i < cursor.size(); ++i) each(cursor.At(i));
}

void CheckConstraint(const Cursor& c, const References& names) {
  for (const char* key : {"first", "second"}) {
    if (c.Has(key)) names.CheckBody(c.Key(key), References::World::Taken);
  }
  if (c.Has("first")) {
    const std::string second = c.Has("second") ? c.Key("second").node().text : "world";
    if (c.Key("first").node().text == second) c.Fail("both ends are '" + Quote(second) + "'", "two bodies");
  }
  if (c.Has("body")) names.CheckBody(c.Key("body"), References::World::Refused);
  for (const char* key : {"joint", "follows"}) {
    if (c.Has(key)) names.CheckJoint(c.Key(key), c.Key(key).node().text);
  }
  if (!c.Has("joints")) return;
  const Cursor joints = c.Key("joints");
  for (std::size_t i = 0; i < joints.size(); ++i) names.CheckJoint(joints.At(i), joints.node().keys[i]);
}

void CheckController(const Cursor& c, const References& names) {
  std::size_t count = 0;
  ForEach(c, "joints", [&](const Cursor& joint) { count += names.CheckJoints(joint); });
  for (const char* key : {"stiffness", "damping", "target", "torque"}) {
    if (!c.Has(key) || !c.Key(key).IsList()) continue;
    const std::size_t values = c.Key(key).size();
    if (values != 1 && values != count) {
      c.Key(key).Fail(fmt::format("has {} values for {} joints", values, count), "one for all, or one for each");
    }
  }
  for (const char* key : {"waypoints", "table"}) {
    if (!c.Has(key)) continue;
    const std::size_t values = c.Key(key).At(0).size() - 1;
    if (values != count) {
      c.Key(key).Fail(fmt::format("its rows have {} values for {} joints", values, count), "a time and one for each");
    }
  }
  ForEach(c, "tasks", [&](const Cursor& task) {
    if (task.Has("body")) names.CheckBody(task.Key("body"), References::World::Refused);
    ForEach(task, "joints", [&](const Cursor& joint) { names.CheckJoints(joint); });
  });
}

}  // namespace

void CheckReferences(const Cursor& root, const SceneDescription& scene) {
  const References names(scene);
  ForEach(root, "constraints", [&](const Cursor& c) { CheckConstraint(c, names); });
  ForEach(root, "deformables", [&](const Cursor& d) {
    ForEach(d, "attachments", [&](const Cursor& a) {
      if (a.Has("body")) names.CheckBody(a.Key("body"), References::World::Taken);
    });
  });
  ForEach(root, "drives", [&](const Cursor& drive) { names.CheckJoints(drive.Key("joint")); });
  ForEach(root, "controllers", [&](const Cursor& c) { CheckController(c, names); });
  ForEach(root, "wrenches", [&](const Cursor& w) { names.CheckBody(w.Key("body"), References::World::Refused); });
  ForEach(root, "sensors", [&](const Cursor& sensor) {
    if (sensor.Has("body")) names.CheckBody(sensor.Key("body"), References::World::Refused, kSoftSensors);
    if (sensor.Has("joint")) names.CheckJoint(sensor.Key("joint"), sensor.Key("joint").node().text);
  });
  ForEach(root, "goals", [&](const Cursor& goal) {
    ForEach(goal, "bodies", [&](const Cursor& body) { names.CheckBodies(body); });
    if (goal.Has("of")) names.CheckBody(goal.Key("of"), References::World::Taken);
  });
  if (!root.Has("contacts")) return;
  const Cursor contacts = root.Key("contacts");
  const auto check_all = [&](const Cursor& list) {
    for (std::size_t i = 0; i < list.size(); ++i) names.CheckToucher(list.At(i));
  };
  ForEach(contacts, "exclude", check_all);
  ForEach(contacts, "pairs", [&](const Cursor& pair) { check_all(pair.Key("bodies")); });
}

}  // namespace tactus::scene
