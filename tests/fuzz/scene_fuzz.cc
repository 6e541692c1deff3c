// Whatever the bytes, the answer is a scene with finite numbers or an InputError. No files are read: there are no
// roots.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tactus/core/error.h"
#include "tactus/scene/scene_file.h"

namespace {

void Check(bool ok) {
  if (!ok) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto scene = tactus::ParseScene({reinterpret_cast<const char*>(data), size}, "fuzz");
    Check(scene.gravity.allFinite() && scene.settings.time_step > 0 && scene.duration > 0);
    for (const tactus::SceneObject& object : scene.objects) {
      Check(!object.name.empty() && !object.shapes.empty());
      Check(object.pose.R.allFinite() && object.pose.p.allFinite() && object.density > 0);
      Check(!object.mass || *object.mass > 0);
      for (const tactus::ShapeInstance& shape : object.shapes) {
        Check(shape.shape.size.allFinite() && shape.X_LS.R.allFinite() && shape.material.friction >= 0);
      }
    }
    for (const tactus::SceneModel& model : scene.models) Check(!model.description.links.empty());
  } catch (const tactus::InputError&) {
    // The only other way out.
  }
  return 0;
}
