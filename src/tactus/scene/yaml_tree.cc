#include "tactus/scene/yaml_tree.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "tactus/core/error.h"
#include "tactus/io/parse_number.h"

namespace tactus {

namespace {

constexpr std::size_t kMaxKeys = 4096;  // of one map; they are searched one by one

// Takes the events of the parser. Only finished nodes are kept, so an anchor cannot refer to what it is part of.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, const YamlSettings& settings) : file_(file), settings_(settings) {}

  YamlNode Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) Fail(mark, "a second document begins here", "one document in a file");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { Add(mark, anchor, YamlNode{}, nodes_); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) Fail(mark, "an alias stands for what it is part of", "a finished value");
    Count(mark, found->second.second);
    Put(mark, found->second.first);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    CheckTag(mark, tag);
    if (value.size() > settings_.max_text) {
      Fail(mark, fmt::format("a text of {} characters", value.size()), fmt::format("at most {}", settings_.max_text));
    }
    YamlNode node;
    node.kind = YamlNode::Kind::Scalar;
    node.text = value;
    Add(mark, anchor, std::move(node), nodes_);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, YamlNode::Kind::List);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, YamlNode::Kind::Map);
  }
  void OnMapEnd() override { Close(); }

  [[noreturn]] void Fail(const YAML::Mark& mark, const std::string& what, const std::string& expected) const {
    throw InputError(fmt::format("{}:{}", file_, mark.line + 1), what, expected);
  }

 private:
  struct Level {
    YamlNode node;
    YAML::Mark mark;
    YAML::anchor_t anchor;
    std::size_t nodes_before;
    bool has_key = false;  // of a map: a key waits for its value
  };

  void CheckTag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag != "?" && tag != "!" && !tag.empty()) {
      Fail(mark, "tag '" + Quote(tag) + "' has no meaning here", "values without tags");
    }
  }

  void Count(const YAML::Mark& mark, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > settings_.max_nodes) {
      Fail(mark, "there are too many values", fmt::format("at most {}, aliases included", settings_.max_nodes));
    }
  }

  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    CheckTag(mark, tag);
    if (static_cast<int>(levels_.size()) >= settings_.max_depth) {
      Fail(mark, "lists and maps are nested too deeply", fmt::format("at most {} levels", settings_.max_depth));
    }
    Level level{{}, mark, anchor, nodes_};
    level.node.kind = kind;
    levels_.push_back(std::move(level));
  }

  void Close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    Add(level.mark, level.anchor, std::move(level.node), level.nodes_before);
  }

  // A finished node; `nodes_before` there were when it began.
  void Add(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode node, std::size_t nodes_before) {
    Count(mark, 1);
    if (anchor != 0) anchors_[anchor] = {node, nodes_ - nodes_before};
    Put(mark, std::move(node));
  }

  // To where it belongs: the list or map that is open, as key or as value.
  void Put(const YAML::Mark& mark, YamlNode node) {
    node.line = mark.line + 1;
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == YamlNode::Kind::Map && !level.has_key) {
      if (node.kind != YamlNode::Kind::Scalar) Fail(mark, "a key is not a text", "'key: value'");
      if (level.node.keys.size() >= kMaxKeys) {
        Fail(mark, "a map has too many keys", fmt::format("at most {}", kMaxKeys));
      }
      if (std::find(level.node.keys.begin(), level.node.keys.end(), node.text) != level.node.keys.end()) {
        Fail(mark, "key '" + Quote(node.text) + "' is there twice", "each key once");
      }
      level.node.keys.push_back(std::move(node.text));
      level.has_key = true;
      return;
    }
    level.has_key = false;
    level.node.children.push_back(std::move(node));
  }

  const std::string& file_;
  const YamlSettings& settings_;
  YamlNode root_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, std::pair<YamlNode, std::size_t>> anchors_;  // with how many nodes each is
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

std::string_view TakeKey(std::string_view* path) {
  const std::size_t end = path->find('.');
  const std::string_view key = path->substr(0, end);
  path->remove_prefix(end == std::string_view::npos ? path->size() : end + 1);
  return key;
}

// The element of a list by number or name, or the value of a key; null if there is none.
const YamlNode* FindChild(const YamlNode& node, std::string_view key) {
  if (node.kind != YamlNode::Kind::List) return node.Find(key);
  if (const auto index = ParseInteger(key)) {
    return *index >= 0 && static_cast<std::size_t>(*index) < node.children.size()
               ? &node.children[static_cast<std::size_t>(*index)]
               : nullptr;
  }
  for (const YamlNode& child : node.children) {
    const YamlNode* name = child.Find("name");
    if (name && name->text == key) return &child;
  }
  return nullptr;
}

