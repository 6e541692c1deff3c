// Helpers of the tests of deformables.
#pragma once

#include <string>

#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/deformable/deformable_stepper.h"

namespace tactus {

/// The message of the InputError that `call` throws; "" if it throws none.
template <typename Call>
std::string ErrorOf(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Numbers in [-size, size].
inline VectorX RandomVector(int count, double size, Random* random) {
  VectorX v(count);
  for (double& x : v) x = random->Uniform(-size, size);
  return v;
}

using Stepper = DeformableStepper;

}  // namespace tactus
