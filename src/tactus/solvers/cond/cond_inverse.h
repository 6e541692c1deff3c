// The invertible contact of paper 001: with a compliance omega in the law, (J v + e + omega lambda, lambda) obeys it,
// and velocities alone tell the impulses. Forward: CondSolver with CondSettings::omega.
#pragma once

#include "tactus/contact/contact_problem.h"
#include "tactus/solvers/cond/cond_settings.h"

namespace tactus {

/// Impulses of contacts and rows from velocities: lambda = SOL(J v, omega). Of rigid rows too the compliance is omega;
/// soft rows need none. Throws InputError unless omega > 0 and the sizes fit.
void CondInverseImpulses(const ContactProblem& problem, const CondSettings& settings, const ConstVectorRef& v,
                         VectorX* lambda);

/// What has to be added to b for A v = b + J^T lambda to hold with these impulses: the actuation that makes v happen
/// [N s].
void CondInverseDynamics(const ContactProblem& problem, const CondSettings& settings, const ConstVectorRef& v,
                         VectorX* lambda, VectorX* actuation);

}  // namespace tactus
