#include "tactus/contact/hdf5_tree.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "tactus/core/error.h"

namespace tactus {

namespace {

// Records of a message. All numbers in the byte order of the machine: both ends are the same program.
enum class Record : std::uint8_t { Array = 'A', Error = 'E', End = 'Z' };
constexpr int kMaxRank = 32;  // HDF5's own limit

// Takes a message apart; every read is checked against what is left.
class MessageReader {
 public:
  MessageReader(std::span<const std::uint8_t> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  bool empty() const { return bytes_.empty(); }

  std::span<const std::uint8_t> Take(std::uint64_t count) {
    if (count > bytes_.size()) {
      throw InputError(file_, "the reader's message breaks off", std::to_string(count) + " more bytes");
    }
    const auto taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return taken;
  }

  template <typename T>
  T Number() {
    T value;
    std::memcpy(&value, Take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string Text() {
    const auto text = Take(Number<std::uint32_t>());
    return {text.begin(), text.end()};
  }

  template <typename T>
  std::vector<T> Numbers(std::uint64_t count) {
    if (count > bytes_.size() / sizeof(T)) {
      throw InputError(file_, "the reader's message breaks off", std::to_string(count) + " more numbers");
    }
    std::vector<T> values(static_cast<std::size_t>(count));
    if (count > 0) std::memcpy(values.data(), Take(count * sizeof(T)).data(), values.size() * sizeof(T));
    return values;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  const std::string& file_;
};

template <typename T>
void AppendNumber(T value, std::vector<std::uint8_t>* message) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
  message->insert(message->end(), bytes, bytes + sizeof(T));
}

void AppendText(const std::string& text, std::vector<std::uint8_t>* message) {
  AppendNumber(static_cast<std::uint32_t>(text.size()), message);
  message->insert(message->end(), text.begin(), text.end());
}

template <typename T>
void AppendNumbers(const std::vector<T>& values, std::vector<std::uint8_t>* message) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
  message->insert(message->end(), bytes, bytes + values.size() * sizeof(T));
}

Hdf5Array ParseArray(MessageReader* reader, const std::string& file, const std::string& path) {
  const auto malformed = [&](const char* what) { return InputError(file + ": " + path, what, "a sound message"); };
  Hdf5Array array;
  const auto type = reader->Number<std::uint8_t>();
  if (type > static_cast<std::uint8_t>(Hdf5Array::Type::Unsupported)) throw malformed("has an unknown type");
  array.type = static_cast<Hdf5Array::Type>(type);
  const auto rank = reader->Number<std::uint8_t>();
  if (rank > kMaxRank) throw malformed("has too many dimensions");
  array.shape = reader->Numbers<std::uint64_t>(rank);
  std::uint64_t count = 1;
  for (const std::uint64_t extent : array.shape) {
    if (extent != 0 && count > std::numeric_limits<std::uint64_t>::max() / extent) throw malformed("is too large");
    count *= extent;
  }
  switch (array.type) {
    case Hdf5Array::Type::Integer: array.integers = reader->Numbers<std::int64_t>(count); break;
    case Hdf5Array::Type::Real: array.reals = reader->Numbers<double>(count); break;
    case Hdf5Array::Type::Text:
      for (std::uint64_t k = 0; k < count; ++k) array.texts.push_back(reader->Text());
      break;
    case Hdf5Array::Type::Unsupported: array.texts.push_back(reader->Text()); break;
  }
  return array;
}

const char* TypeName(const Hdf5Array& array) {
  switch (array.type) {
    case Hdf5Array::Type::Integer: return "integers";
    case Hdf5Array::Type::Real: return "real numbers";
    case Hdf5Array::Type::Text: return "text";
    case Hdf5Array::Type::Unsupported: break;
  }
  return array.texts.empty() ? "an unsupported type" : array.texts.front().c_str();
}

std::string CountText(std::int64_t count) { return std::to_string(count) + (count == 1 ? " number" : " numbers"); }

std::string RangeText(std::int64_t lo, std::int64_t hi) {
  return lo == hi ? std::to_string(lo) : "an integer in [" + std::to_string(lo) + ", " + std::to_string(hi) + "]";
}

}  // namespace

std::size_t Hdf5Array::size() const {
  switch (type) {
    case Type::Integer: return integers.size();
    case Type::Real: return reals.size();
    case Type::Text: return texts.size();
    case Type::Unsupported: break;
  }
  return 0;
}

bool Hdf5Tree::HasGroup(const std::string& group) const {
  const auto it = arrays.lower_bound(group + "/");
  return it != arrays.end() && it->first.compare(0, group.size() + 1, group + "/") == 0;
}

void Hdf5Tree::Fail(const std::string& path, const std::string& what, const std::string& expected) const {
  throw InputError(file + ": " + path, what, expected);
}

const Hdf5Array& Hdf5Tree::At(const std::string& path) const {
  const auto it = arrays.find(path);
  if (it == arrays.end()) Fail(path, "is missing", "a dataset of that name");
  return it->second;
}

std::int64_t Hdf5Tree::Integer(const std::string& path, std::int64_t lo, std::int64_t hi) const {
  const Hdf5Array& array = At(path);
  if (array.type != Hdf5Array::Type::Integer) Fail(path, std::string("holds ") + TypeName(array), "one integer");
  if (array.size() != 1) Fail(path, "has " + CountText(static_cast<std::int64_t>(array.size())), "one integer");
  const std::int64_t value = array.integers.front();
  if (value < lo || value > hi) Fail(path, "is " + std::to_string(value), RangeText(lo, hi));
  return value;
}

std::vector<int> Hdf5Tree::Integers(const std::string& path, std::int64_t count, std::int64_t lo,
                                    std::int64_t hi) const {
  const Hdf5Array& array = At(path);
  if (array.type != Hdf5Array::Type::Integer) Fail(path, std::string("holds ") + TypeName(array), "integers");
  const auto size = static_cast<std::int64_t>(array.size());
  if (count != kAnyCount && size != count) Fail(path, "has " + CountText(size), CountText(count));
  std::vector<int> values(array.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::int64_t value = array.integers[k];
    if (value < lo || value > hi || value != static_cast<int>(value)) {
      Fail(path, "entry " + std::to_string(k) + " is " + std::to_string(value), RangeText(lo, hi));
    }
    values[k] = static_cast<int>(value);
  }
  return values;
}

VectorX Hdf5Tree::Reals(const std::string& path, std::int64_t count, bool infinite_allowed) const {
  const Hdf5Array& array = At(path);
  const bool integral = array.type == Hdf5Array::Type::Integer;
  if (!integral && array.type != Hdf5Array::Type::Real) {
    Fail(path, std::string("holds ") + TypeName(array), "real numbers");
  }
  const auto size = static_cast<std::int64_t>(array.size());
  if (count != kAnyCount && size != count) Fail(path, "has " + CountText(size), CountText(count));
  if (size > std::numeric_limits<int>::max()) Fail(path, "has " + CountText(size), "at most 2^31 - 1");
  VectorX values(size);
  for (std::int64_t k = 0; k < size; ++k) {
    values[k] = integral ? static_cast<double>(array.integers[k]) : array.reals[k];
    if (std::isnan(values[k])) Fail(path, "entry " + std::to_string(k) + " is NaN", "a number");
    if (std::isinf(values[k]) && !infinite_allowed) {
      Fail(path, "entry " + std::to_string(k) + " is infinite", "a finite number");
    }
  }
  return values;
}

std::string Hdf5Tree::Text(const std::string& path, const std::string& fallback) const {
  const auto it = arrays.find(path);
  if (it == arrays.end()) return fallback;
  const Hdf5Array& array = it->second;
  if (array.type != Hdf5Array::Type::Text) Fail(path, std::string("holds ") + TypeName(array), "text");
  return array.texts.empty() ? fallback : array.texts.front();
}

Hdf5Tree ParseHdf5Message(std::span<const std::uint8_t> message, const std::string& file) {
  Hdf5Tree tree;
  tree.file = file;
  MessageReader reader(message, file);
  while (!reader.empty()) {
    const auto record = static_cast<Record>(reader.Number<std::uint8_t>());
    if (record == Record::End) {
      if (!reader.empty()) throw InputError(file, "the reader's message goes on after its end", "nothing more");
      return tree;
    }
    if (record != Record::Array && record != Record::Error) {
      throw InputError(file, "the reader's message is garbled", "a record it knows");
    }
    const std::string path = reader.Text();
    if (record == Record::Error) {
      const std::string what = reader.Text();
      throw InputError(path.empty() ? file : fmt::format("{}: {}", file, path), what, reader.Text());
    }
    tree.arrays.insert_or_assign(path, ParseArray(&reader, file, path));
  }
  throw InputError(file, "the reader's message breaks off", "an end mark");
}

void AppendHdf5Array(const std::string& path, const Hdf5Array& array, std::vector<std::uint8_t>* message) {
  AppendNumber(Record::Array, message);
  AppendText(path, message);
  AppendNumber(array.type, message);
  AppendNumber(static_cast<std::uint8_t>(array.shape.size()), message);
  AppendNumbers(array.shape, message);
  AppendNumbers(array.integers, message);
  AppendNumbers(array.reals, message);
  for (const std::string& text : array.texts) AppendText(text, message);
}

void AppendHdf5Error(const std::string& path, const std::string& what, const std::string& expected,
                     std::vector<std::uint8_t>* message) {
  AppendNumber(Record::Error, message);
  AppendText(path, message);
  AppendText(what, message);
  AppendText(expected, message);
}

void AppendHdf5End(std::vector<std::uint8_t>* message) { AppendNumber(Record::End, message); }

SparseMatrix MakeCompressedRows(int rows, int cols, std::span<const int> start, std::span<const int> columns,
                                std::span<const double> values, const std::string& where) {
  Require(rows >= 0 && cols >= 0 && start.size() == static_cast<std::size_t>(rows) + 1, where,
          "has " + std::to_string(start.size()) + " row starts", std::to_string(std::int64_t{rows} + 1));
  Require(start[0] == 0, where, "the first row starts at entry " + std::to_string(start[0]), "0");
  for (int i = 0; i < rows; ++i) {
    Require(start[i] <= start[i + 1], where, "row " + std::to_string(i) + " ends before it starts", "ascending starts");
  }
  const auto count = static_cast<std::size_t>(start[rows]);
  Require(count <= columns.size() && count <= values.size(), where,
          "has " + std::to_string(columns.size()) + " indices and " + std::to_string(values.size()) + " values",
          std::to_string(count) + ", as the row starts say");
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(count);
  for (int i = 0; i < rows; ++i) {
    for (int k = start[i]; k < start[i + 1]; ++k) {
      Require(columns[k] >= 0 && columns[k] < cols, where,
              "entry " + std::to_string(k) + " lies in column " + std::to_string(columns[k]),
              "a column in [0, " + std::to_string(cols) + ")");
      triplets.emplace_back(i, columns[k], values[k]);
    }
  }
  SparseMatrix matrix(rows, cols);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

}  // namespace tactus
