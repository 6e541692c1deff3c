#include "python/src/python_model.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "apps/cli/scene_library.h"
#include "tactus/core/error.h"
#include "tactus/io/data_folder.h"
#include "tactus/scene/scene_file.h"

namespace tactus::python {

const char* ToString(InputKind kind) {
  switch (kind) {
    case InputKind::Actuator: return "actuator";
    case InputKind::Position: return "position";
    case InputKind::Velocity: return "velocity";
    case InputKind::Torque: return "torque";
    case InputKind::Soft: return "soft";
  }
  return "?";
}

std::vector<std::string> FindRobots() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(FindDataFolder("models"))) {
    if (entry.path().extension() == ".urdf") out.push_back(entry.path().stem().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

namespace {

SceneFileSettings MakeFileSettings(const LoadSettings& settings) {
  SceneFileSettings out;
  out.overrides = settings.overrides;
  out.trial = settings.trial;
  out.seed = settings.seed;
  out.missing_meshes = settings.missing_meshes ? MissingMeshes::Warn : MissingMeshes::Error;
  out.files.roots = settings.roots;
  return out;
}

// A file, a scene of ours, or the name of one of our robots.
std::filesystem::path FindSource(const std::string& source) {
  std::error_code error;
  if (source.find_first_of("/.") == std::string::npos && !std::filesystem::is_regular_file(source, error)) {
    const std::filesystem::path robot = FindDataFolder("models") / (source + ".urdf");
    if (std::filesystem::exists(robot, error)) return robot;
  }
  return cli::FindScene(source, FindRobots());
}

FailurePolicy ParsePolicy(const std::string& name) {
  for (const FailurePolicy policy : {FailurePolicy::Continue, FailurePolicy::Retry, FailurePolicy::Stop}) {
    if (name == ToString(policy)) return policy;
  }
  throw InputError("on_failure", "is '" + name + "'", "continue, retry or stop");
}

SimulatorSettings ChooseSettings(const SceneDescription& scene, const LoadSettings& settings) {
  SimulatorSettings out = MakeSettings(scene.settings);
  if (settings.time_step) {
    const double h = *settings.time_step;
    Require(h >= 1e-9 && h <= 1, "time_step", fmt::format("is {} s", h), "from 1e-9 to 1 s; 1/240 s is usual");
    out.scheme.step = h;
  }
  if (settings.tolerance) out.solve.tolerance = *settings.tolerance;
  if (settings.time_budget) out.solve.time_budget = *settings.time_budget;
  if (settings.max_iterations) out.solve.max_iterations = *settings.max_iterations;
  if (settings.linearizations) out.linearizations = *settings.linearizations;
  if (settings.threads) out.threads = *settings.threads;
  if (settings.solver) out.solver = *settings.solver;
  if (settings.on_failure) out.on_failure = ParsePolicy(*settings.on_failure);
  return out;
}

SceneDescription WithBase(SceneDescription scene, const LoadSettings& settings) {
  Require(!scene.models.empty() || !scene.objects.empty() || !scene.deformables.empty(), "scene",
          "there is nothing in it", "models, objects or deformables");
  Require(settings.trial >= 0 && settings.trial < std::max(1, scene.trials), "trial",
          fmt::format("is {}", settings.trial), fmt::format("from 0 to {}", std::max(1, scene.trials) - 1));
  if (settings.floating_base) {
    Require(scene.models.size() == 1, "base", fmt::format("the scene has {} models", scene.models.size()),
            "'fixed'; in scenes the key fixed_base says so");
    scene.models[0].base = BaseChange::Float;
  }
  return scene;
}

void RemoveControllers(SceneSimulation* simulation) {
  simulation->simulator->RemoveControllers();
  simulation->task_controllers.clear();
  simulation->soft_controllers.clear();
}

}  // namespace

std::shared_ptr<PyModel> PyModel::Load(const std::string& source, const LoadSettings& settings) {
  Require(!source.empty() && source.find('\0') == std::string::npos, "load", "the name is empty or holds a zero byte",
          "a YAML, URDF or MJCF file, or the name of a scene or robot that comes with tactus");
  return std::make_shared<PyModel>(WithBase(LoadScene(FindSource(source), MakeFileSettings(settings)), settings),
                                   settings);
}

std::shared_ptr<PyModel> PyModel::Parse(const std::string& text, const LoadSettings& settings) {
  return std::make_shared<PyModel>(WithBase(ParseScene(text, "text", MakeFileSettings(settings)), settings), settings);
}

PyModel::PyModel(SceneDescription scene, const LoadSettings& settings)
    : scene_(std::move(scene)), settings_(ChooseSettings(scene_, settings)) {
  world_ = MakeSimulation(scene_, settings_);
  if (!settings.controllers) RemoveControllers(&world_);
  has_controllers_ = world_.simulator->num_controllers() > 0;
  start_ = world_.simulator->MakeSnapshot();
  AddInputs();
  initial_control_ = VectorX::Zero(nu());
  ReadControl(*this, world(), initial_control_.data());
  num_state_ = nq() + nv();
  for (const DeformableState& d : start_.state.deformables) {
    num_state_ += static_cast<int>(d.q.size() + d.v.size());
  }
  for (const SceneProbe& probe : probes()) num_sensor_values_ += probe.size;
}

void PyModel::AddInputs() {
  const std::vector<ActuatorDescription>& actuators = model().description().actuators;
  for (std::size_t k = 0; k < actuators.size(); ++k) {
    inputs_.push_back({InputKind::Actuator, static_cast<int>(k), actuators[k].name, actuators[k].control_lower,
                       actuators[k].control_upper});
  }
  constexpr double kNone = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < world().drives().size(); ++k) {
    const JointDrive& drive = world().drives()[k];
    const JointDescription& joint = model().joints()[static_cast<std::size_t>(drive.joint)].description;
    const bool velocity = drive.stiffness == 0 && drive.damping > 0;
    inputs_.push_back({velocity ? InputKind::Velocity : InputKind::Position, static_cast<int>(k), joint.name,
                       velocity ? -kNone : joint.lower, velocity ? kNone : joint.upper});
  }
  AddTorques();
  for (std::size_t k = 0; k < world().soft_actuators().size(); ++k) {
    const SoftActuator& soft = world().soft_actuators()[k];
    inputs_.push_back({InputKind::Soft, static_cast<int>(k), soft.name, soft.lower, soft.upper});
  }
}

// Joints of one dof that no actuator, no drive and no other joint moves. A model with actuators of its own says by them
// what is driven, so that its other joints are passive.
void PyModel::AddTorques() {
  std::set<std::string> actuated;  // models
  for (const SceneModel& part : scene_.models) {
    if (!part.description.actuators.empty()) actuated.insert(part.name);
  }
  std::set<int> driven;
  for (const JointDrive& drive : world().drives()) driven.insert(drive.joint);
  for (std::size_t j = 0; j < model().joints().size(); ++j) {
    const ModelJoint& joint = model().joints()[j];
    const ModelBody& body = model().body(joint.body);
    const std::string& name = joint.description.name;
    const double limit = joint.description.effort_limit;
    if (body.nv != 1 || joint.mimic >= 0 || driven.count(static_cast<int>(j)) > 0 || limit <= 0) continue;
    if (actuated.count(name.substr(0, name.find('/'))) > 0) continue;
    inputs_.push_back({InputKind::Torque, body.v, name, -limit, limit});
  }
}

SceneSimulation PyModel::TakeSimulation() const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      SceneSimulation out = std::move(idle_.back());
      idle_.pop_back();
      out.simulator->RestoreTrusted(start_);
      return out;
    }
  }
  SceneSimulation out = MakeSimulation(scene_, settings_);
  if (!has_controllers_) RemoveControllers(&out);
  return out;
}

