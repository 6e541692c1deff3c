#include "tactus/math/cones.h"

#include <random>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include "tactus/math/finite_difference.h"

namespace tactus {
namespace {

using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Vector3 RandomVector(std::mt19937* random, double scale = 1) {
  std::normal_distribution<double> normal(0, scale);
  return {normal(*random), normal(*random), normal(*random)};
}

// True if the branch does not change within a box around x, so that differences do not straddle a kink.
template <typename Operator>
bool AwayFromKinks(const Operator& branch, const Vector3& x, double radius) {
  const auto here = branch(x);
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3 d(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    if (branch(x + radius * d) != here) return false;
  }
  return std::hypot(x[0], x[1]) > 10 * radius;
}

// Checks D of a contact operator (x, lambda, D) -> mode against differences at many random points.
template <typename Operator>
void CheckContactJacobian(const Operator& op, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto branch = [&](const Vector3& x) {
    double lambda[3];
    return op(x.data(), lambda, nullptr);
  };
  int seen[3] = {0, 0, 0};
  for (int k = 0; k < 2000; ++k) {
    const Vector3 x = RandomVector(&random);
    if (!AwayFromKinks(branch, x, 1e-3)) continue;
    double lambda[3];
    RowMatrix3 D;
    const ContactMode mode = op(x.data(), lambda, D.data());
    ++seen[static_cast<int>(mode)];
    const MatrixX expected = CalcFiniteDifferenceJacobian(
        [&](const VectorX& y) {
          VectorX out(3);
          op(y.data(), out.data(), nullptr);
          return out;
        },
        x);
    ASSERT_LT((D - expected).cwiseAbs().maxCoeff(), 2e-6) << "x = " << x.transpose() << "\n" << D << "\n" << expected;
  }
  EXPECT_GT(seen[static_cast<int>(ContactMode::Open)], 20);
  EXPECT_GT(seen[static_cast<int>(ContactMode::Slip)], 20);
}

TEST(StrictProjection, JacobianMatchesDifferences) {
  for (const double mu : {0.0, 0.1, 0.5, 1.0, 3.0}) {
    CheckContactJacobian([mu](const double* x, double* l, double* D) { return StrictProjection(x, mu, l, D); }, 1);
  }
}

TEST(ConeProjection, JacobianMatchesDifferences) {
  for (const double mu : {0.0, 0.1, 0.5, 1.0, 5.0}) {
    CheckContactJacobian([mu](const double* x, double* l, double* D) { return ConeProjection(x, mu, l, D); }, 2);
  }
}

TEST(StrictEllipseProjection, JacobianMatchesDifferences) {
  for (const Vector2& mu : {Vector2(0.2, 0.7), Vector2(1, 0.3), Vector2(0.5, 0.5), Vector2(2, 0.05)}) {
    CheckContactJacobian(
        [mu](const double* x, double* l, double* D) { return StrictEllipseProjection(x, mu[0], mu[1], l, D); }, 3);
  }
}

TEST(StrictEllipseProjection, JacobianOfASegmentMatchesDifferences) {
  const auto op = [](const double* x, double* l, double* D) { return StrictEllipseProjection(x, 0.6, 0, l, D); };
  // Modes do not tell the pieces apart here: the points are chosen off the kinks |x_0| = 0.6 x_n and x_n = 0.
  for (const Vector3& x : {Vector3(0.3, 0.4, 1), Vector3(-2, 0.4, 1), Vector3(2, -0.4, 0.5), Vector3(1, 1, -1)}) {
    RowMatrix3 D;
    double lambda[3];
    op(x.data(), lambda, D.data());
    const MatrixX expected = CalcFiniteDifferenceJacobian(
        [&](const VectorX& y) {
          VectorX out(3);
          op(y.data(), out.data(), nullptr);
          return out;
        },
        x);
    // The second tangential component is 0 for every x: the operator's own derivative there is 0.
    EXPECT_LT((D - expected).cwiseAbs().maxCoeff(), 1e-6) << x.transpose() << "\n" << D << "\n" << expected;
  }
}

TEST(SoftProjection, SlopeMatchesDifferences) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double d : {0.0, 0.3, 10.0, infinity}) {
    for (const double bound : {0.4, infinity}) {
      for (int k = 0; k < 50; ++k) {
        const double x = normal(random), beta = std::exp(normal(random)), ke = normal(random);
        double slope = 0;
        const double lambda = SoftProjection(x, beta, d, ke, -bound, bound, &slope);
        if (std::abs(std::abs(lambda) - bound) < 1e-4 && slope > 0) continue;
        const VectorX gradient = CalcFiniteDifferenceGradient(
            [&](const VectorX& y) { return SoftProjection(y[0], beta, d, ke, -bound, bound); },
            VectorX::Constant(1, x));
        EXPECT_NEAR(slope, gradient[0], 1e-7) << "d " << d << " bound " << bound;
        // The defining relation: beta z = beta y + u + lambda with lambda = -ke - d z, x = -(beta y + u).
        if (std::isinf(bound) && std::isfinite(d)) {
          EXPECT_NEAR(lambda, -ke - d * (lambda - x) / beta, 1e-9);
        }
      }
    }
  }
}

