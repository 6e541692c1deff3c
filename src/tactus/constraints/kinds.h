// The kinds of constraints, one file each. Indices are those of Model::links() (-1: the world) and Model::joints().
#pragma once

#include <array>
#include <memory>
#include <string>

#include "tactus/constraints/constraint.h"

namespace tactus {

// joint_limit.cc, joint_friction.cc: of all joints.
std::unique_ptr<const Constraint> MakeJointLimits();
std::unique_ptr<const Constraint> MakeJointFriction();

// joint_coupling.cc
struct JointCoupling {
  std::string name;
  int first = -1, second = -1;  ///< second -1: a constant
  double first_start = 0, second_start = 0;
  std::array<double, 5> polynomial = {0, 1, 0, 0, 0};
};
std::unique_ptr<const Constraint> MakeJointCoupling(const Model& model, const JointCoupling& coupling);

// weld.cc: frame C of the first link and frame D of the second coincide, or for a connection their origins.
struct Weld {
  std::string name;
  int first = -1, second = -1;
  Pose X_AC, X_BD;
};
std::unique_ptr<const Constraint> MakeWeld(const Model& model, const Weld& weld);
std::unique_ptr<const Constraint> MakeConnect(const Model& model, const Weld& weld);

// spring.cc: between a point of each of two links, in their frames.
struct PointLink {
  int first = -1, second = -1;
  Vector3 p_A = Vector3::Zero(), p_B = Vector3::Zero();
};
struct Spring {
  std::string name;
  PointLink points;
  double stiffness = 0, damping = 0;  ///< [N/m, N s/m]
  double rest_length = 0;             ///< [m]
};
struct Distance {
  std::string name;
  PointLink points;
  double length = 0;  ///< [m]
  bool rope = false;  ///< at most that long, rather than exactly
};
std::unique_ptr<const Constraint> MakeSpring(const Model& model, const Spring& spring);
std::unique_ptr<const Constraint> MakeDistance(const Model& model, const Distance& distance);

// tendon.cc
std::unique_ptr<const Constraint> MakeTendon(const Model& model, const TendonDescription& tendon);
std::unique_ptr<const Constraint> MakeTendonCoupling(const Model& model, const EqualityDescription& equality,
                                                     const VectorX& initial);

// no_slip.cc
struct NoSlip {
  std::string name;
  int link = -1;
  Vector3 center = Vector3::Zero(), axis = Vector3::UnitY();  ///< of the wheel, in the link's frame
  double radius = 0;                                          ///< [m]
  Vector3 normal = Vector3::UnitZ();                          ///< of the plane, in the world
  bool slides_sideways = false;                               ///< as wheels with rollers do
};
std::unique_ptr<const Constraint> MakeNoSlip(const Model& model, const NoSlip& wheel);

/// Throws InputError unless both are links of the model or the world, and not the same.
void CheckLinks(const Model& model, int first, int second, const std::string& where);

}  // namespace tactus
