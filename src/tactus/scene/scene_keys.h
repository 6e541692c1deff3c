// How scene files are read: tables of keys, one for each kind of map in a file. A table reads a map into a struct,
// refuses what it does not know, and describes itself for the JSON schema; so the two cannot disagree. For scene/ only.
#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tactus/core/types.h"
#include "tactus/scene/yaml_tree.h"

namespace tactus::scene {

struct Context;

/// A value of the file and the way to it, with errors that say where: "file:line: objects.cube.mass: ...".
class Cursor {
 public:
  Cursor(const YamlDocument* document, const YamlNode* node, Context* context)
      : document_(document), node_(node), context_(context) {}

  const YamlNode& node() const { return *node_; }
  Context& context() const { return *context_; }
  const std::string& path() const { return path_; }
  /// "file:line: path".
  std::string where() const;
  bool IsText() const { return node_->kind == YamlNode::Kind::Scalar; }
  bool IsList() const { return node_->kind == YamlNode::Kind::List; }
  bool IsMap() const { return node_->kind == YamlNode::Kind::Map; }
  bool Has(std::string_view key) const { return node_->Find(key) != nullptr; }
  /// Of a map: its key `key`, which must be there.
  Cursor Key(const std::string& key) const;
  /// Of a list or a map.
  std::size_t size() const { return node_->children.size(); }
  Cursor At(std::size_t index) const;

  [[noreturn]] void Fail(const std::string& what, const std::string& expected) const;
  /// "is 'text'" or "is a list".
  [[noreturn]] void FailValue(const std::string& expected) const;
  void RequireMap() const;

 private:
  const YamlDocument* document_;
  const YamlNode* node_;
  Context* context_;
  std::string path_;
};

/// How a value is read, and what it looks like: a JSON schema as text.
template <typename V>
struct Codec {
  std::function<void(const Cursor&, V*)> read;
  std::string schema;
  /// A value as JSON, for defaults; empty: there is nothing to say.
  std::function<std::string(const V&)> show = {};

  std::string Show(const V& value) const { return show ? show(value) : ""; }
};

/// Numbers as JSON: "inf" is a text, and fractions stay so if that is shorter.
std::string ShowNumber(double value);

/// Which numbers are taken.
struct NumberRule {
  double least = -1e12;
  double most = 1e12;
  bool open = false;  ///< `least` itself is not taken
  const char* unit = "";
};
inline constexpr NumberRule AtLeast(double least, const char* unit = "") { return {least, 1e12, false, unit}; }
inline constexpr NumberRule Above(double least, const char* unit = "") { return {least, 1e12, true, unit}; }
inline constexpr NumberRule Within(double least, double most, const char* unit = "") {
  return {least, most, false, unit};
}
inline constexpr NumberRule AnyNumber(const char* unit = "") { return {-1e12, 1e12, false, unit}; }

/// "2.5", or a fraction "1/240".
Codec<double> Number(const NumberRule& rule);
/// In radians, or "90 deg".
Codec<double> Angle();
/// A number or "inf".
Codec<double> NumberOrInfinity(const NumberRule& rule);
Codec<int> Integer(int least, int most);
Codec<bool> Bool();
Codec<std::string> Text(std::size_t longest = 4096);
/// Of something that others refer to: letters, digits, '_' and '-'; no number, and not 'world'.
Codec<std::string> Name();
Codec<Vector3> Vector(const NumberRule& rule);
Codec<Vector3> AngleVector();
/// From `least` to `most` numbers.
Codec<std::vector<double>> Numbers(const NumberRule& rule, std::size_t least, std::size_t most);

template <typename E>
struct Option {
  const char* name;
  E value;
};
std::string ChoiceSchema(const std::vector<std::string>& names);
std::size_t ReadChoice(const Cursor& cursor, const std::vector<std::string>& names);

template <typename E>
Codec<E> Choice(std::initializer_list<Option<E>> options) {
  std::vector<std::string> names;
  std::vector<E> values;
  for (const Option<E>& option : options) {
    names.emplace_back(option.name);
    values.push_back(option.value);
  }
  const std::string schema = ChoiceSchema(names);
  return {[names, values](const Cursor& cursor, E* out) { *out = values[ReadChoice(cursor, names)]; }, schema,
          [names, values](const E& value) {
            for (std::size_t i = 0; i < values.size(); ++i) {
              if (values[i] == value) return "\"" + names[i] + "\"";
            }
            return std::string();
          }};
}

template <typename V>
Codec<std::optional<V>> Maybe(const Codec<V>& codec) {
  return {[codec](const Cursor& cursor, std::optional<V>* out) { codec.read(cursor, &out->emplace()); }, codec.schema,
          [codec](const std::optional<V>& value) { return value ? codec.Show(*value) : ""; }};
}

void CheckListSize(const Cursor& cursor, std::size_t most);
std::string ListSchema(const std::string& items, std::size_t most);
std::string MapSchema(const std::string& values);

template <typename V>
Codec<std::vector<V>> List(const Codec<V>& codec, std::size_t most) {
  return {[codec, most](const Cursor& cursor, std::vector<V>* out) {
            CheckListSize(cursor, most);
            out->resize(cursor.size());
            for (std::size_t i = 0; i < cursor.size(); ++i) codec.read(cursor.At(i), &(*out)[i]);
          },
          ListSchema(codec.schema, most)};
}

/// Names with values, in the file's order.
template <typename V>
Codec<std::vector<std::pair<std::string, V>>> MapOf(const Codec<V>& codec) {
  return {[codec](const Cursor& cursor, std::vector<std::pair<std::string, V>>* out) {
            cursor.RequireMap();
            for (std::size_t i = 0; i < cursor.size(); ++i) {
              out->emplace_back(cursor.node().keys[i], V());
              codec.read(cursor.At(i), &out->back().second);
            }
          },
          MapSchema(codec.schema)};
}

/// What the schema says about a table of keys.
struct KeyInfo {
  std::string key, schema, help;
  bool required = false;
  std::string standard = {};  ///< what holds if the key is not there, as JSON; empty: nothing, or `help` says what
};
struct TableInfo {
  std::string name, help, type;  ///< `type`: the value that its key "type" must have, empty: it has none
  std::vector<KeyInfo> keys;
};

/// Refuses keys that are not in the table, and maps without those that it requires.
void CheckKeys(const Cursor& cursor, const TableInfo& table);

/// The keys of one kind of map.
template <typename T>
class Keys {
 public:
  /// `type` is for kinds that are told apart by their key "type".
  Keys(std::string name, std::string help, std::string type = "") {
    info_.name = std::move(name);
    info_.help = std::move(help);
    info_.type = std::move(type);
  }

