// Where tests find models: our own in models/, and a collection of other people's that is not part of this project but
// may lie beside it, or where the environment's TACTUS_SHARED says.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace tactus {

inline std::filesystem::path OurModels() { return std::filesystem::path(TACTUS_PROJECT_DIR) / "models"; }

/// Holds urdf/, mjcf/, reference/ and bad/, where it exists.
inline std::filesystem::path SharedModels() {
  const char* shared = std::getenv("TACTUS_SHARED");
  const std::filesystem::path project(TACTUS_PROJECT_DIR);
  return ((shared ? std::filesystem::path(shared) : project / ".." / "shared") / "models").lexically_normal();
}

}  // namespace tactus
