// A tree of boxes that changes: leaves are put where they enlarge the least surface (after Catto's dynamic tree in
// Box2D), and subtrees change places where that makes boxes smaller.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tactus/geometry/aabb.h"

namespace tactus {

class DynamicTree {
 public:
  /// The leaf's number, valid until it is removed.
  int Insert(const Aabb& box, int item);
  void Remove(int leaf);
  const Aabb& box(int node) const { return nodes_[static_cast<std::size_t>(node)].box; }

  /// Calls found(item, item) for each two leaves whose boxes overlap, once. Subtrees are held against each other, which
  /// takes far fewer tests than looking from the root for each leaf. `stack` is memory to use.
  template <typename Found>
  void FindPairs(std::vector<std::pair<int, int>>* stack, Found found) const {
    stack->clear();
    if (root_ >= 0) stack->emplace_back(root_, root_);
    while (!stack->empty()) {
      const auto [a, b] = stack->back();
      stack->pop_back();
      const Node &first = at(a), &second = at(b);
      const bool first_leaf = first.child[0] < 0, second_leaf = second.child[0] < 0;
      if (a == b) {
        if (first_leaf) continue;
        stack->emplace_back(first.child[0], first.child[0]);
        stack->emplace_back(first.child[1], first.child[1]);
        Meet(first.child[0], first.child[1], stack);
      } else if (first_leaf && second_leaf) {
        found(first.item, second.item);
      } else if (second_leaf || (!first_leaf && first.box.half_area() > second.box.half_area())) {
        Meet(first.child[0], b, stack);
        Meet(first.child[1], b, stack);
      } else {
        Meet(a, second.child[0], stack);
        Meet(a, second.child[1], stack);
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
  void Meet(int a, int b, std::vector<std::pair<int, int>>* stack) const {
    if (at(a).box.Overlaps(at(b).box)) stack->emplace_back(a, b);
  }
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
