// Rows of the suite `inverse` about control in closed loop: the scenes of rigid robots.
#pragma once

#include <vector>

#include "apps/cli/bench_suite.h"

namespace tactus::cli {

void AddControlRows(bool quick, std::vector<BenchTrace>* traces, std::vector<BenchRow>* rows);

}  // namespace tactus::cli
