#include "tactus/solvers/registry.h"

#include "tactus/solvers/hybrid/hybrid_solver.h"

namespace tactus {

namespace {

template <typename Solver>
std::unique_ptr<ContactSolver> Make() {
  return std::make_unique<Solver>();
}

}  // namespace

const std::vector<SolverEntry>& Solvers() {
  static const std::vector<SolverEntry> table = {
      {"hybrid", "the default: the exact law to 1e-8 and beyond, on any problem", true, Make<HybridSolver>},
  };
  return table;
}

std::unique_ptr<ContactSolver> MakeSolver(const std::string& name) {
  std::string names;
  for (const SolverEntry& entry : Solvers()) {
    if (name == entry.name) return entry.make();
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InputError("solver", "'" + name + "' is not known", "one of " + names);
}

}  // namespace tactus
