// Gmsh's .msh, ASCII.
#include <algorithm>
#include <array>
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

constexpr int kTet = 4;
// Types of elements with a volume, linear and of higher order.
constexpr std::array kVolumes = {4,  5,  6,  7,  11, 12, 13, 14, 17, 18, 19, 29, 30, 31,
                                 71, 72, 73, 74, 75, 79, 80, 81, 82, 83, 90, 91, 92, 93};

class MshParser {
 public:
  MshParser(std::string_view text, const std::string& file) : lines_(text, file), file_(file) {}

  TetMesh Parse() {
    std::string_view line;
    while (NextLine(&line)) {
      const std::string_view section = TakeToken(&line);
      if (section == "$MeshFormat") {
        ParseFormat();
        continue;
      }
      Require(section.size() > 1 && section[0] == '$' && section.substr(0, 4) != "$End", lines_.where(),
              fmt::format("'{}'", Quote(section, 20)), "the beginning of a section, as '$Nodes'");
      Require(version_ != 0, lines_.where(), fmt::format("'{}' before '$MeshFormat'", Quote(section, 20)),
              "a .msh file of version 2.2 or 4.1");
      if (section == "$Nodes") {
        version_ == 2 ? ParseNodes2() : ParseNodes4();
        End(section);
      } else if (section == "$Elements") {
        version_ == 2 ? ParseElements2() : ParseElements4();
        End(section);
      } else {
        Skip(section);
      }
    }
    return builder_.Build(file_);
  }

 private:
  // The next line that is not empty.
  bool NextLine(std::string_view* line) {
    while (lines_.Next(line)) {
      std::string_view rest = *line;
      if (!TakeToken(&rest).empty()) return true;
    }
    return false;
  }
  std::string_view RequireLine(const char* expected) {
    std::string_view line;
    Require(NextLine(&line), file_, "ends too early", expected);
    return line;
  }
  void End(std::string_view section) {
    std::string_view line = RequireLine("the end of a section");
    const std::string_view token = TakeToken(&line);
    Require(token.substr(0, 4) == "$End" && token.substr(4) == section.substr(1), lines_.where(),
            fmt::format("'{}'", Quote(token, 20)), fmt::format("'$End{}'", section.substr(1)));
  }
  void Skip(std::string_view section) {
    const std::string name(section.substr(1));
    std::string_view line;
    while (true) {
      Require(NextLine(&line), file_, fmt::format("section '${}' has no end", Quote(name, 20)), "'$End...'");
      const std::string_view token = TakeToken(&line);
      if (token.substr(0, 4) == "$End" && token.substr(4) == name) return;
    }
  }

  long long Integer(std::string_view* line, const char* expected) const {
    const std::string_view token = TakeToken(line);
    const std::optional<long long> number = ParseInteger(token);
    Require(number.has_value(), lines_.where(), lines_.Complain(token, "whole number"), expected);
    return *number;
  }
  long long Count(std::string_view* line, const char* expected) const {
    const long long count = Integer(line, expected);
    Require(count >= 0, lines_.where(), fmt::format("a count of {}", count), expected);
    return count;
  }
  Vector3 Place(std::string_view* line) const {
    Vector3 place;
    for (int k = 0; k < 3; ++k) {
      const std::string_view token = TakeToken(line);
      const std::optional<double> number = ParseNumber(token);
      Require(number.has_value(), lines_.where(), lines_.Complain(token, "finite number"), "x y z");
      place[k] = *number;
    }
    return place;
  }

  void ParseFormat() {
    std::string_view line = RequireLine("version, kind and size of numbers after '$MeshFormat'");
    const std::string_view version = TakeToken(&line), kind = TakeToken(&line);
    if (version == "2.2" || version == "2.1" || version == "2" || version == "2.0") {
      version_ = 2;
    } else if (version == "4.1") {
      version_ = 4;
    } else {
      throw InputError(lines_.where(), fmt::format("version '{}'", Quote(version, 20)),
                       "2.2 or 4.1; gmsh -format msh41 writes it");
    }
    Require(kind == "0", lines_.where(), "the file is binary", "ASCII; gmsh writes it without -bin");
    End("$MeshFormat");
  }

  void ParseNodes2() {
    std::string_view line = RequireLine("the number of nodes");
    const long long count = Count(&line, "the number of nodes");
    for (long long i = 0; i < count; ++i) {
      line = RequireLine("number x y z of a node");
      const long long tag = Integer(&line, "number x y z of a node");
      builder_.AddNode(tag, Place(&line));
    }
  }

  void ParseElements2() {
    std::string_view line = RequireLine("the number of elements");
    const long long count = Count(&line, "the number of elements");
    for (long long i = 0; i < count; ++i) {
      line = RequireLine("number, type, tags and nodes of an element");
      Integer(&line, "the number of an element");
      const long long type = Integer(&line, "the type of an element");
      if (!IsTet(type)) continue;
      const long long tags = Count(&line, "how many tags there are");
      Require(tags <= 1000, lines_.where(), fmt::format("{} tags", tags), "at most 1000");
      for (long long k = 0; k < tags; ++k) Integer(&line, "the tag of an element");
      AddTet(&line);
    }
  }

  void ParseNodes4() {
    std::string_view line = RequireLine("counts of blocks and nodes");
    const long long blocks = Count(&line, "the number of blocks");
    for (long long block = 0; block < blocks; ++block) {
      line = RequireLine("dimension, entity, parametric and count of a block of nodes");
      for (int k = 0; k < 3; ++k) Integer(&line, "dimension, entity and parametric of a block");
      const long long count = Count(&line, "the number of nodes of a block");
      tags_.clear();
      for (long long i = 0; i < count; ++i) {
        line = RequireLine("the number of a node");
        tags_.push_back(Integer(&line, "the number of a node"));
      }
      for (const long long tag : tags_) {
        line = RequireLine("x y z of a node");
        builder_.AddNode(tag, Place(&line));
      }
    }
  }

  void ParseElements4() {
    std::string_view line = RequireLine("counts of blocks and elements");
    const long long blocks = Count(&line, "the number of blocks");
    for (long long block = 0; block < blocks; ++block) {
      line = RequireLine("dimension, entity, type and count of a block of elements");
      for (int k = 0; k < 2; ++k) Integer(&line, "dimension and entity of a block");
      const bool tet = IsTet(Integer(&line, "the type of elements"));
      const long long count = Count(&line, "the number of elements of a block");
      for (long long i = 0; i < count; ++i) {
        line = RequireLine("number and nodes of an element");
        Integer(&line, "the number of an element");
        if (tet) AddTet(&line);
      }
    }
  }

  // Whether it is a tetrahedron; false for what has no volume.
  bool IsTet(long long type) const {
    if (type == kTet) return true;
    Require(std::find(kVolumes.begin(), kVolumes.end(), type) == kVolumes.end(), lines_.where(),
            fmt::format("a volume element of type {}", type), "linear tetrahedra (type 4) only");
    return false;
  }
  void AddTet(std::string_view* line) {
    std::array<long long, 4> nodes;
    for (long long& node : nodes) node = Integer(line, "four nodes");
    Require(TakeToken(line).empty(), lines_.where(), "too many numbers", "four nodes");
    builder_.AddTet(nodes, lines_.number());
  }

  LineReader lines_;
  const std::string& file_;
  int version_ = 0;  // 2 or 4; 0: not known yet
  TetBuilder builder_;
  std::vector<long long> tags_;
};

}  // namespace

TetMesh ParseMsh(std::string_view text, const std::string& file) { return MshParser(text, file).Parse(); }

}  // namespace tactus
