// Parameters, expressions and repetitions of scene files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/io/temporary_folder_testing.h"
#include "tactus/scene/scene_file.h"

namespace tactus {
namespace {

using testing::HasSubstr;

SceneDescription Parse(const std::string& text, const SceneFileSettings& settings = {}) {
  return ParseScene(text, "s.yaml", settings);
}
std::string ParseError(const std::string& text, const SceneFileSettings& settings = {}) {
  return ErrorOf([&] { Parse(text, settings); });
}
SceneFileSettings Set(const std::string& text) {
  SceneFileSettings settings;
  settings.overrides = {text};
  return settings;
}

constexpr const char* kBalls = R"(
parameters:
  balls: {default: 3, least: 1, most: 9, whole: true, help: how many}
  gap: 0.5
  height: $(gap * balls)
duration: $(height)
objects:
  - repeat: $(balls)
    name: ball_$(i)
    shape: {type: sphere, radius: $(0.1 + 0.1 * i)}
    pose: {position: [$(i * gap), 0, $(height)]}
  - {name: last, shape: {type: sphere, radius: 1}}
)";

TEST(ExpandScene, ParametersReachNumbersAndRepetitions) {
  const SceneDescription scene = Parse(kBalls);
  ASSERT_EQ(scene.objects.size(), 4u);
  EXPECT_EQ(scene.objects[2].name, "ball_2");
  EXPECT_EQ(scene.objects[2].pose.p, Vector3(1, 0, 1.5));
  EXPECT_EQ(scene.objects[3].name, "last");
  EXPECT_EQ(scene.duration, 1.5);
  ASSERT_EQ(scene.parameters.size(), 3u);
  EXPECT_EQ(scene.parameters[0].first, "balls");
  EXPECT_EQ(scene.parameters[0].second.help, "how many");
  EXPECT_EQ(scene.parameters[2].second.value, 1.5);

  const SceneDescription more = Parse(kBalls, Set("balls=5"));
  EXPECT_EQ(more.objects.size(), 6u);
  EXPECT_EQ(more.duration, 2.5);
  EXPECT_EQ(Parse(kBalls, Set("gap=2")).duration, 6);
  EXPECT_EQ(Parse(kBalls, Set("duration=7")).duration, 7);
}

TEST(ExpandScene, SeveralCountersAndNone) {
  const SceneDescription scene = Parse(
      "objects: [{repeat: {row: 2, column: 3}, name: b_$(row)_$(column), shape: {type: sphere, radius: 1}}, "
      "{repeat: 0, name: none, shape: {type: sphere, radius: 1}}]");
  ASSERT_EQ(scene.objects.size(), 6u);
  EXPECT_EQ(scene.objects[1].name, "b_0_1");
  EXPECT_EQ(scene.objects[5].name, "b_1_2");
}

TEST(ExpandScene, MistakesAreNamed) {
  EXPECT_EQ(ParseError(kBalls, Set("balls=0")),
            "s.yaml:3: parameters.balls: is 0 (expected: a whole number from 1 to 9)");
  EXPECT_THAT(ParseError(kBalls, Set("balls=2.5")), HasSubstr("a whole number from 1 to 9"));
  EXPECT_THAT(ParseError(kBalls, Set("bals=2")), HasSubstr("did you mean 'balls'?"));
  EXPECT_THAT(ParseError("parameters: {seed: 1}"), HasSubstr("its name is taken"));
  EXPECT_THAT(ParseError("parameters: {a-b: 1}"), HasSubstr("its name is no word"));
  EXPECT_THAT(ParseError("parameters: {a: $(b), b: 1}"), HasSubstr("s.yaml:1: in '$(b)' there is no 'b'"));
  EXPECT_THAT(ParseError("duration: $(1 + 1"), HasSubstr("a ')' is missing"));
  EXPECT_THAT(ParseError("objects: [{repeat: -1, name: a}]"), HasSubstr("repeat: is '-1'"));
  EXPECT_THAT(ParseError("objects: [{repeat: 1e9, name: a}]"), HasSubstr("repeat: is '1e9'"));
  EXPECT_THAT(ParseError("objects: [{repeat: {i: 1000, j: 1000}, name: a}]"), HasSubstr("1e+06 times"));
  EXPECT_THAT(ParseError("objects: [{repeat: 100000, name: a_$(i), shape: {type: box, size: [1, 1, 1]}}]"),
              HasSubstr("there are too many values"));
  EXPECT_THAT(ParseError("repeat: 3"), HasSubstr("'repeat' is not known here"));
}

TEST(ExpandScene, RandomNumbersBySeedTrialAndKey) {
  const std::string text = "duration: \"$(random(1, 2))\"\ntime_step: \"$(random(0.001, 0.002, 7))\"\n";
  SceneFileSettings settings;
  const SceneDescription first = Parse(text), again = Parse(text);
  EXPECT_EQ(first.duration, again.duration);
  EXPECT_GE(first.duration, 1);
  EXPECT_LT(first.duration, 2);
  settings.trial = 1;
  const SceneDescription second = Parse(text, settings);
  EXPECT_NE(first.duration, second.duration);
  EXPECT_EQ(first.settings.time_step, second.settings.time_step);  // of the key alone
  settings.seed = 5;
  EXPECT_NE(second.settings.time_step, Parse(text, settings).settings.time_step);
  EXPECT_EQ(Parse("duration: $(trial + 2)", settings).duration, 3);
}

TEST(ExpandScene, ParametersAreDrawnBeforeTheyAreUsed) {
  const std::string text = std::string(kBalls) + R"(
randomize:
  - {path: parameters.gap, uniform: [2, 3]}
  - {path: parameters.balls, uniform: [4, 4]}
  - {path: objects.last.shape.radius, scale: [$(gap), $(gap)]}
)";
  const SceneDescription scene = Parse(text);
  ASSERT_EQ(scene.draws.size(), 3u);
  const double gap = scene.draws[0].value;
  EXPECT_GE(gap, 2);
  EXPECT_EQ(scene.duration, 4 * gap);
  EXPECT_EQ(scene.objects.size(), 5u);
  EXPECT_EQ(scene.draws[2].value, gap);
}

