// A tree of boxes that changes: leaves are put where they enlarge the least surface (after Catto's dynamic tree in
// Box2D), and subtrees change places where that makes boxes smaller.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/geometry/aabb.h"

namespace tactus {

class DynamicTree {
 public:
  /// The leaf's number, valid until it is removed.
  int Insert(const Aabb& box, int item);
  void Remove(int leaf);
  const Aabb& box(int node) const { return nodes_[static_cast<std::size_t>(node)].box; }

  /// Calls found(item) for each leaf whose box overlaps `box`. `stack` is memory to use.
  template <typename Found>
  void Find(const Aabb& box, std::vector<int>* stack, Found found) const {
    stack->clear();
    if (root_ >= 0) stack->push_back(root_);
    while (!stack->empty()) {
      const Node& node = nodes_[static_cast<std::size_t>(stack->back())];
      stack->pop_back();
      if (!node.box.Overlaps(box)) continue;
      if (node.child[0] < 0) {
        found(node.item);
      } else {
        stack->push_back(node.child[0]);
        stack->push_back(node.child[1]);
      }
    }
  }

  int CalcHeight() const { return root_ < 0 ? 0 : Height(root_); }

 private:
  struct Node {
    Aabb box;
    int parent = -1;  ///< of a free node: the next free one
    int child[2] = {-1, -1};
    int item = -1;
  };

  Node& at(int node) { return nodes_[static_cast<std::size_t>(node)]; }
  const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  int Allocate();
  int FindSibling(const Aabb& box) const;
  void Refit(int node);
  void Rotate(int node);
  int Height(int node) const;

  std::vector<Node> nodes_;
  int root_ = -1;
  int free_ = -1;
};

}  // namespace tactus
