// XML files with errors that say where: "file:line: <joint name='a'>: attribute 'xyz' is '1 0' (expected: 3 numbers)".
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/core/types.h"

namespace tinyxml2 {
class XMLElement;
}

namespace tactus {

struct XmlSettings {
  std::size_t max_bytes = 1 << 26;     ///< of one file
  int max_depth = 100;                 ///< of elements within elements
  std::size_t max_elements = 1000000;  ///< in one file; closing tags and comments count too
};

/// An element of an XmlDocument, and good as long as that is.
class XmlElement {
 public:
  XmlElement(const tinyxml2::XMLElement* element, const std::string* file) : element_(element), file_(file) {}

  std::string_view tag() const;
  int line() const;
  /// "file:line: <tag name='...'>", or "file:line: <tag> in <parent name='...'>" where it has none.
  std::string where() const;
  /// "file:line".
  std::string place() const;

  bool Has(const char* attribute) const;
  std::vector<std::string_view> AttributeNames() const;
  /// Its text; empty if there is no such attribute.
  std::string_view Text(const char* attribute) const;
  /// InputError if it is missing or empty.
  std::string_view RequireText(const char* attribute) const;
  /// The text between the element's tags, up to its first child.
  std::string_view Content() const;

  double Number(const char* attribute, double otherwise) const;
  double RequireNumber(const char* attribute) const;
  long long Integer(const char* attribute, long long otherwise) const;
  /// From `least` to `most` finite numbers; InputError if it is missing.
  std::vector<double> RequireNumbers(const char* attribute, std::size_t least, std::size_t most) const;
  Vector3 RequireVector3(const char* attribute) const;
  Vector3 Vector3Or(const char* attribute, const Vector3& otherwise) const;
  /// Place of the text among `values`.
  std::size_t RequireOneOf(const char* attribute, std::initializer_list<const char*> values) const;

  std::vector<XmlElement> Children() const;
  std::vector<XmlElement> Children(const char* tag) const;
  /// The child of this tag, of which there must not be two.
  std::optional<XmlElement> OnlyChild(const char* tag) const;
  XmlElement RequireChild(const char* tag) const;

  /// Throws InputError(where(), what, expected).
  [[noreturn]] void Fail(const std::string& what, const std::string& expected) const;
  /// The same about the text of an attribute.
  [[noreturn]] void FailAttribute(const char* attribute, const std::string& expected) const;

 private:
  const tinyxml2::XMLElement* element_;
  const std::string* file_;
};

class XmlDocument {
 public:
  /// `file` is its name in messages. InputError if the text is not well-formed XML with one root element, or beyond
  /// the limits of `settings`.
  static XmlDocument Parse(std::string_view text, const std::string& file, const XmlSettings& settings = {});

  XmlElement root() const;
  const std::string& file() const;

 private:
  struct Content;
  std::shared_ptr<const Content> content_;
};

}  // namespace tactus
