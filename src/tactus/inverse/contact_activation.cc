#include "tactus/inverse/contact_activation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/inverse/qpcc_clock.h"

namespace tactus {

namespace {

/// Of what is left of a time budget, so that a round has some.
constexpr double kLeastBudget = 1e-6;

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
  const QpccClock clock(settings.time_budget);
  const int contacts = problem.num_contacts();
  const double limit = activation.slack * std::max(problem.g.size() > 0 ? problem.g.cwiseAbs().maxCoeff() : 0, 1e-300);
  w->is_active.assign(static_cast<std::size_t>(contacts), 0);
  w->active.clear();
  bool warm_round = FitsWarm(problem, warm);
  report.warm_started = warm_round;
  if (warm_round) {
    if (warm != solution) *solution = *warm;
    for (int c = 0; c < contacts; ++c) {
      if (solution->modes[static_cast<std::size_t>(c)] == ContactMode::Open) continue;
      w->is_active[static_cast<std::size_t>(c)] = 1;
      w->active.push_back(c);
    }
  }
  bool clean = false;
  for (int round = 0; round < activation.rounds && !clean; ++round) {
    MakePart(problem, w->active, &w->part);
    if (warm_round) CutSolution(problem, w->active, *solution, &w->part_solution);
    QpccSettings limited = settings;
    // An actuation drawn far away meets contacts that are not in this part.
    limited.search_starts = 0;
    if (settings.time_budget > 0) limited.time_budget = std::max(settings.time_budget - clock.seconds(), kLeastBudget);
    const QpccReport part =
        SolveQpcc(w->part, limited, warm_round ? &w->part_solution : nullptr, &w->qpcc, &w->part_solution);
    AddCounts(part, &report);
    ExtendSolution(problem, w->part_solution, w, solution);
    clean = !Activate(problem, w->sigma, limit, activation.most_joining << std::min(round / 4, 8), w);
    if (clock.over()) break;
    warm_round = true;
  }
  if (!clean && !clock.over()) AddCounts(SolveQpcc(problem, settings, solution, &w->qpcc, solution), &report);
  ScaleQpcc(problem, settings.scaling_iterations, &w->scaled);
  const QpccStatus status = report.status;
  JudgeQpcc(problem, w->scaled, *solution, &w->judge, &report);
  report.status = status;
  // What the last round proved for its part holds for the whole only if the judge agrees.
  if (report.status == QpccStatus::Solved || report.status == QpccStatus::Feasible) {
    const bool stationary = report.dual <= settings.tolerance && report.multiplier_violation <= settings.tolerance;
    if (report.primal > settings.gap_tolerance) {
      report.status = clock.over() ? QpccStatus::TimeBudget : QpccStatus::Approximate;
    } else {
      report.status = stationary ? QpccStatus::Solved : QpccStatus::Feasible;
    }
  }
  report.time = clock.seconds();
  report.cpu_time = clock.cpu_seconds();
  return report;
}

}  // namespace tactus
