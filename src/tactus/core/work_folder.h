// A temporary folder, for files that go to and come from other programs.
#pragma once

#include <filesystem>
#include <string>

namespace tactus {

/// Gone with everything in it when this is.
class WorkFolder {
 public:
  /// `what` names it, and the error: InputError where none can be made.
  explicit WorkFolder(const std::string& what);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace tactus
