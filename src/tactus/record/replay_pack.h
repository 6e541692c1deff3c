// Arrays as text within a page. For record/ only.
//
// An array is cut into planes of bytes (all first bytes, then all second bytes, ...), as HDF5's shuffle filter does:
// numbers that hardly differ leave planes that hardly need room once compressed. Integers may be kept as differences
// from the row before, modulo 2^32 or 2^16; or, where rows go on smoothly, as differences from what the two rows before
// let one expect, with the sign in the last bit, so that small ones of either sign have zeros in all but one plane.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tactus {

class ReplayPack {
 public:
  struct Entry {
    std::string name;
    const char* type = "";  ///< u8, i16, i32, f32 or f64
    int width = 1;
    std::size_t count = 0;
    bool differences = false;
    bool smooth = false;
    std::size_t offset = 0;  ///< where its bytes begin
  };

  // `width` entries are a row. `differences`: each row but the first is kept as its difference from the one before.
  void Add(const std::string& name, std::span<const std::int32_t> values, int width, bool differences);
  void Add(const std::string& name, std::span<const std::int16_t> values, int width, bool differences);
  void Add(const std::string& name, std::span<const std::uint8_t> values, int width);
  void Add(const std::string& name, std::span<const float> values, int width);
  void Add(const std::string& name, std::span<const double> values, int width);

  void AddSmooth(const std::string& name, std::span<const std::int32_t> values, int width);

  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  /// All bytes as base64; `compress`: packed by zlib before.
  std::string MakeText(bool compress) const;

 private:
  void AddPlanes(const std::string& name, const char* type, const void* data, std::size_t size, std::size_t count,
                 int width, bool differences);

  std::vector<Entry> entries_;
  std::vector<std::uint8_t> bytes_;
};

std::string EncodeBase64(std::span<const std::uint8_t> bytes);

}  // namespace tactus
