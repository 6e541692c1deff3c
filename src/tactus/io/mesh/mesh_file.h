// Meshes out of OBJ and STL files. Whatever the bytes are, the answer is a mesh with finite vertices and valid indices
// or an InputError with the file and the line or offset; memory stays within a small multiple of the file's size.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "tactus/geometry/mesh.h"
#include "tactus/io/file_roots.h"

namespace tactus {

/// What a loader does about a mesh that is not there.
enum class MissingMeshes {
  Error,
  Warn,  ///< the shape stays without a mesh and does not collide
};

enum class MeshFormat { Obj, Stl, Unknown };

/// By the ending, in upper or lower case.
MeshFormat MeshFormatOf(const std::filesystem::path& file);

/// `file` is the name in messages. Polygons are split into fans; texture coordinates, normals and materials are left
/// out. Objects and groups become parts.
TriangleMesh ParseObj(std::string_view text, const std::string& file);

/// Binary or ASCII, told by the contents. Vertices with the same coordinates become one. Normals are left out: the
/// order of the vertices says where outside is.
TriangleMesh ParseStl(std::string_view bytes, const std::string& file);

/// Multiplies vertices by `scale`. A mirrored mesh keeps its outside outside.
void ScaleMesh(const Vector3& scale, TriangleMesh* mesh);

/// Reads each file once for each scale, however many shapes refer to it.
class MeshLibrary {
 public:
  explicit MeshLibrary(const FileRoots* roots) : roots_(roots) {}
  std::shared_ptr<const TriangleMesh> Load(const std::filesystem::path& file, const Vector3& scale);

 private:
  const FileRoots* roots_;
  std::map<std::tuple<std::string, double, double, double>, std::shared_ptr<const TriangleMesh>> meshes_;
};

}  // namespace tactus
