#include "tactus/collision/dynamic_tree.h"

#include <algorithm>

namespace tactus {

namespace {

Aabb Union(const Aabb& a, const Aabb& b) {
  Aabb box = a;
  box.Extend(b);
  return box;
}

}  // namespace

int DynamicTree::Allocate() {
  if (free_ < 0) {
    nodes_.emplace_back();
    return static_cast<int>(nodes_.size()) - 1;
  }
  const int node = free_;
  free_ = at(node).parent;
  at(node) = Node();
  return node;
}

// Down the tree to where the new leaf costs least: the new parent's surface and what all boxes above grow by.
int DynamicTree::FindSibling(const Aabb& box) const {
  int best = root_;
  const double own = box.half_area();
  double best_cost = Union(at(root_).box, box).half_area();
  double inherited = best_cost - at(root_).box.half_area();
  for (int node = root_; at(node).child[0] >= 0;) {
    int next = -1;
    double next_bound = best_cost, next_growth = 0;
    for (const int child : at(node).child) {
      const double enlarged = Union(at(child).box, box).half_area();
      const double growth = enlarged - at(child).box.half_area();
      if (inherited + enlarged < best_cost) {
        best_cost = inherited + enlarged;
        best = child;
      }
      // Below this child no place costs less than that.
      const double bound = inherited + growth + own;
      if (at(child).child[0] >= 0 && bound < next_bound) {
        next_bound = bound;
        next_growth = growth;
        next = child;
      }
    }
    if (next < 0 || next_bound >= best_cost) break;
    inherited += next_growth;
    node = next;
  }
  return best;
}

int DynamicTree::Insert(const Aabb& box, int item) {
  const int leaf = Allocate();
  at(leaf).box = box;
  at(leaf).item = item;
  if (root_ < 0) {
    root_ = leaf;
    return leaf;
  }
  const int sibling = FindSibling(box);
  const int parent = Allocate();
  const int above = at(sibling).parent;
  at(parent).parent = above;
  at(parent).child[0] = sibling;
  at(parent).child[1] = leaf;
  at(sibling).parent = parent;
  at(leaf).parent = parent;
  if (above < 0) {
    root_ = parent;
  } else {
    at(above).child[at(above).child[0] == sibling ? 0 : 1] = parent;
  }
  Refit(parent);
  return leaf;
}

void DynamicTree::Remove(int leaf) {
  const int parent = at(leaf).parent;
  const auto release = [this](int node) {
    at(node) = Node();
    at(node).parent = free_;
    free_ = node;
  };
  if (parent < 0) {
    root_ = -1;
    release(leaf);
    return;
  }
  const int sibling = at(parent).child[at(parent).child[0] == leaf ? 1 : 0];
  const int above = at(parent).parent;
  at(sibling).parent = above;
  if (above < 0) {
    root_ = sibling;
  } else {
    at(above).child[at(above).child[0] == parent ? 0 : 1] = sibling;
    Refit(above);
  }
  release(leaf);
  release(parent);
}

void DynamicTree::Refit(int node) {
  for (; node >= 0; node = at(node).parent) {
    at(node).box = Union(at(at(node).child[0]).box, at(at(node).child[1]).box);
    Rotate(node);
  }
}

// Exchanges a child with a grandchild on the other side if that shrinks the box between them the most.
void DynamicTree::Rotate(int node) {
  int best_side = -1, best_grandchild = -1;
  double best_gain = 0;
  for (int side = 0; side < 2; ++side) {
    const int child = at(node).child[side], other = at(node).child[1 - side];
    if (at(other).child[0] < 0) continue;
    const double before = at(other).box.half_area();
    for (int k = 0; k < 2; ++k) {
      const double after = Union(at(child).box, at(at(other).child[1 - k]).box).half_area();
      if (before - after > best_gain) {
        best_gain = before - after;
        best_side = side;
        best_grandchild = k;
      }
    }
  }
  if (best_side < 0) return;
  const int child = at(node).child[best_side], other = at(node).child[1 - best_side];
  const int grandchild = at(other).child[best_grandchild];
  at(node).child[best_side] = grandchild;
  at(grandchild).parent = node;
  at(other).child[best_grandchild] = child;
  at(child).parent = other;
  at(other).box = Union(at(at(other).child[0]).box, at(at(other).child[1]).box);
}

int DynamicTree::Height(int node) const {
  if (at(node).child[0] < 0) return 1;
  return 1 + std::max(Height(at(node).child[0]), Height(at(node).child[1]));
}

}  // namespace tactus