std::vector<std::string> ChildNames(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::List) return node.keys;
  std::vector<std::string> names;
  for (const YamlNode& child : node.children) {
    const YamlNode* name = child.Find("name");
    names.push_back(name ? name->text : std::to_string(names.size()));
  }
  return names;
}

[[noreturn]] void FailMissing(const YamlNode& node, std::string_view key, std::string_view path,
                              const std::string& source) {
  throw InputError(Quote(source, 200), fmt::format("there is no '{}' in '{}'", Quote(key), Quote(path, 200)),
                   SuggestName(key, ChildNames(node)));
}

int AddSource(const std::string& source, YamlDocument* document) {
  document->sources.push_back(Quote(source, 200));
  return static_cast<int>(document->sources.size()) - 1;
}

void SetSource(int source, YamlNode* node) {
  node->source = source;
  for (YamlNode& child : node->children) SetSource(source, &child);
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &children[i];
  }
  return nullptr;
}

YamlNode* YamlNode::Find(std::string_view key) { return const_cast<YamlNode*>(std::as_const(*this).Find(key)); }

std::string YamlDocument::Place(const YamlNode& node) const {
  const std::string& source = sources[static_cast<std::size_t>(node.source)];
  return node.source == 0 ? fmt::format("{}:{}", source, node.line) : source;
}

YamlDocument ParseYaml(std::string_view text, const std::string& file, const YamlSettings& settings) {
  if (text.size() > settings.max_bytes) {
    throw InputError(file, fmt::format("it has {} bytes", text.size()), fmt::format("at most {}", settings.max_bytes));
  }
  // The parser would take what follows for part of a name.
  const std::size_t zero = text.find('\0');
  Require(zero == std::string_view::npos, file, fmt::format("there is a zero byte at {}", zero), "a text file");
  TreeBuilder builder(file, settings);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    throw InputError(fmt::format("{}:{}", file, std::max(error.mark.line, 0) + 1),
                     "this is no YAML: " + Quote(error.msg, 200), "a YAML file");
  }
  return {builder.Take(), {file}};
}

void SetYamlValue(std::string_view path, std::string_view value, const std::string& source, YamlDocument* document) {
  YamlNode parsed = ParseYaml(value, source).root;
  std::string_view rest = path;
  YamlNode* node = &document->root;
  Require(!path.empty(), source, "there is no key", "key=value");
  while (!rest.empty()) {
    const std::string_view key = TakeKey(&rest);
    YamlNode* child = const_cast<YamlNode*>(FindChild(*node, key));
    if (!child) {
      const bool open = node->kind == YamlNode::Kind::Map || node->kind == YamlNode::Kind::Null;
      // A new key at the top is taken, as everything there has a default; misspelt ones are found when it is read.
      if (!open || key.empty()) FailMissing(*node, key, path, source);
      node->kind = YamlNode::Kind::Map;
      node->keys.emplace_back(key);
      node->children.emplace_back();
      child = &node->children.back();
      child->line = node->line;
    }
    node = child;
  }
  const int line = node->line;
  *node = std::move(parsed);
  SetSource(AddSource(source, document), node);
  node->line = line;
}

const YamlNode& FindYamlNode(std::string_view path, const std::string& source, const YamlDocument& document) {
  std::string_view rest = path;
  const YamlNode* node = &document.root;
  while (!rest.empty()) {
    const std::string_view key = TakeKey(&rest);
    const YamlNode* child = FindChild(*node, key);
    if (!child) FailMissing(*node, key, path, source);
    node = child;
  }
  return *node;
}

std::string FindNearest(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 64;
  if (name.size() > kLongest) return "";
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;  // more changes than that are another word
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    // Edit distance, one row of the table at a time; a swap of neighbours counts as two.
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t replaced = diagonal + (name[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row.back() < least) {
      least = row.back();
      nearest = candidate;
    }
  }
  return nearest;
}

std::string SuggestName(std::string_view name, const std::vector<std::string>& candidates) {
  if (const std::string nearest = FindNearest(name, candidates); !nearest.empty()) {
    return "did you mean '" + Quote(nearest) + "'?";
  }
  if (candidates.empty()) return "nothing is there";
  std::string all = "one of ";
  constexpr std::size_t kMost = 30;
  for (std::size_t i = 0; i < std::min(candidates.size(), kMost); ++i) {
    all += (i == 0 ? "'" : ", '") + Quote(candidates[i]) + "'";
  }
  return candidates.size() > kMost ? all + ", ..." : all;
}

}  // namespace tactus
