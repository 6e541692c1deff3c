// Scenes with goals, to the end and with several seeds.
#include "tests/common/scenario_testing.h"

namespace tactus {
namespace {

// What only the rod can do: the heap collapses by itself, too.
const std::vector<std::string> kStirred = {"a third of them were stirred"};

const std::vector<std::string> kNoOverlap = {"nothing overlaps"};

class LongScenarios : public testing::TestWithParam<Scenario> {};

TEST_P(LongScenarios, EndAsTheyShould) { RunScenario(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, LongScenarios,
    testing::ValuesIn(std::vector<Scenario>{
        {"dish_piling", "dish-piling", {}, {1, 2, 3, 4, 5}},
        {"bolt_nut", "bolt-nut", {}, {1, 2, 3, 4, 5}},
        {"pouring", "pouring", {"particles=9"}, {1, 2, 3, 4, 5}},
        {"pouring_without_friction", "pouring", {"particles=9", "friction=0"}, {1}, false},
        {"pouring_without_contact", "pouring", {"particles=9", "contacts.enabled=false"}, {1}, false},
        {"laikago_drop", "laikago-drop", {}, {1, 2, 3, 4, 5}},
        {"laikago_drop_without_contact", "laikago-drop", {"contacts.enabled=false"}, {1}, false},
        {"dish_sliding", "dish-sliding", {}, {1, 2, 3, 4, 5}},
        {"dish_sliding_without_friction", "dish-sliding", {"friction=0"}, {1}, false},
        {"granular_stir", "granular-stir", {}, {1, 2, 3, 4, 5}},
        {"granular_stir_without_contact", "granular-stir", {"contacts.enabled=false"}, {1}, false},
        {"granular_stir_rod_above", "granular-stir", {"dip=0"}, {1}, false, 0, kStirred},
        {"clutter", "clutter", {}, {1, 2, 3, 4, 5}},
        {"clutter_without_contact", "clutter", {"contacts.enabled=false"}, {1}, false},
        {"go2_stands", "go2-stand", {}, {1, 2, 3, 4, 5}},
        {"go2_jumps", "go2-jump", {}, {1, 2, 3, 4, 5}},
        {"franka_sanding", "franka-sanding", {}, {1, 2, 3, 4, 5}},
        {"franka_polishing", "franka-polishing", {}, {1, 2, 3, 4, 5}},
        {"sliding_cube", "sliding-cube", {}, {1, 2, 3, 4, 5}},
        {"sliding_cube_to_a_goal", "sliding-cube", {"exponential=1"}, {1, 2, 3, 4, 5}},
        {"soft_trunk", "soft-trunk", {}, {1, 2, 3, 4, 5}},
        {"soft_tower", "soft-tower", {}, {1, 2, 3, 4, 5}},
        {"soft_quadrupod", "soft-quadrupod", {}, {1, 2, 3, 4, 5}},
        {"soft_quadrupod_to_a_goal", "soft-quadrupod", {"exponential=1"}, {1, 2, 3, 4, 5}},
        {"soft_finger", "soft-finger", {}, {1, 2, 3, 4, 5}},
        {"soft_finger_without_contact", "soft-finger", {"contacts.enabled=false"}, {1}, false},
        {"soft_mat", "soft-mat", {}, {1}},
        {"soft_mat_coarse", "soft-mat", {"cells=12"}, {2}},
        {"soft_ball", "soft-ball", {}, {1, 2}},
        {"soft_ball_without_friction", "soft-ball", {"edge=0.015", "vary=0", "friction=0"}, {1}, false},
        {"soft_gripper", "soft-gripper", {}, {1}},
        {"soft_gripper_coarse", "soft-gripper", {"vary=1", "fine=5"}, {1, 2}},
        {"soft_gripper_without_friction", "soft-gripper", {"fine=4", "friction=0"}, {1}, false},
        {"cable_winding", "cable-winding", {"links=80"}, {1}},
        {"cable_winding_start", "cable-winding", {"vary=1"}, {1, 2}, true, 8, kNoOverlap},
        {"cable_winding_without_contact", "cable-winding", {"links=40", "contacts.enabled=false"}, {1}, false},
        {"beam_insertion", "beam-insertion", {"cells=3", "along=20"}, {1, 2, 3}},
        {"beam_insertion_without_contact",
         "beam-insertion",
         {"cells=2", "along=10", "contacts.enabled=false"},
         {1},
         false},
        {"collaborative_cable", "collaborative-cable", {"links=80"}, {1, 2, 3}},
        {"dish_piling_without_friction", "dish-piling", {"friction=0"}, {1}, false},
        {"dish_piling_without_contact", "dish-piling", {"contacts.enabled=false"}, {1}, false},
    }),
    ScenarioName);

}  // namespace
}  // namespace tactus
