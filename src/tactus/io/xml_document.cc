#include "tactus/io/xml_document.h"

#include <algorithm>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "tactus/core/error.h"
#include "tactus/io/parse_number.h"

namespace tactus {

namespace {

std::string_view View(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }

// Looks over the text before tinyxml2 does, whose memory is a large multiple of the number of elements, and whose time
// grows with the square of the number of attributes of one element and of open character references.
class MarkupCheck {
 public:
  MarkupCheck(std::string_view text, const std::string& file, const XmlSettings& settings)
      : text_(text), file_(file), settings_(settings) {}

  void Run() {
    std::size_t elements = 0, attributes = 0;
    while (at_ < text_.size()) {
      if (text_[at_] == '&') CheckReference();
      if (text_[at_++] != '<') continue;
      if (++elements > settings_.max_elements) {
        Fail("too many elements", fmt::format("at most {} in a file", settings_.max_elements));
      }
      if (Skip("!--", "-->") || Skip("![CDATA[", "]]>") || Skip("?", "?>") || Skip("!", ">")) continue;
      attributes += ReadTag();
      if (attributes > 8 * settings_.max_elements) Fail("too many attributes", "fewer");
    }
  }

 private:
  static constexpr std::size_t kMostAttributes = 100;

  // At `begin`: goes on behind `end`.
  bool Skip(std::string_view begin, std::string_view end) {
    if (text_.substr(at_, begin.size()) != begin) return false;
    const std::size_t found = text_.find(end, at_ + begin.size());
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
    return true;
  }

  // To the end of a tag. Returns the number of its attributes.
  std::size_t ReadTag() {
    std::size_t count = 0;
    char quote = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '&') CheckReference();
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '=') {
        if (++count > kMostAttributes)
          Fail("an element has too many attributes", fmt::format("at most {}", kMostAttributes));
      } else if (c == '>') {
        ++at_;
        break;
      }
    }
    return count;
  }

  void CheckReference() const {
    constexpr std::size_t kLongest = 12;
    if (text_.substr(at_, 2) == "&#" && text_.substr(at_, kLongest).find(';') == std::string_view::npos) {
      Fail("not well-formed XML: broken character reference", "well-formed XML");
    }
  }

  [[noreturn]] void Fail(const std::string& what, const std::string& expected) const {
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
    throw InputError(fmt::format("{}:{}", file_, 1 + std::count(text_.begin(), end, '\n')), what, expected);
  }

  std::string_view text_;
  const std::string& file_;
  const XmlSettings& settings_;
  std::size_t at_ = 0;
};

// Walks over all elements without recursion; tinyxml2 has a limit of its own, but not ours.
void CheckDepth(const tinyxml2::XMLElement* root, const std::string& file, const XmlSettings& settings) {
  int depth = 1;
  const tinyxml2::XMLElement* element = root;
  while (element != nullptr) {
    if (depth > settings.max_depth) {
      XmlElement(element, &file)
          .Fail("elements are nested too deeply", fmt::format("at most {} levels", settings.max_depth));
    }
    if (element->FirstChildElement() != nullptr) {
      element = element->FirstChildElement();
      ++depth;
      continue;
    }
    while (element != root && element->NextSiblingElement() == nullptr) {
      element = element->Parent()->ToElement();
      --depth;
    }
    if (element == root) break;
    element = element->NextSiblingElement();
  }
}

// What went wrong, without tinyxml2's own "Error=... ErrorID=... Line number=...: ".
std::string Describe(const tinyxml2::XMLDocument& document) {
  switch (document.ErrorID()) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT: return "there is no element in it";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "an element is closed that is not the last one opened, or none is";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE: return "broken attribute, or one that is there twice";
    case tinyxml2::XML_ERROR_PARSING_ELEMENT: return "broken element";
    case tinyxml2::XML_ERROR_PARSING_TEXT: return "broken text";
    case tinyxml2::XML_ERROR_PARSING_CDATA: return "broken CDATA section";
    case tinyxml2::XML_ERROR_PARSING_COMMENT: return "broken comment";
    case tinyxml2::XML_ERROR_PARSING_DECLARATION: return "broken declaration";
    case tinyxml2::XML_ERROR_PARSING_UNKNOWN: return "broken <!...> section";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED: return "elements are nested too deeply";
    default: return std::string("not readable: ") + document.ErrorName();
  }
}

