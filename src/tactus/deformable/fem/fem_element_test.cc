// One element: rotation, energy, stress and its derivatives.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "tactus/deformable/deformable_testing.h"
#include "tactus/deformable/fem/fem_hyperelastic.h"
#include "tactus/deformable/fem/polar.h"
#include "tactus/math/finite_difference.h"
#include "tactus/math/spatial.h"

namespace tactus {
namespace {

using testing::HasSubstr;

Matrix3 RandomMatrix(double size, Random* random) {
  const VectorX v = RandomVector(9, size, random);
  return Eigen::Map<const Matrix3>(v.data());
}
Matrix3 RandomRotation(Random* random) { return ExpRotation(RandomVector(3, 3, random)).toRotationMatrix(); }

TEST(Polar, IsTheNearestRotation) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    // Also inverted, nearly flat, tiny and huge ones.
    Matrix3 F = RandomMatrix(1, &random);
    if (i % 5 == 1) F.col(2) = F.col(0) + 1e-9 * F.col(2);
    if (i % 5 == 2) F *= 1e-150;
    if (i % 5 == 3) F *= 1e150;
    const Matrix3 R = CalcRotation(F);
    EXPECT_NEAR(R.determinant(), 1, 1e-13);
    EXPECT_LT((R.transpose() * R - Matrix3::Identity()).norm(), 1e-13);
    const double scale = F.norm();
    const Matrix3 S = R.transpose() * F / scale;
    EXPECT_LT((S - S.transpose()).norm(), 1e-13);
    // tr(R^T F) is largest: no small or large turn improves it.
    for (int k = 0; k < 20; ++k) {
      const Matrix3 other = (k % 2 ? RandomRotation(&random) : Matrix3(ExpRotation(RandomVector(3, 0.1, &random)))) * R;
      EXPECT_GE(S.trace(), (other.transpose() * F / scale).trace() - 1e-13);
    }
    EXPECT_EQ(R, CalcRotation(F));
  }
}

TEST(Polar, DegenerateOnesAreRotations) {
  Random random(2);
  const Vector3 u(1, 2, 3), w(-1, 0.5, 2);
  const Matrix3 reflection = Vector3(1, 1, -1).asDiagonal();
  for (const Matrix3& F : {Matrix3(Matrix3::Zero()), Matrix3(u * w.transpose()), Matrix3(-Matrix3::Identity()),
                           reflection, Matrix3(1e-320 * Matrix3::Identity())}) {
    const Matrix3 R = CalcRotation(F);
    EXPECT_NEAR(R.determinant(), 1, 1e-13) << F;
    EXPECT_LT((R.transpose() * R - Matrix3::Identity()).norm(), 1e-13) << F;
  }
  Matrix3 bad = Matrix3::Identity();
  bad(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(CalcRotation(bad).hasNaN());
}

class Element : public testing::TestWithParam<FemModel> {
 protected:
  // Moderate and large strains, inverted ones among them, away from where the rotation is not unique.
  Matrix3 Deformed(int i) {
    Matrix3 F = Matrix3::Identity() + RandomMatrix(i % 3 == 0 ? 0.9 : 0.2, &random_);
    if (i % 7 == 6) F.col(0) *= -0.3;
    return RandomRotation(&random_) * F;
  }
  Random random_{3};
  LameConstants lame_ = CalcLame({2e5, 0.35, 1000, 0, 0, GetParam()});
};

TEST_P(Element, StressAndDerivativeAreThoseOfTheEnergy) {
  for (int i = 0; i < 60; ++i) {
    const Matrix3 F = Deformed(i);
    const VectorX flat = Eigen::Map<const VectorX>(F.data(), 9);
    const auto energy = [&](const VectorX& f) {
      return CalcEnergyDensity(GetParam(), lame_, Eigen::Map<const Matrix3>(f.data()));
    };
    const auto stress = [&](const VectorX& f) -> VectorX {
      const Matrix3 P = CalcStress(GetParam(), lame_, Eigen::Map<const Matrix3>(f.data()));
      return Eigen::Map<const VectorX>(P.data(), 9);
    };
    const VectorX P = stress(flat);
    EXPECT_LT((P - CalcFiniteDifferenceGradient(energy, flat, 1e-5)).norm(), 1e-7 * (P.norm() + 1e4)) << i;
    // Where two singular values nearly cancel the rotation changes fast, and differences are no measure.
    const Matrix3 R = CalcRotation(F), S = R.transpose() * F;
    const Vector3 s = Eigen::SelfAdjointEigenSolver<Matrix3>(0.5 * (S + S.transpose())).eigenvalues();
    if (s[0] + s[1] < 0.2) continue;
    const Matrix9 H = CalcStressDerivative(GetParam(), lame_, F);
    EXPECT_LT((H - CalcFiniteDifferenceJacobian(stress, flat, 1e-5)).norm(), 1e-7 * H.norm()) << i;
    EXPECT_LT((H - H.transpose()).norm(), 1e-12 * H.norm());
  }
}

TEST_P(Element, PositiveDerivativeIsPositiveAndAgreesAtRest) {
  for (int i = 0; i < 60; ++i) {
    const Matrix3 F = Deformed(i);
    const Matrix9 H = CalcPositiveDerivative(GetParam(), lame_, F);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix9>(H).eigenvalues()[0], -1e-11 * H.norm());
    if (GetParam() == FemModel::NeoHookean) {
      // The true one with its negative eigenvalues cut off.
      const Eigen::SelfAdjointEigenSolver<Matrix9> eigen(CalcStressDerivative(GetParam(), lame_, F));
      const Matrix9 cut =
          eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
      EXPECT_LT((H - cut).norm(), 1e-11 * cut.norm()) << i;
    }
  }
  const Matrix3 R = RandomRotation(&random_);
  const Matrix9 H = CalcStressDerivative(GetParam(), lame_, R);
  EXPECT_LT((H - CalcPositiveDerivative(GetParam(), lame_, R)).norm(), 1e-12 * H.norm());
}

