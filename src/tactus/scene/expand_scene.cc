#include "tactus/scene/expand_scene.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/core/hash.h"
#include "tactus/core/random.h"
#include "tactus/io/parse_number.h"
#include "tactus/scene/expression.h"

namespace tactus::scene {

namespace {

constexpr double kMostRepeats = 100000;

bool IsIdentifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= 64 && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool IsSceneKey(std::string_view name) {
  const std::vector<KeyInfo>& keys = SceneKeys().info().keys;
  return std::any_of(keys.begin(), keys.end(), [&](const KeyInfo& key) { return key.key == name; });
}

class Expander {
 public:
  Expander(Context* context, YamlDocument* document)
      : context_(*context), document_(*document), random_(MixSeed(context->settings->trial)) {
    scope_.variables = {{"seed", static_cast<double>(context_.scene->seed)},
                        {"trial", static_cast<double>(context_.settings->trial)}};
    scope_.draw = [this] { return random_.Uniform(); };
    scope_.draw_key = [this](double key) { return Random(MixSeed(key)).Uniform(); };
  }

  void Run() {
    YamlNode& root = document_.root;
    if (root.kind != YamlNode::Kind::Map) return;
    const auto at = std::find(root.keys.begin(), root.keys.end(), "parameters");
    const auto parameters = static_cast<std::size_t>(at - root.keys.begin());
    if (at != root.keys.end()) ReadParameters(parameters);
    used_.assign(scope_.variables.size(), false);
    for (std::size_t i = 0; i < root.keys.size(); ++i) {
      if (i != parameters) ExpandChild(&root, i);
    }
    for (const Draw& draw : draws_) context_.scene->draws.push_back({FindPath(draw.way), draw.value});
  }

  std::vector<std::string> FindUnused() {
    // Parameters use those before them only.
    std::vector<std::string> unused;
    for (std::size_t i = scope_.variables.size(); i-- > kFirstParameter;) {
      if (!used_[i]) {
        unused.push_back(scope_.variables[i].first);
      } else {
        for (const std::size_t other : needs_[i - kFirstParameter]) used_[other] = true;
      }
    }
    std::reverse(unused.begin(), unused.end());
    return unused;
  }

 private:
  static constexpr std::size_t kFirstParameter = 2;  // among variables, after seed and trial

  struct Draw {
    std::vector<std::size_t> way;  // from the root: names may be expressions that have no value yet
    double value;
  };

  std::string FindPath(const std::vector<std::size_t>& way) const {
    Cursor cursor(&document_, &document_.root, &context_);
    for (const std::size_t i : way) cursor = cursor.At(i);
    return cursor.path();
  }
  template <typename T>
  std::uint64_t MixSeed(T key) const {
    Hasher hasher;
    hasher.Add(context_.scene->seed);
    hasher.Add(key);
    return hasher.value();
  }

  // In the file's order: each may use those before it.
  void ReadParameters(std::size_t place) {
    YamlNode* node = &document_.root.children[place];
    const Cursor cursor = Cursor(&document_, &document_.root, &context_).Key("parameters");
    cursor.RequireMap();
    for (std::size_t i = 0; i < node->keys.size(); ++i) {
      const std::string& name = node->keys[i];
      const Cursor at = cursor.At(i);
      if (!IsIdentifier(name)) at.Fail("its name is no word", "letters, digits and '_', a letter first");
      if (IsSceneKey(name) || name == "pi" || name == "trial") at.Fail("its name is taken", "a name of its own");
      needs_.emplace_back();
      way_ = {place};
      ExpandChild(node, i);
      SceneParameter parameter;
      ParameterCodec().read(at, &parameter);
      scope_.variables.emplace_back(name, parameter.value);
    }
    way_.clear();
  }

  void ExpandChild(YamlNode* node, std::size_t i) {
    way_.push_back(i);
    Expand(&node->children[i]);
    way_.pop_back();
  }

