// Problems with deformables for the tests of COND.
#pragma once

#include "tactus/contact/contact_problem.h"
#include "tactus/generate/mat.h"
#include "tactus/generate/rod.h"

namespace tactus {

ContactProblem MakeTestMat(const MatSettings& settings);
/// The same with other friction.
ContactProblem MakeTestMat(const MatSettings& settings, const Friction& friction);
ContactProblem MakeTestRod(const RodProblemSettings& settings);

/// A rod whose one end lies across the other and on the ground, held at the first segment by six rows and tied to a
/// rigid body at the last: contacts of a rod with itself, and rows on it.
ContactProblem MakeCrossedRod(int segments);

/// A light plate between two mats that close on it.
ContactProblem MakeSqueezedPlate();

/// A rod that lies on a mat.
ContactProblem MakeRodOnMat();

/// A rigid box that slides on four corners.
ContactProblem MakeSlidingBox();

/// Two mats and a rigid body on the ground, tied to each other by rows of every kind.
ContactProblem MakeTiedMats();

/// A mat on another, which is on the ground: nodes of the upper one against points between nodes of the lower one.
/// Young's moduli in Pa.
ContactProblem MakeStackedMats(double lower, double upper);

}  // namespace tactus
