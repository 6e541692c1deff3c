#include "tactus/core/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tactus/core/error.h"

namespace tactus {

namespace {

namespace fs = std::filesystem;

// A file that replaces this one would not get what is still printed.
bool IsOwnOutput(const std::string& file) {
  struct stat there {
  }, own{};
  if (stat(file.c_str(), &there) != 0) return false;
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (fstat(stream, &own) == 0 && own.st_dev == there.st_dev && own.st_ino == there.st_ino) return true;
  }
  return false;
}

}  // namespace

fs::path FollowLinks(const fs::path& path) {
  constexpr int kMaxLinks = 40;  // as the kernel has it
  fs::path at = path;
  std::error_code error;
  for (int k = 0; k < kMaxLinks && fs::is_symlink(fs::symlink_status(at, error)); ++k) {
    const fs::path next = fs::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / next;  // which is `next` where that is absolute
  }
  return at;
}

OutputPlace::OutputPlace(std::string path) : path_(std::move(path)), target_(FollowLinks(path_).string()) {
  std::error_code error;
  const fs::file_status there = fs::status(path_, error);
  if (there.type() == fs::file_type::none) Fail(error.message());
  if (fs::exists(there)) {
    Require(fs::is_regular_file(there), path_, "is a folder, a device or a pipe",
            "a file, or a new name in a writable folder");
    Require(!IsOwnOutput(path_), path_, "is where the output of this program goes", "another file");
    if (access(path_.c_str(), W_OK) != 0) Fail(std::strerror(errno));
  }
  static std::atomic<int> counter{0};
  temporary_ = target_ + "." + std::to_string(getpid()) + "." + std::to_string(counter++) + ".tmp";
}

OutputPlace::~OutputPlace() {
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void OutputPlace::Commit() {
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) Fail(std::strerror(errno));
  temporary_.clear();
}

void OutputPlace::Fail(const std::string& what) const {
  throw InputError(path_, "cannot be written: " + what, "a path in a writable folder with room");
}

OutputFile::OutputFile(const std::string& path) : place_(path) {
  file_ = std::fopen(place_.temporary().c_str(), "wb");
  if (file_ == nullptr) place_.Fail(std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void OutputFile::Write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) place_.Fail(std::strerror(errno));
}

void OutputFile::Flush() {
  if (std::fflush(file_) != 0) place_.Fail(std::strerror(errno));
}

void OutputFile::Commit() {
  // What was buffered may find the disk full only now.
  if (std::fclose(std::exchange(file_, nullptr)) != 0) place_.Fail(std::strerror(errno));
  place_.Commit();
}

}  // namespace tactus
