// Contact-implicit inverse dynamics (paper 004): docs/inverse.md.
#pragma once

#include <memory>

#include "tactus/inverse/qpcc_problem.h"
#include "tactus/inverse/qpcc_settings.h"
#include "tactus/inverse/qpcc_solution.h"

namespace tactus {

struct QpccMemory;

/// Memory of solves, one per thread. Keeps no iterate: what a solve starts from is the warm start it is given.
class QpccWorkspace {
 public:
  QpccWorkspace();
  ~QpccWorkspace();
  QpccWorkspace(QpccWorkspace&&) noexcept;
  QpccWorkspace& operator=(QpccWorkspace&&) noexcept;

  QpccMemory& memory() { return *memory_; }

 private:
  std::unique_ptr<QpccMemory> memory_;
};

/// Solves `problem` from `warm` (null: cold; may be `solution` itself). Throws InputError on misuse (settings, sizes
/// that do not agree, an unknown forward solver); numbers that make no sense are the status InvalidInput. Once a
/// problem of the same sizes was solved with the same workspace and solution, nothing is allocated, unless the reduced
/// method runs.
QpccReport SolveQpcc(const QpccProblem& problem, const QpccSettings& settings, const QpccSolution* warm,
                     QpccWorkspace* workspace, QpccSolution* solution);
/// The same cold, once.
QpccReport SolveQpcc(const QpccProblem& problem, const QpccSettings& settings, QpccSolution* solution);

}  // namespace tactus
