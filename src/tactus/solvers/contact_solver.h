// The interface of every solver, what it is given and what it answers.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/contact/ncp_residual.h"
#include "tactus/core/timer.h"
#include "tactus/math/cones.h"

namespace tactus {

/// How a solve ended. Whatever it is, the solution holds the best iterate by the judged residual.
enum class SolveStatus {
  Solved,          ///< judged residual within the tolerance, and feasible
  AlmostSolved,    ///< judged residual within 100 times the tolerance
  MaxIterations,   ///< ran out of iterations
  TimeBudget,      ///< ran out of wall time
  Cancelled,       ///< the caller cancelled
  Stalled,         ///< no further progress: the problem may be infeasible (see SolveReport::message)
  NumericalError,  ///< a factorization broke down or numbers overflowed; the solution is the last good iterate
  InvalidInput,    ///< the input was refused; the solution is zero
};
const char* ToString(SolveStatus status);

/// What every solver understands. Solver-specific constants live in each solver's own settings.
struct SolveSettings {
  double tolerance = 1e-8;  ///< on natural_rho, scale-free; (0, 1)
  int max_iterations = 0;   ///< outer iterations; 0: the solver's own default
  /// [s], looked at between outer iterations; 0: none. Wall time less what the system kept the thread waiting:
  /// otherwise other programs on the machine would decide how well contacts are solved.
  double time_budget = 0;
  int threads = 1;              ///< at most, for solvers that use several; results do not depend on it
  bool accept_natural = false;  ///< also require `natural` and `natural_rho_mean` <= tolerance (foreign files)
  bool record_history = false;  ///< judge every outer iterate (costs time outside the measured one)
  const std::atomic<bool>* cancel = nullptr;  ///< set it from another thread to stop the solve

  static constexpr int kMostThreads = 256;

  void Validate() const;  ///< throws InputError
};

/// Where to start from; empty vectors: cold.
struct WarmStart {
  VectorX impulse;  ///< lambda of a similar problem, same layout
  /// Or empty: velocities that may be close, such as those before the step. Impulses that were matched with other
  /// contact points may throw light bodies about; bodies at rest stay where they are.
  VectorX velocity = {};
  bool empty() const { return impulse.size() == 0; }
};

/// The answer.
struct ContactSolution {
  VectorX impulse;                 ///< lambda [N s], contacts [t1, t2, n] first, then rows
  VectorX velocity;                ///< v = A^{-1}(b + J^T lambda), or the solver's own; empty for a Delassus pair
  VectorX sigma;                   ///< J v + e [m/s]
  std::vector<ContactMode> modes;  ///< per contact, the strict operator's branch at lambda - rho sigma
};

/// One judged outer iterate.
struct HistoryEntry {
  int iteration = 0;
  int newton_steps = 0;  ///< cumulative
  double time = 0;       ///< [s] since the start, judging excluded
  double natural_rho = 0;
  double paper = 0;
};

/// The outcome of a solve.
struct SolveReport {
  SolveStatus status = SolveStatus::InvalidInput;
  int iterations = 0;       ///< outer iterations (AL iterations, sweeps)
  int newton_steps = 0;     ///< linear systems solved, 0 for first-order methods
  int inner_failures = 0;   ///< inner problems not solved to their tolerance (AL methods)
  double time = 0;          ///< wall time of the solve [s]; judging and recording excluded
  double cpu_time = 0;      ///< processor time of the same on the calling thread [s], for noisy machines
  NcpResidual residual;     ///< of the returned solution, by the judge
  bool two_field = false;   ///< judged with the solver's own velocity, which is returned; otherwise in lambda-form
  std::string solver;       ///< name in the registry
  bool infeasible = false;  ///< suspected: impulses grow without bound while a violation remains
  std::string message;      ///< empty, or what went wrong or is suspected
  const char* choice = "";  ///< of a solver that chooses among others: which it took, and why
  std::vector<HistoryEntry> history;

  bool solved() const { return status == SolveStatus::Solved; }
  /// Adds to the message.
  void Say(std::string_view what);
  void SuspectInfeasible();
};

/// Why a solver's own loop ended. The judge turns it into a SolveStatus.
enum class Termination { Converged, MaxIterations, TimeBudget, Cancelled, Stalled, NumericalError };

/// Watches one solve for its solver: clock, budget, cancellation, history.
class SolveMonitor {
 public:
  /// What the report has counted so far comes before this solve in the history.
  SolveMonitor(const ContactProblem& problem, const SolveSettings& settings, SolveReport* report,
               const VectorX* start_velocity = nullptr)
      : problem_(problem),
        settings_(settings),
        start_velocity_(start_velocity),
        report_(report),
        before_{report->iterations, report->newton_steps, report->time, 0, 0} {}

