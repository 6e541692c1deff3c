#include "tactus/scene/compile_soft.h"

#include "tactus/core/error.h"
#include "tactus/scene/compile_deformables.h"

namespace tactus {

SoftTask MakeSoftTask(const SceneSoftTask& task, const SceneDescription& scene, const Simulator& simulator) {
  const std::string where = "task '" + task.name + "'";
  SoftTask out;
  out.name = task.name;
  if (!task.deformable.empty()) {
    for (std::size_t k = 0; k < scene.deformables.size(); ++k) {
      if (scene.deformables[k].name != task.deformable) continue;
      out.deformable = static_cast<int>(k);
      out.items = FindItems(scene.deformables[k], task.items, where);
    }
    Require(out.deformable >= 0, where, "there is no deformable '" + task.deformable + "'", "one of the scene");
  } else {
    out.link = simulator.model().FindLink(task.body);
    Require(out.link >= 0, where, "there is no body '" + task.body + "'", "an object, or a link as model/link");
  }
  out.point = task.point;
  out.axes = task.axes;
  out.weight = task.weight;
  out.gain = task.gain;
  out.target.kind = task.kind == ScenePathKind::Smooth ? Timeline::Kind::Smooth : Timeline::Kind::Linear;
  out.target.times = task.times;
  out.target.values = task.values;
  const Vector3 start = CalcEffectorPlace(simulator, out);
  if (task.times.empty()) {
    out.target.times = {0};
    out.target.values = {{start[0], start[1], start[2]}};
  } else if (task.relative) {
    for (std::vector<double>& row : out.target.values) {
      for (std::size_t r = 0; r < 3; ++r) row[r] += start[static_cast<Eigen::Index>(r)];
    }
  }
  out.Validate(simulator);
  return out;
}

SoftControllerSettings MakeSoftSettings(const SceneController& controller, const SceneDescription& scene,
                                        const Simulator& simulator) {
  SoftControllerSettings settings;
  settings.inverse.period = 1 / controller.rate;
  settings.inverse.margin = controller.margin;
  settings.inverse.max_contacts = controller.max_contacts;
  settings.inverse.filter = controller.filter;
  settings.inverse.effort_weight = controller.effort_weight;
  settings.inverse.change_weight = controller.change_weight;
  settings.solve.time_budget = controller.time_budget;
  for (const SceneSoftTask& task : controller.soft_tasks) {
    settings.tasks.push_back(MakeSoftTask(task, scene, simulator));
  }
  return settings;
}

std::unique_ptr<SoftController> MakeSoftController(const SceneController& controller, const SceneDescription& scene,
                                                   const Simulator& simulator) {
  return std::make_unique<SoftController>(simulator, MakeSoftSettings(controller, scene, simulator));
}

const SceneSoftTask* FindSoftTask(const SceneDescription& scene, const std::string& name) {
  for (const SceneController& c : scene.controllers) {
    for (const SceneSoftTask& task : c.soft_tasks) {
      if (task.name == name) return &task;
    }
  }
  return nullptr;
}

}  // namespace tactus
