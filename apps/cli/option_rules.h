// Checks of options that the parser does not make by itself.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

namespace tactus::cli {

/// Seeds are whole numbers of 64 bits; the parser takes -1 for the largest of them.
inline CLI::Validator SeedRule() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        std::uint64_t seed = 0;
        const char *begin = text.data(), *end = begin + text.size();
        const auto [rest, error] = std::from_chars(begin, end, seed);
        if (error == std::errc() && rest == end) return {};
        return "is '" + text + "' (expected: a whole number from 0 to 18446744073709551615)";
      },
      "", "seed");
}

}  // namespace tactus::cli
