// Deformables of a scene, made and put into a simulator. For scene/ only.
#pragma once

#include <functional>
#include <string>

#include "tactus/scene/scene_description.h"
#include "tactus/simulation/simulator.h"

namespace tactus {

/// A motion that begins at `start`, if it does not say where itself.
std::shared_ptr<const PrescribedMotion> MakeMotion(const SceneMotion& motion, const Pose& start);

/// Numbers of the items, ascending. Throws InputError if there are none.
std::vector<int> FindItems(const SceneDeformable& deformable, const SceneItems& items, const std::string& where);

/// `find_body`: the link of a name, -1 for the world. Throws InputError where something does not fit.
void AddDeformable(const SceneDeformable& deformable, const std::function<int(const std::string&)>& find_body,
                   Simulator* simulator);

/// Whether contacts between the two are the matter of AddDeformablePairs.
bool NamesDeformable(const SceneDescription& scene, const std::string& first, const std::string& second);
/// Excluded pairs and pairs with a friction of their own that name deformables, all of which are there.
void AddDeformablePairs(const SceneDescription& scene, Simulator* simulator);

}  // namespace tactus
