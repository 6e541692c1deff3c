// The part of a recording's file that is written before the first step. For record/ only.
#pragma once

#include <cstdint>

#include "tactus/record/record_frame.h"

namespace tactus {

/// Writes all but the columns of steps and contacts into an open HDF5 file (a hid_t). False: HDF5 could not.
bool WriteRecordHeader(std::int64_t file, const RecordHeader& header);

}  // namespace tactus
