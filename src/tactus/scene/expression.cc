#include "tactus/scene/expression.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/parse_number.h"
#include "tactus/scene/yaml_tree.h"

namespace tactus::scene {

namespace {

constexpr int kMaxDepth = 100;

// Of choose(k, a, b, ...): k counts the rest from 0; whole numbers within the list only.
bool IsChoice(const std::vector<double>& x) {
  return x[0] >= 0 && x[0] == std::floor(x[0]) && x[0] + 1 < static_cast<double>(x.size());
}

struct Function {
  const char* name;
  const char* form;
  std::size_t least, most;  // arguments
  double (*value)(const std::vector<double>& x);
};

const Function kFunctions[] = {
    {"abs", "abs(x)", 1, 1, [](const std::vector<double>& x) { return std::abs(x[0]); }},
    {"sqrt", "sqrt(x)", 1, 1, [](const std::vector<double>& x) { return std::sqrt(x[0]); }},
    {"floor", "floor(x)", 1, 1, [](const std::vector<double>& x) { return std::floor(x[0]); }},
    {"ceil", "ceil(x)", 1, 1, [](const std::vector<double>& x) { return std::ceil(x[0]); }},
    {"round", "round(x)", 1, 1, [](const std::vector<double>& x) { return std::round(x[0]); }},
    {"sin", "sin(x)", 1, 1, [](const std::vector<double>& x) { return std::sin(x[0]); }},
    {"cos", "cos(x)", 1, 1, [](const std::vector<double>& x) { return std::cos(x[0]); }},
    {"tan", "tan(x)", 1, 1, [](const std::vector<double>& x) { return std::tan(x[0]); }},
    {"atan2", "atan2(y, x)", 2, 2, [](const std::vector<double>& x) { return std::atan2(x[0], x[1]); }},
    {"min", "min(a, b, ...)", 1, 100,
     [](const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()); }},
    {"max", "max(a, b, ...)", 1, 100,
     [](const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); }},
    {"choose", "choose(k, a, b, ...)", 2, 100,
     [](const std::vector<double>& x) { return IsChoice(x) ? x[static_cast<std::size_t>(x[0]) + 1] : std::nan(""); }},
};
// Drawn by the scene's seed, so not among the plain functions.
constexpr const char* kRandomForms[] = {"random(least, most)", "random(least, most, key)"};

class Parser {
 public:
  Parser(std::string_view text, const ExpressionScope& scope, const std::string& where)
      : text_(text), scope_(scope), where_(where) {}

  double Run() {
    const double value = Comparison();
    if (at_ < text_.size()) Fail(fmt::format("'{}' does not go on from there", Quote(text_.substr(at_))), "its end");
    if (!std::isfinite(value)) Fail("its value is not finite", "a number");
    return value;
  }

  ExpressionUse TakeUse() {
    ExpressionUse use;
    for (const std::size_t read : reads_) {
      if (read == kDraw) {
        use.drawn = true;
      } else {
        use.variables.push_back(read);
      }
    }
    return use;
  }

 private:
  [[noreturn]] void Fail(const std::string& what, const std::string& expected) const {
    throw InputError(where_, fmt::format("in '$({})' {}", Quote(text_, 100), what), expected);
  }

  void SkipBlanks() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  bool Take(std::string_view token) {
    SkipBlanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    SkipBlanks();
    return true;
  }

  double Comparison() {
    const double a = Sum();
    if (Take("<=")) return a <= Sum() ? 1 : 0;
    if (Take(">=")) return a >= Sum() ? 1 : 0;
    if (Take("==")) return a == Sum() ? 1 : 0;
    if (Take("!=")) return a != Sum() ? 1 : 0;
    if (Take("<")) return a < Sum() ? 1 : 0;
    if (Take(">")) return a > Sum() ? 1 : 0;
    return a;
  }

  double Sum() {
    double value = Product();
    for (;;) {
      if (Take("+")) {
        value += Product();
      } else if (Take("-")) {
        value -= Product();
      } else {
        return value;
      }
    }
  }

  double Product() {
    double value = Factor();
    for (;;) {
      if (Take("*")) {
        value *= Factor();
      } else if (Take("/")) {
        value /= Factor();
      } else if (Take("%")) {
        // Of the sign of the divisor, so that -1 % 3 is 2.
        const double by = Factor();
        value -= by * std::floor(value / by);
      } else {
        return value;
      }
    }
  }

  double Factor() {
    if (++depth_ > kMaxDepth) Fail("parentheses are nested too deeply", fmt::format("at most {}", kMaxDepth));
    double value;
    if (Take("-")) {
      value = -Factor();
    } else if (Take("+")) {
      value = Factor();
    } else {
      value = Atom();
      if (Take("^")) value = std::pow(value, Factor());
    }
    --depth_;
    return value;
  }

