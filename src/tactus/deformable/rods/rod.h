// A Cosserat rod of round cross section as a Deformable: items are rigid segments of equal length, with 6 dofs each,
// joined by six springs (rod_joint.h). A is block tridiagonal.
//
// A segment's frame is in its middle, x along the rod. A held segment is rigid: what bends begins at its middle, so a
// rod of n segments and length L clamped at one segment has the free length L - L/(2 n).
#pragma once

#include <memory>
#include <vector>

#include "tactus/deformable/deformable.h"
#include "tactus/deformable/rods/rod_joint.h"

namespace tactus {

/// What stands in A for the geometric stiffness, which J^T K J leaves out (001 below eq. 8). Without it a rod under
/// tension gains energy with the midpoint rule, as its string-like vibrations are then integrated explicitly.
enum class RodGeometry {
  None,
  Bound,     ///< sums of absolute values by column, as a diagonal (001): cheap, but a drag against the world, which
             ///< takes momentum of free rods in proportion to h and their forces
  Positive,  ///< symmetric part without negative eigenvalues: keeps momentum; an eigenvalue problem of 12 a joint
};

struct RodSettings {
  double length = 1;                ///< L [m], > 0
  int segments = 50;                ///< n, >= 2
  double radius = 0.005;            ///< r [m], > 0
  double young = 1e6;               ///< E [Pa], > 0
  double poisson = 0.45;            ///< nu, in (-1, 0.5)
  double density = 1000;            ///< rho [kg/m^3], > 0
  double mass_damping = 0;          ///< alpha of D = alpha M + beta K [1/s], >= 0
  double stiffness_damping = 0.01;  ///< beta [s], >= 0; without it midpoint steps ring
  RodGeometry geometry = RodGeometry::Positive;
  std::vector<int> held;  ///< segments that move as told, each once

  Vector3 start = Vector3::Zero();           ///< where the rod begins [m]
  Quaternion axes = Quaternion::Identity();  ///< it runs along their x
};
/// Throws InputError.
void Validate(const RodSettings& settings);

/// [N/m], [N m/rad]: stretch E A/l, shear k G A/l (twice), twist G J/l, bending E I/l (twice); k = 6 (1 + nu)/(7 + 6
/// nu) of the round cross section (Cowper 1966).
Vector6 CalcRodStiffness(const RodSettings& settings);

class RodData : public DeformableData {
 public:
  VectorX q;  // where forces are taken
  std::vector<RodJoint> joints;
  std::vector<Vector12> forces;  // of joints on both segments: -J^T K e
  std::vector<Matrix12> K;       // J^T K J
  std::vector<Matrix12> extra;   // for the geometric stiffness, if wanted
  std::vector<Matrix3> inertia;  // of segments, world axes
};

class Rod : public Deformable {
 public:
  explicit Rod(const RodSettings& settings);

  const RodSettings& settings() const { return settings_; }
  int num_segments() const { return settings_.segments; }
  double segment_length() const { return settings_.length / settings_.segments; }
  static Vector3 position(const VectorX& q, int segment) { return q.segment<3>(7 * segment); }
  static Quaternion rotation(const VectorX& q, int segment);

  std::unique_ptr<DeformableData> MakeData() const override;
  [[nodiscard]] bool Assemble(const DeformableScheme& scheme, const DeformableInput& input, ThreadPool* pool,
                              DeformableData* data, SparseMatrix* A, VectorX* b) const override;
  void CalcHeldForces(const DeformableScheme& scheme, const DeformableInput& input, const VectorX& v_hat,
                      DeformableData* data, VectorX* force) const override;
  void Integrate(const VectorX& v_hat, const VectorX* held_velocity, double h, VectorX* q) const override;
  DeformableEnergy CalcEnergy(const DeformableInput& input, DeformableData* data) const override;
  DeformableMomentum CalcMomentum(const DeformableInput& input) const override;
  double mass() const override { return segment_mass_ * num_segments(); }
  void CalcInertia(const VectorX& q, VectorX* inertia) const override;
  void CalcStress(const VectorX& q, DeformableData* data, VectorX* stress) const override;

  /// Forces and moments of the joints on all segments, 6 each [N, N m]: minus the gradient of the elastic energy.
  void CalcElasticForces(const VectorX& q, RodData* data, VectorX* force) const;
  /// The velocity (6) that brings a segment from where it is to a pose in one step of length h, exactly.
  static Vector6 CalcVelocityTo(const VectorX& q, int segment, const Vector3& position, const Quaternion& rotation,
                                double h);

 private:
  Vector6 VelocityOf(const DeformableInput& input, const VectorX& v, int segment) const;
  void CalcJoints(bool stiffness, RodData* data) const;
  Matrix6 MassOf(const RodData& data, int segment) const;
  void FillMatrix(const DeformableScheme& scheme, const RodData& data, SparseMatrix* A) const;
  Vector6 RightSide(const DeformableScheme& scheme, const DeformableInput& input, const RodData& data,
                    int segment) const;
  double StiffnessScale(const DeformableScheme& scheme) const;

  RodSettings settings_;
  Vector6 stiffness_;
  double segment_mass_ = 0;
  Vector3 inertia_ = Vector3::Zero();  // of a segment, own axes
};

}  // namespace tactus
