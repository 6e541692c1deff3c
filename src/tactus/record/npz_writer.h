// Arrays for numpy.load: a zip archive of .npy files, not compressed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tactus/core/output_file.h"

namespace tactus {

/// An OutputFile: without Commit() nothing remains. Throws InputError where it cannot be written, or would be larger
/// than the 4 GB that zip archives without extensions hold.
class NpzWriter {
 public:
  explicit NpzWriter(std::string path);

  // An empty shape means (values.size()).
  void Reals(const std::string& name, std::span<const double> values, const std::vector<std::int64_t>& shape = {});
  void Integers(const std::string& name, std::span<const std::int64_t> values,
                const std::vector<std::int64_t>& shape = {});
  /// Single precision, a part at a time, so that it need not be in memory as a whole; `part(i)` is asked for twice for
  /// each of `parts`, and what it returns must hold until the next time.
  void Singles(const std::string& name, const std::vector<std::int64_t>& shape, int parts,
               const std::function<std::span<const float>(int)>& part);
  /// As bytes, padded by zeros; an empty list of them is one of width 1.
  void Texts(const std::string& name, const std::vector<std::string>& texts);

  void Commit();

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc, size, offset;
  };
  /// The header of an entry, whose `size` bytes with the check sum `crc` must be written next.
  void Begin(const std::string& name, const std::string& array_header, std::uint32_t crc, std::uint64_t size);
  void Add(const std::string& name, const std::string& type, const std::vector<std::int64_t>& shape, const void* data,
           std::size_t size);

  std::string path_;
  OutputFile out_;
  std::vector<Entry> entries_;
  std::uint64_t offset_ = 0;
};

/// As zip archives have it (ISO 3309), `crc` that of what came before.
std::uint32_t CalcCrc32(const void* data, std::size_t size, std::uint32_t crc = 0);

}  // namespace tactus
