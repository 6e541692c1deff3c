// A controller of soft robots: at its own rate it finds the tensions, pressures and motor velocities that take
// effectors where they should be at the end of the control step, together with what every contact then does
// (docs/soft-control.md).
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/control/contact_memory.h"
#include "tactus/control/soft_inverse.h"
#include "tactus/inverse/contact_activation.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

struct SoftControllerSettings {
  SoftInverseSettings inverse;
  std::vector<SoftTask> tasks;  ///< one or more
  /// Of the solver. By default one start from the last answer, and the contact solver where polishing fails.
  QpccSettings solve = MakeControlSolve();
  ActivationSettings activation;  ///< contacts join as they are needed

  static QpccSettings MakeControlSolve();
  void Validate() const;  ///< throws InputError
};

/// What the last update found.
struct SoftReport {
  double time = 0;  ///< of the update [s]
  QpccReport solve;
  VectorX inputs;                  ///< of soft actuators [N, Pa, m/s]
  std::vector<Vector3> places;     ///< of effectors at the update [m]
  std::vector<Vector3> expected;   ///< where they are expected at the end of the control step [m]
  std::vector<ContactMode> modes;  ///< of SoftController::contacts()
  double assembly_cpu_time = 0;    ///< collision, factorization and compliances [s]
};

class SoftController : public Controller {
 public:
  /// For a simulator whose deformables and soft actuators are there; it must outlive this. Throws InputError.
  SoftController(const Simulator& simulator, const SoftControllerSettings& settings);

  double period() const override { return settings_.inverse.period; }
  void Update(const Simulator& simulator, Control* control) override;
  void Save(std::vector<double>* state) const override;
  void Load(const std::vector<double>& state) override;

  const SoftControllerSettings& settings() const { return settings_; }
  const SoftInverse& inverse() const { return inverse_; }
  /// How often it was updated, and what the last update found.
  std::int64_t updates() const { return updates_; }
  const SoftReport& report() const { return report_; }
  const std::vector<ContactState>& contacts() const { return inverse_.contacts(); }
  const QpccSolution& solution() const { return solution_; }

 private:
  SoftControllerSettings settings_;
  SoftInverse inverse_;
  ContactMemory memory_;
  ActivationWorkspace workspace_;
  QpccSolution warm_, solution_;
  SoftReport report_;
  std::int64_t updates_ = 0;
};

}  // namespace tactus
