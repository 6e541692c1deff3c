#include "tactus/record/text_file.h"

#include <cerrno>
#include <cstring>

#include "tactus/core/error.h"

namespace tactus {

TextFile::TextFile(const std::string& path) : path_(path), temporary_(path + ".tmp") {
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) Fail(std::strerror(errno));
}

TextFile::~TextFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(temporary_.c_str());
}

void TextFile::Write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) Fail(std::strerror(errno));
}

void TextFile::Commit() {
  const int failed = std::fclose(file_);
  file_ = nullptr;
  if (failed != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) Fail(std::strerror(errno));
}

void TextFile::Fail(const char* what) const {
  throw InputError(path_, std::string("cannot be written: ") + what, "a path in a writable folder with room");
}

}  // namespace tactus
