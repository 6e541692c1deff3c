#include "tactus/inverse/qpcc_solver.h"

#include <algorithm>
#include <cmath>

#include "tactus/inverse/qpcc_draw.h"
#include "tactus/inverse/qpcc_memory.h"
#include "tactus/inverse/qpcc_unscale.h"

namespace tactus {

namespace {

/// A relative gap that sweeps close where they can.
constexpr double kInfeasibleGap = 1e-3;
constexpr std::uint64_t kSeed = 1;

bool Fits(const QpccScaled& p, const QpccSolution& warm) {
  return warm.actuation.size() == p.na && warm.y_actuation.size() == p.na && warm.contact.size() == p.m &&
         warm.sigma.size() == p.m && warm.y_contact.size() == p.m && warm.y_sigma.size() == p.m &&
         static_cast<int>(warm.modes.size()) == p.num_contacts() && warm.actuation.allFinite() &&
         warm.contact.allFinite() && warm.sigma.allFinite() && warm.y_actuation.allFinite() &&
         warm.y_contact.allFinite() && warm.y_sigma.allFinite();
}

// Zero, or the bound nearest to it; NaN bounds count as none.
void SetZero(const QpccProblem& problem, QpccSolution* out) {
  const int na = problem.num_actuators(), m = problem.num_rows();
  out->actuation.setZero(na);
  for (int i = 0; i < na; ++i) {
    if (problem.lower[i] > 0 && std::isfinite(problem.lower[i])) out->actuation[i] = problem.lower[i];
    if (problem.upper[i] < 0 && std::isfinite(problem.upper[i])) out->actuation[i] = problem.upper[i];
  }
  out->y_actuation.setZero(na);
  for (VectorX* v : {&out->contact, &out->sigma, &out->y_contact, &out->y_sigma}) v->setZero(m);
  out->modes.assign(static_cast<std::size_t>(problem.num_contacts()), ContactMode::Open);
}

// How good an answer is: first whether the law holds together with the dynamics, then the loss, and among equal ones
// how close to stationary it is shown to be.
bool Better(const QpccReport& a, const QpccReport& b, double gap_tolerance) {
  constexpr double kSame = 1e-9;
  const bool a_feasible = a.primal <= gap_tolerance, b_feasible = b.primal <= gap_tolerance;
  if (a_feasible != b_feasible) return a_feasible;
  if (!a_feasible) return a.primal < b.primal;
  if (std::abs(a.loss - b.loss) > kSame * (a.loss + b.loss)) return a.loss < b.loss;
  return std::max(a.dual, a.multiplier_violation) < std::max(b.dual, b.multiplier_violation);
}

// What is kept of a judged answer.
void CopyJudgement(const QpccReport& from, QpccReport* to) {
  to->loss = from.loss;
  to->dynamics_gap = from.dynamics_gap;
  to->primal = from.primal;
  to->dual = from.dual;
  to->complementarity = from.complementarity;
  to->multiplier_violation = from.multiplier_violation;
  to->open = from.open, to->stick = from.stick, to->slip = from.slip;
  to->origin = from.origin;
}

// One solve.
struct Run {
  const QpccProblem& problem;
  const QpccSettings& settings;
  QpccMemory& w;
  QpccClock clock;
  QpccReport& report;
  QpccSolution* solution;
  bool found = false, forward_ready = false, forward_failed = false;
  QpccReport judged = {};

  void Prepare(const QpccSolution* warm) {
    ScaleQpcc(problem, settings.scaling_iterations, &w.scaled);
    w.polisher.Resize(w.scaled, settings);
    w.modes.assign(static_cast<std::size_t>(w.scaled.num_contacts()), ContactMode::Open);
    report.warm_started = warm != nullptr && Fits(w.scaled, *warm);
    if (report.warm_started) {
      ScaleSolution(w.scaled, *warm, &w.start);
      if (!Polish(w.start)) Follow();
    } else {
      w.start.Resize(w.scaled);
      w.start.x_hat.head(w.scaled.na) = w.scaled.lower.cwiseMax(0).cwiseMin(w.scaled.upper);
    }
  }

  // What contacts answer to the actuation that worked last, and down from there: a point that obeys law and dynamics
  // and is not much worse than the last one, whatever the rest of the solve comes to.
  void Follow() {
    if (settings.reduced == ReducedUse::Never || clock.over()) return;
    PrepareForward();
    w.forward_point = w.start;
    if (!w.forward.Solve(problem, w.scaled, true, &w.forward_point)) return;
    Offer(w.forward_point, QpccOrigin::Reduced);
    if (settings.polish && w.polisher.DescendFrom(w.scaled, clock, w.forward_point)) {
      Offer(w.polisher.best(), QpccOrigin::Polished);
    }
  }

