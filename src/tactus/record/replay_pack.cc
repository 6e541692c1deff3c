#include "tactus/record/replay_pack.h"

#include <zlib.h>

#include <bit>

#include "tactus/core/error.h"

namespace tactus {

static_assert(std::endian::native == std::endian::little, "pages hold numbers with the least byte first");

namespace {

// Unsigned, so that they wrap around.
template <typename Signed, typename Unsigned>
std::vector<Unsigned> TakeDifferences(std::span<const Signed> values, int width) {
  std::vector<Unsigned> out(values.size());
  const auto w = static_cast<std::size_t>(width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto before = i < w ? Unsigned{0} : static_cast<Unsigned>(values[i - w]);
    out[i] = static_cast<Unsigned>(static_cast<Unsigned>(values[i]) - before);
  }
  return out;
}

std::vector<std::uint8_t> Compress(std::span<const std::uint8_t> bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<std::uint8_t> out(size);
  const int code = compress2(out.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()), 7);
  Require(code == Z_OK, "replay", "zlib could not compress it (code " + std::to_string(code) + ")", "enough memory");
  out.resize(size);
  return out;
}

}  // namespace

void ReplayPack::AddPlanes(const std::string& name, const char* type, const void* data, std::size_t size,
                           std::size_t count, int width, bool differences) {
  entries_.push_back({name, type, width, count, differences, false, bytes_.size()});
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  bytes_.reserve(bytes_.size() + size * count);
  for (std::size_t plane = 0; plane < size; ++plane) {
    for (std::size_t i = 0; i < count; ++i) bytes_.push_back(bytes[i * size + plane]);
  }
}

void ReplayPack::Add(const std::string& name, std::span<const std::int32_t> values, int width, bool differences) {
  if (!differences) return AddPlanes(name, "i32", values.data(), 4, values.size(), width, false);
  const auto kept = TakeDifferences<std::int32_t, std::uint32_t>(values, width);
  AddPlanes(name, "i32", kept.data(), 4, kept.size(), width, true);
}

void ReplayPack::Add(const std::string& name, std::span<const std::int16_t> values, int width, bool differences) {
  if (!differences) return AddPlanes(name, "i16", values.data(), 2, values.size(), width, false);
  const auto kept = TakeDifferences<std::int16_t, std::uint16_t>(values, width);
  AddPlanes(name, "i16", kept.data(), 2, kept.size(), width, true);
}

void ReplayPack::Add(const std::string& name, std::span<const std::uint8_t> values, int width) {
  AddPlanes(name, "u8", values.data(), 1, values.size(), width, false);
}

void ReplayPack::Add(const std::string& name, std::span<const float> values, int width) {
  AddPlanes(name, "f32", values.data(), 4, values.size(), width, false);
}

void ReplayPack::Add(const std::string& name, std::span<const double> values, int width) {
  AddPlanes(name, "f64", values.data(), 8, values.size(), width, false);
}

void ReplayPack::AddSmooth(const std::string& name, std::span<const std::int32_t> values, int width) {
  const auto first = TakeDifferences<std::int32_t, std::uint32_t>(values, width);
  std::vector<std::uint32_t> kept(values.size());
  const auto w = static_cast<std::size_t>(width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t x = first[i] - (i < 2 * w ? 0U : first[i - w]);
    kept[i] = (x << 1U) ^ (0U - (x >> 31U));
  }
  AddPlanes(name, "i32", kept.data(), 4, kept.size(), width, false);
  entries_.back().smooth = true;
}

std::string ReplayPack::MakeText(bool compress) const { return EncodeBase64(compress ? Compress(bytes_) : bytes_); }

std::string EncodeBase64(std::span<const std::uint8_t> bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t rest = bytes.size() - i;
    const std::uint32_t word = static_cast<std::uint32_t>(bytes[i]) << 16U |
                               (rest > 1 ? static_cast<std::uint32_t>(bytes[i + 1]) << 8U : 0U) |
                               (rest > 2 ? static_cast<std::uint32_t>(bytes[i + 2]) : 0U);
    out += kDigits[word >> 18U];
    out += kDigits[word >> 12U & 63U];
    out += rest > 1 ? kDigits[word >> 6U & 63U] : '=';
    out += rest > 2 ? kDigits[word & 63U] : '=';
  }
  return out;
}

}  // namespace tactus
