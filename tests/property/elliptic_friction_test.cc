// Anisotropic friction: the answer dissipates as much as its ellipse allows, and a round ellipse is a circle.
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/generate/random_problem.h"
#include "tests/common/honesty.h"
#include "tests/common/small_problems.h"
#include "tests/common/solver_abilities.h"

namespace tactus {
namespace {

class EllipticFriction : public EverySolver {};

ContactProblem MakeSlide(const Friction& friction, double angle, double speed) {
  return ContactProblem::FromMatrices(MatrixX(2 * Matrix3::Identity()),
                                      VectorX(2 * Vector3(speed * std::cos(angle), speed * std::sin(angle), -1)),
                                      MatrixX(Matrix3::Identity()), VectorX(Vector3::Zero()), {friction});
}

// Power taken from a sliding velocity by the best impulse in the ellipse, by trying all directions.
double BestPower(const Friction& f, double normal, const Vector3& sigma) {
  double best = 0;
  for (int k = 0; k < 100000; ++k) {
    const double a = 2 * M_PI * k / 100000;
    best = std::max(best, -normal * (f.mu1 * std::cos(a) * sigma[0] + f.mu2 * std::sin(a) * sigma[1]));
  }
  return best;
}

TEST_P(EllipticFriction, DissipatesMost) {
  if (!ability().exact) GTEST_SKIP() << ability().why;
  for (const Friction& f : {Friction(0.8, 0.2), Friction(0.1, 1.5), Friction(0.5, 0.0), Friction(0.0, 0.3)}) {
    for (const double angle : {0.0, 0.3, 1.2, 2.5, 4.0}) {
      const ContactProblem p = MakeSlide(f, angle, 3);
      ContactSolution solution;
      const SolveReport report = solver().Solve(p, settings(), WarmStart(), &solution);
      const std::string what =
          "ellipse " + std::to_string(f.mu1) + ", " + std::to_string(f.mu2) + " at " + std::to_string(angle);
      ExpectHonest(p, settings(), report, solution, what);
      if (!ability().any_contact && !report.solved()) continue;
      ExpectSolved(p, settings(), report, solution, what);
      const Vector3 sigma = solution.sigma, impulse = solution.impulse;
      EXPECT_NEAR(-impulse.head<2>().dot(sigma.head<2>()), BestPower(f, impulse[2], sigma), 1e-6) << what;
      EXPECT_NEAR(impulse[2], 2, 1e-5) << what;
    }
  }
}

// Inside the ellipse nothing moves, on either axis up to its own limit.
TEST_P(EllipticFriction, SticksInsideTheEllipse) {
  if (!ability().exact) GTEST_SKIP() << ability().why;
  const Friction f(0.8, 0.2);
  for (const double angle : {0.0, 0.7, 1.5707963267948966}) {
    const double speed = 0.95 / std::hypot(std::cos(angle) / f.mu1, std::sin(angle) / f.mu2);
    const ContactProblem p = MakeSlide(f, angle, speed);
    ContactSolution solution;
    const SolveReport report = solver().Solve(p, settings(), WarmStart(), &solution);
    ExpectSolved(p, settings(), report, solution, "angle " + std::to_string(angle));
    EXPECT_LE(solution.velocity.norm(), 1e-5);
    EXPECT_EQ(solution.modes[0], ContactMode::Stick);
  }
}

// The elliptic road, taken with a nearly round ellipse, leads to the circle's answer.
TEST_P(EllipticFriction, RoundEllipseIsACircle) {
  if (!ability().exact) GTEST_SKIP() << ability().why;
  RandomSettings random;
  random.bodies = 4;
  random.trees = random.meshes = 0;
  random.contacts = 4;
  random.rows = 3;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const ContactProblem p = MakeRandom(random, seed);
    const VectorX ones = VectorX::Ones(p.size());
    const ContactProblem round = p.WithScaledRows(ones, std::vector<Friction>(p.num_contacts(), Friction(0.5)));
    const ContactProblem ellipse =
        p.WithScaledRows(ones, std::vector<Friction>(p.num_contacts(), Friction(0.5, 0.5 * (1 + 1e-12))));
    ContactSolution one, two;
    const SolveReport first = solver().Solve(round, settings(), WarmStart(), &one);
    const SolveReport second = solver().Solve(ellipse, settings(), WarmStart(), &two);
    ExpectHonest(round, settings(), first, one);
    ExpectHonest(ellipse, settings(), second, two);
    if (GetParam() == "hybrid") {
      EXPECT_TRUE(first.solved() && second.solved()) << seed;
    }
    if (!first.solved() || !second.solved()) continue;
    EXPECT_LE((one.velocity - two.velocity).norm(), 1e3 * ability().tolerance * (1 + one.velocity.norm())) << seed;
  }
}

TACTUS_FOR_EVERY_SOLVER(EllipticFriction);

}  // namespace
}  // namespace tactus
