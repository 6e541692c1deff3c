#include "apps/cli/bench_compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace tactus::cli {

namespace {

using Better = BenchRow::Better;

// Parts of what a row measures (the text after the last ": "), the first that fits. Negations come before.
struct NamedDirection {
  const char* part;
  Better better;
};
constexpr NamedDirection kNamedDirections[] = {
    {"part within", Better::Unknown},  // beside the best of all, who may be another engine
    {"contacts over", Better::Unknown},
    {"another solution", Better::Unknown},
    {"-log10", Better::Higher},
    {"not solved", Better::Lower},
    {"not converged", Better::Lower},
    {"failed", Better::Lower},
    {"without failure", Better::Higher},
    {"simulated before", Better::Higher},
    {"real-time factor", Better::Higher},
    {"task done without contacts", Better::Lower},
    {"done", Better::Higher},
    {"solve", Better::Higher},
    {"1e-8", Better::Higher},
    {"reached", Better::Higher},
    {"reaches", Better::Higher},
    {"obey law", Better::Higher},
    {"law and dynamics to", Better::Higher},
    {"conditions hold", Better::Higher},
    {"within 10 %", Better::Higher},
    {"area under the profile", Better::Higher},
    {"R^2", Better::Higher},
    {"residual", Better::Lower},
    {"error", Better::Lower},
    {"penetration", Better::Lower},
    {"overlap", Better::Lower},
    {"off its place", Better::Lower},
    {"iterations", Better::Lower},
    {"exponent", Better::Lower},
    {"triad", Better::Higher},
    {"memory", Better::Lower},
    {"gap", Better::Lower},
    {"excess", Better::Lower},
    {"loss", Better::Lower},
    {"primal", Better::Lower},
    {"dual,", Better::Lower},
    {"complementarity", Better::Lower},
    {"creep", Better::Lower},
    {"lift", Better::Lower},
    {"energy gained", Better::Lower},
    {"jitter", Better::Lower},
    {"forward less inverse", Better::Lower},
    {"from hybrid", Better::Lower},
};

// The indices of paper 001's tables.
constexpr const char* kIndices[] = {"MP", "IE", "FE", "DE", "ST", "IN"};

std::string MeasuredPart(const std::string& name) {
  const auto colon = name.rfind(": ");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

bool Contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

bool IsCount(const std::string& unit) { return unit.rfind("of ", 0) == 0; }

// Below it errors without a bar are rounding, or what tolerances leave.
double FindRounding(const std::string& unit) {
  const bool small = unit == "mm" || unit == "mN";
  return small                                               ? 1e-6
         : unit == "m" || unit == "m/s" || unit == "N"       ? 1e-9
         : unit.empty() || unit == "-" || unit == "relative" ? 1e-8
                                                             : 0;
}

// A row as something that is better the lower it is.
struct Figure {
  double value = 0;
  double rounding = 0;  // up to which it is as good as none
  bool known = false, time = false;
};

Figure MakeFigure(const BenchRow& row) {
  Figure out;
  const Better better = FindBetter(row);
  out.known = better != Better::Unknown;
  out.time = IsTimeUnit(row.unit);
  out.value = row.value;
  if (Contains(MeasuredPart(row.name), "-log10")) {
    out.value = std::pow(10, -row.value);
    out.rounding = FindRounding(row.unit);
  } else if (better == Better::Higher && IsCount(row.unit)) {
    out.value = 1 - row.value / std::atof(row.unit.c_str() + 3);
  } else if (better == Better::Higher) {
    out.value = 1 / row.value;
  } else if (!out.time) {
    constexpr double kFarBelow = 0.01;  // this part of a bar
    out.rounding = row.bar ? kFarBelow * *row.bar : FindRounding(row.unit);
  }
  return out;
}

bool IsShareOfLimit(const BenchRow& row) {
  const std::string part = MeasuredPart(row.name);
  return part.rfind("of the flop limit", 0) == 0 || part.rfind("of the bandwidth limit", 0) == 0;
}

std::string KernelOf(const BenchRow& row) { return row.name.substr(0, row.name.rfind(": ")); }

// The larger share of each kernel: the other one says nothing about it.
std::map<std::string, double> FindLimitingShares(const BenchRun& run) {
  std::map<std::string, double> out;
  for (const BenchRow& row : run.rows) {
    if (!IsShareOfLimit(row)) continue;
    double& most = out[KernelOf(row)];
    most = std::max(most, row.value);
  }
  return out;
}

// As much as both spreads, but a factor of two is no noise.
double FindNoise(const BenchRow& before, const BenchRow& after, double noise) {
  constexpr double kMost = 0.75;
  if (!before.spread || !after.spread || !(before.value > 0)) return noise;
  return std::max(noise, std::min(0.5 * (*before.spread + *after.spread) / before.value, kMost));
}

std::string DescribeProblems(const BenchRun& run) {
  const std::size_t shown = std::min<std::size_t>(3, run.problems.size());
  return fmt::format("{} ({}{})", run.problems.size(),
                     fmt::join(run.problems.begin(), run.problems.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     shown < run.problems.size() ? ", ..." : "");
}

}  // namespace

const char* ToString(BenchChange::Kind kind) {
  switch (kind) {
    case BenchChange::Kind::Slower: return "slower";
    case BenchChange::Kind::Faster: return "faster";
    case BenchChange::Kind::LessAccurate: return "worse";
    case BenchChange::Kind::MoreAccurate: return "better";
    case BenchChange::Kind::Fails: return "fails now";
    case BenchChange::Kind::Passes: return "passes now";
    case BenchChange::Kind::Gone: return "gone";
    case BenchChange::Kind::New: return "new";
  }
  return "?";
}

bool IsTimeUnit(const std::string& unit) {
  const std::string base = unit.substr(0, unit.find("/step"));
  return base == "s" || base == "ms" || base == "us" || base == "µs" || base == "ns";
}

Better FindBetter(const BenchRow& row) {
  if (row.better != Better::Unknown) return row.better;
  const std::string part = MeasuredPart(row.name);
  for (const NamedDirection& named : kNamedDirections) {
    // Words in the name of a time do not make more of it better.
    const bool of_time = IsTimeUnit(row.unit) && !Contains(part, "simulated before");
    if (!of_time && Contains(part, named.part)) return named.better;
  }
  const bool index = std::find(std::begin(kIndices), std::end(kIndices), part) != std::end(kIndices);
  return index || IsTimeUnit(row.unit) || row.unit == "bytes" ? Better::Lower : Better::Unknown;
}

std::string FindIncomparable(const BenchRun& before, const BenchRun& after) {
  const std::set<std::string> a(before.problems.begin(), before.problems.end()),
      b(after.problems.begin(), after.problems.end());
  if (a != b) return fmt::format("other problems: {} -> {}", DescribeProblems(before), DescribeProblems(after));
  const BenchSettings &x = before.settings, &y = after.settings;
  for (const auto& [what, was, is] : {std::tuple("seeds of each scene", x.trials, y.trials),
                                      std::tuple("problems of each soft robot", x.soft_problems, y.soft_problems),
                                      std::tuple("problems that every method gets", x.compared, y.compared)}) {
    const auto text = [](int n) { return n == 0 ? std::string("as many as by default") : std::to_string(n); };
    if (was != is) return fmt::format("{}: {} -> {}", what, text(was), text(is));
  }
  if (x.soft_seed != y.soft_seed) return fmt::format("seed of soft robots: {} -> {}", x.soft_seed, y.soft_seed);
  const std::string how = DescribeExtent(before), now = DescribeExtent(after);
  const bool told = how.empty() || now.empty() || x.quick != y.quick || x.only != y.only;
  return told || how == now ? "" : fmt::format("another extent: {} -> {}", how, now);
}

std::vector<BenchChange> CompareBenchRuns(const BenchRun& before, const BenchRun& after, double noise) {
  using Kind = BenchChange::Kind;
  std::vector<BenchChange> out;
  const std::map<std::string, double> limiting = FindLimitingShares(before);
  std::map<std::string, const BenchRow*> old;
  for (const BenchRow& row : before.rows) old[row.name] = &row;
  for (const BenchRow& row : after.rows) {
    const auto found = old.find(row.name);
    if (found == old.end()) {
      out.push_back({Kind::New, row.name, row.unit, std::nan(""), row.value, row.bar.has_value()});
      continue;
    }
    const BenchRow& was = *found->second;
    old.erase(found);
    BenchChange change{Kind::Passes, row.name, row.unit, was.value, row.value, row.bar.has_value()};
    if (was.pass != row.pass) {
      change.kind = row.pass ? Kind::Passes : Kind::Fails;
      out.push_back(change);
      continue;
    }
    if (IsShareOfLimit(was) && was.value < limiting.at(KernelOf(was))) continue;
    const Figure a = MakeFigure(was), b = MakeFigure(row);
    if (!a.known || !b.known || (a.value <= a.rounding && b.value <= b.rounding)) continue;
    const double factor = 1 + FindNoise(was, row, noise);
    const bool worse = b.value > a.value * factor || (std::isnan(b.value) && !std::isnan(a.value));
    const bool better = a.value > b.value * factor;
    if (!worse && !better) continue;
    change.kind = worse ? (b.time ? Kind::Slower : Kind::LessAccurate) : (b.time ? Kind::Faster : Kind::MoreAccurate);
    out.push_back(change);
  }
  for (const auto& [name, row] : old)
    out.push_back({Kind::Gone, name, row->unit, row->value, std::nan(""), row->bar.has_value()});
  return out;
}

}  // namespace tactus::cli
