// What a controller by inverse dynamics did, update by update: what rigid and soft robots' logs have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/json_output.h"
#include "apps/cli/trace_plot.h"
#include "tactus/inverse/qpcc_solution.h"

namespace tactus::cli {

struct InverseTrace {
  std::int64_t updates = 0;
  // A value for each update.
  std::vector<double> time, solve_time, assembly_time, gap, dual;
  std::vector<int> open, stick, slip, statuses;

  void Append(std::int64_t number, double now, const QpccReport& solve, double assembly_cpu_time);

  /// Value(k) of update k over time.
  template <typename Value>
  PlotSeries MakeSeries(const std::string& name, const Value& value) const {
    PlotSeries out{name, {}};
    for (std::size_t k = 0; k < time.size(); ++k) out.points.emplace_back(time[k], value(k));
    return out;
  }
  /// Of a list that may end before the updates do.
  template <typename Number>
  PlotSeries MakeListSeries(const std::string& name, const std::vector<Number>& y) const {
    PlotSeries out{name, {}};
    for (std::size_t k = 0; k < time.size() && k < y.size(); ++k) {
      out.points.emplace_back(time[k], static_cast<double>(y[k]));
    }
    return out;
  }
  /// Contacts, residuals, and times of the solver and of what comes before it.
  std::vector<TracePanel> MakePanels(const char* before) const;

  /// Updates, contacts, statuses, times, the worst gap.
  Json MakeJson() const;
};

/// Root mean square and greatest of errors that are numbers, as members of a task's object.
void AddErrors(const std::vector<double>& errors, Json* task);

/// What MakeJson gave, as lines of a summary; times with so many digits.
void PrintInverseTrace(const char* what, const Json& json, int digits);

/// --torques and --plot are for scenes with one such controller. Throws InputError.
void RequireOneController(std::size_t count, const char* type, const std::string& torques, const std::string& plot);

}  // namespace tactus::cli
