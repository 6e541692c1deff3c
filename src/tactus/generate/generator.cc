#include "tactus/generate/generator.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/generate/bolt.h"
#include "tactus/generate/chain.h"
#include "tactus/generate/dishes.h"
#include "tactus/generate/generator_entry.h"
#include "tactus/generate/mat.h"
#include "tactus/generate/pile.h"
#include "tactus/generate/random_problem.h"
#include "tactus/generate/robot.h"
#include "tactus/generate/rod.h"
#include "tactus/generate/wedge.h"

namespace tactus {

const std::vector<GeneratorEntry>& Generators() {
  static const std::vector<GeneratorEntry> table = {
      MakeBoltEntry(),  MakeDishesEntry(), MakePileEntry(), MakeChainEntry(),  MakeRobotEntry(),
      MakeWedgeEntry(), MakeMatEntry(),    MakeRodEntry(),  MakeRandomEntry(), MakeKnownEntry(),
  };
  return table;
}

const GeneratorEntry& FindGenerator(const std::string& kind) {
  std::string names;
  for (const GeneratorEntry& entry : Generators()) {
    if (kind == entry.name) return entry;
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  throw InputError("kind", "'" + kind + "' is not known", "one of " + names);
}

void CheckParameter(const std::string& kind, const GeneratorParameter& parameter, double value) {
  const std::string where = kind + " parameter " + parameter.name;
  Require(value >= parameter.min && value <= parameter.max, where, fmt::format("is {}", value),
          fmt::format("a number in [{}, {}]", parameter.min, parameter.max));
  Require(!parameter.integer || value == std::floor(value), where, fmt::format("is {}", value), "a whole number");
}

ContactProblem Generate(const std::string& kind, const GeneratorParameters& parameters, std::uint64_t seed) {
  const GeneratorEntry& entry = FindGenerator(kind);
  std::string command = fmt::format("tactus generate {} --seed {}", kind, seed);
  for (const auto& [name, value] : parameters) {
    const auto known = std::find_if(entry.parameters.begin(), entry.parameters.end(),
                                    [&wanted = name](const GeneratorParameter& p) { return p.name == wanted; });
    if (known == entry.parameters.end()) {
      std::string names;
      for (const GeneratorParameter& p : entry.parameters) names += (names.empty() ? "" : ", ") + p.name;
      throw InputError(kind, "has no parameter '" + name + "'", "one of " + names);
    }
    CheckParameter(kind, *known, value);
    command += fmt::format(" --{} {}", name, value);
  }
  ContactProblem problem = entry.make(parameters, seed);
  problem.name = kind;
  problem.provenance = command;
  return problem;
}

}  // namespace tactus
