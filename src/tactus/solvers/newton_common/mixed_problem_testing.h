// Small random problems with every kind of subsystem and constraint, for tests.
#pragma once

#include <cstdint>

#include "tactus/contact/contact_problem.h"

namespace tactus {

struct MixedProblemOptions {
  int bodies = 3;
  int contacts = 12;
  double mu = 0.5;              ///< every contact's friction is mu times a random number in [0.5, 1.5)
  bool rows = true;             ///< one scalar row of every kind per body
  bool tree = true;             ///< add a branched tree of 6 dofs with two links
  bool rank_deficient = false;  ///< repeat contacts, so that J has fewer independent rows than rows
};

/// Feasible by construction: contacts and inequality rows allow v = v_feasible for a random velocity.
ContactProblem MakeMixedProblem(std::uint32_t seed, const MixedProblemOptions& options = {});

/// A box of 2 kg on four points of a plane, mu; momentum of sliding at (speed, 0) plus one step of gravity.
ContactProblem MakeSlidingBox(double mu, double speed, double step = 0.01);

}  // namespace tactus
