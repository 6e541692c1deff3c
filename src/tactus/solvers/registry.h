// All solvers by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/solvers/contact_solver.h"

namespace tactus {

/// One line of the table of solvers.
struct SolverEntry {
  const char* name;
  const char* what_for;                      ///< one sentence: when to use it
  bool exact;                                ///< solves the exact contact law (false: a relaxation or a limited method)
  std::unique_ptr<ContactSolver> (*make)();  ///< with default settings
};

/// The table, in the order shown to users; the first is the default.
const std::vector<SolverEntry>& Solvers();

/// A solver by name; throws InputError listing the names if there is none.
std::unique_ptr<ContactSolver> MakeSolver(const std::string& name);

}  // namespace tactus
