// Scenes that tactus and other engines simulate: the table of them, and how they are told to the others.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/cli/json_output.h"
#include "tactus/scene/compile_scene.h"

namespace tactus::cli {

/// Which error says most about a scene.
enum class PeerError { Penetration, Creep, Lift };
const char* ToString(PeerError error);
const char* UnitOf(PeerError error);

/// A line of the table of scenes, bench/peers/scenes/<name>.yaml.
struct PeerSceneEntry {
  const char* name;
  PeerError error;
  double target;        ///< of that error, for the time it takes to reach it
  bool at_rest;         ///< nothing should move: creep is measured
  bool passive;         ///< nothing drives it: energy must not grow
  bool quick;           ///< in --quick too
  double sample_every;  ///< of poses for the judge [s]
};
const std::vector<PeerSceneEntry>& PeerScenes();

/// bench/peers of the source tree. InputError where there is none, as in an installed tactus.
std::filesystem::path FindPeersFolder();

/// The scene ready to step. Dishes are convex pieces unless `fields`; `solver` in place of the scene's, unless empty.
struct PeerSceneSettings {
  double time_step = 1.0 / 240;  ///< [s]
  bool fields = false;
  std::string solver;
  double tolerance = 0;    ///< 0: the scene's or the solver's
  int linearizations = 0;  ///< 0: the scene's
};
struct PreparedPeerScene {
  SceneDescription description;
  SceneSimulation simulation;
  Simulator& simulator() const { return *simulation.simulator; }
};
PreparedPeerScene PreparePeerScene(const PeerSceneEntry& entry, const PeerSceneSettings& settings);

/// Convex pieces whose union is a dish with flat edges: a disc and a ring of wedges, as many as `sectors`.
std::vector<std::vector<Vector3>> MakeDishPieces(double base_radius, double rim_radius, double height, double thickness,
                                                 int sectors);

/// Everything another engine needs: links with joints, inertia, shapes, state; drives and forces. InputError for what
/// the description has no words for.
Json MakePeerSceneJson(const PeerSceneEntry& entry, const PreparedPeerScene& scene);

/// [x, y, z, w, x, y, z] and back; throws Json::exception.
Json MakePoseJson(const Pose& pose);
Pose ReadPose(const Json& json);

}  // namespace tactus::cli
