#include "tactus/record/replay.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/core/output_file.h"
#include "tactus/record/record_geometry.h"
#include "tactus/record/replay_deformed.h"
#include "tactus/record/replay_frames.h"

namespace tactus {

namespace {

std::string ReadViewer(const std::string& folder) {
  const std::string path = folder + "/replay.js";
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Require(!text.empty(), "replay", "the viewer is not there: '" + path + "' cannot be read or is empty",
          "a build with Node.js 18 or later and npm (apt-get install nodejs npm), which makes replay.js");
  Require(text.find("</script") == std::string::npos, path, "would end the page's script",
          "what `npm run build` makes");
  return text;
}

bool HasBody(const RecordHeader& header, const std::string& name) {
  const auto named = [&name](const auto& body) { return body.name == name; };
  return std::find(header.links.begin(), header.links.end(), name) != header.links.end() ||
         std::any_of(header.deformables.begin(), header.deformables.end(), named) ||
         std::any_of(header.rods.begin(), header.rods.end(), named);
}

}  // namespace

void ReplaySettings::Validate() const {
  Require(std::isfinite(rate) && rate > 0, "replay rate", fmt::format("is {}", rate), "frames in a second, > 0");
  Require(max_deformed >= 0, "replay max_deformed", fmt::format("is {}", max_deformed), "0 or more");
  Require(max_frames >= 16, "replay max_frames", fmt::format("is {}", max_frames), "16 or more");
  Require(std::isfinite(camera.azimuth), "camera", fmt::format("the azimuth is {}", camera.azimuth), "degrees");
  Require(std::abs(camera.elevation) <= 89, "camera", fmt::format("the elevation is {}", camera.elevation),
          "-89 to 89 degrees");
  Require(std::isfinite(camera.distance) && camera.distance >= 0, "camera",
          fmt::format("the distance is {}", camera.distance), "metres, or 0 for one that shows all");
}

void ReplayCurves::Merge(const ReplayCurves& other) {
  // One that is not a number is the worst.
  if (!(other.residual <= residual)) residual = other.residual;
  penetration = std::max(penetration, other.penetration);
  solve_time = std::max(solve_time, other.solve_time);
  contacts = std::max(contacts, other.contacts);
  iterations = std::max(iterations, other.iterations);
  unsolved += other.unsolved;
}

ReplayFrames::ReplayFrames(const RecordHeader& record, const ReplaySettings& replay)
    : header(record), settings(replay), program(ReadViewer(replay.viewer)) {
  settings.Validate();
  CheckGeometry(header, "replay");
  most_frames = settings.max_frames;
  if (const int width = CalcPointCount(header) * 3 + header.num_stresses(); width > 0) {
    constexpr std::int64_t kLeast = 16;
    const std::int64_t most = std::max(kLeast, settings.max_deformed / width);
    most_frames = static_cast<int>(std::min<std::int64_t>(most_frames, most));
  }
  const auto solve = std::find(header.stages.begin(), header.stages.end(), "solve");
  if (solve != header.stages.end()) solve_stage = static_cast<int>(solve - header.stages.begin());
  // A little more than the rate is fine where h does not divide its period to the last digit.
  if (header.time_step > 0) {
    const double steps_a_frame = std::ceil(1 / (settings.rate * header.time_step) - 1e-6);
    stride = static_cast<int>(std::clamp(steps_a_frame, 1.0, 1e9));
  }
}

ReplayCurves ReplayFrames::CalcCurves(const RecordFrame& frame) const {
  ReplayCurves curves;
  curves.residual = frame.residual;
  curves.contacts = static_cast<int>(frame.contacts.size());
  curves.iterations = frame.iterations;
  curves.unsolved = frame.status == 0 ? 0 : 1;
  if (solve_stage >= 0) curves.solve_time = frame.stages[static_cast<std::size_t>(solve_stage)];
  for (const RecordContact& contact : frame.contacts) curves.penetration = std::max(curves.penetration, -contact.gap);
  return curves;
}

void ReplayFrames::Append(const RecordFrame& frame) {
  const auto fits = [](std::size_t size, std::size_t expected, const char* what) {
    Require(size == expected, "replay", fmt::format("a frame has {} entries of {}", size, what),
            fmt::format("{}", expected));
  };
  fits(frame.stages.size(), header.stages.size(), "stages");
  fits(frame.poses.size(), header.poses ? kRecordPoseSize * header.links.size() : 0, "poses");
  fits(frame.vertices.size(), 3 * static_cast<std::size_t>(header.num_vertices()), "vertices");
  fits(frame.segments.size(), kRecordPoseSize * static_cast<std::size_t>(header.num_segments()), "segments");
  fits(frame.stress.size(), static_cast<std::size_t>(header.num_stresses()), "stress");
  const auto check = [&frame](const auto& values) {
    for (const auto x : values) {
      Require(std::isfinite(x), "replay", fmt::format("a pose or stress at {} s is not finite", frame.time),
              "finite numbers");
    }
  };
  check(frame.poses);
  check(frame.vertices);
  check(frame.segments);
  check(frame.stress);
  if (!pending) latest.curves = {};
  latest.curves.Merge(CalcCurves(frame));
  latest.time = frame.time;
  latest.poses.assign(frame.poses.begin(), frame.poses.end());
  latest.vertices.assign(frame.vertices.begin(), frame.vertices.end());
  AppendRodPoints(header, frame.segments, &latest.vertices);
  latest.stress.assign(frame.stress.begin(), frame.stress.end());
  latest.contacts.assign(frame.contacts.begin(), frame.contacts.end());
  pending = true;
  if (steps++ % stride != 0) return;
  if (static_cast<int>(kept.size()) == most_frames) Thin();
  if ((steps - 1) % stride != 0) return;
  kept.push_back(latest);
  pending = false;
}

// Leaves every second frame, from the first on. What the others say of their steps goes to those after them.
void ReplayFrames::Thin() {
  std::vector<ReplayFrame> fewer;
  fewer.reserve(kept.size());
  ReplayCurves carried;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i % 2 == 1) {
      carried = kept[i].curves;
      continue;
    }
    kept[i].curves.Merge(carried);
    carried = {};
    fewer.push_back(std::move(kept[i]));
  }
  latest.curves.Merge(carried);
  kept = std::move(fewer);
  stride *= 2;
}

