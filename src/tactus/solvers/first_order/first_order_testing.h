// Small problems with known answers, shared by the tests of the first-order solvers.
#pragma once

#include <memory>
#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/solvers/contact_solver.h"

namespace tactus {

/// A point of mass 2 kg above a plane, v_free = (vx, 0, vn), gap speed 0.
ContactProblem MakePointOnPlane(double vx, double vn, double mu);
/// A box of 1 kg (0.2 m wide, 0.1 m high) with four corner contacts on a plane after a step of 10 ms of gravity, pushed
/// along x with the momentum `push`.
ContactProblem MakeBoxOnPlane(double push, double mu);
/// A stack of boxes on a plane, four contacts a pair, masses growing by `mass_ratio` upwards.
ContactProblem MakeBoxStack(int boxes, double mass_ratio, double mu);
/// `bodies` free bodies with random inertias and `contacts` random contacts among them and the world, approaching; and
/// one scalar row of every kind.
ContactProblem MakeRandomProblem(unsigned seed, int bodies, int contacts, double mu);
/// The same problem as a Delassus pair.
ContactProblem ToDelassus(const ContactProblem& problem);

/// Solves cold to `tolerance`.
SolveReport SolveCold(ContactSolver* solver, const ContactProblem& problem, ContactSolution* solution,
                      double tolerance = 1e-8, int max_iterations = 0);

/// Checks that point contacts open, stick and slip as they should: for exact solvers.
void ExpectPointContactsRight(ContactSolver* solver, double tolerance);
/// Every row kind alone against its closed form.
void ExpectScalarRowsRight(ContactSolver* solver, double tolerance);

}  // namespace tactus
