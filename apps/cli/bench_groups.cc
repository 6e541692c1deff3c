#include "apps/cli/bench_groups.h"

#include "apps/cli/bench_results.h"
#include "tactus/core/error.h"

namespace tactus::cli {

namespace fs = std::filesystem;

const std::vector<BenchGroup>& BenchGroups() {
  static const std::vector<BenchGroup> table = [] {
    std::vector<BenchGroup> out = {
        {"papers",
         "what the papers claim: the suites scenarios, subadmm, cond, baselines, deformables and inverse",
         {{"scenarios", ""}, {"subadmm", ""}, {"cond", ""}, {"baselines", ""}, {"deformables", ""}, {"inverse", ""}}},
        {"scaling",
         "growth of time and memory with contacts, bodies and dofs, in one thread and two: the parts 'growth' of "
         "subadmm "
         "and cond",
         {{"subadmm", "growth"}, {"cond", "growth"}}},
        {"all", "every suite, one after the other", {}},
    };
    for (const BenchSuite& suite : BenchSuites()) {
      // A part of inverse.
      if (std::string(suite.name) != "inverse-soft") out.back().parts.push_back({suite.name, ""});
    }
    return out;
  }();
  return table;
}

const BenchGroup* FindBenchGroup(const std::string& name) {
  for (const BenchGroup& group : BenchGroups()) {
    if (name == group.name) return &group;
  }
  return nullptr;
}

BenchSettings MakePartSettings(const BenchSettings& asked, const BenchPart& part) {
  BenchSettings settings = asked;
  settings.only = part.only;
  if (settings.quick) return settings;
  if (settings.trials == 0) settings.trials = kGroupTrials;
  if (settings.compared == 0 && std::string(part.suite) == "inverse") settings.compared = kGroupCompared;
  return settings;
}

double FindEarlierSeconds(const fs::path& folder, const std::string& suite, const BenchSettings& settings) {
  double seconds = 0;
  std::string date;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".json" || at->path().filename().string().rfind(suite, 0) != 0) continue;
    try {
      const BenchRun run = ReadBenchRun(at->path());
      const bool same = run.suite == suite && run.settings.quick == settings.quick &&
                        run.settings.only == settings.only && run.settings.trials == settings.trials &&
                        run.settings.soft_problems == settings.soft_problems &&
                        run.settings.compared == settings.compared;
      if (!same || run.date < date) continue;
      date = run.date;
      seconds = run.seconds;
    } catch (const InputError&) {
      continue;  // somebody else's file; only an estimate is at stake
    }
  }
  return seconds;
}

}  // namespace tactus::cli
