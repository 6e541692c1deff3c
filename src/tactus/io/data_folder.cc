#include "tactus/io/data_folder.h"

#include <cstdlib>
#include <vector>

#include "tactus/core/error.h"

namespace tactus {

namespace {

std::filesystem::path& ChosenFolder() {
  static std::filesystem::path folder;
  return folder;
}

}  // namespace

void SetDataFolder(const std::filesystem::path& folder) { ChosenFolder() = folder; }

std::filesystem::path FindDataFolder(const std::string& name) {
  namespace fs = std::filesystem;
  std::vector<fs::path> places;
  std::error_code error;
  if (const char* data = std::getenv("TACTUS_DATA"); data && *data) {
    places.push_back(fs::path(data) / name);
  } else if (!ChosenFolder().empty()) {
    places.push_back(ChosenFolder() / name);
  } else {
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    places.push_back(program.parent_path() / "share" / "tactus" / name);
    places.push_back(program.parent_path().parent_path() / name);
  }
  std::string looked;
  for (const fs::path& place : places) {
    if (fs::is_directory(place, error)) return place;
    looked += (looked.empty() ? "" : " and ") + place.string();
  }
  throw InputError("folder '" + name + "'", "is not at " + looked, "TACTUS_DATA to name the folder that holds it");
}

}  // namespace tactus
