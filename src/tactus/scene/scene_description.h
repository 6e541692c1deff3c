// A scene as people and files describe it: models, objects, what holds and drives them, and how to simulate it all.
// SI units, angles in radians. CompileScene turns it into one model with an initial state.
//
// References by name: a body is an object ("cube", a copy of an array "cube_3"), a link of a model ("panda/panda_hand")
// or "world"; a joint is one of a model ("panda/panda_joint1").
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/control/task.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/rods/rod.h"
#include "tactus/geometry/material.h"
#include "tactus/math/contact_mode.h"
#include "tactus/model/compose.h"
#include "tactus/model/model_description.h"
#include "tactus/simulation/prescribed_motion.h"
#include "tactus/solvers/cond/cond_settings.h"

namespace tactus {

/// Masses and moments of inertia beyond these are refused: numbers would lose their meaning.
inline constexpr double kLeastMass = 1e-12, kMostMass = 1e12;  // [kg]
inline constexpr double kLeastInertia = 1e-30;                 // [kg m^2]

enum class SceneFailurePolicy { Continue, Retry, Stop };
enum class SceneStabilization { GapSpeed, Baumgarte, Split };

/// How to simulate. What is none is left to the simulator.
struct SceneSettings {
  double time_step = 1.0 / 240;  ///< h [s]
  std::optional<double> theta;
  std::optional<int> linearizations;
  std::optional<double> margin;      ///< [m]
  std::optional<int> max_points;     ///< of a pair of shapes
  std::optional<int> max_contacts;   ///< of everything
  std::optional<double> rest_speed;  ///< [m/s]
  std::optional<double> impact_threshold;
  std::optional<int> newton_iterations;
  std::optional<double> newton_tolerance;
  std::optional<SceneStabilization> stabilization;
  std::optional<double> stabilization_alpha;
  std::optional<double> stabilization_max_speed;  ///< [m/s]
  std::optional<double> stabilization_slop;       ///< [m]
  std::optional<std::string> solver;
  std::optional<double> tolerance;
  std::optional<double> virtual_node_damping;  ///< k_v of `cond`; 0: as `cond` says [N s/m]
  CondSettings cond;                           ///< of the solver `cond`
  std::optional<int> max_iterations;
  std::optional<double> time_budget;  ///< [s]
  std::optional<bool> warm_start;
  std::optional<SceneFailurePolicy> on_failure;
  std::optional<std::string> retry_solver;
  std::optional<int> threads;
};

/// A model out of a file.
struct SceneModel {
  std::string name;              ///< the prefix of its names
  std::string file;              ///< where it came from
  ModelDescription description;  ///< as in the file
  Pose pose;                     ///< of the file's world in the scene's
  BaseChange base = BaseChange::Keep;
  std::string keyframe;                                    ///< of the file, to start from; empty: none
  std::vector<std::pair<std::string, double>> joints;      ///< q at the start; names without the prefix, one dof each
  std::vector<std::pair<std::string, double>> velocities;  ///< likewise
  Vector3 linear_velocity = Vector3::Zero(), angular_velocity = Vector3::Zero();  ///< of floating bases, world axes
  std::optional<Material> material;                                               ///< of all its shapes
};

enum class MotionType { Constant, Oscillate, Waypoints, Winding };

/// How a kinematic body moves.
struct SceneMotion {
  MotionType type = MotionType::Constant;
  Vector3 velocity = Vector3::Zero();          ///< Constant [m/s]
  Vector3 angular_velocity = Vector3::Zero();  ///< Constant, world axes [rad/s]
  Vector3 amplitude = Vector3::Zero();         ///< Oscillate [m]
  Vector3 rotation = Vector3::Zero();          ///< Oscillate: rotation vector [rad]
  double frequency = 0;                        ///< Oscillate [Hz]
  double phase = 0;                            ///< Oscillate [rad]
  std::vector<double> times;                   ///< Waypoints, increasing [s]
  std::vector<Pose> poses;                     ///< Waypoints, one for each time
  WindingMotion winding;                       ///< Winding
};

/// Copies on a grid about the object's pose, named name_0, name_1, ..., x fastest.
struct SceneArray {
  std::array<int, 3> count = {1, 1, 1};
  Vector3 spacing = Vector3::Zero();  ///< [m]
  double jitter = 0;                  ///< each coordinate moves by up to this, by the scene's seed [m]
  int size() const { return count[0] * count[1] * count[2]; }
};

/// A rigid body of its own.
struct SceneObject {
  std::string name;
  std::string place;  ///< "file:line: objects.name", for messages; empty: from code
  std::vector<ShapeInstance> shapes;
  Pose pose;
  std::optional<double> mass;  ///< [kg]; else density times volume
  double density = 1000;       ///< [kg/m^3]
  /// Overrides what the shapes give. Its mass is `mass`.
  std::optional<LinkInertia> inertia;
  Vector3 linear_velocity = Vector3::Zero();   ///< of its frame's origin [m/s]
  Vector3 angular_velocity = Vector3::Zero();  ///< world axes [rad/s]
  bool fixed = false;
  std::optional<SceneMotion> motion;
  std::optional<SceneArray> array;
};

/// Nodes of a mesh or segments of a rod: by number, negative ones from the end, or all in a box.
struct SceneItems {
  std::vector<int> items;
  std::optional<Vector3> low, high;  ///< of the box, in the deformable's own frame [m]
};

/// Items that are held, or move as told. They turn about the middle of where they are.
struct SceneClamp {
  SceneItems items;
  std::optional<SceneMotion> motion;
};

/// Items that stay where they are on a body.
struct SceneAttachment {
  SceneItems items;
  std::string body = "world";
  // It holds in steps that begin at from <= t < to [s].
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
};

/// A cable through points of a body, in its own frame; the tension is at most `most` [N].
struct SceneCable {
  std::string name;
  std::vector<Vector3> points;  ///< [m]
  double most = 0;
};

/// A room whose walls are the triangles in a box, in the body's own frame; pressures from least to most [Pa].
struct SceneCavity {
  std::string name;
  Vector3 low = Vector3::Zero(), high = Vector3::Zero();  ///< [m]
  double least = 0, most = 0;
};

/// Nodes that a motor moves.
struct SceneMotor {
  std::string name;
  SceneItems items;
  Vector3 axis = Vector3::UnitZ();  ///< of any length
  double speed = 0;                 ///< [m/s]
  double back = 0, forth = 0;       ///< how far it goes [m]
};

enum class SceneDeformableType { Fem, Rod };

/// Something that deforms.
struct SceneDeformable {
  std::string name;
  std::string place;  ///< "file:line: deformables.name", for messages; empty: from code
  SceneDeformableType type = SceneDeformableType::Fem;
  std::shared_ptr<const TetMesh> mesh;  ///< Fem
  FemMaterial fem;
  FemSettings fem_settings;  ///< without what is held
  RodSettings rod;           ///< likewise, and it begins at the origin, along x
  Material material;         ///< of its surface
  Pose pose;
  Vector3 linear_velocity = Vector3::Zero();   ///< of its frame's origin [m/s]
  Vector3 angular_velocity = Vector3::Zero();  ///< world axes [rad/s]
  bool self_contact = false, collides = true;
  unsigned contact_type = 1, contact_affinity = 1;
  int pieces = 1;  ///< DeformableSetup::pieces
  std::vector<SceneClamp> clamps;
  std::vector<SceneAttachment> attachments;
  // Fem. Soft actuators of the simulator in this order, one deformable after the other.
  std::vector<SceneCable> cables;
  std::vector<SceneCavity> cavities;
  std::vector<SceneMotor> motors;
};

enum class SceneConstraintType { Weld, Connect, Spring, JointSpring, Gear, Tendon, NoSlip, Distance };

struct SceneConstraint {
  std::string name;
  SceneConstraintType type = SceneConstraintType::Weld;
  std::string first, second = "world";  ///< bodies
  std::optional<Vector3> first_point;   ///< in the first's frame (NoSlip: the wheel's centre); none: its origin [m]
  /// In the second's frame [m]. None: its origin, or for Connect where the first's is at the start.
  std::optional<Vector3> second_point;
  std::optional<Pose> relative;    ///< Weld: pose of the second in the first; none: as at the start
  std::string joint, other_joint;  ///< Gear: d_joint = polynomial(d_other); JointSpring: joint
  std::array<double, 5> polynomial = {0, 1, 0, 0, 0};
  // Between bodies: it holds in steps that begin at from <= t < to [s].
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
  std::vector<std::pair<std::string, double>> joints;  ///< Tendon: length = sum of coefficient times q
  double stiffness = 0, damping = 0, dry_friction = 0;
  /// Spring, JointSpring: where there is no force; Distance: length of a rod; none: as at the start (Tendon: 0).
  std::optional<double> rest;
  double lower = -std::numeric_limits<double>::infinity();  ///< Tendon: least length
  double upper = std::numeric_limits<double>::infinity();   ///< Tendon: greatest length; Distance: that of a rope
  Vector3 axis = Vector3::UnitY();                          ///< NoSlip: of the wheel, in its body's frame
  Vector3 normal = Vector3::UnitZ();                        ///< NoSlip: of the ground, in the world
  double radius = 0;                                        ///< NoSlip [m]
  bool lateral = true;                                      ///< NoSlip: sideways too
};

/// force = stiffness (target - q) + damping (target_velocity - v), within +- effort.
struct SceneDrive {
  std::string joint;  ///< "panda/*": all of that model with one dof
  double stiffness = 0, damping = 0;
  double effort = std::numeric_limits<double>::infinity();
  std::optional<double> target;  ///< none: q at the start
  double target_velocity = 0;
};

enum class SceneControllerType { Impedance, Position, Torque, Waypoints, Script, Path, Task, Soft };
enum class SceneScriptMode { Torque, Position, Velocity };
enum class ScenePathKind { Smooth, Linear };

/// Where a frame is at a time: at the pose, turned about its own z axis, moved by radius (cos angle, sin angle, 0).
struct SceneWaypoint {
  double time = 0;  ///< [s]
  Pose pose;
  double turn = 0, radius = 0, angle = 0;  ///< [rad, m, rad]
  std::optional<double> payload;           ///< mass carried there, else the controller's [kg]
};

/// See TaskTerm.
struct SceneTask {
  std::string name;
  TaskType type = TaskType::Position;
  double weight = 1, rotation_weight = 0.3;
  double gain = 20;                                          ///< [1/s]
  double damping = std::numeric_limits<double>::infinity();  ///< [1/s]
  std::array<bool, 3> axes = {true, true, true};
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();  ///< [s]
  std::string body;  ///< as the type needs
  Pose frame;        ///< what of it, in its frame
  ScenePathKind kind = ScenePathKind::Smooth;
  std::vector<SceneWaypoint> path;          ///< none: where it is at the start
  std::vector<double> times;                ///< of the target; none: as at the start
  std::vector<std::vector<double>> values;  ///< at those times
  std::vector<std::string> joints;          ///< Posture, Torque; none: all of the controller
};

/// See SoftTask.
struct SceneSoftTask {
  std::string name;
  std::string deformable;  ///< with items, or
  SceneItems items;
  std::string body;                 ///< a body with a point
  Vector3 point = Vector3::Zero();  ///< [m]
  std::array<bool, 3> axes = {true, true, true};
  double weight = 1;
  double gain = std::numeric_limits<double>::infinity();  ///< [1/s]
  ScenePathKind kind = ScenePathKind::Smooth;
  std::vector<double> times;                ///< of the target; none: as at the start
  std::vector<std::vector<double>> values;  ///< places at those times [m]
  bool relative = false;                    ///< to where it is at the start
};

struct SceneController {
  std::string name;
  SceneControllerType type = SceneControllerType::Impedance;
  std::vector<std::string> joints;                 ///< "panda/*" too
  double rate = 0;                                 ///< [Hz], 0: every step
  std::vector<double> stiffness, damping;          ///< one for all or one for each joint
  std::vector<double> target;                      ///< Impedance, Position: likewise; none: q at the start
  std::vector<double> torque;                      ///< Torque: likewise
  bool gravity_compensation = false;               ///< Impedance, Path
  std::vector<double> times;                       ///< Waypoints, Script: increasing [s]
  std::vector<std::vector<double>> values;         ///< at those times, one for each joint
  SceneScriptMode mode = SceneScriptMode::Torque;  ///< Script: values hold until the next time
  // Path
  std::string body;    ///< the link that is led
  Pose frame;          ///< what of it, in its frame
  double payload = 0;  ///< mass at the frame that is carried [kg]
  ScenePathKind path_kind = ScenePathKind::Smooth;
  std::vector<SceneWaypoint> path;  ///< times increase
  // Task
  std::vector<SceneTask> tasks;
  double effort_share = 1;  ///< of the joints' limits
  double margin = 5e-3;     ///< contacts are looked for this far ahead [m]
  double time_budget = 0;   ///< of a control step, 0: none [s]
  // Soft, with margin and time_budget
  std::vector<SceneSoftTask> soft_tasks;
  int max_contacts = 400;
  bool filter = true;
  double effort_weight = 0, change_weight = 0;  ///< SoftInverseSettings [m]
};

/// A force on a body while from <= t < to.
struct SceneWrench {
  std::string body;
  Vector3 force = Vector3::Zero();   ///< world axes [N]
  Vector3 torque = Vector3::Zero();  ///< world axes [N m]
  Vector3 point = Vector3::Zero();   ///< where the force acts, in the body's frame [m]
  double from = 0;
  double to = std::numeric_limits<double>::infinity();
};

enum class SceneSensorType {
  Pose,
  Velocity,
  Acceleration,
  JointState,
  ContactForce,
  JointWrench,
  DriveEffort,
  Energy,
  ClampForce,
  AttachmentForce,
  DeformableItem,
};

struct SceneSensor {
  std::string name;
  SceneSensorType type = SceneSensorType::Pose;
  std::string body, joint, deformable;  ///< as the type needs
  int index = 0;                        ///< of the clamp, attachment, node or segment
  double rate = 0;                      ///< [Hz], 0: every step
};

struct SceneContactPair {
  std::string first, second;  ///< bodies, whole models, deformables
  double friction = 1;
};

/// A number that expressions of the file use, and that can be set from outside by its name.
struct SceneParameter {
  double value = 0;
  double least = -1e12, most = 1e12;
  bool whole = false;
  std::string help;
  bool used = true;  ///< something in the file depends on it, branches that choose() did not take left out
};

enum class SceneGoalType { Inside, AtRest, Turned, Moved, Upright, Penetration, TaskError, ContactForce, ContactMode };

/// What a scene's task is: judged at its end, see GoalJudge.
struct SceneGoal {
  std::string name;
  SceneGoalType type = SceneGoalType::Inside;
  std::vector<std::string> bodies;  ///< or deformables; "ball_*": all whose names begin so
  SceneItems items;                 ///< of deformables: which nodes or segments are meant; empty: all
  double share = 1;                 ///< of the bodies (nodes, segments) that must meet it
  std::string of = "world";         ///< Inside, Turned: in whose frame
  Vector3 low = Vector3::Constant(-std::numeric_limits<double>::infinity());
  Vector3 high = Vector3::Constant(std::numeric_limits<double>::infinity());
  bool always = false;                                    ///< Inside: in every step
  double speed = 0, spin = 0;                             ///< AtRest: at most [m/s, rad/s]
  Vector3 axis = Vector3::UnitZ();                        ///< Turned, Upright: of the body
  double since = 0;                                       ///< Moved: from where they are then [s]
  double least = 0;                                       ///< Turned [rad], Moved [m]
  double most = std::numeric_limits<double>::infinity();  ///< likewise; Upright [rad], Penetration [m]
  // TaskError, ContactForce (least and most in N), ContactMode: in steps that end in from < t <= to [s].
  double from = 0, to = std::numeric_limits<double>::infinity();
  std::string task;                      ///< TaskError: its name; most in the task's units
  double window = 0;                     ///< ContactForce: means over so long, 0: over each step [s]
  ContactMode mode = ContactMode::Slip;  ///< ContactMode
  double part = 1;                       ///< of the steps (windows), that must be so
};

/// A value that was drawn.
struct SceneDraw {
  std::string path;
  double value = 0;
};

struct SceneDescription {
  std::string name, description;
  Vector3 gravity = Vector3(0, 0, -9.81);  ///< [m/s^2]
  double duration = 10;                    ///< [s]
  std::uint64_t seed = 0;
  SceneSettings settings;
  std::vector<std::pair<std::string, Material>> materials;
  std::vector<SceneModel> models;
  std::vector<SceneObject> objects;
  std::vector<SceneDeformable> deformables;
  std::vector<SceneConstraint> constraints;
  std::vector<SceneDrive> drives;
  std::vector<SceneController> controllers;
  std::vector<SceneWrench> wrenches;
  std::vector<SceneSensor> sensors;
  std::vector<std::pair<std::string, std::string>> contact_excludes;  ///< bodies, whole models, deformables
  std::vector<SceneContactPair> contact_pairs;
  bool contacts_enabled = true;
  int trials = 1;  ///< times that a run goes through the scene, each with its own random numbers
  std::vector<std::pair<std::string, SceneParameter>> parameters;
  std::vector<SceneGoal> goals;
  std::vector<SceneDraw> draws;       ///< what `randomize` and random() gave
  std::string text;                   ///< of the file, empty for scenes from code
  std::vector<std::string> warnings;  ///< "file:line: ..."
  std::vector<std::string> notes;     ///< what was added that the file does not say
};

}  // namespace tactus
