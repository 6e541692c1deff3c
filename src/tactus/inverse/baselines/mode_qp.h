// An inverse problem with some modes fixed, as a convex quadratic program; in scaled units.
//
// Unknowns v = (x_a, w): impulses are sums of rays of the friction cone with lengths w >= 0, so that the cone is always
// obeyed. Exact for contacts without friction and for planar ones, whose cone has two rays. A contact whose mode is not
// fixed keeps its cone and sigma_n >= 0, and loses complementarity: a relaxation, whose value is a lower bound.
#pragma once

#include <vector>

#include "tactus/inverse/convex_qp.h"
#include "tactus/inverse/qpcc_sweeps.h"

namespace tactus {

enum class ModeChoice : unsigned char { Any, Open, Stick, SlidePlus, SlideMinus };

struct ModeQp {
  ConvexQp qp;
  MatrixX impulses;  ///< m x rays: x_c = impulses * w
  MatrixX task;      ///< [A, B impulses]
  MatrixX contact;   ///< [C, D impulses]
};

/// `kind` Lcp or Planar only.
void BuildModeQp(const QpccScaled& problem, const std::vector<ModeChoice>& choices, ModeQp* out);
/// x_hat, s_hat and modes of a solution v; modes that were not fixed are read off the numbers.
void ReadModeQp(const QpccScaled& problem, const std::vector<ModeChoice>& choices, const ModeQp& mode_qp,
                const VectorX& v, QpccIterate* it);
/// 1/2 |b|^2: what the value of a mode_qp lacks of the loss.
double ModeQpConstant(const QpccScaled& problem);

}  // namespace tactus
