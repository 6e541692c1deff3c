// Numbers out of text, the same whatever the locale: the whole token must be one number.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// A double: "1", "-.5", "+2e-3". Infinities, NaN, hexadecimal and numbers too large for a double are none; numbers too
/// small for one are 0.
std::optional<double> ParseNumber(std::string_view token);
std::optional<long long> ParseInteger(std::string_view token);

/// Blanks, tabs and line ends as XML and mesh files have them.
inline bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

/// Takes the next token between blanks off the front of `text`; empty at its end.
std::string_view TakeToken(std::string_view* text);

/// Text of a file for a message: one line, printable, of at most `length` characters.
std::string Quote(std::string_view text, std::size_t length = 60);

}  // namespace tactus
