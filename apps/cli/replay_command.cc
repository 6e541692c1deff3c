// tactus replay RECORDING
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/output_paths.h"
#include "apps/cli/replay_options.h"
#include "tactus/core/error.h"

namespace tactus::cli {

namespace {

struct Options {
  std::string recording;
  ReplayOptions replay;
};

int RunReplay(const Options& options) {
  Require(options.replay.any(), "tactus replay", "neither a page nor a picture is asked for",
          "--html OUT.html or --png OUT.png");
  CheckDistinct(
      {{"the recording", options.recording, true}, {"--html", options.replay.html}, {"--png", options.replay.png}});
  const Recording recording = LoadRecording(options.recording);
  Require(recording.steps() > 0, options.recording, "has no steps", "a recording with at least one");
  const ReplaySettings settings = MakeReplaySettings(options.replay, recording.time.back());
  const auto replay = MakeReplay(recording, settings);
  fmt::print("{}: {} steps, {} contacts{}\n", options.recording, recording.steps(), recording.contacts.size(),
             recording.closed ? "" : " (the program that recorded has not finished, or was killed)");
  if (recording.version < 2) {
    fmt::print(
        "  {:<18} a recording of version 1 has no shapes, poses, friction or modes: only curves and contact points "
        "are shown\n",
        "note");
  }
  WriteReplay(options.replay, *replay, settings, false);
  return kAllSolved;
}

}  // namespace

CommandRun AddReplayCommand(CLI::App* app) {
  const auto options = std::make_shared<Options>();
  app->add_option("recording", options->recording, "written by tactus run --record")->required()->type_name("FILE.h5");
  AddReplayOptions(app, &options->replay);
  return [options] { return RunReplay(*options); };
}

}  // namespace tactus::cli
