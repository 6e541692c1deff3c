#include "tactus/io/warning_list.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tactus/io/parse_number.h"

namespace tactus {

namespace {

constexpr std::size_t kNames = 5;
// A hostile file could have a million kinds.
constexpr std::size_t kKinds = 1000;

bool IsIn(std::string_view text, std::initializer_list<const char*> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

void WarningList::Add(const XmlElement& at, const std::string& text) {
  entries_.push_back({fmt::format("{}: {}", at.where(), text), 0, {}});
}

void WarningList::AddLeftOut(const XmlElement& at, const std::string& kind, const std::string& reason,
                             std::string_view name) {
  AddCounted(at, fmt::format("{} is left out: {}", kind, reason), name);
}

void WarningList::AddCounted(const XmlElement& at, const std::string& text, std::string_view name) {
  const bool full = counted_.size() >= kKinds && !counted_.contains(text);
  const auto [it, added] = counted_.try_emplace(full ? "" : text, entries_.size());
  if (added) {
    entries_.push_back({fmt::format("{}: {}", at.place(), full ? "more of other kinds is left out" : text), 0, {}});
  }
  Entry& entry = entries_[it->second];
  ++entry.count;
  if (!name.empty() && entry.names.size() < kNames) entry.names.push_back(fmt::format("'{}'", Quote(name)));
}

void WarningList::AddUnknown(const XmlElement& element, std::initializer_list<const char*> tags,
                             std::initializer_list<const char*> attributes) {
  for (const XmlElement& child : element.Children()) {
    if (IsIn(child.tag(), tags)) continue;
    const std::string kind = fmt::format("<{}> in <{}>", Quote(child.tag()), Quote(element.tag()));
    AddLeftOut(child, kind, "it is not known here", child.Text("name"));
  }
  for (const std::string_view name : element.AttributeNames()) {
    if (IsIn(name, attributes) || name.substr(0, 5) == "xmlns") continue;
    const std::string kind = fmt::format("attribute '{}' of <{}>", Quote(name), Quote(element.tag()));
    AddLeftOut(element, kind, "it is not known here", element.Text("name"));
  }
}

std::vector<std::string> WarningList::Take() {
  std::vector<std::string> warnings;
  for (const Entry& entry : entries_) {
    std::string text = entry.text;
    const auto named = static_cast<int>(entry.names.size());
    if (entry.count > 1) text += fmt::format(" ({} of them", entry.count);
    if (entry.count == 1 && named > 0) text += " (";
    if (named > 0) text += fmt::format("{}{}", entry.count > 1 ? ": " : "", fmt::join(entry.names, ", "));
    if (named > 0 && named < entry.count) text += ", ...";
    if (entry.count > 1 || named > 0) text += ")";
    warnings.push_back(std::move(text));
  }
  entries_.clear();
  counted_.clear();
  return warnings;
}

}  // namespace tactus
