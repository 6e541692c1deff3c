#include "tactus/control/soft_sampling.h"

#include <gtest/gtest.h>

#include "tactus/control/soft_robots_testing.h"
#include "tactus/core/error.h"

namespace tactus {
namespace {

struct Taken {
  std::vector<QpccProblem> problems;
  int count = 0;
};

Taken Sample(const SoftSampleSettings& settings) {
  const auto simulator = MakeSoftBeam(true);
  SoftInverse inverse(*simulator, {}, {MakeTipTask(*simulator, Vector3::Zero())});
  Taken out;
  out.count = SampleSoftProblems(settings, simulator.get(), &inverse, [&](const SoftSample& sample) {
    EXPECT_EQ(sample.number, static_cast<int>(out.problems.size()));
    out.problems.push_back(sample.problem);
  });
  return out;
}

TEST(SoftSampling, GivesDifferentProblemsWithContacts) {
  SoftSampleSettings settings;
  settings.count = 12;
  settings.least_contacts = 4;
  const Taken taken = Sample(settings);
  ASSERT_EQ(taken.count, 12);
  for (std::size_t k = 0; k < taken.problems.size(); ++k) {
    const QpccProblem& p = taken.problems[k];
    EXPECT_NO_THROW(p.Validate());
    EXPECT_GE(p.num_contacts(), 4);
    EXPECT_EQ(p.num_actuators(), 3);
    EXPECT_LT(p.b.norm(), 0.02);
    if (k > 0) {
      EXPECT_NE(p.b[0], taken.problems[k - 1].b[0]);
    }
  }
}

TEST(SoftSampling, IsTheSameForTheSameSeed) {
  SoftSampleSettings settings;
  settings.count = 4;
  const Taken a = Sample(settings), b = Sample(settings);
  settings.seed = 2;
  const Taken c = Sample(settings);
  ASSERT_EQ(a.count, 4);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(a.problems[k].D, b.problems[k].D);
    EXPECT_EQ(a.problems[k].b, b.problems[k].b);
    EXPECT_NE(a.problems[k].b, c.problems[k].b);
  }
}

// What is passed over too often starts anew: the simulation never gets far.
TEST(SoftSampling, StartsAnewWhereNothingIsTaken) {
  const auto simulator = MakeSoftBeam(true);
  SoftInverse inverse(*simulator, {}, {MakeTipTask(*simulator, Vector3::Zero())});
  SoftSampleSettings settings;
  settings.least_contacts = 1000;
  settings.most_steps = 31;
  settings.patience = 2;
  EXPECT_EQ(SampleSoftProblems(settings, simulator.get(), &inverse, [](const SoftSample&) {}), 0);
  EXPECT_NEAR(simulator->time(), 0.01, 1e-12);
}

TEST(SoftSampling, GivesUpAfterItsSteps) {
  SoftSampleSettings settings;
  settings.least_contacts = 1000;
  settings.most_steps = 10;
  EXPECT_EQ(Sample(settings).count, 0);
  settings.every = 0;
  EXPECT_THROW(Sample(settings), InputError);
}

}  // namespace
}  // namespace tactus
