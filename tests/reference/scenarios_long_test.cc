// Scenes with goals, to the end and with several seeds.
#include "tests/common/scenario_testing.h"

namespace tactus {
namespace {

class LongScenarios : public testing::TestWithParam<Scenario> {};

TEST_P(LongScenarios, EndAsTheyShould) { RunScenario(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, LongScenarios,
                         testing::ValuesIn(std::vector<Scenario>{
                             {"dish_piling", "dish-piling", {}, {1, 2, 3, 4, 5}},
                             {"dish_piling_without_friction", "dish-piling", {"friction=0"}, {1}, false},
                             {"dish_piling_without_contact", "dish-piling", {"contacts.enabled=false"}, {1}, false},
                         }),
                         ScenarioName);

}  // namespace
}  // namespace tactus
