// Collects nodes, by the numbers a file gives them, and tetrahedra, for parsers of volume meshes.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tactus/deformable/mesh/tet_mesh.h"

namespace tactus {

class TetBuilder {
 public:
  void AddNode(long long tag, const Vector3& place) {
    tags_.emplace_back(tag, static_cast<int>(places_.size()));
    places_.push_back(place);
  }
  /// `line` is kept for messages about its nodes.
  void AddTet(const std::array<long long, 4>& tags, int line) {
    tets_.push_back(tags);
    lines_.push_back(line);
  }

  /// Throws InputError if a node is there twice, or an element names one that is not there.
  TetMesh Build(const std::string& file);

 private:
  std::vector<std::pair<long long, int>> tags_;
  std::vector<Vector3> places_;
  std::vector<std::array<long long, 4>> tets_;
  std::vector<int> lines_;
};

}  // namespace tactus
