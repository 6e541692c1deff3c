// URDF files.
//
// Links and joints become a ModelDescription with links depth-first, children in the order of their joints in the file.
// Fixed joints weld. What has no meaning here (<transmission>, <gazebo>, <safety_controller>, ...) and what looks wrong
// but can be taken as it stands (links without mass, inertias that no body can have, missing visual meshes) is a
// warning; what cannot be taken is an InputError with file, line and element. Nothing is made up: no mass, no limit.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tactus/io/file_roots.h"
#include "tactus/io/mesh/mesh_file.h"
#include "tactus/io/xml_document.h"
#include "tactus/model/model_description.h"

namespace tactus {

enum class BaseType {
  Fixed,     ///< the root link is welded to the world
  Floating,  ///< the root link moves freely, by a joint "floating_base"
};

struct UrdfSettings {
  BaseType base = BaseType::Fixed;
  MissingMeshes missing_meshes = MissingMeshes::Error;  ///< of <collision>; those of <visual> are always warnings
  bool read_visual_meshes = true;                       ///< false: visual shapes name their file only
  FileSettings files;                                   ///< the folder of the URDF file is always a root
  XmlSettings xml;
};

ModelDescription LoadUrdf(const std::filesystem::path& file, const UrdfSettings& settings = {});

/// From text. `file` is the name in messages; meshes are looked for in `files.roots` of the settings only.
ModelDescription ParseUrdf(std::string_view text, const std::string& file, const UrdfSettings& settings = {});

}  // namespace tactus
