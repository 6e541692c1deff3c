#include "tactus/record/packed_rows.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/core/random.h"
#include "tactus/io/temporary_folder_testing.h"

namespace tactus {
namespace {

using testing::HasSubstr;

// Points that swing, as a body's nodes do.
std::vector<float> MakeSwing(int rows, int width, double rate) {
  std::vector<float> out;
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < width; ++k) out.push_back(static_cast<float>(0.1 * k + 0.05 * std::sin(rate * row + k)));
  }
  return out;
}

TEST(PackedRows, AnyBitsComeBack) {
  Random random(7);
  std::vector<float> values(5 * 40);
  for (float& x : values) x = std::bit_cast<float>(static_cast<std::uint32_t>(random.Index(1 << 30)) * 5U);
  values[3] = std::numeric_limits<float>::quiet_NaN();
  values[4] = -std::numeric_limits<float>::infinity();
  values[5] = -0.0F;
  std::vector<std::int64_t> words;
  AppendBlock(std::span(values).first(5 * 3), 5, &words);
  AppendBlock(std::span(values).subspan(5 * 3), 5, &words);
  const PackedRows rows = MakePackedRows(words, 5, 40, "test");
  EXPECT_EQ(rows.rows(), 40);
  PackedRowReader reader(rows);
  for (const int row : {0, 1, 2, 3, 39, 20, 2}) {
    const std::span<const float> read = reader.Row(row);
    ASSERT_EQ(read.size(), 5u);
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(read[k]),
                std::bit_cast<std::uint32_t>(values[5 * static_cast<std::size_t>(row) + k]));
    }
  }
}

TEST(PackedRows, SmoothMotionTakesLessThanHalf) {
  const std::vector<float> values = MakeSwing(100, 300, 0.05);
  std::vector<std::int64_t> words, again;
  AppendBlock(values, 300, &words);
  AppendBlock(values, 300, &again);
  EXPECT_EQ(words, again);
  EXPECT_LT(8 * words.size(), 2 * values.size());
  // At rest there is nothing but the first row.
  std::vector<std::int64_t> still;
  AppendBlock(MakeSwing(100, 300, 0), 300, &still);
  EXPECT_LT(8 * still.size(), 8 * 300u);
}

TEST(PackedRows, BlocksThatWereBeingWrittenDoNotCount) {
  std::vector<std::int64_t> words;
  AppendBlock(MakeSwing(10, 4, 0.1), 4, &words);
  const std::size_t whole = words.size();
  AppendBlock(MakeSwing(10, 4, 0.1), 4, &words);
  words.resize(whole + 3);  // cut
  EXPECT_EQ(MakePackedRows(words, 4, 10, "test").words.size(), whole);
  EXPECT_THAT(ErrorOf([&] { MakePackedRows(words, 4, 20, "test"); }), HasSubstr("test: has a block of 10 steps in"));
  words.resize(whole);
  EXPECT_THAT(ErrorOf([&] { MakePackedRows(words, 4, 20, "test"); }), HasSubstr("holds 10 steps (expected: 20)"));
}

TEST(PackedRows, NothingIsTrusted) {
  std::vector<std::int64_t> words;
  AppendBlock(MakeSwing(10, 4, 0.1), 4, &words);
  const auto error = [&](std::size_t at, std::int64_t value) {
    std::vector<std::int64_t> changed = words;
    changed[at] = value;
    return ErrorOf([&] { MakePackedRows(changed, 4, 10, "test"); });
  };
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{11}, kHuge}) {
    EXPECT_THAT(error(0, rows), HasSubstr("has a block")) << rows;
  }
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40, kHuge}) {
    EXPECT_THAT(error(1, bytes), HasSubstr("has a block")) << bytes;
  }
  EXPECT_THAT(error(0, 9), HasSubstr("a block cannot be unpacked"));
  EXPECT_THAT(error(2, 12345), HasSubstr("a block cannot be unpacked"));
  EXPECT_THAT(error(5, ~words[5]), HasSubstr("a block cannot be unpacked"));
  // A block that claims more rows than its bytes could ever hold.
  EXPECT_THAT(ErrorOf([&] {
                MakePackedRows({1000000000, 8, 0}, 1000, 1000000000, "test");
              }),
              HasSubstr("has a block of 1000000000 steps in 8 bytes"));
}

TEST(PackedRows, RoundedMantissas) {
  EXPECT_EQ(RoundMantissa(0, 14), 0);
  EXPECT_EQ(RoundMantissa(-1, 14), -1);
  EXPECT_EQ(RoundMantissa(16383, 14), 16383);
  EXPECT_EQ(RoundMantissa(32767, 14), 32768);
  EXPECT_NEAR(static_cast<double>(RoundMantissa(1.234567F, 14)), 1.234567, 1.0 / 16384);
  EXPECT_TRUE(std::isnan(RoundMantissa(std::nanf(""), 14)));
  EXPECT_TRUE(std::isinf(RoundMantissa(std::numeric_limits<float>::infinity(), 14)));
  EXPECT_EQ(RoundMantissa(1e-45F, 14), 1e-45F);
}

}  // namespace
}  // namespace tactus
