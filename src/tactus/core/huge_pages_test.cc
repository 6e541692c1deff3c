#include "tactus/core/huge_pages.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(HugePages, LeaveWhatIsThereAlone) {
  AdviseHugePages(nullptr, 0);
  for (const std::size_t count : {1u, 1000u, 3000000u}) {
    std::vector<double> values;
    values.reserve(count);
    AdviseHugePages(values.data(), 8 * count);
    values.resize(count);
    std::iota(values.begin(), values.end(), 0.0);
    AdviseHugePages(values.data() + 1, 8 * (count - 1));  // not aligned to anything, and written already
    EXPECT_EQ(values.front(), 0);
    EXPECT_EQ(values.back(), static_cast<double>(count - 1));
  }
}

}  // namespace
}  // namespace tactus