void PyModel::GiveBack(SceneSimulation simulation) const {
  constexpr std::size_t kMostIdle = 64;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(simulation));
}

void RequireFinite(const char* what, const double* values, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) {
    if (!std::isfinite(values[k])) {
      throw InputError(fmt::format("{}[{}]", what, k), fmt::format("is {}", values[k]), "a finite number");
    }
  }
}

void WriteControl(const PyModel& model, const double* ctrl, Simulator* simulator) {
  Control& control = simulator->control();
  for (std::size_t k = 0; k < model.inputs().size(); ++k) {
    const ControlInput& input = model.inputs()[k];
    switch (input.kind) {
      case InputKind::Actuator: control.actuators[input.index] = ctrl[k]; break;
      case InputKind::Position: control.drives[static_cast<std::size_t>(input.index)].position = ctrl[k]; break;
      case InputKind::Velocity: control.drives[static_cast<std::size_t>(input.index)].velocity = ctrl[k]; break;
      case InputKind::Torque: control.force[input.index] = ctrl[k]; break;
      case InputKind::Soft: control.soft[input.index] = ctrl[k]; break;
    }
  }
}

void ReadControl(const PyModel& model, const Simulator& simulator, double* ctrl) {
  const Control& control = simulator.control();
  for (std::size_t k = 0; k < model.inputs().size(); ++k) {
    const ControlInput& input = model.inputs()[k];
    switch (input.kind) {
      case InputKind::Actuator: ctrl[k] = control.actuators[input.index]; break;
      case InputKind::Position: ctrl[k] = control.drives[static_cast<std::size_t>(input.index)].position; break;
      case InputKind::Velocity: ctrl[k] = control.drives[static_cast<std::size_t>(input.index)].velocity; break;
      case InputKind::Torque: ctrl[k] = control.force[input.index]; break;
      case InputKind::Soft: ctrl[k] = control.soft[input.index]; break;
    }
  }
}

