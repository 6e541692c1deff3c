#include "tactus/contact/problem_file_testing.h"

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include <Eigen/Geometry>

namespace tactus {

namespace {

// Numbers with all their bits in use.
struct Random {
  std::mt19937_64 engine;
  double operator()() { return std::uniform_real_distribution<double>(-1, 1)(engine); }
  MatrixX Matrix(int rows, int cols) {
    return MatrixX::NullaryExpr(rows, cols, [this] { return (*this)(); });
  }
  MatrixX Definite(int n) {
    const MatrixX X = Matrix(n, n);
    return X * X.transpose() + n * MatrixX::Identity(n, n);
  }
  Matrix3 Rotation() {
    return Eigen::Quaterniond((*this)(), (*this)(), (*this)(), 1.5).normalized().toRotationMatrix();
  }
};

SparseMatrix Laplacian(int n) {
  SparseMatrix A(n, n);
  for (int i = 0; i < n; ++i) {
    A.insert(i, i) = 2.1 + i / 7.0;
    if (i > 0) A.insert(i, i - 1) = -1.0 / 3;
    if (i + 1 < n) A.insert(i, i + 1) = -1.0 / 3;
  }
  return A;
}

// A chain with a branch: dofs 0-1-2 and 0-3.
MatrixX BranchSparse(Random* random, std::vector<int>* parent) {
  *parent = {-1, 0, 1, 0};
  MatrixX L = MatrixX::Identity(4, 4) * 2;
  for (int i = 0; i < 4; ++i) {
    for (int j = (*parent)[i]; j >= 0; j = (*parent)[j]) L(i, j) = (*random)();
  }
  return L.transpose() * L;
}

bool SameBits(const double* a, const double* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count * sizeof(double)) == 0;
}

template <typename A, typename B>
bool SameBits(const A& a, const B& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         SameBits(a.data(), b.data(), static_cast<std::size_t>(a.size()));
}

void ExpectSameSparse(const SparseMatrix& a, const SparseMatrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.nonZeros(), b.nonZeros());
  EXPECT_TRUE(std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.rows() + 1, b.outerIndexPtr()));
  EXPECT_TRUE(std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr()));
  EXPECT_TRUE(SameBits(a.valuePtr(), b.valuePtr(), static_cast<std::size_t>(a.nonZeros())));
}

void ExpectSameMechanism(const TreeMechanism* a, const TreeMechanism* b) {
  ASSERT_EQ(a == nullptr, b == nullptr);
  if (a == nullptr) return;
  EXPECT_TRUE(SameBits(a->origin, b->origin));
  EXPECT_EQ(a->motion, b->motion);
  EXPECT_EQ(a->diagonal, b->diagonal);
  ASSERT_EQ(a->inertia.size(), b->inertia.size());
  for (std::size_t d = 0; d < a->inertia.size(); ++d) {
    EXPECT_TRUE(SameBits(&a->inertia[d].m, &b->inertia[d].m, 10)) << "dof " << d;
  }
}

void ExpectSameDynamics(const ContactProblem& a, const ContactProblem& b) {
  ASSERT_EQ(a.mass().num_subsystems(), b.mass().num_subsystems());
  for (int j = 0; j < a.mass().num_subsystems(); ++j) {
    EXPECT_EQ(a.mass().subsystem(j).kind, b.mass().subsystem(j).kind);
    EXPECT_EQ(a.mass().subsystem(j).dof, b.mass().subsystem(j).dof);
    EXPECT_EQ(a.mass().subsystem(j).size, b.mass().subsystem(j).size);
    EXPECT_EQ(a.mass().tree_parent(j), b.mass().tree_parent(j));
    ExpectSameMechanism(a.mass().mechanism(j), b.mass().mechanism(j));
    if (a.mass().subsystem(j).kind == SubsystemKind::Sparse) {
      ExpectSameSparse(a.mass().sparse_block(j), b.mass().sparse_block(j));
      EXPECT_TRUE(SameBits(a.mass().sparse_inertia(j), b.mass().sparse_inertia(j)));
    } else {
      EXPECT_TRUE(SameBits(a.mass().dense_block(j), b.mass().dense_block(j)));
    }
  }
  EXPECT_TRUE(SameBits(a.b(), b.b()));
  EXPECT_TRUE(SameBits(a.free_velocity(), b.free_velocity()));
  EXPECT_EQ(a.jacobian().start, b.jacobian().start);
  EXPECT_EQ(a.jacobian().columns, b.jacobian().columns);
  EXPECT_EQ(a.jacobian().value_start, b.jacobian().value_start);
  ASSERT_EQ(a.jacobian().values.size(), b.jacobian().values.size());
  EXPECT_TRUE(SameBits(a.jacobian().values.data(), b.jacobian().values.data(), a.jacobian().values.size()));
  ASSERT_EQ(a.bodies().size(), b.bodies().size());
  for (std::size_t k = 0; k < a.bodies().size(); ++k) {
    const ContactBody &x = a.bodies()[k], &y = b.bodies()[k];
    EXPECT_TRUE(x.kind == y.kind && x.subsystem == y.subsystem && x.local_dof == y.local_dof && x.name == y.name &&
                x.num_nodes == y.num_nodes && SameBits(x.reference, y.reference) && SameBits(x.jacobian, y.jacobian))
        << "body " << k;
  }
  ASSERT_EQ(a.geometry().size(), b.geometry().size());
  for (std::size_t k = 0; k < a.geometry().size(); ++k) {
    const ContactGeometry &x = a.geometry()[k], &y = b.geometry()[k];
    EXPECT_TRUE(x.a == y.a && x.b == y.b && SameBits(x.point, y.point) && SameBits(x.frame, y.frame))
        << "contact " << k;
  }
}

}  // namespace

