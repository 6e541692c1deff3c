// Makes contact problems out of a kind, a few numbers and a seed: the same ones on every machine of one platform.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tactus/contact/contact_problem.h"

namespace tactus {

/// One number that a kind of problem can be changed by.
struct GeneratorParameter {
  std::string name;
  double value = 0;  ///< default
  double min = 0, max = 0;
  bool integer = false;
  std::string what;  ///< meaning and unit
};

/// Parameters by name; those left out keep their defaults.
using GeneratorParameters = std::map<std::string, double>;

/// One line of the table of kinds.
struct GeneratorEntry {
  std::string name;
  std::string what;
  std::vector<GeneratorParameter> parameters;
  std::function<ContactProblem(const GeneratorParameters&, std::uint64_t seed)> make;
};

/// The table, in the order shown to users.
const std::vector<GeneratorEntry>& Generators();

/// The entry of a kind; throws InputError listing the kinds if there is none.
const GeneratorEntry& FindGenerator(const std::string& kind);

/// A problem, with its name and the command that makes it again as provenance. Throws InputError on an unknown kind or
/// parameter, or one out of its range.
ContactProblem Generate(const std::string& kind, const GeneratorParameters& parameters, std::uint64_t seed);

}  // namespace tactus
