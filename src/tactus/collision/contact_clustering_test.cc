// Fewer points reach as far, in directions and at frictions that clustering does not know of.
#include "tactus/collision/contact_clustering.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"
#include "tactus/collision/contact_clustering_testing.h"
#include "tactus/core/error.h"
#include "tactus/core/timer.h"

namespace tactus {
namespace {

void ExpectClustered(const std::string& name, const ContactManifold& all, int most, const ClusterSettings& settings) {
  SCOPED_TRACE(name + ", friction " + std::to_string(settings.friction));
  ContactManifold some = all;
  ClusterScratch scratch;
  const ClusterReport report = ClusterContacts(settings, &scratch, &some);
  const ThreadCpuTimer timer;
  some = all;
  ClusterContacts(settings, &scratch, &some);
  const double seconds = timer.seconds();
  EXPECT_EQ(report.merged, all.size() - some.size());
  EXPECT_EQ(some.merged, report.merged);
  EXPECT_EQ(report.within_cap, some.size() <= settings.cap);
  EXPECT_LE(some.size(), most);
  EXPECT_EQ(Deepest(some)->gap, Deepest(all)->gap);
  EXPECT_LE(report.error, settings.tolerance);
  double worst = 0;
  for (const double part : {1.0, 0.3, 0.0}) {
    const double loss = CalcWorstLoss(all, some, part * settings.friction, 3000, 99);
    // Lengths of normals are rounded.
    EXPECT_LE(loss, report.error + 1e-9) << part;
    worst = std::max(worst, loss);
  }
  ::testing::Test::RecordProperty(name + " " + std::to_string(settings.friction),
                                  std::to_string(all.size()) + " to " + std::to_string(some.size()) + ", loss " +
                                      std::to_string(worst) + ", " + std::to_string(1e3 * seconds) + " ms");
}

TEST(ContactClustering, ReachIsKept) {
  Random random(1);
  ExpectClustered("square", MakePatch(2000, false, &random), 120, {});
  ExpectClustered("disc", MakePatch(2000, true, &random), 120, {});
  ExpectClustered("ring", MakeRing(1000, &random), 120, {});
  ExpectClustered("5000 at random", MakeRandomContacts(5000, &random), 5000, {});
  const ContactManifold flank = MakeThreadContacts(48e-3, 5e-3, 2.3e-4, 1e-4);
  ExpectClustered("thread on its flanks", flank, 200, {});
  ExpectClustered("thread on its flanks", flank, 130, {.friction = 0.3});
  ExpectClustered("thread on its flanks", flank, 120, {.friction = 0.1});
  ExpectClustered("thread all over", MakeThreadContacts(48e-3, 5e-3, 0, 5e-4), 700, {});
}

TEST(ContactClustering, ReachIsKeptByManyKinds) {
  for (const std::uint64_t seed : {11, 12}) {
    for (const NamedManifold& m : MakeManifolds(seed)) ExpectClustered(m.name, m.manifold, m.manifold.size(), {});
  }
}

TEST(ContactClustering, ReachIsKeptByBowlsAndThreads) {
  for (const NamedManifold& m : MakeFieldManifolds(11)) {
    const bool bowls = m.name[0] == 'b', flank = m.name.back() == 'k';
    ExpectClustered(m.name, m.manifold, bowls ? 150 : (flank ? 200 : 600), {});
    ExpectClustered(m.name, m.manifold, bowls ? 130 : (flank ? 140 : 400), {.friction = 0.3});
  }
}

TEST(ContactClustering, ToleranceIsKept) {
  Random random(4);
  const ContactManifold all = MakePatch(1000, true, &random);
  int last = all.size() + 1;
  for (const double tolerance : {1e-3, 1e-2, 5e-2}) {
    ContactManifold some = all;
    ClusterScratch scratch;
    const ClusterReport report = ClusterContacts({.cap = 5, .tolerance = tolerance}, &scratch, &some);
    EXPECT_LE(report.error, tolerance);
    EXPECT_LE(CalcWorstLoss(all, some, 1, 1000, 98), report.error + 1e-9);
    EXPECT_LT(some.size(), last);
    last = some.size();
  }
}

// Part of the features that stay when all points move by a millionth of the manifold.
double FindStaying(ContactManifold before, Random* random) {
  ContactManifold after = before;
  for (ContactPoint& c : after.points) {
    c.point += 1e-7 * MakeRandomDirection(random);
    c.normal = (c.normal + 1e-6 * MakeRandomDirection(random)).normalized();
    c.gap += 1e-8 * random->Normal();
  }
  ClusterScratch scratch;
  ClusterContacts({}, &scratch, &before);
  ClusterContacts({}, &scratch, &after);
  std::set<std::uint64_t> features;
  for (const ContactPoint& c : before.points) features.insert(c.feature);
  int same = 0;
  for (const ContactPoint& c : after.points) same += features.count(c.feature) > 0 ? 1 : 0;
  return static_cast<double>(same) / after.size();
}

TEST(ContactClustering, FeaturesStayUnderSmallMotion) {
  Random random(2);
  const double disc = FindStaying(MakePatch(2000, true, &random), &random);
  const double nut = FindStaying(MakeThreadContacts(48e-3, 5e-3, 2.3e-4, 1e-4), &random);
  EXPECT_GE(disc, 0.9);
  EXPECT_GE(nut, 0.9);
  RecordProperty("disc", std::to_string(disc));
  RecordProperty("nut", std::to_string(nut));
}

TEST(ContactClustering, SmallAndDegenerateManifolds) {
  Random random(3);
  ClusterScratch scratch;
  ContactManifold few = MakePatch(120, true, &random);
  EXPECT_EQ(ClusterContacts({}, &scratch, &few).merged, 0);
  EXPECT_EQ(few.size(), 120);
  // All in one place, or on a line.
  ContactManifold same, line;
  for (int i = 0; i < 500; ++i) {
    same.points.push_back({Vector3(1, 2, 3), Vector3::UnitZ(), -1e-3, static_cast<std::uint64_t>(i)});
    line.points.push_back({Vector3(1e-3 * i, 0, 0), Vector3::UnitZ(), -1e-3, static_cast<std::uint64_t>(i)});
  }
  const ClusterReport report = ClusterContacts({}, &scratch, &same);
  EXPECT_EQ(report.merged + same.size(), 500);
  EXPECT_LE(same.size(), 120);
  ClusterContacts({}, &scratch, &line);
  EXPECT_EQ(line.points.front().feature, 0u);
  EXPECT_EQ(line.points.back().feature, 499u);
  EXPECT_THROW(ClusterContacts({.tolerance = 0}, &scratch, &line), InputError);
}

}  // namespace
}  // namespace tactus
