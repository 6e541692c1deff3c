// Nonsmooth Newton method on Fischer-Burmeister functions, the baseline "NNewton" of paper 002 (Macklin et al. 2019).
// See README.md.
#pragma once

#include <vector>

#include "tactus/contact/delassus_matrix.h"
#include "tactus/math/square_system.h"
#include "tactus/solvers/contact_solver.h"
#include "tactus/solvers/first_order/iterate_score.h"

namespace tactus {

struct NnewtonSettings {
  double step = 0.75;               ///< part of each Newton step that is taken (no line search); (0, 1]
  double regularization = 1e-10;    ///< added to the Schur complement's diagonal, relative to it; (0, 1)
  double largest_compliance = 1e8;  ///< cap of a row's compliance (open contacts), relative to the same; > 1
  int max_iterations = 200;         ///< >= 1
  int stall_window = 50;            ///< give up when the best residual has not halved in this many iterations; >= 1

  void Validate() const;  ///< throws InputError
};

class NnewtonSolver final : public ContactSolver {
 public:
  explicit NnewtonSolver(const NnewtonSettings& settings = {});
  std::string name() const override { return "nnewton"; }

 private:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

  void Prepare(const ContactProblem& problem);
  double CalcScore(bool accept_natural);
  void LinearizeLaws(const ContactProblem& problem);
  void LinearizeContact(const ContactProblem& problem, int i);
  void LinearizeRow(const ContactProblem& problem, int i);
  void SetRow(int row, double compliance, double error);
  [[nodiscard]] bool SolveSchur();

  NnewtonSettings settings_;
  DelassusMatrix W_;
  IterateScore score_;
  SquareSystem schur_;
  std::vector<double> W_values_;     // W in the layout of schur_
  std::vector<int> diagonal_slots_;  // of schur_
  VectorX weight_;                   // r of every row: 1/rho_i [1/kg]
  VectorX lambda_, sigma_, free_;    // iterate, its velocity, and sigma of no impulse
  VectorX compliance_, error_;       // of the linearized laws: d sigma + compliance d lambda = -error
  VectorX direction_, best_;
};

}  // namespace tactus
