#include "tactus/contact/contact_problem.h"

#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/contact/constraint_law.h"
#include "tactus/contact/delassus_matrix.h"

namespace tactus {
namespace {

using testing::HasSubstr;

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

BodyIndex AddBody(ContactProblemBuilder* builder, const Vector3& reference = Vector3::Zero()) {
  return builder->AddFreeBody(Matrix6::Identity(), Vector6::Zero(), reference);
}

MatrixX DenseA(const ContactProblem& p) {
  MatrixX A(p.num_dofs(), p.num_dofs());
  VectorX column;
  for (int k = 0; k < p.num_dofs(); ++k) {
    p.mass().Multiply(VectorX::Unit(p.num_dofs(), k), &column);
    A.col(k) = column;
  }
  return A;
}

MatrixX DenseJ(const ContactProblem& p) {
  MatrixX J(p.size(), p.num_dofs());
  VectorX column;
  for (int k = 0; k < p.num_dofs(); ++k) {
    p.MultiplyJ(VectorX::Unit(p.num_dofs(), k), &column);
    J.col(k) = column;
  }
  return J;
}

// A mass that slides along x.
TreeMechanism MakeSlider(double mass) {
  TreeMechanism mechanism;
  mechanism.Resize(1);
  mechanism.motion = {1, 0, 0, 0, 0, 0};
  mechanism.inertia[0].m = mass;
  return mechanism;
}

// One way of getting a problem wrong, and words that the error must hold.
struct Mistake {
  const char* name;
  std::function<void(ContactProblemBuilder*)> make;
  std::vector<std::string> words;
};

std::vector<Mistake> Mistakes() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Matrix3 I = Matrix3::Identity();
  const Vector3 zero = Vector3::Zero();
  using B = ContactProblemBuilder;
  return {
      {"NanMomentum",
       [=](B* b) { b->AddFreeBody(Matrix6::Identity(), Vector6::Constant(nan), zero); },
       {"subsystem 0", "finite"}},
      {"NotSymmetric",
       [](B* b) {
         AddBody(b);
         MatrixX A = MatrixX::Identity(2, 2);
         A(0, 1) = 0.5;
         b->AddDense(A, VectorX::Zero(2));
       },
       {"subsystem 1", "symmetric"}},
      {"Indefinite",
       [](B* b) { b->AddDense(MatrixX(Vector2(1, -1).asDiagonal()), VectorX::Zero(2)); },
       {"subsystem 0", "positive definite"}},
      {"NanInertia",
       [=](B* b) { b->AddDense(MatrixX::Constant(1, 1, nan), VectorX::Zero(1)); },
       {"subsystem 0", "finite"}},
      {"SizesOfDense", [](B* b) { b->AddDense(MatrixX::Identity(2, 2), VectorX::Zero(3)); }, {"subsystem 0"}},
      {"TreeParent",
       [](B* b) {
         b->AddTree(MatrixX::Identity(2, 2), {-1, 1}, VectorX::Zero(2));
       },
       {"dof 1", "smaller"}},
      {"MechanismOfAnotherSize",
       [](B* b) {
         b->AddTree(MatrixX::Identity(2, 2), {-1, 0}, VectorX::Zero(2), TreeMechanism());
       },
       {"mechanism of subsystem 0", "every dof"}},
      {"MechanismOfAnotherA",
       [](B* b) {
         AddBody(b);
         TreeMechanism mechanism = MakeSlider(2);
         mechanism.diagonal[0] = 0.5;
         b->AddTree(MatrixX::Constant(1, 1, 2), {-1}, VectorX::Zero(1), mechanism);
       },
       {"mechanism of subsystem 1", "A(0, 0)", "2.5"}},
      {"NanMechanism",
       [=](B* b) { b->AddTree(MatrixX::Constant(1, 1, 2), {-1}, VectorX::Zero(1), MakeSlider(nan)); },
       {"mechanism of subsystem 0", "finite"}},
      {"LinkColumns",
       [=](B* b) {
         const int s = b->AddDense(MatrixX::Identity(2, 2), VectorX::Zero(2));
         b->AddLink(s, Matrix6X::Zero(6, 3), zero);
       },
       {"link 0", "3 columns"}},
      {"LinkSubsystem", [=](B* b) { b->AddLink(4, Matrix6X::Zero(6, 3), zero); }, {"subsystem 4"}},
      {"NodeRange",
       [=](B* b) {
         const int s = b->AddDense(MatrixX::Identity(4, 4), VectorX::Zero(4));
         b->AddNode(s, 2, zero);
       },
       {"node 0", "2"}},
      {"NoSuchBody", [=](B* b) { b->AddContact(AddBody(b), 7, zero, I, 0.5, zero); }, {"contact 0", "7"}},
      {"SameBody", [=](B* b) { b->AddContact(AddBody(b), 0, zero, I, 0.5, zero); }, {"contact 0", "two different"}},
      {"LeftHandedFrame",
       [=](B* b) { b->AddContact(AddBody(b), kWorld, zero, -I, 0.5, zero); },
       {"contact 0", "rotation"}},
      {"NegativeFriction",
       [=](B* b) { b->AddContact(AddBody(b), kWorld, zero, I, -0.5, zero); },
       {"contact 0", "friction"}},
      {"NanFriction", [=](B* b) { b->AddContact(AddBody(b), kWorld, zero, I, nan, zero); }, {"contact 0", "friction"}},
      {"NanOffset",
       [=](B* b) { b->AddContact(AddBody(b), kWorld, zero, I, 0.5, Vector3(0, 0, nan)); },
       {"contact 0", "e[2]"}},
      {"ColumnRange",
       [](B* b) {
         AddBody(b);
         b->AddRow(RowLaw::Equality(), {6}, VectorX::Ones(1), 0);
       },
       {"row 0", "column 6"}},
      {"NanEntry",
       [=](B* b) {
         AddBody(b);
         b->AddRow(RowLaw::Equality(), {5}, VectorX::Constant(1, nan), 0);
       },
       {"row 0", "finite"}},
      {"SizesOfRow",
       [](B* b) {
         AddBody(b);
         b->AddRow(RowLaw::Equality(), {5}, VectorX::Ones(2), 0);
       },
       {"row 0"}},
      {"NegativeDamping",
       [](B* b) {
         AddBody(b);
         b->AddRow(RowLaw::Soft(-1, 0), {5}, VectorX::Ones(1), 0);
       },
       {"row 0", "d is -1"}},
      {"CrossedBounds",
       [](B* b) {
         AddBody(b);
         b->AddRow(RowLaw::BoundedSoft(1, 0, 2, 1), {5}, VectorX::Ones(1), 0);
       },
       {"row 0", "lo <= hi"}},
  };
}

TEST(ContactProblemBuilder, NamesWhatIsWrong) {
  for (const Mistake& mistake : Mistakes()) {
    SCOPED_TRACE(mistake.name);
    try {
      ContactProblemBuilder builder;
      mistake.make(&builder);
      builder.Build();
      ADD_FAILURE() << "was accepted";
    } catch (const InputError& error) {
      for (const std::string& word : mistake.words) EXPECT_THAT(error.what(), HasSubstr(word));
    }
  }
}

TEST(ContactProblemFactories, NameWhatIsWrong) {
  const MatrixX A = MatrixX::Identity(3, 3), J = MatrixX::Identity(3, 3);
  const VectorX b = VectorX::Zero(3), e = VectorX::Zero(3);
  const std::vector<Friction> mu = {0.5};
  const auto expect = [](const std::function<void()>& f, const char* word) {
    try {
      f();
      ADD_FAILURE() << "was accepted: " << word;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(word));
    }
  };
  expect([&] { ContactProblem::FromMatrices(A, VectorX(VectorX::Zero(2)), J, e, mu); }, "A");
  expect([&] { ContactProblem::FromMatrices(A, b, MatrixX(MatrixX::Identity(4, 3)), e, mu); }, "J");
  expect([&] { ContactProblem::FromMatrices(A, b, J, VectorX(VectorX::Zero(5)), mu); }, "e");
  const SparseMatrix W = A.sparseView();
  expect([&] { ContactProblem::FromDelassus(W, VectorX::Zero(4), mu); }, "q");
  expect([&] { ContactProblem::FromDelassus(W, e, {0.5, 0.5}); }, "W");
  expect([&] { ContactProblem::FromDelassus(SparseMatrix(-W), e, mu); }, "diagonal");
  EXPECT_NO_THROW(ContactProblem::FromDelassus(W, e, mu));
}

