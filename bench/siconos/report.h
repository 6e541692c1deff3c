// Tables and JSON out of measurements.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/siconos/measure.h"

namespace tactus::bench {

/// All measurements on one file.
struct ProblemRow {
  std::string name;
  int contacts = 0;
  bool assembled = false;                ///< global problem: Siconos got the Delassus form assembled by us
  std::vector<Measurement> ours;         ///< the first is the one compared with Siconos
  std::vector<Measurement> siconos;      ///< one per solver, in its quickest storage
  std::vector<Measurement> all_siconos;  ///< every solver in every storage

  /// Siconos's quickest that solved the problem, by median processor time; null if none did. `dense` allows W to be
  /// stored dense too: quickest on small problems, though neither files nor simulators store it so.
  const Measurement* virtual_best(bool dense = true) const;
  /// Time of the virtual best over ours; infinite where only we solve it, 0 where only they do, NaN where nobody does.
  double cpu_ratio(bool dense = true) const;
  double wall_ratio(bool dense = true) const;
};

/// "0.12" [ms], or what went wrong: "FAIL 6e-06 (180)", ">10 s", "crash".
std::string FormatCell(const Measurement& m);

/// Columns padded so that the Markdown reads well as text too.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows);

/// The virtual best of Siconos beside ours.
std::string FormatComparison(const std::vector<ProblemRow>& rows);
/// Each of Siconos's solvers in its quickest storage, named by its first letter.
std::string FormatSiconos(const std::vector<ProblemRow>& rows);
/// On how many problems with at least `min_contacts` contacts ours is ahead, and the sums of times.
std::string FormatTotals(const std::vector<ProblemRow>& rows, int min_contacts, bool dense);
/// All our solvers.
std::string FormatOurs(const std::vector<ProblemRow>& rows);

nlohmann::ordered_json MakeJson(const std::vector<ProblemRow>& rows, const MeasureSettings& settings);

}  // namespace tactus::bench
