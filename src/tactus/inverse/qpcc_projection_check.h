// A check of the projections, for tests and benchmarks: random arguments, and the cost of the best point on a dense
// grid over the law's set.
#pragma once

#include <cstdint>

#include "tactus/core/random.h"
#include "tactus/inverse/qpcc_projection.h"

namespace tactus {

struct ProjectionDraw {
  QpccKind kind = QpccKind::Ncp;
  double mu = 0.5;
  ProjectionWeights weights;
  double l[3] = {0, 0, 0}, s[3] = {0, 0, 0};
};

ProjectionDraw MakeProjectionDraw(QpccKind kind, Random* random);
void Project(const ProjectionDraw& draw, SlideProjection slide, double* l, double* s);
/// Largest of (cost of the projection - cost of the best point of a grid over all branches), relative to the cost of
/// (0, 0).
double CalcWorstExcess(QpccKind kind, SlideProjection slide, int draws, std::uint64_t seed);

}  // namespace tactus
