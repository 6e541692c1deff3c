#include "tactus/core/simd.h"
#include "tactus/deformable/fem/fem_kernels_api.h"

namespace tactus {

namespace baseline {
extern const FemKernels kFemKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const FemKernels kFemKernels;
}
#endif

const FemKernels& GetFemKernels() {
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) return v3::kFemKernels;
#endif
  return baseline::kFemKernels;
}

}  // namespace tactus
