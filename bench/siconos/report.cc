#include "bench/siconos/report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace tactus::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double Ratio(const Measurement* theirs, const Measurement& ours, double (Measurement::*time)() const) {
  if (!theirs) return ours.solved ? kInfinite : std::numeric_limits<double>::quiet_NaN();
  return ours.solved ? (theirs->*time)() / (ours.*time)() : 0;
}

std::string FormatMs(double seconds) {
  const double ms = 1e3 * seconds;
  return fmt::format("{:.{}f}", ms, ms < 0.1 ? 4 : ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0);
}

std::string FormatRatio(double ratio) {
  if (std::isnan(ratio)) return "-";
  if (std::isinf(ratio)) return "only ours";
  return ratio == 0 ? "only theirs" : fmt::format("{:.2f}", ratio);
}

// JSON has no infinity.
Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json MakeJson(const Measurement& m) {
  Json out;
  out["solver"] = m.solver;
  if (!m.variant.empty()) out["storage"] = m.variant;
  out["limit_s"] = m.limit;
  out["solved"] = m.solved;
  out["claimed"] = m.claimed;
  if (!m.failure.empty()) {
    out["failure"] = m.failure;
    return out;
  }
  out["iterations"] = m.iterations;
  out["natural"] = Number(m.residual.natural);
  out["natural_rho"] = Number(m.residual.natural_rho);
  out["natural_rho_mean"] = Number(m.residual.natural_rho_mean);
  out["repeats"] = m.cpu.size();
  out["cpu_median_ms"] = 1e3 * m.cpu_median();
  out["cpu_min_ms"] = 1e3 * m.cpu_min();
  out["wall_median_ms"] = 1e3 * m.wall_median();
  out["wall_min_ms"] = 1e3 * m.wall_min();
  return out;
}

Json MakeJson(const std::vector<Measurement>& list) {
  Json out = Json::array();
  for (const Measurement& m : list) out.push_back(MakeJson(m));
  return out;
}

// Sums over problems that both sides solve.
struct Totals {
  int problems = 0, ours_solved = 0, theirs_solved = 0, common = 0;
  int cpu_ahead = 0, wall_ahead = 0, cpu_min_ahead = 0, wall_min_ahead = 0;
  double our_sum = 0, their_sum = 0, our_wall = 0, their_wall = 0, log_ratio = 0;
};

Totals CalcTotals(const std::vector<ProblemRow>& rows, int min_contacts, bool dense) {
  Totals t;
  for (const ProblemRow& row : rows) {
    if (row.contacts < min_contacts) continue;
    ++t.problems;
    const Measurement& ours = row.ours.front();
    const Measurement* best = row.virtual_best(dense);
    t.ours_solved += ours.solved;
    t.theirs_solved += best != nullptr;
    t.cpu_ahead += row.cpu_ratio(dense) > 1;
    t.wall_ahead += row.wall_ratio(dense) > 1;
    t.cpu_min_ahead += Ratio(best, ours, &Measurement::cpu_min) > 1;
    t.wall_min_ahead += Ratio(best, ours, &Measurement::wall_min) > 1;
    if (!ours.solved || !best) continue;
    ++t.common;
    t.our_sum += ours.cpu_median();
    t.their_sum += best->cpu_median();
    t.our_wall += ours.wall_min();
    t.their_wall += best->wall_min();
    t.log_ratio += std::log(row.cpu_ratio(dense));
  }
  return t;
}

std::string FormatBest(const Measurement* best) {
  return best ? fmt::format("{} {}, {}", FormatMs(best->cpu_median()), best->solver, best->variant) : "none";
}

}  // namespace

const Measurement* ProblemRow::virtual_best(bool dense) const {
  const Measurement* best = nullptr;
  for (const Measurement& m : all_siconos) {
    if (!m.solved || (!dense && m.variant == "dense")) continue;
    if (!best || m.cpu_median() < best->cpu_median()) best = &m;
  }
  return best;
}

double ProblemRow::cpu_ratio(bool dense) const {
  return Ratio(virtual_best(dense), ours.front(), &Measurement::cpu_median);
}
double ProblemRow::wall_ratio(bool dense) const {
  return Ratio(virtual_best(dense), ours.front(), &Measurement::wall_median);
}

std::string FormatCell(const Measurement& m) {
  if (m.failure == "limit") return fmt::format(">{:.2g} s", m.limit);
  if (!m.failure.empty()) return "crash";
  if (m.solved) return FormatMs(m.cpu_median());
  return fmt::format("FAIL {:.0e} ({})", m.score, FormatMs(m.cpu_median()));
}

std::string FormatTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()), 3);
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t k = 0; k < rows[r].size(); ++k) out += fmt::format("| {:<{}} ", rows[r][k], width[k]);
    out += "|\n";
    if (r > 0) continue;
    for (const std::size_t w : width) out += "| " + std::string(w, '-') + " ";
    out += "|\n";
  }
  return out;
}

