#include "tactus/deformable/fem/fem_hyperelastic.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/SVD>

#include "tactus/deformable/fem/polar.h"
#include "tactus/math/spatial.h"

namespace tactus {

namespace {

using Vector9 = Eigen::Matrix<double, 9, 1>;

Vector9 Flat(const Matrix3& A) { return Eigen::Map<const Vector9>(A.data()); }

// Smith et al. 2018, section 3.4: mu and lambda that make small strains agree with Lame's, and the alpha of eq. 13.
struct NeoHookean {
  explicit NeoHookean(const LameConstants& lame)
      : mu(4.0 / 3 * lame.mu), lambda(lame.lambda + 5.0 / 6 * lame.mu), alpha(1 + 0.75 * mu / lambda) {}
  double mu, lambda, alpha;
};

Matrix3 Cofactors(const Matrix3& F) {
  Matrix3 C;
  C.col(0) = F.col(1).cross(F.col(2));
  C.col(1) = F.col(2).cross(F.col(0));
  C.col(2) = F.col(0).cross(F.col(1));
  return C;
}

Matrix9 NeoHookeanDerivative(const NeoHookean& m, const Matrix3& F) {
  const double s = 1 / (F.squaredNorm() + 1);
  const Vector9 f = Flat(F), g = Flat(Cofactors(F));
  Matrix9 H = 2 * m.mu * s * s * f * f.transpose() + m.lambda * g * g.transpose();
  H.diagonal().array() += m.mu * (1 - s);
  // The second derivative of det F.
  const double w = m.lambda * (F.determinant() - m.alpha);
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Matrix3 S = w * Skew(F.col(k));
    H.block<3, 3>(3 * j, 3 * i) += S;
    H.block<3, 3>(3 * i, 3 * j) -= S;
  }
  return H;
}

// In the axes of F = U diag(s) V^T the derivative falls apart: 3x3 for stretches and, for each pair of axes, a
// symmetric and an antisymmetric turn.
Matrix9 NeoHookeanPositive(const NeoHookean& m, const Matrix3& F) {
  const Eigen::JacobiSVD<Matrix3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Matrix3 &U = svd.matrixU(), &V = svd.matrixV();
  const Vector3 s = svd.singularValues();
  const double d = U.determinant() * V.determinant() < 0 ? -1 : 1;  // det F = d s0 s1 s2
  const double t = 1 / (s.squaredNorm() + 1), J = d * s.prod(), w = d * m.lambda * (J - m.alpha);
  const Vector3 c(s[1] * s[2], s[2] * s[0], s[0] * s[1]);
  Matrix3 stretch = 2 * m.mu * t * t * s * s.transpose() + m.lambda * c * c.transpose();
  for (int i = 0; i < 3; ++i) {
    stretch(i, i) += m.mu * (1 - t);
    stretch(i, (i + 1) % 3) += w * s[(i + 2) % 3];
    stretch((i + 1) % 3, i) += w * s[(i + 2) % 3];
  }
  const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(stretch);
  Matrix9 modes;
  Vector9 values;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    modes.col(k) = Flat(U * eigen.eigenvectors().col(k).asDiagonal() * V.transpose());
    values[k] = eigen.eigenvalues()[k];
    const Matrix3 ij = U.col(i) * V.col(j).transpose() * std::sqrt(0.5);
    const Matrix3 ji = U.col(j) * V.col(i).transpose() * std::sqrt(0.5);
    modes.col(3 + k) = Flat(ij + ji);
    values[3 + k] = m.mu * (1 - t) - w * s[k];
    modes.col(6 + k) = Flat(ij - ji);
    values[6 + k] = m.mu * (1 - t) + w * s[k];
  }
  return modes * values.cwiseMax(0.0).asDiagonal() * modes.transpose();
}

// dR = R [w]x with (tr S - S) w = axis of R^T dF - dF^T R.
Matrix9 RotationDerivative(const Matrix3& R, const Matrix3& S) {
  const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(S.trace() * Matrix3::Identity() - S);
  const double floor = 1e-9 * eigen.eigenvalues().cwiseAbs().maxCoeff();
  Vector3 inverse;
  for (int k = 0; k < 3; ++k) {
    inverse[k] = std::abs(eigen.eigenvalues()[k]) > floor ? 1 / eigen.eigenvalues()[k] : 0.0;
  }
  const Matrix3 G = eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
  Matrix9 out;
  for (int l = 0; l < 3; ++l) {
    for (int k = 0; k < 3; ++k) {
      // dF = e_k e_l^T: R^T dF has only column l, row k of R.
      const Vector3 axis = Vector3::Unit(l).cross(R.row(k).transpose());
      out.col(3 * l + k) = Flat(R * Skew(G * axis));
    }
  }
  return out;
}

