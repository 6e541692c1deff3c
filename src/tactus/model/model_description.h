// A mechanism as people and files describe it: links, joints, shapes. Model is compiled from this.
//
// A link hangs on its parent by zero or more joints (none: welded to it). At the zero configuration the link's frame is
// at X_PL in the parent's. Joints act one after the other, each about an axis and an anchor given in the link's frame:
//     X_WL = X_WP X_PL J_1(q_1) J_2(q_2) ...,   J_k = T(anchor_k) J(axis_k, q_k) T(-anchor_k).
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tactus/core/types.h"
#include "tactus/geometry/shape.h"
#include "tactus/math/spatial.h"
#include "tactus/model/joint.h"

namespace tactus {

/// Coupling of a joint to another one: q = multiplier q_other + offset. The dof stays; a constraint holds it.
struct Mimic {
  std::string joint;
  double multiplier = 1;
  double offset = 0;
};

struct JointDescription {
  std::string name;
  JointType type = JointType::Revolute;
  Vector3 axis = Vector3::UnitZ();                          ///< in the link's frame; unit length is not required
  Vector3 anchor = Vector3::Zero();                         ///< in the link's frame [m]
  double lower = -std::numeric_limits<double>::infinity();  ///< of q [rad, m]; one-dof joints only
  double upper = std::numeric_limits<double>::infinity();
  double velocity_limit = std::numeric_limits<double>::infinity();  ///< [rad/s, m/s]
  double effort_limit = std::numeric_limits<double>::infinity();    ///< [N m, N]
  double damping = 0;                                               ///< [N m s/rad, N s/m]
  double dry_friction = 0;                                          ///< [N m, N]
  double stiffness = 0;                                             ///< [N m/rad, N/m]
  double rest_position = 0;                                         ///< of the spring; several dofs: the initial q
  double armature = 0;                                              ///< added to the diagonal of M [kg m^2, kg]
  double reference = 0;  ///< value of q at which the link is at X_PL (MJCF `ref`)
  Pose initial;          ///< Floating: q at the start. In MJCF the body's pose, while X_PL is the identity
  std::optional<Mimic> mimic;
};

/// Mass properties in the link's frame.
struct LinkInertia {
  double mass = 0;                    ///< [kg]
  Vector3 com = Vector3::Zero();      ///< [m]
  Matrix3 central = Matrix3::Zero();  ///< about the centre of mass, in the link's axes [kg m^2]
};

struct LinkDescription {
  std::string name;
  int parent = -1;  ///< index of a link that comes before this one; -1: the world
  Pose X_PL;
  std::vector<JointDescription> joints;
  std::optional<LinkInertia> inertia;
  std::vector<ShapeInstance> shapes;
  std::string weld_name;  ///< what the file calls the fixed joint of a link without joints
};

/// A point of interest on a link.
struct SiteDescription {
  std::string name;
  int link = -1;
  Pose X_LS;
};

enum class ActuatorType { Motor, Position, Velocity, General, IntegratedVelocity };
const char* ToString(ActuatorType type);

/// What becomes of the control u before the force is made of it.
enum class ActivationType {
  None,
  Integrator,  ///< a' = u
  Filter,      ///< a' = (u - a) / time_constant
};

/// force = gain u + bias0 + bias1 q + bias2 v, on gear times the transmission's length. With an activation a in place
/// of u.
struct ActuatorDescription {
  std::string name;
  ActuatorType type = ActuatorType::Motor;
  std::string joint;   ///< or
  std::string tendon;  ///< what it acts on
  double gear = 1;
  std::vector<double> gears;  ///< of a joint with several dofs: one each, the first of them `gear`
  double gain = 1;
  double bias[3] = {0, 0, 0};
  double control_lower = -std::numeric_limits<double>::infinity();
  double control_upper = std::numeric_limits<double>::infinity();
  double force_lower = -std::numeric_limits<double>::infinity();
  double force_upper = std::numeric_limits<double>::infinity();
  ActivationType activation = ActivationType::None;
  double time_constant = 0;                                            ///< of the filter [s]
  double activation_lower = -std::numeric_limits<double>::infinity();  ///< of the integrated velocity
  double activation_upper = std::numeric_limits<double>::infinity();
};

enum class EqualityType { Weld, Connect, Joint, Tendon };

struct EqualityDescription {
  std::string name;
  EqualityType type = EqualityType::Weld;
  std::string first, second;             ///< links, joints or tendons; second may be empty (the world, or a constant)
  Vector3 anchor = Vector3::Zero();      ///< Connect: in the first link's frame; Weld: in the second's
  std::optional<Vector3> second_anchor;  ///< Connect: in the second's frame; none: where the first's is at the start
  std::optional<Pose> relative;          ///< Weld: pose of the second in the first; none: as at the start
  /// Joint, Tendon: d_first = sum_k polynomial[k] d_second^k, where d is q or the length less its value at the start.
  double polynomial[5] = {0, 1, 0, 0, 0};
  bool active = true;
};

/// A fixed tendon: length = sum of coefficient times q.
struct TendonDescription {
  std::string name;
  std::vector<std::pair<std::string, double>> joints;  ///< joint, coefficient
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double stiffness = 0, damping = 0, dry_friction = 0;
  double rest_lower = 0, rest_upper = 0;  ///< the spring pulls beyond these lengths
};

struct ContactPairDescription {
  std::string first, second;  ///< shapes
  double friction = 1;
};

struct KeyframeDescription {
  std::string name;
  double time = 0;
  std::vector<double> q, v, control;
  std::vector<double> activation;  ///< of the actuators that have one, in their order
};

struct ModelDescription {
  std::string name;
  std::vector<LinkDescription> links;  ///< parents before children
  std::vector<SiteDescription> sites;
  std::vector<ShapeInstance> world_shapes;
  std::vector<ActuatorDescription> actuators;
  std::vector<EqualityDescription> equalities;
  std::vector<TendonDescription> tendons;
  std::vector<ContactPairDescription> contact_pairs;
  std::vector<std::pair<std::string, std::string>> contact_excludes;  ///< links
  std::vector<KeyframeDescription> keyframes;
  Vector3 gravity = Vector3(0, 0, -9.81);  ///< [m/s^2]
  double timestep = 0;                     ///< the file's wish [s], 0: none
  /// What the file says that is not taken as it stands: "file:line: ...".
  std::vector<std::string> warnings;
};

}  // namespace tactus