TEST_P(Element, SmallStrainsAreThoseOfHooke) {
  const double size = 1e-6;
  const Matrix3 A = RandomMatrix(size, &random_), strain = 0.5 * (A + A.transpose());
  const Matrix3 hooke = 2 * lame_.mu * strain + lame_.lambda * strain.trace() * Matrix3::Identity();
  EXPECT_LT((CalcStress(GetParam(), lame_, Matrix3::Identity() + A) - hooke).norm(), 1e-5 * hooke.norm());
  // Uniaxial: von Mises is the stress itself, whatever the turn.
  Matrix3 pulled = Matrix3::Identity();
  const double E = lame_.mu * (3 * lame_.lambda + 2 * lame_.mu) / (lame_.lambda + lame_.mu);
  pulled.diagonal() += Vector3(size, -0.35 * size, -0.35 * size);
  EXPECT_NEAR(CalcVonMises(GetParam(), lame_, RandomRotation(&random_) * pulled) / (E * size), 1, 1e-5);
}

TEST_P(Element, RestAndRotationsHaveNoStress) {
  for (int i = 0; i < 10; ++i) {
    const Matrix3 R = RandomRotation(&random_);
    EXPECT_LT(CalcStress(GetParam(), lame_, R).norm(), 1e-14 * lame_.lambda * 10);
    EXPECT_NEAR(CalcEnergyDensity(GetParam(), lame_, R), 0, 1e-9);
    const Matrix3 F = Deformed(1);
    EXPECT_LT((CalcStress(GetParam(), lame_, R * F) - R * CalcStress(GetParam(), lame_, F)).norm(), 1e-9 * lame_.mu);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Element, testing::Values(FemModel::Corotational, FemModel::NeoHookean));

TEST(FemMaterial, RefusesWhatIsNoMaterial) {
  const auto error = [](auto change) {
    FemMaterial material;
    change(&material);
    return ErrorOf([&] { Validate(material, "jelly"); });
  };
  EXPECT_EQ(error([](FemMaterial*) {}), "");
  EXPECT_EQ(error([](FemMaterial* m) { m->poisson = 0.499; }), "");
  EXPECT_EQ(error([](FemMaterial* m) { m->poisson = -0.9; }), "");
  EXPECT_THAT(error([](FemMaterial* m) { m->poisson = 0.5; }), HasSubstr("jelly: poisson is 0.5"));
  EXPECT_THAT(error([](FemMaterial* m) { m->poisson = -1; }), HasSubstr("poisson"));
  EXPECT_THAT(error([](FemMaterial* m) { m->young = 0; }), HasSubstr("young is 0"));
  EXPECT_THAT(error([](FemMaterial* m) { m->young = std::numeric_limits<double>::infinity(); }), HasSubstr("young"));
  EXPECT_THAT(error([](FemMaterial* m) { m->density = -1; }), HasSubstr("density"));
  EXPECT_THAT(error([](FemMaterial* m) { m->mass_damping = -1; }), HasSubstr("mass_damping"));
  EXPECT_THAT(error([](FemMaterial* m) { m->stiffness_damping = std::nan(""); }), HasSubstr("stiffness_damping"));
}

}  // namespace
}  // namespace tactus
