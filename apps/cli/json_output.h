// JSON that every reader takes: no NaN, no infinities, valid UTF-8.
#pragma once

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "tactus/solvers/contact_solver.h"

namespace tactus::cli {

/// Members stay in the order they were written in.
using Json = nlohmann::ordered_json;

/// A number, or null where it is not finite.
inline Json Number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

inline std::string Dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

/// [{iteration, newton_steps, time_ms, natural_rho, paper}, ...]
Json MakeHistoryJson(const SolveReport& report);

}  // namespace tactus::cli
