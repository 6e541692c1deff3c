// The judge of answers to inverse problems, outside all methods.
#pragma once

#include "tactus/inverse/qpcc_problem.h"
#include "tactus/inverse/qpcc_scaling.h"
#include "tactus/inverse/qpcc_solution.h"

namespace tactus {

/// One contact: how far (y_c, y_s) is from the regular normal cone of the law's set at (l, s), strong stationarity.
/// Conditions of docs/inverse.md (those listed in paper 004, section III-G, fail at true solutions). Impulses below
/// `zero_l` and velocities below `zero_s` count as 0.
double CalcNormalConeDistance(QpccKind kind, double mu, const double* l, const double* s, const double* y_c,
                              const double* y_s, double zero_l, double zero_s);
/// How far (l, s) is from obeying the law: the largest of what is below 0, outside the cone, not complementary or not
/// opposed to sliding. Impulses and velocities count relative to their scales; of two numbers of which one should be 0
/// the smaller counts.
double CalcLawViolation(QpccKind kind, double mu, const double* l, const double* s, double impulse_scale,
                        double velocity_scale);

/// Memory of JudgeQpcc.
struct QpccJudgeMemory {
  VectorX residual, gradient, sigma, part;
};

/// Fills loss, dynamics_gap, primal, dual, complementarity, multiplier_violation and the counts of modes.
void JudgeQpcc(const QpccProblem& problem, const QpccScaled& scaled, const QpccSolution& solution,
               QpccJudgeMemory* memory, QpccReport* report);

}  // namespace tactus
