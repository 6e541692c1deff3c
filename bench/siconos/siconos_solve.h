// Siconos's solvers on our problems. Everything of Siconos is behind this header.
#pragma once

#include <string>
#include <vector>

#include "bench/siconos/measure.h"
#include "tactus/contact/delassus_matrix.h"

namespace tactus::bench {

/// How Siconos stores W: which is quickest depends on solver and problem.
enum class SiconosStorage { Dense, Block, Sparse };
const char* ToString(SiconosStorage storage);

/// A line of the table of its solvers.
struct SiconosSolver {
  const char* name;
  int id;
  int max_iterations;  ///< large: the processor time limit is what stops it
};
const std::vector<SiconosSolver>& SiconosSolvers();

/// A problem as Siconos sees it, u = W r + q: assembled once and copied for each solve, since solvers change it.
class SiconosInput {
 public:
  /// The problem must pass Check.
  explicit SiconosInput(const ContactProblem& problem);

  /// Throws InputError for what Siconos's friction solvers do not know: scalar rows, elliptic cones, no contacts.
  static void Check(const std::string& name, const ContactProblem& problem);

  /// One cold solve with the solver's default settings, `tolerance` and its limit of iterations apart.
  Attempt Solve(const SiconosSolver& solver, SiconosStorage storage, double tolerance) const;

 private:
  int contacts_;
  VectorX q_;  // normal first, as everything below
  VectorX mu_;
  DelassusMatrix W_;
};

}  // namespace tactus::bench
