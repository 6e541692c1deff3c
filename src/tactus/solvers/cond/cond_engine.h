// The iterates of COND and what one iteration does with them (SPEC of the maths: README.md).
#pragma once

#include <memory>
#include <vector>

#include "tactus/core/thread_team.h"
#include "tactus/solvers/cond/cond_half.h"
#include "tactus/solvers/cond/cond_schur.h"
#include "tactus/solvers/cond/cond_system.h"

namespace tactus {

/// What an iteration leaves to judge progress by: squared norms.
struct CondNorms {
  double residual = 0;   ///< |W^{-1}(v++ - v)|^2 in the norm of 1/inertia: bounds the residual of the dynamics
  double inner = 0;      ///< |v++ - v|^2 in the norm of W^{-1}
  double momentum = 0;   ///< |v++|^2 in the norm of the inertia
  double steps = 0;      ///< |next - v|^2, copies included
  double ties = 0;       ///< how far copies are from their bodies, and from where they were
  double tie_scale = 0;  ///< what that is compared with
  double lag = 0;        ///< of multipliers behind impulses, where they wait
};

class CondEngine {
 public:
  /// False if a matrix is not positive definite. `problem` and `settings` must outlive the solve.
  [[nodiscard]] bool Prepare(const ContactProblem& problem, const CondSettings& settings, bool dense, int threads);
  /// Begins at these impulses and velocities of all dofs.
  void Start(const VectorX& lambda, const VectorX& v);
  /// One iteration, with nu = 1 a plain one.
  CondNorms Iterate(double nu);
  /// Forgets where the iterate came from.
  void DropMomentum();
  /// From kappa of chains, which suits acceleration, to kappa of bodies, which suits plain iteration. False if a factor
  /// fails.
  [[nodiscard]] bool RelaxChains();
  /// From now on multipliers of ties stay as they are until UpdateMultipliers, and kappa of bodies is that which suits
  /// it. False if a factor fails.
  [[nodiscard]] bool HoldMultipliers();
  /// Ties of bodies become so many times as stiff. False if a factor fails.
  [[nodiscard]] bool StiffenTies(double factor) { return ScaleTies(false, factor); }
  void UpdateMultipliers();
  /// Smaller steps.
  void HalveSteps();
  /// W anew where it is that of an earlier solve, which may be too large for this A; false where it is this one's own.
  bool RenewWeights();
  bool recycles() const { return recycles_; }
  /// Threads may sleep.
  void Finish();

  /// Impulses, and v++ of nodes among the velocities of all dofs.
  void CopyImpulses(VectorX* lambda) const;
  void CopyVelocity(VectorX* v);
  /// Estimated largest eigenvalue of W A before scaling.
  double largest_eigenvalue() const { return largest_eigenvalue_; }
  bool has_copies() const { return !system_.copies_.empty(); }
  const CondSystem& system() const { return system_; }
  /// x <- A_j^{-1} x if subsystem j is an eliminated chain; otherwise false.
  bool SolveChain(int j, Eigen::Ref<VectorX> x) {
    const int chain = system_.chain_of_[j];
    if (chain >= 0) system_.SolveChain(chain, x);
    return chain >= 0;
  }

 private:
  // Rows whose sums are added up first: the same whatever the number of threads.
  static constexpr int kChunk = 128;
  // Rows from which on half of the matrix is stored: it no longer fits into fast memory.
  static constexpr int kLarge = 4096;
  // What a thread does of each phase.
  struct Share {
    int band_begin, band_end, chunk_begin, chunk_end, part_begin, part_end, quad_begin, quad_end, row_begin, row_end;
  };
  struct PartSums {
    double ties = 0, lambda = 0, z = 0, steps = 0, lag = 0;
  };

  void ScaleWeights();
  void MultiplyRows(const std::vector<double>& x, double* y);
  void UpdateSteps();
  [[nodiscard]] bool ScaleTies(bool of_chains, double factor);
  double EstimateLargestEigenvalue();
  void SetPartition(int threads);
  template <typename Phase>
  void Run(const Phase& phase);
  void MoveNodes(int chunk_begin, int chunk_end);
  void MoveBands();
  void PushTouched(int begin, int end);
  void CalcForce(int touched, double* force) const;
  void MoveParts(const Share& share);
  void SolveConstraints(const Share& share);
  void SweepShared();
  void SweepContact(int contact, double gamma);
  void SweepRow(int row, double gamma);
  void PushNode(int touched, const double* force);
  void AccelerateNodes(const Share& share, double nu);
  void AccelerateParts(const Share& share, double nu);
  double RowVelocity(int row) const;
  double SolveRow(int row, double gamma) const;
  void CalcExtra(int quad_begin, int quad_end);
  void UpdateBarzilaiBorwein();
  bool uses_bb() const { return settings_->weights >= CondWeights::BB1; }
  double& impulse(int constraint, int component) {
    return constraint < system_.num_contacts_ ? lambda_[CondPlace(constraint) + 4 * component]
                                              : row_lambda_[constraint - system_.num_contacts_];
  }
  CondVectors vectors() {
    return {system_.b_.data(), system_.w_.data(), system_.inertia_.data(), v_.data(), previous_.data(), star_.data()};
  }
  CondContacts contacts() {
    return {system_.contact_start_.data(),
            system_.contact_nodes_.data(),
            system_.contact_blocks_.data(),
            system_.contact_e_.data(),
            system_.contact_mu_.data(),
            step_.data(),
            omega_.data(),
            extra_.data(),
            x_.data(),
            lambda_.data()};
  }

  const ContactProblem* problem_ = nullptr;
  const CondSettings* settings_ = nullptr;
  const CondKernels* kernels_ = nullptr;
  CondSystem system_;
  CondSchur schur_;
  bool uses_schur_ = false;
  CondHalf half_;
  bool uses_half_ = false;
  std::vector<double> answer_;
  double scale_ = 1, largest_eigenvalue_ = 0;
  std::vector<double> recycled_weights_;
  VectorX lanczos_x_, lanczos_last_, lanczos_y_, lanczos_root_;
  double recycled_scale_ = 0;
  bool recycles_ = false;  // W is that of an earlier solve
  std::vector<Share> shares_;
  std::unique_ptr<ThreadTeam> team_;
  // Nodes.
  std::vector<double> v_, previous_, star_, q_, force_;
  std::vector<double> gradient_, last_gradient_;
  bool has_last_gradient_ = false;
  int iteration_ = 0;
  // Constraints.
  std::vector<double> lambda_, x_, extra_, step_, omega_, row_lambda_;
  // Copies: the iterate, the one before, z* or z++, J v of the body.
  std::vector<double> z_, z_previous_, z_star_, z_body_;
  std::vector<double> multiplier_;  // u of the ties
  bool holds_multipliers_ = false;
  std::vector<double> part_work_;
  std::vector<int> part_work_start_;
  // Sums.
  std::vector<double> chunk_sums_;
  std::vector<PartSums> part_sums_;
  std::vector<int> touched_chunk_;  // first touched node of each chunk
};

}  // namespace tactus