// Into a problem that was another one before; where the input is refused, it stays what it was.
TEST(ContactProblem, FromDelassusUsesMemoryAgain) {
  MatrixX M = MatrixX::Identity(4, 4);
  M(0, 3) = 0.25;
  M(3, 0) = 0.5;
  M(1, 2) = 0.125;
  const SparseMatrix W = M.sparseView();
  const VectorX q = VectorX::LinSpaced(4, 1, 4);
  const ContactProblem expected = ContactProblem::FromDelassus(W, q, {0.5}, {RowLaw::Inequality()});
  EXPECT_EQ(expected.asymmetry(), 0.25);
  ContactProblem p = ContactProblem::FromMatrices(MatrixX::Identity(3, 3), VectorX::Ones(3), MatrixX::Identity(3, 3),
                                                  VectorX::Zero(3), {0.5});
  p.name = "another";
  ContactProblem::FromDelassus(W, q, {0.5}, {RowLaw::Inequality()}, &p);
  EXPECT_FALSE(p.has_dynamics());
  EXPECT_EQ(p.name, "");
  EXPECT_EQ(p.num_dofs(), expected.num_dofs());
  EXPECT_EQ(p.asymmetry(), 0.25);
  EXPECT_EQ(MatrixX(p.W()), M);
  EXPECT_EQ(p.e(), q);
  EXPECT_THROW(ContactProblem::FromDelassus(W, VectorX::Zero(3), {0.5}, {RowLaw::Inequality()}, &p), InputError);
  EXPECT_EQ(p.e(), q);
}

