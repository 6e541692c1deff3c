// What the kernels of all multifrontal factorizations share.
#pragma once

namespace tactus {

/// One run of a child front's columns in its parent's: child columns [from, from + length) add to [to, to + length).
struct FrontRun {
  int from, to, length;
};

}  // namespace tactus
