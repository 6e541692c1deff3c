// The problem that virtual nodes stand for, written out: what COND aims at where ties are plain.
#pragma once

#include "tactus/contact/contact_problem.h"
#include "tactus/solvers/cond/cond_settings.h"

namespace tactus {

/// Dofs of `problem`, then those of its copies z, each tied to its body by the damping k of `settings`:
///     [A + sum k J^T J   -k J^T]        [b]
///     [     -k J           k   ]        [0]
/// Constraints act on nodes and copies only. Plain virtual nodes (paper 001, section IV) give this problem's answer, so
/// that any solver can be compared with COND on it. For small problems: A is one matrix.
ContactProblem MakeNodalized(const ContactProblem& problem, const CondSettings& settings);

}  // namespace tactus
