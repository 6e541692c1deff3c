// COND: a fixed-point iteration on velocities in which contacts are decoupled, so that no large matrix is ever
// factorized (paper 001). See README.md.
#pragma once

#include <array>
#include <string>

#include "tactus/solvers/cond/cond_engine.h"
#include "tactus/solvers/contact_solver.h"

namespace tactus {

class CondSolver : public ContactSolver {
 public:
  explicit CondSolver(const CondSettings& settings = CondSettings()) : settings_(settings) { settings_.Validate(); }
  std::string name() const override { return "cond"; }
  const CondEngine& engine() const { return engine_; }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;
  bool ReturnsVelocity(const ContactProblem& problem, const SolveSettings&) const override {
    return problem.has_dynamics() && problem.mass().has_sparse();
  }
  bool TakesEllipticContacts() const override { return settings_.law == CondOperator::Strict; }

 private:
  // Chebyshev's factors, from the rate at which steps shrink.
  struct Acceleration {
    int since = 0;  // a restart
    double nu = 1, rho = 0;
    std::array<double, 65> steps{};  // the last ones, by number
  };

  bool Begin(const ContactProblem& problem, SolveMonitor* monitor, const VectorX& lambda, SolveReport* report);
  void CalcStart(const ContactProblem& problem, const VectorX* start_velocity, const VectorX& lambda);
  void ReadAnswer();
  bool Check(int iteration, SolveMonitor* monitor, Termination* why);
  double Measure(const CondNorms& norms) const;
  double NextFactor();
  void UpdateRate(double step);
  bool HasStalled(int iteration, double tolerance);
  /// Acceleration of ties is no sure thing: the iteration with multipliers may turn about its fixed point.
  bool AccelerationFails(double measure);
  bool HeldMultipliersFail() const;
  bool InnerIsSolved(const CondNorms& norms) const;
  /// Looks after the iteration: acceleration, restarts, divergence. True if it has to begin anew.
  bool Watch(const CondNorms& norms, double measure, SolveReport* report);
  bool own_law() const {
    return settings_.law == CondOperator::Proximal || settings_.omega > 0 ||
           (settings_.virtual_nodes == CondVirtualNodes::Plain && engine_.has_copies());
  }

  CondSettings settings_;
  CondEngine engine_;
  ContactProblem primal_;                    // of a Delassus pair
  const ContactProblem* problem_ = nullptr;  // as given
  const ContactProblem* solved_ = nullptr;   // what the engine sees
  JudgeWorkspace judge_;
  Acceleration acceleration_;
  VectorX start_velocity_, start_lambda_, v_, lambda_, best_v_, best_lambda_;
  double b_norm_ = 0, best_ = 0, smallest_ = 0, first_ = 0, measure_ = 0;
  bool accelerates_ = true, holds_multipliers_ = false, stiffened_ = false;
  double progress_ = 0;  // measure that was far below the one before
  int idle_ = 0;         // iterations since
  double best_at_rest_ = 0;
  int at_rest_since_ = 0;
  bool two_field_ = false;
};

}  // namespace tactus