// The velocity of a body's point, and back: forces and torques of an impulse.
TEST(ContactProblemBuilder, ContactRowsAreThePointVelocityInTheFrame) {
  Random random(1);
  ContactProblemBuilder builder;
  const Vector3 ref_a = random.Vector(3), ref_b = random.Vector(3), point = random.Vector(3);
  const Matrix3 frame = random.Frame();
  const BodyIndex a = AddBody(&builder, ref_a), b = AddBody(&builder, ref_b);
  builder.AddContact(b, a, point, frame, 0.5, Vector3::Zero());
  builder.AddContact(a, kWorld, point, frame, 0.5, Vector3::Zero());
  const ContactProblem p = builder.Build();
  const VectorX v = random.Vector(12), lambda = random.Vector(6);
  const auto velocity = [&](int body, const Vector3& reference) -> Vector3 {
    const Vector3 linear = v.segment<3>(6 * body), angular = v.segment<3>(6 * body + 3);
    return linear + angular.cross(point - reference);
  };
  VectorX y;
  p.MultiplyJ(v, &y);
  EXPECT_LT((y.head<3>() - frame * (velocity(1, ref_b) - velocity(0, ref_a))).norm(), 1e-13);
  EXPECT_LT((y.tail<3>() - frame * velocity(0, ref_a)).norm(), 1e-13);

  VectorX momentum = VectorX::Zero(12);
  p.AddMultiplyJT(lambda, &momentum);
  const Vector3 on_b = frame.transpose() * lambda.head<3>(), on_a = frame.transpose() * lambda.tail<3>() - on_b;
  EXPECT_LT((momentum.segment<3>(6) - on_b).norm(), 1e-13);
  EXPECT_LT((momentum.segment<3>(9) - (point - ref_b).cross(on_b)).norm(), 1e-13);
  EXPECT_LT((momentum.segment<3>(0) - on_a).norm(), 1e-13);
  EXPECT_LT((momentum.segment<3>(3) - (point - ref_a).cross(on_a)).norm(), 1e-13);
}

TEST(ContactProblemBuilder, BodyRowsAreScrewsAboutThePoint) {
  Random random(2);
  ContactProblemBuilder builder;
  const Vector3 reference = random.Vector(3), point = random.Vector(3);
  const Vector6 direction = random.Vector(6);
  const BodyIndex body = AddBody(&builder, reference);
  builder.AddBodyRow(RowLaw::Equality(), body, kWorld, point, direction, 0.25);
  const ContactProblem p = builder.Build();
  const VectorX v = random.Vector(6);
  VectorX y;
  p.MultiplyJ(v, &y);
  const Vector3 at_point = v.head<3>() + Vector3(v.tail<3>()).cross(point - reference);
  EXPECT_NEAR(y[0], direction.head<3>().dot(at_point) + direction.tail<3>().dot(v.tail<3>()), 1e-13);
  EXPECT_EQ(p.e()[0], 0.25);
}

