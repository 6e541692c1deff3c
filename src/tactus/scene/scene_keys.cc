#include "tactus/scene/scene_keys.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/parse_number.h"

namespace tactus::scene {

namespace {

constexpr double kPi = 3.14159265358979323846;

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// A number or a fraction of two.
std::optional<double> ParseFraction(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<double> first = ParseNumber(Trim(text.substr(0, slash)));
  if (!first || slash == std::string_view::npos) return first;
  const std::optional<double> second = ParseNumber(Trim(text.substr(slash + 1)));
  if (!second || *second == 0) return std::nullopt;
  const double value = *first / *second;
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

std::optional<double> ParseAngle(std::string_view text) {
  const bool degrees = text.size() > 3 && text.substr(text.size() - 3) == "deg";
  if (!degrees) return ParseFraction(text);
  const std::optional<double> value = ParseFraction(Trim(text.substr(0, text.size() - 3)));
  return value ? std::optional<double>(*value * kPi / 180) : std::nullopt;
}

std::string Describe(const NumberRule& rule, const char* what = "a number") {
  std::string text = what;
  const bool lower = rule.least > -1e12, upper = rule.most < 1e12;
  if (lower && upper) {
    text += fmt::format(fmt::runtime(rule.open ? " > {:g} and <= {:g}" : " from {:g} to {:g}"), rule.least, rule.most);
  } else if (lower) {
    text += fmt::format("{} {:g}", rule.open ? " >" : " >=", rule.least);
  } else if (upper) {
    text += fmt::format(" <= {:g}", rule.most);
  }
  return *rule.unit ? text + " [" + rule.unit + "]" : text;
}

std::string NumberSchema(const NumberRule& rule) {
  std::string schema = "{\"type\": [\"number\", \"string\"]";
  if (rule.least > -1e12)
    schema += fmt::format(", \"{}\": {:g}", rule.open ? "exclusiveMinimum" : "minimum", rule.least);
  if (rule.most < 1e12) schema += fmt::format(", \"maximum\": {:g}", rule.most);
  return schema + "}";
}

bool Accepts(const NumberRule& rule, double value) {
  return value >= rule.least && value <= rule.most && !(rule.open && value == rule.least);
}

double ReadNumber(const Cursor& cursor, const NumberRule& rule) {
  const std::optional<double> value = cursor.IsText() ? ParseFraction(cursor.node().text) : std::nullopt;
  if (!value || !Accepts(rule, *value)) cursor.FailValue(Describe(rule));
  return *value;
}

template <typename Read>
Vector3 ReadVector(const Cursor& cursor, const std::string& expected, const Read& read) {
  if (!cursor.IsList() || cursor.size() != 3) cursor.FailValue(expected);
  return {read(cursor.At(0)), read(cursor.At(1)), read(cursor.At(2))};
}

std::string ShowNumbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "[" : ", ") + ShowNumber(value);
  return text.empty() ? "" : text + "]";
}

std::string ShowVector(const Vector3& v) { return ShowNumbers({v[0], v[1], v[2]}); }

double ReadAngle(const Cursor& cursor) {
  const std::optional<double> value = cursor.IsText() ? ParseAngle(cursor.node().text) : std::nullopt;
  if (!value || std::abs(*value) > 1e6) cursor.FailValue("an angle in radians, or in degrees as '90 deg'");
  return *value;
}

}  // namespace

std::string ShowNumber(double value) {
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  const std::string text = fmt::format("{}", value);
  const double inverse = std::round(1 / value);
  const bool fraction = text.size() > 10 && std::abs(inverse) < 1e6 && 1 / inverse == value;
  return fraction ? fmt::format("\"1/{}\"", inverse) : text;
}

std::string Cursor::where() const { return document_->Place(*node_) + ": " + (path_.empty() ? "scene" : path_); }

Cursor Cursor::Key(const std::string& key) const {
  const YamlNode* child = node_->Find(key);
  if (!child) Fail("there is no '" + key + "'", "this key");
  Cursor cursor(document_, child, context_);
  cursor.path_ = path_.empty() ? Quote(key) : path_ + "." + Quote(key);
  return cursor;
}

