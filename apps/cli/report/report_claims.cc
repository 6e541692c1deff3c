// Claims of the papers against rows of results.
#include <algorithm>
#include <cmath>

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

// Rows of another run may be of other problems: both rows of a ratio are of one.
void Measure(const Claim& claim, const BenchRuns& runs, JudgedClaim* out) {
  bool whole = false, all = true;  // all: of counts out of so many, that none is missing where none may be
  for (const auto& [name, run] : runs) {
    if (!IsSuite(run, claim.suite) || (whole && run.settings.quick)) continue;
    const BenchRow* row = FindRow(run, claim.row);
    const BenchRow* over = claim.over[0] != '\0' ? FindRow(run, claim.over) : nullptr;
    if (row == nullptr || (claim.over[0] != '\0' && over == nullptr)) continue;
    out->ours = over != nullptr ? row->value / over->value : row->value;
    out->run = name;
    whole = !run.settings.quick;
    all = row->unit.rfind("of ", 0) != 0 || row->pass;
  }
  if (out->run.empty()) {
    out->why = fmt::format("no such row in these results: tactus bench {}", claim.suite);
    return;
  }
  const bool agrees = all && Agrees(claim, out->ours);
  out->verdict = agrees ? Verdict::Agrees : Verdict::Differs;
  if (!agrees) out->why = claim.why;
}

}  // namespace

const char* ToString(JudgedClaim::Verdict verdict) {
  switch (verdict) {
    case Verdict::Agrees: return "yes";
    case Verdict::Differs: return "no";
    case Verdict::NotRun: return "not run";
    case Verdict::Laboratory: return "needs laboratory measurements";
    case Verdict::NotRebuilt: return "not rebuilt";
  }
  return "?";
}

std::vector<JudgedClaim> JudgeClaims(const BenchRuns& runs) {
  std::vector<JudgedClaim> out;
  for (const PaperClaims& paper : AllClaims()) {
    for (const Claim& claim : paper.claims) {
      JudgedClaim judged;
      judged.paper = paper.paper;
      judged.item = claim.item;
      judged.says = claim.says;
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
