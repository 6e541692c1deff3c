// Whole bodies: forces, matrices, mass and what threads must not change.
#include "tactus/deformable/fem/fem_body.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "tactus/deformable/deformable_testing.h"
#include "tactus/deformable/fem/fem_hyperelastic.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/math/finite_difference.h"
#include "tactus/math/spatial.h"

namespace tactus {
namespace {

using testing::HasSubstr;

FemMaterial Rubber(FemModel model) { return {1e5, 0.3, 1100, 0, 0, model}; }

struct Case {
  FemModel model;
  FemStiffness stiffness;
};

class Body : public testing::TestWithParam<Case> {
 protected:
  FemBody Make(FemSettings settings = {}) {
    settings.stiffness = GetParam().stiffness;
    return {MakeBoxTets(Vector3(0.3, 0.2, 0.1), {3, 2, 1}), Rubber(GetParam().model), settings};
  }
  VectorX Shaken(const FemBody& body, double size) {
    return body.initial_q() + RandomVector(body.nq(), size, &random_);
  }
  VectorX ForcesAt(const FemBody& body, const VectorX& q) {
    auto data = body.MakeData();
    VectorX force;
    body.CalcElasticForces(q, nullptr, static_cast<FemData*>(data.get()), &force);
    return force;
  }
  double EnergyAt(const FemBody& body, const VectorX& q) {
    const VectorX v = VectorX::Zero(body.nv());
    DeformableInput input;
    input.q = &q;
    input.v = &v;
    auto data = body.MakeData();
    return body.CalcEnergy(input, data.get()).elastic;
  }
  // K alone: A = 1/(1 - theta) M + c h^2 K, of which M is known.
  MatrixX StiffnessAt(const FemBody& body, const VectorX& q) {
    const VectorX v = VectorX::Zero(body.nv());
    DeformableInput input;
    input.q = &q;
    input.v = &v;
    auto data = body.MakeData();
    SparseMatrix A = body.pattern();
    VectorX b;
    EXPECT_TRUE(body.Assemble({1, 0}, input, nullptr, data.get(), &A, &b));
    MatrixX K = A;
    for (int i = 0; i < body.num_nodes(); ++i) {
      for (int k = 0; k < 3; ++k) K(body.first_dof(i) + k, body.first_dof(i) + k) -= body.node_mass(i);
    }
    return K;
  }
  Random random_{7};
};

TEST_P(Body, ForcesAreMinusTheGradientOfTheEnergy) {
  const FemBody body = Make();
  const VectorX q = Shaken(body, 0.02), force = ForcesAt(body, q);
  const VectorX gradient = CalcFiniteDifferenceGradient([&](const VectorX& x) { return EnergyAt(body, x); }, q, 1e-6);
  EXPECT_LT((force + gradient).norm(), 1e-7 * force.norm());
}

TEST_P(Body, StiffnessIsMinusTheDerivativeOfForces) {
  const FemBody body = Make();
  // The positive kind is exact at rest, wherever that is.
  const bool exact = GetParam().stiffness == FemStiffness::Exact;
  VectorX q = exact ? Shaken(body, 0.015) : body.initial_q();
  const Matrix3 R = ExpRotation(Vector3(0.4, -1, 0.3)).toRotationMatrix();
  for (int i = 0; i < body.num_nodes(); ++i) q.segment<3>(3 * i) = R * q.segment<3>(3 * i) + Vector3(1, 2, 3);
  const MatrixX K = StiffnessAt(body, q);
  const MatrixX numeric = -CalcFiniteDifferenceJacobian([&](const VectorX& x) { return ForcesAt(body, x); }, q, 1e-6);
  EXPECT_LT((K - numeric).norm(), 1e-7 * K.norm());
  EXPECT_EQ(K, K.transpose());
}

TEST_P(Body, PositiveStiffnessIsPositive) {
  const FemBody body = Make();
  // Many elements are inverted here; the exact one is positive at rest only.
  const MatrixX K = StiffnessAt(body, Shaken(body, GetParam().stiffness == FemStiffness::Exact ? 0 : 0.1));
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixX>(K).eigenvalues()[0], -1e-10 * K.norm());
}

TEST_P(Body, RigidMotionsMakeNoForces) {
  const FemBody body = Make();
  VectorX q = body.initial_q();
  const Matrix3 R = ExpRotation(Vector3(2, 1, -1)).toRotationMatrix();
  for (int i = 0; i < body.num_nodes(); ++i) q.segment<3>(3 * i) = R * q.segment<3>(3 * i) + Vector3(1, 2, 3);
  EXPECT_LT(ForcesAt(body, q).norm(), 1e-12 * 1e5);
  EXPECT_LT(EnergyAt(body, q), 1e-9);
  // Of a deformed body they turn with it, and make neither a force nor a moment.
  const VectorX bent = Shaken(body, 0.02), force = ForcesAt(body, bent);
  VectorX turned = bent;
  Vector3 sum = Vector3::Zero(), moment = Vector3::Zero();
  for (int i = 0; i < body.num_nodes(); ++i) {
    turned.segment<3>(3 * i) = R * bent.segment<3>(3 * i);
    sum += force.segment<3>(3 * i);
    moment += Vector3(bent.segment<3>(3 * i)).cross(Vector3(force.segment<3>(3 * i)));
  }
  EXPECT_LT(sum.norm() + moment.norm(), 1e-12 * force.norm());
  const VectorX force_turned = ForcesAt(body, turned);
  for (int i = 0; i < body.num_nodes(); ++i) {
    EXPECT_LT((force_turned.segment<3>(3 * i) - R * force.segment<3>(3 * i)).norm(), 1e-11 * force.norm());
  }
}

// A homogeneous strain is found exactly whatever the mesh: the inner node of a skewed mesh stays without force.
TEST_P(Body, PatchTest) {
  TetMesh mesh = MakeBoxTets(Vector3(2, 2, 2), {2, 2, 2});
  const int inner = 13;
  mesh.nodes[inner] += Vector3(0.2, -0.1, 0.15);
  const FemBody body(mesh, Rubber(GetParam().model));
  Matrix3 F = Matrix3::Identity();
  F << 1.1, 0.05, 0, -0.02, 0.95, 0.1, 0.03, 0, 1.02;
  VectorX q = body.initial_q(), stress;
  for (int i = 0; i < body.num_nodes(); ++i) q.segment<3>(3 * i) = F * q.segment<3>(3 * i);
  const VectorX force = ForcesAt(body, q);
  EXPECT_LT(force.segment<3>(3 * inner).norm(), 1e-13 * force.norm());
  auto data = body.MakeData();
  body.CalcStress(q, data.get(), &stress);
  const double expected = CalcVonMises(GetParam().model, CalcLame(body.material()), F);
  for (const double s : stress) EXPECT_NEAR(s, expected, 1e-9 * expected);
}

TEST_P(Body, ThreadsDoNotChangeABit) {
  FemSettings settings;
  settings.stiffness = GetParam().stiffness;
  const FemBody body(MakeBallTets(0.1, 8), Rubber(GetParam().model), settings);
  const VectorX q = Shaken(body, 0.01), v = RandomVector(body.nv(), 1, &random_);
  DeformableInput input;
  input.q = &q;
  input.v = &v;
  input.gravity = Vector3(0, 0, -9.81);
  SparseMatrix A1 = body.pattern(), A2 = A1;
  VectorX b1, b2;
  auto data = body.MakeData();
  ASSERT_TRUE(body.Assemble({0.01, 0.5}, input, nullptr, data.get(), &A1, &b1));
  for (const int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    auto other = body.MakeData();
    ASSERT_TRUE(body.Assemble({0.01, 0.5}, input, &pool, other.get(), &A2, &b2));
    EXPECT_EQ(b1, b2);
    EXPECT_TRUE(std::equal(A1.valuePtr(), A1.valuePtr() + A1.nonZeros(), A2.valuePtr()));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Body,
                         testing::Values(Case{FemModel::Corotational, FemStiffness::Positive},
                                         Case{FemModel::Corotational, FemStiffness::Exact},
                                         Case{FemModel::NeoHookean, FemStiffness::Positive},
                                         Case{FemModel::NeoHookean, FemStiffness::Exact}));

// The vector kernels against the same done one by one with the SVD.
TEST(FemKernels, AgreeWithOneByOne) {
  Random random(5);
  const TetMesh mesh = MakeBoxTets(Vector3(0.3, 0.3, 0.3), {3, 3, 3});
  FemSettings slow;
  slow.geometric_bound = true;  // takes the way of CalcElement
  const FemBody fast_body(mesh, Rubber(FemModel::Corotational)), slow_body(mesh, Rubber(FemModel::Corotational), slow);
  for (const double size : {0.0, 0.01, 0.05, 0.3}) {
    const VectorX q = fast_body.initial_q() + RandomVector(fast_body.nq(), size, &random);
    VectorX v = VectorX::Zero(fast_body.nv()), b1, b2;
    DeformableInput input;
    input.q = &q;
    input.v = &v;
    auto data1 = fast_body.MakeData(), data2 = slow_body.MakeData();
    SparseMatrix A1 = fast_body.pattern(), A2 = slow_body.pattern();
    ASSERT_TRUE(fast_body.Assemble({1, 0}, input, nullptr, data1.get(), &A1, &b1));
    ASSERT_TRUE(slow_body.Assemble({1, 0}, input, nullptr, data2.get(), &A2, &b2));
    EXPECT_LT((b1 - b2).norm(), 1e-11 * (b2.norm() + 1)) << size;
    for (int i = 0; i < fast_body.nv(); ++i) {
      EXPECT_GE(A2.coeff(i, i), A1.coeff(i, i) * (1 - 1e-11));  // E is not negative
      A1.coeffRef(i, i) = A2.coeffRef(i, i) = 0;
    }
    EXPECT_LT(SparseMatrix(A1 - A2).norm(), 1e-11 * A2.norm()) << size;
  }
}

TEST(FemBody, MassAndCentreOfMass) {
  for (const FemMass kind : {FemMass::Lumped, FemMass::Consistent}) {
    FemSettings settings;
    settings.mass = kind;
    TetMesh mesh = MakeBoxTets(Vector3(0.3, 0.2, 0.1), {3, 2, 2});
    const FemBody body(mesh, Rubber(FemModel::Corotational), settings);
    EXPECT_NEAR(body.mass(), 1100 * 0.006, 1e-12);
    // M 1 by columns is the whole mass; x^T M 1 its first moment.
    VectorX q = body.initial_q(), v = VectorX::Zero(body.nv());
    DeformableInput input;
    input.q = &q;
    input.v = &v;
    const Vector3 w(0.3, -0.2, 0.5), c(1, 2, 3);
    for (int i = 0; i < body.num_nodes(); ++i) {
      q.segment<3>(3 * i) += c;
      v.segment<3>(3 * i) = w.cross(Vector3(q.segment<3>(3 * i) - c));
    }
    // A turn about the centre of mass has no linear momentum.
    EXPECT_LT(body.CalcMomentum(input).linear.norm(), 1e-12);
    if (kind == FemMass::Consistent) {
      // Shape functions integrate quadratics exactly: the inertia is that of a solid box.
      const Vector3 inertia = body.mass() / 12 * Vector3(0.05, 0.1, 0.13);
      EXPECT_LT((body.CalcMomentum(input).angular - inertia.cwiseProduct(w)).norm(), 1e-12);
      auto data = body.MakeData();
      EXPECT_NEAR(body.CalcEnergy(input, data.get()).kinetic, 0.5 * w.dot(inertia.cwiseProduct(w)), 1e-12);
    }
    // A rigid push: A v = M v / (1 - theta) at rest, as K v = 0.
    SparseMatrix A = body.pattern();
    VectorX b, push = VectorX::Zero(body.nv());
    for (int i = 0; i < body.num_nodes(); ++i) push.segment<3>(3 * i) = c;
    auto data = body.MakeData();
    ASSERT_TRUE(body.Assemble({0.01, 0.5}, input, nullptr, data.get(), &A, &b));
    EXPECT_NEAR(push.dot(A * push), 2 * body.mass() * c.squaredNorm(), 1e-9);
  }
}

TEST(FemBody, HeldNodesMoveAsToldAndTellTheirForce) {
  const TetMesh mesh = MakeBeamTets(0.3, 0.1, 0.1, {6, 2, 2});
  for (const FemMass kind : {FemMass::Lumped, FemMass::Consistent}) {
    for (const double theta : {0.0, 0.5}) {
      FemSettings settings;
      settings.mass = kind;
      for (int i = 0; i < 9; ++i) settings.held.push_back(i);
      FemMaterial material = Rubber(FemModel::Corotational);
      material.stiffness_damping = 0.01;
      const FemBody body(mesh, material, settings);
      EXPECT_EQ(body.nv(), body.nq() - 27);
      EXPECT_EQ(body.num_held_dofs(), 27);
      EXPECT_EQ(body.first_dof(0), -1);
      EXPECT_EQ(body.first_dof(9), 0);
      Stepper stepper(body, {0.01, theta});
      stepper.gravity = Vector3(0, 0, -9.81);
      for (int i = 0; i < 9; ++i) stepper.held.segment<3>(3 * i) = Vector3(0.2, 0, 0);
      VectorX force;
      for (int k = 0; k < 50; ++k) {
        const DeformableMomentum before = stepper.momentum();
        const VectorX q = stepper.q, v = stepper.v;
        stepper.Step();
        DeformableInput input = stepper.input();
        input.q = &q;
        input.v = &v;
        body.CalcHeldForces(stepper.scheme, input, stepper.v_hat, stepper.data.get(), &force);
        // What the held nodes give is what momentum and gravity ask for.
        Vector3 sum = Vector3::Zero();
        for (int i = 0; i < 9; ++i) sum += force.segment<3>(3 * i);
        const Vector3 rate = (stepper.momentum().linear - before.linear) / 0.01;
        EXPECT_LT((sum - rate + Vector3(0, 0, -9.81) * body.mass()).norm(), 1e-9 * (sum.norm() + 1));
      }
      EXPECT_NEAR(stepper.q[0], 0.1, 1e-12);
    }
  }
}

TEST(FemBody, RefusesWhatItCannotHoldAndReportsNaN) {
  const TetMesh mesh = MakeBoxTets(Vector3(1, 1, 1), {1, 1, 1});
  const auto error = [&](std::vector<int> held) {
    FemSettings settings;
    settings.held = std::move(held);
    return ErrorOf([&] { FemBody(mesh, {}, settings); });
  };
  EXPECT_THAT(error({8}), HasSubstr("8 is no node"));
  EXPECT_THAT(error({1, 1}), HasSubstr("1 is there twice"));
  EXPECT_THAT(error({0, 1, 2, 3, 4, 5, 6, 7}), HasSubstr("everything is held"));
  EXPECT_THAT(ErrorOf([] { FemBody({}, {}); }), HasSubstr("mesh of a deformable"));
  const FemBody body(mesh, {});
  VectorX q = body.initial_q(), v = VectorX::Zero(body.nv()), b;
  q[4] = std::numeric_limits<double>::quiet_NaN();
  DeformableInput input;
  input.q = &q;
  input.v = &v;
  auto data = body.MakeData();
  SparseMatrix A = body.pattern();
  EXPECT_FALSE(body.Assemble({}, input, nullptr, data.get(), &A, &b));
  const VectorX brief = VectorX::Zero(3);
  input.external = &brief;
  EXPECT_THAT(ErrorOf([&] { static_cast<void>(body.Assemble({}, input, nullptr, data.get(), &A, &b)); }),
              HasSubstr("wrong size"));
  EXPECT_THAT(ErrorOf([] { Validate(DeformableScheme{0, 0}); }), HasSubstr("step is 0"));
  EXPECT_THAT(ErrorOf([] { Validate(DeformableScheme{0.01, 1}); }), HasSubstr("theta is 1"));
}

}  // namespace
}  // namespace tactus
