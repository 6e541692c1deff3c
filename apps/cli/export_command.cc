// tactus export RECORDING OUT
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/output_paths.h"
#include "tactus/core/error.h"
#include "tactus/record/recording.h"

namespace tactus::cli {

namespace {

struct ExportOptions {
  std::string recording, out;
  bool contacts = false, deformables = false;
};

int RunExport(const ExportOptions& options) {
  const bool npz = options.out.ends_with(".npz");
  Require(npz || options.out.ends_with(".csv"), "'" + options.out + "'", "its ending says no format", ".csv or .npz");
  CheckDistinct({{"the recording", options.recording, true}, {"out", options.out}});
  Require(!npz || !(options.contacts || options.deformables), "--contacts or --deformables",
          "there is only one kind of .npz, and it has both", "OUT.csv");
  const Recording recording = LoadRecording(options.recording);
  if (npz) {
    WriteNpz(recording, options.out);
  } else if (options.deformables) {
    WriteDeformablesCsv(recording, options.out);
  } else if (options.contacts) {
    WriteContactsCsv(recording, options.out);
  } else {
    WriteCsv(recording, options.out);
  }
  fmt::print("{} steps, {} contacts -> {}{}\n", recording.steps(), recording.contacts.size(), options.out,
             recording.closed ? "" : " (the program that recorded has not finished, or was killed)");
  return kAllSolved;
}

}  // namespace

CommandRun AddExportCommand(CLI::App* app) {
  const auto options = std::make_shared<ExportOptions>();
  app->add_option("recording", options->recording, "written by tactus run --record")->required()->type_name("FILE.h5");
  app->add_option("out", options->out, "OUT.csv (a line a step) or OUT.npz (for numpy.load)")->required();
  auto* contacts = app->add_flag("--contacts", options->contacts, "CSV of contacts, a line each, instead of steps");
  app->add_flag("--deformables", options->deformables,
                "CSV of surface nodes and rod segments: a line for each in each step, with place and stress")
      ->excludes(contacts);
  return [options] { return RunExport(*options); };
}

}  // namespace tactus::cli
