// Problems at the edge of sense: no friction, absurd friction and mass ratios, copies of contacts, rows that do
// nothing, and demands that contradict each other.
#include <cmath>

#include <gtest/gtest.h>

#include "tactus/generate/bolt.h"
#include "tactus/generate/wedge.h"
#include "tests/common/honesty.h"
#include "tests/common/small_problems.h"
#include "tests/common/solver_abilities.h"

namespace tactus {
namespace {

class Degenerate : public EverySolver {
 protected:
  /// Solves and checks the report; hybrid must solve it.
  SolveReport Check(const ContactProblem& p, const std::string& what, ContactSolution* solution) {
    SolveSettings s = settings();
    s.time_budget = 10;
    SolveReport report = solver().Solve(p, s, WarmStart(), solution);
    ExpectHonest(p, s, report, *solution, what);
    if (GetParam() == "hybrid") {
      EXPECT_EQ(report.status, SolveStatus::Solved) << what << ": " << report.message << report.residual.Summary();
    }
    return report;
  }

  /// Demands that no motion meets: never solved, and hybrid says what it suspects.
  void CheckContradiction(const ContactProblem& p, const std::string& what) {
    SolveSettings s = settings();
    s.time_budget = 10;
    ContactSolution solution;
    const SolveReport report = solver().Solve(p, s, WarmStart(), &solution);
    ExpectHonest(p, s, report, solution, what);
    EXPECT_NE(report.status, SolveStatus::Solved) << what << "\n" << report.residual.Summary();
    EXPECT_NE(report.status, SolveStatus::AlmostSolved) << what << "\n" << report.residual.Summary();
    if (GetParam() == "hybrid") {
      EXPECT_EQ(report.status, SolveStatus::Stalled) << what << ": " << ToString(report.status);
      EXPECT_NE(report.message, "") << what;
    }
  }
};

TEST_P(Degenerate, FrictionFromNoneToAbsurd) {
  for (const double mu : {0.0, 1e-8, 10.0, 1e3, 1e6}) {
    BoxSettings box;
    box.mu = mu;
    box.push = 0.5;
    ContactSolution solution;
    const SolveReport report = Check(MakeBox(box), "box, mu " + std::to_string(mu), &solution);
    if (!report.solved()) continue;
    // Beyond mu = 2 it tips over instead of stopping.
    if (mu < 2) {
      EXPECT_NEAR(solution.velocity[0], std::max(0.0, 0.5 - mu * 9.81 * 0.01), 1e-5) << "mu " << mu;
    }
    BoltSettings bolt;
    bolt.contacts = 20;
    bolt.mu = std::min(mu, 10.0);
    Check(MakeBolt(bolt, 3), "bolt, mu " + std::to_string(bolt.mu), &solution);
  }
}

TEST_P(Degenerate, MassRatios) {
  for (const double ratio : {1e-6, 1e-3, 1e3, 1e6}) {
    ContactProblemBuilder builder;
    double mass = 1, z = 0;
    BodyIndex below = kWorld;
    for (int i = 0; i < 2; ++i, mass *= ratio, z += 0.1) {
      Vector6 momentum = Vector6::Zero();
      momentum[0] = 0.02 * mass;
      momentum[2] = -9.81 * 0.01 * mass;
      const BodyIndex box = builder.AddFreeBody(MakeBoxInertia(mass, {0.1, 0.1, 0.05}), momentum, {0, 0, z + 0.05});
      for (const double x : {-0.1, 0.1}) {
        for (const double y : {-0.1, 0.1})
          builder.AddContact(box, below, {x, y, z}, Matrix3::Identity(), 0.5, Vector3::Zero());
      }
      below = box;
    }
    const ContactProblem p = builder.Build();
    ContactSolution solution;
    Check(p, "masses 1 : " + std::to_string(ratio), &solution);
  }
}

TEST_P(Degenerate, TheSameContactManyTimes) {
  for (const int copies : {2, 7, 50}) {
    BoxSettings box;
    box.copies = copies;
    box.push = 1;
    const ContactProblem p = MakeBox(box);
    for (const bool delassus : {false, true}) {
      if (delassus && copies > 7) continue;
      ContactSolution solution;
      const ContactProblem q = delassus ? MakeDelassusPair(p) : p;
      const SolveReport report = Check(q, std::to_string(copies) + " copies", &solution);
      if (!report.solved() || delassus) continue;
      EXPECT_NEAR(solution.velocity[0], 1 - 0.5 * 9.81 * 0.01, 1e-5) << copies;
    }
  }
}

// A row of zeros changes no motion. It is met (or not) by its offset alone.
TEST_P(Degenerate, RowsOfZeros) {
  ContactProblemBuilder builder;
  Vector6 momentum = Vector6::Zero();
  momentum[2] = -1;
  const BodyIndex body = builder.AddFreeBody(MakeBoxInertia(1, {0.1, 0.1, 0.1}), momentum, Vector3::Zero());
  builder.AddContact(body, kWorld, {0, 0, -0.1}, Matrix3::Identity(), 0.3, Vector3::Zero());
  builder.AddContactRows({}, MatrixX::Zero(3, 0), 0.3, Vector3(0, 0, 0.1));
  builder.AddContactRows({0, 1, 2}, MatrixX::Zero(3, 3), 0.3, Vector3(0.1, 0, 0.1));
  builder.AddRow(RowLaw::Inequality(), {}, VectorX(0), 0.1);
  builder.AddRow(RowLaw::Inequality(), {0, 1}, VectorX::Zero(2), 0);
  builder.AddRow(RowLaw::Equality(), {2}, VectorX::Zero(1), 0);
  builder.AddRow(RowLaw::Soft(1, 0.2), {2}, VectorX::Zero(1), 0);
  const ContactProblem p = builder.Build();
  ContactSolution solution;
  const SolveReport report = Check(p, "rows of zeros", &solution);
  if (report.solved()) {
    EXPECT_NEAR(solution.velocity[2], 0, 1e-6);
  }
}

TEST_P(Degenerate, ZeroRowThatDemandsMotion) {
  ContactProblemBuilder builder;
  builder.AddFreeBody(Matrix6::Identity(), Vector6::Ones(), Vector3::Zero());
  builder.AddRow(RowLaw::Equality(), {0, 1}, VectorX::Zero(2), 0.5);
  CheckContradiction(builder.Build(), "a row of zeros that should move");
}

TEST_P(Degenerate, Wedge) {
  for (const double mu : {0.3, 1.0}) {
    WedgeSettings wedge;
    wedge.mu = mu;
    CheckContradiction(MakeWedge(wedge, 0), "wedge, mu " + std::to_string(mu));
    wedge.feasible = true;
    ContactSolution solution;
    Check(MakeWedge(wedge, 0), "wedge with room, mu " + std::to_string(mu), &solution);
  }
}

// y >= 0.1 and -y >= 0.1.
TEST_P(Degenerate, OpposingInequalities) {
  for (const double scale : {1e-3, 1.0, 1e3}) {
    ContactProblemBuilder builder;
    builder.AddDense(MatrixX::Constant(1, 1, scale), VectorX::Zero(1));
    builder.AddRow(RowLaw::Inequality(), {0}, VectorX::Constant(1, 1), -0.1);
    builder.AddRow(RowLaw::Inequality(), {0}, VectorX::Constant(1, -1), -0.1);
    CheckContradiction(builder.Build(), "opposing inequalities, mass " + std::to_string(scale));
  }
}

TEST_P(Degenerate, OpposingEqualities) {
  ContactProblemBuilder builder;
  builder.AddDense(MatrixX::Constant(1, 1, 2), VectorX::Constant(1, 1));
  builder.AddRow(RowLaw::Equality(), {0}, VectorX::Constant(1, 1), -0.1);
  builder.AddRow(RowLaw::Equality(), {0}, VectorX::Constant(1, 1), 0.1);
  CheckContradiction(builder.Build(), "opposing equalities");
}

// Two walls that both push a body the other's way.
TEST_P(Degenerate, OpposingContacts) {
  Matrix3 down;
  down << 1, 0, 0, 0, -1, 0, 0, 0, -1;
  for (const double mu : {0.0, 0.5}) {
    ContactProblemBuilder builder;
    const BodyIndex body = builder.AddFreeBody(Matrix6::Identity(), Vector6::Zero(), Vector3::Zero());
    builder.AddContact(body, kWorld, {0, 0, -1}, Matrix3::Identity(), mu, Vector3(0, 0, -0.1));
    builder.AddContact(body, kWorld, {0, 0, 1}, down, mu, Vector3(0, 0, -0.1));
    CheckContradiction(builder.Build(), "walls that close in, mu " + std::to_string(mu));
  }
}

// Redundant but consistent: solved, however many copies there are.
TEST_P(Degenerate, RedundantEqualities) {
  ContactProblemBuilder builder;
  builder.AddDense(MatrixX(MatrixX::Identity(2, 2)), VectorX::Constant(2, 1));
  for (int k = 1; k <= 5; ++k) builder.AddRow(RowLaw::Equality(), {0, 1}, VectorX::Constant(2, k), -0.1 * k);
  ContactSolution solution;
  const SolveReport report = Check(builder.Build(), "the same equality five times", &solution);
  if (report.solved()) {
    EXPECT_NEAR(solution.velocity.sum(), 0.1, 1e-5);
  }
}

TACTUS_FOR_EVERY_SOLVER(Degenerate);

}  // namespace
}  // namespace tactus
