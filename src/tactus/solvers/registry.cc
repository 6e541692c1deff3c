#include "tactus/solvers/registry.h"

namespace tactus {

const std::vector<SolverEntry>& Solvers() {
  static const std::vector<SolverEntry> table = {
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
