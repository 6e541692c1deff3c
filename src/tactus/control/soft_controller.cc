#include "tactus/control/soft_controller.h"

#include "tactus/core/timer.h"

namespace tactus {

QpccSettings SoftControllerSettings::MakeControlSolve() {
  QpccSettings out;
  out.starts = 1;
  // Soft problems like equal penalties.
  out.penalties[0] = {0.1, 0.1, 0.1};
  out.search_solves = out.search_starts = 0;
  return out;
}

void SoftControllerSettings::Validate() const {
  inverse.Validate();
  solve.Validate();
  activation.Validate();
}

SoftController::SoftController(const Simulator& simulator, const SoftControllerSettings& settings)
    : settings_(settings), inverse_(simulator, settings.inverse, settings.tasks) {
  settings_.Validate();
  report_.inputs = VectorX::Zero(static_cast<Eigen::Index>(simulator.soft_actuators().size()));
  report_.places.assign(settings_.tasks.size(), Vector3::Zero());
  report_.expected = report_.places;
}

void SoftController::Update(const Simulator& simulator, Control* control) {
  const ThreadCpuTimer timer;
  const bool assembled = inverse_.Assemble(simulator.state(), control->soft);
  report_.time = simulator.time();
  report_.solve = {};
  if (!assembled)
    report_.solve.message = "state or inputs are not finite, or the system matrix is not positive definite";
  memory_.Begin(inverse_.contacts());
  report_.assembly_cpu_time = timer.seconds();
  ++updates_;
  if (assembled) {
    const bool known = solution_.actuation.size() == inverse_.problem().num_actuators();
    if (known) memory_.MakeWarmStart(solution_, &warm_);
    report_.solve = SolveQpccByActivation(inverse_.problem(), settings_.solve, settings_.activation,
                                          known ? &warm_ : nullptr, &workspace_, &solution_);
  }
  const QpccStatus status = report_.solve.status;
  if (status == QpccStatus::InvalidInput || status == QpccStatus::NumericalError) {
    // Actuators go on as they are, and the next update starts cold.
    solution_ = {};
    memory_.Forget();
    report_.modes.clear();
    return;
  }
  inverse_.CalcInputs(solution_, &report_.inputs);
  report_.modes = solution_.modes;
  for (std::size_t t = 0; t < settings_.tasks.size(); ++t) {
    report_.places[t] = inverse_.CalcEffector(t);
    report_.expected[t] = inverse_.CalcNextEffector(t, solution_);
  }
  control->soft = report_.inputs;
}

void SoftController::Save(std::vector<double>* state) const { memory_.Save(solution_, state); }

void SoftController::Load(const std::vector<double>& state) { memory_.Load(state, 0, &solution_); }

}  // namespace tactus
