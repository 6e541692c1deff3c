// Single poses of the long test, each of which a search for the deepest point once missed.
#include <gtest/gtest.h>

#include "tactus/collision/field_properties_testing.h"

namespace tactus {
namespace {

struct MissedPose {
  int number;
  const char* why;
};

class FieldProperties : public ::testing::TestWithParam<MissedPose> {};

TEST_P(FieldProperties, HoldWhereNutAndBoltWereMissed) {
  const FieldPairFigures figures = JudgeFieldPair("nut_bolt", GetParam().number, 1);
  EXPECT_EQ(figures.failed, 0) << GetParam().why;
  EXPECT_EQ(figures.touching, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Poses, FieldProperties,
    ::testing::Values(
        MissedPose{
            20334,
            "a start on one of the triangles of the bolt's end, then 21 mm long, counted as the same as one 5 mm away"},
        MissedPose{22534, "where those triangles are, the field has more than one minimum in each"},
        MissedPose{25608, "0.1 mm beside an end's own minimum is a lower one, across the edge on the flank"},
        MissedPose{64664, "all triangles' minima are beyond the margin, only the descent comes within"},
        MissedPose{47150, "the descent stopped at the edge of the thread's root, which does not stand out"},
        MissedPose{56760, "the same, once moved"},
        MissedPose{93694, "a first step of half a triangle led from the right start to a minimum beside it"}),
    [](const auto& test) { return "Pose" + std::to_string(test.param.number); });

}  // namespace
}  // namespace tactus
