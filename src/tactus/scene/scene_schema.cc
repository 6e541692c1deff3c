// The JSON schema of scene files, out of the tables that read them.
#include <nlohmann/json.hpp>

#include "tactus/scene/scene_tables.h"

namespace tactus {

std::string MakeSceneSchema() {
  using Json = nlohmann::ordered_json;
  const std::vector<const scene::TableInfo*> tables = scene::AllTables();
  Json schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "Scenes of tactus";
  schema["$ref"] = "#/$defs/" + tables.front()->name;
  for (const scene::TableInfo* table : tables) {
    Json& entry = schema["$defs"][table->name];
    entry["description"] = table->help;
    entry["type"] = "object";
    entry["additionalProperties"] = false;
    Json required = Json::array();
    if (!table->type.empty()) {
      entry["properties"]["type"] = {{"const", table->type}};
      required.push_back("type");
    }
    for (const scene::KeyInfo& key : table->keys) {
      Json value = Json::parse(key.schema);
      value["description"] = key.help;
      if (!key.standard.empty()) value["default"] = Json::parse(key.standard);
      entry["properties"][key.key] = value;
      if (key.required) required.push_back(key.key);
    }
    // Maps in lists may be repeated (expand_scene.h).
    if (table != tables.front()) {
      entry["properties"]["repeat"] = {{"type", {"integer", "string", "object"}},
                                       {"description", "of an element of a list: how often, counted by i"}};
    }
    if (!required.empty()) entry["required"] = required;
  }
  return schema.dump(2) + "\n";
}

}  // namespace tactus
