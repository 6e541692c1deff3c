// Deformables and rods of a replay. For record/ only.
//
// A page has points with a place in each frame: vertices of deformables, then points along each rod, which are its
// first end, the middles of its segments, and its last end. Places are whole multiples of a unit, stresses parts of the
// range shown.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tactus/record/replay_frames.h"
#include "tactus/record/replay_pack.h"

namespace tactus {

/// Lengths are whole multiples of a power of ten: `finest`, or more where something is that far away.
double ChooseUnit(double finest, double largest);
std::int32_t Round(double x, double unit);

int CalcPointCount(const RecordRod& rod);
/// Of all deformables and rods.
int CalcPointCount(const RecordHeader& header);
/// Points of all rods, 3 numbers each, from the poses of their segments.
void AppendRodPoints(const RecordHeader& header, std::span<const float> segments, std::vector<float>* points);

/// Over all frames of a run [Pa].
struct StressRange {
  double high = 1;  ///< what colours reach to: two digits, above all but one in a hundred, so that a peak leaves the
                    ///< others their colours
  double most = 0;
};

struct DeformedRange {
  double unit = 1e-5;  ///< of places [m]
  std::optional<StressRange> solids, rods;
  std::vector<float> most;  ///< largest stress of each frame [Pa]
};

/// Adds the arrays `vertices` (3 a point) and, where there is stress, `stress` (1 a vertex and 1 a segment; 255 is
/// `high`) of `count` frames from `from` on. Ranges are those of all frames.
DeformedRange PackDeformed(const RecordHeader& header, const std::vector<const ReplayFrame*>& frames, std::size_t from,
                           std::size_t count, ReplayPack* pack);

}  // namespace tactus
