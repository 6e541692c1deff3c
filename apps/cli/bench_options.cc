#include "apps/cli/bench_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "apps/cli/bench_groups.h"
#include "tactus/core/error.h"

namespace tactus::cli {

namespace {

struct OptionUse {
  const char* option;
  BenchMode mode;
  std::vector<std::string> suites;  // empty: all
};

const std::vector<OptionUse>& OptionUses() {
  static const std::vector<OptionUse> table = {
      {"--noise", BenchMode::Compare, {}},
      {"--history", BenchMode::Summarize, {}},
      {"--quick", BenchMode::Run, {}},
      {"--results", BenchMode::Run, {}},
      {"--only",
       BenchMode::Run,
       {"solvers", "micro", "subadmm", "cond", "inverse", "inverse-soft", "scenarios", "deformables", "peers"}},
      {"--trials", BenchMode::Run, {"scenarios", "deformables"}},
      {"--soft-problems", BenchMode::Run, {"inverse", "inverse-soft"}},
      {"--compared", BenchMode::Run, {"inverse", "inverse-soft"}},
      {"--soft-seed", BenchMode::Run, {"inverse", "inverse-soft"}},
      {"--data", BenchMode::Run, {"inverse", "inverse-soft"}},
      {"--folder", BenchMode::Run, {"fclib"}},
      {"--peers-python", BenchMode::Run, {"peers"}},
  };
  return table;
}

const char* Describe(BenchMode mode) {
  switch (mode) {
    case BenchMode::Run: return "a suite";
    case BenchMode::Compare: return "--compare";
    case BenchMode::Summarize: return "--summarize";
    case BenchMode::List: break;
  }
  return "nothing";
}

bool HasMeaning(const OptionUse& use, const std::string& suite) {
  const auto has = [&](const std::string& name) {
    return use.suites.empty() || std::find(use.suites.begin(), use.suites.end(), name) != use.suites.end();
  };
  const BenchGroup* group = FindBenchGroup(suite);
  if (group == nullptr) return has(suite);
  // Parts of a group are its own.
  return use.option != std::string("--only") &&
         std::any_of(group->parts.begin(), group->parts.end(), [&](const BenchPart& part) { return has(part.suite); });
}

}  // namespace

void CheckBenchOptions(const std::vector<std::string>& given, BenchMode mode, const std::string& suite) {
  for (const std::string& option : given) {
    const auto use = std::find_if(OptionUses().begin(), OptionUses().end(),
                                  [&](const OptionUse& known) { return option == known.option; });
    if (use == OptionUses().end()) continue;
    Require(use->mode == mode, option, fmt::format("goes with {} only", Describe(use->mode)), "none here");
    if (mode == BenchMode::Run && !HasMeaning(*use, suite)) {
      throw InputError(
          option, fmt::format("has no meaning for {}", suite),
          fmt::format("{} {}", use->suites.size() == 1 ? "suite" : "one of the suites", fmt::join(use->suites, ", ")));
    }
  }
}

}  // namespace tactus::cli
