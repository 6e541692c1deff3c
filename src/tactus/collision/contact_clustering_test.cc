// Fewer points reach as far, in directions that clustering did not try.
#include "tactus/collision/contact_clustering.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"
#include "tactus/core/error.h"
#include "tactus/core/timer.h"
#include "tactus/geometry/fields/fields.h"

namespace tactus {
namespace {

// From the definition, about the middle of the box of `all`, in units of its radius.
class ReachOf {
 public:
  explicit ReachOf(const ContactManifold& all) {
    Vector3 low = all.points[0].point, high = low;
    for (const ContactPoint& c : all.points) {
      low = low.cwiseMin(c.point);
      high = high.cwiseMax(c.point);
    }
    middle_ = 0.5 * (low + high);
    for (const ContactPoint& c : all.points) radius_ = std::max(radius_, (c.point - middle_).norm());
  }
  double operator()(const ContactManifold& manifold, const Vector6& d, double mu) const {
    double most = -1e9;
    for (const ContactPoint& c : manifold.points) {
      const Vector3 v = d.head<3>() + d.tail<3>().cross(c.point - middle_) / radius_;
      const double along = v.dot(c.normal);
      most = std::max(most, along + mu * (v - along * c.normal).norm());
    }
    return most;
  }

 private:
  Vector3 middle_;
  double radius_ = 0;
};

double WorstLoss(const ContactManifold& all, const ContactManifold& some, double mu, int directions) {
  const ReachOf reach(all);
  Random random(99);
  double worst = 0;
  for (int i = 0; i < directions; ++i) {
    Vector6 d;
    for (int k = 0; k < 6; ++k) d[k] = random.Normal();
    d.normalize();
    const double loss = reach(all, d, mu) - reach(some, d, mu);
    EXPECT_GE(loss, -1e-12);
    worst = std::max(worst, loss);
  }
  return worst;
}

// Numbers of features, gaps at random.
ContactManifold Finish(ContactManifold manifold, Random* random) {
  for (int i = 0; i < manifold.size(); ++i) {
    ContactPoint& c = manifold.points[static_cast<std::size_t>(i)];
    c.feature = static_cast<std::uint64_t>(i);
    c.gap = 1e-4 * random->Normal();
  }
  return manifold;
}

ContactManifold MakePatch(int count, bool disc, Random* random) {
  ContactManifold out;
  while (out.size() < count) {
    const Vector3 p(random->Uniform(-0.1, 0.1), random->Uniform(-0.1, 0.1), 0);
    if (!disc || p.norm() < 0.1) out.points.push_back({p, Vector3::UnitZ(), 0, 0});
  }
  return Finish(out, random);
}

ContactManifold MakeRing(int count, Random* random) {
  ContactManifold out;
  for (int i = 0; i < count; ++i) {
    const double a = 2 * M_PI * i / count, tilt = 0.6 + 0.02 * random->Normal();
    const Vector3 radial(std::cos(a), std::sin(a), 0);
    out.points.push_back({0.05 * radial, -std::sin(tilt) * radial + std::cos(tilt) * Vector3::UnitZ(), 0, 0});
  }
  return Finish(out, random);
}

ContactManifold MakeThreadContacts(double drop, double margin) {
  Shape bolt, nut;
  bolt.type = nut.type = ShapeType::Field;
  bolt.field = MakeBoltField({}, 0.08, 3e-3);
  nut.field = MakeNutField({}, {.clearance = 2e-4}, 3e-3);
  CollisionScratch scratch;
  ContactManifold out;
  CollideShapes(*CollisionShape::Make(nut, ""), Pose(Vector3(0, 0, -drop)), *CollisionShape::Make(bolt, ""), Pose(),
                margin, &scratch, &out);
  return out;
}

ContactManifold MakeRandomContacts(int count, Random* random) {
  ContactManifold out;
  for (int i = 0; i < count; ++i) {
    out.points.push_back({0.1 * random->Uniform() * MakeRandomDirection(random), MakeRandomDirection(random), 0, 0});
  }
  return Finish(out, random);
}

void ExpectClustered(const std::string& name, const ContactManifold& all, int most) {
  SCOPED_TRACE(name);
  ContactManifold some = all;
  ClusterScratch scratch;
  const ClusterReport report = ClusterContacts({}, &scratch, &some);
  const ThreadCpuTimer timer;
  some = all;
  ClusterContacts({}, &scratch, &some);
  const double seconds = timer.seconds();
  EXPECT_EQ(report.merged, all.size() - some.size());
  EXPECT_EQ(some.merged, report.merged);
  EXPECT_EQ(report.within_cap, some.size() <= 120);
  EXPECT_LE(some.size(), most);
  EXPECT_EQ(Deepest(some)->gap, Deepest(all)->gap);
  EXPECT_LE(report.error, 0.01);
  const double loss = WorstLoss(all, some, 1, 3000);
  EXPECT_LE(loss, 0.01);
  for (const double mu : {0.0, 0.3}) EXPECT_LE(WorstLoss(all, some, mu, 1000), 0.01);
  ::testing::Test::RecordProperty(name, std::to_string(some.size()) + " points, loss " + std::to_string(loss) + ", " +
                                            std::to_string(1e3 * seconds) + " ms");
}

TEST(ContactClustering, ReachIsKept) {
  Random random(1);
  ExpectClustered("square", MakePatch(2000, false, &random), 120);
  ExpectClustered("disc", MakePatch(2000, true, &random), 120);
  ExpectClustered("ring", MakeRing(1000, &random), 120);
  ExpectClustered("thread on its flanks", MakeThreadContacts(2.3e-4, 1e-4), 200);
  ExpectClustered("thread all over", MakeThreadContacts(0, 5e-4), 5000);
  ExpectClustered("5000 at random", MakeRandomContacts(5000, &random), 5000);
}

TEST(ContactClustering, FeaturesStayUnderSmallMotion) {
  Random random(2);
  ContactManifold before = MakePatch(2000, true, &random), after = before;
  for (ContactPoint& c : after.points) {
    c.point += 1e-6 * MakeRandomDirection(&random);
    c.normal = (c.normal + 1e-6 * MakeRandomDirection(&random)).normalized();
    c.gap += 1e-8 * random.Normal();
  }
  ClusterScratch scratch;
  ClusterContacts({}, &scratch, &before);
  ClusterContacts({}, &scratch, &after);
  std::set<std::uint64_t> features;
  for (const ContactPoint& c : before.points) features.insert(c.feature);
  int same = 0;
  for (const ContactPoint& c : after.points) same += features.count(c.feature) > 0 ? 1 : 0;
  EXPECT_GE(same, 7 * after.size() / 10);
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
