// Scenes with goals, cut short where they take long; scenarios_long_test.cc runs them to the end.
#include "tests/common/scenario_testing.h"

namespace tactus {
namespace {

class Scenarios : public testing::TestWithParam<Scenario> {};

TEST_P(Scenarios, EndAsTheyShould) { RunScenario(GetParam()); }

// The first of the dishes, in a quarter of the time.
const double kFirstDish = 3.3;
const std::vector<std::string> kFirstGoals = {"the bowl is in the bowl", "neither bowls nor plate are dropped",
                                              "bodies do not overlap"};

// A G1 grasps a bottle of beads and lifts it.
const std::vector<std::string> kGraspGoals = {"the hand holds the bottle"};

// Few objects roll about in the bin for longer than three hundred.
const std::vector<std::string> kTippedGoals = {"everything is in the bin", "all came from the tray",
                                               "bodies do not overlap"};

// The finger comes down and turns about its tip; what it slides is left out.
const std::vector<std::string> kTouchGoals = {"free at first", "then it sticks and pivots", "nothing overlaps"};

INSTANTIATE_TEST_SUITE_P(
    All, Scenarios,
    testing::ValuesIn(std::vector<Scenario>{
        {"first_dish", "dish-piling", {}, {1}, true, kFirstDish, kFirstGoals},
        {"first_dish_without_friction", "dish-piling", {"friction=0"}, {1}, false, kFirstDish, kFirstGoals},
        {"pouring_grasp", "pouring", {"particles=9"}, {1}, true, 2.2, kGraspGoals},
        {"pouring_grasp_without_friction", "pouring", {"particles=9", "friction=0"}, {1}, false, 2.2, kGraspGoals},
        {"dish_sliding", "dish-sliding", {}, {1}},
        {"dish_sliding_without_contact", "dish-sliding", {"contacts.enabled=false"}, {1}, false},
        {"bolt_nut_start", "bolt-nut", {}, {1}, true, 1, {"threads do not overlap"}},
        {"bolt_nut_without_contact", "bolt-nut", {"contacts.enabled=false"}, {1}, false},
        {"clutter_of_twenty", "clutter", {"objects_each=4"}, {1, 2, 3}, true, 0, kTippedGoals},
        {"clutter_of_twenty_without_contact",
         "clutter",
         {"objects_each=4", "contacts.enabled=false"},
         {1},
         false,
         0,
         kTippedGoals},
        {"go2_stands", "go2-stand", {}, {1}},
        {"go2_jumps", "go2-jump", {}, {1}},
        {"go2_jumps_on_ice", "go2-jump", {"objects.ground.material.friction=0.02"}, {1}, false},
        {"sanding", "franka-sanding", {}, {1}},
        {"sanding_without_contact", "franka-sanding", {"contacts.enabled=false"}, {1}, false},
        {"sliding_cube", "sliding-cube", {}, {1}},
        {"sliding_cube_without_grip", "sliding-cube", {"grip=0.3"}, {1}, false},
        {"soft_finger_touches", "soft-finger", {}, {1}, true, 0.2, kTouchGoals},
        {"soft_finger_without_contact", "soft-finger", {"contacts.enabled=false"}, {1}, false, 0.2, kTouchGoals},
        {"anisotropic_slide", "anisotropic-slide", {}, {1}},
        {"first_dish_without_contact", "dish-piling", {"contacts.enabled=false"}, {1}, false, kFirstDish, kFirstGoals},
    }),
    ScenarioName);

}  // namespace
}  // namespace tactus
