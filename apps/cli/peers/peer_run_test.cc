#include "apps/cli/peers/peer_run.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/cli/peers/peer_programs.h"
#include "tactus/core/error.h"

namespace tactus::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const PeerSceneEntry& Entry(const std::string& name) {
  for (const PeerSceneEntry& entry : PeerScenes()) {
    if (name == entry.name) return entry;
  }
  throw InputError("scene", "'" + name + "' is not known", "one of PeerScenes()");
}

std::string MessageOf(const Json& json) {
  try {
    ParsePeerRun("drake", json);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PeerScene, AllScenesCanBeToldToOthers) {
  for (const PeerSceneEntry& entry : PeerScenes()) {
    const PreparedPeerScene scene = PreparePeerScene(entry, {});
    const Json json = MakePeerSceneJson(entry, scene);
    EXPECT_EQ(json.at("links").size(), scene.simulator().model().links().size()) << entry.name;
    EXPECT_GT(json.at("friction").get<double>(), 0) << entry.name;
  }
}

TEST(PeerScene, DishesAreConvexPiecesWithTheInertiaOfTheField) {
  const PreparedPeerScene pieces = PreparePeerScene(Entry("dishes"), {});
  PeerSceneSettings settings;
  settings.fields = true;
  const PreparedPeerScene fields = PreparePeerScene(Entry("dishes"), settings);
  const std::vector<LinkDescription>& links = pieces.simulator().model().description().links;
  ASSERT_EQ(links.size(), 5u);
  for (std::size_t k = 1; k < links.size(); ++k) {
    const LinkInertia& other = *fields.simulator().model().description().links[k].inertia;
    EXPECT_EQ(links[k].inertia->mass, other.mass);
    EXPECT_TRUE(links[k].inertia->central.isApprox(other.central, 1e-12));
  }
  EXPECT_EQ(pieces.simulator().objects().size(), 1u + 4 * 17);
}

TEST(PeerRun, GoesThroughJsonAsItWas) {
  const PeerSceneEntry& entry = Entry("sliding-cube");
  const PreparedPeerScene scene = PreparePeerScene(entry, {});
  const PeerRun run = RunTactus(entry, scene, 0.1, 10);
  const PeerRun read = ParsePeerRun("tactus", MakePeerRunJson(run));
  EXPECT_EQ(read.seconds, run.seconds);
  ASSERT_EQ(read.samples.size(), run.samples.size());
  EXPECT_EQ(read.samples.back().time, run.samples.back().time);
  EXPECT_TRUE(read.samples.back().poses[1].p.isApprox(run.samples.back().poses[1].p, 1e-15));
  EXPECT_TRUE(read.samples.back().velocities[1].isApprox(run.samples.back().velocities[1], 1e-15));
}

TEST(PeerRun, WhatIsMissingInAPeersOutputIsNamed) {
  const Json whole = {{"variant", "point"}, {"version", "1"}, {"scene", "slope"}, {"time_step", 0.01},
                      {"warm_up", 0},       {"seconds", {1}}, {"simulated", 1},   {"samples", Json::array()}};
  EXPECT_THAT(MessageOf(whole), HasSubstr("has no samples"));
  Json cut = whole;
  cut.erase("seconds");
  EXPECT_THAT(MessageOf(cut), HasSubstr("seconds"));
  EXPECT_THAT(MessageOf(cut), HasSubstr("drake"));
  EXPECT_THAT(MessageOf(Json("text")), HasSubstr("drake"));
  Json failed = whole;
  failed["failure"] = "cannot: no words";
  EXPECT_EQ(MessageOf(failed), "");
}

// A run of one cube by numbers: it sinks by a millimetre, rises by two, and moves at 3 mm/s to the side.
PeerRun MakeRun(const PreparedPeerScene& scene, std::size_t cube) {
  PeerRun run;
  run.peer = "other";
  const std::vector<double> heights = {0, -1e-3, 0, 2e-3, 0};
  for (std::size_t k = 0; k < heights.size(); ++k) {
    PeerSample sample;
    sample.time = 0.5 * static_cast<double>(k);
    for (std::size_t l = 0; l < scene.simulator().model().links().size(); ++l) {
      sample.poses.push_back(scene.simulator().LinkPose(static_cast<int>(l)));
      sample.velocities.push_back(scene.simulator().LinkVelocity(static_cast<int>(l)));
    }
    sample.poses[cube].p += Vector3(0, 3e-3 * sample.time, heights[k]);
    run.samples.push_back(sample);
  }
  return run;
}

TEST(PeerJudge, MeasuresPenetrationLiftAndEnergy) {
  const PeerSceneEntry& entry = Entry("sliding-cube");
  const PreparedPeerScene scene = PreparePeerScene(entry, {});
  const PeerRun run = MakeRun(scene, static_cast<std::size_t>(scene.simulator().model().FindLink("cube")));
  const PeerErrors errors = JudgePeerRun(entry, scene.simulator(), run);
  EXPECT_EQ(errors.start, 0);
  EXPECT_NEAR(errors.penetration, 1e-3, 1e-12);
  EXPECT_NEAR(errors.lift, 2e-3, 1e-12);
  // From 1 mm below to 2 mm above, of 1 mm lost.
  EXPECT_NEAR(errors.energy, 3, 1e-6);
  EXPECT_TRUE(std::isnan(errors.creep));
}

TEST(PeerJudge, MeasuresCreepInTheSecondHalfAndOtherStarts) {
  const PeerSceneEntry& entry = Entry("slope");
  const PreparedPeerScene scene = PreparePeerScene(entry, {});
  const auto block = static_cast<std::size_t>(scene.simulator().model().FindLink("block"));
  PeerRun run = MakeRun(scene, block);
  EXPECT_NEAR(JudgePeerRun(entry, scene.simulator(), run).creep, 3e-3, 1e-9);
  run.samples[0].poses[block].p[0] += 1e-6;
  EXPECT_NEAR(JudgePeerRun(entry, scene.simulator(), run).start, 1e-6, 1e-12);
}

TEST(PeerJudge, TactusNeitherCreepsNorLifts) {
  for (const char* name : {"slope", "sliding-cube"}) {
    const PeerSceneEntry& entry = Entry(name);
    PeerSceneSettings settings;
    settings.tolerance = 1e-12;
    const PreparedPeerScene scene = PreparePeerScene(entry, settings), start = PreparePeerScene(entry, {});
    const PeerRun run = RunTactus(entry, scene, 0.5, 60);
    EXPECT_LE(JudgePeerRun(entry, start.simulator(), run).Get(entry.error), 1e-12) << name;
  }
}

TEST(PeerPrograms, PeersThatAreMissingAreNamed) {
  const std::vector<Peer> peers = FindPeers("/nowhere/python", FindPeersFolder());
  std::vector<std::string> names;
  for (const Peer& peer : peers) {
    names.push_back(peer.name);
    EXPECT_FALSE(peer.missing.empty()) << peer.name;
  }
  EXPECT_THAT(names, ElementsAre("bullet", "dart", "drake", "mujoco", "pinocchio"));
  EXPECT_THROW(FindPeersPython("/nowhere/python"), InputError);
}

TEST(PeerPrograms, SayWhichPackageIsMissing) {
  const std::filesystem::path python = testing::TempDir() + "bare_python";
  std::ofstream(python) << "#!/bin/sh\necho 'Traceback:' >&2\n"
                           "case $1 in *bullet*) package=pybullet;; *) package=numpy;; esac\n"
                           "echo \"ModuleNotFoundError: No module named '$package'\" >&2\nexit 1\n";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  const auto missing = GroupMissing(FindPeers(python.string(), FindPeersFolder()));
  EXPECT_THAT(missing, ElementsAre(Pair("cannot import numpy; scripts/install-peers.sh installs it",
                                        "dart, drake, mujoco, pinocchio"),
                                   Pair("cannot import pybullet; scripts/install-peers.sh installs it", "bullet")));
}

TEST(PeerPrograms, AProcessThatEndsIsAFailureOfItsJobOnly) {
  // `false` stands for a Python that dies at once, whatever it is asked.
  const PeerJob job{&Entry("slope"), "slope.json", "default", 0.01, 1, 0.1};
  const std::vector<PeerRun> runs =
      RunPeerJobs("false", FindPeersFolder(), {"mujoco", "1", {"default"}, ""}, {job, job}, testing::TempDir());
  ASSERT_EQ(runs.size(), 2u);
  for (const PeerRun& run : runs) EXPECT_THAT(run.failure, HasSubstr("its process ended"));
}

}  // namespace
}  // namespace tactus::cli
