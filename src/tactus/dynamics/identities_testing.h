// Identities between the algorithms of dynamics that hold for every mechanism, as expectations for tests.
#pragma once

#include "tactus/model/model.h"

namespace tactus {

VectorX RandomVector(int n, Random* random);

/// A model with random positions (inside limits), velocities and accelerations.
struct DynamicsCase {
  Model model;
  VectorX q, v, a;
};
DynamicsCase MakeDynamicsCase(const ModelDescription& description, std::uint64_t seed);

/// ABA(RNEA(a)) = a and RNEA(ABA(tau)) = tau, with forces on all bodies.
void ExpectForwardUndoesInverse(const DynamicsCase& c);
/// Columns of M by composite bodies are differences of inverse dynamics; M is symmetric and positive definite.
void ExpectMassMatrixIsOfInverseDynamics(const DynamicsCase& c);
/// M = L^T L; products and solutions.
void ExpectFactorAndProducts(const DynamicsCase& c);
/// J v is how links move, by differences; J^T f is what forces do. On three random links.
void ExpectJacobiansAreDerivatives(const DynamicsCase& c);
/// By differences: the rate of kinetic and potential energy is the power of the forces.
void ExpectEnergyRateIsPower(const DynamicsCase& c);
/// For a floating base without armature: nothing but gravity changes the momentum.
void ExpectMomentumInFreeFlight(const DynamicsCase& c);

}  // namespace tactus
