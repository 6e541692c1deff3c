#include "tactus/model/compose.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "tactus/core/error.h"

namespace tactus {

namespace {

constexpr const char* kFloatingBase = "floating_base";

bool Floats(const LinkDescription& link) {
  return !link.joints.empty() && link.joints.front().type == JointType::Floating;
}

// The frame in which a floating joint's q is a pose.
Pose JointFrame(const LinkDescription& link) { return link.X_PL * Pose(link.joints.front().anchor); }

template <typename T>
void Append(std::vector<T>&& from, std::vector<T>* to) {
  to->insert(to->end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// A copy of the part on its way into the world.
class Part {
 public:
  Part(const ModelDescription& part, const std::string& prefix) : model_(part), prefix_(prefix) {}

  void Fix();
  void Float();
  void Move(const Pose& X_WP);
  void Rename();
  void AppendTo(ModelDescription* world);

 private:
  std::string Prefixed(const std::string& name) const {
    return name.empty() || prefix_.empty() ? name : prefix_ + "/" + name;
  }
  void Warn(const std::string& text) {
    model_.warnings.push_back((prefix_.empty() ? model_.name : prefix_) + ": " + text);
  }
  void DropUsersOf(const std::set<std::string>& joints);
  void CheckNames(const ModelDescription& world) const;

  ModelDescription model_;
  const std::string& prefix_;
};

void Part::Fix() {
  std::set<std::string> gone;
  for (LinkDescription& link : model_.links) {
    if (link.parent >= 0 || !Floats(link)) continue;
    const JointDescription& joint = link.joints.front();
    link.X_PL = JointFrame(link) * joint.initial * Pose(Vector3(-joint.anchor));
    link.weld_name = joint.name;
    if (!joint.name.empty()) gone.insert(joint.name);
    link.joints.erase(link.joints.begin());
  }
  DropUsersOf(gone);
}

void Part::DropUsersOf(const std::set<std::string>& joints) {
  if (joints.empty()) return;
  std::set<std::string> tendons;
  const auto drop = [&](auto* list, const char* what, const auto& uses) {
    std::erase_if(*list, [&](const auto& item) {
      if (!uses(item)) return false;
      Warn(std::string(what) + " '" + item.name + "' is dropped: its joint is gone, as the base is fixed");
      return true;
    });
  };
  drop(&model_.tendons, "tendon", [&](const TendonDescription& tendon) {
    const bool uses = std::any_of(tendon.joints.begin(), tendon.joints.end(),
                                  [&](const auto& joint) { return joints.contains(joint.first); });
    if (uses) tendons.insert(tendon.name);
    return uses;
  });
  drop(&model_.actuators, "actuator", [&](const ActuatorDescription& actuator) {
    return joints.contains(actuator.joint) || tendons.contains(actuator.tendon);
  });
  drop(&model_.equalities, "equality", [&](const EqualityDescription& equality) {
    if (equality.type == EqualityType::Weld || equality.type == EqualityType::Connect) return false;
    const std::set<std::string>& names = equality.type == EqualityType::Joint ? joints : tendons;
    return names.contains(equality.first) || names.contains(equality.second);
  });
}

void Part::Float() {
  if (model_.links.empty()) return;
  LinkDescription& link = model_.links.front();
  if (Floats(link)) return;
  Require(link.joints.empty(), "link '" + link.name + "' of " + model_.name,
          "it cannot float: it has joint '" + (link.joints.empty() ? "" : link.joints.front().name) + "' already",
          "a base that is welded to the world");
  const auto taken = [&](const std::string& name) {
    return std::any_of(model_.links.begin(), model_.links.end(), [&](const LinkDescription& other) {
      return std::any_of(other.joints.begin(), other.joints.end(),
                         [&](const JointDescription& joint) { return joint.name == name; });
    });
  };
  JointDescription joint;
  joint.name = kFloatingBase;
  while (taken(joint.name)) joint.name += "_";
  joint.type = JointType::Floating;
  joint.initial = link.X_PL;
  link.X_PL = {};
  link.weld_name.clear();
  link.joints.push_back(joint);
}

void Part::Move(const Pose& X_WP) {
  for (LinkDescription& link : model_.links) {
    if (link.parent >= 0) continue;
    if (Floats(link)) {
      // F q is where it was; the joint's frame F stays, and F q' = X_WP F q.
      const Pose F = JointFrame(link);
      JointDescription& joint = link.joints.front();
      joint.initial = F.Inverse() * X_WP * F * joint.initial;
    } else {
      link.X_PL = X_WP * link.X_PL;
    }
  }
  for (ShapeInstance& shape : model_.world_shapes) shape.X_LS = X_WP * shape.X_LS;
  for (SiteDescription& site : model_.sites) {
    if (site.link < 0) site.X_LS = X_WP * site.X_LS;
  }
  for (EqualityDescription& equality : model_.equalities) {
    if (!equality.second.empty()) continue;  // else the second is the part's world
    if (equality.type == EqualityType::Weld) {
      equality.anchor = X_WP * equality.anchor;
      if (equality.relative) equality.relative = *equality.relative * X_WP.Inverse();
    } else if (equality.type == EqualityType::Connect && equality.second_anchor) {
      equality.second_anchor = X_WP * *equality.second_anchor;
    }
  }
}

void Part::Rename() {
  const auto rename = [this](std::string* name) { *name = Prefixed(*name); };
  const bool has_world = std::any_of(model_.links.begin(), model_.links.end(),
                                     [](const LinkDescription& link) { return link.name == "world"; });
  const auto rename_link = [&](std::string* name) {
    if (has_world || *name != "world") rename(name);
  };
  for (LinkDescription& link : model_.links) {
    rename(&link.name);
    rename(&link.weld_name);
    for (ShapeInstance& shape : link.shapes) rename(&shape.name);
    for (JointDescription& joint : link.joints) {
      rename(&joint.name);
      if (joint.mimic) rename(&joint.mimic->joint);
    }
  }
  for (ShapeInstance& shape : model_.world_shapes) rename(&shape.name);
  for (SiteDescription& site : model_.sites) rename(&site.name);
  for (ActuatorDescription& actuator : model_.actuators) {
    rename(&actuator.name);
    rename(&actuator.joint);
    rename(&actuator.tendon);
  }
  for (EqualityDescription& equality : model_.equalities) {
    rename(&equality.name);
    rename(&equality.first);
    rename(&equality.second);
  }
  for (TendonDescription& tendon : model_.tendons) {
    rename(&tendon.name);
    for (auto& [joint, coefficient] : tendon.joints) rename(&joint);
  }
  for (ContactPairDescription& pair : model_.contact_pairs) {
    rename(&pair.first);
    rename(&pair.second);
  }
  for (auto& [first, second] : model_.contact_excludes) {
    rename_link(&first);
    rename_link(&second);
  }
}

void Part::CheckNames(const ModelDescription& world) const {
  const auto check = [this](const char* what, const auto& names_of) {
    std::set<std::string> names;
    names_of(0, [&](const std::string& name) { names.insert(name); });
    names_of(1, [&](const std::string& name) {
      Require(name.empty() || !names.contains(name), std::string(what) + " '" + name + "' of " + model_.name,
              "there is one of that name already", "another prefix");
    });
  };
  const ModelDescription* models[] = {&world, &model_};
  check("link", [&](int k, const auto& visit) {
    for (const LinkDescription& link : models[k]->links) visit(link.name);
  });
  check("joint", [&](int k, const auto& visit) {
    for (const LinkDescription& link : models[k]->links) {
      for (const JointDescription& joint : link.joints) visit(joint.name);
    }
  });
  check("site", [&](int k, const auto& visit) {
    for (const SiteDescription& site : models[k]->sites) visit(site.name);
  });
  check("tendon", [&](int k, const auto& visit) {
    for (const TendonDescription& tendon : models[k]->tendons) visit(tendon.name);
  });
  check("actuator", [&](int k, const auto& visit) {
    for (const ActuatorDescription& actuator : models[k]->actuators) visit(actuator.name);
  });
}

void Part::AppendTo(ModelDescription* world) {
  CheckNames(*world);
  if (model_.gravity != world->gravity) Warn("its gravity is dropped: the world has its own");
  for (const ModelDescription* model : {static_cast<const ModelDescription*>(world), &std::as_const(model_)}) {
    for (const KeyframeDescription& key : model->keyframes) {
      Warn("keyframe '" + key.name + "' is dropped: it holds for one model alone");
    }
  }
  world->keyframes.clear();
  const int offset = static_cast<int>(world->links.size());
  for (LinkDescription& link : model_.links) {
    if (link.parent >= 0) link.parent += offset;
  }
  for (SiteDescription& site : model_.sites) {
    if (site.link >= 0) site.link += offset;
  }
  Append(std::move(model_.links), &world->links);
  Append(std::move(model_.sites), &world->sites);
  Append(std::move(model_.world_shapes), &world->world_shapes);
  Append(std::move(model_.actuators), &world->actuators);
  Append(std::move(model_.equalities), &world->equalities);
  Append(std::move(model_.tendons), &world->tendons);
  Append(std::move(model_.contact_pairs), &world->contact_pairs);
  Append(std::move(model_.contact_excludes), &world->contact_excludes);
  Append(std::move(model_.warnings), &world->warnings);
}

}  // namespace

void AppendModel(const ModelDescription& part, const std::string& prefix, const Pose& X_WP, ModelDescription* world,
                 BaseChange base) {
  Part copy(part, prefix);
  if (base == BaseChange::Fix) copy.Fix();
  if (base == BaseChange::Float) copy.Float();
  copy.Move(X_WP);
  copy.Rename();
  copy.AppendTo(world);
}

}  // namespace tactus
