// sigma as a function of the impulses, in whichever form costs least: through the Delassus matrix, sigma = W lambda +
// sigma_free, or through velocities, sigma = J v + e with v = v_free + Y^T lambda, Y_i = J_i A^{-1}. Many contacts on
// few dofs (a nut on its bolt) make W dense and large while J and Y stay small.
#pragma once

#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/contact/delassus_matrix.h"
#include "tactus/solvers/first_order/run_matrix.h"

namespace tactus {

enum class SystemForm {
  Auto,      ///< the cheapest product
  Delassus,  ///< W assembled
  Velocity,  ///< J and Y assembled; problems with dynamics only
  Factor,    ///< J assembled, A^{-1} by its factor; problems with dynamics only; not for sweeps
};

/// What of the diagonal of W is wanted where J is assembled and W is not (Factor).
enum class DiagonalOfW {
  Blocks,  ///< all of diagonal_block: a solve a row
  Traces,  ///< rho only: half a solve a row
  None,    ///< rho from the diagonal of A
};

class ImpulseSystem {
 public:
  /// `for_sweeps`: Auto does not choose Factor. A Delassus pair always takes Delassus.
  void Prepare(const ContactProblem& problem, SystemForm form, bool for_sweeps,
               DiagonalOfW diagonal = DiagonalOfW::Blocks);

  SystemForm form() const { return form_; }
  int size() const { return static_cast<int>(sigma_free_.size()); }
  /// dim x dim, row major, symmetric.
  const double* diagonal_block(int i) const { return diagonal_.data() + 9 * static_cast<std::size_t>(i); }
  /// dim_i / trace(W_ii), as the judge has it.
  const std::vector<double>& rho() const { return rho_; }
  const VectorX& sigma_free() const { return sigma_free_; }
  /// Multiplications (and as many additions) of one product with W, without the laws.
  double product_cost() const { return product_cost_; }

  /// y = W x.
  void Multiply(const VectorX& x, VectorX* y);
  /// sigma = W lambda + sigma_free.
  void CalcSigma(const VectorX& lambda, VectorX* sigma) {
    Multiply(lambda, sigma);
    *sigma += sigma_free_;
  }

  const RunMatrix& W() const { return W_; }
  const RunMatrix& J() const { return J_; }
  const RunMatrix& Y() const { return Y_; }

 private:
  struct Costs {
    double delassus = 0, velocity = 0, factor = 0;
  };
  Costs EstimateCosts() const;
  void PrepareDelassus();
  void PrepareVelocity();
  void PrepareFactor(DiagonalOfW diagonal);

  const ContactProblem* problem_ = nullptr;
  SystemForm form_ = SystemForm::Delassus;
  RunMatrix W_, J_, Y_;
  std::vector<double> diagonal_, rho_;
  VectorX sigma_free_, v_;
  MatrixX X_;
  double product_cost_ = 0;
  EffectiveMassWorkspace effective_mass_;
};

}  // namespace tactus