  void Expand(YamlNode* node) {
    if (++nodes_ > context_.settings->yaml.max_nodes) {
      throw InputError(document_.Place(*node), "there are too many values",
                       fmt::format("at most {}, repetitions included", context_.settings->yaml.max_nodes));
    }
    if (node->kind == YamlNode::Kind::Scalar) {
      ExpandText(node);
    } else if (node->kind == YamlNode::Kind::Map) {
      for (std::size_t i = 0; i < node->children.size(); ++i) ExpandChild(node, i);
    } else if (node->kind == YamlNode::Kind::List) {
      ExpandList(node);
    }
  }

  void ExpandText(YamlNode* node) {
    std::string out;
    std::string_view rest = node->text;
    for (std::size_t begin; (begin = rest.find("$(")) != std::string_view::npos;) {
      const std::string_view tail = rest.substr(begin + 2);
      const std::size_t length = FindEnd(tail);
      const std::string where = document_.Place(*node);
      if (length == std::string_view::npos) {
        throw InputError(where, "in '" + Quote(node->text) + "' a ')' is missing", "$(expression)");
      }
      out += rest.substr(0, begin);
      ExpressionUse use;
      const double value = EvaluateExpression(tail.substr(0, length), scope_, where, &use);
      Note(use, value);
      out += fmt::format("{}", value);
      rest = tail.substr(length + 1);
    }
    if (rest.size() == node->text.size()) return;
    out += rest;
    node->text = out;
  }

  void Note(const ExpressionUse& use, double value) {
    if (use.drawn) draws_.push_back({way_, value});
    for (const std::size_t i : use.variables) {
      if (used_.empty()) {
        needs_.back().push_back(i);
      } else if (i < used_.size()) {  // the others are counters
        used_[i] = true;
      }
    }
  }

  // Of the parenthesis that closes an expression.
  static std::size_t FindEnd(std::string_view text) {
    int open = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
      open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (open == 0) return i;
    }
    return std::string_view::npos;
  }

  void ExpandList(YamlNode* node) {
    const auto repeats = [](const YamlNode& child) { return child.Find("repeat") != nullptr; };
    if (std::none_of(node->children.begin(), node->children.end(), repeats)) {
      for (std::size_t i = 0; i < node->children.size(); ++i) ExpandChild(node, i);
      return;
    }
    std::vector<YamlNode> out;
    for (YamlNode& child : node->children) {
      if (repeats(child)) {
        Repeat(child, &out);
      } else {
        way_.push_back(out.size());
        Expand(&child);
        way_.pop_back();
        out.push_back(std::move(child));
      }
    }
    node->children = std::move(out);
  }

  // "repeat: 8" counts i from 0, "repeat: {row: 2, column: 3}" counts both, the last one fastest.
  void Repeat(const YamlNode& element, std::vector<YamlNode>* out) {
    YamlNode rule = *element.Find("repeat");
    const std::size_t draws = draws_.size();
    Expand(&rule);
    // The rule does not stay in the document: what it drew is said of the list.
    for (std::size_t k = draws; k < draws_.size(); ++k) draws_[k].way = way_;
    std::vector<std::pair<std::string, int>> loops;
    if (rule.kind == YamlNode::Kind::Map) {
      for (std::size_t i = 0; i < rule.keys.size(); ++i) {
        const std::string& name = rule.keys[i];
        if (!IsIdentifier(name)) FailRepeat(rule, fmt::format("'{}' is no word", Quote(name)));
        loops.emplace_back(name, ReadCount(rule.children[i]));
      }
    } else {
      loops.emplace_back("i", ReadCount(rule));
    }
    YamlNode body = element;
    const auto at = std::find(body.keys.begin(), body.keys.end(), "repeat") - body.keys.begin();
    body.keys.erase(body.keys.begin() + at);
    body.children.erase(body.children.begin() + at);
    double total = 1;
    for (const auto& loop : loops) total *= loop.second;
    if (total > kMostRepeats) FailRepeat(rule, fmt::format("it is there {:g} times", total));
    const std::size_t outside = scope_.variables.size();
    for (int k = 0; k < static_cast<int>(total); ++k) {
      int rest = k;
      for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        scope_.variables.emplace_back(loop->first, rest % loop->second);
        rest /= loop->second;
      }
      way_.push_back(out->size());
      out->push_back(body);
      Expand(&out->back());
      way_.pop_back();
      scope_.variables.resize(outside);
    }
  }

