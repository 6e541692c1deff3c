// What the rows of suite `cond` share: answers to compare with, and how long a solver takes to come near them.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "apps/cli/bench_suite.h"
#include "tactus/solvers/cond/cond_solver.h"

namespace tactus::cli {

/// Velocities of a converged answer: COND to 1e-11, exact or convex.
VectorX MakeCondReference(const ContactProblem& problem, CondOperator law);

/// |v - reference| / |reference| in the norm of the inertia. Bodies at rest have no velocity to compare with: there
/// `by_momentum` takes the greater of |reference| and |b|.
double CalcVelocityError(const ContactProblem& problem, const VectorX& v, const VectorX& reference,
                         bool by_momentum = false);

/// A solve that ends after so many iterations.
SolveSettings IterationsOnly(int count);

struct Reached {
  int iterations = 0;
  double milliseconds = std::numeric_limits<double>::infinity();
  double error = std::numeric_limits<double>::infinity();
};

/// Time and iterations to a velocity error of 1e-3: runs cut off later and later, by `growth`, each on a problem made
/// anew, because factors are kept in problems and belong to the time of those who need them. Time of the processor, as
/// all use one thread and other programs run beside. Stops where a run takes `limit` seconds.
Reached ReachAccuracy(const std::function<ContactProblem()>& make, ContactSolver* solver, const VectorX& reference,
                      double limit, double growth);

/// Beside CCS, growth of the others' times, impulses from velocities.
void AddCondTables(const BenchSettings& settings, std::vector<BenchRow>* rows);
/// COND on contact problems of scenes with deformables.
void AddCondScenes(const BenchSettings& settings, std::vector<BenchRow>* rows);

}  // namespace tactus::cli
