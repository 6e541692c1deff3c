#include "tactus/core/work_folder.h"

#include <stdlib.h>

#include <system_error>

#include "tactus/core/error.h"

namespace tactus {

WorkFolder::WorkFolder(const std::string& what) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  std::string name = (folder / ("tactus_" + what + "_XXXXXX")).string();
  Require(mkdtemp(name.data()) != nullptr, what, "no folder can be made in " + folder.string(), "a writable TMPDIR");
  path_ = name;
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tactus
