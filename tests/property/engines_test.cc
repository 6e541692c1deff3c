// Hybrid has two engines, in body space and in Delassus form. They must agree on what is an answer.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/generate/generator.h"
#include "tactus/solvers/hybrid/body_space_engine.h"
#include "tactus/solvers/hybrid/hybrid_solver.h"
#include "tests/common/honesty.h"

namespace tactus {
namespace {

ContactProblem WithoutGeometry(const ContactProblem& p) {
  std::vector<Friction> friction;
  friction.reserve(p.num_contacts());
  for (int i = 0; i < p.num_contacts(); ++i) friction.push_back(p.friction(i));
  return p.WithScaledRows(VectorX::Ones(p.size()), friction);
}

Termination SolveInBodySpace(const ContactProblem& p, const SolveSettings& settings, bool cold, BodySpaceEngine* engine,
                             VectorX* impulse) {
  SolveReport report;
  SolveMonitor monitor(p, settings, &report);
  engine->Build(p);
  return engine->Solve(cold, 500, &monitor, impulse, &report);
}

// Of the velocities after two impulses, in the energy norm, relative to the free motion.
double Distance(const ContactProblem& p, const VectorX& one, const VectorX& two) {
  VectorX v, w, momentum;
  p.CalcVelocity(one, &v);
  p.CalcVelocity(two, &w);
  v -= w;
  p.mass().Multiply(v, &momentum);
  return std::sqrt(v.dot(momentum) / p.b().dot(p.free_velocity()));
}

// The exact law may have several solutions (a stack of dishes has), so each engine is started from the other's answer:
// it must call it an answer too, and leave it where it is.
TEST(Engines, EachAcceptsTheAnswerOfTheOther) {
  HybridSolver delassus;
  BodySpaceEngine engine;
  SolveSettings settings;
  settings.tolerance = 1e-10;
  for (const char* kind : {"bolt", "dishes", "chain"}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const ContactProblem p = Generate(kind, {}, seed);
      SCOPED_TRACE(p.provenance);
      ASSERT_TRUE(BodySpaceEngine::Supports(p));
      const ContactProblem rows = WithoutGeometry(p);  // so it is solved in Delassus form
      ASSERT_FALSE(BodySpaceEngine::Supports(rows));

      VectorX in_bodies = VectorX::Zero(p.size());
      EXPECT_EQ(SolveInBodySpace(p, settings, true, &engine, &in_bodies), Termination::Converged);
      ContactSolution in_contacts, again;
      ExpectSolved(rows, settings, delassus.Solve(rows, settings, WarmStart(), &in_contacts), in_contacts);

      const SolveReport warm = delassus.Solve(rows, settings, WarmStart{in_bodies}, &again);
      ExpectSolved(rows, settings, warm, again);
      EXPECT_LE(warm.iterations, 5);
      EXPECT_LE(Distance(p, again.impulse, in_bodies), 1e-7);
      VectorX back = in_contacts.impulse;
      EXPECT_EQ(SolveInBodySpace(p, settings, false, &engine, &back), Termination::Converged);
      EXPECT_LE(Distance(p, back, in_contacts.impulse), 1e-7);
    }
  }
}

// One nut on a bolt moves in one way.
TEST(Engines, SameMotionOfANut) {
  HybridSolver delassus;
  BodySpaceEngine engine;
  SolveSettings settings;
  settings.tolerance = 1e-11;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const ContactProblem p = Generate("bolt", {{"mu", 0.1}}, seed);
    VectorX in_bodies = VectorX::Zero(p.size());
    EXPECT_EQ(SolveInBodySpace(p, settings, true, &engine, &in_bodies), Termination::Converged);
    ContactSolution in_contacts;
    const ContactProblem rows = WithoutGeometry(p);
    ExpectSolved(rows, settings, delassus.Solve(rows, settings, WarmStart(), &in_contacts), in_contacts);
    EXPECT_LE(Distance(p, in_bodies, in_contacts.impulse), 1e-7) << seed;
  }
}

}  // namespace
}  // namespace tactus
