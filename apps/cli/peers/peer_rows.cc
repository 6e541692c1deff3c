#include "apps/cli/peers/peer_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "apps/cli/peers/peer_programs.h"
#include "apps/cli/statistics.h"

namespace tactus::cli {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Poses at step 0 agree to what is lost in turning rotations into other numbers and back [m, rad].
constexpr double kSameStart = 1e-9;
// Creep and lift of tactus: what contacts solved to 1e-8 leave, and rounding, where they are solved to 1e-12.
constexpr double kSolved = 1e-9, kRoundOff = 1e-12;

bool AtBaseStep(const JudgedPeerRun& r) { return std::abs(r.run.time_step / kPeerStep - 1) < 1e-6; }

std::vector<std::string> Labels(const std::vector<JudgedPeerRun>& runs) {
  std::vector<std::string> out;
  for (const JudgedPeerRun& r : runs) {
    if (std::find(out.begin(), out.end(), r.run.label()) == out.end()) out.push_back(r.run.label());
  }
  return out;
}

BenchRow Lower(const std::string& name, double value, const std::string& unit) {
  BenchRow row = BenchRow::Measured(name, value, unit);
  row.better = BenchRow::Better::Lower;
  return row;
}

// Errors of tactus have bars, but for its fast variant; those of others are what they are.
BenchRow ErrorRow(const std::string& name, double value, const char* unit, bool ours, double bar) {
  return ours ? BenchRow::AtMost(name, value, unit, bar) : BenchRow::Measured(name, value, unit);
}

void AddBaseRows(const PeerSceneEntry& entry, const JudgedPeerRun& r, std::vector<BenchRow>* out) {
  const std::string name = fmt::format("{}: {}: ", entry.name, r.run.label());
  if (!r.run.failure.empty()) {
    out->push_back(BenchRow::Measured(name + r.run.failure, kNone, ""));
    return;
  }
  const bool ours = r.run.peer == "tactus" && r.run.variant != kFastVariant;
  const double bar = r.run.variant == kTightVariant ? kRoundOff : kSolved;
  BenchRow time = Lower(name + "time a step", r.median_ms(), "ms");
  time.spread = r.spread_ms();
  out->push_back(time);
  out->push_back(Lower(name + "mean time a step", 1e3 * r.cost() * r.run.time_step, "ms"));
  out->push_back(BenchRow::AtMost(name + "poses at step 0 differ by", r.errors.start, "m, rad", kSameStart));
  if (!r.complete())
    out->push_back(BenchRow::Measured(name + "simulated before its time was up", r.run.simulated, "s"));
  out->push_back(ErrorRow(name + "penetration", r.errors.penetration, "m", ours, entry.target));
  if (!std::isnan(r.errors.creep)) out->push_back(ErrorRow(name + "creep", r.errors.creep, "m/s", ours, bar));
  if (!std::isnan(r.errors.lift)) out->push_back(ErrorRow(name + "lift", r.errors.lift, "m", ours, bar));
  if (!std::isnan(r.errors.energy)) out->push_back(BenchRow::Measured(name + "energy gained", r.errors.energy, ""));
}

// Points of the curves of error over cost, for plots.
void AddCurveRows(const PeerSceneEntry& entry, const JudgedPeerRun& r, std::vector<BenchRow>* out) {
  if (!r.complete()) return;
  const std::string name =
      fmt::format("{}: {} at {:g} Hz: ", entry.name, r.run.label(), std::round(1 / r.run.time_step));
  out->push_back(BenchRow::Measured(name + "cost of a simulated second", r.cost(), "s"));
  out->push_back(BenchRow::Measured(name + ToString(entry.error), r.errors.Get(entry.error), UnitOf(entry.error)));
}

// Steps of a pile take longer and longer; where one engine had to stop early, the other counts as far only.
double CompareSameSteps(const JudgedPeerRun& a, const JudgedPeerRun& b) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(a.run.seconds.size(), b.run.seconds.size()));
  const auto sum = [&](const JudgedPeerRun& r) {
    return std::accumulate(r.run.seconds.begin(), r.run.seconds.begin() + count, 0.0);
  };
  return sum(a) / sum(b);
}

const JudgedPeerRun* FindBase(const std::vector<JudgedPeerRun>& runs, const std::string& label) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const JudgedPeerRun& r) {
    return AtBaseStep(r) && r.run.label() == label && r.run.failure.empty();
  });
  return found == runs.end() ? nullptr : &*found;
}

}  // namespace

double JudgedPeerRun::median_ms() const { return 1e3 * Median(run.seconds); }

double JudgedPeerRun::spread_ms() const { return 1e3 * (Quantile(run.seconds, 0.75) - Quantile(run.seconds, 0.25)); }

double JudgedPeerRun::cost() const {
  const double sum = std::accumulate(run.seconds.begin(), run.seconds.end(), 0.0);
  return run.seconds.empty() ? kNone : sum / (static_cast<double>(run.seconds.size()) * run.time_step);
}

double FindCostOfTarget(const PeerSceneEntry& entry, const std::vector<JudgedPeerRun>& runs, const std::string& label) {
  double least = kNone;
  for (const JudgedPeerRun& r : runs) {
    if (r.run.label() != label || !r.complete() || !(r.errors.Get(entry.error) <= entry.target)) continue;
    least = std::isnan(least) ? r.cost() : std::min(least, r.cost());
  }
  return least;
}

std::vector<BenchRow> MakePeerRows(const PeerSceneEntry& entry, const std::vector<JudgedPeerRun>& runs) {
  std::vector<BenchRow> out;
  for (const JudgedPeerRun& r : runs) {
    if (AtBaseStep(r)) AddBaseRows(entry, r, &out);
  }
  const JudgedPeerRun* mujoco = FindBase(runs, "mujoco default");
  for (const char* label : {"tactus", "tactus fast"}) {
    const JudgedPeerRun* ours = FindBase(runs, label);
    if (ours == nullptr || mujoco == nullptr) continue;
    out.push_back(
        BenchRow::Measured(fmt::format("{}: time of the same steps, {} over mujoco default", entry.name, label),
                           CompareSameSteps(*ours, *mujoco), ""));
  }
  const bool swept = std::any_of(runs.begin(), runs.end(), [](const JudgedPeerRun& r) { return !AtBaseStep(r); });
  if (!swept) return out;
  for (const std::string& label : Labels(runs)) {
    out.push_back(Lower(fmt::format("{}: {}: cost of a simulated second with {} <= {:g} {}", entry.name, label,
                                    ToString(entry.error), entry.target, UnitOf(entry.error)),
                        FindCostOfTarget(entry, runs, label), "s"));
  }
  for (const JudgedPeerRun& r : runs) AddCurveRows(entry, r, &out);
  return out;
}

}  // namespace tactus::cli
