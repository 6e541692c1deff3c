// STL, binary and ASCII.
#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/mesh/line_reader.h"
#include "tactus/io/mesh/mesh_file.h"
#include "tactus/io/parse_number.h"

namespace tactus {

namespace {

constexpr std::size_t kHeaderBytes = 84;  // 80 of text, 4 of the number of triangles
constexpr std::size_t kFacetBytes = 50;   // normal, 3 vertices, 2 bytes of attributes

std::uint32_t LittleEndian32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Three corners a triangle -> vertices that are there once, numbered in order of appearance.
void MergeVertices(const std::vector<Vector3>& corners, TriangleMesh* mesh) {
  std::vector<int> order(corners.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [&](int i) -> const Vector3& { return corners[static_cast<std::size_t>(i)]; };
  const auto compare = [&](int i, int j) {
    for (int k = 0; k < 3; ++k) {
      if (at(i)[k] != at(j)[k]) return at(i)[k] < at(j)[k];
    }
    return i < j;
  };
  std::sort(order.begin(), order.end(), compare);
  std::vector<int> first(corners.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && at(order[i]) == at(order[i - 1]);
    first[static_cast<std::size_t>(order[i])] = same ? first[static_cast<std::size_t>(order[i - 1])] : order[i];
  }
  mesh->triangles.resize(corners.size() / 3);
  std::vector<int>& number = order;  // no longer needed
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto source = static_cast<std::size_t>(first[i]);
    if (source == i) {
      number[i] = static_cast<int>(mesh->vertices.size());
      mesh->vertices.push_back(corners[i]);
    }
    mesh->triangles[i / 3][i % 3] = number[source];
  }
}

TriangleMesh ParseBinary(std::string_view bytes, const std::string& file) {
  const std::size_t count = LittleEndian32(bytes, 80);
  Require(count > 0, file, "there are no triangles in it", "an STL file with triangles");
  Require(count <= (bytes.size() - kHeaderBytes) / kFacetBytes, file,
          fmt::format("has {} bytes for {} triangles", bytes.size(), count),
          fmt::format("{} bytes", kHeaderBytes + kFacetBytes * count));
  std::vector<Vector3> corners(3 * count);
  for (std::size_t i = 0; i < corners.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t at = kHeaderBytes + kFacetBytes * (i / 3) + 12 + 12 * (i % 3) + 4 * k;
      const auto value = std::bit_cast<float>(LittleEndian32(bytes, at));
      Require(std::isfinite(value), fmt::format("{}: offset {}", file, at), "a coordinate is no finite number",
              "finite numbers");
      corners[i][static_cast<int>(k)] = static_cast<double>(value);
    }
  }
  TriangleMesh mesh;
  MergeVertices(corners, &mesh);
  return mesh;
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

// solid [name] { facet normal x y z { outer loop {vertex x y z} * 3 endloop } endfacet } endsolid [name], a line each
class AsciiParser {
 public:
  AsciiParser(std::string_view text, const std::string& file) : lines_(text, file), file_(file) {}

  TriangleMesh Parse() {
    std::string_view line;
    while (NextLine(&line)) {
      Expect("solid", &line);
      const std::string name = Quote(line, 100);
      const std::size_t first = corners_.size() / 3;
      while (true) {
        Require(NextLine(&line), file_, "ends within a solid", "'facet' or 'endsolid'");
        std::string_view rest = line;
        if (EqualsIgnoringCase(TakeToken(&rest), "endsolid")) break;
        ParseFacet(line);
      }
      if (corners_.size() / 3 > first) {
        mesh_.parts.push_back({name, static_cast<int>(first), static_cast<int>(corners_.size() / 3 - first)});
      }
    }
    Require(!corners_.empty(), file_, "there are no triangles in it", "an STL file with triangles");
    MergeVertices(corners_, &mesh_);
    return std::move(mesh_);
  }

 private:
  // The next line that is not empty.
  bool NextLine(std::string_view* line) {
    while (lines_.Next(line)) {
      while (!line->empty() && IsSpace(line->front())) line->remove_prefix(1);
      while (!line->empty() && IsSpace(line->back())) line->remove_suffix(1);
      if (!line->empty()) return true;
    }
    return false;
  }

  void Expect(std::string_view keyword, std::string_view* line) const {
    const std::string_view token = TakeToken(line);
    Require(EqualsIgnoringCase(token, keyword), lines_.where(), fmt::format("'{}'", Quote(token, 20)),
            fmt::format("'{}'", keyword));
    while (!line->empty() && IsSpace(line->front())) line->remove_prefix(1);
  }

  void ExpectLine(std::string_view first, std::string_view second) {
    std::string_view line;
    Require(NextLine(&line), file_, "ends within a facet", fmt::format("'{}'", first));
    Expect(first, &line);
    if (!second.empty()) Expect(second, &line);
  }

  // The normal may be anything: exporters write NaN for triangles without area.
  void ParseFacet(std::string_view line) {
    Expect("facet", &line);
    ExpectLine("outer", "loop");
    for (int i = 0; i < 3; ++i) {
      Require(NextLine(&line), file_, "ends within a facet", "'vertex'");
      Expect("vertex", &line);
      Vector3 vertex;
      for (int k = 0; k < 3; ++k) {
        const std::string_view token = TakeToken(&line);
        const std::optional<double> number = ParseNumber(token);
        Require(number.has_value(), lines_.where(), lines_.Complain(token, "finite number"), "x y z after 'vertex'");
        vertex[k] = *number;
      }
      Require(TakeToken(&line).empty(), lines_.where(), "too many numbers after 'vertex'", "x y z");
      corners_.push_back(vertex);
    }
    ExpectLine("endloop", "");
    ExpectLine("endfacet", "");
  }

  LineReader lines_;
  const std::string& file_;
  std::vector<Vector3> corners_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh ParseStl(std::string_view bytes, const std::string& file) {
  // Binary files may begin with "solid" too; only their size tells.
  const bool exact = bytes.size() >= kHeaderBytes &&
                     bytes.size() - kHeaderBytes == kFacetBytes * std::size_t{LittleEndian32(bytes, 80)};
  std::string_view start = bytes.substr(0, 200);
  const bool solid = EqualsIgnoringCase(TakeToken(&start).substr(0, 5), "solid");
  if (exact || (!solid && bytes.size() >= kHeaderBytes)) return ParseBinary(bytes, file);
  Require(solid, file, fmt::format("is no STL file: it has {} bytes and does not begin with 'solid'", bytes.size()),
          fmt::format("text, or {} bytes or more", kHeaderBytes + kFacetBytes));
  return AsciiParser(bytes, file).Parse();
}

}  // namespace tactus
