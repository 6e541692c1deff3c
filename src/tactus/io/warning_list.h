// What a loader has to say about a file that it takes: "file:line: ...", in the order of discovery.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/io/xml_document.h"

namespace tactus {

class WarningList {
 public:
  /// "where: text".
  void Add(const XmlElement& at, const std::string& text);

  /// Something that is left out. All of one `kind` make one warning, at the first, that counts them and names some:
  /// "file:line: <kind> is left out: reason (3 of them: 'a', 'b', 'c')".
  void AddLeftOut(const XmlElement& at, const std::string& kind, const std::string& reason, std::string_view name);

  /// The same with a text of its own: "file:line: text (3 of them: 'a', 'b', 'c')".
  void AddCounted(const XmlElement& at, const std::string& text, std::string_view name);

  /// Calls AddLeftOut for children and attributes that are not in these lists.
  void AddUnknown(const XmlElement& element, std::initializer_list<const char*> tags,
                  std::initializer_list<const char*> attributes);

  std::vector<std::string> Take();

 private:
  struct Entry {
    std::string text;
    int count = 0;  // 0: as it stands
    std::vector<std::string> names;
  };
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> counted_;
};

}  // namespace tactus
