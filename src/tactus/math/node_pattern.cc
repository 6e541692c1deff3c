#include "tactus/math/node_pattern.h"

#include <algorithm>

namespace tactus {

NodePattern MakeNodePattern(std::span<const int> start, std::span<const int> rows) {
  const int n = static_cast<int>(start.size()) - 1;
  const auto column = [&](int c) { return rows.subspan(start[c], start[c + 1] - start[c]); };
  NodePattern p;
  std::vector<int> node_of(n);
  for (int c = 0; c < n; ++c) {
    if (c == 0 || !std::ranges::equal(column(c - 1), column(c))) {
      p.first.push_back(c);
      p.sizes.push_back(0);
    }
    ++p.sizes.back();
    node_of[c] = static_cast<int>(p.sizes.size()) - 1;
  }
  // By symmetry a column has all rows of a node or none.
  p.row_start.push_back(0);
  for (std::size_t j = 0; j < p.sizes.size(); ++j) {
    const auto list = column(p.first[j]);
    for (int q = 0; q < static_cast<int>(list.size()); q += p.sizes[p.columns.back()]) {
      p.columns.push_back(node_of[list[q]]);
      p.node.push_back(static_cast<int>(j));
      p.within.push_back(q);
    }
    p.row_start.push_back(static_cast<int>(p.columns.size()));
  }
  p.mirror.resize(p.columns.size());
  for (std::size_t k = 0; k < p.columns.size(); ++k) {
    const auto begin = p.columns.begin() + p.row_start[p.columns[k]];
    const auto end = p.columns.begin() + p.row_start[p.columns[k] + 1];
    p.mirror[k] = static_cast<int>(std::lower_bound(begin, end, p.node[k]) - p.columns.begin());
  }
  return p;
}

}  // namespace tactus
