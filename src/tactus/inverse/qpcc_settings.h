// What the inverse dynamics solver may be told.
#pragma once

#include <array>
#include <string>

#include "tactus/inverse/qpcc_projection.h"

namespace tactus {

/// How multipliers and penalties are updated between sweeps.
enum class QpccSchedule {
  Admm,  ///< multipliers after every sweep, penalties raised only where progress stops: what works
  Bcl,   ///< the paper's bound-constrained Lagrangian, made gentle: several sweeps an update
};

/// When the reduced Gauss-Newton method over the actuation runs, with a contact solver inside.
enum class ReducedUse {
  Never,
  WhenInfeasible,  ///< where nothing found so far obeys the contact law together with the dynamics
  WhenNeeded,      ///< where no stationary point was found: its answer obeys the contact law exactly, whatever else
  Always,          ///< after polishing too; the better answer is returned
};

/// Weights of the splitting, in scaled units; all > 0.
struct QpccPenalty {
  double xi = 0.01;   ///< of actuation
  double eta = 0.01;  ///< of contact impulses
  double rho = 1;     ///< of contact velocities
};

struct QpccSettings {
  QpccSchedule schedule = QpccSchedule::Admm;
  SlideProjection slide = SlideProjection::Exact;

  double tolerance = 1e-6;      ///< on residuals of sweeps and on multipliers, relative, in scaled units; (0, 1)
  double gap_tolerance = 1e-9;  ///< on the dynamics gap of the answer, relative to the velocities in it; (0, 1)
  /// [s] of wall time, less what the system kept the thread waiting; looked at between sweeps, polishing steps and
  /// contact solves, then the best found is returned; 0: none.
  double time_budget = 0;

  /// Penalties tried one after the other, each from the start; the best answer is returned.
  static constexpr int kMostStarts = 6;
  int starts = 6;  ///< 1 to kMostStarts
  std::array<QpccPenalty, kMostStarts> penalties{
      {{0.01, 0.01, 1}, {0.1, 0.1, 0.1}, {0.01, 0.01, 0.01}, {1, 1, 1}, {0.1, 0.01, 0.1}, {0.01, 0.1, 1}}};
  int sweeps = 100;         ///< at most, of one start; >= 1
  int settled_sweeps = 10;  ///< without a change of modes, before they are polished for the first time; >= 1
  /// Stop at the first stationary point, instead of looking for a better one with more sweeps and the other penalties.
  bool stop_at_first = false;
  int patience = 30;          ///< sweeps within which the primal residual must halve, or penalties grow; >= 1
  double penalty_growth = 2;  ///< > 1
  double most_penalty = 1e6;  ///< growth ends there, times the start's penalties; >= 1

  // Bcl only.
  int inner_sweeps = 5;           ///< at most, between updates; >= 1
  double tolerance_shrink = 0.5;  ///< of the inner tolerances, after a successful update; (0, 1)

  int scaling_iterations = 10;  ///< of Ruiz's equilibration; 0: none

  bool polish = true;      ///< solve for the modes found, by Newton's method
  int polish_rounds = 12;  ///< at most, between which modes are repaired; >= 1
  int polish_size = 500;   ///< largest linear system of it [rows]; beyond, the reduced method is left; >= 0
  /// Linear systems of polishing, at most; 0: no limit. A call takes at most half of what is left, so that later ones
  /// get a share. Unlike time_budget it gives the same answer on every machine.
  int polish_steps = 0;
  int search_solves = 300;  ///< other pieces that are tried for a smaller loss, the nearest first; 0: none
  /// Actuations drawn, from whose contacts' answers it goes down too; 0: none. Not with `reduced` Never.
  int search_starts = 20;

  ReducedUse reduced = ReducedUse::WhenNeeded;
  int reduced_iterations = 30;            ///< at most; 0: only the contacts' answer to the actuation found
  int forward_iterations = 0;             ///< of the contact solver inside, at most; 0: its own default
  std::string forward_solver = "hybrid";  ///< the contact solver inside, by its name in the registry

  /// For control loops: one start, the first stationary point, nothing that allocates.
  static QpccSettings RealTime() {
    QpccSettings settings;
    settings.starts = 2;
    settings.sweeps = 60;
    settings.stop_at_first = true;
    settings.search_solves = 0;
    settings.search_starts = 0;
    settings.reduced = ReducedUse::Never;
    return settings;
  }

  void Validate() const;  ///< throws InputError
};

}  // namespace tactus