  int ReadCount(const YamlNode& node) const {
    const std::optional<double> count =
        node.kind == YamlNode::Kind::Scalar ? ParseNumber(node.text) : std::optional<double>();
    if (!count || *count < 0 || *count > kMostRepeats || *count != std::floor(*count)) {
      FailRepeat(node, node.kind == YamlNode::Kind::Scalar ? "is '" + Quote(node.text) + "'" : "is no number");
    }
    return static_cast<int>(*count);
  }

  [[noreturn]] void FailRepeat(const YamlNode& node, const std::string& what) const {
    throw InputError(document_.Place(node) + ": repeat", what,
                     fmt::format("how often, a whole number up to {}, or names with such numbers", kMostRepeats));
  }

  Context& context_;
  YamlDocument& document_;
  Random random_;
  ExpressionScope scope_;
  std::size_t nodes_ = 0;
  std::vector<std::size_t> way_;  // to the node that is being expanded
  std::vector<Draw> draws_;
  std::vector<std::vector<std::size_t>> needs_;  // of each parameter: variables
  std::vector<bool> used_;                       // of variables, by what is no parameter; empty while those are read
};

}  // namespace

std::string ResolveSetPath(std::string_view path, const std::string& source, const YamlDocument& document) {
  const YamlNode* parameters = document.root.Find("parameters");
  if (!parameters || path.find('.') != std::string_view::npos) return std::string(path);
  if (const YamlNode* parameter = parameters->Find(path)) {
    const bool is_map = parameter->kind == YamlNode::Kind::Map;
    return fmt::format("parameters.{}{}", path, is_map ? ".default" : "");
  }
  if (!IsSceneKey(path)) {
    std::vector<std::string> names = parameters->keys;
    for (const KeyInfo& key : SceneKeys().info().keys) names.push_back(key.key);
    throw InputError(Quote(source, 200), fmt::format("there is no parameter or key '{}'", Quote(path)),
                     SuggestName(path, names));
  }
  return std::string(path);
}

std::vector<std::string> ExpandScene(Context* context, YamlDocument* document) {
  Expander expander(context, document);
  expander.Run();
  return expander.FindUnused();
}

const Keys<SceneParameter>& ParameterKeys() {
  using P = SceneParameter;
  static const Keys<P> keys =
      Keys<P>("parameter", "A number that expressions use and --set NAME=VALUE changes; the number alone will do.")
          .Add("default", &P::value, Number(AnyNumber()), "its value unless --set says otherwise")
          .Required()
          .Add("least", &P::least, Number(AnyNumber()), "smaller values are refused")
          .Default("")
          .Add("most", &P::most, Number(AnyNumber()), "greater values are refused")
          .Default("")
          .Add("whole", &P::whole, Bool(), "true: only whole numbers")
          .Add("help", &P::help, Text(), "what it means, for `tactus scenes NAME`")
          .Finally([](const Cursor& cursor, P* out) {
            const bool sound = out->value >= out->least && out->value <= out->most &&
                               (!out->whole || out->value == std::floor(out->value));
            if (sound) return;
            cursor.Fail(fmt::format("is {}", out->value),
                        fmt::format("a {}number from {:g} to {:g}", out->whole ? "whole " : "", out->least, out->most));
          });
  return keys;
}

Codec<SceneParameter> ParameterCodec() {
  const Codec<double> number = Number(AnyNumber());
  const std::string schema = fmt::format(R"({{"anyOf": [{}, {}]}})", number.schema, ParameterKeys().schema());
  return {[number](const Cursor& cursor, SceneParameter* out) {
            if (cursor.IsMap()) {
              ParameterKeys().Read(cursor, out);
            } else {
              number.read(cursor, &out->value);
            }
          },
          schema};
}

}  // namespace tactus::scene
