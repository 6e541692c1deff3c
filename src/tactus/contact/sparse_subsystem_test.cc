// Large subsystems: when they are factorized, and the bodies they have.
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include "tactus/contact/contact_problem.h"

namespace tactus {
namespace {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  double Normal() { return normal_(engine_); }
  VectorX Vector(int n) {
    return VectorX::NullaryExpr(n, [this] { return Normal(); });
  }
  MatrixX Matrix(int rows, int cols) {
    return MatrixX::NullaryExpr(rows, cols, [this] { return Normal(); });
  }
  MatrixX Spd(int n) {
    const MatrixX B = Matrix(n, n);
    return B * B.transpose() + MatrixX::Identity(n, n);
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

// A matrix with positive 2 x 2 minors that is not positive definite.
SparseMatrix MakeIndefinite() {
  MatrixX A = MatrixX::Constant(3, 3, -0.9);
  A.diagonal().setOnes();
  return A.sparseView();
}

TEST(ContactProblem, SparseSubsystemsAreFactorizedWhenSomebodyAsks) {
  ContactProblemBuilder builder;
  builder.AddSparse(MakeIndefinite(), Vector3::Ones());
  const ContactProblem p = builder.Build();  // nobody has asked yet
  VectorX v;
  EXPECT_THROW(p.CalcVelocity(VectorX(0), &v), NumericalError);
  EXPECT_THROW(p.free_velocity(), NumericalError);
  EXPECT_THROW(p.free_velocity(), NumericalError);
  EXPECT_EQ(p.mass().FactorizeSparse(), 0);
  // What is cheap to see is refused at once.
  SparseMatrix bad = MakeIndefinite();
  bad.coeffRef(0, 1) = bad.coeffRef(1, 0) = 1.5;
  builder.AddSparse(bad, Vector3::Ones());
  EXPECT_THROW(builder.Build(), InputError);
}

TEST(ContactProblem, ThreadsShareTheFactorOfASparseSubsystem) {
  Random random(8);
  const MatrixX A = random.Spd(60);
  ContactProblemBuilder builder;
  builder.AddSparse(A.sparseView(), random.Vector(60));
  const ContactProblem p = builder.Build();
  const ContactProblem copy = p;
  const VectorX expected = A.llt().solve(p.b());
  std::vector<VectorX> found(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&, t] { found[t] = (t % 2 ? p : copy).free_velocity(); });
  for (std::thread& t : threads) t.join();
  for (const VectorX& v : found) {
    EXPECT_TRUE(v == found[0]);
    EXPECT_LT((v - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST(ContactProblem, SegmentsAndInterpolatedNodesMoveAsTheyShould) {
  Random random(9);
  ContactProblemBuilder builder;
  const int rod = builder.AddSparse(random.Spd(15).sparseView(), random.Vector(15));
  const Vector3 reference(0.1, 0.2, 0.3), point(0.4, -0.1, 0.2);
  const BodyIndex segment = builder.AddSegment(rod, 4, reference, "segment");
  const std::vector<int> nodes = {0, 12, 7};
  const std::vector<double> weights = {0.5, 0.25, 0.25};
  const BodyIndex mixed = builder.AddInterpolatedNode(rod, nodes, weights, point);
  const Matrix3 frame = Matrix3::Identity();
  builder.AddContact(segment, kWorld, point, frame, Friction(0.1), Vector3::Zero());
  builder.AddContact(mixed, kWorld, point, frame, Friction(0.1), Vector3::Zero());
  EXPECT_THROW(builder.AddSegment(rod, 10, reference), InputError);
  EXPECT_THROW(builder.AddInterpolatedNode(rod, nodes, std::vector<double>{1, 0.5, 0}, point), InputError);
  const ContactProblem p = builder.Build();
  const VectorX v = random.Vector(15);
  VectorX y;
  p.MultiplyJ(v, &y);
  const Vector3 expected = v.segment<3>(4) + Vector3(v.segment<3>(7)).cross(point - reference);
  EXPECT_LT((y.head<3>() - expected).norm(), 1e-14);
  EXPECT_LT((y.tail<3>() - (0.5 * v.head<3>() + 0.25 * v.segment<3>(12) + 0.25 * v.segment<3>(7))).norm(), 1e-14);
}

}  // namespace
}  // namespace tactus
