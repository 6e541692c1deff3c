// Rows of single-precision numbers that change little from one to the next, packed without loss.
//
// A block of rows is packed by itself: each number's bits, as an integer, are replaced by how they differ from what the
// two rows before let one expect (going on as before), the sign moved to the last bit, all first bytes before all
// second bytes and so on, and compressed by zlib. So a file can be cut between any two blocks, and reading needs the
// memory of one. HDF5's own filters are not used: they write a chunk anew as it grows, and
// what was there before a kill should not depend on how that ends.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tactus {

/// Blocks one after the other. Each is: number of rows, number of bytes, and the bytes, in whole words.
struct PackedRows {
  int width = 0;  ///< numbers of a row
  std::vector<std::int64_t> words;
  std::vector<std::size_t> block_word;  ///< where each block begins in `words`
  std::vector<int> block_row;           ///< first row of each block, and one more: the number of all

  int rows() const { return block_row.empty() ? 0 : block_row.back(); }
};

/// Bits of the mantissa that stresses keep: four digits, as linear elements know them no better, and noise does not
/// compress.
inline constexpr int kStressBits = 14;
/// x with `bits` bits of its mantissa, 1 to 24; what is not finite stays.
float RoundMantissa(float x, int bits);

/// Appends a block; `values` are whole rows. Throws InputError only where zlib has no memory.
void AppendBlock(std::span<const float> values, int width, std::vector<std::int64_t>* words);

/// Finds the blocks that hold the first `rows` rows of a stream of words, and tries to unpack each. Nothing is trusted:
/// throws InputError, with `where`.
PackedRows MakePackedRows(std::vector<std::int64_t> words, int width, int rows, const std::string& where);

/// Reads rows in any order, fastest one after the other; keeps the last block.
class PackedRowReader {
 public:
  /// `rows` must outlive it.
  explicit PackedRowReader(const PackedRows& rows) : rows_(rows) {}
  /// Valid until the next call.
  std::span<const float> Row(int row);

 private:
  const PackedRows& rows_;
  int block_ = -1;
  std::vector<float> values_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace tactus