Cursor Cursor::At(std::size_t index) const {
  if (node_->kind == YamlNode::Kind::Map) return Key(node_->keys[index]);
  Cursor cursor(document_, &node_->children[index], context_);
  // By its name, as --set has it, if it has one.
  const YamlNode* name = cursor.node_->Find("name");
  cursor.path_ = path_ + "." + (name && !name->text.empty() ? Quote(name->text) : std::to_string(index));
  return cursor;
}

void Cursor::Fail(const std::string& what, const std::string& expected) const {
  throw InputError(where(), what, expected);
}

void Cursor::FailValue(const std::string& expected) const {
  switch (node_->kind) {
    case YamlNode::Kind::Null: Fail("has no value", expected);
    case YamlNode::Kind::Scalar: Fail("is '" + Quote(node_->text) + "'", expected);
    case YamlNode::Kind::List: Fail(fmt::format("is a list of {}", size()), expected);
    case YamlNode::Kind::Map: Fail("is a map", expected);
  }
  Fail("is something else", expected);
}

void Cursor::RequireMap() const {
  if (!IsMap()) FailValue("a map of keys and values");
}

Codec<double> Number(const NumberRule& rule) {
  return {[rule](const Cursor& cursor, double* out) { *out = ReadNumber(cursor, rule); }, NumberSchema(rule),
          ShowNumber};
}

Codec<double> Angle() {
  return {[](const Cursor& cursor, double* out) { *out = ReadAngle(cursor); }, NumberSchema(AnyNumber()), ShowNumber};
}

Codec<double> NumberOrInfinity(const NumberRule& rule) {
  return {[rule](const Cursor& cursor, double* out) {
            const std::string_view text = cursor.IsText() ? std::string_view(cursor.node().text) : std::string_view();
            if (text == "inf" || text == ".inf") {
              *out = std::numeric_limits<double>::infinity();
            } else if (text == "-inf" || text == "-.inf") {
              if (rule.least > -1e12) cursor.FailValue(Describe(rule) + ", or 'inf'");
              *out = -std::numeric_limits<double>::infinity();
            } else {
              const std::optional<double> value = cursor.IsText() ? ParseFraction(text) : std::nullopt;
              if (!value || !Accepts(rule, *value)) cursor.FailValue(Describe(rule) + ", or 'inf'");
              *out = *value;
            }
          },
          NumberSchema(rule), ShowNumber};
}

Codec<int> Integer(int least, int most) {
  return {[least, most](const Cursor& cursor, int* out) {
            const std::optional<long long> value = cursor.IsText() ? ParseInteger(cursor.node().text) : std::nullopt;
            if (!value || *value < least || *value > most) {
              cursor.FailValue(fmt::format("a whole number from {} to {}", least, most));
            }
            *out = static_cast<int>(*value);
          },
          fmt::format("{{\"type\": \"integer\", \"minimum\": {}, \"maximum\": {}}}", least, most),
          [](int value) { return fmt::format("{}", value); }};
}

Codec<bool> Bool() {
  return {[](const Cursor& cursor, bool* out) {
            const std::string_view text = cursor.IsText() ? std::string_view(cursor.node().text) : std::string_view();
            if (text != "true" && text != "false") cursor.FailValue("true or false");
            *out = text == "true";
          },
          R"({"type": "boolean"})", [](bool value) { return std::string(value ? "true" : "false"); }};
}

Codec<std::string> Text(std::size_t longest) {
  return {[longest](const Cursor& cursor, std::string* out) {
            if (!cursor.IsText()) cursor.FailValue("a text");
            if (cursor.node().text.size() > longest) {
              cursor.FailValue(fmt::format("a text of at most {} characters", longest));
            }
            *out = cursor.node().text;
          },
          R"({"type": "string"})", [](const std::string& value) { return value.empty() ? "" : "\"" + value + "\""; }};
}

Codec<std::string> Name() {
  return {[](const Cursor& cursor, std::string* out) {
            const char* expected = "a name of letters, digits, '_' and '-', at most 100 of them, no number";
            if (!cursor.IsText()) cursor.FailValue(expected);
            const std::string& text = cursor.node().text;
            const bool sound = !text.empty() && text.size() <= 100 && text != "world" && !ParseNumber(text) &&
                               std::all_of(text.begin(), text.end(), [](char c) {
                                 return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                        c == '_' || c == '-';
                               });
            if (!sound) cursor.FailValue(expected);
            *out = text;
          },
          R"({"type": "string", "pattern": "^[A-Za-z0-9_-]{1,100}$"})"};
}