std::vector<const ReplayFrame*> ReplayFrames::List() const {
  std::vector<const ReplayFrame*> out;
  out.reserve(kept.size() + 1);
  for (const ReplayFrame& frame : kept) out.push_back(&frame);
  if (pending) out.push_back(&latest);
  return out;
}

namespace {

void RequireTarget(const RecordHeader& header, const std::string& look_at) {
  if (look_at.empty() || HasBody(header, look_at)) return;
  throw InputError("camera", "there is no link '" + look_at + "' to look at", "the name of a link, deformable or rod");
}

}  // namespace

// What is known before the run is looked at before the run.
ReplayBuilder::ReplayBuilder(const RecordHeader& header, const ReplaySettings& settings)
    : frames_(std::make_unique<ReplayFrames>(header, settings)) {
  RequireTarget(header, settings.camera.look_at);
}

ReplayBuilder::~ReplayBuilder() = default;

void ReplayBuilder::Append(const RecordFrame& frame) { frames_->Append(frame); }

int ReplayBuilder::num_frames() const { return static_cast<int>(frames_->kept.size()) + (frames_->pending ? 1 : 0); }

double ReplayBuilder::end() const { return frames_->latest.time; }

int ReplayBuilder::stride() const { return frames_->stride; }

void ReplayBuilder::Write(const std::string& path) const { Write(path, frames_->settings); }

void ReplayBuilder::Write(const std::string& path, const ReplaySettings& view) const {
  view.Validate();
  Require(num_frames() > 0, "replay", "there are no steps to show", "a run of at least one step");
  const double half_step = 0.5 * frames_->header.time_step;
  Require(!view.start || (*view.start >= 0 && *view.start <= end() + half_step), "time",
          fmt::format("{:g} s is not within the run", view.start.value_or(0)), fmt::format("from 0 to {:g} s", end()));
  RequireTarget(frames_->header, view.camera.look_at);
  OutputFile file(path);
  file.Write(MakeReplayPage(*frames_, view));
  file.Commit();
}

std::unique_ptr<ReplayBuilder> MakeReplay(const Recording& recording, const ReplaySettings& settings) {
  auto replay = std::make_unique<ReplayBuilder>(recording.header, settings);
  const auto row = [](const RowMatrixX& matrix, int step) {
    return std::span<const double>(matrix.data() + matrix.cols() * step, static_cast<std::size_t>(matrix.cols()));
  };
  DeformedReader deformed(recording);
  for (int step = 0; step < recording.steps(); ++step) {
    const auto s = static_cast<std::size_t>(step);
    RecordFrame frame;
    frame.time = recording.time[s];
    frame.status = recording.status[s];
    frame.iterations = recording.iterations[s];
    frame.residual = recording.residual[s];
    frame.stages = row(recording.stages, step);
    frame.contacts = recording.StepContacts(step);
    frame.poses = row(recording.poses, step);
    const DeformedStep bodies = deformed.Read(step);
    frame.vertices = bodies.vertices;
    frame.segments = bodies.segments;
    frame.stress = bodies.stress;
    replay->Append(frame);
  }
  return replay;
}

void WriteReplayHtml(const Recording& recording, const ReplaySettings& settings, const std::string& path) {
  MakeReplay(recording, settings)->Write(path);
}

}  // namespace tactus