  template <typename V>
  Keys& Add(const char* key, V T::*member, const std::type_identity_t<Codec<V>>& codec, const char* help) {
    AddRead(
        key, [member, codec](const Cursor& cursor, T* out) { codec.read(cursor, &(out->*member)); }, codec.schema,
        help);
    return Default(codec.Show(T().*member));
  }
  Keys& AddRead(const char* key, std::function<void(const Cursor&, T*)> read, const std::string& schema,
                const char* help) {
    info_.keys.push_back({key, schema, help, false});
    reads_.push_back(std::move(read));
    return *this;
  }
  /// Of the last key, as JSON.
  Keys& Default(const std::string& json) {
    info_.keys.back().standard = json;
    return *this;
  }
  /// The last key must be there.
  Keys& Required() {
    info_.keys.back().required = true;
    info_.keys.back().standard.clear();
    return *this;
  }
  /// Called when all keys are read, for checks across them.
  Keys& Finally(std::function<void(const Cursor&, T*)> check) {
    finally_ = std::move(check);
    return *this;
  }

  /// In the order of the table.
  void Read(const Cursor& cursor, T* out) const {
    CheckKeys(cursor, info_);
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      if (cursor.Has(info_.keys[i].key)) reads_[i](cursor.Key(info_.keys[i].key), out);
    }
    if (finally_) finally_(cursor, out);
  }

  const TableInfo& info() const { return info_; }
  std::string schema() const { return "{\"$ref\": \"#/$defs/" + info_.name + "\"}"; }

 private:
  TableInfo info_;
  std::vector<std::function<void(const Cursor&, T*)>> reads_;
  std::function<void(const Cursor&, T*)> finally_;
};

/// A map that a table reads. The table must stay.
template <typename T>
Codec<T> Object(const Keys<T>& keys) {
  return {[&keys](const Cursor& cursor, T* out) { keys.Read(cursor, out); }, keys.schema()};
}

/// Maps of several kinds, told apart by their key "type".
template <typename T>
struct Kind {
  Keys<T> keys;
  std::function<void(T*)> begin = {};  ///< before its keys are read
};
std::size_t FindKind(const Cursor& cursor, const std::vector<std::string>& types);
std::string KindSchema(const std::vector<const TableInfo*>& tables);

template <typename T>
Codec<T> OneOf(const std::vector<Kind<T>>& kinds) {
  std::vector<std::string> types;
  std::vector<const TableInfo*> tables;
  for (const Kind<T>& kind : kinds) {
    types.push_back(kind.keys.info().type);
    tables.push_back(&kind.keys.info());
  }
  return {[&kinds, types](const Cursor& cursor, T* out) {
            const Kind<T>& kind = kinds[FindKind(cursor, types)];
            if (kind.begin) kind.begin(out);
            kind.keys.Read(cursor, out);
          },
          KindSchema(tables)};
}

}  // namespace tactus::scene
