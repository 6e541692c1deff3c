// The same problem gives the same bits: run to run, in any solver object, with any history, beside other threads.
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/generate/generator.h"
#include "tests/common/small_problems.h"
#include "tests/common/solver_abilities.h"

namespace tactus {
namespace {

class Determinism : public EverySolver {
 protected:
  /// Those that take hundreds of inner steps an iteration get few of these.
  SolveSettings Limited() const {
    SolveSettings s;
    s.max_iterations = ability().steady_path ? 20 : 3;
    return s;
  }
};

// Of all shapes: more and fewer contacts, bodies and rows; both engines of hybrid; a pair; an empty one.
const std::vector<ContactProblem>& Problems() {
  static const std::vector<ContactProblem> problems = [] {
    std::vector<ContactProblem> out;
    out.push_back(Generate("bolt", {{"contacts", 40}}, 1));
    out.push_back(Generate("dishes", {{"contacts", 32}}, 2));
    out.push_back(Generate("random", {{"bodies", 2}, {"meshes", 1}, {"contacts", 6}}, 3));
    out.push_back(Generate("chain", {{"bodies", 4}}, 4));
    out.push_back(Generate("known", {{"bodies", 3}, {"elliptic", 1}, {"contacts", 5}}, 5));
    out.push_back(MakeDelassusPair(Generate("dishes", {{"contacts", 12}}, 6)));
    out.push_back(Generate("bolt", {{"contacts", 8}}, 7));
    out.push_back(Generate("wedge", {}, 8));
    out.push_back(Generate("random", {{"contacts", 0}, {"rows", 0}}, 9));
    return out;
  }();
  return problems;
}

struct Outcome {
  ContactSolution solution;
  SolveReport report;
};

Outcome SolveWith(ContactSolver* solver, const ContactProblem& p, const SolveSettings& s, const WarmStart& warm = {}) {
  Outcome out;
  out.report = solver->Solve(p, s, warm, &out.solution);
  return out;
}

void ExpectSame(const Outcome& a, const Outcome& b, const std::string& what) {
  EXPECT_TRUE(a.solution.impulse == b.solution.impulse) << what;
  EXPECT_TRUE(a.solution.velocity == b.solution.velocity) << what;
  EXPECT_EQ(a.solution.modes, b.solution.modes) << what;
  EXPECT_EQ(a.report.status, b.report.status) << what;
  EXPECT_EQ(a.report.iterations, b.report.iterations) << what;
  EXPECT_EQ(a.report.newton_steps, b.report.newton_steps) << what;
  EXPECT_EQ(a.report.residual.natural_rho, b.report.residual.natural_rho) << what;
  EXPECT_EQ(a.report.message, b.report.message) << what;
}

TEST_P(Determinism, AnyNumberOfThreads) {
  for (const ContactProblem& p : Problems()) {
    SolveSettings settings = Limited();
    const Outcome one = SolveWith(&solver(), p, settings);
    for (settings.threads = 2; settings.threads <= 4; ++settings.threads) {
      ExpectSame(one, SolveWith(&solver(), p, settings),
                 p.name + " with " + std::to_string(settings.threads) + " threads");
    }
  }
}

TEST_P(Determinism, RunToRunAndInTwoObjects) {
  for (const ContactProblem& p : Problems()) {
    const Outcome first = SolveWith(&solver(), p, Limited()), again = SolveWith(&solver(), p, Limited());
    ExpectSame(first, again, p.name + " a second time");
    ExpectSame(first, SolveWith(MakeSolver(GetParam()).get(), p, Limited()), p.name + " in another object");
  }
}

// A workspace full of other problems' numbers must not shine through.
TEST_P(Determinism, UsedWorkspaceIsLikeAFreshOne) {
  std::vector<Outcome> fresh;
  for (const ContactProblem& p : Problems()) fresh.push_back(SolveWith(MakeSolver(GetParam()).get(), p, Limited()));
  const int count = static_cast<int>(Problems().size());
  // Every ordered pair X, Y is visited once as "Y after X".
  for (int step = 1; step < count; ++step) {
    for (int k = 0; k < count; ++k) {
      const int i = (k * step) % count;
      ExpectSame(SolveWith(&solver(), Problems()[i], Limited()), fresh[i],
                 Problems()[i].name + " in a used workspace, stride " + std::to_string(step));
    }
  }
}

TEST_P(Determinism, WarmStarts) {
  for (const ContactProblem& p : Problems()) {
    SolveSettings rough = Limited();
    rough.tolerance = 1e-3;
    const WarmStart warm{SolveWith(&solver(), p, rough).solution.impulse};
    ExpectSame(SolveWith(&solver(), p, Limited(), warm), SolveWith(MakeSolver(GetParam()).get(), p, Limited(), warm),
               p.name + " from a warm start");
  }
}

// Each thread has its own solver; problems are shared. This is the test to run under ThreadSanitizer.
TEST_P(Determinism, ThreadsDoNotDisturbEachOther) {
  const int count = static_cast<int>(Problems().size());
  std::vector<Outcome> alone;
  for (const ContactProblem& p : Problems()) alone.push_back(SolveWith(MakeSolver(GetParam()).get(), p, Limited()));
  constexpr int kThreads = 4;
  std::vector<std::vector<Outcome>> outcomes(kThreads, std::vector<Outcome>(count));
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const auto mine = MakeSolver(GetParam());
      for (int k = 0; k < count; ++k) {
        const int i = (k + t) % count;
        outcomes[t][i] = SolveWith(mine.get(), Problems()[i], Limited());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i < count; ++i) ExpectSame(outcomes[t][i], alone[i], Problems()[i].name + " in a thread");
  }
}

TACTUS_FOR_EVERY_SOLVER(Determinism);

// Making a problem twice makes it the same.
TEST(GeneratorDeterminism, SameSeedSameProblem) {
  for (const GeneratorEntry& entry : Generators()) {
    const ContactProblem a = Generate(entry.name, {}, 17), b = Generate(entry.name, {}, 17);
    EXPECT_TRUE(a.e() == b.e() && a.b() == b.b() && a.jacobian().values == b.jacobian().values) << entry.name;
  }
}

}  // namespace
}  // namespace tactus
