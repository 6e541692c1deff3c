// Whatever the bytes, the answer is a description with sound indices and finite numbers that compiles to a model, or an
// InputError. No files are read: there are no roots.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tactus/core/error.h"
#include "tactus/io/mjcf.h"
#include "tactus/model/model.h"

namespace {

void Check(bool ok) {
  if (!ok) std::abort();
}

void CheckShape(const tactus::ShapeInstance& shape) {
  Check(shape.X_LS.R.allFinite() && shape.X_LS.p.allFinite() && shape.shape.size.allFinite());
  Check(shape.material.friction >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tactus::MjcfSettings settings;
  settings.missing_meshes = tactus::MissingMeshes::Warn;
  settings.xml.max_elements = 3000;  // replicas within replicas are slow before they are refused
  try {
    const auto model = tactus::ParseMjcf({reinterpret_cast<const char*>(data), size}, "fuzz", settings);
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      const tactus::LinkDescription& link = model.links[i];
      Check(link.parent < static_cast<int>(i) && !link.name.empty());
      Check(link.X_PL.R.allFinite() && link.X_PL.p.allFinite());
      Check(!link.inertia || (link.inertia->mass >= 0 && link.inertia->central.allFinite()));
      for (const tactus::JointDescription& joint : link.joints) {
        Check(joint.lower <= joint.upper && joint.axis.norm() > 0.9);
      }
      for (const tactus::ShapeInstance& shape : link.shapes) CheckShape(shape);
    }
    for (const tactus::ShapeInstance& shape : model.world_shapes) CheckShape(shape);
    const tactus::Model compiled(model);
    const tactus::VectorX q = compiled.MakeInitial();
    Check(q.allFinite());
    for (const tactus::KeyframeDescription& key : model.keyframes) {
      Check(static_cast<int>(key.q.size()) == compiled.nq() && static_cast<int>(key.v.size()) == compiled.nv());
      Check(key.control.size() == model.actuators.size());
    }
    for (const tactus::ActuatorDescription& actuator : model.actuators) {
      Check(actuator.control_lower <= actuator.control_upper && !std::isnan(actuator.bias[2]));
    }
  } catch (const tactus::InputError&) {
    // The only other way out.
  }
  return 0;
}
