#include "tactus/core/simd.h"
#include "tactus/dynamics/free_body_kernels_api.h"

namespace tactus {

namespace baseline {
extern const FreeBodyKernels kFreeBodyKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const FreeBodyKernels kFreeBodyKernels;
}
#endif

const FreeBodyKernels& GetFreeBodyKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kFreeBodyKernels;
#endif
  return baseline::kFreeBodyKernels;
}

}  // namespace tactus
