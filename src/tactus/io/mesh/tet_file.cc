#include "tactus/io/mesh/tet_file.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/io/mesh/tet_builder.h"
#include "tactus/io/parse_number.h"

namespace tactus {

TetMesh TetBuilder::Build(const std::string& file) {
  Require(!tets_.empty(), file, "there are no tetrahedra in it", "a mesh of a solid, of linear tetrahedra");
  Require(std::max(places_.size(), tets_.size()) < std::numeric_limits<int>::max(), file, "too many nodes or elements",
          "fewer than 2^31");
  std::sort(tags_.begin(), tags_.end());
  for (std::size_t k = 1; k < tags_.size(); ++k) {
    Require(tags_[k].first != tags_[k - 1].first, file, fmt::format("node {} is there twice", tags_[k].first),
            "numbers that differ");
  }
  TetMesh mesh;
  mesh.tets.resize(tets_.size());
  std::vector<int> number(places_.size(), -1);  // -1: not used so far
  for (std::size_t t = 0; t < tets_.size(); ++t) {
    for (std::size_t k = 0; k < 4; ++k) {
      const auto found = std::lower_bound(tags_.begin(), tags_.end(), std::pair(tets_[t][k], 0));
      Require(found != tags_.end() && found->first == tets_[t][k], fmt::format("{}:{}", file, lines_[t]),
              fmt::format("there is no node {}", tets_[t][k]), "a node of the file");
      mesh.tets[t][k] = found->second;
      number[static_cast<std::size_t>(found->second)] = 0;
    }
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(mesh.nodes.size());
    mesh.nodes.push_back(places_[i]);
  }
  for (std::array<int, 4>& tet : mesh.tets) {
    for (int& i : tet) i = number[static_cast<std::size_t>(i)];
  }
  return mesh;
}

TetMesh ReadTetFile(const std::filesystem::path& file, const FileRoots& roots) {
  std::string ending = file.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string name = Quote(file.string(), 200);
  Require(ending == ".msh" || ending == ".vtk", name, "is of a kind that is not read", "a file *.msh or *.vtk");
  const std::string bytes = roots.Read(file);
  return ending == ".msh" ? ParseMsh(bytes, name) : ParseVtk(bytes, name);
}

}  // namespace tactus
