// From a scene's description to a simulation of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/scene/scene_description.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

class SoftController;
class TaskController;

/// Something that is measured after steps.
struct SceneProbe {
  SceneSensor sensor;
  int link = -1, joint = -1, deformable = -1;
  int attachment = -1;  ///< Simulator::attachments()
  int size = 0;         ///< numbers that it gives
  std::vector<std::string> columns;
};

/// The columns of a sensor, as in the header of `tactus run --sensors`.
const std::vector<std::string>& SensorColumns(SceneSensorType type);

struct SceneSimulation {
  std::unique_ptr<Simulator> simulator;
  std::vector<SceneProbe> probes;
  std::vector<std::string> notes;  ///< what was done that the file does not say
  /// Those of type `task`, in the scene's order. They belong to the simulator.
  std::vector<const TaskController*> task_controllers;
  /// Those of type `soft`, likewise.
  std::vector<const SoftController*> soft_controllers;
};

/// What the scene says, the defaults for the rest.
SimulatorSettings MakeSettings(const SceneSettings& settings);

/// The world of a scene as one model. Bodies are links: objects by their names, links of models as "model/link".
ModelDescription MakeWorld(const SceneDescription& scene);

/// Everything at its start. Throws InputError where names do not fit.
SceneSimulation MakeSimulation(const SceneDescription& scene, const SimulatorSettings& settings);
SceneSimulation MakeSimulation(const SceneDescription& scene);

/// What a probe says now; `out` has its size.
void CalcProbe(const Simulator& simulator, const SceneProbe& probe, double* out);

}  // namespace tactus