std::string CountText(std::size_t least, std::size_t most) {
  if (least == most) return fmt::format("{} number{}", least, least == 1 ? "" : "s");
  return fmt::format("{} to {} numbers", least, most);
}

}  // namespace

std::string_view XmlElement::tag() const { return View(element_->Name()); }

int XmlElement::line() const { return element_->GetLineNum(); }

std::string XmlElement::place() const { return fmt::format("{}:{}", *file_, line()); }

std::string XmlElement::where() const {
  std::string text = fmt::format("{}: <{}", place(), Quote(tag()));
  // An element without a name is told by the one that it belongs to.
  for (const tinyxml2::XMLElement* e = element_; e != nullptr; e = e->Parent()->ToElement()) {
    if (e != element_ && e == e->GetDocument()->RootElement()) break;
    if (const char* name = e->Attribute("name")) {
      if (e != element_) text += fmt::format("> in <{}", Quote(View(e->Name())));
      text += fmt::format(" name='{}'", Quote(name));
      break;
    }
  }
  return text + ">";
}

void XmlElement::Fail(const std::string& what, const std::string& expected) const {
  throw InputError(where(), what, expected);
}

void XmlElement::FailAttribute(const char* attribute, const std::string& expected) const {
  if (!Has(attribute)) Fail(fmt::format("attribute '{}' is missing", attribute), expected);
  const std::string_view text = Text(attribute);
  const bool macro = text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos;
  Fail(fmt::format("attribute '{}' is '{}'", attribute, Quote(text)),
       macro ? expected + "; this looks like xacro, which has to be expanded first" : expected);
}

bool XmlElement::Has(const char* attribute) const { return element_->Attribute(attribute) != nullptr; }

std::vector<std::string_view> XmlElement::AttributeNames() const {
  std::vector<std::string_view> names;
  for (const tinyxml2::XMLAttribute* a = element_->FirstAttribute(); a != nullptr; a = a->Next()) {
    names.push_back(View(a->Name()));
  }
  return names;
}

std::string_view XmlElement::Text(const char* attribute) const { return View(element_->Attribute(attribute)); }

std::string_view XmlElement::RequireText(const char* attribute) const {
  const std::string_view text = Text(attribute);
  if (std::all_of(text.begin(), text.end(), IsSpace)) FailAttribute(attribute, "a text that is not empty");
  return text;
}

std::string_view XmlElement::Content() const { return View(element_->GetText()); }

std::vector<double> XmlElement::RequireNumbers(const char* attribute, std::size_t least, std::size_t most) const {
  std::vector<double> numbers;
  if (!Has(attribute)) FailAttribute(attribute, CountText(least, most));
  std::string_view rest = Text(attribute);
  for (std::string_view token = TakeToken(&rest); !token.empty(); token = TakeToken(&rest)) {
    const std::optional<double> number = ParseNumber(token);
    if (!number || numbers.size() == most) FailAttribute(attribute, CountText(least, most));
    numbers.push_back(*number);
  }
  if (numbers.size() < least) FailAttribute(attribute, CountText(least, most));
  return numbers;
}

double XmlElement::RequireNumber(const char* attribute) const { return RequireNumbers(attribute, 1, 1)[0]; }

double XmlElement::Number(const char* attribute, double otherwise) const {
  return Has(attribute) ? RequireNumber(attribute) : otherwise;
}

