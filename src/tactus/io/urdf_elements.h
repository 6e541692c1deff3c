// The parts of URDF files: <link> and <joint>. For urdf.cc only.
#pragma once

#include <filesystem>
#include <string>

#include "tactus/io/file_roots.h"
#include "tactus/io/mesh/mesh_file.h"
#include "tactus/io/urdf.h"
#include "tactus/io/warning_list.h"
#include "tactus/io/xml_document.h"
#include "tactus/model/model_description.h"

namespace tactus::urdf {

/// What reading an element needs beside the element.
struct Context {
  const UrdfSettings* settings;
  const FileRoots* roots;
  MeshLibrary* meshes;
  WarningList* warnings;
  std::filesystem::path folder;  ///< of the file
};

/// A link without its place in the tree.
LinkDescription ReadLink(const XmlElement& element, const Context& context);

struct Joint {
  XmlElement element;
  std::string parent, child;  ///< links
  Pose X_PL;
  JointDescription description;  ///< Fixed for those that weld
};

Joint ReadJoint(const XmlElement& element, const Context& context);

/// <origin xyz rpy>, or quat_xyzw of URDF 1.1; the identity if there is none.
Pose ReadOrigin(const XmlElement& parent, const Context& context);

}  // namespace tactus::urdf
