#include "tactus/io/model_format.h"

#include "tactus/io/file_roots.h"
#include "tactus/io/parse_number.h"
#include "tactus/io/xml_document.h"

namespace tactus {

ModelFormat FindModelFormat(const std::filesystem::path& file) {
  const XmlDocument document = XmlDocument::Parse(FileRoots({}).Read(file), Quote(file.string(), 500));
  const XmlElement root = document.root();
  if (root.tag() == "robot") return ModelFormat::Urdf;
  if (root.tag() == "mujoco") return ModelFormat::Mjcf;
  root.Fail("this is no model file", "the root element <robot> (URDF) or <mujoco> (MJCF)");
}

}  // namespace tactus
