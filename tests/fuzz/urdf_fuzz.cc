// Whatever the bytes, the answer is a description with sound indices and finite numbers, or an InputError. No files are
// read: there are no roots.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tactus/core/error.h"
#include "tactus/io/urdf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tactus::UrdfSettings settings;
  settings.missing_meshes = tactus::MissingMeshes::Warn;
  settings.base = size % 2 == 0 ? tactus::BaseType::Fixed : tactus::BaseType::Floating;
  try {
    const auto model = tactus::ParseUrdf({reinterpret_cast<const char*>(data), size}, "fuzz", settings);
    if (model.links.empty()) std::abort();
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      const tactus::LinkDescription& link = model.links[i];
      const bool root = i == 0;
      if (link.parent >= static_cast<int>(i) || (link.parent < 0) != root) std::abort();
      if (!link.X_PL.R.allFinite() || !link.X_PL.p.allFinite()) std::abort();
      if (link.inertia && !link.inertia->central.allFinite()) std::abort();
      for (const tactus::JointDescription& joint : link.joints) {
        if (!(joint.lower <= joint.upper) || !(joint.axis.norm() > 0.9)) std::abort();
      }
    }
  } catch (const tactus::InputError&) {
    // The only other way out.
  }
  return 0;
}
