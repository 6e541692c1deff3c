// A Delassus pair (W, q) as a problem with dynamics, for solvers that work in the space of velocities.
#pragma once

#include "tactus/contact/contact_problem.h"

namespace tactus {

/// Rows up to which MakePrimal is offered: it factorizes W densely, O(m k^2) for rank k.
inline constexpr int kLargestPrimalSize = 6000;

/// The same laws on sigma = W lambda + q, written as A = I_k, J = L, W = L L^T (pivoted Cholesky, rank k), b = L^+ q
/// and e = q - L b: equal sigma for every lambda up to rounding where W is positive semidefinite. Of a slightly
/// indefinite W the non-positive pivots are truncated. Impulses keep their layout. Throws InputError for a problem that
/// has dynamics, or with more than kLargestPrimalSize rows.
ContactProblem MakePrimal(const ContactProblem& delassus);

}  // namespace tactus
