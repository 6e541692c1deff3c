#include "tactus/inverse/contact_activation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/inverse/qpcc_clock.h"
#include "tactus/inverse/qpcc_draw.h"
#include "tactus/inverse/qpcc_unscale.h"

namespace tactus {

namespace {

/// Of what is left of a time budget, so that a round has some.
constexpr double kLeastBudget = 1e-6;
constexpr std::uint64_t kSeed = 1;

bool FitsWarm(const QpccProblem& p, const QpccSolution* warm) {
  return warm != nullptr && warm->actuation.size() == p.num_actuators() && warm->contact.size() == p.num_rows() &&
         warm->sigma.size() == p.num_rows() && warm->y_actuation.size() == p.num_actuators() &&
         warm->y_contact.size() == p.num_rows() && warm->y_sigma.size() == p.num_rows() &&
         static_cast<int>(warm->modes.size()) == p.num_contacts() && warm->actuation.allFinite() &&
         warm->contact.allFinite() && warm->sigma.allFinite() && warm->y_actuation.allFinite() &&
         warm->y_contact.allFinite() && warm->y_sigma.allFinite();
}

// The rows of active contacts.
void MakePart(const QpccProblem& p, const std::vector<int>& active, QpccProblem* out) {
  const int dim = p.dim(), count = static_cast<int>(active.size());
  out->Resize(p.num_tasks(), p.num_actuators(), count, p.kind);
  out->A = p.A;
  out->b = p.b;
  out->lower = p.lower;
  out->upper = p.upper;
  out->compliance.resize(p.compliance.size() == 0 ? 0 : count * dim);
  for (int i = 0; i < count; ++i) {
    const int from = active[static_cast<std::size_t>(i)] * dim, to = i * dim;
    out->B.middleCols(to, dim) = p.B.middleCols(from, dim);
    out->C.middleRows(to, dim) = p.C.middleRows(from, dim);
    out->g.segment(to, dim) = p.g.segment(from, dim);
    if (p.kind != QpccKind::Lcp) out->mu[i] = p.mu[active[static_cast<std::size_t>(i)]];
    if (p.compliance.size() != 0) out->compliance.segment(to, dim) = p.compliance.segment(from, dim);
    for (int k = 0; k < count; ++k) {
      const int other = active[static_cast<std::size_t>(k)] * dim;
      out->D.block(to, k * dim, dim, dim) = p.D.block(from, other, dim, dim);
    }
  }
}

// Between the whole and the part. What is not active is open in the whole.
void CutSolution(const QpccProblem& p, const std::vector<int>& active, const QpccSolution& whole, QpccSolution* part) {
  const int dim = p.dim();
  const auto rows = static_cast<Eigen::Index>(active.size()) * dim;
  part->actuation = whole.actuation;
  part->y_actuation = whole.y_actuation;
  for (VectorX* v : {&part->contact, &part->sigma, &part->y_contact, &part->y_sigma}) v->resize(rows);
  part->modes.resize(active.size());
  for (std::size_t i = 0; i < active.size(); ++i) {
    const Eigen::Index to = static_cast<Eigen::Index>(i) * dim, from = active[i] * dim;
    part->contact.segment(to, dim) = whole.contact.segment(from, dim);
    part->sigma.segment(to, dim) = whole.sigma.segment(from, dim);
    part->y_contact.segment(to, dim) = whole.y_contact.segment(from, dim);
    part->y_sigma.segment(to, dim) = whole.y_sigma.segment(from, dim);
    part->modes[i] = whole.modes[static_cast<std::size_t>(active[i])];
  }
}

void ExtendSolution(const QpccProblem& p, const QpccSolution& part, ActivationWorkspace* w, QpccSolution* whole) {
  const int dim = p.dim(), t = dim - 1;
  whole->actuation = part.actuation;
  whole->y_actuation = part.y_actuation;
  whole->contact.setZero(p.num_rows());
  whole->y_sigma.setZero(p.num_rows());
  whole->modes.assign(static_cast<std::size_t>(p.num_contacts()), ContactMode::Open);
  for (std::size_t i = 0; i < w->active.size(); ++i) {
    const Eigen::Index from = static_cast<Eigen::Index>(i) * dim, to = w->active[i] * dim;
    whole->contact.segment(to, dim) = part.contact.segment(from, dim);
    whole->y_sigma.segment(to, dim) = part.y_sigma.segment(from, dim);
    whole->modes[static_cast<std::size_t>(w->active[i])] = part.modes[i];
  }
  CalcQpccSigma(p, whole->actuation, whole->contact, &w->sigma);
  whole->sigma = w->sigma;
  // (25): B^T r + y_c + (D + R) y_s = 0.
  w->gradient = p.A * whole->actuation + p.B * whole->contact + p.b;
  whole->y_contact = -(p.B.transpose() * w->gradient) - p.D.transpose() * whole->y_sigma;
  if (p.compliance.size() != 0) whole->y_contact -= p.compliance.cwiseProduct(whole->y_sigma);
  for (int c = 0; c < p.num_contacts(); ++c) {
    if (!w->is_active[static_cast<std::size_t>(c)])
      whole->sigma[c * dim + t] = std::max(whole->sigma[c * dim + t], 0.0);
  }
  for (std::size_t i = 0; i < w->active.size(); ++i) {
    const Eigen::Index from = static_cast<Eigen::Index>(i) * dim, to = w->active[i] * dim;
    whole->sigma.segment(to, dim) = part.sigma.segment(from, dim);
    whole->y_contact.segment(to, dim) = part.y_contact.segment(from, dim);
  }
}

// Contacts with the lowest sigma_n below -limit join, at most `most`; false if there are none.
bool Activate(const QpccProblem& p, const VectorX& sigma, double limit, int most, ActivationWorkspace* w) {
  const int dim = p.dim(), t = dim - 1;
  w->joining.clear();
  for (int c = 0; c < p.num_contacts(); ++c) {
    if (!w->is_active[static_cast<std::size_t>(c)] && sigma[c * dim + t] < -limit) w->joining.push_back(c);
  }
  if (w->joining.empty()) return false;
  std::sort(w->joining.begin(), w->joining.end(), [&](int x, int y) {
    const double a = sigma[x * dim + t], b = sigma[y * dim + t];
    return a != b ? a < b : x < y;
  });
  if (static_cast<int>(w->joining.size()) > most) w->joining.resize(static_cast<std::size_t>(most));
  for (const int c : w->joining) w->is_active[static_cast<std::size_t>(c)] = 1;
  w->active.clear();
  for (int c = 0; c < p.num_contacts(); ++c) {
    if (w->is_active[static_cast<std::size_t>(c)]) w->active.push_back(c);
  }
  return true;
}

void AddCounts(const QpccReport& round, QpccReport* total) {
  total->sweeps += round.sweeps;
  total->factorizations += round.factorizations;
  total->polish_steps += round.polish_steps;
  total->forward_solves += round.forward_solves;
  ++total->starts;
  total->status = round.status;
  total->origin = round.origin;
  total->message = round.message;
}

// Work of a trial, and its outcome if it is the answer now.
void AddTrial(const QpccReport& trial, bool better, QpccReport* total) {
  QpccReport sum = better ? trial : *total;
  sum.sweeps = total->sweeps + trial.sweeps;
  sum.factorizations = total->factorizations + trial.factorizations;
  sum.starts = total->starts + trial.starts;
  sum.polish_steps = total->polish_steps + trial.polish_steps;
  sum.forward_solves = total->forward_solves + trial.forward_solves;
  sum.warm_started = total->warm_started;
  sum.drawn = total->drawn;
  sum.drawn_better = total->drawn_better;
  *total = sum;
}

/// How good an answer is: what obeys law and dynamics first, then the loss.
bool Better(const QpccReport& a, const QpccReport& b, double gap_tolerance) {
  /// Less is rounding, relative.
  constexpr double kLess = 1e-9;
  const bool a_feasible = a.primal <= gap_tolerance, b_feasible = b.primal <= gap_tolerance;
  if (a_feasible != b_feasible) return a_feasible;
  return a_feasible ? a.loss < b.loss * (1 - kLess) : a.primal < b.primal;
}

// One solve: rounds, and where they leave the task unmet, rounds from drawn actuations.
struct ActivationRun {
  const QpccProblem& problem;
  const QpccSettings& settings;
  const ActivationSettings& activation;
  ActivationWorkspace* w;
  QpccClock clock;
  double limit = 0;  // on sigma_n of what is not active

