// The tables of keys for people: a page of the documentation, and text for a terminal.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tactus/core/error.h"
#include "tactus/io/parse_number.h"
#include "tactus/scene/scene_tables.h"

namespace tactus {

namespace {

using Json = nlohmann::ordered_json;
using scene::KeyInfo;
using scene::TableInfo;

std::string RefName(const Json& schema) {
  const std::string ref = schema["$ref"];
  return ref.substr(ref.rfind('/') + 1);
}

std::string DescribeRange(const Json& schema, const char* what) {
  std::string text = what;
  const bool open = schema.contains("exclusiveMinimum"), lower = open || schema.contains("minimum");
  const bool upper = schema.contains("maximum");
  const auto show = [&](const char* key) { return fmt::format("{:g}", schema[key].get<double>()); };
  if (lower) text += (open ? " > " : " >= ") + show(open ? "exclusiveMinimum" : "minimum");
  if (upper) text += (lower ? ", <= " : " <= ") + show("maximum");
  return text;
}

// What a key takes, out of its schema.
std::string DescribeTakes(const Json& schema) {
  if (schema.contains("$ref")) return RefName(schema);
  if (schema.contains("oneOf")) {
    // All kinds of one sort: sensor_pose, sensor_velocity, ...
    const std::string first = RefName(schema["oneOf"][0]);
    return first.substr(0, first.find('_')) + "_...";
  }
  if (schema.contains("anyOf")) {
    std::string text;
    for (const Json& item : schema["anyOf"]) text += (text.empty() ? "" : " or ") + DescribeTakes(item);
    return text;
  }
  if (schema.contains("enum")) {
    std::string text;
    for (const Json& item : schema["enum"]) text += (text.empty() ? "" : ", ") + item.get<std::string>();
    return text;
  }
  const Json& type = schema["type"];
  if (type.is_array()) return DescribeRange(schema, "number");
  if (type == "integer") return DescribeRange(schema, "whole number");
  if (type == "boolean") return "true, false";
  if (type == "string") return schema.contains("pattern") ? "name" : "text";
  if (type == "array") {
    const std::string items = DescribeTakes(schema["items"]);
    const bool exact = schema.contains("minItems") && schema["minItems"] == schema["maxItems"];
    return exact ? fmt::format("{} of: {}", schema["maxItems"].get<int>(), items) : "list of: " + items;
  }
  return "map of: " + DescribeTakes(schema["additionalProperties"]);
}

struct Row {
  std::string key, takes, standard, help;
};

std::vector<Row> MakeRows(const TableInfo& table) {
  std::vector<Row> rows;
  if (!table.type.empty()) rows.push_back({"type", table.type, "required", "which kind it is"});
  for (const KeyInfo& key : table.keys) {
    std::string standard = key.required ? "required" : key.standard.empty() ? "none" : key.standard;
    if (standard.size() > 1 && standard.front() == '"') standard = standard.substr(1, standard.size() - 2);
    rows.push_back({key.key, DescribeTakes(Json::parse(key.schema)), standard, key.help});
  }
  return rows;
}

std::string EscapeCell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string MakeSceneKeysPage() {
  std::string page = R"(# Keys of scene files

Every kind of map in a scene file and its keys, made of the tables that read them (`tactus scenes --keys` prints the
same). How values are written, and what the rest means, is in [scenes.md](scenes.md). "required" keys must be there;
"none" means that there is nothing unless the key is there, or that its meaning says what holds ("else ..."). Units are in
brackets, where two are given the first is for joints that turn.
)";
  for (const TableInfo* table : scene::AllTables()) {
    page += fmt::format("\n## {}\n\n{}\n\n", table->name, table->help);
    const std::vector<Row> rows = MakeRows(*table);
    if (rows.empty()) continue;
    page += "| key | takes | default | meaning |\n| --- | --- | --- | --- |\n";
    for (const Row& row : rows) {
      page += fmt::format("| `{}` | {} | {} | {} |\n", row.key, EscapeCell(row.takes), EscapeCell(row.standard),
                          EscapeCell(row.help));
    }
  }
  return page;
}

std::string DescribeSceneKeys(const std::string& table) {
  std::string text;
  std::vector<std::string> names;
  for (const TableInfo* info : scene::AllTables()) {
    names.push_back(info->name);
    if (!info->name.starts_with(table)) continue;
    const std::vector<Row> rows = MakeRows(*info);
    std::size_t widths[3] = {0, 0, 0};
    for (const Row& row : rows) {
      widths[0] = std::max(widths[0], row.key.size());
      widths[1] = std::max(widths[1], std::min<std::size_t>(row.takes.size(), 40));
      widths[2] = std::max(widths[2], row.standard.size());
    }
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", info->name, info->help);
    for (const Row& row : rows) {
      text += fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}\n", row.key, widths[0], row.takes, widths[1], row.standard,
                          widths[2], row.help);
    }
  }
  Require(!text.empty(), "keys", "there is no kind of map '" + Quote(table) + "' in scene files",
          SuggestName(table, names));
  return text;
}

}  // namespace tactus
