#include "tactus/solvers/cond/cond_schur.h"

#include <algorithm>

namespace tactus {

// Distributes rows: of touched nodes they stay, of free ones they go into A_ff and A_fc.
void CondSchur::Split(CondSystem* s) {
  place_.assign(s->num_nodes(), -1);
  for (const int node : s->touched_) place_[node] = -2;
  nodes_.clear();
  for (int node = 0; node < s->num_nodes(); ++node) {
    if (place_[node] == -2) continue;
    place_[node] = static_cast<int>(nodes_.size());
    nodes_.push_back(node);
  }
  b_.clear();
  start_.assign(1, 0);
  coupling_start_.assign(1, 0);
  columns_.clear();
  blocks_.clear();
  coupling_columns_.clear();
  coupling_blocks_.clear();
  std::vector<int>&row_start = kept_start_, &columns = kept_columns_, &row_node = kept_node_;
  std::vector<double>&blocks = kept_blocks_, &b = kept_b_, &inertia = kept_inertia_;
  row_start.assign(1, 0);
  columns.clear();
  row_node.clear();
  blocks.clear();
  b.clear();
  inertia.clear();
  for (int node = 0; node < s->num_nodes(); ++node) {
    const bool free = place_[node] >= 0;
    for (int k = s->row_start_[node]; k < s->row_start_[node + 1]; ++k) {
      const bool free_column = place_[s->columns_[k]] >= 0;
      std::vector<int>& to = !free ? columns : free_column ? columns_ : coupling_columns_;
      std::vector<double>& values = !free ? blocks : free_column ? blocks_ : coupling_blocks_;
      to.push_back(free && free_column ? place_[s->columns_[k]] : s->columns_[k]);
      const double* B = s->blocks_.data() + 9 * static_cast<std::size_t>(k);
      values.insert(values.end(), B, B + 9);
    }
    std::vector<double>& momentum = free ? b_ : b;
    const double* of_node = s->b_.data() + 3 * static_cast<std::size_t>(node);
    momentum.insert(momentum.end(), of_node, of_node + 3);
    if (free) {
      start_.push_back(static_cast<int>(columns_.size()));
      coupling_start_.push_back(static_cast<int>(coupling_columns_.size()));
    } else {
      row_start.push_back(static_cast<int>(columns.size()));
      row_node.push_back(node);
      const double* m = s->inertia_.data() + 3 * static_cast<std::size_t>(node);
      inertia.insert(inertia.end(), m, m + 3);
    }
  }
  blocks.push_back(0);
  b.push_back(0);
  inertia.push_back(1);
  s->row_start_ = row_start;
  s->columns_ = columns;
  s->row_node_ = row_node;
  s->blocks_ = blocks;
  s->b_ = b;
  s->inertia_ = inertia;
  for (int t = 0; t < s->num_touched(); ++t) s->touched_row_[t] = t;
}

bool CondSchur::Factorize() {
  // Scalars of A_ff row by row, which are its columns, ascending.
  scalar_start_.assign(1, 0);
  scalar_columns_.clear();
  scalar_values_.clear();
  std::vector<int>& order = order_;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    order.clear();
    for (int k = start_[node]; k < start_[node + 1]; ++k) order.push_back(k);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return columns_[a] < columns_[b]; });
    for (int a = 0; a < 3; ++a) {
      for (const int k : order) {
        for (int c = 0; c < 3; ++c) {
          scalar_columns_.push_back(3 * columns_[k] + c);
          scalar_values_.push_back(blocks_[9 * static_cast<std::size_t>(k) + 3 * c + a]);
        }
      }
      scalar_start_.push_back(static_cast<int>(scalar_columns_.size()));
    }
  }
  if (scalar_start_ != analyzed_start_ || scalar_columns_ != analyzed_columns_) {
    factor_.Analyze(scalar_start_, scalar_columns_);
    analyzed_start_ = scalar_start_;
    analyzed_columns_ = scalar_columns_;
  }
  work_.resize(static_cast<std::size_t>(factor_.work_size()));
  return factor_.Factorize(scalar_values_.data());
}

bool CondSchur::Prepare(CondSystem* system) {
  Split(system);
  return empty() || Factorize();
}

void CondSchur::Solve(bool with_b, std::vector<double>* v) {
  x_.assign(3 * nodes_.size(), 0.0);
  if (with_b) x_ = b_;
  for (std::size_t f = 0; f < nodes_.size(); ++f) {
    double* x = x_.data() + 3 * f;
    for (int k = coupling_start_[f]; k < coupling_start_[f + 1]; ++k) {
      const double* B = coupling_blocks_.data() + 9 * static_cast<std::size_t>(k);
      const double* y = v->data() + 3 * static_cast<std::size_t>(coupling_columns_[k]);
      for (int a = 0; a < 3; ++a) x[a] -= B[a] * y[0] + B[3 + a] * y[1] + B[6 + a] * y[2];
    }
  }
  factor_.Solve(x_.data(), work_.data());
  for (std::size_t f = 0; f < nodes_.size(); ++f) {
    std::copy_n(x_.data() + 3 * f, 3, v->data() + 3 * static_cast<std::size_t>(nodes_[f]));
  }
}

}  // namespace tactus
