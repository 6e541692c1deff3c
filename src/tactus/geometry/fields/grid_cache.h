// Tables of grid fields on disk.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tactus/geometry/mesh.h"

namespace tactus {

/// What is known at the nodes of a grid.
struct GridTable {
  std::array<std::int32_t, 3> nodes{};  ///< along x, y, z
  Vector3 low = Vector3::Zero();        ///< the first node [m]
  double cell = 0;                      ///< between nodes [m]
  int triangle_count = 0;               ///< of the mesh
  std::vector<std::int32_t> triangles;  ///< the nearest one; z runs fastest

  std::size_t size() const;
};

/// 128 bits; equal for equal input on every machine of the same byte order.
using GridKey = std::array<std::uint64_t, 2>;

/// Of vertices, triangles, the table's form (its values are not looked at) and the file format.
GridKey CalcGridKey(const TriangleMesh& mesh, const GridTable& form);

/// $XDG_CACHE_HOME/tactus, or ~/.cache/tactus; empty if neither variable is set.
std::string DefaultCacheFolder();
std::string GridFileName(const std::string& folder, const GridKey& key);

enum class GridFileState {
  Read,     ///< the table is there
  Missing,  ///< there is no file
  Useless,  ///< there is one, but not this table, unharmed; `why` says how that was noticed
};
/// The table of that form; its values are set if the state is Read, otherwise it is left as it was.
GridFileState ReadGridFile(const std::string& file, const GridKey& key, GridTable* table, std::string* why);

/// Makes the folder, writes under another name, then renames: readers see nothing or all. "" or why it failed.
std::string WriteGridFile(const std::string& file, const GridKey& key, const GridTable& table);

}  // namespace tactus
