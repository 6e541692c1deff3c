// Runs engines in processes of their own: tactus in a fork, the others by Python programs in bench/peers.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "apps/cli/peers/peer_run.h"

namespace tactus::cli {

/// An engine that may or may not be installed.
struct Peer {
  std::string name;                   ///< of the program: <name>_peer.py
  std::string version;                ///< empty: missing
  std::vector<std::string> variants;  ///< settings it is run with
  std::string missing;                ///< why it is not there; empty: it is
};

/// The Python with the engines' packages: `given`, else $TACTUS_PEERS_PYTHON, else what scripts/install-peers.sh made,
/// else python3. InputError if `given` is no program.
std::string FindPeersPython(const std::string& given);

/// All engines that have a program in `folder` (bench/peers), by name; those that do not start are missing.
std::vector<Peer> FindPeers(const std::string& python, const std::filesystem::path& folder);

/// Why peers are missing, and the names of those, separated by commas.
std::map<std::string, std::string> GroupMissing(const std::vector<Peer>& peers);

/// One scene with one step.
struct PeerJob {
  const PeerSceneEntry* scene = nullptr;
  std::string scene_file;  ///< of MakePeerSceneJson; not for tactus
  std::string variant;
  double time_step = 0, duration = 0;  ///< [s]
  double budget = 0;                   ///< processor time after which a run ends early [s]
};

/// The core that everything is pinned to: the last that this process may use.
int ChooseCore();

/// The jobs of one peer in one process; where it dies, the job at hand is a failure and the rest goes on in another.
/// Files go to `scratch`.
std::vector<PeerRun> RunPeerJobs(const std::string& python, const std::filesystem::path& folder, const Peer& peer,
                                 const std::vector<PeerJob>& jobs, const std::filesystem::path& scratch);
/// A variant of tactus: contacts solved to 1e-12 instead of 1e-8, which is where nothing but rounding is left.
inline constexpr const char* kTightVariant = "to 1e-12";

/// Another: subadmm to 1e-4, contacts linearised once a step. What engines that do not aim at the exact law are like.
inline constexpr const char* kFastVariant = "fast";

/// The same with tactus, each job in a fork. Variants: empty: the scene as it is; "fields": dishes as fields;
/// kTightVariant, kFastVariant; else a solver.
PeerRun RunTactusJob(const PeerJob& job);

}  // namespace tactus::cli
