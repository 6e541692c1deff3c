// tactus solvers
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

int RunSolvers(bool json) {
  if (json) {
    Json list = Json::array();
    for (const SolverEntry& s : Solvers())
      list.push_back({{"name", s.name}, {"exact", s.exact}, {"what_for", s.what_for}});
    fmt::print("{}\n", Dump(list));
    return kAllSolved;
  }
  if (Solvers().empty()) fmt::print("No solver is built in.\n");
  for (const SolverEntry& s : Solvers()) {
    fmt::print("{:<14} {:<8} {}\n", s.name, s.exact ? "exact" : "approx.", s.what_for);
  }
  return kAllSolved;
}

}  // namespace

CommandRun AddSolversCommand(CLI::App* app) {
  const auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "print a JSON array");
  return [json] { return RunSolvers(*json); };
}

}  // namespace tactus::cli
