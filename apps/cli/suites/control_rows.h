// Rows of the suite `inverse` about control in closed loop: the scenes of rigid robots.
#pragma once

#include <vector>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {

void AddControlRows(const BenchSettings& settings, std::vector<BenchRow>* rows);

}  // namespace tactus::cli
