// A mechanism from code, and one from a file: mass matrix and forward dynamics.
//
// The double pendulum has point masses on massless rods, so that what comes out can be computed by hand.

#include <cmath>
#include <cstdio>
#include <filesystem>

#include <tactus/dynamics/forward_dynamics.h>
#include <tactus/dynamics/kinematics.h>
#include <tactus/dynamics/mass_matrix.h>
#include <tactus/io/data_folder.h>
#include <tactus/io/urdf.h>
#include <tactus/model/model.h>

namespace {

using tactus::MatrixX;
using tactus::Vector3;
using tactus::VectorX;

// A rod that hangs on its parent by a hinge about y, with a point mass at its lower end.
tactus::LinkDescription MakeRod(const char* name, int parent, double hangs_at, double mass, double length) {
  tactus::JointDescription hinge;
  hinge.name = std::string(name) + "_hinge";
  hinge.type = tactus::JointType::Revolute;
  hinge.axis = Vector3::UnitY();

  tactus::LinkDescription rod;
  rod.name = name;
  rod.parent = parent;
  rod.X_PL.p = Vector3(0, 0, hangs_at);
  rod.joints = {hinge};
  rod.inertia = tactus::LinkInertia{mass, Vector3(0, 0, -length), tactus::Matrix3::Zero()};
  return rod;
}

}  // namespace

int main() {
  const double m1 = 1.0, m2 = 0.5, l1 = 0.8, l2 = 0.6, g = 9.81;
  tactus::ModelDescription description;
  description.name = "double pendulum";
  description.links = {MakeRod("upper", -1, 0, m1, l1), MakeRod("lower", 0, -l1, m2, l2)};

  // A model is immutable and may be shared; data is the memory of one thread.
  const tactus::Model pendulum(description);
  tactus::ModelData data(pendulum);

  // Released from horizontal and stretched: q are the angles of the hinges, the second relative to the first.
  const VectorX q = (VectorX(2) << std::acos(0.0), 0).finished();
  const VectorX v = VectorX::Zero(2), tau = VectorX::Zero(2);
  tactus::CalcPositions(pendulum, q, &data);
  tactus::CalcMassMatrix(pendulum, &data);
  const MatrixX M = data.DenseMass(pendulum);
  VectorX a;
  if (!tactus::CalcForwardDynamics(pendulum, q, v, tau, &data, &a)) return 1;
  std::printf("M = [%.4f %.4f; %.4f %.4f], a = [%.4f %.4f]\n", M(0, 0), M(0, 1), M(1, 0), M(1, 1), a[0], a[1]);

  // By hand: point masses at l1 and l1 + l2 from the first hinge, the second also at l2 from the second hinge.
  const double m12 = m2 * (l1 + l2) * l2, m11 = m1 * l1 * l1 + m2 * (l1 + l2) * (l1 + l2), m22 = m2 * l2 * l2;
  const VectorX gravity = (VectorX(2) << -(m1 * l1 + m2 * (l1 + l2)) * g, -m2 * l2 * g).finished();
  const MatrixX by_hand = (MatrixX(2, 2) << m11, m12, m12, m22).finished();
  const double error = (M - by_hand).norm() + (by_hand * a - gravity).norm();
  std::printf("difference from the answer by hand: %s\n", error < 1e-12 ? "below 1e-12" : "too large");

  // A robot from a file.
  const tactus::Model panda(tactus::LoadUrdf(tactus::FindDataFolder("models") / "panda_hand.urdf"));
  tactus::ModelData panda_data(panda);
  VectorX home = panda.MakeNeutral();
  home[panda.body(panda.joints()[panda.FindJoint("panda_joint4")].body).q] = -2;
  tactus::CalcPositions(panda, home, &panda_data);
  const Vector3 hand = panda_data.LinkPose(panda, panda.FindLink("panda_hand")).p;
  std::printf("%s: %d dofs, %.2f kg, hand at %.3f %.3f %.3f m\n", panda.name().c_str(), panda.nv(), panda.total_mass(),
              hand[0], hand[1], hand[2]);
  return error < 1e-12 ? 0 : 1;
}