Matrix9 CorotationalDerivative(const LameConstants& lame, const Matrix3& F) {
  const Matrix3 R = CalcRotation(F);
  Matrix3 S = R.transpose() * F;
  S = 0.5 * (S + S.transpose()).eval();
  const Vector9 r = Flat(R);
  Matrix9 H =
      lame.lambda * r * r.transpose() + (lame.lambda * (S.trace() - 3) - 2 * lame.mu) * RotationDerivative(R, S);
  H.diagonal().array() += 2 * lame.mu;
  return H;
}

// dP = R (2 mu sym(R^T dF) + lambda tr(R^T dF)) = mu (dF + R dF^T R) + lambda R tr(R^T dF).
Matrix9 CorotationalPositive(const LameConstants& lame, const Matrix3& F) {
  const Matrix3 R = CalcRotation(F);
  const Vector9 r = Flat(R);
  Matrix9 H = lame.lambda * r * r.transpose();
  H.diagonal().array() += lame.mu;
  for (int l = 0; l < 3; ++l) {
    for (int k = 0; k < 3; ++k) H.col(3 * l + k) += lame.mu * Flat(R.col(l) * R.row(k));
  }
  return H;
}

}  // namespace

double CalcEnergyDensity(FemModel model, const LameConstants& lame, const Matrix3& F) {
  if (model == FemModel::Corotational) {
    const Matrix3 R = CalcRotation(F);
    const double trace = R.cwiseProduct(F).sum() - 3;
    return lame.mu * (F - R).squaredNorm() + 0.5 * lame.lambda * trace * trace;
  }
  const NeoHookean m(lame);
  const auto raw = [&](double squared, double J) {
    return 0.5 * m.mu * (squared - 3 - std::log(squared + 1)) + 0.5 * m.lambda * (J - m.alpha) * (J - m.alpha);
  };
  return raw(F.squaredNorm(), F.determinant()) - raw(3, 1);
}

Matrix3 CalcStress(FemModel model, const LameConstants& lame, const Matrix3& F) {
  if (model == FemModel::Corotational) {
    const Matrix3 R = CalcRotation(F);
    return 2 * lame.mu * (F - R) + lame.lambda * (R.cwiseProduct(F).sum() - 3) * R;
  }
  const NeoHookean m(lame);
  return m.mu * (1 - 1 / (F.squaredNorm() + 1)) * F + m.lambda * (F.determinant() - m.alpha) * Cofactors(F);
}

Matrix9 CalcStressDerivative(FemModel model, const LameConstants& lame, const Matrix3& F) {
  return model == FemModel::Corotational ? CorotationalDerivative(lame, F) : NeoHookeanDerivative(NeoHookean(lame), F);
}

Matrix9 CalcPositiveDerivative(FemModel model, const LameConstants& lame, const Matrix3& F) {
  return model == FemModel::Corotational ? CorotationalPositive(lame, F) : NeoHookeanPositive(NeoHookean(lame), F);
}

double CalcVonMises(FemModel model, const LameConstants& lame, const Matrix3& F) {
  if (model == FemModel::Corotational) {
    // R S R^T - 1 and so the stress have the axes of S: its eigenvalues are enough, which takes no decomposition.
    Vector3 stretch = Eigen::SelfAdjointEigenSolver<Matrix3>()
                          .computeDirect(F.transpose() * F, Eigen::EigenvaluesOnly)
                          .eigenvalues()
                          .cwiseMax(0)
                          .cwiseSqrt();
    if (F.determinant() < 0) stretch[0] = -stretch[0];
    stretch.array() -= stretch.mean();
    return 2 * lame.mu * std::sqrt(1.5) * stretch.norm();
  }
  Matrix3 s = CalcStress(model, lame, F) * F.transpose() / std::max(std::abs(F.determinant()), 1e-12);
  s.diagonal().array() -= s.trace() / 3;
  return std::sqrt(1.5 * s.squaredNorm());
}

}  // namespace tactus
