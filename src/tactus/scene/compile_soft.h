// Controllers of type `soft` out of scenes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/control/soft_controller.h"
#include "tactus/scene/scene_description.h"

namespace tactus {

/// A task with the names of its parts found. What has no target stays where it is now.
SoftTask MakeSoftTask(const SceneSoftTask& task, const SceneDescription& scene, const Simulator& simulator);
/// Throws InputError, as the next.
SoftControllerSettings MakeSoftSettings(const SceneController& controller, const SceneDescription& scene,
                                        const Simulator& simulator);
std::unique_ptr<SoftController> MakeSoftController(const SceneController& controller, const SceneDescription& scene,
                                                   const Simulator& simulator);
/// The task of that name among all controllers; null if there is none.
const SceneSoftTask* FindSoftTask(const SceneDescription& scene, const std::string& name);

}  // namespace tactus
