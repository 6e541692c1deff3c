// What drives soft robots: pressure in cavities, tension of cables. Each has one number (a pressure [Pa], a tension
// [N]) and a sparse row J_a at a place q, such that the forces on dofs are J_a^T * number, and J_a v is what the number
// works on: the growth of the volume [m^3/s], or the speed at which the cable gets shorter [m/s].
#pragma once

#include <array>
#include <vector>

#include "tactus/deformable/fem/fem_body.h"

namespace tactus {

/// One row over the dofs of a body: dofs ascending, each once. The pattern is that of the actuator and never changes.
struct ActuatorRow {
  std::vector<int> dof;
  std::vector<double> value;

  double Dot(const VectorX& v) const;
  /// v += value * row.
  void AddTo(double value, VectorX* v) const;
};

/// What pressures and tensions have in common.
class ForceActuator {
 public:
  virtual ~ForceActuator() = default;
  /// The row with its pattern and zeros.
  virtual ActuatorRow MakeRow() const = 0;
  /// J_a at q; the row must be one of MakeRow. Allocates nothing.
  virtual void CalcRow(const VectorX& q, ActuatorRow* row) const = 0;
};

class PressureCavity : public ForceActuator {
 public:
  /// A closed set of triangles of the body's nodes that encloses the cavity: each edge belongs to two, in opposite
  /// directions. If they face the solid's outside (as surface triangles do, away from the material) they are turned, so
  /// that a positive pressure makes the cavity larger. Throws InputError, naming the edge, if they are not closed.
  PressureCavity(const FemBody& body, std::vector<std::array<int, 3>> triangles);

  /// Facing out of the cavity.
  const std::vector<std::array<int, 3>>& triangles() const { return triangles_; }
  double CalcVolume(const VectorX& q) const;
  ActuatorRow MakeRow() const override;
  /// dV/dq: a third of each triangle's area, times its normal, on each of its nodes.
  void CalcRow(const VectorX& q, ActuatorRow* row) const override;
  /// d(J_a^T)/dq * dq, the change of the row for a motion of all nodes (nq numbers): what a pressure adds to the
  /// derivative of forces. Symmetric as a matrix, indefinite.
  void CalcRowChange(const VectorX& q, const VectorX& dq, ActuatorRow* row) const;

 private:
  std::vector<std::array<int, 3>> triangles_;
  std::vector<std::array<int, 3>> places_;  // of the corners' dofs in the row; -1: held
  std::vector<int> dof_;
};

/// A point of a cable: a weighted sum of up to four nodes, or a point of the world.
struct CablePoint {
  std::array<int, 4> node = {-1, -1, -1, -1};  ///< -1: none
  std::array<double, 4> weight = {0, 0, 0, 0};
  Vector3 world = Vector3::Zero();  ///< added; for points of the body zero
};
CablePoint CableAtNode(int node);
/// The point of an element that is at `place` in the mesh at rest: with barycentric weights, some negative outside it.
CablePoint CableInElement(const FemBody& body, int element, const Vector3& place);
CablePoint CableAtWorld(const Vector3& place);
/// In the element that contains `place` at rest, or comes nearest to it in terms of its smallest weight.
CablePoint CableInBody(const FemBody& body, const Vector3& place);

class Cable : public ForceActuator {
 public:
  /// Two points or more; it slides through all but the first without friction, and its tension is the same everywhere.
  /// Throws InputError if a node is out of range, or weights neither belong to the world nor add up to 1.
  Cable(const FemBody& body, std::vector<CablePoint> points);

  double CalcLength(const VectorX& q) const;
  ActuatorRow MakeRow() const override;
  /// -dL/dq. Points closer than 1e-12 m pull in no direction.
  void CalcRow(const VectorX& q, ActuatorRow* row) const override;

 private:
  Vector3 Place(std::size_t point, const VectorX& q) const;

  std::vector<CablePoint> points_;
  std::vector<std::array<int, 4>> places_;
  std::vector<int> dof_;
};

}  // namespace tactus
