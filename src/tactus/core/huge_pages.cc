#include "tactus/core/huge_pages.h"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tactus {

void AdviseHugePages(const void* data, std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kPage = 2u << 20;
  const auto first = reinterpret_cast<std::uintptr_t>(data), end = first + bytes;
  const std::uintptr_t begin = (first + kPage - 1) / kPage * kPage, last = end / kPage * kPage;
  if (data == nullptr || last <= begin) return;
  // Refused where the system is built without them: nothing is lost then.
  static_cast<void>(madvise(reinterpret_cast<void*>(begin), last - begin, MADV_HUGEPAGE));
#else
  static_cast<void>(data);
  static_cast<void>(bytes);
#endif
}

}  // namespace tactus
