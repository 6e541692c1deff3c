// 64-bit FNV-1a, to tell whether two things are the same. Not for secrets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tactus {

inline constexpr std::uint64_t kHashStart = 14695981039346656037u;

inline std::uint64_t HashBytes(std::uint64_t hash, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t k = 0; k < size; ++k) hash = (hash ^ bytes[k]) * 1099511628211u;
  return hash;
}

/// Gathers values. Texts and lists go in with their sizes, so that "ab", "c" is not "a", "bc".
class Hasher {
 public:
  template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void Add(T x) {
    if constexpr (std::is_floating_point_v<T>) x += 0;  // -0 is 0
    hash_ = HashBytes(hash_, &x, sizeof x);
  }
  void Add(std::string_view text) {
    Add(text.size());
    hash_ = HashBytes(hash_, text.data(), text.size());
  }
  void Add(const char* text) { Add(std::string_view(text)); }
  void AddRange(const double* data, std::size_t size) {
    Add(size);
    for (std::size_t k = 0; k < size; ++k) Add(data[k]);
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = kHashStart;
};

}  // namespace tactus
