// What the rows of suite `cond` share: answers to compare with, and how long a solver takes to come near them.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "apps/cli/bench_suite.h"
#include "tactus/solvers/cond/cond_solver.h"

namespace tactus::cli {

/// The same problem, its constraints as rows, made anew: copies share factors of large subsystems, so that of two
/// solvers the second would have them for nothing.
ContactProblem WithoutFactors(const ContactProblem& problem);

/// Velocities of a converged answer: COND to 1e-11, exact or convex.
VectorX MakeCondReference(const ContactProblem& problem, CondOperator law);

/// The same of the exact law by the hybrid, NaN where it does not get there; leaves no factors in the problem.
VectorX MakeExactReference(const ContactProblem& problem);

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
                      double limit, double growth, const WarmStart& start = WarmStart());

/// Against closed forms and differences, and what virtual nodes do to answers.
void AddCondLaws(bool quick, std::vector<BenchRow>* rows);
/// Beside CCS, growth of the others' times, impulses from velocities.
void AddCondTables(const BenchSettings& settings, std::vector<BenchRow>* rows);
/// COND on contact problems of scenes with deformables.
void AddCondScenes(const BenchSettings& settings, std::vector<BenchRow>* rows);

}  // namespace tactus::cli
