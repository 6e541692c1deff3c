#include "apps/cli/physics_suite.h"

#include <algorithm>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "apps/cli/physics/physics_run.h"
#include "apps/cli/terminal.h"
#include "tactus/core/error.h"

namespace tactus::cli {

namespace {

std::vector<PhysicsEntry> Entries() {
  std::vector<PhysicsEntry> all;
  for (const auto* part : {&FrictionEntries(), &ImpactEntries(), &MotionEntries(), &StructureEntries()}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

}  // namespace

std::vector<std::string> PhysicsScenes() {
  std::vector<std::string> names;
  for (const PhysicsEntry& entry : Entries()) names.emplace_back(entry.scene);
  return names;
}

std::vector<PhysicsRow> MeasurePhysics(const std::string& solver, const std::string& only) {
  std::vector<PhysicsRow> rows;
  const std::vector<PhysicsEntry> entries = Entries();
  Progress progress(static_cast<int>(entries.size()));
  int done = 0;
  for (const PhysicsEntry& entry : entries) {
    progress.Show(++done, entry.scene);
    if (!only.empty() && only != entry.scene) continue;
    PhysicsTable table(entry.scene, solver);
    entry.measure(&table);
    rows.insert(rows.end(), table.rows().begin(), table.rows().end());
  }
  Require(!rows.empty(), "physics suite", "there is no scene '" + only + "'", "one of scenes/physics");
  return rows;
}

int RunPhysicsSuite(const std::string& solver, bool json) {
  const std::vector<PhysicsRow> rows = MeasurePhysics(solver);
  bool all = true;
  Json list = Json::array();
  if (!json) {
    fmt::print("{:<18} {:<44} {:>16} {:>16} {:>10}\n", "scene", "what", "measured", "exact", "within");
  }
  std::string last;
  for (const PhysicsRow& row : rows) {
    all = all && row.pass;
    list.push_back({{"scene", row.scene},
                    {"what", row.what},
                    {"measured", Number(row.measured)},
                    {"exact", Number(row.exact)},
                    {"tolerance", Number(row.tolerance)},
                    {"pass", row.pass}});
    if (json) continue;
    fmt::print("{:<18} {:<44} {:>16.9g} {:>16.9g} {:>10.1e} {}\n", row.scene == last ? "" : row.scene, row.what,
               row.measured, row.exact, row.tolerance, row.pass ? "pass" : "FAIL");
    last = row.scene;
  }
  if (json) {
    fmt::print("{}\n", Dump({{"suite", "physics"}, {"solver", solver}, {"pass", all}, {"rows", list}}));
  } else {
    fmt::print("\n{} with {}\n", all ? "every value is within its tolerance" : "SOME VALUES ARE NOT", solver);
  }
  return all ? kAllSolved : kNotSolved;
}

}  // namespace tactus::cli
