#include "tactus/collision/refit_tree.h"

#include <algorithm>
#include <numeric>

namespace tactus {

namespace {

constexpr int kLeafItems = 4;

}  // namespace

void RefitTree::Build(const std::vector<Vector3>& centres) {
  nodes_.clear();
  order_.resize(centres.size());
  std::iota(order_.begin(), order_.end(), 0);
  boxes_.assign(centres.size(), Aabb());
  if (!centres.empty()) MakeNode(0, static_cast<int>(centres.size()), centres);
}

void RefitTree::MakeNode(int first, int count, const std::vector<Vector3>& centres) {
  const std::size_t node = nodes_.size();
  nodes_.emplace_back();
  nodes_[node].first = first;
  nodes_[node].count = count;
  if (count <= kLeafItems) return;
  Aabb box;
  const auto begin = order_.begin() + first, end = begin + count, middle = begin + count / 2;
  for (auto i = begin; i != end; ++i) box.Extend(centres[static_cast<std::size_t>(*i)]);
  int axis = 0;
  (box.high - box.low).maxCoeff(&axis);
  std::nth_element(begin, middle, end, [&](int x, int y) {
    const double a = centres[static_cast<std::size_t>(x)][axis], b = centres[static_cast<std::size_t>(y)][axis];
    return a != b ? a < b : x < y;
  });
  MakeNode(first, count / 2, centres);
  nodes_[node].right = static_cast<int>(nodes_.size());
  MakeNode(first + count / 2, count - count / 2, centres);
}

void RefitTree::Refit() {
  // Children come after their parents.
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    Node& node = nodes_[n];
    node.box = Aabb();
    if (node.right >= 0) {
      node.box.Extend(nodes_[n + 1].box);
      node.box.Extend(nodes_[static_cast<std::size_t>(node.right)].box);
      continue;
    }
    for (int i = node.first; i < node.first + node.count; ++i) {
      node.box.Extend(boxes_[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])]);
    }
  }
}

}  // namespace tactus
