// Legacy VTK, ASCII: unstructured grids.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/mesh/line_reader.h"
#include "tactus/io/mesh/tet_builder.h"
#include "tactus/io/mesh/tet_file.h"
#include "tactus/io/parse_number.h"

namespace tactus {

namespace {

constexpr int kTet = 10;
// Types of cells without a volume: points, lines, polygons, and their quadratic kinds.
constexpr std::array kFlat = {1, 2, 3, 4, 5, 6, 7, 8, 9, 21, 22, 23, 28, 30, 34, 35, 36};

bool EqualsIgnoringCase(std::string_view text, std::string_view upper) {
  return std::equal(text.begin(), text.end(), upper.begin(), upper.end(),
                    [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; });
}

class VtkParser {
 public:
  VtkParser(std::string_view text, const std::string& file) : lines_(text, file), file_(file) {}

  TetMesh Parse() {
    ParseHeader();
    while (!(has_points_ && has_cells_ && has_types_)) {
      const std::string_view keyword = Token();
      Require(!keyword.empty(), file_, "ends too early", "POINTS, CELLS and CELL_TYPES");
      if (EqualsIgnoringCase(keyword, "POINTS")) {
        ParsePoints();
      } else if (EqualsIgnoringCase(keyword, "CELLS")) {
        ParseCells();
      } else if (EqualsIgnoringCase(keyword, "CELL_TYPES")) {
        ParseTypes();
      } else if (EqualsIgnoringCase(keyword, "METADATA")) {
        SkipToEmptyLine();
      } else if (EqualsIgnoringCase(keyword, "FIELD")) {
        SkipField();
      } else {
        throw InputError(lines_.where(), fmt::format("'{}'", Quote(keyword, 20)), "POINTS, CELLS or CELL_TYPES");
      }
    }
    return Build();
  }

 private:
  void ParseHeader() {
    std::string_view line;
    Require(lines_.Next(&line) && line.substr(0, 14) == "# vtk DataFile", file_, "is no legacy VTK file",
            "'# vtk DataFile Version ...' in its first line");
    Require(lines_.Next(&line), file_, "ends too early", "a title");
    const std::string_view kind = Token();
    Require(!EqualsIgnoringCase(kind, "BINARY"), lines_.where(), "the file is binary", "ASCII");
    Require(EqualsIgnoringCase(kind, "ASCII"), lines_.where(), fmt::format("'{}'", Quote(kind, 20)), "ASCII");
    const std::string_view dataset = Token(), grid = Token();
    Require(EqualsIgnoringCase(dataset, "DATASET") && EqualsIgnoringCase(grid, "UNSTRUCTURED_GRID"), lines_.where(),
            fmt::format("'{} {}'", Quote(dataset, 20), Quote(grid, 20)), "DATASET UNSTRUCTURED_GRID");
  }

  // The next token, wherever lines end; empty at the file's end.
  std::string_view Token() {
    while (true) {
      const std::string_view token = TakeToken(&rest_);
      if (!token.empty()) return token;
      if (!lines_.Next(&rest_)) return {};
    }
  }
  void SkipToEmptyLine() {
    while (lines_.Next(&rest_)) {
      std::string_view line = rest_;
      if (TakeToken(&line).empty()) return;
    }
    rest_ = {};
  }
  // name count { name components tuples type values }
  void SkipField() {
    Token();
    const long long arrays = Count("the number of arrays");
    for (long long i = 0; i < arrays; ++i) {
      Token();
      const long long components = Count("the number of components"), tuples = Count("the number of tuples");
      Token();
      for (long long k = 0; k < components * std::min(tuples, kMost / std::max(components, 1LL)); ++k) {
        Require(!Token().empty(), file_, "ends within a field", "its values");
      }
    }
  }

  long long Integer(const char* expected) {
    const std::string_view token = Token();
    const std::optional<long long> number = ParseInteger(token);
    Require(number.has_value(), lines_.where(), lines_.Complain(token, "whole number"), expected);
    return *number;
  }
  long long Count(const char* expected) {
    const long long count = Integer(expected);
    Require(count >= 0 && count <= kMost, lines_.where(), fmt::format("a count of {}", count), expected);
    return count;
  }

