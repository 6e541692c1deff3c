// Wavefront OBJ: vertices and polygons.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/mesh/line_reader.h"
#include "tactus/io/mesh/mesh_file.h"
#include "tactus/io/parse_number.h"

namespace tactus {

namespace {

// Statements without a meaning for the surface. Curves and free-form surfaces are not among them: leaving those out
// would change the shape.
constexpr std::array kLeftOut = {"vt",     "vn",  "vp",    "s",      "mg",        "l",        "p",        "usemtl",
                                 "mtllib", "lod", "bevel", "maplib", "usemap",    "c_interp", "d_interp", "shadow_obj",
                                 "call",   "csh", "end",   "parm",   "trace_obj", "stech",    "ctech"};

class ObjParser {
 public:
  ObjParser(std::string_view text, const std::string& file) : lines_(text, file), file_(file) {}

  TriangleMesh Parse() {
    std::string_view line;
    while (lines_.Next(&line)) {
      // A backslash at the end of a line continues it.
      std::string joined;
      if (!line.empty() && line.back() == '\\') {
        while (!line.empty() && line.back() == '\\') {
          joined.append(line.substr(0, line.size() - 1)).push_back(' ');
          if (!lines_.Next(&line)) line = {};
        }
        joined.append(line);
        line = joined;
      }
      ParseLine(line.substr(0, line.find('#')));
    }
    EndPart();
    Require(!mesh_.triangles.empty(), file_, "there are no faces in it", "an OBJ file with polygons");
    return std::move(mesh_);
  }

 private:
  void ParseLine(std::string_view line) {
    const std::string_view keyword = TakeToken(&line);
    if (keyword.empty()) return;
    if (keyword == "v") {
      ParseVertex(line);
    } else if (keyword == "f" || keyword == "fo") {
      ParseFace(line);
    } else if (keyword == "o" || keyword == "g") {
      EndPart();
      while (!line.empty() && IsSpace(line.front())) line.remove_prefix(1);
      while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
      part_name_ = Quote(line, 100);
    } else if (std::find(kLeftOut.begin(), kLeftOut.end(), keyword) == kLeftOut.end()) {
      throw InputError(lines_.where(), fmt::format("unknown statement '{}'", Quote(keyword, 20)),
                       "OBJ statements of polygons: v, vt, vn, f, o, g, s, usemtl, mtllib");
    }
  }

  // x y z, and w or a colour, which are left out.
  void ParseVertex(std::string_view line) {
    Vector3 vertex;
    for (int i = 0; i < 3; ++i) vertex[i] = RequireNumber(TakeToken(&line));
    int more = 0;
    for (std::string_view token = TakeToken(&line); !token.empty(); token = TakeToken(&line)) {
      RequireNumber(token);
      ++more;
    }
    Require(more <= 4, lines_.where(), "too many numbers after 'v'", "x y z, and at most a weight or a colour");
    Require(mesh_.vertices.size() < std::numeric_limits<int>::max(), lines_.where(), "too many vertices", "fewer");
    mesh_.vertices.push_back(vertex);
  }

  double RequireNumber(std::string_view token) const {
    const std::optional<double> number = ParseNumber(token);
    Require(number.has_value(), lines_.where(), lines_.Complain(token, "finite number"), "x y z after 'v'");
    return *number;
  }

  // v, v/vt, v//vn or v/vt/vn, of which v counts: from 1 on, or from the last one backwards if negative.
  int RequireIndex(std::string_view token) const {
    const auto count = static_cast<long long>(mesh_.vertices.size());
    const std::size_t slash = token.find('/');
    std::optional<long long> index = ParseInteger(token.substr(0, slash));
    for (std::string_view rest = slash == std::string_view::npos ? "" : token.substr(slash + 1); !rest.empty();) {
      const std::size_t next = rest.find('/');
      if (next != 0 && !ParseInteger(rest.substr(0, next))) index.reset();
      rest = next == std::string_view::npos ? "" : rest.substr(next + 1);
    }
    Require(index && *index != 0 && *index <= count && *index >= -count, lines_.where(),
            fmt::format("'{}' is no vertex", Quote(token)),
            fmt::format("a whole number from 1 to {} or from -{} to -1", count, count));
    return static_cast<int>(*index > 0 ? *index - 1 : count + *index);
  }

  void ParseFace(std::string_view line) {
    polygon_.clear();
    for (std::string_view token = TakeToken(&line); !token.empty(); token = TakeToken(&line)) {
      polygon_.push_back(RequireIndex(token));
    }
    Require(polygon_.size() >= 3, lines_.where(), fmt::format("a face with {} vertices", polygon_.size()),
            "three or more");
    Require(mesh_.triangles.size() < std::numeric_limits<int>::max() - polygon_.size(), lines_.where(),
            "too many triangles", "fewer");
    for (std::size_t i = 2; i < polygon_.size(); ++i) {
      mesh_.triangles.push_back({polygon_[0], polygon_[i - 1], polygon_[i]});
    }
  }

  void EndPart() {
    const int first = mesh_.parts.empty() ? 0 : mesh_.parts.back().first_triangle + mesh_.parts.back().triangle_count;
    const int count = static_cast<int>(mesh_.triangles.size()) - first;
    if (count > 0) mesh_.parts.push_back({part_name_, first, count});
  }

  LineReader lines_;
  const std::string& file_;
  TriangleMesh mesh_;
  std::string part_name_;
  std::vector<int> polygon_;
};

}  // namespace

TriangleMesh ParseObj(std::string_view text, const std::string& file) { return ObjParser(text, file).Parse(); }

}  // namespace tactus
