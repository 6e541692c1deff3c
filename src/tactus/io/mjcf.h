// MJCF files (MuJoCo's XML).
//
// Bodies become links depth-first in the file's order, frames and replicates resolved; names that the file does not
// give are made up ("body3", "link/geom0"). Positions and quaternions are as in MuJoCo: q of a free joint is the pose
// in the world, Model::MakeInitial is qpos0. What has an exact meaning here is taken, what has none (sensors, softness
// of constraints, colours, ...) is one warning a kind with the place of the first and the count, and what would make a
// different mechanism if it were left out (<attach>, <composite>, <flexcomp>) or is wrong is an InputError with file,
// line and element. docs/models.md has the whole list.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "tactus/io/file_roots.h"
#include "tactus/io/mesh/mesh_file.h"
#include "tactus/io/xml_document.h"
#include "tactus/model/model_description.h"

namespace tactus {

/// The mass of a mesh about which the file says no more than a density, which has depended on the version of MuJoCo.
/// The attribute `inertia` of <mesh> and `exactmeshinertia` of <compiler> go before this.
enum class MeshMassRule {
  InertiaBox,  ///< density times the volume of the box with the mesh's inertia: MuJoCo 2.2 and before
  Volume,      ///< density times the mesh's volume: later versions (`legacy`)
};

struct MjcfSettings {
  /// Of geoms that collide or give their body its mass; others are always warnings.
  MissingMeshes missing_meshes = MissingMeshes::Error;
  MeshMassRule mesh_mass = MeshMassRule::InertiaBox;
  bool read_visual_meshes = true;  ///< false: geoms that do not collide name their file only
  FileSettings files;              ///< the folder of the MJCF file is always a root
  XmlSettings xml;                 ///< max_elements and max_depth hold for all files together, replicas included
  int max_include_depth = 20;      ///< of files that include files
};

ModelDescription LoadMjcf(const std::filesystem::path& file, const MjcfSettings& settings = {});

/// From text. `file` is the name in messages; other files are looked for in `files.roots` of the settings only.
ModelDescription ParseMjcf(std::string_view text, const std::string& file, const MjcfSettings& settings = {});

}  // namespace tactus
