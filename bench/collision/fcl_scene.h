// Broad and narrow phase of a whole scene as FCL does it.
#pragma once

#include <memory>
#include <vector>

#include "tactus/geometry/shape.h"
#include "tactus/math/spatial.h"

namespace tactus {

class FclScene {
 public:
  FclScene();
  ~FclScene();

  /// Objects of one body do not collide, nor do two of bodies < 0, which are fixed. Only spheres, boxes and
  /// half-spaces: false for others.
  bool Add(const Shape& shape, const Pose& X_WS, int body);
  /// Before the first search.
  void Finish();

  struct Counts {
    long long pairs = 0, contacts = 0;
  };
  /// Moves what is not fixed, then finds all contacts (at most 8 a pair).
  Counts Find(const std::vector<Pose>& poses);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace tactus
