// How near a contact's wrenches are to what some chosen contacts can do together: a bound, not a sample.
#pragma once

#include <vector>

#include <Eigen/Geometry>

#include "tactus/core/types.h"

namespace tactus {

/// What a contact can do, for all tangential forces at once. A contact at r with normal n and tangents F = (t1, t2)
/// does the wrenches
///
///     w(c) = G (n + F c),  |c| <= mu,    G f = (f, r x f),
///
/// and is the vector x = (G n, s G t1, s G t2), s = mu / sqrt(2). If weights a_j >= 0 of sum 1 make sum a_j x_j differ
/// from x by (e0, s e1, s e2), then w(c) differs from sum a_j w_j(c), which those contacts can do, by e0 + (e1 e2) c:
/// linear in c, so that one set of weights answers for the whole disc and for all smaller coefficients.
using ContactWrench = Eigen::Matrix<double, 18, 1>;

/// The tangents are the minimal rotation of two fixed ones from `axis` to n: neighbours have nearly the same.
ContactWrench CalcContactWrench(const Vector3& r, const Vector3& n, int axis, double sign, double friction);
/// The greatest |e0 + (e1 e2) c| over |c| <= mu; at most that, and nearly.
double CalcWrenchError(const ContactWrench& e);

/// Contact wrenches, to be searched. Rounded to floats.
class WrenchTable {
 public:
  void Clear() { count_ = 0; }
  void Add(const ContactWrench& x);
  struct Farthest {
    double reach;
    int row;
  };
  /// The greatest d.x, and who has it; the first of equals.
  Farthest Find(const ContactWrench& d) const;

 private:
  static constexpr int kBlock = 32;
  struct Block {
    Eigen::Array<float, kBlock, 1> x[18], penalty;  // the latter keeps lanes out that are not there
  };
  int count_ = 0;
  std::vector<Block> blocks_;  // those beyond count_ are old
};

/// The hull of chosen contact wrenches, and a point of it as a combination of few. Moves that point towards another by
/// Wolfe's algorithm (Finding the nearest point in a polytope, 1976); where it stands is a good start for the next.
class WrenchHull {
 public:
  static constexpr int kMost = 19;  ///< points in general position
  /// Copies take no longer than what is in it.
  struct Combination {
    int count = 0;
    int row[kMost];                          ///< of those added
    double weight[kMost];                    ///< > 0, of sum 1
    double factor[kMost * (kMost + 1) / 2];  ///< Cholesky's, of the products x_j.x_k + 1; the inverse on its diagonal

    Combination() = default;
    Combination(const Combination& other) { *this = other; }
    Combination& operator=(const Combination& other);
    /// Row k of the factor.
    double* Row(int k) { return factor + k * (k + 1) / 2; }
    const double* Row(int k) const { return factor + k * (k + 1) / 2; }
  };

  void Clear();
  void Add(const ContactWrench& x);
  /// Whether a point of the hull was found whose CalcWrenchError from x is at most the tolerance; if so `error` is it,
  /// if not `direction` has length 1 and all of the hull is behind x along it.
  bool Approach(const ContactWrench& x, double tolerance, double* error, ContactWrench* direction);
  /// Where the point stands, and to put it there.
  const Combination& combination() const { return at_; }
  void SetCombination(const Combination& combination) { at_ = combination; }

 private:
  bool Append(int row, const ContactWrench& x);
  void Remove(int k);
  void MoveToNearest();
  void CalcNearest(double* weights) const;
  ContactWrench CalcPoint() const;

  WrenchTable table_;
  std::vector<ContactWrench> all_;
  Combination at_;
  double products_[kMost];  // of its rows with the x that is approached
};

}  // namespace tactus
