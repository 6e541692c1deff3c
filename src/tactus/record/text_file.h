// A file that is there as a whole or not at all. For record/ only.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace tactus {

/// Everything goes to a temporary file beside the target, which Commit() renames; without it nothing remains. Throws
/// InputError where the file cannot be written.
class TextFile {
 public:
  explicit TextFile(const std::string& path);
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile();

  void Write(std::string_view text);
  void Commit();

 private:
  [[noreturn]] void Fail(const char* what) const;

  std::string path_, temporary_;
  std::FILE* file_ = nullptr;
};

}  // namespace tactus
