// What a scene file says in general is made particular: parameters get their values, expressions become numbers, and
// repeated elements of lists are written out. Afterwards the tables of keys read the file as if a person had written
// all of it. For scene/ only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

/// Where a value given from outside goes: "friction" is the parameter of that name if the file has one, other paths
/// stay. Throws InputError with `source` if a name without dots is neither a parameter nor a key of scenes.
std::string ResolveSetPath(std::string_view path, const std::string& source, const YamlDocument& document);

/// Replaces all $(expressions) and `repeat`s. `context` has the settings and the scene with its seed; what random()
/// gave joins the scene's draws. Returns the parameters on which nothing in the file depends.
std::vector<std::string> ExpandScene(Context* context, YamlDocument* document);

/// A number, or a map with its range and meaning.
Codec<SceneParameter> ParameterCodec();
const Keys<SceneParameter>& ParameterKeys();

}  // namespace tactus::scene
