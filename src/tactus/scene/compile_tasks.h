// Controllers of type `task` out of scenes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/control/task_controller.h"
#include "tactus/scene/scene_description.h"

namespace tactus {

/// A task with the names of its links and joints found. `motors` are the controller's dofs. What has no target holds
/// what is now.
TaskTerm MakeTaskTerm(const SceneTask& task, const std::vector<int>& motors, const Simulator& simulator);
/// `joints` are those of the controller. Throws InputError.
std::unique_ptr<TaskController> MakeTaskController(const SceneController& controller, const std::vector<int>& joints,
                                                   const Simulator& simulator);
/// The task of that name among all controllers; null if there is none.
const SceneTask* FindTask(const SceneDescription& scene, const std::string& name);
std::string TaskName(const SceneTask& task);

/// Joints of a model by name; "panda/*" are all of one dof that follow no other.
std::vector<int> FindJoints(const Model& model, const std::string& name, const std::string& where);

}  // namespace tactus
