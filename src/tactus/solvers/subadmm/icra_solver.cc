#include "tactus/solvers/subadmm/icra_solver.h"

#include <algorithm>

#include "tactus/contact/constraint_law.h"
#include "tactus/contact/primal_form.h"

namespace tactus {

Termination SubadmmIcraSolver::DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                                       SolveReport* report) {
  if (!problem.has_dynamics()) {
    if (problem.size() > kLargestPrimalSize) {
      report->Say("a Delassus pair of more than " + std::to_string(kLargestPrimalSize) + " rows");
      return Termination::Stalled;
    }
    return DoSolve(MakePrimal(problem), monitor, lambda, report);
  }
  two_field_ = ReturnsVelocity(problem, monitor->settings());
  problem_ = &problem;
  AdmmSettings settings;
  settings.adapt = false;
  Prepare(problem, *monitor, *lambda);
  return Loop(problem, settings, monitor, lambda, report);
}

void SubadmmIcraSolver::Prepare(const ContactProblem& problem, const SolveMonitor& monitor, const VectorX& lambda) {
  system_.Prepare(problem, SystemForm::Factor, /*for_sweeps=*/false, DiagonalOfW::Traces);
  score_.Prepare(problem, system_.rho(), system_.sigma_free());
  split_.Reset(problem, Split::Subsystem);
  ChoosePenalties(problem);
  if (monitor.start_velocity() != nullptr) {
    v_ = *monitor.start_velocity();
  } else {
    problem.CalcVelocity(lambda, &v_);
  }
  split_.MultiplyJ(v_, &z_);
  y_.setZero(split_.size());
  theta_ = 0;
}

void SubadmmIcraSolver::StartWatch(SolveMonitor* monitor) {
  monitor_ = monitor;
  if (two_field_) {
    StartTwoField(monitor);
  } else {
    AdmmSolver::StartWatch(monitor);
  }
}

bool SubadmmIcraSolver::Check(int iteration, const SolveReport& report, VectorX* lambda, Termination* why) {
  return two_field_ ? CheckTwoField(*problem_, monitor_, iteration, v_, *lambda, why)
                    : AdmmSolver::Check(iteration, report, lambda, why);
}

void SubadmmIcraSolver::TakeBest(VectorX* lambda) {
  if (two_field_) {
    TakeBestTwoField(*problem_, lambda);
  } else {
    AdmmSolver::TakeBest(lambda);
  }
}

void SubadmmIcraSolver::ChoosePenalties(const ContactProblem& problem) {
  const MassMatrix& mass = problem.mass();
  trace_.assign(mass.num_subsystems(), 0.0);
  square_.assign(mass.num_subsystems(), 0.0);
  const VectorX diagonal = mass.diagonal();
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    trace_[j] = diagonal.segment(mass.subsystem(j).dof, mass.subsystem(j).size).sum();
  }
  for (int k = 0; k < split_.num_copies(); ++k) square_[split_.subsystem(k)] += split_.CalcSquare(k);
  beta_.resize(split_.num_copies());
  for (int k = 0; k < split_.num_copies(); ++k) {
    const int j = split_.subsystem(k);
    beta_[k] = square_[j] > 0 ? trace_[j] / square_[j] : trace_[j];
  }
}

bool SubadmmIcraSolver::Factorize(const ContactProblem&) { return split_.Factorize(beta_); }

void SubadmmIcraSolver::Iterate(const ContactProblem& problem, int count, bool, VectorX* lambda) {
  for (int k = 0; k < count; ++k) {
    SolveLinear(problem, *lambda);
    Project(problem, lambda);
  }
}

// (15): (A_j + beta_j J_j^T J_j) v_j = b_j + J_j^T (beta_j z_j - u_j), u = -lambda; then x_ij = J_ij v_j.
void SubadmmIcraSolver::SolveLinear(const ContactProblem& problem, const VectorX& lambda) {
  x_.resize(split_.size());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    for (int k = split_.first_copy(i); k < split_.first_copy(i + 1); ++k) {
      for (int r = 0; r < problem.dim(i); ++r) {
        x_[split_.place(k) + r] = beta_[k] * z_[split_.place(k) + r] + lambda[problem.offset(i) + r];
      }
    }
  }
  v_ = problem.b();
  split_.AddMultiplyJT(x_, &v_);
  split_.SolveInPlace(&v_);
  split_.MultiplyJ(v_, &x_);
}

// lambda_i = T(-gamma (sum_j y_ij/beta_j + e_i)), 1/gamma = sum_j 1/beta_j, and (18): beta_j z_ij = y_ij + lambda_i.
void SubadmmIcraSolver::Project(const ContactProblem& problem, VectorX* lambda) {
  theta_ = 0;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const int dim = problem.dim(i), offset = problem.offset(i);
    if (split_.num_copies(i) == 0) continue;
    double sum[3] = {0, 0, 0}, next[3], inverse = 0;
    for (int k = split_.first_copy(i); k < split_.first_copy(i + 1); ++k) {
      inverse += 1 / beta_[k];
      for (int r = 0; r < dim; ++r) {
        const int at = split_.place(k) + r;
        const double y = beta_[k] * x_[at] - (*lambda)[offset + r];
        theta_ += (y - y_[at]) * (y - y_[at]);
        y_[at] = y;
        sum[r] += y / beta_[k];
      }
    }
    const double gamma = 1 / inverse;
    if (dim == 3) {
      double x[3];
      for (int r = 0; r < 3; ++r) x[r] = -gamma * (sum[r] + problem.e()[offset + r]);
      StrictProjection(x, problem.friction(i).mu1, next);
    } else {
      const int row = i - problem.num_contacts();
      next[0] = ProjectRow(problem.law(row), -gamma * sum[0], gamma, problem.row_offset(row));
    }
    for (int r = 0; r < dim; ++r) {
      for (int k = split_.first_copy(i); k < split_.first_copy(i + 1); ++k) {
        z_[split_.place(k) + r] = (y_[split_.place(k) + r] + next[r]) / beta_[k];
      }
      (*lambda)[offset + r] = next[r];
    }
  }
}

}  // namespace tactus
