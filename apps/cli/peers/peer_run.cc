#include "apps/cli/peers/peer_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/core/timer.h"

namespace tactus::cli {

namespace {

constexpr int kWarmUp = 20;

PeerSample TakeSample(const Simulator& simulator) {
  PeerSample sample;
  sample.time = simulator.time();
  for (std::size_t k = 0; k < simulator.model().links().size(); ++k) {
    sample.poses.push_back(simulator.LinkPose(static_cast<int>(k)));
    sample.velocities.push_back(simulator.LinkVelocity(static_cast<int>(k)));
  }
  return sample;
}

PeerSample ReadSample(const Json& json) {
  PeerSample sample;
  sample.time = json.at("time").get<double>();
  for (const Json& pose : json.at("poses")) sample.poses.push_back(ReadPose(pose));
  for (const Json& velocity : json.at("velocities")) {
    const auto v = velocity.get<std::array<double, 6>>();
    sample.velocities.emplace_back(Eigen::Map<const Vector6>(v.data()));
  }
  return sample;
}

}  // namespace

PeerRun ParsePeerRun(const std::string& peer, const Json& json) {
  PeerRun run;
  run.peer = peer;
  try {
    run.variant = json.at("variant").get<std::string>();
    run.version = json.at("version").get<std::string>();
    run.scene = json.at("scene").get<std::string>();
    run.time_step = json.at("time_step").get<double>();
    run.failure = json.value("failure", "");
    if (!run.failure.empty()) return run;
    run.warm_up = json.at("warm_up").get<int>();
    run.seconds = json.at("seconds").get<std::vector<double>>();
    run.simulated = json.at("simulated").get<double>();
    for (const Json& sample : json.at("samples")) run.samples.push_back(ReadSample(sample));
  } catch (const Json::exception& error) {
    throw InputError("output of the peer '" + peer + "'", error.what(), "a run as bench/peers/peer.py writes it");
  }
  for (const PeerSample& sample : run.samples) {
    Require(sample.poses.size() == run.samples[0].poses.size() && sample.velocities.size() == sample.poses.size(),
            "output of the peer '" + peer + "'", "samples differ in size", "a pose and a velocity for every link");
  }
  Require(!run.samples.empty(), "output of the peer '" + peer + "'", "has no samples", "at least that of step 0");
  return run;
}

Json MakePeerRunJson(const PeerRun& run) {
  Json json = {{"peer", run.peer},        {"variant", run.variant},     {"version", run.version},
               {"scene", run.scene},      {"time_step", run.time_step}, {"failure", run.failure},
               {"warm_up", run.warm_up},  {"seconds", run.seconds},     {"simulated", run.simulated},
               {"samples", Json::array()}};
  for (const PeerSample& sample : run.samples) {
    Json item = {{"time", sample.time}, {"poses", Json::array()}, {"velocities", Json::array()}};
    for (const Pose& pose : sample.poses) item["poses"].push_back(MakePoseJson(pose));
    for (const Vector6& v : sample.velocities) item["velocities"].push_back(std::vector<double>(v.begin(), v.end()));
    json["samples"].push_back(std::move(item));
  }
  return json;
}

PeerRun RunTactus(const PeerSceneEntry& entry, const PreparedPeerScene& scene, double duration, double budget) {
  Simulator& simulator = scene.simulator();
  PeerRun run;
  run.peer = "tactus";
  run.scene = entry.name;
  run.time_step = simulator.settings().scheme.step;
  run.samples.push_back(TakeSample(simulator));
  const int steps = static_cast<int>(std::lround(duration / run.time_step));
  const int every = std::max(1, static_cast<int>(std::lround(entry.sample_every / run.time_step)));
  run.warm_up = std::min(kWarmUp, steps / 4);
  double spent = 0;
  for (int k = 1; k <= steps && spent < budget; ++k) {
    const ThreadCpuTimer timer;
    const StepReport report = simulator.Step();
    const double seconds = timer.seconds();
    spent += seconds;
    if (!report.moved()) {
      run.failure = fmt::format("step {}: {}", k, report.message);
      return run;
    }
    if (k > run.warm_up) run.seconds.push_back(seconds);
    if (k % every == 0 || k == steps) run.samples.push_back(TakeSample(simulator));
  }
  run.simulated = simulator.time();
  return run;
}

}  // namespace tactus::cli