  void ParsePoints() {
    Require(!has_points_, lines_.where(), "POINTS again", "once");
    has_points_ = true;
    const long long count = Count("the number of points");
    Token();  // float or double
    for (long long i = 0; i < count; ++i) {
      Vector3 place;
      for (int k = 0; k < 3; ++k) {
        const std::string_view token = Token();
        const std::optional<double> number = ParseNumber(token);
        Require(number.has_value(), lines_.where(), lines_.Complain(token, "finite number"), "x y z");
        place[k] = *number;
      }
      builder_.AddNode(i, place);
    }
  }

  // Either "count nodes..." for each cell or, since version 5.1, offsets and then all nodes.
  void ParseCells() {
    Require(!has_cells_, lines_.where(), "CELLS again", "once");
    has_cells_ = true;
    const long long count = Count("the number of cells"), size = Count("the number of all numbers");
    std::string_view line = rest_;
    while (TakeToken(&line).empty() && lines_.Next(&rest_)) line = rest_;
    std::string_view first = rest_;
    if (EqualsIgnoringCase(TakeToken(&first), "OFFSETS")) {
      ParseOffsets(count, size);
      return;
    }
    for (long long i = 0; i < count; ++i) {
      const long long nodes = Count("how many nodes a cell has");
      begin_.push_back(nodes_.size());
      cell_lines_.push_back(lines_.number());
      for (long long k = 0; k < nodes; ++k) nodes_.push_back(Integer("the node of a cell"));
    }
    begin_.push_back(nodes_.size());
  }
  void ParseOffsets(long long count, long long size) {
    Token();  // OFFSETS
    Token();  // type
    for (long long i = 0; i < count; ++i) {
      const long long offset = Count("an offset");
      Require(offset <= size && (begin_.empty() ? offset == 0 : static_cast<std::size_t>(offset) >= begin_.back()),
              lines_.where(), fmt::format("an offset of {}", offset), "offsets that grow from 0 on");
      begin_.push_back(static_cast<std::size_t>(offset));
    }
    const std::string_view keyword = Token();
    Require(EqualsIgnoringCase(keyword, "CONNECTIVITY"), lines_.where(), fmt::format("'{}'", Quote(keyword, 20)),
            "CONNECTIVITY");
    Token();  // type
    for (long long k = 0; k < size; ++k) nodes_.push_back(Integer("the node of a cell"));
    Require(!begin_.empty() && begin_.back() <= nodes_.size(), lines_.where(), "offsets beyond the nodes",
            "as many nodes as the last offset says");
    cell_lines_.assign(begin_.size(), lines_.number());
  }

  void ParseTypes() {
    Require(!has_types_, lines_.where(), "CELL_TYPES again", "once");
    has_types_ = true;
    const long long count = Count("the number of cells");
    for (long long i = 0; i < count; ++i) {
      const long long type = Integer("the type of a cell");
      Require(type == kTet || std::find(kFlat.begin(), kFlat.end(), type) != kFlat.end(), lines_.where(),
              fmt::format("a cell of type {}", type), "tetrahedra (type 10), besides points, lines and polygons");
      types_.push_back(type);
    }
  }

  TetMesh Build() {
    const std::size_t cells = begin_.empty() ? 0 : begin_.size() - 1;
    Require(types_.size() == cells, file_, fmt::format("{} cells and {} types", cells, types_.size()),
            "one type a cell");
    for (std::size_t i = 0; i < cells; ++i) {
      if (types_[i] != kTet) continue;
      Require(begin_[i + 1] - begin_[i] == 4, fmt::format("{}:{}", file_, cell_lines_[i]),
              fmt::format("a tetrahedron with {} nodes", begin_[i + 1] - begin_[i]), "four");
      const long long* n = nodes_.data() + begin_[i];
      builder_.AddTet({n[0], n[1], n[2], n[3]}, cell_lines_[i]);
    }
    return builder_.Build(file_);
  }

  static constexpr long long kMost = 1LL << 40;

  LineReader lines_;
  const std::string& file_;
  std::string_view rest_;  // of the last line
  bool has_points_ = false, has_cells_ = false, has_types_ = false;
  TetBuilder builder_;
  std::vector<std::size_t> begin_;
  std::vector<long long> nodes_, types_;
  std::vector<int> cell_lines_;
};

}  // namespace

TetMesh ParseVtk(std::string_view text, const std::string& file) { return VtkParser(text, file).Parse(); }

}  // namespace tactus
