#include "tactus/io/parse_number.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace tactus {

std::optional<double> ParseNumber(std::string_view token) {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  double value = 0;
  const char* end = token.data() + token.size();
  const std::from_chars_result result = std::from_chars(token.data(), end, value);
  if (result.ptr != end) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    const std::size_t exponent = token.find_first_of("eE");
    const bool tiny = exponent == std::string_view::npos ? token.find_first_of("123456789") > token.find('.')
                                                         : exponent + 1 < token.size() && token[exponent + 1] == '-';
    return tiny ? std::optional<double>(0.0) : std::nullopt;
  }
  if (result.ec != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<long long> ParseInteger(std::string_view token) {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  long long value = 0;
  const char* end = token.data() + token.size();
  const std::from_chars_result result = std::from_chars(token.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

std::string_view TakeToken(std::string_view* text) {
  std::size_t begin = 0;
  while (begin < text->size() && IsSpace((*text)[begin])) ++begin;
  std::size_t end = begin;
  while (end < text->size() && !IsSpace((*text)[end])) ++end;
  const std::string_view token = text->substr(begin, end - begin);
  text->remove_prefix(end);
  return token;
}

std::string Quote(std::string_view text, std::size_t length) {
  std::string quoted;
  for (const char c : text.substr(0, length)) {
    const auto byte = static_cast<unsigned char>(c);
    quoted += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  if (text.size() > length) {
    // Not in the middle of a UTF-8 character.
    std::size_t end = quoted.size();
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    quoted.resize(end);
    quoted += "...";
  }
  return quoted;
}

}  // namespace tactus
