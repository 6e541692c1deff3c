// The frames of a replay in memory. For record/ only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/record/replay.h"

namespace tactus {

/// Worst of the steps that a frame stands for.
struct ReplayCurves {
  double residual = 0;     ///< NaN is kept
  double penetration = 0;  ///< [m]
  double solve_time = 0;   ///< [s]
  int contacts = 0;
  int iterations = 0;
  int unsolved = 0;  ///< steps whose status was not the first, "Ok"

  void Merge(const ReplayCurves& other);
};

struct ReplayFrame {
  double time = 0;
  ReplayCurves curves;
  std::vector<float> poses;
  std::vector<float> vertices;  ///< of deformables, then points of rods (replay_deformed.h)
  std::vector<float> stress;
  std::vector<RecordContact> contacts;
};

struct ReplayFrames {
  ReplayFrames(const RecordHeader& record, const ReplaySettings& replay);

  void Append(const RecordFrame& frame);
  /// All frames, the last step among them.
  std::vector<const ReplayFrame*> List() const;

  RecordHeader header;
  ReplaySettings settings;
  std::string program;  ///< the viewer's
  std::int64_t steps = 0;
  int stride = 1;
  int most_frames = 0;
  int solve_stage = -1;
  std::vector<ReplayFrame> kept;
  ReplayFrame latest;    ///< the last step; its curves are those since the last one kept
  bool pending = false;  ///< the last step is not among those kept

 private:
  ReplayCurves CalcCurves(const RecordFrame& frame) const;
  void Thin();
};

/// The page, with the view of `view`.
std::string MakeReplayPage(const ReplayFrames& frames, const ReplaySettings& view);

}  // namespace tactus
