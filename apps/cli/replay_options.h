// Options of pages and pictures, which `run` and `replay` share.
#pragma once

#include <optional>
#include <string>

#include "tactus/record/replay.h"

namespace CLI {
class App;
}

namespace tactus::cli {

struct ReplayOptions {
  std::string html, png, camera, look_at, size = "1280x720";
  std::optional<double> time;
  bool contacts = false, controls = false, plain = false;

  bool any() const { return !html.empty() || !png.empty(); }
};

void AddReplayOptions(CLI::App* app, ReplayOptions* options);
/// Throws InputError for what does not fit together, for files that cannot be written, and where the viewer or, for
/// pictures, the browser is missing: at once, not after a long run. `end`: of the run, if it is known [s].
ReplaySettings MakeReplaySettings(const ReplayOptions& options, std::optional<double> end);
/// Writes what is asked for, and says so unless `quiet`.
void WriteReplay(const ReplayOptions& options, const ReplayBuilder& replay, const ReplaySettings& settings, bool quiet);

}  // namespace tactus::cli
