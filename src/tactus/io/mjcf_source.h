// The elements of an MJCF file with those of the files that it includes in their places. For mjcf*.cc only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/io/file_roots.h"
#include "tactus/io/mjcf.h"
#include "tactus/io/xml_document.h"

namespace tactus::mjcf {

struct Node {
  XmlElement xml;
  std::vector<Node> children;  ///< without <include>

  std::string_view tag() const { return xml.tag(); }
  /// The child of this tag, of which there must not be two; null if there is none.
  const Node* OnlyChild(std::string_view tag) const;
};

/// Keeps the files that nodes refer to.
class Source {
 public:
  /// `folder`: that of the main file.
  Source(const FileRoots* roots, const MjcfSettings* settings, std::filesystem::path folder)
      : roots_(roots), settings_(settings), folder_(std::move(folder)) {}

  Node Read(std::string_view text, const std::string& file);

 private:
  Node Build(const XmlElement& element, const std::filesystem::path& folder, int depth, int includes);
  void Include(const XmlElement& element, const std::filesystem::path& folder, int depth, int includes,
               std::vector<Node>* nodes);

  const FileRoots* roots_;
  const MjcfSettings* settings_;
  std::filesystem::path folder_;
  std::vector<XmlDocument> documents_;
  std::set<std::filesystem::path> included_;
  std::size_t elements_ = 0;
};

}  // namespace tactus::mjcf
