// For tests of scenes.
#pragma once

#include <string>

#include "tactus/core/error.h"
#include "tactus/scene/compile_scene.h"
#include "tactus/scene/scene_file.h"

namespace tactus {

/// What a scene is refused with; empty: it is not.
inline std::string Refusal(const std::string& text) {
  try {
    MakeSimulation(ParseScene(text, "s.yaml"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace tactus
