// Keys that say which nodes or segments of a deformable are meant. For scene/ only.
#pragma once

#include <vector>

#include "tactus/scene/scene_tables.h"

namespace tactus::scene {

/// T has a member `items` of type SceneItems.
template <typename T>
void AddItemKeys(Keys<T>* keys) {
  const Codec<std::vector<int>> numbers = List(Integer(-10000000, 10000000), 1000000);
  keys->AddRead(
      "items", [numbers](const Cursor& cursor, T* out) { numbers.read(cursor, &out->items.items); }, numbers.schema,
      "nodes or segments by number; negative from the end");
  const Codec<Vector3> corner = Vector(Within(-1e6, 1e6, "m"));
  keys->AddRead(
      "low", [corner](const Cursor& cursor, T* out) { corner.read(cursor, &out->items.low.emplace()); }, corner.schema,
      "of a box in its own frame: all in there [m]");
  keys->AddRead(
      "high", [corner](const Cursor& cursor, T* out) { corner.read(cursor, &out->items.high.emplace()); },
      corner.schema, "of the box [m]");
}

inline void CheckItems(const Cursor& cursor, const SceneItems& items) {
  if (items.low.has_value() != items.high.has_value()) cursor.Fail("one of low and high is there alone", "both");
  if (items.items.empty() && !items.low) cursor.Fail("it names nothing", "items, or low and high");
}

}  // namespace tactus::scene
