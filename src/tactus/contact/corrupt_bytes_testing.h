// Seeded damage to files, for the tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace tactus {

/// Flips, overwrites or cuts a few bytes.
inline void CorruptBytes(std::mt19937* random, std::vector<char>* bytes) {
  const auto pick = [random](std::size_t count) { return static_cast<std::size_t>((*random)()) % count; };
  const auto any_byte = [random] { return static_cast<char>((*random)() & 0xff); };
  // A cut file is refused at once, so few are.
  if (pick(12) == 0) bytes->resize(pick(bytes->size()));
  const int changes = 1 + static_cast<int>(pick(8));
  for (int k = 0; k < changes && bytes->size() > 16; ++k) {
    // Half of the changes hit what the HDF5 library itself reads: superblock, object headers, heaps.
    const std::size_t region = pick(2) == 0 ? std::min<std::size_t>(bytes->size(), 4096) : bytes->size();
    const std::size_t at = pick(region);
    switch (pick(7)) {
      case 0:
      case 1:
      case 2: (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << pick(8))); break;
      case 3:
      case 4: (*bytes)[at] = any_byte(); break;
      case 5:
        for (std::size_t n = 0; n < 8 && at + n < bytes->size(); ++n) (*bytes)[at + n] = static_cast<char>(0xff);
        break;
      case 6:
        for (std::size_t n = 0; n < 32 && at + n < bytes->size(); ++n) (*bytes)[at + n] = any_byte();
        break;
    }
  }
}

}  // namespace tactus