  double Atom() {
    if (Take("(")) {
      const double value = Comparison();
      if (!Take(")")) Fail("a ')' is missing", "as many of them as '('");
      return value;
    }
    SkipBlanks();
    const std::string_view rest = text_.substr(at_);
    if (rest.empty()) Fail("something is missing at the end", "a number, a name or '('");
    const char c = rest.front();
    if ((c >= '0' && c <= '9') || c == '.') return TakeNumber();
    if (IsLetter(c)) return TakeName();
    Fail(fmt::format("there is '{}'", Quote(rest.substr(0, 1))), "a number, a name or '('");
  }

  static bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  double TakeNumber() {
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool sign = (c == '-' || c == '+') && (text_[end - 1] == 'e' || text_[end - 1] == 'E');
      if (!IsDigit(c) && c != '.' && c != 'e' && c != 'E' && !(end > at_ && sign)) break;
      ++end;
    }
    const std::string_view token = text_.substr(at_, end - at_);
    const std::optional<double> value = ParseNumber(token);
    if (!value) Fail(fmt::format("'{}' is no number", Quote(token)), "a number");
    at_ = end;
    return *value;
  }

  double TakeName() {
    std::size_t end = at_;
    while (end < text_.size() && (IsLetter(text_[end]) || IsDigit(text_[end]))) ++end;
    const std::string name(text_.substr(at_, end - at_));
    at_ = end;
    if (Take("(")) return Call(name);
    for (std::size_t i = scope_.variables.size(); i-- > 0;) {
      if (scope_.variables[i].first != name) continue;
      reads_.push_back(i);
      return scope_.variables[i].second;
    }
    if (name == "pi") return std::numbers::pi;
    std::vector<std::string> names = {"pi"};
    for (const auto& variable : scope_.variables) names.push_back(variable.first);
    Fail(fmt::format("there is no '{}'", Quote(name)), SuggestName(name, names));
  }

  double Call(const std::string& name) {
    std::vector<double> x;
    std::vector<std::size_t> ends = {reads_.size()};  // of what each argument read
    if (!Take(")")) {
      do {
        if (x.size() >= kMaxDepth) Fail("there are too many arguments", fmt::format("at most {}", kMaxDepth));
        x.push_back(Comparison());
        ends.push_back(reads_.size());
      } while (Take(","));
      if (!Take(")")) Fail("a ')' is missing", "as many of them as '('");
    }
    if (name == "random") return Draw(x);
    for (const Function& f : kFunctions) {
      if (name != f.name) continue;
      if (x.size() < f.least || x.size() > f.most) {
        Fail(fmt::format("'{}' has {} arguments", name, x.size()), f.form);
      }
      if (name == "choose" && IsChoice(x)) ForgetOthers(static_cast<std::size_t>(x[0]) + 1, ends);
      return f.value(x);
    }
    std::vector<std::string> names = {"random"};
    for (const Function& f : kFunctions) names.emplace_back(f.name);
    Fail(fmt::format("there is no function '{}'", Quote(name)), SuggestName(name, names));
  }

  // Of choose(): what arguments other than its first and `taken` read.
  void ForgetOthers(std::size_t taken, const std::vector<std::size_t>& ends) {
    const auto at = [this, &ends](std::size_t i) { return reads_.begin() + static_cast<std::ptrdiff_t>(ends[i]); };
    reads_.erase(at(taken + 1), reads_.end());
    reads_.erase(at(1), at(taken));
  }

  double Draw(const std::vector<double>& x) {
    if (x.size() != 2 && x.size() != 3) Fail(fmt::format("'random' has {} arguments", x.size()), kRandomForms[1]);
    if (!scope_.draw) Fail("nothing is drawn here", "numbers without random()");
    const double u = x.size() == 2 ? scope_.draw() : scope_.draw_key(x[2]);
    reads_.push_back(kDraw);
    return x[0] + (x[1] - x[0]) * u;
  }

  std::string_view text_;
  const ExpressionScope& scope_;
  const std::string& where_;
  static constexpr std::size_t kDraw = static_cast<std::size_t>(-1);
  std::vector<std::size_t> reads_;  // variables by number, or kDraw
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double EvaluateExpression(std::string_view text, const ExpressionScope& scope, const std::string& where,
                          ExpressionUse* use) {
  Parser parser(text, scope, where);
  const double value = parser.Run();
  if (use) *use = parser.TakeUse();
  return value;
}

std::vector<std::string> ExpressionFunctions() {
  std::vector<std::string> forms;
  for (const Function& f : kFunctions) forms.emplace_back(f.form);
  forms.insert(forms.end(), std::begin(kRandomForms), std::end(kRandomForms));
  return forms;
}

}  // namespace tactus::scene