TEST(ContactProblemBuilder, LinksAndNodesActThroughTheirSubsystem) {
  Random random(3);
  ContactProblemBuilder builder;
  AddBody(&builder);  // so that the subsystems below do not start at dof 0
  const int tree = builder.AddTree(MatrixX::Identity(4, 4), {-1, 0, 1, 1}, VectorX::Zero(4));
  Matrix6X X = random.Matrix(6, 4);
  X.col(2).setZero();  // not on the link's path
  Matrix6X Y = random.Matrix(6, 4);
  const Vector3 reference = random.Vector(3), other = random.Vector(3), point = random.Vector(3);
  const BodyIndex link = builder.AddLink(tree, X, reference), second = builder.AddLink(tree, Y, other);
  const int soft = builder.AddDense(MatrixX::Identity(9, 9), VectorX::Zero(9));
  const BodyIndex node = builder.AddNode(soft, 3, point);
  const Matrix3 frame = random.Frame();
  builder.AddContact(link, node, point, frame, 0.5, Vector3::Zero());
  builder.AddContact(link, second, point, frame, 0.5, Vector3::Zero());  // both in one subsystem: columns merge
  const ContactProblem p = builder.Build();

  const VectorX v = random.Vector(p.num_dofs());
  const auto link_velocity = [&](const Matrix6X& jacobian, const Vector3& ref) -> Vector3 {
    const Vector6 V = jacobian * v.segment<4>(6);
    return V.head<3>() + Vector3(V.tail<3>()).cross(point - ref);
  };
  VectorX y;
  p.MultiplyJ(v, &y);
  const Vector3 first = link_velocity(X, reference);
  EXPECT_LT((y.head<3>() - frame * (first - v.segment<3>(10 + 3))).norm(), 1e-12);
  EXPECT_LT((y.tail<3>() - frame * (first - link_velocity(Y, other))).norm(), 1e-12);
  EXPECT_EQ(p.jacobian().count(0), 3 + 3);  // three dofs of the path, three of the node
  EXPECT_EQ(p.jacobian().count(1), 4);
  EXPECT_TRUE(p.has_geometry());
}

TEST(ContactProblemBuilder, SortsAndSumsColumnsAndPutsContactsFirst) {
  ContactProblemBuilder builder;
  builder.AddDense(MatrixX::Identity(3, 3), VectorX::Zero(3));
  builder.AddRow(RowLaw::Inequality(), {2, 0, 2}, Vector3(1, 5, 10), 0.5);
  builder.AddContactRows({1}, Vector3(1, 2, 3), 0.5, Vector3(7, 8, 9));
  const ContactProblem p = builder.Build();
  MatrixX expected = MatrixX::Zero(4, 3);
  expected.col(1).head<3>() = Vector3(1, 2, 3);
  expected(3, 0) = 5;
  expected(3, 2) = 11;
  EXPECT_EQ(DenseJ(p), expected);
  EXPECT_EQ(p.offset(1), 3);
  EXPECT_EQ(p.e()[3], 0.5);
  EXPECT_FALSE(p.has_geometry());
  EXPECT_EQ(builder.num_dofs(), 0);  // empty afterwards
}

// L with branch sparsity gives A = L^T L with it.
MatrixX MakeTreeMass(const std::vector<int>& parent, Random* random) {
  const int n = static_cast<int>(parent.size());
  MatrixX L = MatrixX::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int k = i; k >= 0; k = parent[k]) L(i, k) = k == i ? 1 + std::abs(random->Normal()) : random->Normal();
  }
  return L.transpose() * L;
}

