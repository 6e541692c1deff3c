// What the contacts answer to an actuation: a contact problem, solved by one of our contact solvers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/inverse/qpcc_scaling.h"
#include "tactus/inverse/qpcc_sweeps.h"
#include "tactus/solvers/contact_solver.h"

namespace tactus {

class QpccForward {
 public:
  /// Keeps D + R and the friction of the problem, and makes the solver (see solvers/registry.h).
  void Prepare(const QpccProblem& problem, const QpccSettings& settings);
  /// Contacts for the actuation in it->x_hat: fills the rest of x_hat, s_hat and modes (scaled units). Starts from the
  /// impulses that are there if `warm`. False if the contact solver found none.
  [[nodiscard]] bool Solve(const QpccProblem& problem, const QpccScaled& scaled, bool warm, QpccIterate* it);

  int solves() const { return solves_; }
  void ResetCount() { solves_ = 0; }

 private:
  void FillLaw(const QpccScaled& scaled, int contact, const double* l, const double* s, ContactMode mode,
               QpccIterate* it) const;
  void FillDelassus(const QpccProblem& problem);

  std::unique_ptr<ContactSolver> solver_;
  std::string solver_name_;
  SparseMatrix W_;
  std::vector<Friction> friction_;
  std::vector<RowLaw> laws_;
  VectorX actuation_, free_, q_;
  WarmStart cold_;
  WarmStart warm_;
  ContactProblem contacts_;
  ContactSolution solution_;
  int solves_ = 0, iterations_ = 0;
};

}  // namespace tactus
