#include "tactus/solvers/auto/cond_estimate.h"

#include <algorithm>
#include <cmath>

#include "tactus/solvers/cond/cond_system.h"

namespace tactus {

namespace {

// Fitted to problems of soft mats, balls, grippers, beams and cables: 20 to 300 contacts, 500 to 13,000 dofs. Within a
// factor of two on these.
constexpr double kIterationsOfMeshes = 30;  // to 1e-6, times the mean of sqrt(a_ii / m_i)
constexpr double kIterationsOfRods = 150;
constexpr double kCyclesOfDof = 30;                         // of an iteration
constexpr double kCyclesOfFactor = 1e4;                     // a dof
constexpr double kCyclesOfSolves = 600;                     // a dof and contact; rods: half
constexpr double kCyclesOfRod = 1000, kCyclesOfPair = 1.4;  // a dof; a dof and pair of contacts
constexpr double kCyclesOfContacts = 36;                    // times the cube of their number

}  // namespace

CondEstimate EstimateCond(const ContactProblem& problem, double tolerance) {
  const MassMatrix& mass = problem.mass();
  VectorX inertia;
  mass.CalcInertia(&inertia);
  double roots = 0, meshes = 0, rods = 0;
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    const Subsystem& s = mass.subsystem(j);
    if (s.kind != SubsystemKind::Sparse) continue;
    const SparseMatrix& A = mass.sparse_block(j);
    if (IsCondChain(A)) {
      rods += s.size;
      continue;
    }
    meshes += s.size;
    for (int k = 0; k < s.size; ++k) roots += std::sqrt(A.coeff(k, k) / inertia[s.dof + k]);
  }
  const double digits = std::clamp(-std::log10(tolerance), 1.0, 16.0), contacts = problem.num_contacts();
  CondEstimate out;
  out.iterations = digits / 6 *
                   std::max(meshes > 0 ? kIterationsOfMeshes * roots / meshes : 0,  //
                            rods > 0 ? kIterationsOfRods : 0);
  out.cond = out.iterations * kCyclesOfDof * (meshes + rods);
  out.hybrid = (kCyclesOfRod + kCyclesOfPair * contacts * contacts) * rods;
  if (meshes > 0) {
    out.hybrid += kCyclesOfFactor * meshes + kCyclesOfSolves * contacts * meshes +
                  kCyclesOfContacts * contacts * contacts * contacts;
  }
  return out;
}

}  // namespace tactus
