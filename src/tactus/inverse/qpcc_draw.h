// Actuations drawn at random, to go down from what contacts answer to them.
#pragma once

#include "tactus/core/random.h"
#include "tactus/inverse/qpcc_scaling.h"

namespace tactus {

/// Every actuator at a bound or anywhere between; where it has none, around `answer` (in the problem's units) as far as
/// that is large. Fills the head of x_hat (scaled units).
void DrawActuation(const QpccScaled& scaled, const VectorX& answer, Random* random, VectorX* x_hat);

}  // namespace tactus
