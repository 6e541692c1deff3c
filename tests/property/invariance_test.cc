// What must not matter: units, the order of contacts, the choice of tangents, which body is called a.
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/generate/disguise.h"
#include "tactus/generate/generator.h"
#include "tests/common/honesty.h"
#include "tests/common/small_problems.h"
#include "tests/common/solver_abilities.h"

namespace tactus {
namespace {

class Invariance : public EverySolver {
 protected:
  /// Those that take hundreds of inner steps an iteration get few of these.
  SolveSettings Limited(int iterations) const {
    SolveSettings s = settings();
    s.max_iterations = ability().steady_path ? iterations : 4;
    return s;
  }
};

std::vector<ContactProblem> Scenes() {
  return {Generate("bolt", {{"contacts", 30}}, 1), Generate("dishes", {{"contacts", 24}}, 2), Generate("chain", {}, 3),
          Generate("known", {{"meshes", 0}}, 4), MakeDelassusPair(Generate("dishes", {{"contacts", 16}}, 5))};
}

// |a - b| in the energy norm relative to the free motion.
double VelocityDistance(const ContactProblem& p, const VectorX& a, const VectorX& b) {
  VectorX difference = a - b, scaled, scaled_free;
  p.mass().Multiply(difference, &scaled);
  p.mass().Multiply(p.free_velocity(), &scaled_free);
  return std::sqrt(difference.dot(scaled) / p.free_velocity().dot(scaled_free));
}

// Exact powers of two change no digit of any number, so every scale-free method takes the very same path.
TEST_P(Invariance, PowersOfTwoChangeNothing) {
  const SolveSettings s = Limited(200);
  for (const ContactProblem& p : Scenes()) {
    ContactSolution plain;
    const SolveReport expected = solver().Solve(p, s, WarmStart(), &plain);
    for (const auto& [mass, time] : {std::pair(1024.0, 1.0), {1.0, 1 / 1024.0}, {1 / 1024.0, 1024.0}}) {
      DisguiseSettings units;
      units.mass_unit = mass;
      units.time_unit = time;
      units.permute = units.rotate = false;
      const DisguisedProblem d = Disguise(p, 0, units);
      ContactSolution solution;
      const SolveReport report = solver().Solve(d.problem, s, WarmStart(), &solution);
      const std::string what =
          p.name + " with masses times " + std::to_string(mass) + ", times " + std::to_string(time);
      ExpectHonest(d.problem, s, report, solution, what);
      EXPECT_EQ(report.status, expected.status) << what;
      EXPECT_EQ(report.iterations, expected.iterations) << what;
      EXPECT_EQ(report.newton_steps, expected.newton_steps) << what;
      EXPECT_EQ(solution.modes, plain.modes) << what;
      EXPECT_TRUE(d.Restore(solution.impulse) == plain.impulse) << what;
    }
  }
}

// Other units round differently: the path may differ a little, the answer may not.
TEST_P(Invariance, UnitsOfMassAndTime) {
  const SolveSettings s = Limited(200);
  for (const ContactProblem& p : Scenes()) {
    ContactSolution plain;
    const SolveReport expected = solver().Solve(p, s, WarmStart(), &plain);
    for (const auto& [mass, time] : {std::pair(1e3, 1.0), {1e-3, 1.0}, {1.0, 1e3}, {1.0, 1e-3}, {1e3, 1e-3}}) {
      DisguiseSettings units;
      units.mass_unit = mass;
      units.time_unit = time;
      units.permute = units.rotate = false;
      const DisguisedProblem d = Disguise(p, 0, units);
      ContactSolution solution;
      const SolveReport report = solver().Solve(d.problem, s, WarmStart(), &solution);
      const std::string what =
          p.name + " with masses times " + std::to_string(mass) + ", times " + std::to_string(time);
      ExpectHonest(d.problem, s, report, solution, what);
      if (!ability().steady_path) continue;
      EXPECT_EQ(report.status, expected.status) << what;
      if (!expected.solved()) continue;
      EXPECT_NEAR(report.iterations, expected.iterations, std::max(1.0, 0.02 * expected.iterations)) << what;
      EXPECT_EQ(solution.modes, plain.modes) << what;
    }
  }
}

TEST_P(Invariance, OrderOfContactsAndTangents) {
  if (!ability().exact) GTEST_SKIP() << ability().why;
  const SolveSettings s = GetParam() == "hybrid" ? settings() : Limited(2000);
  for (const ContactProblem& p : Scenes()) {
    ContactSolution plain;
    const SolveReport expected = solver().Solve(p, s, WarmStart(), &plain);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const DisguisedProblem d = Disguise(p, seed);
      ContactSolution solution;
      const SolveReport report = solver().Solve(d.problem, s, WarmStart(), &solution);
      const std::string what = p.name + ", disguise " + std::to_string(seed);
      ExpectHonest(d.problem, s, report, solution, what);
      if (GetParam() == "hybrid") {
        EXPECT_TRUE(report.solved()) << what << ": " << report.residual.Summary();
      }
      if (!report.solved()) continue;
      // The answer of the disguise answers the original.
      const NcpResidual restored = CalcNcpResidual(p, d.Restore(solution.impulse));
      EXPECT_LE(restored.natural_rho, 1.01 * s.tolerance) << what;
      if (!expected.solved() || !p.has_dynamics()) continue;
      EXPECT_LE(VelocityDistance(p, plain.velocity, solution.velocity), 1e3 * s.tolerance) << what;
    }
  }
}

TEST_P(Invariance, WorldMayBeEitherBody) {
  if (!ability().exact) GTEST_SKIP() << ability().why;
  for (const double push : {0.02, 1.0}) {
    BoxSettings box;
    box.push = push;
    const ContactProblem on_world = MakeBox(box);
    box.world_first = true;
    const ContactProblem world_on = MakeBox(box);
    ContactSolution one, two;
    const SolveReport first = solver().Solve(on_world, settings(), WarmStart(), &one);
    const SolveReport second = solver().Solve(world_on, settings(), WarmStart(), &two);
    ExpectSolved(on_world, settings(), first, one);
    ExpectSolved(world_on, settings(), second, two);
    EXPECT_LE((one.velocity - two.velocity).norm(), 1e3 * ability().tolerance);
    EXPECT_EQ(one.modes, two.modes);
  }
}

// Bodies swap their roles: lambda acts on a, -lambda on b, and n points from b to a.
TEST_P(Invariance, BodiesMaySwap) {
  if (!ability().exact) GTEST_SKIP() << ability().why;
  Matrix3 turned;
  turned << 0, 1, 0, 1, 0, 0, 0, 0, -1;
  VectorX velocity[2];
  for (const bool swap : {false, true}) {
    ContactProblemBuilder builder;
    const Matrix6 inertia = MakeBoxInertia(1, {0.1, 0.2, 0.3});
    Vector6 up, down;
    up << 0.5, 0, 1, 0.1, 0.2, 0.3;
    down << 0, 0.2, -1, 0, 0, 0.1;
    const BodyIndex low = builder.AddFreeBody(inertia, up, Vector3(0, 0, -0.3));
    const BodyIndex high = builder.AddFreeBody(2 * inertia, down, Vector3(0.1, 0, 0.3));
    for (const double x : {-0.1, 0.1}) {
      if (swap) {
        builder.AddContact(low, high, {x, 0.05, 0}, turned, 0.4, Vector3::Zero());
      } else {
        builder.AddContact(high, low, {x, 0.05, 0}, Matrix3::Identity(), 0.4, Vector3::Zero());
      }
    }
    const ContactProblem p = builder.Build();
    ContactSolution solution;
    const SolveReport report = solver().Solve(p, settings(), WarmStart(), &solution);
    ExpectSolved(p, settings(), report, solution);
    velocity[swap ? 1 : 0] = solution.velocity;
  }
  EXPECT_LE((velocity[0] - velocity[1]).norm(), 1e3 * ability().tolerance);
}

// Other programs store W symmetric in value only: a tiny entry here whose mirror image is left out. Several scenes that
// do not touch make W large enough to be sparse.
TEST_P(Invariance, OneSidedTinyEntriesOfW) {
  if (!ability().exact) GTEST_SKIP() << ability().why;
  const ContactProblem scene = MakeDelassusPair(Generate("dishes", {{"contacts", 16}}, 5));
  const int copies = 6, n = scene.size(), nc = scene.num_contacts();
  ASSERT_EQ(scene.num_rows(), 0);
  VectorX q(copies * n);
  std::vector<Friction> friction;
  std::vector<Eigen::Triplet<double>> entries, more;
  for (int copy = 0; copy < copies; ++copy) {
    q.segment(copy * n, n) = scene.e();
    for (int i = 0; i < nc; ++i) friction.push_back(scene.friction(i));
    for (int r = 0; r < n; ++r) {
      for (SparseMatrix::InnerIterator it(scene.W(), r); it; ++it) {
        entries.emplace_back(copy * n + r, copy * n + static_cast<int>(it.col()), it.value());
      }
    }
    const int other = (copy * 5 + 3) % copies;
    if (other != copy) more.emplace_back(copy * n + copy % n, other * n + 1, 1e-22 * scene.W().diagonal().maxCoeff());
  }
  SparseMatrix plain(copies * n, copies * n), one_sided(copies * n, copies * n);
  plain.setFromTriplets(entries.begin(), entries.end());
  entries.insert(entries.end(), more.begin(), more.end());
  one_sided.setFromTriplets(entries.begin(), entries.end());
  ContactSolution expected, solution;
  const ContactProblem p = ContactProblem::FromDelassus(plain, q, friction);
  const SolveReport report = solver().Solve(p, settings(), WarmStart(), &expected);
  const ContactProblem p2 = ContactProblem::FromDelassus(one_sided, q, friction);
  const SolveReport report2 = solver().Solve(p2, settings(), WarmStart(), &solution);
  EXPECT_EQ(report.status, report2.status) << report2.message;
  ExpectHonest(p2, settings(), report2, solution, "one-sided");
}

TACTUS_FOR_EVERY_SOLVER(Invariance);

}  // namespace
}  // namespace tactus
