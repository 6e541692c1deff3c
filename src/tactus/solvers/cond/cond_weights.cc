// W and gamma.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "tactus/solvers/cond/cond_system.h"

namespace tactus {

namespace {

// a_ii and sum_j a_ij^2, or of the scaled matrix, with a factor a_ii, sum_j a_ii a_ij^2 / a_jj.
void CalcSquares(bool scaled, CondSystem* s) {
  const std::size_t size = 3 * static_cast<std::size_t>(s->num_rows());
  s->diagonal_.assign(size, 0.0);
  s->squares_.assign(size, 0.0);
  std::vector<double>& of_nodes = s->node_diagonal_;
  of_nodes.assign(3 * static_cast<std::size_t>(s->num_nodes()), 1.0);
  for (int r = 0; r < s->num_rows(); ++r) {
    for (int k = s->row_start_[r]; k < s->row_start_[r + 1]; ++k) {
      if (s->columns_[k] != s->row_node_[r]) continue;
      for (int a = 0; a < 3; ++a) {
        const double value = s->blocks_[9 * static_cast<std::size_t>(k) + 4 * a];
        s->diagonal_[3 * static_cast<std::size_t>(r) + a] = value;
        if (scaled) of_nodes[3 * static_cast<std::size_t>(s->row_node_[r]) + a] = 1 / value;
      }
    }
  }
  for (int r = 0; r < s->num_rows(); ++r) {
    for (int k = s->row_start_[r]; k < s->row_start_[r + 1]; ++k) {
      const double* B = s->blocks_.data() + 9 * static_cast<std::size_t>(k);
      const double* d = of_nodes.data() + 3 * static_cast<std::size_t>(s->columns_[k]);
      for (int a = 0; a < 3; ++a) {
        const std::size_t at = 3 * static_cast<std::size_t>(r) + a;
        const double sum = B[a] * B[a] * d[0] + B[3 + a] * B[3 + a] * d[1] + B[6 + a] * B[6 + a] * d[2];
        s->squares_[at] += scaled ? s->diagonal_[at] * sum : sum;
      }
    }
  }
}

// Weights are equal on the three axes of a node that a contact touches, so that J W J^T is a multiple of the identity.
void PoolContactNodes(const CondSettings& settings, const std::vector<double>& top, const std::vector<double>& bottom,
                      CondSystem* s) {
  for (int t = 0; t < s->num_touched(); ++t) {
    if (s->by_node_start_[t] == s->by_node_start_[t + 1]) continue;  // rows only
    const std::size_t at = 3 * static_cast<std::size_t>(s->touched_row_[t]);
    double w = 0;
    if (settings.weights <= CondWeights::Frobenius) {
      w = (top[at] + top[at + 1] + top[at + 2]) / (bottom[at] + bottom[at + 1] + bottom[at + 2]);
    } else {
      w = std::min({s->w_[at], s->w_[at + 1], s->w_[at + 2]});
    }
    s->w_[at] = s->w_[at + 1] = s->w_[at + 2] = w;
  }
}

// As published: both nodes of a contact have the smaller of their weights, and so has whoever they touch.
void EqualizePairs(CondSystem* s) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < s->num_contacts_; ++i) {
      double smallest = kInfinity;
      for (int k = s->contact_start_[i]; k < s->contact_start_[i + 1]; ++k) {
        smallest = std::min(smallest, s->w_[3 * static_cast<std::size_t>(s->touched_row_[s->contact_nodes_[k]])]);
      }
      for (int k = s->contact_start_[i]; k < s->contact_start_[i + 1]; ++k) {
        double* w = s->w_.data() + 3 * static_cast<std::size_t>(s->touched_row_[s->contact_nodes_[k]]);
        changed = changed || w[0] > smallest;
        w[0] = w[1] = w[2] = smallest;
      }
    }
  }
}

}  // namespace

void CalcCondWeights(const CondSettings& settings, CondSystem* s) {
  const std::size_t size = 3 * static_cast<std::size_t>(s->num_rows());
  std::vector<double>&top = s->diagonal_, &bottom = s->squares_;  // a_ii, |A_i|^2
  CalcSquares(settings.weights == CondWeights::Scaled, s);
  s->w_.assign(size + 1, 1.0);
  for (std::size_t k = 0; k < size; ++k) {
    if (settings.weights <= CondWeights::Frobenius) s->w_[k] = top[k] / bottom[k];
    if (settings.weights == CondWeights::Jacobi) s->w_[k] = 1 / top[k];
  }
  PoolContactNodes(settings, top, bottom, s);
  if (settings.equal_pair_weights) EqualizePairs(s);
}

void CalcCondGamma(const ContactProblem& p, CondSystem* s) {
  s->gamma_nodes_.assign(p.num_constraints(), 0.0);
  s->gamma_alone_.assign(p.num_constraints(), 0.0);
  s->gamma_ties_.assign(p.num_constraints(), 0.0);
  s->shared_.clear();
  const auto weight = [&](int t) { return s->w_.data() + 3 * static_cast<std::size_t>(s->touched_row_[t]); };
  for (int i = 0; i < p.num_contacts(); ++i) {
    Matrix3 all = Matrix3::Zero(), alone = Matrix3::Zero();
    bool shared = false;
    for (int k = s->contact_start_[i]; k < s->contact_start_[i + 1]; ++k) {
      const int t = s->contact_nodes_[k];
      const Matrix3 B = Eigen::Map<const Matrix3>(s->contact_blocks_.data() + 9 * static_cast<std::size_t>(k));
      const Matrix3 G = B * Eigen::Map<const Vector3>(weight(t)).asDiagonal() * B.transpose();
      all += s->count_[t] * G;
      alone += G;
      shared = shared || s->count_[t] > 1;
    }
    // A multiple of the identity for nodes and points between them, and exact; a bound for segments.
    const auto largest = [](const Matrix3& G) {
      return G.isZero(0) ? 0 : Eigen::SelfAdjointEigenSolver<Matrix3>(G, Eigen::EigenvaluesOnly).eigenvalues()[2];
    };
    s->gamma_nodes_[i] = largest(all);
    s->gamma_alone_[i] = largest(alone);
    if (shared) s->shared_.push_back(i);
  }
  for (int r = 0; r < p.num_rows(); ++r) {
    const int i = p.num_contacts() + r;
    bool shared = false;
    for (int k = s->row_entry_start_[r]; k < s->row_entry_start_[r + 1]; ++k) {
      const CondRowEntry& entry = s->row_entries_[k];
      double G = 0;
      for (int a = 0; a < 3; ++a) G += weight(entry.touched)[a] * entry.values[a] * entry.values[a];
      s->gamma_nodes_[i] += s->count_[entry.touched] * G;
      s->gamma_alone_[i] += G;
      shared = shared || s->count_[entry.touched] > 1;
    }
    if (shared) s->shared_.push_back(i);
  }
  for (const CondCopy& copy : s->copies_) s->gamma_ties_[copy.constraint] += copy.w;
}

}  // namespace tactus
