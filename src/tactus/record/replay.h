// Simulations as web pages: one file each, that needs no network and no server (docs/replay.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/record/recording.h"

namespace tactus {

struct ReplayFrames;

/// Where the camera stands, around the middle of what moves.
struct ReplayCamera {
  double azimuth = -60;   ///< from the x axis towards y [degrees]
  double elevation = 22;  ///< above the horizon, -89 to 89 [degrees]
  double distance = 0;    ///< from the middle [m]; 0: as far as it takes to see all of it
  std::string look_at;    ///< a link, deformable or rod that is the middle instead; empty: none
};

struct ReplaySettings {
  std::string viewer;  ///< folder of the viewer's program, replay.js: FindDataFolder("viewer", "replay.js")
  std::string title;   ///< empty: that of the scene's first line, "name: ..."
  double rate = 60;    ///< most frames in a simulated second, > 0
  /// Longer runs get fewer frames in a second: every second one is left out, again and again. >= 16.
  int max_frames = 18000;
  /// The same where frames of deformables would be more numbers than this (120 MB in a browser). >= 0.
  std::int64_t max_deformed = 30000000;
  ReplayCamera camera;
  std::optional<double> start;  ///< the frame it opens with [s]; none: the first
  bool contacts = false;        ///< opens with contact forces shown
  bool picture = false;         ///< a still: nothing is compressed, and there are no controls
  bool controls = false;        ///< with `picture`: controls and curves are in it
  bool plain = false;           ///< deformables open in plain colours, not coloured by stress

  void Validate() const;  ///< throws InputError
};

/// Collects frames while a simulation runs, and keeps no more of them than a replay shows.
class ReplayBuilder {
 public:
  /// Throws InputError for settings or geometry that do not fit, and where the viewer is missing.
  ReplayBuilder(const RecordHeader& header, const ReplaySettings& settings);
  ~ReplayBuilder();
  ReplayBuilder(const ReplayBuilder&) = delete;
  ReplayBuilder& operator=(const ReplayBuilder&) = delete;

  /// A step. Frames hold every `stride`-th step and the last one; curves the worst of the steps since the frame before.
  void Append(const RecordFrame& frame);
  int num_frames() const;
  /// Time of the last step [s]; 0: there is none.
  double end() const;
  /// Steps from one frame to the next.
  int stride() const;

  /// Throws InputError if there are no frames or the file cannot be written. It is there as a whole or not at all.
  void Write(const std::string& path) const;
  /// The same with another view.
  void Write(const std::string& path, const ReplaySettings& view) const;

 private:
  std::unique_ptr<ReplayFrames> frames_;
};

/// A recording as a page. What recordings of version 1 lack, the page says.
void WriteReplayHtml(const Recording& recording, const ReplaySettings& settings, const std::string& path);

/// Frames of a recording, for pages and pictures of it.
std::unique_ptr<ReplayBuilder> MakeReplay(const Recording& recording, const ReplaySettings& settings);

struct PictureSettings {
  int width = 1280, height = 720;  ///< pixels, 64 to 8192
  std::string browser;             ///< Chromium or Chrome; empty: looked for on the PATH
  double seconds = 120;            ///< that the browser may take
};

/// Chromium or Chrome on the PATH. Throws InputError if there is none.
std::string FindBrowser();

/// What the page shows at a time, drawn by a browser without a window. Throws InputError where there is no browser or
/// it cannot draw.
void WriteReplayPng(const ReplayBuilder& replay, const ReplaySettings& view, const PictureSettings& picture,
                    const std::string& path);

}  // namespace tactus
