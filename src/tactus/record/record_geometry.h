// Shapes, meshes and deformables of a recording's header as plain arrays. For record/ only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/contact/hdf5_tree.h"
#include "tactus/record/record_frame.h"

namespace tactus {

/// A dataset of the header: texts, integers, or reals in single precision.
struct RecordArray {
  const char* path = "";
  std::size_t rows = 0, width = 1;
  std::vector<double> reals;
  std::optional<std::vector<std::int32_t>> integers;
  std::optional<std::vector<std::string>> texts;
};

/// Throws InputError, with `where`, for numbers of links, meshes or vertices that are not there.
void CheckGeometry(const RecordHeader& header, const std::string& where);

std::vector<RecordArray> FlattenGeometry(const RecordHeader& header);
/// The way back. Throws InputError for what does not fit together.
void ReadGeometry(const Hdf5Tree& tree, int version, RecordHeader* header);

}  // namespace tactus
