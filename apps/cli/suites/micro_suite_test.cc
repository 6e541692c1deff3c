#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "apps/cli/suites/machine_kernels_api.h"
#include "apps/cli/suites/machine_limits.h"
#include "apps/cli/suites/micro_cases.h"

namespace tactus::cli {
namespace {

// The loops that limits are found with do what they say.
TEST(MachineKernels, Compute) {
  const MachineKernels& kernels = GetMachineKernels();
  // x <- x/2 + 1 ends at 2 wherever it begins.
  EXPECT_NEAR(kernels.multiply_add(200, 0.5, 1), kernels.flops_per_round / 2 * 2.0, 1e-12);
  std::vector<double> a(8), b{1, 2, 3, 4, 5, 6, 7, 8}, c(8, 10);
  kernels.triad(a.data(), b.data(), c.data(), 0.5, 8);
  for (int k = 0; k < 8; ++k) EXPECT_EQ(a[k], b[k] + 5);
}

TEST(MachineLimits, DataBelongToTheNearestLevelThatHoldsThem) {
  MachineLimits limits;
  limits.levels = {{"L1", 100, 50, 1}, {"L2", 1000, 500, 1}, {"memory", INFINITY, 5000, 1}};
  EXPECT_EQ(limits.LevelOf(100).name, "L1");
  EXPECT_EQ(limits.LevelOf(101).name, "L2");
  EXPECT_EQ(limits.LevelOf(1e12).name, "memory");
}

// Kernels are right before they are fast, and all their work is counted.
TEST(MicroCases, AreRightAndCounted) {
  std::set<std::string> names;
  for (const MicroCase& c : MakeMicroCases(true)) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_NE(c.run == nullptr, c.measure == nullptr) << c.name;
    EXPECT_GT(c.flops, 0) << c.name;
    EXPECT_GT(c.bytes, 0) << c.name;
    EXPECT_GT(c.size, 0) << c.name;
    EXPECT_TRUE(std::isfinite(c.error.value)) << c.name;
    if (c.error.bar > 0) {
      EXPECT_LE(c.error.value, c.error.bar) << c.name;
    }
  }
  EXPECT_GE(names.size(), 8u);
}

}  // namespace
}  // namespace tactus::cli
