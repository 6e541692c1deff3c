// A square beam, clamped at one end and loaded at the other: what beam theory knows the answer to.
#pragma once

#include <array>

#include "tactus/deformable/fem/fem_body.h"

namespace tactus {

constexpr double kBeamLength = 1, kBeamSide = 0.1, kBeamYoung = 1e6;

FemBody MakeClampedBeam(double poisson, const std::array<int, 3>& cells, const FemMaterial& other = {});

/// The linear answer to a unit force spread over the free end, as a share of what Timoshenko's beam does.
double CalcDeflectionShare(double poisson, const std::array<int, 3>& cells);

}  // namespace tactus