std::string FormatComparison(const std::vector<ProblemRow>& rows) {
  const std::string ours = rows.front().ours.front().solver;
  std::vector<std::vector<std::string>> table = {
      {"problem", "contacts", "best of Siconos", "best, W sparse", ours, "best/" + ours, "sparse/" + ours,
       "least wall: best", "least wall: " + ours, "least wall ratio", "natural: best", "natural: " + ours}};
  for (const ProblemRow& row : rows) {
    const Measurement* best = row.virtual_best();
    const Measurement& mine = row.ours.front();
    table.push_back({row.name + (row.assembled ? " (global)" : ""), std::to_string(row.contacts), FormatBest(best),
                     FormatBest(row.virtual_best(false)), FormatCell(mine), FormatRatio(row.cpu_ratio()),
                     FormatRatio(row.cpu_ratio(false)), best ? FormatMs(best->wall_min()) : "-",
                     FormatMs(mine.wall_min()), FormatRatio(Ratio(best, mine, &Measurement::wall_min)),
                     best ? fmt::format("{:.0e}", best->residual.natural) : "-",
                     fmt::format("{:.0e}", mine.residual.natural)});
  }
  return FormatTable(table);
}

std::string FormatSiconos(const std::vector<ProblemRow>& rows) {
  std::vector<std::vector<std::string>> table(1, {"problem", "contacts"});
  for (const Measurement& m : rows.front().siconos) table[0].push_back(m.solver);
  for (const ProblemRow& row : rows) {
    std::vector<std::string> cells = {row.name, std::to_string(row.contacts)};
    for (const Measurement& m : row.siconos) {
      cells.push_back(FormatCell(m) + (m.solved ? fmt::format(" {}", m.variant.front()) : ""));
    }
    table.push_back(std::move(cells));
  }
  return FormatTable(table);
}

std::string FormatTotals(const std::vector<ProblemRow>& rows, int min_contacts, bool dense) {
  const Totals t = CalcTotals(rows, min_contacts, dense);
  const std::string ours = rows.front().ours.front().solver;
  std::string out = fmt::format("{} problems with at least {} contacts, Siconos with W {}:\n", t.problems, min_contacts,
                                dense ? "in its quickest storage" : "stored sparse or in blocks");
  out += fmt::format("- {} solves {}, Siconos's solvers together {}\n", ours, t.ours_solved, t.theirs_solved);
  out += fmt::format(
      "- {} is ahead of the virtual best on {} by median processor time ({} by least processor time, {} by median and "
      "{} "
      "by least wall clock)\n",
      ours, t.cpu_ahead, t.cpu_min_ahead, t.wall_ahead, t.wall_min_ahead);
  if (t.common == 0) return out;
  out += fmt::format(
      "- sum over the {} solved by both: virtual best {} ms, {} {} ms, ratio {:.2f} (least wall clock {:.2f}); "
      "geometric "
      "mean of the ratios {:.2f}\n",
      t.common, FormatMs(t.their_sum), ours, FormatMs(t.our_sum), t.their_sum / t.our_sum, t.their_wall / t.our_wall,
      std::exp(t.log_ratio / t.common));
  return out;
}

std::string FormatOurs(const std::vector<ProblemRow>& rows) {
  std::vector<std::vector<std::string>> table(1, {"problem", "contacts"});
  for (const Measurement& m : rows.front().ours) table[0].push_back(m.solver);
  std::vector<int> solved(rows.front().ours.size(), 0);
  for (const ProblemRow& row : rows) {
    std::vector<std::string> cells = {row.name, std::to_string(row.contacts)};
    for (std::size_t k = 0; k < row.ours.size(); ++k) {
      cells.push_back(FormatCell(row.ours[k]));
      solved[k] += row.ours[k].solved;
    }
    table.push_back(std::move(cells));
  }
  std::vector<std::string> last = {"solved", fmt::format("of {}", rows.size())};
  for (const int count : solved) last.push_back(std::to_string(count));
  table.push_back(std::move(last));
  return FormatTable(table);
}

Json MakeJson(const std::vector<ProblemRow>& rows, const MeasureSettings& settings) {
  Json out;
  out["tolerance"] = settings.tolerance;
  out["limit_s"] = settings.limit;
  out["repeat"] = settings.repeat;
  Json& list = out["problems"] = Json::array();
  for (const ProblemRow& row : rows) {
    Json item;
    item["name"] = row.name;
    item["contacts"] = row.contacts;
    item["delassus_form_assembled_for_siconos"] = row.assembled;
    item["ours"] = MakeJson(row.ours);
    item["siconos"] = MakeJson(row.all_siconos);
    if (!row.siconos.empty()) {
      const Measurement* best = row.virtual_best();
      const Measurement* sparse = row.virtual_best(false);
      item["virtual_best"] = best ? MakeJson(*best) : Json(nullptr);
      item["virtual_best_sparse"] = sparse ? MakeJson(*sparse) : Json(nullptr);
      item["cpu_ratio"] = Number(row.cpu_ratio());
      item["cpu_ratio_sparse"] = Number(row.cpu_ratio(false));
      item["wall_ratio"] = Number(row.wall_ratio());
    }
    list.push_back(std::move(item));
  }
  return out;
}

}  // namespace tactus::bench
