// Claims of the papers against rows of results.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "apps/cli/report/claims.h"
#include "apps/cli/report/report_page.h"

namespace tactus::cli {

namespace {

// "Near": within a quarter.
constexpr double kNear = 1.25;

using Verdict = JudgedClaim::Verdict;

const BenchRow* FindRow(const BenchRun& run, const char* pattern) {
  const auto found = std::find_if(run.rows.begin(), run.rows.end(),
                                  [&](const BenchRow& row) { return MatchesPattern(pattern, row.name.c_str()); });
  return found == run.rows.end() ? nullptr : &*found;
}

// `inverse-soft` has some rows of `inverse`.
bool IsSuite(const BenchRun& run, const std::string& suite) {
  return run.suite == suite || (suite == "inverse" && run.suite == "inverse-soft");
}

bool Agrees(const Claim& claim, double ours) {
  switch (claim.test) {
    case Claim::Test::AtLeast: return ours >= claim.theirs;
    case Claim::Test::AtMost: return ours <= claim.theirs;
    case Claim::Test::Near: return ours <= kNear * claim.theirs && kNear * ours >= claim.theirs;
    default: return false;
  }
}

// Below this, in the unit of its row, a length, force or relative measure is what rounding left.
constexpr double kRounding = 1e-9;

bool IsRounding(const BenchRow& row) {
  return row.value == 0 || (!row.unit.empty() && std::abs(row.value) < kRounding);
}

bool IsTime(const BenchRow& row) { return row.unit == "s" || row.unit == "ms" || row.unit == "ms/step"; }

// Of counts, whose unit is "of N", the share.
double ValueOf(const BenchRow& row) {
  int count = 0;
  return std::sscanf(row.unit.c_str(), "of %d", &count) == 1 && count > 0 ? row.value / count : row.value;
}

// The rows of a claim; rows of another run may be of other problems: both are of one.
struct Evidence {
  const std::string* name = nullptr;  // of the run; null: no run has the rows
  const BenchRun* run = nullptr;
  const BenchRow *row = nullptr, *over = nullptr;
};

// Of quick and whole runs a whole one.
Evidence FindEvidence(const Claim& claim, const BenchRuns& runs) {
  Evidence out;
  for (const auto& [name, run] : runs) {
    if (!IsSuite(run, claim.suite)) continue;
    if (out.run != nullptr && !out.run->settings.quick && run.settings.quick) continue;
    const BenchRow* row = FindRow(run, claim.row);
    const BenchRow* over = claim.over[0] != '\0' ? FindRow(run, claim.over) : nullptr;
    if (row == nullptr || (claim.over[0] != '\0' && over == nullptr)) continue;
    out = {&name, &run, row, over};
  }
  return out;
}

// What to run for a row that is missing.
std::string ExplainMissing(const Claim& claim, const BenchRuns& runs) {
  bool any = false, whole = false;
  for (const auto& [name, run] : runs) {
    any |= IsSuite(run, claim.suite);
    whole |= IsSuite(run, claim.suite) && !run.settings.quick;
  }
  if (!any) return fmt::format("this suite has no results here: tactus bench {}", claim.suite);
  if (!whole) return fmt::format("quick runs do not have this row: tactus bench {}, without --quick", claim.suite);
  return fmt::format("no such row in these results: tactus bench {}", claim.suite);
}

void Measure(const Claim& claim, const BenchRuns& runs, JudgedClaim* out) {
  const Evidence found = FindEvidence(claim, runs);
  if (found.run == nullptr) {
    out->why = ExplainMissing(claim, runs);
    return;
  }
  out->run = *found.name;
  if (found.over != nullptr && IsRounding(*found.over)) {
    out->verdict = Verdict::AtRounding;
    out->why = fmt::format("ours are {:.4g} and {:.4g} {}, the second of which is rounding: their ratio says nothing",
                           found.row->value, found.over->value, found.over->unit);
    return;
  }
  out->ours = found.over != nullptr ? found.row->value / found.over->value : ValueOf(*found.row);
  if (claim.test == Claim::Test::OtherUnits) {
    out->verdict = Verdict::OtherUnits;
    out->why = claim.why;
  } else if (found.run->settings.quick && found.over == nullptr && IsTime(*found.row)) {
    out->verdict = Verdict::SmallerCase;
    out->why =
        fmt::format("quick runs have smaller cases than the paper: tactus bench {}, without --quick", claim.suite);
  } else if (Agrees(claim, out->ours)) {
    out->verdict = Verdict::Agrees;
  } else {
    out->verdict = Verdict::Differs;
    out->why = claim.why;
  }
}

const char* ToMark(Claim::Source source) {
  switch (source) {
    case Claim::Source::Paper: return "";
    case Claim::Source::Ours: return "ours";
    case Claim::Source::As000: return "as 000";
  }
  return "";
}

}  // namespace

const char* ToString(JudgedClaim::Verdict verdict) {
  switch (verdict) {
    case Verdict::Agrees: return "yes";
    case Verdict::Differs: return "no";
    case Verdict::SmallerCase: return "smaller case";
    case Verdict::AtRounding: return "at rounding";
    case Verdict::OtherUnits: return "other units";
    case Verdict::NotRun: return "not run";
    case Verdict::Laboratory: return "needs laboratory measurements";
    case Verdict::NotRebuilt: return "not rebuilt";
  }
  return "?";
}

const std::vector<Verdict> kVerdicts = {Verdict::Agrees,     Verdict::Differs,    Verdict::SmallerCase,
                                        Verdict::AtRounding, Verdict::OtherUnits, Verdict::Laboratory,
                                        Verdict::NotRebuilt, Verdict::NotRun};

double JudgedClaim::ratio() const { return judged() && theirs != 0 ? ours / theirs : std::nan(""); }

std::string JudgedClaim::verdict_text() const {
  return counts() ? ToString(verdict) : fmt::format("{} ({})", ToString(verdict), mark);
}

std::vector<JudgedClaim> JudgeClaims(const BenchRuns& runs) {
  std::vector<JudgedClaim> out;
  for (const PaperClaims& paper : AllClaims()) {
    for (const Claim& claim : paper.claims) {
      JudgedClaim judged;
      judged.paper = paper.paper;
      judged.item = claim.item;
      judged.says = claim.says;
      judged.mark = ToMark(claim.source);
      judged.theirs = judged.ours = std::nan("");
      if (claim.test == Claim::Test::Laboratory || claim.test == Claim::Test::NotRebuilt) {
        judged.verdict = claim.test == Claim::Test::Laboratory ? Verdict::Laboratory : Verdict::NotRebuilt;
        judged.why = claim.why;
      } else {
        judged.theirs = claim.theirs;
        Measure(claim, runs, &judged);
      }
      out.push_back(judged);
    }
  }
  return out;
}

}  // namespace tactus::cli
