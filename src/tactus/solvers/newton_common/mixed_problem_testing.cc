#include "tactus/solvers/newton_common/mixed_problem_testing.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Geometry>

namespace tactus {

namespace {

class Source {
 public:
  explicit Source(std::uint32_t seed) : engine_(seed) {}
  double Normal() { return normal_(engine_); }
  double Uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(engine_); }
  VectorX Vector(int n) {
    return VectorX::NullaryExpr(n, [this] { return Normal(); });
  }
  Matrix3 Frame() {
    const Vector3 n = Vector(3).normalized();
    const Vector3 t1 = n.unitOrthogonal();
    Matrix3 frame;
    frame << t1.transpose(), n.cross(t1).transpose(), n.transpose();
    return frame;
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
};

Matrix6 MakeInertia(double mass, Source* random) {
  Matrix6 inertia = Matrix6::Zero();
  inertia.topLeftCorner<3, 3>() = mass * Matrix3::Identity();
  const Matrix3 B = MatrixX(random->Vector(9)).reshaped(3, 3);
  inertia.bottomRightCorner<3, 3>() = 0.05 * mass * (Matrix3::Identity() + 0.2 * B * B.transpose());
  return inertia;
}

// Dofs 0-1-2 in a chain, then two branches 3-4 and 5 on dof 2.
const std::vector<int> kTreeParent = {-1, 0, 1, 2, 3, 2};

MatrixX MakeTreeMass(Source* random) {
  const int n = static_cast<int>(kTreeParent.size());
  MatrixX L = MatrixX::Zero(n, n);  // A = L^T L keeps the branch sparsity
  for (int i = 0; i < n; ++i) {
    for (int k = i; k >= 0; k = kTreeParent[k])
      L(i, k) = k == i ? 1 + 0.2 * std::abs(random->Normal()) : 0.3 * random->Normal();
  }
  return L.transpose() * L;
}

Matrix6X MakeLinkJacobian(int tip, Source* random) {
  Matrix6X X = Matrix6X::Zero(6, static_cast<int>(kTreeParent.size()));
  for (int k = tip; k >= 0; k = kTreeParent[k]) X.col(k) = random->Vector(6);
  return X;
}

}  // namespace

ContactProblem MakeMixedProblem(std::uint32_t seed, const MixedProblemOptions& options) {
  Source random(seed);
  ContactProblemBuilder builder;
  std::vector<BodyIndex> bodies;
  for (int k = 0; k < options.bodies; ++k) {
    const Matrix6 inertia = MakeInertia(std::exp(random.Normal()), &random);
    bodies.push_back(builder.AddFreeBody(inertia, inertia * random.Vector(6), 0.5 * random.Vector(3)));
  }
  if (options.tree) {
    const int tree = builder.AddTree(MakeTreeMass(&random), kTreeParent, random.Vector(6));
    bodies.push_back(builder.AddLink(tree, MakeLinkJacobian(4, &random), 0.5 * random.Vector(3)));
    bodies.push_back(builder.AddLink(tree, MakeLinkJacobian(5, &random), 0.5 * random.Vector(3)));
  }
  const int count = static_cast<int>(bodies.size());
  const auto pick_two = [&](BodyIndex* a, BodyIndex* b) {
    const int first = std::min(count - 1, static_cast<int>(random.Uniform(0, count)));
    const int second = std::min(count, static_cast<int>(random.Uniform(0, count + 1)));
    *a = bodies[first];
    *b = second == count || second == first ? kWorld : bodies[second];
  };
  BodyIndex a = 0, b = kWorld;
  Vector3 point, e;
  Matrix3 frame;
  for (int i = 0; i < options.contacts; ++i) {
    if (!options.rank_deficient || i % 3 == 0) {
      pick_two(&a, &b);
      point = 0.5 * random.Vector(3);
      frame = random.Frame();
      e = Vector3(0.1 * random.Normal(), 0.1 * random.Normal(), std::abs(0.1 * random.Normal()));  // v = 0 is feasible
    }
    builder.AddContact(a, b, point, frame, options.mu * random.Uniform(0.5, 1.5), e);
  }
  const double limit = 0.3;
  const RowLaw laws[] = {RowLaw::Inequality(),
                         RowLaw::Equality(),
                         RowLaw::Soft(2, 0.3),
                         RowLaw::Soft(0, 0.1),
                         RowLaw::BoundedSoft(5, -0.4, -limit, limit),
                         RowLaw::DryFriction(limit)};
  for (int k = 0; options.rows && k < options.bodies; ++k) {
    for (const RowLaw& law : laws) {
      pick_two(&a, &b);
      const double offset = law.kind == RowKind::Inequality ? std::abs(0.1 * random.Normal()) : 0.1 * random.Normal();
      builder.AddBodyRow(law, a, b, 0.5 * random.Vector(3), random.Vector(6), offset);
    }
  }
  return builder.Build();
}

ContactProblem MakeSlidingBox(double mu, double speed, double step) {
  const double mass = 2, half = 0.1, gravity = 9.81;
  ContactProblemBuilder builder;
  Matrix6 inertia = Matrix6::Identity() * mass;
  inertia.bottomRightCorner<3, 3>() *= 2.0 / 3 * half * half;
  Vector6 momentum = Vector6::Zero();
  momentum[0] = mass * speed;
  momentum[2] = -mass * gravity * step;
  const BodyIndex box = builder.AddFreeBody(inertia, momentum, Vector3(0, 0, half));
  for (const double x : {-half, half}) {
    for (const double y : {-half, half})
      builder.AddContact(box, kWorld, {x, y, 0}, Matrix3::Identity(), mu, Vector3::Zero());
  }
  return builder.Build();
}

}  // namespace tactus