  void PrepareForward() {
    if (forward_ready) return;
    w.forward.Prepare(problem, settings);
    w.forward.ResetCount();
    forward_ready = true;
  }

  bool Done() const { return clock.over() || (settings.stop_at_first && Stationary()); }

  // The best so far obeys everything that a solution must.
  bool Stationary() const {
    return found && report.primal <= settings.gap_tolerance && report.dual <= settings.tolerance &&
           report.multiplier_violation <= settings.tolerance;
  }

  // Sweeps with one member of the portfolio, polished when the modes have settled, and at the end.
  void Start(int k) {
    ++report.starts;
    w.iterate = w.start;
    int settled = 0, look = settings.settled_sweeps;
    bool ok = w.sweeper.Start(w.scaled, settings, settings.penalties[static_cast<std::size_t>(k)]);
    for (int n = 0; n < settings.sweeps && ok; ++n) {
      w.modes = w.iterate.modes;
      ok = w.sweeper.Sweep(w.scaled, settings, &w.iterate);
      ++report.sweeps;
      if (!ok || (w.iterate.primal <= settings.tolerance && w.iterate.dual <= settings.tolerance)) break;
      settled = w.modes == w.iterate.modes ? settled + 1 : 0;
      if (settled == look) {
        look *= 2;
        if (Polish(w.iterate) && settings.stop_at_first) break;
      }
      if (clock.over()) break;
    }
    report.factorizations += w.sweeper.factorizations();
    if (!ok) return;
    if (Offer(w.iterate, QpccOrigin::Sweeps) || report.starts == 1) w.sweeps_best = w.iterate;
    Polish(w.iterate);
  }

  // True if the modes led to a stationary point.
  bool Polish(const QpccIterate& from) {
    if (!settings.polish) return false;
    bool improved = w.polisher.Polish(w.scaled, settings, clock, from);
    improved = w.polisher.Descend(w.scaled, clock) || improved;
    if (improved) Offer(w.polisher.best(), QpccOrigin::Polished);
    return w.polisher.ended_stationary();
  }

  void Search(const QpccIterate& start) {
    if (!settings.polish || settings.search_solves == 0) return;
    if (w.polisher.Search(w.scaled, settings, clock, start)) Offer(w.polisher.best(), QpccOrigin::Polished);
  }

  // The contacts' own answer to the actuation found, and down from there.
  void Reduce() {
    const ReducedUse use = settings.reduced;
    if (use == ReducedUse::Never || (use == ReducedUse::WhenNeeded && Stationary())) return;
    if (use == ReducedUse::WhenInfeasible && report.primal <= settings.gap_tolerance) return;
    if (!found || clock.over()) return;
    PrepareForward();
    w.forward_point = w.sweeps_best;
    ScaleSolution(w.scaled, *solution, &w.forward_point);
    forward_failed = !w.forward.Solve(problem, w.scaled, true, &w.forward_point) &&
                     !w.forward.Solve(problem, w.scaled, false, &w.forward_point);
    if (!forward_failed) {
      w.reduced.Descend(problem, w.scaled, settings, clock, &w.forward, &w.forward_point);
      Offer(w.forward_point, QpccOrigin::Reduced);
      Polish(w.forward_point);
      const bool improved = settings.polish && w.polisher.DescendFrom(w.scaled, clock, w.forward_point);
      if (improved) Offer(w.polisher.best(), QpccOrigin::Polished);
      if (improved || !w.polisher.found()) Search(w.forward_point);
    }
  }

  // Down from what contacts answer to actuations drawn from a fixed seed: points that obey law and dynamics, far from
  // where sweeps lead. Finds what lies on curved pieces that a drawn piece does not lead to.
  void SearchByActuation() {
    if (!settings.polish || settings.search_starts == 0 || settings.stop_at_first) return;
    if (settings.reduced == ReducedUse::Never || problem.num_contacts() == 0) return;
    if (!found || w.polisher.Exhausted(w.scaled)) return;
    PrepareForward();
    Random random(kSeed);
    w.start = w.sweeps_best;
    const auto over = [&] {
      return clock.over() || (settings.polish_steps > 0 && w.polisher.steps() >= settings.polish_steps);
    };
    for (int k = 0; k < settings.search_starts && !over(); ++k) {
      w.forward_point = w.start;
      DrawActuation(w.scaled, solution->actuation, &random, &w.forward_point.x_hat);
      ++report.drawn;
      if (!w.forward.Solve(problem, w.scaled, false, &w.forward_point)) continue;
      if (!w.polisher.DescendFrom(w.scaled, clock, w.forward_point)) continue;
      if (Offer(w.polisher.best(), QpccOrigin::Polished)) ++report.drawn_better;
      Search(w.forward_point);
    }
  }

