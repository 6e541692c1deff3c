#include "tactus/contact/tree_mechanism.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tactus/core/error.h"

namespace tactus {

namespace {

// Of entries of A, relative to the masses they join. Mechanisms come from other sums than A does, or from files.
constexpr double kRounding = 1e-8;

std::string Where(int subsystem) { return "mechanism of subsystem " + std::to_string(subsystem); }

bool IsFinite(const SpatialInertia& I) {
  return std::isfinite(I.m) && std::all_of(I.h, I.h + 3, [](double x) { return std::isfinite(x); }) &&
         std::all_of(I.I, I.I + 6, [](double x) { return std::isfinite(x); });
}

// [m v + w x h; h x v + I w].
Vector6 Multiply(const SpatialInertia& I, const Vector6& V) {
  const double *h = I.h, *r = I.I, *v = V.data(), *w = v + 3;
  Vector6 out;
  out << I.m * v[0] + w[1] * h[2] - w[2] * h[1], I.m * v[1] + w[2] * h[0] - w[0] * h[2],
      I.m * v[2] + w[0] * h[1] - w[1] * h[0], h[1] * v[2] - h[2] * v[1] + r[0] * w[0] + r[3] * w[1] + r[4] * w[2],
      h[2] * v[0] - h[0] * v[2] + r[3] * w[0] + r[1] * w[1] + r[5] * w[2],
      h[0] * v[1] - h[1] * v[0] + r[4] * w[0] + r[5] * w[1] + r[2] * w[2];
  return out;
}

// use(d, e, A(d, e)) for all dofs d and their ancestors e, d included. `composite` has the inertias at first.
template <typename Use>
void ForEntries(const TreeMechanism& mechanism, const std::vector<int>& parent, std::vector<SpatialInertia>* composite,
                const Use& use) {
  for (int d = static_cast<int>(parent.size()) - 1; d >= 0; --d) {
    const Vector6 F = Multiply((*composite)[d], mechanism.motion_of(d));
    for (int e = d; e >= 0; e = parent[e])
      use(d, e, mechanism.motion_of(e).dot(F) + (e == d ? mechanism.diagonal[d] : 0));
    if (parent[d] >= 0) (*composite)[parent[d]] += (*composite)[d];
  }
}

}  // namespace

void TreeMechanism::Resize(int dofs) {
  motion.resize(6 * static_cast<std::size_t>(dofs));
  inertia.resize(dofs);
  diagonal.resize(dofs);
}

void CheckMechanism(const TreeMechanism& mechanism, const Eigen::Ref<const MatrixX>& A, const std::vector<int>& parent,
                    int subsystem, std::vector<SpatialInertia>* composite) {
  const int n = static_cast<int>(parent.size());
  if (mechanism.size() != n || static_cast<int>(mechanism.inertia.size()) != n ||
      mechanism.motion.size() != 6 * static_cast<std::size_t>(n)) {
    throw InputError(Where(subsystem), "does not fit A", "six numbers, an inertia and a diagonal entry for every dof");
  }
  const auto finite = [](const std::vector<double>& x) {
    return Eigen::Map<const VectorX>(x.data(), x.size()).allFinite();
  };
  if (!mechanism.origin.allFinite() || !finite(mechanism.motion) || !finite(mechanism.diagonal) ||
      !std::all_of(mechanism.inertia.begin(), mechanism.inertia.end(), IsFinite)) {
    throw InputError(Where(subsystem), "is not finite", "finite numbers");
  }
  composite->assign(mechanism.inertia.begin(), mechanism.inertia.end());
  ForEntries(mechanism, parent, composite, [&](int d, int e, double entry) {
    const double error = A(d, e) - entry;
    if (error * error <= kRounding * kRounding * std::abs(A(d, d) * A(e, e))) return;
    throw InputError(Where(subsystem),
                     "makes " + std::to_string(entry) + " of A(" + std::to_string(d) + ", " + std::to_string(e) +
                         "), which is " + std::to_string(A(d, e)),
                     "the motions and inertias that A is made of");
  });
}

MatrixX CalcTreeMatrix(const TreeMechanism& mechanism, const std::vector<int>& parent) {
  MatrixX A = MatrixX::Zero(mechanism.size(), mechanism.size());
  std::vector<SpatialInertia> composite = mechanism.inertia;
  ForEntries(mechanism, parent, &composite, [&](int d, int e, double entry) { A(d, e) = A(e, d) = entry; });
  return A;
}

}  // namespace tactus
