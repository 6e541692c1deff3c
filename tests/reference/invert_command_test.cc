// `tactus invert` as people and scripts use it.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/common/cli_testing.h"

namespace tactus {
namespace {

using Json = nlohmann::json;

class InvertCommand : public CliTest {};

TEST_F(InvertCommand, SolvesAFileAndGoesOnFromItsAnswer) {
  ASSERT_EQ(Run("invert --generate p.h5 --seed 3 --contacts 2 --actuators 6").code, 0);
  const CommandResult first = RunQuietly("invert p.h5 --json --solution answer.h5");
  EXPECT_EQ(first.code, 0) << first.out;
  const Json outcome = Json::parse(first.out).at(0);
  EXPECT_EQ(outcome.at("status"), "Solved");
  EXPECT_EQ(outcome.at("actuation").size(), 6u);
  EXPECT_LE(outcome.at("dynamics_gap").get<double>(), 1e-9);
  EXPECT_LE(outcome.at("multiplier_violation").get<double>(), 1e-6);
  const CommandResult again = RunQuietly("invert p.h5 --json --warm answer.h5 --real-time");
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_NEAR(Json::parse(again.out).at(0).at("loss").get<double>(), outcome.at("loss").get<double>(), 1e-9);
  EXPECT_EQ(CountTemporaries(), 0);
}

TEST_F(InvertCommand, ComparesMethods) {
  ASSERT_EQ(Run("invert --generate p.h5 --seed 1 --kind planar --contacts 2 --actuators 4").code, 0);
  const Json ours = Json::parse(RunQuietly("invert p.h5 --json").out).at(0);
  for (const char* method : {"miqp", "enumerate"}) {
    const CommandResult result = RunQuietly(std::string("invert p.h5 --json --method ") + method);
    EXPECT_EQ(result.code, 0) << method;
    const Json other = Json::parse(result.out).at(0);
    const double loss = other.at("loss").get<double>();
    EXPECT_GE(ours.at("loss").get<double>(), other.at("lower_bound").get<double>() - 1e-9) << method;
    EXPECT_NEAR(loss, other.at("lower_bound").get<double>(), 1e-6 * (1 + loss)) << method;
  }
  // Ipopt is part of some builds only: there it must come close, elsewhere say so.
  bool has_ipopt = false;
  for (const Json& method : Json::parse(RunQuietly("invert --methods --json").out)) {
    if (method.at("name") == "ipopt") has_ipopt = method.at("available").get<bool>();
  }
  const CommandResult ipopt = RunQuietly("invert p.h5 --kind lcp --json --method ipopt-homotopy");
  if (has_ipopt) {
    EXPECT_EQ(ipopt.code, 0) << ipopt.out;
    EXPECT_LE(Json::parse(ipopt.out).at(0).at("primal").get<double>(), 1e-6);
    const Json bound = Json::parse(RunQuietly("invert p.h5 --kind lcp --json --method miqp").out).at(0);
    EXPECT_GE(Json::parse(ipopt.out).at(0).at("loss").get<double>(), bound.at("lower_bound").get<double>() - 1e-5);
  } else {
    EXPECT_EQ(ipopt.code, 2);
  }
}

// Problems of a simulated soft robot, one file each, and the method that is made for them.
TEST_F(InvertCommand, GeneratesProblemsOfSoftRobots) {
  const CommandResult made = RunQuietly("invert --generate finger --scene soft-finger --count 3 --json");
  ASSERT_EQ(made.code, 0) << made.out;
  const Json json = Json::parse(made.out);
  EXPECT_EQ(json.at("problems"), 3);
  EXPECT_EQ(json.at("nodes"), 340);
  EXPECT_EQ(json.at("tets"), 960);
  EXPECT_EQ(json.at("actuators"), 2);
  const CommandResult solved =
      RunQuietly("invert finger/0000.h5 finger/0001.h5 finger/0002.h5 --method alm-activate --json");
  for (const Json& answer : Json::parse(solved.out)) {
    EXPECT_GE(answer.at("contacts").get<int>(), 1);
    EXPECT_LE(answer.at("primal").get<double>(), 1e-9);
  }
  EXPECT_EQ(RunQuietly("invert --generate finger --scene nonsense").code, 2);
  EXPECT_EQ(RunQuietly("invert --generate finger --scene cube_on_table").code, 2);
  EXPECT_EQ(RunQuietly("invert --generate finger --scene soft-finger --set nonsense=1").code, 2);
  EXPECT_EQ(RunQuietly("invert --scene soft-finger").code, 2);
}

TEST_F(InvertCommand, DropsFrictionWhenAsked) {
  ASSERT_EQ(Run("invert --generate p.h5 --seed 2 --contacts 3").code, 0);
  const CommandResult result = RunQuietly("invert p.h5 --kind lcp --json --method active-set");
  EXPECT_EQ(Json::parse(result.out).at(0).at("kind"), "lcp");
}

// The paper's own schedule and projection.
TEST_F(InvertCommand, TakesThePapersScheduleAndProjection) {
  ASSERT_EQ(Run("invert --generate p.h5 --seed 3 --contacts 2 --actuators 6").code, 0);
  for (const char* option : {"--schedule bcl", "--slide alternating", "--schedule bcl --slide alternating"}) {
    const CommandResult result = RunQuietly(std::string("invert p.h5 --json ") + option);
    EXPECT_EQ(result.code, 0) << option << ": " << result.out;
    const Json answer = Json::parse(result.out).at(0);
    EXPECT_EQ(answer.at("status"), "Solved") << option;
    EXPECT_LE(answer.at("dynamics_gap").get<double>(), 1e-9) << option;
    EXPECT_LE(answer.at("multiplier_violation").get<double>(), 1e-6) << option;
  }
  EXPECT_EQ(RunQuietly("invert p.h5 --slide best").code, 2);
  EXPECT_EQ(RunQuietly("invert p.h5 --schedule best").code, 2);
}

TEST_F(InvertCommand, RefusesBadUse) {
  ASSERT_EQ(Run("invert --generate p.h5 --seed 2 --kind lcp --contacts 2").code, 0);
  EXPECT_EQ(RunQuietly("invert").code, 2);
  EXPECT_EQ(RunQuietly("invert none.h5").code, 2);
  EXPECT_EQ(RunQuietly("invert p.h5 --method none").code, 2);
  EXPECT_EQ(RunQuietly("invert p.h5 --kind ncp").code, 2);
  EXPECT_EQ(RunQuietly("invert p.h5 --tol 0").code, 2);
  EXPECT_EQ(RunQuietly("invert p.h5 --tol nan").code, 2);
  EXPECT_EQ(RunQuietly("invert p.h5 --warm p.h5").code, 2);
  EXPECT_EQ(RunQuietly("invert p.h5 --solution p.h5").code, 2);
  EXPECT_EQ(RunQuietly("invert p.h5 --repeat 0").code, 2);
  EXPECT_EQ(RunQuietly("invert --generate out.h5 --contacts -1").code, 2);
}

}  // namespace
}  // namespace tactus
