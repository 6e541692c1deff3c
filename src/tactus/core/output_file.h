// Files that are there as a whole or not at all: the one way in which results replace a file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace tactus {

/// Where a path leads when its last part is a symbolic link, also to a file that is not there yet.
std::filesystem::path FollowLinks(const std::filesystem::path& path);

/// Everything goes to a temporary file beside the target, which Commit() renames; without it nothing remains. Links are
/// followed: what they lead to is replaced, not they. Throws InputError for what must not be replaced (folders,
/// devices, pipes, files without write permission, the file that the program's own output goes to).
class OutputPlace {
 public:
  explicit OutputPlace(std::string path);
  OutputPlace(const OutputPlace&) = delete;
  OutputPlace& operator=(const OutputPlace&) = delete;
  ~OutputPlace();

  /// For the caller to create, write and close.
  const std::string& temporary() const { return temporary_; }
  void Commit();
  /// Throws "path: cannot be written: what".
  [[noreturn]] void Fail(const std::string& what) const;

 private:
  std::string path_, target_, temporary_;
};

/// An OutputPlace with its bytes. Made and left without Commit() it only tells whether the file could be written.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void Write(std::string_view bytes);
  /// Now, not at Commit(), is seen whether there is room.
  void Flush();
  void Commit();

 private:
  OutputPlace place_;
  std::FILE* file_ = nullptr;
};

}  // namespace tactus
