// A tree of boxes over things that stay neighbours: nodes and triangles of a deformable. Its shape is made once, of
// where they are then; afterwards only boxes change, all at once.
#pragma once

#include <vector>

#include "tactus/geometry/aabb.h"

namespace tactus {

class RefitTree {
 public:
  /// Over items 0 to centres.size() - 1.
  void Build(const std::vector<Vector3>& centres);
  int num_items() const { return static_cast<int>(boxes_.size()); }

  /// Of an item; call Refit when all are set.
  void SetBox(int item, const Aabb& box) { boxes_[static_cast<std::size_t>(item)] = box; }
  const Aabb& box(int item) const { return boxes_[static_cast<std::size_t>(item)]; }
  void Refit();
  /// Around everything; empty if there is nothing.
  Aabb root() const { return nodes_.empty() ? Aabb() : nodes_[0].box; }

  /// found(item) for each item whose box overlaps, in an order that depends on the tree only. `stack` is memory to use.
  template <typename Found>
  void Find(const Aabb& box, std::vector<int>* stack, Found found) const {
    stack->clear();
    if (!nodes_.empty()) stack->push_back(0);
    while (!stack->empty()) {
      const int n = stack->back();
      const Node& node = nodes_[static_cast<std::size_t>(n)];
      stack->pop_back();
      if (!node.box.Overlaps(box)) continue;
      if (node.right >= 0) {
        stack->push_back(node.right);
        stack->push_back(n + 1);
        continue;
      }
      for (int i = node.first; i < node.first + node.count; ++i) {
        const int item = order_[static_cast<std::size_t>(i)];
        if (boxes_[static_cast<std::size_t>(item)].Overlaps(box)) found(item);
      }
    }
  }

 private:
  // Children of an inner node are the next one and `right`; a leaf has items order_[first, first + count).
  struct Node {
    Aabb box;
    int right = -1;
    int first = 0, count = 0;
  };
  void MakeNode(int first, int count, const std::vector<Vector3>& centres);

  std::vector<Node> nodes_;
  std::vector<int> order_;
  std::vector<Aabb> boxes_;
};

}  // namespace tactus
