// What the parts of a contact problem must satisfy. Messages are only put together where something is wrong: the checks
// run on every constraint of every time step.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "tactus/contact/contact_problem.h"

namespace tactus::problem_checks {

inline std::string At(const char* what, int i) { return std::string(what) + " " + std::to_string(i); }

inline void RequireFinite(const ConstVectorRef& x, const char* where, int index = -1) {
  if (x.allFinite()) return;
  for (int i = 0; i < x.size(); ++i) {
    Require(std::isfinite(x[i]), index < 0 ? where : At(where, index),
            "entry " + std::to_string(i) + " is " + std::to_string(x[i]), "a finite number");
  }
}

inline void RequireFiniteSparse(const SparseMatrix& A, const std::string& where) {
  for (int i = 0; i < A.outerSize(); ++i) {
    for (SparseMatrix::InnerIterator it(A, i); it; ++it) {
      if (std::isfinite(it.value())) continue;
      throw InputError(where, "entry (" + std::to_string(i) + ", " + std::to_string(it.col()) + ") is not finite",
                       "a finite number");
    }
  }
}

inline void CheckFriction(const Friction& f, int contact) {
  if (std::isfinite(f.mu1) && std::isfinite(f.mu2) && f.mu1 >= 0 && f.mu2 >= 0) return;
  throw InputError(At("contact", contact), "friction is (" + std::to_string(f.mu1) + ", " + std::to_string(f.mu2) + ")",
                   "finite numbers >= 0");
}

inline void CheckLaw(const RowLaw& law, int row) {
  const bool damping = !std::isnan(law.d) && law.d >= 0, offset = std::isfinite(law.ke);
  const bool order = !std::isnan(law.lo) && !std::isnan(law.hi) && law.lo <= law.hi;
  if (damping && offset && order && law.lo < kInfinity && law.hi > -kInfinity) return;
  const std::string where = At("row", row);
  Require(damping, where, "damping d is " + std::to_string(law.d), "a number >= 0");
  Require(offset, where, "offset ke is not finite", "a finite number");
  Require(order, where, "bounds are [" + std::to_string(law.lo) + ", " + std::to_string(law.hi) + "]", "lo <= hi");
  throw InputError(where, "the bounds leave no impulse", "lo < inf, hi > -inf");
}

/// Largest |A - A^T| relative to the largest |A|.
inline double Asymmetry(const SparseMatrix& A) {
  double scale = 0, worst = 0;
  for (int i = 0; i < A.outerSize(); ++i) {
    for (SparseMatrix::InnerIterator it(A, i); it; ++it) {
      scale = std::max(scale, std::abs(it.value()));
      // Every entry of A - A^T has one of A on either side.
      worst = std::max(worst, std::abs(it.value() - A.coeff(it.col(), i)));
    }
  }
  return scale > 0 ? worst / scale : 0;
}

/// What a positive definite matrix must have and what is cheap to see: a positive diagonal and positive 2 x 2 minors.
inline bool HasPositiveMinors(const SparseBlock& block) {
  const SparseMatrix& A = block.matrix();
  const VectorX& diagonal = block.diagonal();
  for (int i = 0; i < A.outerSize(); ++i) {
    if (!(diagonal[i] > 0)) return false;
    for (SparseMatrix::InnerIterator it(A, i); it; ++it) {
      if (it.col() != i && !(it.value() * it.value() < diagonal[i] * diagonal[it.col()])) return false;
    }
  }
  return true;
}

}  // namespace tactus::problem_checks
