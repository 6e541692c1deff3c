// What a replay draws of a simulation.
#pragma once

#include "tactus/record/record_frame.h"
#include "tactus/simulation/simulator.h"

namespace tactus::cli {

/// Fills shapes and meshes, after links. Meshes of more than 20000 triangles are made coarser.
void AddRecordShapes(const Model& model, RecordHeader* header);

}  // namespace tactus::cli