TEST(ConeProjection, IsTheEuclideanProjection) {
  std::mt19937 random(5);
  for (const double mu : {0.0, 0.2, 1.0, 4.0}) {
    for (int k = 0; k < 500; ++k) {
      const Vector3 x = RandomVector(&random);
      Vector3 lambda;
      RowMatrix3 D;
      ConeProjection(x.data(), mu, lambda.data(), D.data());
      const Vector3 normal = lambda - x;  // in the dual cone, and orthogonal to lambda (Moreau)
      EXPECT_LE(lambda.head<2>().norm(), mu * lambda[2] + 1e-14);
      EXPECT_GE(normal[2] - mu * normal.head<2>().norm(), -1e-13);
      EXPECT_NEAR(lambda.dot(normal), 0, 1e-13);
      // D symmetric with eigenvalues in [0, 1].
      EXPECT_EQ((D - D.transpose()).cwiseAbs().maxCoeff(), 0);
      const Vector3 eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix3>(Matrix3(D)).eigenvalues();
      EXPECT_GE(eigenvalues[0], -1e-14);
      EXPECT_LE(eigenvalues[2], 1 + 1e-14);
    }
  }
}

TEST(ConeProjection, OriginSticksAndNothingIsNan) {
  const double zero[3] = {0, 0, 0};
  double lambda[3], D[9];
  EXPECT_EQ(ConeProjection(zero, 0.5, lambda, D), ContactMode::Stick);
  EXPECT_EQ(ConeProjection(zero, 0, lambda, D), ContactMode::Stick);
  const double down[3] = {0, 0, -1};
  EXPECT_EQ(ConeProjection(down, 0, lambda, D), ContactMode::Open);
  for (const double d : D) EXPECT_EQ(d, 0);
  EXPECT_EQ(StrictProjection(zero, 0.5, lambda, D), ContactMode::Open);
}

// Every solution of one decoupled contact, beta sigma = lambda - x with (sigma, lambda) in the law, by going through
// the modes: open, stick, and slip along every direction of a fine grid, refined where the sideways error changes sign.
std::vector<Vector3> SolveByEnumeration(const Vector3& x, double mu, double beta) {
  std::vector<Vector3> found;
  if (x[2] <= 0) found.emplace_back(Vector3::Zero());                   // sigma_n = -x_n/beta >= 0
  if (x[2] > 0 && x.head<2>().norm() <= mu * x[2]) found.push_back(x);  // sigma = 0
  if (x[2] <= 0) return found;                                          // slip needs sigma_n = 0, lambda_n = x_n > 0
  const auto slip = [&](double angle) {
    return Vector3(-mu * x[2] * std::cos(angle), -mu * x[2] * std::sin(angle), x[2]);
  };
  const auto sideways = [&](double angle) {
    const Vector3 sigma = (slip(angle) - x) / beta;
    return sigma[0] * std::sin(angle) - sigma[1] * std::cos(angle);
  };
  const int count = 720;
  for (int k = 0; k < count; ++k) {
    double lo = 2 * M_PI * k / count, hi = 2 * M_PI * (k + 1) / count;
    if ((sideways(lo) > 0) == (sideways(hi) > 0)) continue;
    for (int i = 0; i < 60; ++i) {
      const double mid = 0.5 * (lo + hi);
      ((sideways(mid) > 0) == (sideways(lo) > 0) ? lo : hi) = mid;
    }
    const Vector3 lambda = slip(lo), sigma = (lambda - x) / beta;
    if (sigma[0] * std::cos(lo) + sigma[1] * std::sin(lo) > 0) found.push_back(lambda);  // slides along the direction
  }
  return found;
}

TEST(StrictProjection, IsTheUniqueSolutionOfOneContact) {
  std::mt19937 random(6);
  int slips = 0;
  for (const double mu : {0.1, 0.6, 2.0}) {
    for (int k = 0; k < 300; ++k) {
      const Vector3 x = RandomVector(&random);
      const double beta = std::exp(RandomVector(&random)[0]);
      Vector3 lambda;
      slips += StrictProjection(x.data(), mu, lambda.data()) == ContactMode::Slip;
      const std::vector<Vector3> all = SolveByEnumeration(x, mu, beta);
      ASSERT_EQ(all.size(), 1u) << x.transpose();
      EXPECT_LT((all[0] - lambda).norm(), 1e-12);
    }
  }
  EXPECT_GT(slips, 100);
}

