// Where the models that come with tactus are.
#pragma once

#include <filesystem>
#include <string>

namespace tactus {

/// A folder of data that comes with tactus, such as "models": in $TACTUS_DATA, else where SetDataFolder says, else in
/// share/tactus beside the bin of the running program, else two levels above the program (a build folder within the
/// sources). With `file`, only a folder that holds this file counts, and builds within a source tree and the program's
/// own places are searched after a folder that was named: what a build makes is not among the sources. Throws
/// InputError that lists where it looked.
std::filesystem::path FindDataFolder(const std::string& name, const std::string& file = "");

/// For libraries that are loaded into programs of others, such as the Python module: the folder that holds "models" and
/// the like. Not for use while other threads look for folders.
void SetDataFolder(const std::filesystem::path& folder);

}  // namespace tactus