TEST(MassMatrix, FactorizationsMatchDense) {
  Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<int> parent = {-1};
    for (int i = 1; i < 12; ++i) parent.push_back(static_cast<int>(std::abs(random.Normal()) * 4) % (i + 1) - 1);
    const MatrixX tree = MakeTreeMass(parent, &random), dense = random.Spd(5), sparse = random.Spd(7);
    MassMatrix mass;
    mass.AddTree(tree, parent);
    mass.AddDense(dense);
    mass.AddSparse(SparseMatrix(sparse.sparseView()));
    mass.AddDense(Matrix6(random.Spd(6)), true);
    ASSERT_EQ(mass.Factorize(), -1);
    EXPECT_EQ(mass.subsystem(3).kind, SubsystemKind::Free);
    EXPECT_EQ(mass.subsystem_of_dof(12), 1);
    const int n = mass.num_dofs();
    const VectorX x = random.Vector(n);
    VectorX Ax, back;
    mass.Multiply(x, &Ax);
    back = Ax;
    mass.SolveInPlace(back);
    EXPECT_LT((back - x).norm(), 1e-9 * x.norm());
    VectorX expected = tree.llt().solve(Ax.head(12));
    EXPECT_LT((back.head(12) - expected).norm(), 1e-10 * expected.norm());
    MatrixX columns = random.Matrix(12, 3);
    const MatrixX solved = tree.llt().solve(columns);
    mass.SolveSubsystem(0, columns);
    EXPECT_LT((columns - solved).norm(), 1e-9 * solved.norm());
    EXPECT_LT((mass.diagonal().head(12) - tree.diagonal()).norm(), 1e-15);
  }
}

TEST(MassMatrix, SaysWhichSubsystemIsNotPositiveDefinite) {
  MassMatrix mass;
  mass.AddDense(MatrixX::Identity(2, 2));
  MatrixX indefinite = MatrixX::Identity(2, 2);
  indefinite(0, 1) = indefinite(1, 0) = 2;
  mass.AddTree(indefinite, {-1, 0});
  EXPECT_EQ(mass.Factorize(), 1);
}

TEST(ContactProblem, FromMatricesSplitsBlocksAndKeepsThem) {
  Random random(5);
  for (const int second : {4, 200}) {  // the larger one becomes sparse
    const int n = 6 + second;
    MatrixX A = MatrixX::Zero(n, n);
    A.topLeftCorner(6, 6) = random.Spd(6);
    A.bottomRightCorner(second, second) = random.Spd(second);
    MatrixX J = random.Matrix(6, n);
    const VectorX b = random.Vector(n), e = random.Vector(6);
    const ContactProblem p = ContactProblem::FromMatrices(A, b, J, e, {0.3, 0.7});
    EXPECT_EQ(p.mass().num_subsystems(), 2);
    EXPECT_LT((DenseA(p) - A).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_LT((DenseJ(p) - J).cwiseAbs().maxCoeff(), 1e-15);
    // sigma of impulses, and W, against plain algebra.
    const VectorX lambda = random.Vector(6);
    const Eigen::LLT<MatrixX> llt(A);
    const VectorX expected = J * llt.solve(b + J.transpose() * lambda) + e;
    VectorX sigma, product;
    p.CalcSigma(lambda, &sigma);
    EXPECT_LT((sigma - expected).norm(), 1e-9 * expected.norm());
    const DelassusMatrix W(p);
    const MatrixX dense_W = J * llt.solve(J.transpose());
    W.Multiply(lambda, &product);
    EXPECT_LT((product - dense_W * lambda).norm(), 1e-9 * product.norm());
    EXPECT_NEAR(W.rho()[1], 3 / dense_W.diagonal().tail<3>().sum(), 1e-9 * W.rho()[1]);
    EXPECT_NEAR(CalcEffectiveMass(p)[1], W.rho()[1], 1e-9 * W.rho()[1]);
  }
}

TEST(MakeIsotropic, ScalesTheTangentialRowsOfEllipticContactsOnly) {
  Random random(6);
  const MatrixX J = random.Matrix(6, 6);
  const VectorX e = random.Vector(6);
  const ContactProblem p =
      ContactProblem::FromMatrices(random.Spd(6), random.Vector(6), J, e, {Friction(0.2, 0.6), Friction(0.4)});
  VectorX scale;
  const ContactProblem q = MakeIsotropic(p, &scale);
  VectorX expected(6);
  expected << 0.2, 0.6, 1, 1, 1, 1;
  EXPECT_EQ(scale, expected);
  EXPECT_LT((DenseJ(q) - expected.asDiagonal() * J).norm(), 1e-15);
  EXPECT_LT((q.e() - expected.cwiseProduct(e)).norm(), 1e-15);
  EXPECT_EQ(q.friction(0).mu1, 1);
  EXPECT_EQ(q.friction(1).mu1, 0.4);
}

}  // namespace
}  // namespace tactus