  // What touches in `x` is active, nothing else.
  void ActivateClosed(const QpccSolution& x) {
    w->is_active.assign(static_cast<std::size_t>(problem.num_contacts()), 0);
    w->active.clear();
    for (int c = 0; c < problem.num_contacts(); ++c) {
      if (x.modes[static_cast<std::size_t>(c)] == ContactMode::Open) continue;
      w->is_active[static_cast<std::size_t>(c)] = 1;
      w->active.push_back(c);
    }
  }

  // Rounds from the active contacts, and from `x` if `warm`, until nothing more joins; then the judge.
  void Solve(QpccSettings part_settings, bool warm, QpccReport* report, QpccSolution* x) {
    // An actuation drawn far away meets contacts that are not in this part.
    part_settings.search_starts = 0;
    bool clean = false;
    for (int round = 0; round < activation.rounds && !clean; ++round) {
      MakePart(problem, w->active, &w->part);
      if (warm) CutSolution(problem, w->active, *x, &w->part_solution);
      SetBudget(&part_settings);
      AddCounts(SolveQpcc(w->part, part_settings, warm ? &w->part_solution : nullptr, &w->qpcc, &w->part_solution),
                report);
      ExtendSolution(problem, w->part_solution, w, x);
      clean = !Activate(problem, w->sigma, limit, activation.most_joining << std::min(round / 4, 8), w);
      if (clock.over()) break;
      warm = true;
    }
    if (!clean && !clock.over()) {
      SetBudget(&part_settings);
      AddCounts(SolveQpcc(problem, part_settings, x, &w->qpcc, x), report);
    }
    Judge(*x, report);
  }

