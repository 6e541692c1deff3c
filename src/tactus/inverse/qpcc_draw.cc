#include "tactus/inverse/qpcc_draw.h"

#include <algorithm>
#include <cmath>

namespace tactus {

void DrawActuation(const QpccScaled& p, const VectorX& answer, Random* random, VectorX* x_hat) {
  const double size = p.na == 0 ? 0 : 1 + answer.cwiseAbs().maxCoeff();
  for (int i = 0; i < p.na; ++i) {
    const double x = answer[i] / p.E[i], reach = size / p.E[i];
    const double lower = std::isfinite(p.lower[i]) ? p.lower[i] : std::min(p.upper[i], x) - reach;
    const double upper = std::isfinite(p.upper[i]) ? p.upper[i] : std::max(p.lower[i], x) + reach;
    const double between = random->Uniform(lower, upper);
    const int side = random->Index(4);
    (*x_hat)[i] = side == 0 ? lower : side == 1 ? upper : between;
  }
}

}  // namespace tactus
