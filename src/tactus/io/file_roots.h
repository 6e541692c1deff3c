// Files that model files refer to, and no others: what is read lies in folders that the caller names.
//
// A reference may be
// - package://NAME/path, package:/NAME/path, model://NAME/path: in the folder NAME of a root, in a root that is called
//   NAME, or in a folder NAME above the referring file;
// - path: from the referring file's folder, then from each root;
// - /path, file:///path: where it says if that is in a root, else .../share/NAME/path as package://NAME/path.
// Links and `..` are followed first; what then lies outside of all roots is refused.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

struct FileSettings {
  std::vector<std::string> roots;                     ///< folders to search, in this order
  bool allow_absolute = false;                        ///< absolute paths may lead anywhere
  std::size_t max_file_bytes = std::size_t{1} << 28;  ///< of one file
};

enum class FileStatus {
  Found,
  Missing,  ///< no such file in any place where it may be
  Refused,  ///< leads out of the roots, or to something that is no file
};

struct FileLookup {
  FileStatus status = FileStatus::Missing;
  std::filesystem::path path;  ///< of a file that was found, without links
  std::string reason;          ///< of one that was not: "is not there, looked for a, b"
};

class FileRoots {
 public:
  /// Throws InputError if a root is not a folder.
  explicit FileRoots(FileSettings settings);

  /// Another root, for instance the folder of the file that the user named.
  void AddRoot(const std::filesystem::path& folder);

  /// `folder`: that of the referring file.
  FileLookup Find(std::string_view reference, const std::filesystem::path& folder) const;

  /// The bytes of a file, wherever it is; InputError if it cannot be read or is too large.
  std::string Read(const std::filesystem::path& path) const;

  const FileSettings& settings() const { return settings_; }

 private:
  bool Contains(const std::filesystem::path& canonical) const;
  std::vector<std::filesystem::path> FindPackage(std::string_view name, const std::filesystem::path& folder) const;

  FileSettings settings_;
  std::vector<std::filesystem::path> roots_;  // absolute, without links
};

}  // namespace tactus
