#include "apps/cli/report/report_page.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "apps/cli/json_output.h"
#include "apps/cli/report/claims.h"
#include "apps/cli/report/report_plots.h"
#include "apps/cli/report/report_template.h"

namespace tactus::cli {

namespace {

const BenchRow* FindRow(const BenchRun& run, const std::string& name) {
  const auto found =
      std::find_if(run.rows.begin(), run.rows.end(), [&](const BenchRow& row) { return row.name == name; });
  return found == run.rows.end() ? nullptr : &*found;
}

Json MakeRunJson(const std::string& name, const BenchRun& run) {
  Json rows = Json::array();
  for (const BenchRow& row : run.rows) {
    rows.push_back({row.name, Number(row.value), row.unit, row.bar ? Number(*row.bar) : Json(nullptr),
                    !row.bar   ? ""
                    : row.pass ? "pass"
                               : "FAIL",
                    row.spread ? Number(*row.spread) : Json(nullptr)});
  }
  return {{"name", name},
          {"suite", run.suite},
          {"date", run.date},
          {"commit", run.commit},
          {"machine", fmt::format("{}, {} cores, {}", run.processor, run.cores, run.simd)},
          {"seconds", Number(run.seconds)},
          {"quick", run.settings.quick},
          {"rows", rows}};
}

std::string Replace(std::string text, std::string_view mark, std::string_view by) {
  return text.replace(text.find(mark), mark.size(), by);
}

}  // namespace

std::vector<JudgedClaim> JudgeClaims(const BenchRuns& runs) {
  std::vector<JudgedClaim> out;
  for (const Claim& claim : Claims()) {
    const BenchRow* row = nullptr;
    JudgedClaim judged{claim.source, claim.says, claim.why, "", claim.value, 0, false};
    for (const auto& [name, run] : runs) {
      if (run.suite != claim.suite || (row != nullptr && run.settings.quick)) continue;
      if (const BenchRow* found = FindRow(run, claim.row)) {
        row = found;
        judged.run = name;
      }
    }
    if (row == nullptr) continue;
    judged.ours = row->value;
    judged.agrees = claim.at_least ? row->value >= claim.value : row->value <= claim.value;
    out.push_back(judged);
  }
  return out;
}

std::string MakeReportPage(const BenchRuns& runs) {
  Json data = {{"runs", Json::array()}, {"claims", Json::array()}};
  for (const auto& [name, run] : runs) data["runs"].push_back(MakeRunJson(name, run));
  for (const JudgedClaim& claim : JudgeClaims(runs)) {
    data["claims"].push_back({claim.source, claim.says, Number(claim.theirs), Number(claim.ours),
                              Number(claim.ours / claim.theirs), claim.agrees ? "yes" : "no",
                              claim.agrees ? "" : claim.why, claim.run});
  }
  const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string page = Replace(kReportTemplate, "/*PLOTS*/", kReportPlots);
  const std::string_view mark = "/*DATA*/";
  const std::size_t at = page.find(mark);
  std::string out(page.substr(0, at));
  for (const char c : text) {
    if (c == '/' && out.back() == '<') out += '\\';  // a text within a script must not end it
    out += c;
  }
  out += page.substr(at + mark.size());
  return out;
}

std::string MakeReportMarkdown(const BenchRuns& runs) {
  std::string out =
      "# Results\n\n| suite | date | commit | machine | rows with a bar | met |\n| --- | --- | --- | --- | --- | --- "
      "|\n";
  for (const auto& [name, run] : runs) {
    const auto bars =
        std::count_if(run.rows.begin(), run.rows.end(), [](const BenchRow& r) { return r.bar.has_value(); });
    const auto met = std::count_if(run.rows.begin(), run.rows.end(), [](const BenchRow& r) { return r.bar && r.pass; });
    out += fmt::format("| {} | {} | {} | {}, {} cores | {} | {} |\n", name, run.date.substr(0, 10), run.commit,
                       run.processor, run.cores, bars, met);
  }
  out +=
      "\n## What the papers claim\n\n| paper | claim | theirs | ours | agrees | why not |\n| --- | --- | --- | --- | "
      "--- | --- |\n";
  for (const JudgedClaim& c : JudgeClaims(runs)) {
    out += fmt::format("| {} | {} | {:.4g} | {:.4g} | {} | {} |\n", c.source, c.says, c.theirs, c.ours,
                       c.agrees ? "yes" : "**no**", c.agrees ? "" : c.why);
  }
  out += "\n## Bars missed\n\n";
  bool any = false;
  for (const auto& [name, run] : runs) {
    for (const BenchRow& row : run.rows) {
      if (row.pass || !row.bar) continue;
      out += fmt::format("- {}: {} is {:.4g} {} (bar {:.4g})\n", name, row.name, row.value, row.unit, *row.bar);
      any = true;
    }
  }
  return any ? out : out + "None.\n";
}

}  // namespace tactus::cli
