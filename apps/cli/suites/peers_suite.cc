// tactus bench peers: the same scenes in tactus and in the engines that people use (docs/peers.md).
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "apps/cli/bench_suite.h"
#include "apps/cli/peers/peer_programs.h"
#include "apps/cli/peers/peer_rows.h"
#include "tactus/core/error.h"
#include "tactus/core/timer.h"

namespace tactus::cli {

namespace {

namespace fs = std::filesystem;

// A folder for scenes and results on their way, gone with this.
class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / fmt::format("tactus-peers-{}", getpid())) {
    fs::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Lines on stderr with what is left, by what was done so far.
class PeersProgress {
 public:
  explicit PeersProgress(std::size_t total) : total_(total) {}
  void Next(const std::string& what) {
    const double each = done_ > 0 ? timer_.seconds() / static_cast<double>(done_) : 0;
    const std::string left =
        done_ > 0 ? fmt::format(", about {:.0f} s left", each * static_cast<double>(total_ - done_)) : "";
    fmt::print(stderr, "peers: {}/{} {}{}\n", ++done_, total_, what, left);
  }

 private:
  Timer timer_;
  std::size_t total_, done_ = 0;
};

struct ScenePlan {
  const PeerSceneEntry* entry;
  PreparedPeerScene reference;  // where it starts, and its shapes for the judge
  std::string file;
  std::vector<JudgedPeerRun> runs;
};

bool Large(const PeerSceneEntry& entry) { return entry.sample_every > 1.0 / 100; }

std::vector<double> Steps(const PeerSceneEntry& entry, bool quick) {
  if (quick) return {kPeerStep};
  if (std::string(entry.name) == "spheres") return {kPeerStep, 1.0 / 120};
  if (Large(entry)) return {kPeerStep, 1.0 / 120, 1.0 / 480};
  return {kPeerStep, 1.0 / 60, 1.0 / 120, 1.0 / 480, 1.0 / 960, 1.0 / 1920};
}

std::vector<std::string> TactusVariants(const PeerSceneEntry& entry, bool quick) {
  const std::string name = entry.name;
  std::vector<std::string> out = {""};
  if (entry.at_rest || entry.error == PeerError::Lift) out.emplace_back(kTightVariant);
  if (quick) return out;
  out.emplace_back(kFastVariant);
  if (name == "dishes") out.emplace_back("fields");
  return out;
}

std::vector<PeerJob> MakeJobs(const ScenePlan& plan, const std::vector<std::string>& variants, bool quick) {
  std::vector<PeerJob> jobs;
  for (const std::string& variant : variants) {
    for (const double h : Steps(*plan.entry, quick)) {
      // The step at which all are compared gets the time it takes; the others only draw curves.
      const bool base = h == kPeerStep;
      const double budget = quick ? 1.5 : base ? (Large(*plan.entry) ? 20 : 8) : 3;
      const double duration = quick ? 1 : plan.reference.description.duration;
      jobs.push_back({plan.entry, plan.file, variant, h, duration, budget});
    }
  }
  return jobs;
}

void Judge(const PeerRun& run, const PeerJob& job, ScenePlan* plan) {
  JudgedPeerRun judged{run, {}, job.duration};
  if (run.failure.empty()) judged.errors = JudgePeerRun(*plan->entry, plan->reference.simulator(), run);
  plan->runs.push_back(std::move(judged));
}

std::vector<ScenePlan> MakePlans(const BenchSettings& settings, const fs::path& scratch) {
  std::vector<ScenePlan> plans;
  for (const PeerSceneEntry& entry : PeerScenes()) {
    if ((settings.quick && !entry.quick) || !settings.Wants(entry.name)) continue;
    plans.push_back(
        {&entry, PreparePeerScene(entry, {}), (scratch / (std::string(entry.name) + ".json")).string(), {}});
    std::ofstream out(plans.back().file);
    out << MakePeerSceneJson(entry, plans.back().reference).dump() << '\n';
    if (!out) throw InputError(plans.back().file, "cannot be written", "a folder for temporary files");
  }
  return plans;
}

// A process for each scene, or for all of them at once where starting them would take most of the time.
void RunPeer(const std::string& python, const fs::path& folder, const Peer& peer, bool quick, const fs::path& scratch,
             PeersProgress* progress, std::vector<ScenePlan>* plans) {
  std::vector<PeerJob> jobs;
  std::vector<ScenePlan*> owners;
  const auto flush = [&](const std::string& what) {
    progress->Next(what);
    const std::vector<PeerRun> runs = RunPeerJobs(python, folder, peer, jobs, scratch);
    for (std::size_t k = 0; k < runs.size(); ++k) Judge(runs[k], jobs[k], owners[k]);
    jobs.clear();
    owners.clear();
  };
  for (ScenePlan& plan : *plans) {
    for (const PeerJob& job : MakeJobs(plan, peer.variants, quick)) {
      jobs.push_back(job);
      owners.push_back(&plan);
    }
    if (!quick) flush(fmt::format("{}, {}", peer.name, plan.entry->name));
  }
  if (quick) flush(peer.name);
}

}  // namespace

std::vector<BenchRow> RunPeersSuite(const BenchSettings& settings) {
  const fs::path folder = FindPeersFolder();
  const std::string python = FindPeersPython(settings.peers_python);
  const Scratch scratch;
  std::vector<ScenePlan> plans = MakePlans(settings, scratch.path());
  std::vector<BenchRow> rows;
  if (plans.empty()) return rows;
  const std::vector<Peer> peers = FindPeers(python, folder);
  const auto there = static_cast<std::size_t>(
      std::count_if(peers.begin(), peers.end(), [](const Peer& peer) { return peer.missing.empty(); }));
  for (const auto& [why, names] : GroupMissing(peers)) fmt::print(stderr, "peers: without {}: {}\n", names, why);
  PeersProgress progress(plans.size() + there * (settings.quick ? 1 : plans.size()));
  for (ScenePlan& plan : plans) {
    progress.Next(fmt::format("tactus, {}", plan.entry->name));
    for (const PeerJob& job : MakeJobs(plan, TactusVariants(*plan.entry, settings.quick), settings.quick)) {
      Judge(RunTactusJob(job), job, &plan);
    }
  }
  for (const Peer& peer : peers) {
    if (!peer.missing.empty()) {
      rows.push_back(BenchRow::Measured(fmt::format("{} is missing and skipped", peer.name), 0, "there"));
      continue;
    }
    RunPeer(python, folder, peer, settings.quick, scratch.path(), &progress, &plans);
    rows.push_back(BenchRow::Measured(fmt::format("{} {}", peer.name, peer.version), 1, "there"));
  }
  for (const ScenePlan& plan : plans) {
    const std::vector<BenchRow> made = MakePeerRows(*plan.entry, plan.runs);
    rows.insert(rows.end(), made.begin(), made.end());
  }
  return rows;
}

}  // namespace tactus::cli
