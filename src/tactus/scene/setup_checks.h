// What is said or refused before the first step. For scene/ only.
#pragma once

#include <string>
#include <vector>

#include "tactus/simulation/simulator.h"

namespace tactus {

/// Excludes shapes of one model that overlap (Simulator::ExcludeInitialOverlaps), and says what is set up in a way that
/// was hardly meant: overlaps, and joints beyond their limits. Better once here than in every step.
std::vector<std::string> NoteSetup(Simulator* simulator);

/// What is to be said of a weld whose bodies do not start where it wants them, `wanted` and `found` being poses of the
/// second in the first; empty if nothing is.
std::string NoteOpenWeld(const std::string& name, const Pose& wanted, const Pose& found);

/// Throws InputError for masses so small or large that numbers lose their meaning: steps would be "solved" to a
/// tolerance that says nothing.
void CheckMasses(const Model& model);

}  // namespace tactus
