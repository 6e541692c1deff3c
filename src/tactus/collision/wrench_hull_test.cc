// Nearest points and error bounds against what they are by definition.
#include "tactus/collision/wrench_hull.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/collision/collision_testing.h"

namespace tactus {
namespace {

ContactWrench MakeRandomWrench(Random* random) {
  ContactWrench x;
  for (int k = 0; k < 18; ++k) x[k] = random->Normal();
  return x;
}

TEST(WrenchHull, ErrorBoundsAllTangentialForces) {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const ContactWrench e = MakeRandomWrench(&random);
    const double bound = CalcWrenchError(e);
    double most = 0;
    for (int i = 0; i < 1000; ++i) {
      const double a = 2 * M_PI * i / 1000;
      // The coefficients are mu / sqrt(2) times e1 and e2.
      const Vector6 rest =
          e.head<6>() + std::sqrt(2) * (std::cos(a) * e.segment<6>(6) + std::sin(a) * e.segment<6>(12));
      most = std::max(most, rest.norm());
    }
    EXPECT_LE(most, bound * (1 + 1e-12));
    EXPECT_GE(most, 0.7 * bound);
  }
}

TEST(WrenchHull, ContactWrenchIsOfUnitTangents) {
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3 r = MakeRandomDirection(&random);
    const Vector3 n = trial == 0 ? Vector3(-Vector3::UnitZ()) : MakeRandomDirection(&random);
    const ContactWrench x = CalcContactWrench(r, n, 2, 1, 0.5);
    const double s = 0.5 * std::sqrt(0.5);
    const Vector3 t1 = x.segment<3>(6) / s, t2 = x.segment<3>(12) / s;
    EXPECT_NEAR(t1.norm(), 1, 1e-12);
    EXPECT_NEAR(t2.norm(), 1, 1e-12);
    for (const double product : {t1.dot(t2), t1.dot(n), t2.dot(n)}) EXPECT_NEAR(product, 0, 1e-12);
    EXPECT_NEAR((x.segment<3>(3) - r.cross(n)).norm(), 0, 1e-12);
    EXPECT_NEAR((x.segment<3>(9) / s - r.cross(t1)).norm(), 0, 1e-12);
    EXPECT_NEAR((x.segment<3>(15) / s - r.cross(t2)).norm(), 0, 1e-12);
  }
}

TEST(WrenchHull, PointsInsideAreReached) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    WrenchHull hull;
    std::vector<ContactWrench> all;
    for (int i = 0; i < 60; ++i) {
      all.push_back(MakeRandomWrench(&random));
      hull.Add(all.back());
    }
    for (int i = 0; i < 20; ++i) {
      ContactWrench x = ContactWrench::Zero(), d;
      double sum = 0, error = 0;
      for (const ContactWrench& y : all) {
        const double weight = std::pow(random.Uniform(), 8);
        x += weight * y;
        sum += weight;
      }
      x /= sum;
      ASSERT_TRUE(hull.Approach(x, 1e-3, &error, &d));
      EXPECT_LE(error, 1e-3);
      // What it says is where it stands.
      ContactWrench y = ContactWrench::Zero();
      const WrenchHull::Combination& at = hull.combination();
      double total = 0;
      for (int k = 0; k < at.count; ++k) {
        EXPECT_GE(at.weight[k], 0);
        total += at.weight[k];
        y += at.weight[k] * all[static_cast<std::size_t>(at.row[k])];
      }
      EXPECT_NEAR(total, 1, 1e-12);
      EXPECT_NEAR(CalcWrenchError(x - y), error, 1e-12);
    }
  }
}

TEST(WrenchHull, PointsOutsideAreSeparated) {
  Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    WrenchHull hull;
    std::vector<ContactWrench> all;
    for (int i = 0; i < 60; ++i) {
      all.push_back(MakeRandomWrench(&random));
      hull.Add(all.back());
    }
    for (int i = 0; i < 20; ++i) {
      const ContactWrench x = 3 * MakeRandomWrench(&random);
      ContactWrench d;
      double error = 0;
      ASSERT_FALSE(hull.Approach(x, 0.01, &error, &d));
      EXPECT_NEAR(d.norm(), 1, 1e-12);
      for (const ContactWrench& y : all) EXPECT_LT(d.dot(y), d.dot(x));
    }
  }
}

}  // namespace
}  // namespace tactus