  // Judges a point, and keeps it if it is the best so far.
  bool Offer(const QpccIterate& it, QpccOrigin origin) {
    UnscaleIterate(w.scaled, it, &w.candidate);
    // Scaling rounds bounds too.
    w.candidate.actuation = w.candidate.actuation.cwiseMax(problem.lower).cwiseMin(problem.upper);
    JudgeQpcc(problem, w.scaled, w.candidate, &w.judge, &judged);
    if (found && !Better(judged, report, settings.gap_tolerance)) return false;
    judged.origin = origin;
    *solution = w.candidate;
    CopyJudgement(judged, &report);
    found = true;
    return true;
  }

  QpccStatus Status() {
    if (report.primal <= settings.gap_tolerance) {
      return Stationary() ? QpccStatus::Solved : QpccStatus::Feasible;
    }
    if (!found) return QpccStatus::NumericalError;
    if (clock.over()) return QpccStatus::TimeBudget;
    if (report.primal < kInfeasibleGap) return QpccStatus::Approximate;
    if (!forward_failed) {
      report.message = settings.reduced == ReducedUse::Never
                           ? "no contacts found that obey law and dynamics; the contact solver was not asked, as "
                             "`reduced` is Never"
                           : "no contacts found that obey law and dynamics";
      return QpccStatus::Approximate;
    }
    report.message = "infeasible suspected: neither sweeps nor the contact solver found contacts that obey their law";
    return QpccStatus::Infeasible;
  }

  void Finish() {
    if (!found) {
      SetZero(problem, solution);
      JudgeQpcc(problem, w.scaled, *solution, &w.judge, &report);
    }
    report.polish_steps = w.polisher.steps();
    if (forward_ready) report.forward_solves = w.forward.solves();
    report.status = Status();
    report.time = clock.seconds();
    report.cpu_time = clock.cpu_seconds();
  }
};

}  // namespace

const char* ToString(QpccStatus status) {
  switch (status) {
    case QpccStatus::Solved: return "Solved";
    case QpccStatus::Feasible: return "Feasible";
    case QpccStatus::Approximate: return "Approximate";
    case QpccStatus::TimeBudget: return "TimeBudget";
    case QpccStatus::Infeasible: return "Infeasible";
    case QpccStatus::NumericalError: return "NumericalError";
    case QpccStatus::InvalidInput: return "InvalidInput";
  }
  return "?";
}

const char* ToString(QpccOrigin origin) {
  switch (origin) {
    case QpccOrigin::Sweeps: return "sweeps";
    case QpccOrigin::Polished: return "polished";
    case QpccOrigin::Reduced: return "reduced";
  }
  return "?";
}

QpccWorkspace::QpccWorkspace() : memory_(std::make_unique<QpccMemory>()) {}
QpccWorkspace::~QpccWorkspace() = default;
QpccWorkspace::QpccWorkspace(QpccWorkspace&&) noexcept = default;
QpccWorkspace& QpccWorkspace::operator=(QpccWorkspace&&) noexcept = default;

QpccReport SolveQpcc(const QpccProblem& problem, const QpccSettings& settings, const QpccSolution* warm,
                     QpccWorkspace* workspace, QpccSolution* solution) {
  settings.Validate();
  problem.ValidateSizes();
  QpccReport report;
  report.message = problem.FindFault();
  if (!report.message.empty()) {
    SetZero(problem, solution);
    return report;
  }
  Run run{problem, settings, workspace->memory(), QpccClock(settings.time_budget), report, solution};
  run.Prepare(warm);
  for (int k = 0; k < settings.starts && !run.Done(); ++k) run.Start(k);
  if (run.w.polisher.found()) run.Search(run.w.polisher.best());
  run.Reduce();
  run.SearchByActuation();
  run.Finish();
  return report;
}

QpccReport SolveQpcc(const QpccProblem& problem, const QpccSettings& settings, QpccSolution* solution) {
  QpccWorkspace workspace;
  return SolveQpcc(problem, settings, nullptr, &workspace, solution);
}

}  // namespace tactus
