// What an engine did with a scene, tactus included, and how that is judged: by poses and velocities alone.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/peers/peer_scene.h"

namespace tactus::cli {

/// Of all links, at one time.
struct PeerSample {
  double time = 0;  ///< [s]
  std::vector<Pose> poses;
  std::vector<Vector6> velocities;  ///< [of the link's origin; angular], world axes
};

/// One scene with one step, by one engine with certain settings.
struct PeerRun {
  std::string peer, variant, version, scene;
  double time_step = 0;             ///< [s]
  int warm_up = 0;                  ///< steps at the start that are not in the times
  std::vector<double> seconds;      ///< processor time of every step after these [s]
  std::vector<PeerSample> samples;  ///< the first before the first step
  double simulated = 0;             ///< how far it came before its time was up [s]
  std::string failure;              ///< empty, or why there is no run

  std::string label() const { return variant.empty() ? peer : peer + " " + variant; }
};

/// A line of a peer's output. Throws InputError that names the peer and what is wrong.
PeerRun ParsePeerRun(const std::string& peer, const Json& json);
Json MakePeerRunJson(const PeerRun& run);

/// Runs a prepared scene by tactus until `duration` or until `budget` [s] of processor time is spent.
PeerRun RunTactus(const PeerSceneEntry& entry, const PreparedPeerScene& scene, double duration, double budget);

/// What is wrong with a run. NaN where the scene has no such error.
struct PeerErrors {
  double start = 0;        ///< largest difference of a pose at step 0 from that of tactus [m, rad]
  double penetration = 0;  ///< deepest overlap of shapes [m]
  double creep = 0;        ///< fastest mean motion of a link in the second half [m/s]
  double lift = 0;         ///< highest above where it was at the start [m]
  double energy = 0;       ///< largest rise of mechanical energy over its least value before, relative to what was lost
  double Get(PeerError error) const;
};
PeerErrors JudgePeerRun(const PeerSceneEntry& entry, const Simulator& simulator, const PeerRun& run);

/// Deepest overlap of shapes of different trees at these poses of all links [m].
double CalcPenetration(const Simulator& simulator, const std::vector<Pose>& poses);

}  // namespace tactus::cli
