// Properties of pairs with fields on many poses.
//
// Each pose has a seed of its own: TACTUS_POSES=1392:1 tries one pose from number 1392 on (by default 0:100000).
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tactus/collision/field_properties_testing.h"

namespace tactus {
namespace {

struct PoseRange {
  int first = 0, count = 100000;
};

PoseRange ReadPoses() {
  PoseRange out;
  const char* text = std::getenv("TACTUS_POSES");
  if (text != nullptr && std::sscanf(text, "%d:%d", &out.first, &out.count) != 2) {
    ADD_FAILURE() << "TACTUS_POSES is \"" << text << "\"; expected first:count";
  }
  return out;
}

class FieldPropertiesLong : public ::testing::TestWithParam<std::string> {};

TEST_P(FieldPropertiesLong, Hold) {
  const PoseRange poses = ReadPoses();
  const FieldPairFigures figures = JudgeFieldPair(GetParam(), poses.first, poses.count);
  EXPECT_EQ(figures.failed, 0);
  EXPECT_GE(figures.touching, poses.count / 10);
  std::printf(
      "%s: %d poses, %d touch, %d of them less than 1 mm deep; normal %.1e, place %.1e, missed %.1e, deep %.1e, "
      "swapped %.1e, moved %.1e, %d poses failed\n",
      GetParam().c_str(), poses.count, figures.touching, figures.shallow, figures.normal, figures.place, figures.missed,
      figures.missed_deep, figures.swapped, figures.moved, figures.failed);
}

INSTANTIATE_TEST_SUITE_P(Pairs, FieldPropertiesLong,
                         ::testing::Values("dish_box", "dish_sphere", "dish_dish", "nut_bolt", "grid_box"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tactus
