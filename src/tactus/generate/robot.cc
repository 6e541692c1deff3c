#include "tactus/generate/robot.h"

#include <vector>

#include <Eigen/Geometry>

#include "tactus/generate/generator_entry.h"
#include "tactus/generate/scene_builder.h"

namespace tactus {

namespace {

constexpr double kLength = 0.12;  // from joint to joint [m]
constexpr double kMass = 0.6;     // of a link [kg]

const SettingFields<RobotSettings>& Fields() {
  static const SettingFields<RobotSettings> fields = {
      {"dofs", &RobotSettings::dofs, 6, 2000, "number of dofs"},
      {"floating", &RobotSettings::floating, 0, 1, "1: its base moves freely; 0: it stands on the world"},
      {"branch", &RobotSettings::branch, 0, 1, "chance that a link hangs on any other; 0: a chain"},
      {"contacts", &RobotSettings::contacts, 1, 100000, "contacts with the ground"},
      {"self", &RobotSettings::self, 0, 100000, "contacts between two links"},
      {"ties", &RobotSettings::ties, 0, 100000, "springs between a link and the world"},
      {"couplings", &RobotSettings::couplings, 0, 100000, "equalities of two joints' velocities"},
      {"drives", &RobotSettings::drives, 0, 1, "1: a drive of limited effort at every joint"},
      {"limits", &RobotSettings::limits, 0, 1, "1: a limit at every third joint"},
      {"mu", &RobotSettings::mu, 0, 100, "friction coefficient"},
      {"speed", &RobotSettings::speed, 0, 1e3, "scale of the random velocities [m/s, rad/s]"},
      {"dt", &RobotSettings::dt, 1e-6, 1, "time step [s]"},
  };
  return fields;
}

struct Robot {
  TreeMechanism mechanism;
  std::vector<int> parent;
  std::vector<int> link_dof;         // the last dof of each link's joint
  std::vector<Vector3> link_center;  // [m]
};

void AddDof(const Vector3& linear, const Vector3& angular, int parent, double diagonal, Robot* robot) {
  TreeMechanism& m = robot->mechanism;
  for (const Vector3& part : {linear, angular}) m.motion.insert(m.motion.end(), part.data(), part.data() + 3);
  m.inertia.emplace_back();
  m.diagonal.push_back(diagonal);
  robot->parent.push_back(parent);
}

void AddLink(double mass, const Vector3& center, Random* random, Robot* robot) {
  const double x = random->Uniform(0, 1), y = random->Uniform(0, 1);
  const Vector3 size = 0.03 * Vector3(1 + x, 1 + y, 1);
  const Matrix3 central = mass * Matrix3(size.cwiseAbs2().asDiagonal());
  TreeMechanism& m = robot->mechanism;
  m.inertia.back() = SpatialInertia::FromCentral(mass, center - m.origin, central);
  robot->link_dof.push_back(m.size() - 1);
  robot->link_center.push_back(center);
}

// Links grow to all sides, those of a chain mostly along x.
Robot MakeTree(const RobotSettings& settings, Random* random) {
  Robot robot;
  robot.mechanism.origin = Vector3(0.1, -0.2, 0.3);
  if (settings.floating) {
    const Vector3 center = robot.mechanism.origin;
    for (int k = 0; k < 6; ++k) {
      const Vector3 axis = Vector3::Unit(k % 3);
      AddDof(k < 3 ? axis : Vector3::Zero(), k < 3 ? Vector3::Zero() : axis, k - 1, 0, &robot);
    }
    AddLink(10 * kMass, center, random, &robot);
  }
  while (robot.mechanism.size() < settings.dofs) {
    const int links = static_cast<int>(robot.link_dof.size());
    int on = links - 1;
    if (links > 1 && random->Uniform(0, 1) < settings.branch) on = random->Index(links);
    const Vector3 start = on < 0 ? robot.mechanism.origin : robot.link_center[on];
    const Vector3 way = kLength * (0.7 * RandomDirection(random) + Vector3::UnitX());
    const Vector3 joint = start + 0.5 * way, axis = RandomDirection(random);
    const bool slides = random->Uniform(0, 1) < 0.15;
    const Vector3 lever = robot.mechanism.origin - joint;
    AddDof(slides ? axis : Vector3(axis.cross(lever)), slides ? Vector3::Zero() : axis,
           on < 0 ? -1 : robot.link_dof[on], 0.002 * (1 + random->Uniform(0, 1)), &robot);
    AddLink(kMass * (0.5 + random->Uniform(0, 1)), start + way, random, &robot);
  }
  return robot;
}

// The link's twist about its centre.
Matrix6X CalcJacobian(const Robot& robot, int link) {
  Matrix6X J = Matrix6X::Zero(6, robot.mechanism.size());
  const Vector3 arm = robot.link_center[link] - robot.mechanism.origin;
  for (int d = robot.link_dof[link]; d >= 0; d = robot.parent[d]) {
    const Vector6 S = robot.mechanism.motion_of(d);
    J.col(d) << S.head<3>() + S.tail<3>().cross(arm), S.tail<3>();
  }
  return J;
}

// What it had before the step, and gravity.
VectorX CalcMomentum(const RobotSettings& settings, const Robot& robot, const MatrixX& A, Random* random) {
  VectorX v(robot.mechanism.size());
  for (double& x : v) x = settings.speed * random->Normal();
  VectorX b = A * v;
  for (std::size_t l = 0; l < robot.link_dof.size(); ++l) {
    const double weight = robot.mechanism.inertia[robot.link_dof[l]].m * kGravity * settings.dt;
    b -= weight * CalcJacobian(robot, static_cast<int>(l)).row(2).transpose();
  }
  return b;
}

void AddJointRows(const RobotSettings& settings, const Robot& robot, Random* random, ContactProblemBuilder* builder) {
  const double h = settings.dt, stiffness = 200, effort = 20;
  const int first = settings.floating ? 6 : 0, joints = robot.mechanism.size() - first;
  for (int d = first; d < first + joints; ++d) {
    if (settings.drives) {
      builder->AddRow(RowLaw::BoundedSoft(h * h * stiffness + h * 2, h * stiffness * 0.1 * random->Normal(),
                                          -h * effort, h * effort),
                      {d}, VectorX::Ones(1), 0);
    }
    if (settings.limits && d % 3 == 0) {
      builder->AddRow(RowLaw::Inequality(), {d}, VectorX::Constant(1, d % 2 == 0 ? 1 : -1), random->Uniform(0, 0.5));
    }
  }
  for (int k = 0; k < settings.couplings && joints > 1; ++k) {
    const int one = random->Index(joints), other = (one + 1 + random->Index(joints - 1)) % joints;
    builder->AddRow(RowLaw::Equality(), {first + one, first + other}, VectorX(Vector2(1, -0.5)), 0);
  }
}

}  // namespace

ContactProblem MakeRobot(const RobotSettings& settings, std::uint64_t seed) {
  ValidateFields("robot", Fields(), settings);
  Random random(seed);
  const Robot robot = MakeTree(settings, &random);
  const MatrixX A = CalcTreeMatrix(robot.mechanism, robot.parent);
  ContactProblemBuilder builder;
  const int tree = builder.AddTree(A, robot.parent, CalcMomentum(settings, robot, A, &random), robot.mechanism);
  const int links = static_cast<int>(robot.link_dof.size());
  std::vector<BodyIndex> bodies(links, kWorld);
  const auto touch = [&](int link) {
    if (bodies[link] == kWorld) {
      bodies[link] = builder.AddLink(tree, CalcJacobian(robot, link), robot.link_center[link], "link");
    }
    return bodies[link];
  };
  // Numbers are drawn one statement after the other: compilers order arguments as they like.
  const auto near = [&](int link) { return Vector3(robot.link_center[link] + 0.03 * RandomNormal3(&random)); };
  const auto add_contact = [&](BodyIndex a, BodyIndex b, const Vector3& point, const Vector3& normal) {
    builder.AddContact(a, b, point, MakeContactFrame(normal), settings.mu, Vector3(0, 0, random.Uniform(0, 0.05)));
  };
  for (int k = 0; k < settings.contacts; ++k) {
    const int link = random.Index(links);
    const Vector3 normal = (Vector3::UnitZ() + 0.3 * RandomNormal3(&random)).normalized(), point = near(link);
    add_contact(touch(link), kWorld, point, normal);
  }
  for (int k = 0; k < settings.self && links > 1; ++k) {
    const int one = random.Index(links), other = (one + 1 + random.Index(links - 1)) % links;
    const Vector3 point = near(one), normal = RandomDirection(&random);
    const BodyIndex a = touch(one), b = touch(other);
    add_contact(a, b, point, normal);
  }
  for (int k = 0; k < settings.ties; ++k) {
    const int link = random.Index(links);
    const Vector3 point = near(link), force = RandomDirection(&random), moment = RandomNormal3(&random);
    Vector6 screw;
    screw << force, moment;
    builder.AddBodyRow(RowLaw::Soft(0.5, 0.1 * random.Normal()), touch(link), kWorld, point, screw, 0);
  }
  AddJointRows(settings, robot, &random, &builder);
  return builder.Build();
}

GeneratorEntry MakeRobotEntry() {
  return MakeGeneratorEntry("robot", "a tree of joints on the ground: drives, limits, contacts of its links", Fields(),
                            &MakeRobot);
}

}  // namespace tactus
