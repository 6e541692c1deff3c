// What each registered solver can be held to. Solvers that are not in the table are held to everything their registry
// line claims, so that a new one is covered by itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/solvers/registry.h"

namespace tactus {

struct SolverAbility {
  std::string solver;
  bool exact = true;        ///< solves the exact law
  bool exact_rows = true;   ///< solves scalar rows and frictionless contacts exactly even where it relaxes friction
  double tolerance = 1e-8;  ///< reached on small, well-conditioned problems
  bool warm_start = true;   ///< from its own answer it takes at most one iteration more than from cold
  bool any_contact = true;  ///< solves one contact whatever its 3 x 3 block of W is
  bool steady_path = true;  ///< rounding errors hardly change the number of iterations
  std::string why;          ///< reason for every departure from the defaults
};

inline SolverAbility AbilityOf(const SolverEntry& entry) {
  static const std::vector<SolverAbility> table = {
      {.solver = "apgd", .exact = false, .why = "solves the convex relaxation: sliding contacts separate"},
      {.solver = "soft-convex",
       .exact = false,
       .exact_rows = false,
       .why = "compliant contact yields under load, so even a frictionless contact is not exact"},
      {.solver = "nnewton",
       .any_contact = false,
       .why = "Newton's method on Fischer-Burmeister functions has no safeguard that always works"},
      {.solver = "tr-dogleg", .steady_path = false, .why = "stays near kinks of its merit, where rounding decides"},
      {.solver = "damped-newton", .steady_path = false, .why = "stays near kinks of its merit, where rounding decides"},
  };
  for (const SolverAbility& ability : table) {
    if (ability.solver == entry.name) return ability;
  }
  SolverAbility ability;
  ability.solver = entry.name;
  ability.exact = ability.exact_rows = entry.exact;
  return ability;
}

/// A test of every registered solver: use with TEST_P and TACTUS_FOR_EVERY_SOLVER.
class EverySolver : public testing::TestWithParam<std::string> {
 protected:
  EverySolver() : solver_(MakeSolver(GetParam())), ability_(Ability(GetParam())) {}

  static SolverAbility Ability(const std::string& name) {
    for (const SolverEntry& entry : Solvers()) {
      if (name == entry.name) return AbilityOf(entry);
    }
    throw InputError("solver", name + " is not registered", "a registered name");
  }

  ContactSolver& solver() { return *solver_; }
  const SolverAbility& ability() const { return ability_; }
  /// Settings with the tolerance that the solver can reach.
  SolveSettings settings() const {
    SolveSettings s;
    s.tolerance = ability_.tolerance;
    return s;
  }

 private:
  std::unique_ptr<ContactSolver> solver_;
  SolverAbility ability_;
};

inline std::vector<std::string> SolverNames() {
  std::vector<std::string> names;
  for (const SolverEntry& entry : Solvers()) names.emplace_back(entry.name);
  return names;
}

/// Test names must be identifiers.
inline std::string IdentifierOf(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

#define TACTUS_FOR_EVERY_SOLVER(Suite) \
  INSTANTIATE_TEST_SUITE_P(Solvers, Suite, testing::ValuesIn(SolverNames()), IdentifierOf)

}  // namespace tactus
