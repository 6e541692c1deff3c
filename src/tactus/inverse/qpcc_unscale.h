// Between scaled units and those of the problem.
#pragma once

#include "tactus/inverse/qpcc_sweeps.h"

namespace tactus {

/// The hats and multipliers of an iterate as a solution.
void UnscaleIterate(const QpccScaled& scaled, const QpccIterate& it, QpccSolution* out);
/// Back; the actuation is moved into its bounds.
void ScaleSolution(const QpccScaled& scaled, const QpccSolution& in, QpccIterate* it);

}  // namespace tactus
