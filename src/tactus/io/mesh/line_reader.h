// Lines of a text file with their numbers, for parsers of mesh files.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tactus/io/parse_number.h"

namespace tactus {

class LineReader {
 public:
  LineReader(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  /// The next line without its end (LF, CRLF or CR); false after the last.
  bool Next(std::string_view* line) {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find_first_of("\r\n");
    *line = rest_.substr(0, end);
    cut_ = end == std::string_view::npos;
    if (cut_) {
      rest_ = {};
    } else {
      const bool both = rest_[end] == '\r' && end + 1 < rest_.size() && rest_[end + 1] == '\n';
      rest_.remove_prefix(end + (both ? 2 : 1));
    }
    ++number_;
    return true;
  }

  /// What is wrong with a token that should be `kind`, as "finite number": files that were cut off say so.
  std::string Complain(std::string_view token, const char* kind) const {
    if (token.empty()) return fmt::format("the {} ends too early", rest_.empty() ? "file" : "line");
    return fmt::format(fmt::runtime(cut_ ? "the file ends at '{}', no {}" : "'{}' is no {}"), Quote(token), kind);
  }

  /// Of the last line, from 1 on.
  int number() const { return number_; }
  /// "file:line" of the last line.
  std::string where() const { return file_ + ":" + std::to_string(number_); }

 private:
  std::string_view rest_;
  std::string file_;
  int number_ = 0;
  bool cut_ = false;  // the last line has no end
};

}  // namespace tactus
