#include "tactus/io/file_roots.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/parse_number.h"

namespace tactus {

namespace fs = std::filesystem;

namespace {

// "package" of "package://a/b", which becomes "a/b"; file:///a becomes /a. Empty: no scheme, nothing is changed.
std::string TakeScheme(std::string* reference) {
  const std::size_t colon = reference->find(':');
  // One letter is a drive of Windows, not a scheme.
  if (colon == std::string::npos || colon < 2 || colon + 1 >= reference->size() || (*reference)[colon + 1] != '/') {
    return "";
  }
  std::string scheme = reference->substr(0, colon);
  for (char& c : scheme) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '+' && c != '-') return "";
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  std::size_t begin = colon + 1;
  if (scheme == "file") {
    if (reference->compare(begin, 2, "//") == 0) begin += 2;
  } else {
    while (begin < reference->size() && (*reference)[begin] == '/') ++begin;
  }
  reference->erase(0, begin);
  return scheme;
}

bool IsInside(const fs::path& path, const fs::path& folder) {
  const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return in_folder == folder.end();
}

// NAME and the rest of NAME/rest.
std::pair<std::string, std::string> SplitPackage(const std::string& reference) {
  const std::size_t slash = reference.find('/');
  if (slash == std::string::npos) return {reference, ""};
  const std::size_t rest = reference.find_first_not_of('/', slash);
  return {reference.substr(0, slash), rest == std::string::npos ? "" : reference.substr(rest)};
}

}  // namespace

FileRoots::FileRoots(FileSettings settings) : settings_(std::move(settings)) {
  for (const std::string& root : settings_.roots) AddRoot(root);
}

void FileRoots::AddRoot(const fs::path& folder) {
  std::error_code error;
  fs::path canonical = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  Require(!error && fs::is_directory(canonical, error), Quote(folder.string(), 200), "is no folder",
          "a folder to search for files");
  if (std::find(roots_.begin(), roots_.end(), canonical) == roots_.end()) roots_.push_back(std::move(canonical));
}

bool FileRoots::Contains(const fs::path& canonical) const {
  return std::any_of(roots_.begin(), roots_.end(), [&](const fs::path& root) { return IsInside(canonical, root); });
}

std::vector<fs::path> FileRoots::FindPackage(std::string_view name, const fs::path& folder) const {
  std::vector<fs::path> folders;
  if (name.empty() || name == "." || name == "..") return folders;
  for (const fs::path& root : roots_) {
    folders.push_back(root / name);
    if (root.filename() == name) folders.push_back(root);
  }
  std::error_code error;
  for (fs::path above = fs::weakly_canonical(folder, error); !error && Contains(above); above = above.parent_path()) {
    if (above.filename() == name) folders.push_back(above);
    if (above == above.parent_path()) break;
  }
  return folders;
}

FileLookup FileRoots::Find(std::string_view reference, const fs::path& folder) const {
  FileLookup lookup;
  std::string path(reference);
  std::replace(path.begin(), path.end(), '\\', '/');
  const std::string scheme = TakeScheme(&path);
  if (!scheme.empty() && scheme != "package" && scheme != "model" && scheme != "file") {
    lookup.reason = fmt::format("is an address of kind '{}', which is not read", Quote(scheme, 20));
    return lookup;
  }
  if (path.empty() || path.find('\0') != std::string::npos) {
    lookup.reason = "names no file";
    return lookup;
  }

  std::vector<fs::path> candidates;
  bool anywhere = false;
  const auto add_package = [&](const std::string& text) {
    const auto [name, rest] = SplitPackage(text);
    for (const fs::path& package : FindPackage(name, folder)) candidates.push_back(package / rest);
  };
  if (scheme == "package" || scheme == "model") {
    add_package(path);
  } else if (fs::path(path).is_absolute()) {
    candidates.emplace_back(path);
    anywhere = settings_.allow_absolute;
    // As ROS installs packages: <prefix>/share/NAME/path.
    for (std::size_t at = path.find("/share/"); at != std::string::npos; at = path.find("/share/", at + 1)) {
      add_package(path.substr(at + 7));
    }
  } else {
    candidates.push_back((folder.empty() ? fs::path(".") : folder) / path);
    for (const fs::path& root : roots_) candidates.push_back(root / path);
  }

  std::vector<std::string> searched;
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(candidate, error);
    if (error) continue;
    if (!anywhere && !Contains(canonical)) {
      lookup.status = FileStatus::Refused;
      continue;
    }
    if (fs::is_regular_file(canonical, error)) return {FileStatus::Found, canonical, ""};
    if (fs::exists(canonical, error)) return {FileStatus::Refused, {}, "is no regular file"};
    const std::string place = Quote(canonical.string(), 200);
    if (std::find(searched.begin(), searched.end(), place) == searched.end()) searched.push_back(place);
  }
  if (!searched.empty()) {
    lookup.status = FileStatus::Missing;
    lookup.reason = fmt::format("is not there, looked for {}", fmt::join(searched, ", "));
  } else if (lookup.status == FileStatus::Refused) {
    lookup.reason = "lies outside of the folders that may be read";
  } else {
    lookup.reason = "is in none of the folders that may be read";
  }
  return lookup;
}

std::string FileRoots::Read(const fs::path& path) const {
  const std::string where = Quote(path.string(), 200);
  std::error_code error;
  Require(fs::exists(path, error), where, "there is no such file", "a file");
  Require(fs::is_regular_file(path, error), where, "is no regular file", "a file");
  const std::uintmax_t size = fs::file_size(path, error);
  Require(!error, where, "cannot be read: " + error.message(), "a readable file");
  Require(size <= settings_.max_file_bytes, where, fmt::format("has {} bytes", size),
          fmt::format("at most {}", settings_.max_file_bytes));
  std::ifstream file(path, std::ios::binary);
  Require(file.is_open(), where, "cannot be opened", "a readable file");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  // A file that shrank meanwhile is as long as what could be read.
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace tactus
