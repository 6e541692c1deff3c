// The same problem in other words, to test that a solver does not depend on how a problem is written down.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/contact/contact_problem.h"

namespace tactus {

/// What is changed. Lengths stay.
struct DisguiseSettings {
  double mass_unit = 1;  ///< every mass is multiplied by this number (> 0)
  double time_unit = 1;  ///< every time is multiplied by this number (> 0)
  bool permute = true;   ///< contacts in another order
  bool rotate = true;    ///< tangents turned, by half turns where friction is anisotropic
};

struct DisguisedProblem {
  ContactProblem problem;
  std::vector<int> original;  ///< disguised contact -> contact of the original
  std::vector<double> angle;  ///< disguised contact -> turn of its tangents
  double impulse_unit = 1;    ///< original impulses times this are the disguised ones

  /// Impulses of the original problem from those of the disguised one, and back.
  VectorX Restore(const VectorX& disguised) const;
  VectorX Apply(const VectorX& original_impulse) const;
};

DisguisedProblem Disguise(const ContactProblem& problem, std::uint64_t seed, const DisguiseSettings& settings = {});

}  // namespace tactus