// How far (sigma, lambda) is from the Signorini-Coulomb law; 0 if it holds.
double LawViolation(const Vector3& sigma, const Vector3& lambda, double mu) {
  const double slide = sigma.head<2>().norm();
  double error = std::max({0.0, -sigma[2], -lambda[2], lambda.head<2>().norm() - mu * lambda[2]});
  error = std::max(error, std::abs(sigma[2] * lambda[2]));
  if (slide > 0) error = std::max(error, (slide * lambda.head<2>() + mu * lambda[2] * sigma.head<2>()).norm());
  return error;
}

// The same of De Saxce's form: lambda in K, sigma~ in K*, orthogonal.
double DeSaxceViolation(const Vector3& sigma, const Vector3& lambda, double mu) {
  Vector3 shifted = sigma;
  shifted[2] += mu * sigma.head<2>().norm();
  return std::max({0.0, lambda.head<2>().norm() - mu * lambda[2], mu * shifted.head<2>().norm() - shifted[2],
                   std::abs(shifted.dot(lambda))});
}

// A pair that obeys the law in the given mode.
void MakeLawfulPair(ContactMode mode, double mu, std::mt19937* random, Vector3* sigma, Vector3* lambda) {
  *sigma = *lambda = Vector3::Zero();
  const Vector3 a = RandomVector(random), b = RandomVector(random);
  if (mode == ContactMode::Open) {
    *sigma = a;
    (*sigma)[2] = std::abs(a[2]);
  } else if (mode == ContactMode::Stick) {
    (*lambda)[2] = std::abs(b[2]);
    lambda->head<2>() = 0.9 * mu * (*lambda)[2] * std::abs(std::sin(b[0])) * a.head<2>().normalized();
  } else {
    sigma->head<2>() = a.head<2>();
    (*lambda)[2] = std::abs(b[2]);
    lambda->head<2>() = -mu * (*lambda)[2] * a.head<2>().normalized();
  }
}

TEST(DeSaxce, EqualsTheContactLaw) {
  std::mt19937 random(7);
  const ContactMode modes[] = {ContactMode::Open, ContactMode::Stick, ContactMode::Slip};
  for (const double mu : {0.2, 1.0, 3.0}) {
    for (int k = 0; k < 600; ++k) {
      Vector3 sigma, lambda;
      MakeLawfulPair(modes[k % 3], mu, &random, &sigma, &lambda);
      EXPECT_LT(LawViolation(sigma, lambda, mu), 1e-13);
      EXPECT_LT(DeSaxceViolation(sigma, lambda, mu), 1e-13);
      // Off the law in a random direction. A perturbation may lead along the law (longer slide, say): then both still
      // hold.
      sigma += 0.1 * RandomVector(&random);
      if (k % 2) lambda += 0.1 * RandomVector(&random);
      const bool lawful = LawViolation(sigma, lambda, mu) < 1e-12,
                 de_saxce = DeSaxceViolation(sigma, lambda, mu) < 1e-12;
      EXPECT_EQ(lawful, de_saxce) << sigma.transpose() << " / " << lambda.transpose();
    }
  }
}

TEST(EllipseProjection, IsTheClosestPoint) {
  std::mt19937 random(8);
  for (const Vector2& axes :
       {Vector2(1, 1), Vector2(2, 0.3), Vector2(1e-3, 1), Vector2(0, 0.7), Vector2(0.7, 0), Vector2(0, 0)}) {
    for (int k = 0; k < 200; ++k) {
      const Vector2 y = 2 * RandomVector(&random).head<2>();
      const Vector2 p = EllipseProjection(y, axes[0], axes[1]);
      // Variational inequality against points of the boundary.
      for (int i = 0; i < 48; ++i) {
        const double angle = 2 * M_PI * i / 48;
        const Vector2 point(axes[0] * std::cos(angle), axes[1] * std::sin(angle));
        EXPECT_LE((y - p).dot(point - p), 1e-12 * (1 + y.squaredNorm()));
      }
      for (int i = 0; i < 2; ++i) EXPECT_LE(std::abs(p[i]), axes[i] * (1 + 1e-14));
    }
  }
}

TEST(StrictEllipseProjection, ObeysMaximumDissipation) {
  std::mt19937 random(9);
  const double mu1 = 0.3, mu2 = 0.9;
  for (int k = 0; k < 300; ++k) {
    Vector3 x = RandomVector(&random);
    x[2] = std::abs(x[2]);
    Vector3 lambda;
    StrictEllipseProjection(x.data(), mu1, mu2, lambda.data());
    const Vector2 slide = (lambda - x).head<2>();  // sigma_t up to the positive factor 1/beta
    // No admissible friction dissipates more: -lambda_t . sigma_t is the largest over the ellipse.
    const double most = lambda[2] * std::hypot(mu1 * slide[0], mu2 * slide[1]);
    EXPECT_NEAR(-lambda.head<2>().dot(slide), most, 1e-12);
  }
}

}  // namespace
}  // namespace tactus