constexpr const char* kDrawn = R"yaml(
parameters:
  vary: 1
  mass: 2
  size: 0.5
  half: $(size / 2)
  shift: $(random(1, 2))
objects:
  - repeat: 2
    pose: {position: ["$(random(3, 4))", $(shift), 0]
}
    name: ball_$(i)
    shape: {type: sphere, radius: $(half)}
    mass: $(choose(vary, mass, random(5, 6)))
)yaml";

TEST(ExpandScene, DrawsOfExpressionsAreKept) {
  const SceneDescription scene = Parse(kDrawn);
  std::vector<std::string> paths;
  for (const SceneDraw& draw : scene.draws) paths.push_back(draw.path);
  EXPECT_THAT(paths, testing::ElementsAre("parameters.shift", "objects.ball_0.pose.position.0", "objects.ball_0.mass",
                                          "objects.ball_1.pose.position.0", "objects.ball_1.mass"));
  EXPECT_EQ(scene.draws[0].value, scene.objects[0].pose.p[1]);
  EXPECT_EQ(scene.draws[3].value, scene.objects[1].pose.p[0]);
  EXPECT_EQ(scene.draws[4].value, scene.objects[1].mass);
  // Not what was drawn and left out.
  EXPECT_EQ(Parse(kDrawn, Set("vary=0")).draws.size(), 3u);
  // A rule is not in the document when draws get their paths.
  const SceneDescription counted =
      Parse("objects: [{repeat: {row: '$(round(random(2, 2)))'}, name: b_$(row), shape: {type: sphere, radius: 1}}]");
  ASSERT_EQ(counted.draws.size(), 1u);
  EXPECT_EQ(counted.draws[0].path, "objects");
}

TEST(ExpandScene, ValuesFromOutsideWithoutEffectAreNoted) {
  const auto notes = [](const std::string& set) { return Parse(kDrawn, Set(set)).notes; };
  EXPECT_THAT(notes("mass=3"), testing::ElementsAre(HasSubstr("--set mass=3 has no effect")));
  EXPECT_THAT(notes("size=0.4"), testing::IsEmpty());  // by way of another parameter
  EXPECT_THAT(notes("vary=0"), testing::IsEmpty());
  EXPECT_THAT(notes("objects.0.mass=3"), testing::IsEmpty());
  const SceneDescription scene = Parse(kDrawn);
  EXPECT_FALSE(scene.parameters[1].second.used);
  EXPECT_TRUE(scene.parameters[2].second.used);
  SceneFileSettings both = Set("mass=3");
  both.overrides.push_back("vary=0");
  EXPECT_THAT(Parse(kDrawn, both).notes, testing::IsEmpty());
  // Nor what a draw replaces; one that scales it does not.
  const auto randomized = [](const std::string& rule, const std::string& set) {
    return Parse(std::string(kDrawn) + "randomize: [{path: " + rule + "}]", Set(set)).notes;
  };
  EXPECT_THAT(randomized("parameters.size, uniform: [1, 2]", "size=3"), testing::ElementsAre(HasSubstr("`randomize`")));
  EXPECT_THAT(randomized("parameters.size, scale: [1, 2]", "size=3"), testing::IsEmpty());
}

}  // namespace
}  // namespace tactus
