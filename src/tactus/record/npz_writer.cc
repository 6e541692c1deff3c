#include "tactus/record/npz_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "tactus/core/error.h"

namespace tactus {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they are in memory");

void Put(std::uint64_t value, int bytes, std::string* out) {
  for (int k = 0; k < bytes; ++k) out->push_back(static_cast<char>((value >> (8 * k)) & 0xff));
}

// What the entry of a file says both before its bytes and in the directory at the end, from the version on.
std::string MakeCommonHeader(std::uint32_t crc, std::uint32_t size, const std::string& name) {
  std::string out;
  Put(20, 2, &out);       // version to extract
  Put(1 << 11, 2, &out);  // names are UTF-8
  Put(0, 2, &out);        // stored
  Put(0, 2, &out);        // time
  Put(0x21, 2, &out);     // date: 1980-01-01, so that equal arrays give equal files
  Put(crc, 4, &out);
  Put(size, 4, &out);
  Put(size, 4, &out);
  Put(name.size(), 2, &out);
  Put(0, 2, &out);  // extra
  return out;
}

// The header of a .npy file, version 1.0; the array after it begins at a multiple of 64.
std::string MakeArrayHeader(const std::string& type, const std::vector<std::int64_t>& shape) {
  std::string extents;
  for (const std::int64_t extent : shape) extents += fmt::format("{}, ", extent);
  if (shape.size() > 1) extents.resize(extents.size() - 2);
  if (shape.size() == 1) extents.resize(extents.size() - 1);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, extents);
  text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  Put(text.size(), 2, &out);
  return out + text;
}

}  // namespace

std::uint32_t CalcCrc32(const void* data, std::size_t size, std::uint32_t crc) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
      t[i] = c;
    }
    return t;
  }();
  const auto* bytes = static_cast<const unsigned char*>(data);
  crc = ~crc;
  for (std::size_t i = 0; i < size; ++i) crc = table[(crc ^ bytes[i]) & 0xff] ^ (crc >> 8);
  return ~crc;
}

NpzWriter::NpzWriter(std::string path) : path_(std::move(path)), out_(path_) {}

void NpzWriter::Begin(const std::string& name, const std::string& array_header, std::uint32_t crc, std::uint64_t size) {
  const std::uint64_t total = array_header.size() + size;
  constexpr std::uint64_t kLimit = (std::uint64_t{1} << 32) - (1 << 20);
  Require(offset_ + total <= kLimit && entries_.size() <= 60000, path_, "would be larger than 4 GB",
          "a recording with fewer steps, contacts or vertices");
  const Entry entry{name + ".npy", crc, static_cast<std::uint32_t>(total), static_cast<std::uint32_t>(offset_)};
  std::string header("PK\x03\x04", 4);
  header += MakeCommonHeader(entry.crc, entry.size, entry.name) + entry.name + array_header;
  out_.Write(header);
  offset_ += header.size() + size;
  entries_.push_back(entry);
}

void NpzWriter::Add(const std::string& name, const std::string& type, const std::vector<std::int64_t>& shape,
                    const void* data, std::size_t size) {
  const std::string array = MakeArrayHeader(type, shape);
  Begin(name, array, CalcCrc32(data, size, CalcCrc32(array.data(), array.size())), size);
  if (size > 0) out_.Write({static_cast<const char*>(data), size});
}

void NpzWriter::Singles(const std::string& name, const std::vector<std::int64_t>& shape, int parts,
                        const std::function<std::span<const float>(int)>& part) {
  const std::string array = MakeArrayHeader("<f4", shape);
  // The check sum stands before the numbers.
  std::uint32_t crc = CalcCrc32(array.data(), array.size());
  std::uint64_t size = 0;
  for (int i = 0; i < parts; ++i) {
    const std::span<const float> values = part(i);
    crc = CalcCrc32(values.data(), values.size_bytes(), crc);
    size += values.size_bytes();
  }
  Begin(name, array, crc, size);
  for (int i = 0; i < parts; ++i) {
    const std::span<const float> values = part(i);
    if (!values.empty()) out_.Write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
}

void NpzWriter::Reals(const std::string& name, std::span<const double> values, const std::vector<std::int64_t>& shape) {
  const std::vector<std::int64_t> flat = {static_cast<std::int64_t>(values.size())};
  Add(name, "<f8", shape.empty() ? flat : shape, values.data(), values.size_bytes());
}

void NpzWriter::Integers(const std::string& name, std::span<const std::int64_t> values,
                         const std::vector<std::int64_t>& shape) {
  const std::vector<std::int64_t> flat = {static_cast<std::int64_t>(values.size())};
  Add(name, "<i8", shape.empty() ? flat : shape, values.data(), values.size_bytes());
}

void NpzWriter::Texts(const std::string& name, const std::vector<std::string>& texts) {
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::string all(width * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(all.data() + i * width, width);
  Add(name, fmt::format("|S{}", width), {static_cast<std::int64_t>(texts.size())}, all.data(), all.size());
}

void NpzWriter::Commit() {
  std::string directory;
  for (const Entry& entry : entries_) {
    directory += std::string("PK\x01\x02", 4);
    Put(20, 2, &directory);  // made by
    directory += MakeCommonHeader(entry.crc, entry.size, entry.name);
    Put(0, 2, &directory);  // comment
    Put(0, 2, &directory);  // disk
    Put(0, 2, &directory);  // attributes
    Put(0, 4, &directory);
    Put(entry.offset, 4, &directory);
    directory += entry.name;
  }
  const std::size_t size = directory.size();
  directory += std::string("PK\x05\x06\0\0\0\0", 8);
  Put(entries_.size(), 2, &directory);
  Put(entries_.size(), 2, &directory);
  Put(size, 4, &directory);
  Put(offset_, 4, &directory);
  Put(0, 2, &directory);
  out_.Write(directory);
  out_.Commit();
}

}  // namespace tactus
