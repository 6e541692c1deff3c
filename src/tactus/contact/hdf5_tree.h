// The content of an HDF5 file as plain arrays. The HDF5 library crashes, hangs or asks for any amount of memory on some
// corrupt files, so a child process opens the file and sends the arrays as one message; this side trusts neither.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tactus/core/types.h"

namespace tactus {

/// A dataset or an attribute, flattened in row-major order.
struct Hdf5Array {
  enum class Type : std::uint8_t {
    Integer,      ///< any integer type, widened to 64 bits
    Real,         ///< any floating-point type up to 64 bits
    Text,         ///< strings of fixed or variable length
    Unsupported,  ///< compounds, references, ...: `texts` holds the name of the type
  };
  Type type = Type::Real;
  std::vector<std::uint64_t> shape;  ///< empty: a scalar
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  std::vector<std::string> texts;

  std::size_t size() const;
};

/// Which parts of a file to read, and how much of it.
struct Hdf5ReadSettings {
  std::vector<std::string> groups;               ///< names at the top of the file; empty: all
  std::size_t max_bytes = std::size_t{4} << 30;  ///< of all arrays together
  int max_objects = 20000;                       ///< groups, datasets and attributes
  double seconds = 20;                           ///< time limit, to which the file's size adds 1 s per 10 MB
};

/// "/group/dataset" -> array; attributes are "/group@name" (those of the file itself "/@name").
class Hdf5Tree {
 public:
  std::string file;  ///< for error messages
  std::map<std::string, Hdf5Array> arrays;

  bool Has(const std::string& path) const { return arrays.count(path) > 0; }
  /// True if something lies below `group`.
  bool HasGroup(const std::string& group) const;

  // Checked access. All throw InputError with file, path, what is wrong and what was expected.
  static constexpr std::int64_t kAnyCount = -1;
  const Hdf5Array& At(const std::string& path) const;
  /// One integer (shape () or (1)) in [lo, hi].
  std::int64_t Integer(const std::string& path, std::int64_t lo, std::int64_t hi) const;
  /// `count` integers in [lo, hi].
  std::vector<int> Integers(const std::string& path, std::int64_t count, std::int64_t lo = 0,
                            std::int64_t hi = std::numeric_limits<int>::max()) const;
  /// `count` numbers, finite unless infinities are allowed (never NaN).
  VectorX Reals(const std::string& path, std::int64_t count, bool infinite_allowed = false) const;
  /// One string; `fallback` where there is none.
  std::string Text(const std::string& path, const std::string& fallback) const;
  [[noreturn]] void Fail(const std::string& path, const std::string& what, const std::string& expected) const;
};

/// Reads a file in a child process. Links to other files, and data stored outside of the file, are not followed.
/// Throws InputError for anything that is not a readable HDF5 file.
Hdf5Tree ReadHdf5Tree(const std::string& path, const Hdf5ReadSettings& settings = {});

/// The receiving half of ReadHdf5Tree: never trusts `message`. Memory stays in proportion to its length.
Hdf5Tree ParseHdf5Message(std::span<const std::uint8_t> message, const std::string& file);

/// The sending half: appends one array, an error, or the end mark without which a message is incomplete.
void AppendHdf5Array(const std::string& path, const Hdf5Array& array, std::vector<std::uint8_t>* message);
void AppendHdf5Error(const std::string& path, const std::string& what, const std::string& expected,
                     std::vector<std::uint8_t>* message);
void AppendHdf5End(std::vector<std::uint8_t>* message);

/// A sparse matrix from compressed rows, all ranges checked; duplicates are summed. `where` leads error messages.
SparseMatrix MakeCompressedRows(int rows, int cols, std::span<const int> start, std::span<const int> columns,
                                std::span<const double> values, const std::string& where);

}  // namespace tactus
