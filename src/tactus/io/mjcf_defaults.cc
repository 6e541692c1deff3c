#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tactus/io/mjcf_element.h"
#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

namespace {

constexpr const char* kTags[] = {"mesh",   "material", "texture",     "joint",       "geom",   "site",
                                 "camera", "light",    "pair",        "equality",    "tendon", "general",
                                 "motor",  "position", "velocity",    "intvelocity", "damper", "cylinder",
                                 "muscle", "adhesion", "orientation", "pid",         "dcmotor"};

}  // namespace

void Defaults::Read(const Node& section, WarningList* warnings) {
  const std::string_view name = section.xml.Text("class");
  if (!name.empty() && name != "main") section.xml.FailAttribute("class", "'main', or none, for the topmost class");
  constexpr int kMostSections = 100;
  if (++sections_ > kMostSections) {
    section.xml.Fail("too many <default> sections", fmt::format("at most {}", kMostSections));
  }
  names_.emplace("main", 0);
  ReadClass(section, 0, warnings);
}

void Defaults::ReadClass(const Node& node, int index, WarningList* warnings) {
  CheckAttributes(node.xml, "default", warnings);
  std::set<std::string_view> tags;
  for (const Node& child : node.children) {
    if (child.tag() == "default") continue;
    if (std::find(std::begin(kTags), std::end(kTags), child.tag()) == std::end(kTags)) {
      child.xml.Fail("unknown element in <default>", fmt::format("{}", fmt::join(kTags, ", ")));
    }
    // <default> speaks of all equality constraints and tendons at once.
    const bool shared = child.tag() == "equality" || child.tag() == "tendon";
    CheckAttributes(child.xml, shared ? fmt::format("default {}", child.tag()) : std::string(child.tag()), warnings);
    if (!tags.insert(child.tag()).second) child.xml.Fail("a second one in this class", "one at most");
    classes_[static_cast<std::size_t>(index)].elements.push_back(child.xml);
  }
  for (const Node& child : node.children) {
    if (child.tag() != "default") continue;
    const std::string name(child.xml.RequireText("class"));
    const int made = static_cast<int>(classes_.size());
    if (!names_.emplace(name, made).second) child.xml.Fail("there is another class of that name", "every name once");
    classes_.push_back({index, classes_[0].elements.size(), {}});
    ReadClass(child, made, warnings);
  }
}

int Defaults::Find(const XmlElement& element, const char* attribute, int otherwise) const {
  if (!element.Has(attribute)) return otherwise;
  const std::string_view name = element.Text(attribute);
  if (name == "main") return 0;
  const auto found = names_.find(name);
  if (found == names_.end()) element.FailAttribute(attribute, "the name of a default class");
  return found->second;
}

std::vector<XmlElement> Defaults::Elements(int index) const {
  std::vector<XmlElement> found;
  const std::size_t from_main =
      index == 0 ? classes_[0].elements.size() : classes_[static_cast<std::size_t>(index)].from_main;
  for (int i = index; i >= 0; i = classes_[static_cast<std::size_t>(i)].parent) {
    const std::vector<XmlElement>& own = classes_[static_cast<std::size_t>(i)].elements;
    const auto count = static_cast<std::ptrdiff_t>(i == 0 ? from_main : own.size());
    found.insert(found.end(), std::make_reverse_iterator(own.begin() + count), own.rend());
  }
  return found;
}

Element Defaults::Apply(const XmlElement& element, int scope, std::string_view tag) const {
  const std::string_view wanted = tag.empty() ? element.tag() : tag;
  const int index = Find(element, "class", scope);
  const auto [entry, added] = found_.try_emplace({index, std::string(wanted)});
  if (added) {
    entry->second = Elements(index);
    std::erase_if(entry->second, [&](const XmlElement& e) { return e.tag() != wanted; });
  }
  return Element(element, entry->second);
}

}  // namespace tactus::mjcf
