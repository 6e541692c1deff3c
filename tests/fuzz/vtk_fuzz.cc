// Whatever the bytes, the answer is a mesh with finite nodes and valid indices, or an InputError; and checking such a
// mesh ends, too.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tactus/core/error.h"
#include "tactus/io/mesh/tet_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tactus::TetMesh mesh = tactus::ParseVtk({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (mesh.tets.empty()) std::abort();
    for (const tactus::Vector3& node : mesh.nodes) {
      if (!node.allFinite()) std::abort();
    }
    for (const auto& tet : mesh.tets) {
      for (const int index : tet) {
        if (index < 0 || index >= static_cast<int>(mesh.nodes.size())) std::abort();
      }
    }
    tactus::CheckTetMesh(mesh, "fuzz");
  } catch (const tactus::InputError&) {
    // The only other way out.
  }
  return 0;
}
