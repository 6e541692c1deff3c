// What tactus run says of a run: while it lasts, and at its end.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/common/cli_testing.h"

namespace tactus {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kScene = R"(name: test
duration: 0.2
parameters:
  vary: 1
  mass: 1
objects:
  - {name: ground, fixed: true, shape: {type: plane}}
  - name: cube
    shape: {type: box, size: [0.1, 0.1, 0.1]}
    mass: $(choose(vary, mass, random(2, 3)))
    pose: {position: [0, 0, 0.05]}
)";

class RunSummaries : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    std::ofstream(dir_ / "scene.yaml") << kScene;
  }
};

TEST_F(RunSummaries, IterationsAreThoseOfAllSolves) {
  // Three a solve, as none gets there.
  const CommandResult r = RunQuietly(
      "run scene.yaml --steps 2 --solver pgs --tolerance 1e-12 --max-iterations 3 --linearizations 2 --json"
      " --set objects.cube.shape.size.0=0.3 --set objects.cube.pose.rpy=[0,0,0.1]");
  const json out = json::parse(r.out);
  EXPECT_GE(out["solves"], 4);
  EXPECT_EQ(out["iterations"], 3 * out["solves"].get<int>()) << r.out;
}

TEST_F(RunSummaries, DrawnValuesAreSaid) {
  const json out = json::parse(RunQuietly("run scene.yaml --steps 1 --seed 3 --json").out);
  ASSERT_TRUE(out["drawn"].contains("objects.cube.mass")) << out.dump(1);
  const double mass = out["drawn"]["objects.cube.mass"].get<double>();
  EXPECT_GE(mass, 2);
  EXPECT_LE(mass, 3);
  EXPECT_TRUE(out["parameters"].contains("vary"));
  EXPECT_FALSE(out["parameters"].contains("mass")) << "stated as if it had been used";
  EXPECT_EQ(out["unused_parameters"]["mass"], 1);
  EXPECT_THAT(RunQuietly("run scene.yaml --steps 1 --seed 3").out, HasSubstr("objects.cube.mass = 2."));
  // The value that was drawn, set by hand, is the same run.
  const json again = json::parse(RunQuietly("run scene.yaml --steps 1 --set vary=0 --set mass=" +
                                            out["drawn"]["objects.cube.mass"].dump() + " --json")
                                     .out);
  EXPECT_EQ(again["state_hash"], out["state_hash"]);
  EXPECT_TRUE(again["drawn"].empty());
}

TEST_F(RunSummaries, ParametersWithoutEffectAreNoted) {
  const std::string words = "--set mass=5 has no effect";
  EXPECT_THAT(RunQuietly("run scene.yaml --steps 1 --set mass=5").out, HasSubstr("note: " + words));
  const json out = json::parse(RunQuietly("run scene.yaml --steps 1 --set mass=5 --json").out);
  EXPECT_THAT(out["notes"].dump(), HasSubstr(words));
  EXPECT_THAT(RunQuietly("run scene.yaml --steps 1 --set mass=5 --set vary=0").out, Not(HasSubstr("no effect")));
  EXPECT_THAT(RunQuietly("run scene.yaml --steps 1 --set mass=5 --set trials=2").out, HasSubstr("note: " + words));
}

TEST_F(RunSummaries, TerminalsShowTheStepThatIsBeingMade) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) GTEST_SKIP() << "there are no terminals here";
  const std::string name = ptsname(terminal);
  const int other = open(name.c_str(), O_RDWR | O_NOCTTY);  // what is written stays while it is open
  const auto read_all = [terminal] {
    std::string text;
    char part[4096];
    for (ssize_t n; (n = read(terminal, part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
    return text;
  };
  const CommandResult run = Run("run scene.yaml --steps 3 --json 2>" + name);
  EXPECT_EQ(json::parse(run.out)["steps"], 3);
  EXPECT_THAT(read_all(), HasSubstr("[1/3] t = 0.000 s"));  // before the first step is done
  EXPECT_EQ(json::parse(Run("run scene.yaml --steps 3 --set trials=2 --json 2>" + name).out)["steps"], 6);
  EXPECT_THAT(read_all(), HasSubstr("[1/2] step 1 of 3, t = 0.000 s"));
  close(other);
  close(terminal);
  EXPECT_EQ(Run("run scene.yaml --steps 3 --json 2>&1 >/dev/null").out, "");
}

TEST_F(RunSummaries, RunsTooShortForAStepAreBadUse) {
  const CommandResult dt = Run("run scene.yaml --dt 1 2>&1");
  EXPECT_EQ(dt.code, 2) << dt.out;
  EXPECT_THAT(dt.out, HasSubstr("--dt: a run of 0.2 s has no step of 1 s (expected: a time step of at most 0.2 s"));
  EXPECT_EQ(Run("run scene.yaml --duration 1e-4 2>&1").code, 2);
  for (const char* asked : {"--dt 1 --steps 0", "--dt 1 --steps 1", "--duration 0", "--dt 0.2"}) {
    EXPECT_EQ(RunQuietly(std::string("run scene.yaml ") + asked).code, 0) << asked;
  }
}

TEST_F(RunSummaries, PlotsAreSvg) {
  const CommandResult r = Run("run scene.yaml --plot p.png 2>&1");
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.out, HasSubstr("a name that ends in .svg"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "p.png"));
}

}  // namespace
}  // namespace tactus
