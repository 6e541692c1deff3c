// YAML files as plain trees that know their lines. Whatever the bytes are, the answer is a tree within the limits or an
// InputError with the place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

struct YamlSettings {
  std::size_t max_bytes = 1 << 22;  ///< of a file
  int max_depth = 40;               ///< of lists and maps within each other
  std::size_t max_nodes = 1 << 18;  ///< all of them; an alias counts as what it stands for
  std::size_t max_text = 1 << 16;   ///< characters of one value
};

struct YamlNode {
  enum class Kind { Null, Scalar, List, Map };
  Kind kind = Kind::Null;
  std::string text;                ///< of a Scalar
  std::vector<std::string> keys;   ///< of a Map: one for each child, all different
  std::vector<YamlNode> children;  ///< of a List or a Map
  int line = 0;                    ///< from 1
  int source = 0;                  ///< of YamlDocument::sources

  /// The value of a key; null if there is none, or this is no map.
  const YamlNode* Find(std::string_view key) const;
  YamlNode* Find(std::string_view key);
};

struct YamlDocument {
  YamlNode root;
  std::vector<std::string> sources;  ///< the file's name, then what set values afterwards

  /// "file:line", or the other source as it is.
  std::string Place(const YamlNode& node) const;
};

/// `file` is its name in messages. Aliases are copied; tags are refused, and so is more than one document.
YamlDocument ParseYaml(std::string_view text, const std::string& file, const YamlSettings& settings = {});

/// Sets a value: "objects.cube.mass", where a list's element goes by its number or by the value of its key `name`. The
/// last key may be new. `value` is YAML. `source` is the place in messages about the value, e.g. "--set a.b=1".
void SetYamlValue(std::string_view path, std::string_view value, const std::string& source, YamlDocument* document);

/// The node at a path, as above; InputError with `source` if it is not there.
const YamlNode& FindYamlNode(std::string_view path, const std::string& source, const YamlDocument& document);

/// The one of `candidates` that `name` is most likely a misspelling of; empty if it resembles none.
std::string FindNearest(std::string_view name, const std::vector<std::string>& candidates);

/// "did you mean 'x'?" or else "one of 'a', 'b', ...".
std::string SuggestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tactus
