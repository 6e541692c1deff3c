#include "tactus/inverse/qpcc_solver.h"

#include <algorithm>
#include <cmath>

#include "tactus/inverse/qpcc_memory.h"

namespace tactus {

namespace {

// From scaled to the problem's units.
void Unscale(const QpccScaled& p, const QpccIterate& it, QpccSolution* out) {
  out->actuation = p.E.head(p.na).cwiseProduct(it.x_hat.head(p.na));
  out->contact = p.E.tail(p.m).cwiseProduct(it.x_hat.tail(p.m));
  out->sigma = it.s_hat.cwiseQuotient(p.S);
  out->y_actuation = it.y_x.head(p.na).cwiseQuotient(p.E.head(p.na)) / p.cost;
  out->y_contact = it.y_x.tail(p.m).cwiseQuotient(p.E.tail(p.m)) / p.cost;
  out->y_sigma = it.y_s.cwiseProduct(p.S) / p.cost;
  out->modes = it.modes;
}

void Scale(const QpccScaled& p, const QpccSolution& in, QpccIterate* it) {
  it->Resize(p);
  it->x_hat.head(p.na) = in.actuation.cwiseQuotient(p.E.head(p.na)).cwiseMax(p.lower).cwiseMin(p.upper);
  it->x_hat.tail(p.m) = in.contact.cwiseQuotient(p.E.tail(p.m));
  it->s_hat = in.sigma.cwiseProduct(p.S);
  it->y_x.head(p.na) = p.cost * in.y_actuation.cwiseProduct(p.E.head(p.na));
  it->y_x.tail(p.m) = p.cost * in.y_contact.cwiseProduct(p.E.tail(p.m));
  it->y_s = p.cost * in.y_sigma.cwiseQuotient(p.S);
  it->modes = in.modes;
}

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

// How good an answer is: first whether the law holds together with the dynamics, then the loss.
bool Better(const QpccReport& a, const QpccReport& b, double gap_tolerance) {
  const bool a_feasible = a.primal <= gap_tolerance, b_feasible = b.primal <= gap_tolerance;
  if (a_feasible != b_feasible) return a_feasible;
  return a_feasible ? a.loss < b.loss : a.primal < b.primal;
}

QpccStatus StatusOf(const QpccReport& report, const QpccSettings& settings, bool out_of_time, bool broken) {
  if (report.primal <= settings.gap_tolerance) {
    const bool stationary = report.dual <= settings.tolerance && report.multiplier_violation <= settings.tolerance;
    return stationary ? QpccStatus::Solved : QpccStatus::Feasible;
  }
  if (broken) return QpccStatus::NumericalError;
  return out_of_time ? QpccStatus::TimeBudget : QpccStatus::Approximate;
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
  QpccClock clock(settings.time_budget);
  report.message = problem.FindFault();
  if (!report.message.empty()) {
    SetZero(problem, solution);
    report.status = QpccStatus::InvalidInput;
    return report;
  }
  QpccMemory& w = workspace->memory();
  ScaleQpcc(problem, settings.scaling_iterations, &w.scaled);
  report.warm_started = warm != nullptr && Fits(w.scaled, *warm);
  if (report.warm_started) {
    Scale(w.scaled, *warm, &w.start);
  } else {
    w.start.Resize(w.scaled);
    w.start.x_hat.head(w.scaled.na) = w.scaled.lower.cwiseMax(0).cwiseMin(w.scaled.upper);
  }

  bool broken = false, found = false, out_of_time = false;
  QpccReport judged;
  for (int k = 0; k < settings.starts && !out_of_time; ++k) {
    ++report.starts;
    w.iterate = w.start;
    broken = !w.sweeper.Start(w.scaled, settings, settings.penalties[static_cast<std::size_t>(k)]);
    for (int n = 0; n < settings.sweeps && !broken; ++n) {
      broken = !w.sweeper.Sweep(w.scaled, settings, &w.iterate);
      ++report.sweeps;
      if (broken) break;
      if (w.iterate.primal <= settings.tolerance && w.iterate.dual <= settings.tolerance) break;
      out_of_time = clock.over();
      if (out_of_time) break;
    }
    report.factorizations += w.sweeper.factorizations();
    if (broken) continue;
    Unscale(w.scaled, w.iterate, &w.candidate);
    JudgeQpcc(problem, w.scaled, w.candidate, &w.judge, &judged);
    if (!found || Better(judged, report, settings.gap_tolerance)) {
      *solution = w.candidate;
      CopyJudgement(judged, &report);
      found = true;
    }
  }
  if (!found) {
    SetZero(problem, solution);
    JudgeQpcc(problem, w.scaled, *solution, &w.judge, &report);
  }
  report.status = StatusOf(report, settings, out_of_time, !found);
  report.time = clock.seconds();
  report.cpu_time = clock.cpu_seconds();
  return report;
}

QpccReport SolveQpcc(const QpccProblem& problem, const QpccSettings& settings, QpccSolution* solution) {
  QpccWorkspace workspace;
  return SolveQpcc(problem, settings, nullptr, &workspace, solution);
}

}  // namespace tactus
