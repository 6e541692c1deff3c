#include "tactus/record/packed_rows.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "tactus/core/error.h"

namespace tactus {

static_assert(std::endian::native == std::endian::little, "words hold bytes with the least one first");

namespace {

constexpr std::size_t kBlockHeader = 2;                     // words: rows, bytes
constexpr int kLevel = 4;                                   // of zlib: 9 gains 1 to 2 % and takes several times as long
constexpr std::int64_t kMostRatio = 1040;                   // zlib reaches 1032
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;  // of a block, unpacked

// Bits of the number that goes on as the two before: rows before the first are zero.
std::uint32_t Expect(const std::uint32_t* bits, std::size_t i, std::size_t width) {
  if (i < width) return 0;
  if (i < 2 * width) return bits[i - width];
  return 2 * bits[i - width] - bits[i - 2 * width];
}

std::uint32_t MoveSign(std::uint32_t x) { return (x << 1U) ^ (0U - (x >> 31U)); }
std::uint32_t MoveSignBack(std::uint32_t x) { return (x >> 1U) ^ (0U - (x & 1U)); }

// Why not, or null. `bytes` is scratch memory.
const char* Unpack(std::span<const std::int64_t> block, int width, std::vector<std::uint8_t>* bytes,
                   std::vector<float>* values) {
  const std::size_t count = static_cast<std::size_t>(block[0]) * static_cast<std::size_t>(width);
  bytes->resize(4 * count);
  uLongf size = bytes->size();
  if (uncompress(bytes->data(), &size, reinterpret_cast<const Bytef*>(block.data() + kBlockHeader),
                 static_cast<uLong>(block[1])) != Z_OK ||
      size != bytes->size()) {
    return "a block cannot be unpacked";
  }
  std::vector<std::uint32_t> bits(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t x = 0;
    for (std::size_t plane = 0; plane < 4; ++plane) x |= std::uint32_t{(*bytes)[plane * count + i]} << (8 * plane);
    bits[i] = MoveSignBack(x) + Expect(bits.data(), i, static_cast<std::size_t>(width));
  }
  values->resize(count);
  std::memcpy(values->data(), bits.data(), 4 * count);
  return nullptr;
}

std::span<const std::int64_t> BlockAt(const std::vector<std::int64_t>& words, std::size_t at) {
  return std::span(words).subspan(at, kBlockHeader + static_cast<std::size_t>(words[at + 1] + 7) / 8);
}

}  // namespace

float RoundMantissa(float x, int bits) {
  int exponent = 0;
  const float mantissa = std::frexp(x, &exponent);
  if (!std::isfinite(x)) return x;
  return std::ldexp(std::round(std::ldexp(mantissa, bits)), exponent - bits);
}

void AppendBlock(std::span<const float> values, int width, std::vector<std::int64_t>* words) {
  const std::size_t count = values.size();
  std::vector<std::uint32_t> bits(count);
  std::memcpy(bits.data(), values.data(), 4 * count);
  std::vector<std::uint8_t> planes(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t x = MoveSign(bits[i] - Expect(bits.data(), i, static_cast<std::size_t>(width)));
    for (std::size_t plane = 0; plane < 4; ++plane) planes[plane * count + i] = x >> (8 * plane) & 255U;
  }
  const std::size_t start = words->size();
  uLongf size = compressBound(static_cast<uLong>(planes.size()));
  words->resize(start + kBlockHeader + (size + 7) / 8);
  const int code = compress2(reinterpret_cast<Bytef*>(words->data() + start + kBlockHeader), &size, planes.data(),
                             static_cast<uLong>(planes.size()), kLevel);
  Require(code == Z_OK, "recording", fmt::format("zlib could not compress it (code {})", code), "enough memory");
  (*words)[start] = static_cast<std::int64_t>(count) / width;
  (*words)[start + 1] = static_cast<std::int64_t>(size);
  // Equal numbers give equal files: what is behind the last byte is zero.
  auto* bytes = reinterpret_cast<std::uint8_t*>(words->data() + start + kBlockHeader);
  const std::size_t whole = (size + 7) / 8;
  std::fill(bytes + size, bytes + 8 * whole, std::uint8_t{0});
  words->resize(start + kBlockHeader + whole);
}

PackedRows MakePackedRows(std::vector<std::int64_t> words, int width, int rows, const std::string& where) {
  PackedRows out;
  out.width = width;
  out.words = std::move(words);
  out.block_row = {0};
  std::vector<float> values;
  std::vector<std::uint8_t> bytes;
  std::size_t at = 0;
  while (out.rows() < rows) {
    const std::size_t left = out.words.size() - at;
    Require(left >= kBlockHeader, where, fmt::format("holds {} steps", out.rows()), fmt::format("{}", rows));
    const std::int64_t block_rows = out.words[at], size = out.words[at + 1];
    const bool sound = block_rows > 0 && block_rows <= rows - out.rows() && size > 0 &&
                       size <= 8 * static_cast<std::int64_t>(left - kBlockHeader) &&
                       block_rows <= std::min(kMostBytes, kMostRatio * size) / (4 * width);
    Require(sound, where, fmt::format("has a block of {} steps in {} bytes", block_rows, size), "a sound recording");
    const auto block = BlockAt(out.words, at);
    const char* failure = Unpack(block, width, &bytes, &values);
    Require(failure == nullptr, where, failure != nullptr ? failure : "", "a sound recording");
    out.block_word.push_back(at);
    out.block_row.push_back(out.rows() + static_cast<int>(block_rows));
    at += block.size();
  }
  out.words.resize(at);
  return out;
}

std::span<const float> PackedRowReader::Row(int row) {
  const auto next = std::upper_bound(rows_.block_row.begin(), rows_.block_row.end(), row);
  const int block = static_cast<int>(next - rows_.block_row.begin()) - 1;
  if (block != block_) {
    const char* failure =
        Unpack(BlockAt(rows_.words, rows_.block_word[static_cast<std::size_t>(block)]), rows_.width, &bytes_, &values_);
    Require(failure == nullptr, "recording", failure != nullptr ? failure : "", "a sound recording");
    block_ = block;
  }
  const auto width = static_cast<std::size_t>(rows_.width);
  const int first = rows_.block_row[static_cast<std::size_t>(block)];
  return std::span<const float>(values_).subspan(width * static_cast<std::size_t>(row - first), width);
}

}  // namespace tactus
