#include "tactus/io/mjcf_source.h"

#include <utility>

#include <fmt/format.h>

#include "tactus/io/parse_number.h"

namespace tactus::mjcf {

const Node* Node::OnlyChild(std::string_view tag) const {
  const Node* found = nullptr;
  for (const Node& child : children) {
    if (child.tag() != tag) continue;
    if (found != nullptr) child.xml.Fail(fmt::format("a second one in {}", xml.where()), "one at most");
    found = &child;
  }
  return found;
}

Node Source::Read(std::string_view text, const std::string& file) {
  documents_.push_back(XmlDocument::Parse(text, file, settings_->xml));
  const XmlElement root = documents_.back().root();
  if (root.tag() != "mujoco") root.Fail("this is no MJCF file", "the root element <mujoco>");
  return Build(root, folder_, 1, 0);
}

Node Source::Build(const XmlElement& element, const std::filesystem::path& folder, int depth, int includes) {
  if (depth > settings_->xml.max_depth) {
    element.Fail("elements are nested too deeply", fmt::format("at most {} levels", settings_->xml.max_depth));
  }
  if (++elements_ > settings_->xml.max_elements) {
    element.Fail("too many elements", fmt::format("at most {} in all files", settings_->xml.max_elements));
  }
  Node node{element, {}};
  for (const XmlElement& child : element.Children()) {
    if (child.tag() == "include") {
      Include(child, folder, depth, includes, &node.children);
    } else {
      node.children.push_back(Build(child, folder, depth + 1, includes));
    }
  }
  return node;
}

// Puts the children of the file's root into `nodes`.
void Source::Include(const XmlElement& element, const std::filesystem::path& folder, int depth, int includes,
                     std::vector<Node>* nodes) {
  if (!element.Children().empty()) element.Fail("there are elements in it", "<include file='...'/>");
  for (const std::string_view name : element.AttributeNames()) {
    if (name != "file") element.FailAttribute(std::string(name).c_str(), "only the attribute 'file'");
  }
  const std::string reference(element.RequireText("file"));
  if (includes >= settings_->max_include_depth) {
    element.Fail("files include files too deeply", fmt::format("at most {} levels", settings_->max_include_depth));
  }
  // From the main file's folder, as MuJoCo does, or else from that of the file that includes.
  FileLookup lookup = roots_->Find(reference, folder_);
  if (lookup.status == FileStatus::Missing && folder != folder_) {
    if (FileLookup other = roots_->Find(reference, folder); other.status == FileStatus::Found) lookup = other;
  }
  if (lookup.status != FileStatus::Found) {
    element.Fail(fmt::format("file '{}' {}", Quote(reference, 200), lookup.reason),
                 "a file in the model's folder or in a search root");
  }
  if (!included_.insert(lookup.path).second) {
    element.Fail(fmt::format("file '{}' is included already", Quote(reference, 200)), "every file once");
  }
  documents_.push_back(XmlDocument::Parse(roots_->Read(lookup.path), Quote(lookup.path.string(), 500), settings_->xml));
  const XmlElement root = documents_.back().root();
  if (root.tag() != "mujoco" && root.tag() != "mujocoinclude") {
    root.Fail("this is no MJCF file to include", "the root element <mujoco> or <mujocoinclude>");
  }
  Node included = Build(root, lookup.path.parent_path(), depth, includes + 1);
  for (Node& child : included.children) nodes->push_back(std::move(child));
}

}  // namespace tactus::mjcf
