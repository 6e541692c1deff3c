// Hundreds of manifolds that nothing was tuned on. TACTUS_SEED=n takes others.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tactus/collision/contact_clustering.h"
#include "tactus/collision/contact_clustering_testing.h"

namespace tactus {
namespace {

TEST(ContactClusteringLong, NoManifoldLosesMoreThanTolerance) {
  const char* given = std::getenv("TACTUS_SEED");
  const std::uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : 1000;
  RecordProperty("seed", std::to_string(first));
  int manifolds = 0, losers = 0, merged = 0, points = 0;
  double worst = 0;
  ClusterScratch scratch;
  for (std::uint64_t seed = first; seed < first + 10; ++seed) {
    auto family = MakeManifolds(seed);
    for (NamedManifold& m : MakeFieldManifolds(seed)) family.push_back(std::move(m));
    for (const NamedManifold& m : family) {
      for (const double friction : {1.0, 0.3}) {
        ContactManifold some = m.manifold;
        const ClusterReport report = ClusterContacts({.friction = friction}, &scratch, &some);
        EXPECT_LE(report.error, 0.01);
        double loss = 0;
        for (const double mu : {friction, 0.5 * friction, 0.1 * friction, 0.0}) {
          loss = std::max(loss, CalcWorstLoss(m.manifold, some, mu, 1000, seed + 77));
        }
        EXPECT_LE(loss, report.error + 1e-9) << m.name << ", seed " << seed << ", friction " << friction;
        ++manifolds;
        losers += loss > 0.01 ? 1 : 0;
        merged += report.merged;
        points += m.manifold.size();
        worst = std::max(worst, loss);
      }
    }
  }
  EXPECT_EQ(losers, 0);
  RecordProperty("manifolds", manifolds);
  RecordProperty("points", points);
  RecordProperty("merged", merged);
  RecordProperty("worst", std::to_string(worst));
}

}  // namespace
}  // namespace tactus
