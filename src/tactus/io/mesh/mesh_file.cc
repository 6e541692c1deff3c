#include "tactus/io/mesh/mesh_file.h"

#include <cctype>
#include <utility>

#include "tactus/core/error.h"
#include "tactus/io/parse_number.h"

namespace tactus {

MeshFormat MeshFormatOf(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending == ".obj") return MeshFormat::Obj;
  if (ending == ".stl" || ending == ".stlb") return MeshFormat::Stl;
  return MeshFormat::Unknown;
}

void ScaleMesh(const Vector3& scale, TriangleMesh* mesh) {
  for (Vector3& vertex : mesh->vertices) vertex = vertex.cwiseProduct(scale);
  if (scale.prod() < 0) {
    for (std::array<int, 3>& triangle : mesh->triangles) std::swap(triangle[1], triangle[2]);
  }
}

std::shared_ptr<const TriangleMesh> MeshLibrary::Load(const std::filesystem::path& file, const Vector3& scale) {
  std::shared_ptr<const TriangleMesh>& entry = meshes_[{file.string(), scale[0], scale[1], scale[2]}];
  if (entry) return entry;
  const std::string name = Quote(file.string(), 200);
  const MeshFormat format = MeshFormatOf(file);
  Require(format != MeshFormat::Unknown, name, "is of a kind that is not read", "a file *.obj or *.stl");
  const std::string bytes = roots_->Read(file);
  auto mesh = std::make_shared<TriangleMesh>(format == MeshFormat::Obj ? ParseObj(bytes, name) : ParseStl(bytes, name));
  ScaleMesh(scale, mesh.get());
  for (const Vector3& vertex : mesh->vertices) {
    Require(vertex.allFinite(), name, "vertices are too large when scaled", "coordinates that a double can hold");
  }
  entry = std::move(mesh);
  return entry;
}

}  // namespace tactus