  void SetBudget(QpccSettings* part_settings) const {
    if (settings.time_budget <= 0) return;
    part_settings->time_budget = std::max(settings.time_budget - clock.seconds(), kLeastBudget);
  }

  // What the last round proved for its part holds for the whole only if the judge agrees.
  void Judge(const QpccSolution& x, QpccReport* report) {
    JudgeQpcc(problem, w->scaled, x, &w->judge, report);
    if (!report->feasible()) return;
    const bool stationary = report->dual <= settings.tolerance && report->multiplier_violation <= settings.tolerance;
    if (report->primal > settings.gap_tolerance) {
      report->status = clock.over() ? QpccStatus::TimeBudget : QpccStatus::Approximate;
      report->message = "the answer of the active contacts does not obey the dynamics of all";
    } else {
      report->status = stationary ? QpccStatus::Solved : QpccStatus::Feasible;
    }
  }

  // Where the task is not met: rounds from what contacts answer to actuations drawn from a fixed seed. Contacts that
  // nothing pushed shut on the way to the answer, and that would help, are closed in some of these.
  void SearchByActuation(QpccReport* report, QpccSolution* solution) {
    if (settings.search_starts == 0 || !settings.polish || settings.stop_at_first) return;
    if (settings.reduced == ReducedUse::Never || problem.num_contacts() == 0) return;
    // The first stationary point is enough: most draws lead to few different ones.
    QpccSettings quick = settings;
    quick.starts = 1;
    quick.stop_at_first = true;
    quick.search_solves = 0;
    Random random(kSeed);
    w->forward.ResetCount();
    const int steps_before = report->polish_steps;
    double longest = clock.seconds();  // of what was done so far: a draw takes less
    for (int k = 0; k < settings.search_starts && HasTime(longest) && !Met(*report); ++k) {
      if (settings.polish_steps > 0 && report->polish_steps - steps_before >= settings.polish_steps) break;
      const double before = clock.seconds();
      ++report->drawn;
      w->point.Resize(w->scaled);
      DrawActuation(w->scaled, solution->actuation, &random, &w->point.x_hat);
      UnscaleIterate(w->scaled, w->point, &w->trial);
      w->trial.actuation = w->trial.actuation.cwiseMax(problem.lower).cwiseMin(problem.upper);
      if (Answer(&w->trial) && Try(quick, report, solution)) ++report->drawn_better;
      longest = k == 0 ? clock.seconds() - before : std::max(longest, clock.seconds() - before);
    }
    report->forward_solves += w->forward.solves();
    if (report->drawn_better == 0 || clock.over() || Met(*report)) return;
    // Around the best of them as around the first answer.
    w->trial = *solution;
    ActivateClosed(w->trial);
    static_cast<void>(Try(settings, report, solution));
  }

