// What a contact does. Needs nothing else, so that kernels may include it.
#pragma once

#include <cstdint>

namespace tactus {

/// Branch of a contact operator: what the contact does.
enum class ContactMode : std::uint8_t { Open = 0, Stick = 1, Slip = 2 };

}  // namespace tactus