long long XmlElement::Integer(const char* attribute, long long otherwise) const {
  if (!Has(attribute)) return otherwise;
  std::string_view rest = Text(attribute);
  const std::optional<long long> value = ParseInteger(TakeToken(&rest));
  if (!value || !TakeToken(&rest).empty()) FailAttribute(attribute, "a whole number");
  return *value;
}

Vector3 XmlElement::RequireVector3(const char* attribute) const {
  const std::vector<double> numbers = RequireNumbers(attribute, 3, 3);
  return {numbers[0], numbers[1], numbers[2]};
}

Vector3 XmlElement::Vector3Or(const char* attribute, const Vector3& otherwise) const {
  return Has(attribute) ? RequireVector3(attribute) : otherwise;
}

std::size_t XmlElement::RequireOneOf(const char* attribute, std::initializer_list<const char*> values) const {
  const std::string_view text = Text(attribute);
  const auto* found = std::find(values.begin(), values.end(), text);
  if (found == values.end()) FailAttribute(attribute, fmt::format("{}", fmt::join(values, ", ")));
  return static_cast<std::size_t>(found - values.begin());
}

std::vector<XmlElement> XmlElement::Children() const {
  std::vector<XmlElement> children;
  for (const auto* child = element_->FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
    children.emplace_back(child, file_);
  }
  return children;
}

std::vector<XmlElement> XmlElement::Children(const char* tag) const {
  std::vector<XmlElement> children;
  for (const auto* child = element_->FirstChildElement(tag); child != nullptr; child = child->NextSiblingElement(tag)) {
    children.emplace_back(child, file_);
  }
  return children;
}

std::optional<XmlElement> XmlElement::OnlyChild(const char* tag) const {
  const auto* child = element_->FirstChildElement(tag);
  if (child == nullptr) return std::nullopt;
  if (const auto* second = child->NextSiblingElement(tag)) {
    XmlElement(second, file_).Fail(fmt::format("a second one in {}", where()), "one at most");
  }
  return XmlElement(child, file_);
}

XmlElement XmlElement::RequireChild(const char* tag) const {
  const std::optional<XmlElement> child = OnlyChild(tag);
  if (!child) Fail(fmt::format("there is no <{}> in it", tag), fmt::format("one <{}>", tag));
  return *child;
}

struct XmlDocument::Content {
  std::string file;
  tinyxml2::XMLDocument document;
};

XmlDocument XmlDocument::Parse(std::string_view text, const std::string& file, const XmlSettings& settings) {
  Require(text.size() <= settings.max_bytes, file, fmt::format("has {} bytes", text.size()),
          fmt::format("at most {} of XML", settings.max_bytes));
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
    throw InputError(fmt::format("{}:{}", file, line), "a byte is 0", "XML text in UTF-8");
  }
  MarkupCheck(text, file, settings).Run();
  const auto content = std::make_shared<Content>();
  content->file = file;
  tinyxml2::XMLDocument& document = content->document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    const std::string where = document.ErrorLineNum() > 0 ? fmt::format("{}:{}", file, document.ErrorLineNum()) : file;
    throw InputError(where, "not well-formed XML: " + Describe(document), "well-formed XML");
  }
  const tinyxml2::XMLElement* root = document.RootElement();
  Require(root != nullptr, file, "there is no element in it", "an XML file");
  for (const tinyxml2::XMLNode* node = document.FirstChild(); node != nullptr; node = node->NextSibling()) {
    if (node == root || (node->ToElement() == nullptr && node->ToText() == nullptr)) continue;
    throw InputError(fmt::format("{}:{}", file, node->GetLineNum()),
                     "not well-formed XML: something beside the root element", "one root element");
  }
  CheckDepth(root, content->file, settings);
  XmlDocument result;
  result.content_ = content;
  return result;
}

XmlElement XmlDocument::root() const { return {content_->document.RootElement(), &content_->file}; }

const std::string& XmlDocument::file() const { return content_->file; }

}  // namespace tactus
