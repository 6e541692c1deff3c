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

std::filesystem::path FindDataFolder(const std::string& name, const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path share = fs::path("share") / "tactus" / name;
  std::vector<fs::path> places;
  const char* data = std::getenv("TACTUS_DATA");
  const fs::path named = data && *data ? fs::path(data) : ChosenFolder();
  if (!named.empty()) places.push_back(named / name);
  if (!named.empty() && !file.empty()) places.push_back(named / "build" / share);
  std::error_code error;
  if (named.empty() || !file.empty()) {
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    places.push_back(program.parent_path() / share);
    places.push_back(program.parent_path().parent_path() / name);
  }
  std::string looked;
  for (const fs::path& place : places) {
    if (file.empty() ? fs::is_directory(place, error) : fs::is_regular_file(place / file, error)) return place;
    looked += (looked.empty() ? "" : " and ") + place.string();
  }
  const std::string what = file.empty() ? name : name + "' with '" + file;
  throw InputError("folder '" + what + "'", "is not at " + looked, "TACTUS_DATA to name the folder that holds it");
}

}  // namespace tactus
