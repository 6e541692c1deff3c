#include "apps/cli/bench_compare_command.h"

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench_compare.h"
#include "apps/cli/bench_results.h"
#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "tactus/core/error.h"

namespace tactus::cli {

namespace {

namespace fs = std::filesystem;
using NamedRuns = std::map<std::string, BenchRun>;

// By name. A file with one run is compared whatever part of its suite it is: quick with whole, part with all.
NamedRuns ReadNamed(const fs::path& path, bool alone) {
  NamedRuns out;
  for (BenchRun& run : ReadBenchRuns(path)) out[alone ? run.suite : MakeBenchRunName(run)] = std::move(run);
  return out;
}

bool HasOneRun(const fs::path& path) { return !fs::is_directory(path) && ReadBenchRuns(path).size() == 1; }

// Names of `runs` that `others` does not have.
std::vector<std::string> FindAlone(const NamedRuns& runs, const NamedRuns& others) {
  std::vector<std::string> out;
  for (const auto& [name, run] : runs) {
    if (others.count(name) == 0) out.push_back(name);
  }
  return out;
}

std::string JoinFirst(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string out;
  for (std::size_t k = 0; k < names.size() && k < kShown; ++k) out += (k == 0 ? "" : "; ") + names[k];
  return out + (names.size() > kShown ? "; ..." : "");
}

// One line each for rows that are gone or new, and all bars among the former.
void TellSingles(const std::vector<BenchChange>& changes, std::FILE* out) {
  for (const auto kind : {BenchChange::Kind::Gone, BenchChange::Kind::New}) {
    std::vector<std::string> names, bars;
    for (const BenchChange& change : changes) {
      if (change.kind != kind) continue;
      names.push_back(change.name);
      if (change.bar && kind == BenchChange::Kind::Gone) bars.push_back(change.name);
    }
    if (names.empty()) continue;
    fmt::print(out, "  {}: {} {}: {}\n", ToString(kind), names.size(), names.size() == 1 ? "row" : "rows",
               JoinFirst(names));
    if (!bars.empty()) fmt::print(out, "  bars that are gone: {}: {}\n", bars.size(), fmt::join(bars, "; "));
  }
}

Json MakeJson(const BenchRun& run, const BenchChange& change) {
  return {{"suite", run.suite},
          {"name", change.name},
          {"change", ToString(change.kind)},
          {"bad", change.bad()},
          {"before", Number(change.before)},
          {"after", Number(change.after)},
          {"unit", change.unit},
          {"bar", change.bar}};
}

// What both sides have of a suite, and what it came to.
struct Tally {
  Json list = Json::array();
  int bad = 0, changes = 0, compared = 0;
};

void CompareSuite(const BenchRun& before, const BenchRun& after, double noise, bool json, Tally* tally) {
  std::FILE* remarks = json ? stderr : stdout;
  fmt::print(remarks, "{}: {} ({}) -> {} ({}){}\n", after.suite, before.commit, before.date, after.commit, after.date,
             before.processor != after.processor ? ", on another machine" : "");
  if (const std::string why = FindIncomparable(before, after); !why.empty()) {
    fmt::print(remarks, "  not compared: {}\n", why);
    return;
  }
  ++tally->compared;
  if (const std::string a = MakeBenchRunName(before), b = MakeBenchRunName(after); a != b) {
    fmt::print(remarks, "  {} is compared with {}: only rows that are in both\n", b, a);
  }
  const std::vector<BenchChange> changes = CompareBenchRuns(before, after, noise);
  for (const BenchChange& change : changes) {
    tally->list.push_back(MakeJson(after, change));
    if (change.single()) continue;
    ++tally->changes;
    tally->bad += change.bad() ? 1 : 0;
    if (json) continue;
    fmt::print("  {:<10}  {:>10.4g} -> {:<10.4g} {:<4}  {}\n", ToString(change.kind), change.before, change.after,
               change.unit, change.name);
  }
  TellSingles(changes, remarks);
}

}  // namespace

int CompareBenchResults(const fs::path& before, const fs::path& after, double noise, bool json) {
  Require(std::isfinite(noise) && noise >= 0, "--noise", fmt::format("is {}", noise), "a number >= 0");
  const bool alone = HasOneRun(before) && HasOneRun(after);
  const NamedRuns old = ReadNamed(before, alone), now = ReadNamed(after, alone);
  std::FILE* remarks = json ? stderr : stdout;
  Tally tally;
  bool common = false;
  for (const auto& [name, run] : now) {
    const auto found = old.find(name);
    if (found == old.end()) continue;
    common = true;
    CompareSuite(found->second, run, noise, json, &tally);
  }
  for (const auto& [path, names] : {std::pair(before, FindAlone(old, now)), std::pair(after, FindAlone(now, old))}) {
    if (!names.empty()) fmt::print(remarks, "only in {}: {}\n", path.string(), fmt::join(names, ", "));
  }
  Require(common, "--compare", "no suite in common", "results of the same suites, both quick or both whole");
  Require(tally.compared > 0, "--compare", "no result can be compared", "results of the same problems and extent");
  if (json) {
    fmt::print("{}\n", Dump(tally.list));
  } else {
    fmt::print("{} of {} changes beyond {:g} % are for the worse\n", tally.bad, tally.changes, 100 * noise);
  }
  return tally.bad == 0 ? kAllSolved : kNotSolved;
}

}  // namespace tactus::cli