  // No draw begins that would end after the budget.
  bool HasTime(double needed) const {
    return settings.time_budget <= 0 || clock.seconds() + needed <= settings.time_budget;
  }

  // The contacts for x->actuation, which join as they are pushed through; those that touch are active then. False if
  // the contact solver found none.
  bool Answer(QpccSolution* x) {
    w->is_active.assign(static_cast<std::size_t>(problem.num_contacts()), 0);
    w->active.clear();
    x->contact.setZero(problem.num_rows());
    CalcQpccSigma(problem, x->actuation, x->contact, &w->sigma);
    x->sigma = w->sigma;
    for (int round = 0; Activate(problem, w->sigma, limit, activation.most_joining << std::min(round, 8), w); ++round) {
      if (clock.over()) return false;
      MakePart(problem, w->active, &w->part);
      ScaleQpcc(w->part, settings.scaling_iterations, &w->part_scaled);
      w->point.Resize(w->part_scaled);
      const auto na = problem.num_actuators();
      w->point.x_hat.head(na) = x->actuation.cwiseQuotient(w->part_scaled.E.head(na));
      w->forward.Prepare(w->part, settings);
      if (!w->forward.Solve(w->part, w->part_scaled, false, &w->point)) return false;
      UnscaleIterate(w->part_scaled, w->point, &w->part_solution);
      w->part_solution.actuation = x->actuation;
      ExtendSolution(problem, w->part_solution, w, x);
    }
    ActivateClosed(*x);
    return true;
  }

  bool Met(const QpccReport& report) const {
    return report.feasible() && 2 * report.loss <= settings.tolerance * settings.tolerance * problem.b.squaredNorm();
  }

  // Rounds from w->trial, whose closed contacts are active. True if that is better than `solution`, and now there.
  bool Try(const QpccSettings& part_settings, QpccReport* report, QpccSolution* solution) {
    QpccReport trial;
    Solve(part_settings, true, &trial, &w->trial);
    const bool better = Better(trial, *report, settings.gap_tolerance);
    if (better) *solution = w->trial;
    AddTrial(trial, better, report);
    return better;
  }
};

}  // namespace

void ActivationSettings::Validate() const {
  Require(rounds >= 1, "activation", fmt::format("rounds is {}", rounds), "1 or more");
  Require(most_joining >= 1, "activation", fmt::format("most_joining is {}", most_joining), "1 or more");
  Require(slack >= 0 && slack < 1, "activation", fmt::format("slack is {}", slack), "from 0 to 1");
}

QpccReport SolveQpccByActivation(const QpccProblem& problem, const QpccSettings& settings,
                                 const ActivationSettings& activation, const QpccSolution* warm, ActivationWorkspace* w,
                                 QpccSolution* solution) {
  settings.Validate();
  activation.Validate();
  problem.ValidateSizes();
  QpccReport report;
  report.message = problem.FindFault();
  // The solver itself says what it makes of such numbers.
  if (!report.message.empty()) return SolveQpcc(problem, settings, nullptr, &w->qpcc, solution);
  ActivationRun run{problem, settings, activation, w, QpccClock(settings.time_budget)};
  run.limit = activation.slack * std::max(problem.g.size() > 0 ? problem.g.cwiseAbs().maxCoeff() : 0, 1e-300);
  ScaleQpcc(problem, settings.scaling_iterations, &w->scaled);
  report.warm_started = FitsWarm(problem, warm);
  w->is_active.assign(static_cast<std::size_t>(problem.num_contacts()), 0);
  w->active.clear();
  if (report.warm_started) {
    if (warm != solution) *solution = *warm;
    run.ActivateClosed(*solution);
  }
  run.Solve(settings, report.warm_started, &report, solution);
  run.SearchByActuation(&report, solution);
  report.time = run.clock.seconds();
  report.cpu_time = run.clock.cpu_seconds();
  return report;
}

}  // namespace tactus
