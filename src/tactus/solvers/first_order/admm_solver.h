// What all splittings of ADMM share: the loop, when to stop, and the balance of penalties.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/first_order/impulse_system.h"
#include "tactus/solvers/first_order/iterate_watch.h"

namespace tactus {

struct AdmmSettings {
  double beta = 10;            ///< first penalty, multiple of what the solver takes for a constraint's mass, > 0
  double relaxation = 1.6;     ///< alpha, [1, 2)
  bool adapt = true;           ///< balance the residuals by changing beta
  double adapt_threshold = 5;  ///< change beta when the residuals differ by this factor, > 1
  int adapt_interval = 50;     ///< iterations between two looks at the balance, >= 1
  int max_adaptations = 8;     ///< refactorizations, >= 0
  int check_interval = 10;     ///< iterations between two looks at the residual, >= 1
  double check_growth = 0;     ///< the same as a share of all iterations so far, where that is more, [0, 1]
  int least_iterations = 0;    ///< made even if the time is over: fewer are worse than none, >= 0
  int default_max_iterations = 10000;  ///< where SolveSettings leaves them open, >= 1

  void Validate(const std::string& solver) const;  ///< throws InputError
};

/// Whether iterations are worth while: what they have gained since half of them says how many more it takes.
class ProgressWatch {
 public:
  void Start(double tolerance, double alternative);
  /// True if, of iterations that all take the same time, more than the alternative's are needed.
  bool IsSlow(int iteration, double best);

 private:
  static constexpr int kMost = 256;
  double tolerance_ = 0, alternative_ = 0;
  int count_ = 0;
  std::array<int, kMost> iterations_{};
  std::array<double, kMost> best_{};
};

/// |J v - z| against |B (z - z_before)|, each relative to its own scale and weighted by rho: sums over all copies.
struct AdmmBalance {
  double primal = 0, primal_scale = 0, dual = 0, dual_scale = 0;

  /// One entry of y = J v and its copy z; `free` and `lambda` set the scales.
  void Add(double rho, double beta, double y, double z, double z_before, double free, double lambda) {
    const double step = beta * (z - z_before);
    primal += rho * (y - z) * (y - z);
    primal_scale += rho * std::max({y * y, z * z, free * free});
    dual += step * step / rho;
    dual_scale += lambda * lambda / rho;
  }
  void operator+=(const AdmmBalance& other) {
    primal += other.primal;
    primal_scale += other.primal_scale;
    dual += other.dual;
    dual_scale += other.dual_scale;
  }
};

class AdmmSolver : public ContactSolver {
 protected:
  /// From what Prepare of the solver has set up. Leaves the best iterate in lambda.
  Termination Loop(const ContactProblem& problem, const AdmmSettings& settings, SolveMonitor* monitor, VectorX* lambda,
                   SolveReport* report);

  /// For the penalty_ there is. False if a matrix is not positive definite, numerically.
  [[nodiscard]] virtual bool Factorize(const ContactProblem& problem) = 0;
  /// `count` iterations; with `keep` the last of them leaves what CalcBalance needs of the copies before.
  virtual void Iterate(const ContactProblem& problem, int count, bool keep, VectorX* lambda) = 0;
  /// Of the last iteration, for which `keep` was set.
  virtual AdmmBalance CalcBalance(const ContactProblem& problem, const VectorX& lambda) = 0;
  /// The three ways to look at iterates; where they are not in lambda, a solver has its own.
  virtual void StartWatch(SolveMonitor* monitor) { watch_.Start(&score_, monitor); }
  virtual bool Check(int iteration, const SolveReport& report, VectorX* lambda, Termination* why);
  /// After a look: true if constraints joined that were left out, and matrices must be factorized again.
  [[nodiscard]] virtual bool Wake() { return false; }
  virtual void TakeBest(VectorX* lambda) { watch_.Finish(lambda); }
  virtual double best_score() const { return watch_.best(); }

  /// The same with velocities v of the solver's own in place of those that the impulses make: two-field form.
  void StartTwoField(SolveMonitor* monitor) { two_field_watch_.Start(monitor->settings(), score_.velocity_scale()); }
  bool CheckTwoField(const ContactProblem& problem, SolveMonitor* monitor, int iteration, const VectorX& v,
                     const VectorX& lambda, Termination* why);
  void TakeBestTwoField(const ContactProblem& problem, VectorX* lambda);

  ImpulseSystem system_;
  IterateScore score_;
  VectorX sigma_;
  double penalty_ = 1;
  /// How many iterations it would take another way; the loop ends with Stalled when more are needed. 0: go on anyway.
  double alternative_ = 0;
  /// What is left to do after a loop that ran out of time took last time [s]: the loop ends that much earlier.
  double reserve_ = 0;

 private:
  /// True if penalty_ changed.
  bool Adapt(const AdmmBalance& balance, double threshold);

  IterateWatch watch_;
  ScoreWatch two_field_watch_;
  JudgeWorkspace two_field_judge_;
  VectorX best_lambda_, best_velocity_;
  ProgressWatch progress_;
};

/// Whether rows couple Sparse subsystems, as pieces of a deformable are. Impulses between them that are not exact make
/// velocities that are far off, A^{-1} of a piece being soft: the solver's own then say more.
bool HasTiedPieces(const ContactProblem& problem);

}  // namespace tactus
