// The same algorithms by Pinocchio, on the same mechanism.
#pragma once

#include <memory>

#include "tactus/model/model.h"

namespace tactus::bench {

/// A model of ours as Pinocchio's. Trees whose root floats alone become a model each, as a model of Pinocchio's with
/// thousands of dofs would need dense matrices of that size.
class PinocchioPeer {
 public:
  explicit PinocchioPeer(const Model& model);
  ~PinocchioPeer();
  PinocchioPeer(const PinocchioPeer&) = delete;
  PinocchioPeer& operator=(const PinocchioPeer&) = delete;

  /// Takes a state in our conventions.
  void SetState(const VectorX& q, const VectorX& v, const VectorX& a);

  void InverseDynamics();
  /// Each in world and in local coordinates: the reader may take the faster.
  void MassMatrixAndFactor(bool world);
  void ForwardDynamics(bool world);
  void Jacobians();
  /// Jacobian of the last body in world axes, after Jacobians().
  void LastJacobian();

  /// Results of the last calls in our conventions, a of forward dynamics with tau = the a of SetState.
  VectorX tau() const;
  VectorX acceleration() const;
  MatrixX mass() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tactus::bench
