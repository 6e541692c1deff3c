#include "tactus/generate/scene_builder.h"

#include <Eigen/Geometry>

namespace tactus {

Matrix3 MakeContactFrame(const Vector3& normal) {
  const Vector3 n = normal.normalized();
  int axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  const Vector3 t1 = Vector3::Unit(axis).cross(n).normalized();
  Matrix3 frame;
  frame << t1.transpose(), n.cross(t1).transpose(), n.transpose();
  return frame;
}

Vector3 RandomNormal3(Random* random) {
  const double x = random->Normal(), y = random->Normal(), z = random->Normal();
  return {x, y, z};
}

Vector3 RandomDirection(Random* random) {
  for (;;) {
    const Vector3 x = RandomNormal3(random);
    if (x.norm() > 1e-3) return x.normalized();
  }
}

BodyIndex SceneBuilder::AddBody(const std::string& name, double mass, const Vector3& inertia, const Vector3& center,
                                const Vector6& velocity, const Vector6& wrench) {
  Vector6 diagonal;
  diagonal << Vector3::Constant(mass), inertia;
  Vector6 momentum = diagonal.cwiseProduct(velocity) + dt_ * wrench;
  momentum[2] -= dt_ * mass * kGravity;
  return builder_.AddFreeBody(diagonal.asDiagonal(), momentum, center, name);
}

void SceneBuilder::AddContactWithOffset(BodyIndex a, BodyIndex b, const Vector3& point, const Vector3& normal,
                                        double mu, double e_n) {
  builder_.AddContact(a, b, point, MakeContactFrame(normal), mu, Vector3(0, 0, e_n));
}

}  // namespace tactus