std::vector<char> ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteBytes(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

ContactProblem MakeRichProblem(bool geometric) {
  Random random{std::mt19937_64(7)};
  ContactProblemBuilder builder;
  const auto vector3 = [&] { return Vector3(random.Matrix(3, 1)); };
  // Subsystems and bodies interleaved: a body may come long after its subsystem.
  const int dense = builder.AddDense(random.Definite(5), random.Matrix(5, 1));
  const BodyIndex ball = builder.AddFreeBody(random.Definite(6), Vector6(random.Matrix(6, 1)), vector3(), "ball");
  std::vector<int> parent;
  const MatrixX branches = BranchSparse(&random, &parent);
  const int tree = builder.AddTree(branches, parent, random.Matrix(4, 1));
  const int jelly = builder.AddSparse(Laplacian(12), random.Matrix(12, 1), VectorX::LinSpaced(12, 0.5, 1));
  const BodyIndex box = builder.AddFreeBody(random.Definite(6), Vector6(random.Matrix(6, 1)), vector3(), "");
  const BodyIndex arm = builder.AddLink(dense, random.Matrix(6, 5), vector3(), "arm, with \"quotes\" and \xc3\xbc");
  Matrix6X path = random.Matrix(6, 4);
  path.col(3).setZero();
  const BodyIndex leg = builder.AddLink(tree, path, vector3(), "leg");
  const BodyIndex node = builder.AddNode(jelly, 6, vector3(), "node");
  const BodyIndex segment = builder.AddSegment(jelly, 1, vector3(), "segment");
  const std::vector<int> corners = {9, 0, 3};
  const BodyIndex point = builder.AddInterpolatedNode(jelly, corners, std::vector<double>{0.2, 0.3, 0.5}, vector3());

  TreeMechanism mechanism;
  mechanism.Resize(4);
  mechanism.origin = vector3();
  for (double& x : mechanism.motion) x = random();
  for (double& x : mechanism.diagonal) x = 0.1 + std::abs(random());
  for (SpatialInertia& I : mechanism.inertia) {
    I = SpatialInertia::FromCentral(1 + std::abs(random()), vector3(), Matrix3(random.Definite(3)));
  }
  builder.AddTree(CalcTreeMatrix(mechanism, parent), parent, random.Matrix(4, 1), mechanism);

  builder.AddContact(ball, kWorld, vector3(), random.Rotation(), Friction(0.3), vector3());
  builder.AddContact(box, ball, vector3(), random.Rotation(), Friction(0.3, 0.7), vector3());
  builder.AddContact(arm, leg, vector3(), random.Rotation(), Friction(0), vector3());
  builder.AddContact(kWorld, node, vector3(), random.Rotation(), Friction(1.1), vector3());
  builder.AddContact(node, leg, vector3(), random.Rotation(), Friction(0.9), vector3());
  builder.AddContact(segment, box, vector3(), random.Rotation(), Friction(0.4), vector3());
  builder.AddContact(point, arm, vector3(), random.Rotation(), Friction(0.6), vector3());
  if (!geometric) builder.AddContactRows({3, 1, 20}, random.Matrix(3, 3), Friction(0.2), vector3());
  builder.AddRow(RowLaw::Inequality(), {7}, VectorX::Constant(1, -1), random());
  builder.AddRow(RowLaw::Equality(), {2, 13}, random.Matrix(2, 1), random());
  builder.AddRow(RowLaw::Soft(0.3, random()), {4, 11, 30}, random.Matrix(3, 1), random());
  builder.AddRow(RowLaw::BoundedSoft(1 / 3.0, random(), -0.1, kInfinity), {12}, VectorX::Constant(1, 1), random());
  builder.AddRow(RowLaw::DryFriction(0.7), {0}, VectorX::Constant(1, 1), 0);
  builder.AddBodyRow(RowLaw::Equality(), ball, arm, vector3(), Vector6(random.Matrix(6, 1)), random());
  ContactProblem problem = builder.Build();
  problem.name = "everything";
  problem.provenance = "made by a test\nwith two lines";
  return problem;
}

ContactProblem MakeDelassusProblem(bool rows) {
  Random random{std::mt19937_64(3)};
  const std::vector<RowLaw> laws = rows ? std::vector<RowLaw>{RowLaw::Equality(), RowLaw::Inequality(),
                                                              RowLaw::Soft(0.1, 0.2), RowLaw::DryFriction(0.3)}
                                        : std::vector<RowLaw>{};
  const int m = 6 + static_cast<int>(laws.size());
  ContactProblem problem = ContactProblem::FromDelassus(random.Definite(m).sparseView(), random.Matrix(m, 1),
                                                        {Friction(0.5), Friction(0.1, 0.2)}, laws);
  problem.name = "pair";
  return problem;
}

ContactProblem MakeBilateralProblem() {
  Random random{std::mt19937_64(11)};
  MatrixX A = MatrixX::Zero(10, 10);
  A.topLeftCorner(6, 6) = random.Definite(6);
  A.bottomRightCorner(4, 4) = random.Definite(4);
  ContactProblem problem =
      ContactProblem::FromMatrices(A, random.Matrix(10, 1), random.Matrix(8, 10), random.Matrix(8, 1),
                                   {Friction(0.5), Friction(0.25)}, {RowLaw::Equality(), RowLaw::Equality()});
  problem.name = "bilateral";
  problem.provenance = "a test";
  return problem;
}

ContactProblem MakeBilateralDelassusProblem() {
  const ContactProblem p = MakeBilateralProblem();
  MatrixX W(p.size(), p.size());
  VectorX q, column;
  p.CalcSigma(VectorX::Zero(p.size()), &q);
  for (int k = 0; k < p.size(); ++k) {
    p.CalcSigma(VectorX::Unit(p.size(), k), &column);
    W.col(k) = column - q;
  }
  const MatrixX symmetric = (W + W.transpose()) / 2;
  ContactProblem pair = ContactProblem::FromDelassus(symmetric.sparseView(), q, {p.friction(0), p.friction(1)},
                                                     {RowLaw::Equality(), RowLaw::Equality()});
  pair.name = "bilateral pair";
  return pair;
}

void ExpectIdentical(const ContactProblem& a, const ContactProblem& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.provenance, b.provenance);
  ASSERT_EQ(a.has_dynamics(), b.has_dynamics());
  ASSERT_EQ(a.num_contacts(), b.num_contacts());
  ASSERT_EQ(a.num_rows(), b.num_rows());
  EXPECT_TRUE(SameBits(a.e(), b.e()));
  for (int i = 0; i < a.num_contacts(); ++i) {
    EXPECT_TRUE(SameBits(&a.friction(i).mu1, &b.friction(i).mu1, 1) &&
                SameBits(&a.friction(i).mu2, &b.friction(i).mu2, 1));
  }
  for (int i = 0; i < a.num_rows(); ++i) {
    const RowLaw &x = a.law(i), &y = b.law(i);
    EXPECT_TRUE(x.kind == y.kind && x.d == y.d && x.ke == y.ke && x.lo == y.lo && x.hi == y.hi) << "row " << i;
  }
  if (a.has_dynamics()) {
    ExpectSameDynamics(a, b);
  } else {
    ExpectSameSparse(a.W(), b.W());
    EXPECT_EQ(a.asymmetry(), b.asymmetry());
  }
}

}  // namespace tactus