  const SolveSettings& settings() const { return settings_; }
  /// WarmStart::velocity, or null.
  const VectorX* start_velocity() const { return start_velocity_; }
  /// Seconds since the start, without the time spent recording.
  double seconds() const { return timer_.seconds() - paused_; }
  /// The same as processor time of this thread.
  double cpu_seconds() const { return cpu_timer_.seconds() - cpu_paused_; }
  /// True if the solve must end now, or before `ahead` more seconds; sets the reason.
  bool ShouldStop(Termination* why, double ahead = 0) const;
  /// What an inner watch spent recording is none of this solve's time.
  void Exclude(const SolveMonitor& inner) { paused_ += inner.paused_, cpu_paused_ += inner.cpu_paused_; }
  /// Records an outer iterate if a history is wanted. `lambda` is in the layout of the problem given to DoSolve;
  /// `velocity` is of solvers that are judged in two-field form.
  void Record(int iteration, int newton_steps, const ConstVectorRef& lambda, const VectorX* velocity = nullptr);

 private:
  const ContactProblem& problem_;
  const SolveSettings& settings_;
  const VectorX* start_velocity_;
  SolveReport* report_;
  HistoryEntry before_;
  Timer timer_;
  ThreadCpuTimer cpu_timer_;
  double paused_ = 0;
  double cpu_paused_ = 0;
};

/// A solver: owns its workspace (reused from call to call), is not thread-safe by itself; use one per thread.
class ContactSolver {
 public:
  virtual ~ContactSolver() = default;
  virtual std::string name() const = 0;

  /// Solves, judges, reports. Never throws on numerical trouble; throws InputError on misuse (sizes, settings).
  [[nodiscard]] SolveReport Solve(const ContactProblem& problem, const SolveSettings& settings, const WarmStart& warm,
                                  ContactSolution* solution);
  [[nodiscard]] SolveReport Solve(const ContactProblem& problem, ContactSolution* solution) {
    return Solve(problem, SolveSettings(), WarmStart(), solution);
  }

 protected:
  /// The algorithm. Contacts are isotropic here (elliptic ones arrive scaled, see MakeIsotropic, unless
  /// TakesEllipticContacts) and the input is finite. `lambda` holds the start and receives the best iterate. Fills
  /// report->iterations, newton_steps, message.
  virtual Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                              SolveReport* report) = 0;

  /// True if DoSolve leaves its own velocity in velocity_: large subsystems are then not factorized, and the answer is
  /// judged in two-field form. DoSolve is then also asked about problems without constraints.
  virtual bool ReturnsVelocity(const ContactProblem&, const SolveSettings&) const { return false; }
  virtual bool TakesEllipticContacts() const { return false; }

  /// Another solver's algorithm, for those that choose among others.
  static Termination Delegate(ContactSolver* solver, const ContactProblem& problem, SolveMonitor* monitor,
                              VectorX* lambda, SolveReport* report) {
    return solver->DoSolve(problem, monitor, lambda, report);
  }
  static const VectorX& VelocityOf(const ContactSolver& solver) { return solver.velocity_; }

  VectorX velocity_;  ///< see ReturnsVelocity

 private:
  /// The judge's word on impulses and, in two-field form, velocity_.
  NcpResidual CalcResidual(const ContactProblem& problem, const VectorX& impulse, bool two_field);
  /// Judges the answer and fills in the solution.
  void Finish(const ContactProblem& problem, const SolveSettings& settings, Termination end, bool judged,
              SolveReport* report, ContactSolution* solution);
  /// DoSolve from `impulse`; adds to the report's counts and time.
  Termination Run(const ContactProblem& isotropic, const SolveSettings& settings, const VectorX* start_velocity,
                  VectorX* impulse, SolveReport* report);
  /// The same again to a smaller tolerance where natural_rho was met but a violation remained beside large impulses.
  /// Leaves the judged residual in the report.
  Termination RunUntilFeasible(const ContactProblem& isotropic, const SolveSettings& settings,
                               const VectorX* start_velocity, VectorX* impulse, SolveReport* report);

  JudgeWorkspace judge_;
};

}  // namespace tactus
