#include "tactus/math/front_tree.h"

#include <algorithm>
#include <numeric>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

namespace tactus {

namespace {

// Elimination order of the nodes by approximate minimum degree.
std::vector<int> OrderNodes(const BlockPattern& pattern) {
  const int n = static_cast<int>(pattern.sizes.size());
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  if (n <= 2) return order;
  const std::size_t count = pattern.columns.size();
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> matrix(n, n);
  matrix.resizeNonZeros(static_cast<int>(count));
  std::copy(pattern.row_start.begin(), pattern.row_start.end(), matrix.outerIndexPtr());
  std::copy(pattern.columns.begin(), pattern.columns.end(), matrix.innerIndexPtr());
  std::fill(matrix.valuePtr(), matrix.valuePtr() + count, 1.0);
  Eigen::AMDOrdering<int>::PermutationType permutation;
  Eigen::AMDOrdering<int>()(matrix.selfadjointView<Eigen::Lower>(), permutation);
  for (int i = 0; i < n; ++i) order[i] = permutation.indices()[i];
  return order;
}

// Flops of eliminating s scalars of a front with r below.
double FrontFlops(const FrontSettings& settings, double s, double r) {
  return settings.flop_share * (2.0 / 3 * s * s * s + 2 * s * s * r + 2 * s * r * r);
}

// The same forest with children before parents and every subtree contiguous; ascending where that is so already.
std::vector<int> Postorder(const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> first(n + 1, -1), next(n, -1), order, stack;
  for (int k = n - 1; k >= 0; --k) {  // roots are children of n
    int& head = first[parent[k] < 0 ? n : parent[k]];
    next[k] = head;
    head = k;
  }
  order.reserve(n);
  for (int k = first[n]; k >= 0 || !stack.empty();) {
    if (k >= 0) {
      stack.push_back(k);
      k = first[k];
    } else {
      order.push_back(stack.back());
      k = next[stack.back()];
      stack.pop_back();
    }
  }
  return order;
}

}  // namespace

struct FrontTree::Elimination {
  std::vector<int> order, rank;         // rank -> node and back; all below is by rank
  std::vector<int> size, weight_below;  // scalars of a node, and of those below it
  std::vector<std::vector<int>>
      below;                  // later nodes coupled with one once the earlier ones are eliminated, in any order
  std::vector<int> parent;    // the first of them, -1 at a root
  std::vector<int> top;       // the highest node of a node's supernode
  std::vector<int> front;     // index of a node's front
  std::vector<int> position;  // first scalar in elimination order
};

void FrontTree::Analyze(const BlockPattern& pattern, const FrontSettings& settings) {
  const int n = static_cast<int>(pattern.sizes.size());
  offset_.assign(n + 1, 0);
  for (int i = 0; i < n; ++i) offset_[i + 1] = offset_[i] + pattern.sizes[i];
  Elimination e = EliminateNodes(pattern);
  FindSupernodes(settings, &e);
  MakeFronts(settings, pattern, &e);
  MapToParents();
  PlaceEntries(pattern, e);
}

FrontTree::Elimination FrontTree::EliminateNodes(const BlockPattern& pattern) {
  const int n = static_cast<int>(pattern.sizes.size());
  Elimination e;
  e.order = OrderNodes(pattern);
  e.rank.resize(n);
  e.size.resize(n);
  for (int k = 0; k < n; ++k) {
    e.rank[e.order[k]] = k;
    e.size[k] = pattern.sizes[e.order[k]];
  }
  e.below.resize(n);
  e.parent.assign(n, -1);
  e.weight_below.assign(n, 0);
  std::vector<std::vector<int>> children(n);
  std::vector<int> mark(n, -1);
  for (int k = 0; k < n; ++k) {
    const int node = e.order[k];
    std::vector<int>& below = e.below[k];
    const auto add = [&](int j) {
      if (j > k && mark[j] != k) {
        mark[j] = k;
        below.push_back(j);
      }
    };
    for (int q = pattern.row_start[node]; q < pattern.row_start[node + 1]; ++q) add(e.rank[pattern.columns[q]]);
    for (const int c : children[k]) {
      for (const int j : e.below[c]) add(j);
    }
    for (const int j : below) e.weight_below[k] += e.size[j];
    if (!below.empty()) {
      e.parent[k] = *std::min_element(below.begin(), below.end());
      children[e.parent[k]].push_back(k);
    }
  }
  return e;
}

// A node joins its parent's front where that costs less than a front of its own.
void FrontTree::FindSupernodes(const FrontSettings& settings, Elimination* e) {
  const int n = static_cast<int>(e->order.size());
  std::vector<int> front_size(n, 0);
  e->top.resize(n);
  for (int k = n - 1; k >= 0; --k) {
    const int s = e->size[k], r = e->weight_below[k];
    e->top[k] = k;
    if (e->parent[k] >= 0) {
      const int top = e->top[e->parent[k]];
      const int top_r = e->weight_below[top];
      const double apart = FrontFlops(settings, s, r) + FrontFlops(settings, front_size[top], top_r) +
                           settings.overhead + static_cast<double>(r) * r;
      if (FrontFlops(settings, front_size[top] + s, top_r) <= apart) e->top[k] = top;
    }
    front_size[e->top[k]] += s;
  }
}

// Numbers fronts and scalars, and lists the scalars below each front.
void FrontTree::MakeFronts(const FrontSettings& settings, const BlockPattern& pattern, Elimination* e) {
  const int n = static_cast<int>(e->order.size());
  std::vector<std::vector<int>> members(n);
  for (int k = 0; k < n; ++k) members[e->top[k]].push_back(k);
  // A node's top is an ancestor or itself, so that the tops' parents make the forest of fronts.
  std::vector<int> tops, index(n, -1), parent;
  for (int k = 0; k < n; ++k) {
    if (e->top[k] == k) {
      index[k] = static_cast<int>(tops.size());
      tops.push_back(k);
    }
  }
  for (const int top : tops) parent.push_back(e->parent[top] < 0 ? -1 : index[e->top[e->parent[top]]]);
  const std::vector<int> order = Postorder(parent);
  for (std::size_t q = 0; q < order.size(); ++q) index[tops[order[q]]] = static_cast<int>(q);

  fronts_.assign(order.size(), Front());
  flops_ = 0;
  widest_ = 0;
  permuted_.assign(size(), 0);
  e->front.resize(n);
  e->position.resize(n);
  int next = 0;
  for (std::size_t q = 0; q < order.size(); ++q) {
    Front& f = fronts_[q];
    const int top = tops[order[q]];
    f.first = next;
    for (const int k : members[top]) {
      e->front[k] = static_cast<int>(q);
      e->position[k] = next;
      for (int a = 0; a < e->size[k]; ++a) permuted_[offset_[e->order[k]] + a] = next + a;
      next += e->size[k];
    }
    if (e->parent[top] >= 0) f.parent = index[e->top[e->parent[top]]];
    f.s = next - f.first;
    f.r = e->weight_below[top];
    f.below_at = (f.s + settings.pivot_alignment - 1) / settings.pivot_alignment * settings.pivot_alignment;
    flops_ += FrontFlops(settings, f.s, f.r);
    widest_ = std::max(widest_, f.r);
  }
  indices_.clear();
  for (std::size_t q = 0; q < order.size(); ++q) {
    Front& f = fronts_[q];
    f.index_start = static_cast<int>(indices_.size());
    for (const int j : e->below[tops[order[q]]]) {
      for (int a = 0; a < pattern.sizes[e->order[j]]; ++a) indices_.push_back(e->position[j] + a);
    }
    std::sort(indices_.begin() + f.index_start, indices_.end());
  }
}

int FrontTree::LocalPosition(const Front& f, int scalar) const {
  if (scalar < f.first + f.s) return scalar - f.first;
  const int* begin = indices(f);
  return f.below_at + static_cast<int>(std::lower_bound(begin, begin + f.r, scalar) - begin);
}

// Where each scalar below a front lies in its parent's front, and the children of each front.
void FrontTree::MapToParents() {
  rows_.resize(indices_.size());
  runs_.clear();
  for (Front& f : fronts_) {
    f.run_start = static_cast<int>(runs_.size());
    if (f.parent < 0) continue;
    const Front& p = fronts_[f.parent];
    for (int i = 0; i < f.r; ++i) {
      const int scalar = indices_[f.index_start + i], row = LocalPosition(p, scalar);
      rows_[f.index_start + i] = row;
      if (scalar < p.first + p.s) ++f.num_pivots;
      if (f.num_runs > 0 && runs_.back().to + runs_.back().length == row) {
        ++runs_.back().length;
      } else {
        runs_.push_back({i, row, 1});
        ++f.num_runs;
      }
    }
  }
  children_.resize(fronts_.size());
  std::vector<int> count(fronts_.size() + 1, 0);
  for (const Front& f : fronts_) {
    if (f.parent >= 0) ++count[f.parent + 1];
  }
  for (std::size_t q = 0; q < fronts_.size(); ++q) {
    count[q + 1] += count[q];
    fronts_[q].child_start = fronts_[q].child_end = count[q];
  }
  for (std::size_t q = 0; q < fronts_.size(); ++q) {
    if (fronts_[q].parent >= 0) children_[fronts_[fronts_[q].parent].child_end++] = static_cast<int>(q);
  }
}

void FrontTree::PlaceEntries(const BlockPattern& pattern, const Elimination& e) {
  const int n = static_cast<int>(pattern.sizes.size());
  places_.resize(pattern.columns.size());
  for (Front& f : fronts_) f.entry_start = f.entry_end = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
      const int a = e.rank[i], b = e.rank[pattern.columns[k]];
      Place& place = places_[k];
      place.front = e.front[std::min(a, b)];
      Front& f = fronts_[place.front];
      place.row = LocalPosition(f, e.position[a]);
      place.column = LocalPosition(f, e.position[b]);
      ++f.entry_end;
    }
  }
  int start = 0;
  for (Front& f : fronts_) {
    const int count = f.entry_end;
    f.entry_start = f.entry_end = start;
    start += count;
  }
  entries_.resize(places_.size());
  for (std::size_t k = 0; k < places_.size(); ++k)
    entries_[fronts_[places_[k].front].entry_end++] = static_cast<int>(k);
}

}  // namespace tactus
