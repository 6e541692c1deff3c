// Which kind of model a file holds: told by its root element, whatever it is called.
#pragma once

#include <filesystem>

namespace tactus {

enum class ModelFormat { Urdf, Mjcf };

/// InputError if it is no XML file or has another root element.
ModelFormat FindModelFormat(const std::filesystem::path& file);

}  // namespace tactus
