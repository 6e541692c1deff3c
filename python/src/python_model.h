// What Python calls Model and Data: a scene ready to be simulated, and one simulation of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/scene/compile_scene.h"

namespace tactus::python {

/// Whose input an entry of ctrl is.
enum class InputKind {
  Actuator,  ///< of an MJCF file, in its own units
  Position,  ///< target of a drive [rad, m]
  Velocity,  ///< of a drive without stiffness [rad/s, m/s]
  Torque,    ///< on a joint that nothing else drives [N m, N]
  Soft,      ///< of a cable, cavity or motor of a deformable [N, Pa, m/s]
};
const char* ToString(InputKind kind);

/// Names of the robots that come with tactus.
std::vector<std::string> FindRobots();

/// One entry of ctrl.
struct ControlInput {
  InputKind kind = InputKind::Torque;
  int index = 0;  ///< actuator, drive, dof or soft actuator of the simulator
  std::string name;
  double lower = 0, upper = 0;  ///< beyond them the simulator clips
};

/// What `load` was asked for, beside the file.
struct LoadSettings {
  std::vector<std::string> overrides, roots;
  std::optional<std::uint64_t> seed;
  int trial = 0;
  bool floating_base = false;
  bool missing_meshes = false;  ///< are warnings
  bool controllers = true;      ///< those of the scene
  std::optional<double> time_step, tolerance, time_budget;
  std::optional<int> max_iterations, linearizations, threads;
  std::optional<std::string> solver, on_failure;
};

/// A scene: immutable for Python, shared by any number of Data.
class PyModel : public std::enable_shared_from_this<PyModel> {
 public:
  /// Compiles the scene. Throws InputError.
  PyModel(SceneDescription scene, const LoadSettings& settings);
  static std::shared_ptr<PyModel> Load(const std::string& source, const LoadSettings& settings);
  static std::shared_ptr<PyModel> Parse(const std::string& text, const LoadSettings& settings);

  const SceneDescription& scene() const { return scene_; }
  const SimulatorSettings& settings() const { return settings_; }
  /// At its start; never stepped.
  const Simulator& world() const { return *world_.simulator; }
  const Model& model() const { return world().model(); }
  const std::vector<SceneProbe>& probes() const { return world_.probes; }
  const std::vector<std::string>& notes() const { return world_.notes; }
  const Snapshot& start() const { return start_; }
  const std::vector<ControlInput>& inputs() const { return inputs_; }
  const VectorX& initial_control() const { return initial_control_; }
  int nq() const { return model().nq(); }
  int nv() const { return model().nv(); }
  int nu() const { return static_cast<int>(inputs_.size()); }
  /// q and v of everything, deformables included.
  int num_state() const { return num_state_; }
  int num_sensor_values() const { return num_sensor_values_; }
  bool has_controllers() const { return has_controllers_; }
  /// How Python made it, pickled: the model outlives its wrapper where a Data holds it.
  const std::string& recipe() const { return recipe_; }
  void SetRecipe(std::string recipe) { recipe_ = std::move(recipe); }

  /// A simulation at its start. Those given back are used again.
  SceneSimulation TakeSimulation() const;
  void GiveBack(SceneSimulation simulation) const;

 private:
  void AddInputs();
  void AddTorques();

  SceneDescription scene_;
  SimulatorSettings settings_;
  SceneSimulation world_;
  Snapshot start_;
  std::vector<ControlInput> inputs_;
  VectorX initial_control_;
  int num_state_ = 0, num_sensor_values_ = 0;
  bool has_controllers_ = false;
  std::string recipe_;
  mutable std::mutex mutex_;
  mutable std::vector<SceneSimulation> idle_;
};

/// "qpos[3]: is nan (expected: a finite number)" if an entry is not finite.
void RequireFinite(const char* what, const double* values, std::int64_t count);

/// ctrl into a simulator, and back, where the scene's own controllers have written.
void WriteControl(const PyModel& model, const double* ctrl, Simulator* simulator);
void ReadControl(const PyModel& model, const Simulator& simulator, double* ctrl);
/// Throws InputError that names the entry of ctrl that is not finite.
void CheckControl(const PyModel& model, const Simulator& simulator);

/// [q, v, then q and v of each deformable] into a state, and back. `full`: with deformables.
void WriteState(const double* values, bool full, State* state);
void ReadState(const State& state, bool full, double* values);
/// Throws InputError that names the entry unless all are finite and quaternions near enough to unit ones, which they
/// are made then.
void CheckState(const Model& model, State* state);

/// The memory behind NumPy's views of a Data. They share it, so that it lives as long as the last of them. The
/// simulator works on a copy of its own: whatever Python writes while a step runs, it sees nothing of it.
struct DataBuffers {
  VectorX qpos, qvel, ctrl, qfrc_applied;
  RowMatrixX wrenches;                  ///< a row for each link, at its origin
  std::vector<VectorX> node_q, node_v;  ///< of deformables
};

/// A simulation. Not for several threads at a time: Use refuses the second.
class PyData {
 public:
  /// `simulation`: of the model, at its start.
  PyData(std::shared_ptr<const PyModel> model, SceneSimulation simulation);
  ~PyData();
  PyData(const PyData&) = delete;
  PyData& operator=(const PyData&) = delete;

  /// While it lives nobody else can use the data. Throws std::runtime_error if somebody does.
  class Use {
   public:
    explicit Use(PyData* data);
    ~Use() { data_->busy_.store(false, std::memory_order_release); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    PyData* data_;
  };

  const PyModel& model() const { return *model_; }
  std::shared_ptr<const PyModel> shared_model() const { return model_; }
  const std::vector<SceneProbe>& probes() const { return simulation_.probes; }
  Simulator& simulator() { return *simulation_.simulator; }
  const Simulator& simulator() const { return *simulation_.simulator; }
  const std::shared_ptr<DataBuffers>& buffers() const { return buffers_; }
  /// Of the last step; after a reset, that there was none.
  const StepReport& report() const { return report_; }
  void SetReport(const StepReport& report) { report_ = report; }

  /// What was written into the buffers, into the simulator. Throws InputError where it makes no sense.
  void Gather();
  /// What the simulator has, into the buffers.
  void Scatter();
  /// The scene's start.
  void Reset();
  void SetTime(double time);

 private:
  static StepReport NoStep() {
    StepReport report;
    report.message = "there was no step yet";
    return report;
  }
  void GatherWrenches();

  std::shared_ptr<const PyModel> model_;
  SceneSimulation simulation_;
  std::shared_ptr<DataBuffers> buffers_;
  StepReport report_ = NoStep();
  State scratch_;
  bool wrenches_set_ = false;  // in the simulator
  std::atomic<bool> busy_ = false;
};

}  // namespace tactus::python
