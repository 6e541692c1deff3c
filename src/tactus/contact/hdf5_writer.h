// Writes arrays to a new HDF5 file.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tactus/core/output_file.h"

namespace tactus {

/// An OutputFile, made in memory: readers see the old file or the whole new one. The same arrays always give the same
/// bytes. Throws InputError where the file cannot be written.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path);
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  /// Without Commit() nothing remains.
  ~Hdf5Writer();

  // Datasets at "/group/name"; groups appear as needed. An empty shape means (values.size()).
  void Reals(const std::string& path, std::span<const double> values, std::vector<std::uint64_t> shape = {});
  void Integers(const std::string& path, std::span<const int> values, std::vector<std::uint64_t> shape = {});
  void Integer(const std::string& path, int value) { Integers(path, {&value, 1}); }
  void Text(const std::string& path, const std::string& text);
  void Texts(const std::string& path, const std::vector<std::string>& texts);

  // Attributes of "/" or of a group.
  void IntegerAttribute(const std::string& group, const std::string& name, int value);
  void TextAttribute(const std::string& group, const std::string& name, const std::string& text);

  void Commit();

 private:
  [[noreturn]] void Fail(const std::string& what) const;
  void Dataset(const std::string& path, std::int64_t file_type, std::int64_t memory_type, const void* data,
               const std::vector<std::uint64_t>& shape, bool scalar);
  void Attribute(const std::string& group, const std::string& name, std::int64_t type, const void* data);
  void Close();

  std::string path_;
  OutputFile out_;
  std::unique_lock<std::mutex> lock_;
  std::int64_t file_ = -1;  // HDF5 handles; its header is not for our users
};

}  // namespace tactus
