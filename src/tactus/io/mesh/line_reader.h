// Lines of a text file with their numbers, for parsers of mesh files.
#pragma once

#include <string>
#include <string_view>

namespace tactus {

class LineReader {
 public:
  LineReader(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  /// The next line without its end (LF, CRLF or CR); false after the last.
  bool Next(std::string_view* line) {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find_first_of("\r\n");
    *line = rest_.substr(0, end);
    if (end == std::string_view::npos) {
      rest_ = {};
    } else {
      const bool both = rest_[end] == '\r' && end + 1 < rest_.size() && rest_[end + 1] == '\n';
      rest_.remove_prefix(end + (both ? 2 : 1));
    }
    ++number_;
    return true;
  }

  /// Of the last line, from 1 on.
  int number() const { return number_; }
  /// "file:line" of the last line.
  std::string where() const { return file_ + ":" + std::to_string(number_); }

 private:
  std::string_view rest_;
  std::string file_;
  int number_ = 0;
};

}  // namespace tactus