void CheckControl(const PyModel& model, const Simulator& simulator) {
  if (model.nu() == 0) return;
  thread_local VectorX ctrl;
  ctrl.resize(model.nu());
  ReadControl(model, simulator, ctrl.data());
  RequireFinite("ctrl", ctrl.data(), ctrl.size());
}

void WriteState(const double* values, bool full, State* state) {
  const auto take = [&](VectorX* v) {
    *v = Eigen::Map<const VectorX>(values, v->size());
    values += v->size();
  };
  take(&state->q);
  take(&state->v);
  if (!full) return;
  for (DeformableState& d : state->deformables) {
    take(&d.q);
    take(&d.v);
  }
}

void ReadState(const State& state, bool full, double* values) {
  const auto give = [&](const VectorX& v) { values = std::copy(v.data(), v.data() + v.size(), values); };
  give(state.q);
  give(state.v);
  if (!full) return;
  for (const DeformableState& d : state.deformables) {
    give(d.q);
    give(d.v);
  }
}

void CheckState(const Model& model, State* state) {
  RequireFinite("qpos", state->q.data(), state->q.size());
  RequireFinite("qvel", state->v.data(), state->v.size());
  for (const DeformableState& d : state->deformables) {
    RequireFinite("positions of a deformable", d.q.data(), d.q.size());
    RequireFinite("velocities of a deformable", d.v.data(), d.v.size());
  }
  for (const ModelBody& body : model.bodies()) {
    const JointType type = body.kind->type;
    if (type != JointType::Floating && type != JointType::Ball) continue;
    const int at = body.q + (type == JointType::Floating ? 3 : 0);
    auto turn = state->q.segment<4>(at);
    const double norm = turn.norm();
    if (!(norm > 1e-6 && norm < 1e6)) {
      throw InputError(fmt::format("qpos[{}:{}]", at, at + 4), fmt::format("is a quaternion of length {}", norm),
                       "a unit quaternion, w first (near enough: it is normalized)");
    }
    if (std::abs(norm - 1) > 1e-12) turn /= norm;  // what a simulation gave stays as it is to the bit
  }
}

}  // namespace tactus::python
