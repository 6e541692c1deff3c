// Large pages for large arrays: what is read from end to end many times, beyond some megabytes, otherwise waits for the
// translation of addresses.
#pragma once

#include <cstddef>

namespace tactus {

/// Asks the system for large pages where `bytes` at `data` cover whole ones, before they are first written. Only speed
/// depends on it; systems that have none, or give them unasked, ignore it.
void AdviseHugePages(const void* data, std::size_t bytes);

}  // namespace tactus
