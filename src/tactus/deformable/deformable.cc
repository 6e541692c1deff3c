#include "tactus/deformable/deformable.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tactus/core/error.h"

namespace tactus {

void Validate(const DeformableScheme& scheme) {
  Require(std::isfinite(scheme.step) && scheme.step > 0, "scheme", fmt::format("step is {}", scheme.step),
          "a finite time > 0 [s]");
  Require(scheme.theta >= 0 && scheme.theta < 1, "scheme", fmt::format("theta is {}", scheme.theta), "in [0, 1)");
}

void Deformable::CalcEndVelocity(const DeformableScheme& scheme, const VectorX& v_hat, VectorX* v) {
  *v = (v_hat - scheme.theta * *v) / (1 - scheme.theta);
}

void Deformable::CheckSizes(const DeformableInput& input, const SparseMatrix& A) const {
  const auto fits = [](const VectorX* v, int size) { return !v || v->size() == size; };
  const bool good = input.q && input.v && fits(input.q, nq()) && fits(input.v, nv()) && fits(input.external, nv()) &&
                    fits(input.held_velocity, num_held_dofs()) && fits(input.v_hat, nv()) && A.isCompressed() &&
                    A.rows() == nv() && A.nonZeros() == pattern_.nonZeros();
  if (good) return;
  throw InputError("deformable", "a vector or matrix of the wrong size",
                   fmt::format("q of {}, velocities and forces of {}, held ones of {}, and A with the pattern", nq(),
                               nv(), num_held_dofs()));
}

void Deformable::NumberDofs(int items, int dofs_per_item, const std::vector<int>& held) {
  dofs_per_item_ = dofs_per_item;
  first_dof_.assign(static_cast<std::size_t>(items), 0);
  first_held_dof_.assign(static_cast<std::size_t>(items), -1);
  for (const int i : held) {
    Require(i >= 0 && i < items, "held", fmt::format("{} is no node or segment", i), fmt::format("0 to {}", items - 1));
    Require(first_dof_[static_cast<std::size_t>(i)] == 0, "held", fmt::format("{} is there twice", i), "once each");
    first_dof_[static_cast<std::size_t>(i)] = -1;
  }
  nv_ = num_held_dofs_ = 0;
  for (std::size_t i = 0; i < first_dof_.size(); ++i) {
    int& next = first_dof_[i] < 0 ? num_held_dofs_ : nv_;
    (first_dof_[i] < 0 ? first_held_dof_[i] : first_dof_[i]) = next;
    next += dofs_per_item;
  }
  Require(nv_ > 0, "held", "everything is held", "something that can move");
}

void Deformable::MakePattern(const std::vector<std::vector<int>>& neighbours) {
  const int n = dofs_per_item_;
  long long count = 0;
  VectorX::Index rows = nv_;
  Eigen::VectorXi sizes(rows);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (first_dof_[i] < 0) continue;
    const auto free =
        std::count_if(neighbours[i].begin(), neighbours[i].end(), [&](int j) { return first_dof(j) >= 0; });
    for (int r = 0; r < n; ++r) sizes[first_dof_[i] + r] = static_cast<int>(free) * n;
    count += static_cast<long long>(free) * n * n;
  }
  Require(count <= std::numeric_limits<int>::max(), "deformable", fmt::format("{} entries in its matrix", count),
          "fewer than 2^31");
  pattern_.resize(rows, rows);
  pattern_.reserve(sizes);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    for (int r = 0; first_dof_[i] >= 0 && r < n; ++r) {
      for (const int j : neighbours[i]) {
        for (int c = 0; first_dof(j) >= 0 && c < n; ++c) pattern_.insert(first_dof_[i] + r, first_dof(j) + c) = 0;
      }
    }
  }
  pattern_.makeCompressed();
}

}  // namespace tactus
