// Whatever the bytes, the answer is a mesh with finite vertices and valid indices, or an InputError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tactus/core/error.h"
#include "tactus/io/mesh/mesh_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tactus::TriangleMesh mesh = tactus::ParseObj({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (mesh.triangles.empty()) std::abort();
    for (const tactus::Vector3& vertex : mesh.vertices) {
      if (!vertex.allFinite()) std::abort();
    }
    for (const auto& triangle : mesh.triangles) {
      for (const int index : triangle) {
        if (index < 0 || index >= static_cast<int>(mesh.vertices.size())) std::abort();
      }
    }
    int next = 0;
    for (const tactus::MeshPart& part : mesh.parts) {
      if (part.first_triangle != next || part.triangle_count <= 0) std::abort();
      next += part.triangle_count;
    }
    if (!mesh.parts.empty() && next != static_cast<int>(mesh.triangles.size())) std::abort();
  } catch (const tactus::InputError&) {
    // The only other way out.
  }
  return 0;
}
