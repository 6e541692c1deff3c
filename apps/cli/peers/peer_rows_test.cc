#include "apps/cli/peers/peer_rows.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::cli {
namespace {

using testing::HasSubstr;

const PeerSceneEntry kEntry = {"heap", PeerError::Penetration, 1e-4, false, false, true, 0.1};

JudgedPeerRun Make(const std::string& peer, double step, double seconds, double penetration, double simulated = 1) {
  JudgedPeerRun r;
  r.run.peer = peer;
  r.run.variant = peer == "tactus" ? "" : "default";
  r.run.time_step = step;
  r.run.seconds = {0.5 * seconds, seconds, seconds, seconds, 1.5 * seconds};
  r.run.simulated = simulated;
  r.errors.penetration = penetration;
  r.errors.creep = r.errors.lift = r.errors.energy = std::nan("");
  r.duration = 1;
  return r;
}

const BenchRow* Find(const std::vector<BenchRow>& rows, const std::string& text) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const BenchRow& row) { return row.name.find(text) != std::string::npos; });
  return found == rows.end() ? nullptr : &*found;
}

TEST(PeerRows, CostOfATargetIsThatOfTheCheapestRunThatMeetsIt) {
  const std::vector<JudgedPeerRun> runs = {
      Make("mujoco", kPeerStep, 1e-3, 1e-2), Make("mujoco", kPeerStep / 2, 1e-3, 5e-5),
      Make("mujoco", kPeerStep / 4, 1e-3, 1e-5), Make("mujoco", 2 * kPeerStep, 1e-3, 1e-6, 0.5),  // did not finish
      Make("bullet", kPeerStep, 1e-6, 1)};
  EXPECT_NEAR(FindCostOfTarget(kEntry, runs, "mujoco default"), 1e-3 / (kPeerStep / 2), 1e-9);
  EXPECT_TRUE(std::isnan(FindCostOfTarget(kEntry, runs, "bullet default")));
}

TEST(PeerRows, OursHaveBarsAndTimesHaveSpreads) {
  const std::vector<BenchRow> rows =
      MakePeerRows(kEntry, {Make("tactus", kPeerStep, 2e-3, 1e-3), Make("mujoco", kPeerStep, 1e-3, 1e-2)});
  const BenchRow* ours = Find(rows, "heap: tactus: penetration");
  ASSERT_NE(ours, nullptr);
  EXPECT_FALSE(ours->pass);
  EXPECT_TRUE(Find(rows, "heap: mujoco default: penetration")->pass);
  EXPECT_NEAR(Find(rows, "tactus over mujoco")->value, 2, 1e-12);
  const BenchRow* time = Find(rows, "heap: tactus: time a step");
  ASSERT_TRUE(time != nullptr && time->spread.has_value());
  EXPECT_NEAR(time->value, 2, 1e-12);
  EXPECT_NEAR(*time->spread, 0, 1e-12);
}

TEST(PeerRows, AFailureIsARowThatSaysWhy) {
  JudgedPeerRun failed = Make("bullet", kPeerStep, 1e-3, 0);
  failed.run.failure = "cannot: no springs";
  const std::vector<BenchRow> rows = MakePeerRows(kEntry, {failed});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_THAT(rows[0].name, HasSubstr("heap: bullet default: cannot: no springs"));
}

}  // namespace
}  // namespace tactus::cli
