// Methods for inverse problems by name: ours, and those it is compared with.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "tactus/inverse/qpcc_problem.h"
#include "tactus/inverse/qpcc_settings.h"
#include "tactus/inverse/qpcc_solution.h"

namespace tactus::cli {

struct InverseAnswer {
  QpccReport report;
  QpccSolution solution;
  /// No feasible point has a smaller loss; -infinity where a method does not say.
  double lower_bound = -std::numeric_limits<double>::infinity();
};

/// One line of the table.
struct InverseMethod {
  const char* name;
  const char* what;
  bool available;         ///< false: not part of this build, because the library it needs was not found
  bool lcp, planar, ncp;  ///< which kinds it takes
  InverseAnswer (*solve)(const QpccProblem& problem, const QpccSettings& settings, const QpccSolution* warm);

  bool takes(QpccKind kind) const { return kind == QpccKind::Lcp ? lcp : kind == QpccKind::Planar ? planar : ncp; }
};

/// The table; the first is the default.
const std::vector<InverseMethod>& InverseMethods();
/// By name; throws InputError that lists the names, or says what this build lacks.
const InverseMethod& FindInverseMethod(const std::string& name);

/// True in builds with Ipopt.
bool HasIpopt();
/// Ipopt on the complementarity constraints as equalities ("plain"), or relaxed less and less ("homotopy"); analytic
/// first and second derivatives. Throws InputError in builds without it.
InverseAnswer SolveWithIpopt(const QpccProblem& problem, const QpccSettings& settings, bool homotopy);

}  // namespace tactus::cli
