#include "apps/cli/peers/peer_programs.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>

#include <fmt/format.h>

#include "tactus/core/child_process.h"
#include "tactus/core/error.h"
#include "tactus/version.h"

namespace tactus::cli {

namespace fs = std::filesystem;

namespace {

constexpr int kWarmUp = 20;

std::string ToText(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

// The last line of what a program said, which is where Python names the error.
std::string LastLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t at = text.rfind('\n');
  return at == std::string::npos ? text : text.substr(at + 1);
}

ChildLimits MakeLimits(double seconds) {
  ChildLimits limits;
  limits.seconds = seconds;
  limits.memory = std::size_t{64} << 30;  // address space: some engines reserve a lot of it
  return limits;
}

// Of a program that failed: what it said last, or how it ended.
std::string DescribeEnd(const ChildOutcome& outcome) {
  if (outcome.exit_code == kProgramNotFound) return "no Python";
  const std::string line = LastLine(ToText(outcome.output));
  const std::string_view missing = "No module named '";
  if (const auto at = line.find(missing); at != std::string::npos) {
    const auto begin = at + missing.size();
    return fmt::format("cannot import {}; scripts/install-peers.sh installs it",
                       line.substr(begin, line.find('\'', begin) - begin));
  }
  if (outcome.exit_code >= 0 && !line.empty()) return line;
  return outcome.failure.empty() ? "without a word" : outcome.failure;
}

// What a program that lists itself says; a peer whose packages print something first says it in its last line.
Peer ParseList(const std::string& name, const ChildOutcome& outcome) {
  Peer peer;
  peer.name = name;
  const std::string line = LastLine(ToText(outcome.output));
  if (!outcome.ok || outcome.exit_code != 0) {
    peer.missing = DescribeEnd(outcome);
    return peer;
  }
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  try {
    peer.version = json.at("version").get<std::string>();
    peer.variants = json.at("variants").get<std::vector<std::string>>();
  } catch (const Json::exception&) {
    peer.missing = "its program does not say what it can: " + line;
  }
  return peer;
}

PeerRun MakeFailure(const std::string& peer, const PeerJob& job, const std::string& why) {
  PeerRun run;
  run.peer = peer;
  run.variant = job.variant;
  run.scene = job.scene->name;
  run.time_step = job.time_step;
  run.failure = why;
  return run;
}

void WriteJobs(const std::vector<PeerJob>& jobs, std::size_t first, const fs::path& file) {
  Json json = {{"cpu", ChooseCore()}, {"warm_up", kWarmUp}, {"jobs", Json::array()}};
  for (std::size_t k = first; k < jobs.size(); ++k) {
    json["jobs"].push_back({{"name", jobs[k].scene->name},
                            {"scene", jobs[k].scene_file},
                            {"variant", jobs[k].variant},
                            {"time_step", jobs[k].time_step},
                            {"duration", jobs[k].duration},
                            {"sample_every", jobs[k].scene->sample_every},
                            {"budget", jobs[k].budget}});
  }
  std::ofstream out(file);
  out << json.dump() << '\n';
  if (!out) throw InputError(file.string(), "cannot be written", "a folder for temporary files");
}

PeerSceneSettings MakeSceneSettings(const PeerJob& job) {
  PeerSceneSettings settings;
  settings.time_step = job.time_step;
  if (job.variant == "fields") {
    settings.fields = true;
  } else if (job.variant == kTightVariant) {
    settings.tolerance = 1e-12;
  } else if (job.variant == kFastVariant) {
    settings.solver = "subadmm";
    settings.tolerance = 1e-4;
    settings.linearizations = 1;
  } else {
    settings.solver = job.variant;
  }
  return settings;
}

}  // namespace

int ChooseCore() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  int last = 0;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (int k = 0; k < CPU_SETSIZE; ++k) last = CPU_ISSET(k, &allowed) ? k : last;
  }
  return last;
}

std::string FindPeersPython(const std::string& given) {
  if (!given.empty()) {
    Require(fs::exists(given), "--peers-python '" + given + "'", "does not exist", "a Python with the peers' packages");
    return given;
  }
  if (const char* named = std::getenv("TACTUS_PEERS_PYTHON"); named != nullptr && *named != '\0') return named;
  const fs::path made = FindPeersFolder().parent_path().parent_path() / "build" / "peers" / "bin" / "python";
  return fs::exists(made) ? made.string() : "python3";
}

std::vector<Peer> FindPeers(const std::string& python, const fs::path& folder) {
  constexpr std::string_view kEnding = "_peer.py";
  std::vector<Peer> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.size() <= kEnding.size() || name.substr(name.size() - kEnding.size()) != kEnding) continue;
    const ChildOutcome outcome = RunProgram(MakeLimits(60), python, {entry.path().string(), "--list"});
    out.push_back(ParseList(name.substr(0, name.size() - kEnding.size()), outcome));
  }
  std::sort(out.begin(), out.end(), [](const Peer& a, const Peer& b) { return a.name < b.name; });
  return out;
}

std::map<std::string, std::string> GroupMissing(const std::vector<Peer>& peers) {
  std::map<std::string, std::string> out;
  for (const Peer& peer : peers) {
    if (peer.missing.empty()) continue;
    std::string& names = out[peer.missing];
    names += (names.empty() ? "" : ", ") + peer.name;
  }
  return out;
}

std::vector<PeerRun> RunPeerJobs(const std::string& python, const fs::path& folder, const Peer& peer,
                                 const std::vector<PeerJob>& jobs, const fs::path& scratch) {
  const fs::path job_file = scratch / (peer.name + "-jobs.json"),
                 result_file = scratch / (peer.name + "-results.jsonl");
  // Libraries of linear algebra read these when they are loaded: one thread for everybody.
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}) setenv(name, "1", 1);
  std::vector<PeerRun> out;
  while (out.size() < jobs.size()) {
    WriteJobs(jobs, out.size(), job_file);
    fs::remove(result_file);
    double seconds = 60;
    for (std::size_t k = out.size(); k < jobs.size(); ++k) seconds += 3 * jobs[k].budget + 20;
    const ChildOutcome outcome =
        RunProgram(MakeLimits(seconds), python,
                   {(folder / (peer.name + "_peer.py")).string(), job_file.string(), result_file.string()});
    std::ifstream in(result_file);
    for (std::string line; out.size() < jobs.size() && std::getline(in, line);) {
      const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (json.is_discarded()) break;  // cut off by its end
      out.push_back(ParsePeerRun(peer.name, json));
    }
    if (out.size() == jobs.size()) break;
    out.push_back(MakeFailure(peer.name, jobs[out.size()], "its process ended: " + DescribeEnd(outcome)));
  }
  return out;
}

PeerRun RunTactusJob(const PeerJob& job) {
  std::mutex nothing;
  const ChildOutcome outcome = RunInChild(MakeLimits(3 * job.budget + 60), &nothing, [&](const ChildWriter& write) {
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(ChooseCore(), &core);
    sched_setaffinity(0, sizeof core, &core);
    const PreparedPeerScene scene = PreparePeerScene(*job.scene, MakeSceneSettings(job));
    const std::string text = MakePeerRunJson(RunTactus(*job.scene, scene, job.duration, job.budget)).dump();
    write(text.data(), text.size());
  });
  const Json json = Json::parse(ToText(outcome.output), nullptr, /*allow_exceptions=*/false);
  if (!outcome.ok || json.is_discarded()) return MakeFailure("tactus", job, outcome.failure);
  PeerRun run = ParsePeerRun("tactus", json);
  run.variant = job.variant;
  run.version = LibraryVersion();
  return run;
}

}  // namespace tactus::cli
