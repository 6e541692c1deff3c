#include "apps/cli/json_output.h"

namespace tactus::cli {

Json MakeHistoryJson(const SolveReport& report) {
  Json out = Json::array();
  for (const HistoryEntry& entry : report.history) {
    Json item;
    item["iteration"] = entry.iteration;
    item["newton_steps"] = entry.newton_steps;
    item["time_ms"] = Number(1e3 * entry.time);
    item["natural_rho"] = Number(entry.natural_rho);
    item["paper"] = Number(entry.paper);
    out.push_back(std::move(item));
  }
  return out;
}

}  // namespace tactus::cli
