// ADMM on the whole system with one factorization of A + J^T B J (paper 000, eq. 29; OSQP style). See README.md.
#pragma once

#include <string>

#include "tactus/math/square_system.h"
#include "tactus/solvers/first_order/admm_solver.h"
#include "tactus/solvers/newton_common/body_space_system.h"

namespace tactus {

/// beta in effective masses rho_i.
using FadmmSettings = AdmmSettings;

class FadmmSolver : public AdmmSolver {
 public:
  explicit FadmmSolver(const FadmmSettings& settings = FadmmSettings()) : settings_(settings) {
    settings_.Validate("fadmm");
  }
  std::string name() const override { return "fadmm"; }

 protected:
  Termination DoSolve(const ContactProblem& problem, SolveMonitor* monitor, VectorX* lambda,
                      SolveReport* report) override;

 private:
  void Prepare(const ContactProblem& problem, const VectorX& lambda);
  bool Factorize(const ContactProblem& problem) override;
  void Iterate(const ContactProblem& problem, int count, bool keep, VectorX* lambda) override;
  AdmmBalance CalcBalance(const ContactProblem& problem, const VectorX& lambda) override;
  void SolveLinear(const ContactProblem& problem, const VectorX& lambda);
  void Project(const ContactProblem& problem, VectorX* lambda);

  FadmmSettings settings_;
  BodySpaceSystem body_space_;  // A + J^T B J
  SquareSystem delassus_;       // W + B^{-1}, for Delassus pairs
  VectorX blocks_, beta_;       // beta per row
  VectorX offset_;              // what sigma adds to y
  VectorX y_, z_, z_before_, v_, rhs_;
};

}  // namespace tactus
