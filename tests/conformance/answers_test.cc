// Every solver gives the right answer, within its ability, on problems whose answer is known.
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/generate/random_problem.h"
#include "tests/common/honesty.h"
#include "tests/common/small_problems.h"
#include "tests/common/solver_abilities.h"

namespace tactus {
namespace {

class Answers : public EverySolver {};

TEST_P(Answers, PointOnPlane) {
  for (const PointCase& c : PointCases()) {
    for (const bool delassus : {false, true}) {
      const ContactProblem p = delassus ? MakeDelassusPair(MakePoint(c)) : MakePoint(c);
      SCOPED_TRACE(p.name);
      ContactSolution solution;
      const SolveReport report = solver().Solve(p, settings(), WarmStart(), &solution);
      ExpectHonest(p, settings(), report, solution);
      // Without load nothing yields, so that even compliant contact is exact.
      const bool within_ability = ability().exact || (!c.slides && (ability().exact_rows || c.impulse.isZero()));
      if (within_ability) {
        ExpectSolved(p, settings(), report, solution);
        EXPECT_LE((solution.impulse - c.impulse).norm(), 100 * ability().tolerance * c.mass * (1 + c.v_free.norm()));
        if (!c.on_edge) {
          EXPECT_EQ(solution.modes[0], c.mode);
        }
      } else if (!c.on_edge) {
        EXPECT_NE(report.status, SolveStatus::Solved) << "a relaxation must not call this solved";
      }
    }
  }
}

TEST_P(Answers, ScalarRows) {
  for (const RowCase& c : RowCases()) {
    for (const bool delassus : {false, true}) {
      const ContactProblem p = delassus ? MakeDelassusPair(MakeRow(c)) : MakeRow(c);
      SCOPED_TRACE(p.name);
      ContactSolution solution;
      const SolveReport report = solver().Solve(p, settings(), WarmStart(), &solution);
      ExpectHonest(p, settings(), report, solution);
      if (!ability().exact_rows && c.law.rigid()) continue;
      ExpectSolved(p, settings(), report, solution);
      EXPECT_NEAR(solution.impulse[0], c.impulse, 100 * ability().tolerance);
    }
  }
}

TEST_P(Answers, BoxOnPlane) {
  for (const double push : {0.0, 0.02, 1.0}) {
    for (const double mu : {0.0, 0.5}) {
      BoxSettings box;
      box.push = push;
      box.mu = mu;
      const ContactProblem p = MakeBox(box);
      ContactSolution solution;
      const SolveReport report = solver().Solve(p, settings(), WarmStart(), &solution);
      const std::string what = "push " + std::to_string(push) + ", mu " + std::to_string(mu);
      ExpectHonest(p, settings(), report, solution, what);
      const double speed = std::max(0.0, push - mu * 9.81 * box.dt);
      const bool slides = speed > 0 && mu > 0;
      if (!ability().exact && (slides || !ability().exact_rows)) continue;
      ExpectSolved(p, settings(), report, solution, what);
      Vector6 v = Vector6::Zero();
      v[0] = speed;
      EXPECT_LE((solution.velocity - v).norm(), 1e3 * ability().tolerance) << what;
    }
  }
}

// Coupled components: the impulse is chosen first, sigma by the law, and q = sigma - W lambda.
TEST_P(Answers, CoupledContactMadeFromItsAnswer) {
  if (!ability().exact) GTEST_SKIP() << ability().why;
  Matrix3 W;
  W << 2, 0.3, -0.4, 0.3, 1.5, 0.2, -0.4, 0.2, 1;
  const double mu = 0.6;
  const Vector3 slide(0.8, -0.6, 0);
  const Vector3 impulses[] = {{0, 0, 0}, {0.1, -0.2, 1}, {-mu * slide[0] * 2, -mu * slide[1] * 2, 2}};
  const Vector3 sigmas[] = {{0.3, 0.1, 0.5}, {0, 0, 0}, slide};
  for (int k = 0; k < 3; ++k) {
    const ContactProblem p = ContactProblem::FromDelassus(SparseMatrix(MatrixX(W).sparseView()),
                                                          VectorX(sigmas[k] - W * impulses[k]), {Friction(mu)});
    ContactSolution solution;
    const SolveReport report = solver().Solve(p, settings(), WarmStart(), &solution);
    ExpectSolved(p, settings(), report, solution, "case " + std::to_string(k));
    EXPECT_LE((solution.impulse - impulses[k]).norm(), 1e3 * ability().tolerance) << "case " << k;
    EXPECT_EQ(static_cast<int>(solution.modes[0]), k);
  }
}

// The two ways to write a problem down lead to the same velocities at the contacts.
TEST_P(Answers, DelassusPairAgreesWithBodies) {
  RandomSettings random;
  random.bodies = 2;
  random.trees = 1;
  random.meshes = 0;
  random.contacts = 4;
  random.rows = 5;
  random.mu = 0.4;
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const ContactProblem p = MakeKnown(random, seed).problem, pair = MakeDelassusPair(p);
    ContactSolution one, two;
    const SolveReport first = solver().Solve(p, settings(), WarmStart(), &one);
    const SolveReport second = solver().Solve(pair, settings(), WarmStart(), &two);
    ExpectHonest(p, settings(), first, one);
    ExpectHonest(pair, settings(), second, two);
    if (!first.solved() || !second.solved()) continue;
    ++solved;
    // A pair holds no e of soft rows: they are compared by impulse.
    const int contacts = 3 * p.num_contacts();
    EXPECT_LE((one.sigma - two.sigma).head(contacts).norm(), 1e4 * ability().tolerance * one.sigma.norm())
        << "seed " << seed;
  }
  if (ability().exact && std::string(solver().name()) == "hybrid") {
    EXPECT_EQ(solved, 5);
  }
}

TEST_P(Answers, EmptyProblems) {
  ContactProblemBuilder builder;
  builder.AddFreeBody(Matrix6::Identity(), Vector6::Ones(), Vector3::Zero());
  const ContactProblem free = builder.Build();
  const ContactProblem nothing = ContactProblemBuilder().Build();
  const ContactProblem pair = ContactProblem::FromDelassus(SparseMatrix(0, 0), VectorX(0), {});
  for (const ContactProblem* p : {&free, &nothing, &pair}) {
    ContactSolution solution;
    const SolveReport report = solver().Solve(*p, settings(), WarmStart(), &solution);
    ExpectSolved(*p, settings(), report, solution, "no constraints");
    EXPECT_TRUE(solution.velocity == p->free_velocity());
  }
}

TACTUS_FOR_EVERY_SOLVER(Answers);

}  // namespace
}  // namespace tactus
