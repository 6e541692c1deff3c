// Arithmetic in scene files: "$(ceil(particles / 9) * 0.02)".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus::scene {

/// What the names in an expression stand for.
struct ExpressionScope {
  std::vector<std::pair<std::string, double>> variables;  ///< the last of a name counts
  /// A number of [0, 1) that a seed has drawn: the next one, or for a key always the same.
  std::function<double()> draw = {};
  std::function<double(double key)> draw_key = {};
};

/// What a value depends on. Arguments that choose() did not take do not count.
struct ExpressionUse {
  bool drawn = false;                  ///< random() gave a part of it
  std::vector<std::size_t> variables;  ///< of the scope, by number; one may be there several times
};

/// The value of an expression: numbers, variables, pi, + - * / % ^, comparisons (1 or 0), parentheses, and functions
/// (ExpressionFunctions). Throws InputError with `where`; so it does if the value is not finite. `use` may be null.
double EvaluateExpression(std::string_view text, const ExpressionScope& scope, const std::string& where,
                          ExpressionUse* use = nullptr);

/// "min(a, b, ...)", and so on, for pages and messages.
std::vector<std::string> ExpressionFunctions();

}  // namespace tactus::scene
