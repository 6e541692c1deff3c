// One combination of modes with 3-D friction, by sequential quadratic programming over the directions of sliding.
#pragma once

#include <vector>

#include "tactus/inverse/convex_qp.h"
#include "tactus/inverse/qpcc_sweeps.h"

namespace tactus {

/// Gauss-Newton programs: lengths of sliding impulses and angles linearized, cones of sticking contacts by planes that
/// are added where they were crossed.
class SlideSqp {
 public:
  SlideSqp(const QpccScaled& problem, const std::vector<ContactMode>& modes);
  /// From the k-th of `starts` sets of directions. True if it ended at a point of these modes: then x_hat, s_hat, modes
  /// and the loss (scaled) are that point's.
  bool Solve(int k, int starts, QpccIterate* it, double* loss);
  int programs() const { return programs_; }

 private:
  struct Cut {
    int contact = 0;
    Vector2 normal = Vector2::Zero();  // normal . l_t <= mu l_n
  };
  void Build();
  void BuildConstraints();
  void AddInequality(const VectorX& row, double bound);
  bool Accept(const VectorX& v);
  bool AddCuts(const VectorX& v);

  const QpccScaled& p_;
  const std::vector<ContactMode> modes_;
  std::vector<int> first_;  // column of v of a contact's first unknown
  std::vector<double> angle_, normal_, speed_;
  std::vector<Cut> cuts_;
  int columns_ = 0, programs_ = 0;
  ConvexQp qp_;
  MatrixX impulses_, task_, contact_;
  std::vector<VectorX> rows_;
  std::vector<double> bounds_;
  double turn_ = 0;  // of the last step
};

}  // namespace tactus
