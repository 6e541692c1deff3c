#include "apps/cli/replay_options.h"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/output_paths.h"
#include "tactus/core/error.h"
#include "tactus/io/data_folder.h"

namespace tactus::cli {

namespace {

ReplayCamera ParseCamera(const std::string& text) {
  ReplayCamera camera;
  if (text.empty() || text == "auto") return camera;
  int two = -1, three = -1;  // characters that were understood
  std::sscanf(text.c_str(), "%lf,%lf%n,%lf%n", &camera.azimuth, &camera.elevation, &two, &camera.distance, &three);
  const int length = static_cast<int>(text.size());
  Require(two == length || three == length, "--camera", "'" + text + "' is not understood",
          "AZIMUTH,ELEVATION or AZIMUTH,ELEVATION,DISTANCE in degrees and metres, such as -60,22,3, or auto");
  return camera;
}

PictureSettings ParseSize(const std::string& text) {
  PictureSettings picture;
  char rest = 0;
  Require(std::sscanf(text.c_str(), "%dx%d%c", &picture.width, &picture.height, &rest) == 2 && picture.width >= 64 &&
              picture.width <= 8192 && picture.height >= 64 && picture.height <= 8192,
          "--size", "'" + text + "' is not understood", "WIDTHxHEIGHT, each from 64 to 8192 pixels");
  return picture;
}

std::string FindViewer() {
  try {
    return FindDataFolder("viewer", "replay.js").string();
  } catch (const InputError& error) {
    throw InputError("replay", std::string("the viewer is not there: ") + error.what(),
                     "a build with Node.js 18 or later and npm (apt-get install nodejs npm), which makes replay.js");
  }
}

}  // namespace

void AddReplayOptions(CLI::App* app, ReplayOptions* o) {
  app->add_option("--html", o->html, "write a page that replays it in a browser, without a network")
      ->type_name("OUT.html");
  app->add_option("--png", o->png, "write a picture of it (needs Chromium)")->type_name("OUT.png");
  app->add_option("--time", o->time, "of the picture, and where the page opens [the end, the start; s]");
  app->add_option("--camera", o->camera, "azimuth, elevation [degrees], distance [m], or auto")->type_name("A,E[,D]");
  app->add_option("--look-at", o->look_at,
                  "the link, deformable or rod that the camera looks at [the middle of what moves]")
      ->type_name("NAME");
  app->add_option("--size", o->size, "of the picture [pixels]")->type_name("WxH")->capture_default_str();
  app->add_flag("--contacts", o->contacts, "show contact forces in the picture, and when the page opens");
  app->add_flag("--plain", o->plain, "deformables in plain colours, not coloured by stress");
  app->add_flag("--controls", o->controls, "show controls and curves in the picture");
}

ReplaySettings MakeReplaySettings(const ReplayOptions& options, std::optional<double> end) {
  ReplaySettings settings;
  settings.camera = ParseCamera(options.camera);
  settings.camera.look_at = options.look_at;
  settings.contacts = options.contacts;
  settings.controls = options.controls;
  settings.plain = options.plain;
  settings.start = options.time;
  settings.Validate();
  ParseSize(options.size);
  if (!options.any()) {
    Require(!options.time && !options.contacts && !options.controls && !options.plain && options.camera.empty() &&
                options.look_at.empty(),
            "--time, --camera, --look-at, --contacts, --plain or --controls",
            "there is no page or picture to show it in", "--html OUT.html or --png OUT.png with it");
    return settings;
  }
  if (options.time) {
    Require(*options.time >= 0 && (!end || *options.time <= *end * (1 + 1e-9)), "--time",
            fmt::format("{:g} s is not within the run", *options.time),
            end ? fmt::format("from 0 to {:g} s", *end) : "0 or more");
  }
  CheckOutput("--html", options.html);
  CheckOutput("--png", options.png);
  settings.viewer = FindViewer();
  if (!options.png.empty()) FindBrowser();
  return settings;
}

void WriteReplay(const ReplayOptions& options, const ReplayBuilder& replay, const ReplaySettings& settings,
                 bool quiet) {
  if (!options.html.empty()) {
    replay.Write(options.html, settings);
    if (!quiet) {
      fmt::print("  {:<18} {}: {} frames, {:.1f} MB; open it in a browser\n", "replay", options.html,
                 replay.num_frames(), static_cast<double>(std::filesystem::file_size(options.html)) / 1e6);
    }
  }
  if (!options.png.empty()) {
    ReplaySettings view = settings;
    if (!view.start) view.start = replay.end();
    WriteReplayPng(replay, view, ParseSize(options.size), options.png);
    if (!quiet) fmt::print("  {:<18} {}: {} at {:g} s\n", "picture", options.png, options.size, *view.start);
  }
}

}  // namespace tactus::cli