Codec<Vector3> Vector(const NumberRule& rule) {
  return {[rule](const Cursor& cursor, Vector3* out) {
            *out = ReadVector(cursor, "three numbers, each " + Describe(rule),
                              [&](const Cursor& item) { return ReadNumber(item, rule); });
          },
          fmt::format("{{\"type\": \"array\", \"items\": {}, \"minItems\": 3, \"maxItems\": 3}}", NumberSchema(rule)),
          ShowVector};
}

Codec<Vector3> AngleVector() {
  return {[](const Cursor& cursor, Vector3* out) {
            *out = ReadVector(cursor, "three angles in radians, or in degrees as '90 deg'", ReadAngle);
          },
          fmt::format("{{\"type\": \"array\", \"items\": {}, \"minItems\": 3, \"maxItems\": 3}}",
                      NumberSchema(AnyNumber())),
          ShowVector};
}

Codec<std::vector<double>> Numbers(const NumberRule& rule, std::size_t least, std::size_t most) {
  return {[rule, least, most](const Cursor& cursor, std::vector<double>* out) {
            if (!cursor.IsList() || cursor.size() < least || cursor.size() > most) {
              const std::string count = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
              cursor.FailValue("a list of " + count + ", each " + Describe(rule));
            }
            out->clear();
            for (std::size_t i = 0; i < cursor.size(); ++i) out->push_back(ReadNumber(cursor.At(i), rule));
          },
          fmt::format("{{\"type\": \"array\", \"items\": {}, \"minItems\": {}, \"maxItems\": {}}}", NumberSchema(rule),
                      least, most),
          ShowNumbers};
}

std::string ChoiceSchema(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "\"" : ", \"") + name + "\"";
  return "{\"enum\": [" + all + "]}";
}

std::size_t ReadChoice(const Cursor& cursor, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), cursor.node().text);
  if (!cursor.IsText() || found == names.end()) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    const std::string nearest = FindNearest(cursor.node().text, names);
    cursor.FailValue((nearest.empty() ? "one of " : "did you mean '" + nearest + "'? One of ") + all);
  }
  return static_cast<std::size_t>(found - names.begin());
}

void CheckListSize(const Cursor& cursor, std::size_t most) {
  if (!cursor.IsList()) cursor.FailValue("a list");
  if (cursor.size() > most) cursor.FailValue(fmt::format("at most {} of them", most));
}

std::string ListSchema(const std::string& items, std::size_t most) {
  return fmt::format("{{\"type\": \"array\", \"items\": {}, \"maxItems\": {}}}", items, most);
}

std::string MapSchema(const std::string& values) {
  return fmt::format("{{\"type\": \"object\", \"additionalProperties\": {}}}", values);
}

void CheckKeys(const Cursor& cursor, const TableInfo& table) {
  cursor.RequireMap();
  std::vector<std::string> known;
  if (!table.type.empty()) known.emplace_back("type");
  for (const KeyInfo& key : table.keys) known.push_back(key.key);
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    const std::string& key = cursor.node().keys[i];
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      cursor.At(i).Fail(fmt::format("'{}' is not known here", Quote(key)), SuggestName(key, known));
    }
  }
  for (const KeyInfo& key : table.keys) {
    if (key.required && !cursor.Has(key.key)) {
      cursor.Fail("there is no '" + key.key + "'", "this key: " + key.help);
    }
  }
}

std::size_t FindKind(const Cursor& cursor, const std::vector<std::string>& types) {
  cursor.RequireMap();
  if (!cursor.Has("type")) {
    std::string all;
    for (const std::string& type : types) all += (all.empty() ? "" : ", ") + type;
    cursor.Fail("there is no 'type'", "type: one of " + all);
  }
  return ReadChoice(cursor.Key("type"), types);
}

std::string KindSchema(const std::vector<const TableInfo*>& tables) {
  std::string all;
  for (const TableInfo* table : tables) {
    all += (all.empty() ? "" : ", ") + ("{\"$ref\": \"#/$defs/" + table->name + "\"}");
  }
  return "{\"oneOf\": [" + all + "]}";
}

}  // namespace tactus::scene
