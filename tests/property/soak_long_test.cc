// Many random problems, most of them strange: no crash, no hang, no report that is not true.
//
// TACTUS_SOAK sets the number of problems (100000 for hybrid, a twentieth of that for each other solver).
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tactus/core/random.h"
#include "tactus/core/timer.h"
#include "tactus/generate/disguise.h"
#include "tactus/generate/generator.h"
#include "tactus/generate/random_problem.h"
#include "tests/common/honesty.h"
#include "tests/common/small_problems.h"
#include "tests/common/solver_abilities.h"

namespace tactus {
namespace {

int SoakCount() {
  const char* text = std::getenv("TACTUS_SOAK");
  const int count = text ? std::atoi(text) : 0;
  return count > 0 ? count : 100000;
}

/// How often a solve ended how.
struct Tally {
  std::array<int, 8> status{};
  int total = 0, known = 0, known_solved = 0, rough = 0, rough_solved = 0;
  double slowest = 0;
  std::string slowest_of;

  void Print(const std::string& solver, double seconds) const {
    std::printf("%-14s %d problems in %.1f s:", solver.c_str(), total, seconds);
    for (int k = 0; k < 8; ++k) {
      if (status[k] > 0) std::printf("  %s %d", ToString(static_cast<SolveStatus>(k)), status[k]);
    }
    if (known > 0)
      std::printf("  known solutions %d of %d (%.2f %%)", known_solved, known, 100.0 * known_solved / known);
    if (rough > 0) std::printf("  with mu > 2 %d of %d (%.2f %%)", rough_solved, rough, 100.0 * rough_solved / rough);
    std::printf("  slowest %.0f ms (%s)\n", 1e3 * slowest, slowest_of.c_str());
    std::fflush(stdout);
  }
};

double LogUniform(Random* random, double lo, double hi) { return lo * std::pow(hi / lo, random->Uniform()); }

double LargestFriction(const ContactProblem& p) {
  double largest = 0;
  for (int i = 0; i < p.num_contacts(); ++i) largest = std::max({largest, p.friction(i).mu1, p.friction(i).mu2});
  return largest;
}

RandomSettings SmallSettings(Random* random) {
  RandomSettings s;
  s.bodies = random->Index(4);
  s.trees = random->Uniform() < 0.15 ? 1 : 0;
  s.meshes = random->Uniform() < 0.05 ? 1 : 0;
  if (s.bodies + s.trees + s.meshes == 0) s.bodies = 1;
  s.contacts = random->Index(9);
  s.rows = random->Uniform() < 0.5 ? 0 : random->Index(6);
  const double mu[] = {0, 0.1, 0.5, 1, 10, 100};
  s.mu = mu[random->Index(6)];
  s.elliptic = random->Uniform() < 0.2;
  s.mass_ratio = random->Uniform() < 0.2 ? LogUniform(random, 1, 1e6) : 10;
  return s;
}

// Copies of contacts, contacts that contradict each other, rows of zeros, wild offsets: nothing here need have a
// solution.
ContactProblem MakeStrange(Random* random) {
  ContactProblemBuilder builder;
  const int bodies = 1 + random->Index(3);
  const auto vector3 = [&] { return Vector3(random->Normal(), random->Normal(), random->Normal()); };
  for (int i = 0; i < bodies; ++i) {
    const double mass = LogUniform(random, 1e-4, 1e4);
    const Matrix6 M = MakeBoxInertia(mass, Vector3(0.1, 0.2, 0.3) * LogUniform(random, 0.1, 10));
    Vector6 v;
    v << vector3(), vector3();
    builder.AddFreeBody(M, random->Uniform() < 0.1 ? Vector6(Vector6::Zero()) : Vector6(M * v), vector3());
  }
  const int contacts = random->Index(6);
  for (int i = 0; i < contacts; ++i) {
    const BodyIndex a = random->Index(bodies);
    const BodyIndex b = bodies > 1 && random->Uniform() < 0.5 ? (a + 1) % bodies : kWorld;
    Matrix3 frame = Matrix3::Identity();
    if (random->Uniform() < 0.5) frame << 1, 0, 0, 0, -1, 0, 0, 0, -1;
    const Vector3 point = random->Uniform() < 0.2 ? Vector3(Vector3::Zero()) : vector3();
    const Vector3 e =
        random->Uniform() < 0.3 ? Vector3(Vector3::Zero()) : Vector3(vector3() * LogUniform(random, 1e-6, 10));
    const double mu = random->Uniform() < 0.2 ? 0 : LogUniform(random, 1e-6, 1e3);
    const Friction friction = random->Uniform() < 0.1 ? Friction(mu, 0) : Friction(mu);
    const int copies = random->Uniform() < 0.1 ? 2 + random->Index(10) : 1;
    for (int k = 0; k < copies; ++k) builder.AddContact(a, b, point, frame, friction, e);
  }
  const int rows = random->Index(4);
  for (int i = 0; i < rows; ++i) {
    const RowLaw laws[] = {RowLaw::Inequality(), RowLaw::Equality(),
                           RowLaw::Soft(LogUniform(random, 1e-8, 1e8), random->Normal()),
                           RowLaw::BoundedSoft(LogUniform(random, 1e-3, 1e3), random->Normal(), -1, random->Uniform()),
                           RowLaw::DryFriction(LogUniform(random, 1e-6, 10))};
    VectorX values(6);
    values << vector3(), vector3();
    if (random->Uniform() < 0.05) values.setZero();
    const int first = 6 * random->Index(bodies);
    builder.AddRow(laws[random->Index(5)], {first, first + 1, first + 2, first + 3, first + 4, first + 5}, values,
                   random->Uniform() < 0.3 ? 0 : random->Normal());
  }
  ContactProblem p = builder.Build();
  p.name = "strange";
  return p;
}

// A problem of the soak by its number. `known` tells that a solution exists by construction.
ContactProblem MakeSoakProblem(int number, bool* known) {
  Random random(0x50a4000000ull + static_cast<std::uint64_t>(number));
  *known = false;
  ContactProblem p;
  switch (number % 4) {
    case 0: {
      *known = true;
      p = MakeKnown(SmallSettings(&random), random.Bits()).problem;
      break;
    }
    case 1: p = MakeRandom(SmallSettings(&random), random.Bits()); break;
    case 2: p = MakeStrange(&random); break;
    default: {
      const double contacts = 4 + random.Index(12), mu = LogUniform(&random, 0.01, 2);
      const int kind = random.Index(4);
      if (kind == 0) p = Generate("bolt", {{"contacts", contacts}, {"mu", mu}}, random.Bits());
      if (kind == 1) p = Generate("dishes", {{"contacts", contacts}, {"mu", mu}}, random.Bits());
      if (kind == 2) p = Generate("chain", {{"bodies", 2.0 + random.Index(3)}, {"mu", mu}}, random.Bits());
      if (kind == 3) p = Generate("wedge", {{"mu", mu}, {"feasible", 1.0 * random.Index(2)}}, random.Bits());
    }
  }
  if (random.Uniform() < 0.1 && p.size() <= 40) p = MakeDelassusPair(p);
  if (random.Uniform() < 0.3) {
    DisguiseSettings units;
    units.mass_unit = LogUniform(&random, 1e-6, 1e6);
    units.time_unit = LogUniform(&random, 1e-4, 1e4);
    const std::string name = p.name;
    p = Disguise(p, random.Bits(), units).problem;
    p.name = name + " disguised";
  }
  return p;
}

Tally Soak(const std::string& name, int first, int count, const SolveSettings& settings) {
  const auto solver = MakeSolver(name);
  Tally tally;
  Timer timer;
  ContactSolution solution;
  VectorX last;
  for (int number = first; number < first + count && !testing::Test::HasFatalFailure(); ++number) {
    bool known = false;
    const ContactProblem p = MakeSoakProblem(number, &known);
    // Every tenth starts from the last answer that has the same size by chance, or from noise.
    WarmStart warm;
    if (number % 10 == 9) warm.impulse = last.size() == p.size() ? last : VectorX(VectorX::Constant(p.size(), 0.1));
    Timer one;
    const SolveReport report = solver->Solve(p, settings, warm, &solution);
    const double seconds = one.seconds();
    const std::string what = "soak problem " + std::to_string(number) + " (" + p.name + ")";
    ExpectHonest(p, settings, report, solution, what);
    last = solution.impulse;
    ++tally.total;
    ++tally.status[static_cast<int>(report.status)];
    if (known) {
      // Friction that no material has makes random contacts jam: counted, but nothing is promised.
      const bool rough = LargestFriction(p) > 2;
      ++(rough ? tally.rough : tally.known);
      (rough ? tally.rough_solved : tally.known_solved) += report.solved() ? 1 : 0;
    }
    if (seconds > tally.slowest) {
      tally.slowest = seconds;
      tally.slowest_of = what;
    }
  }
  tally.Print(name, timer.seconds());
  return tally;
}

TEST(Soak, Hybrid) {
  const Tally tally = Soak("hybrid", 0, SoakCount(), SolveSettings());
  EXPECT_EQ(tally.total, SoakCount());
  EXPECT_EQ(tally.status[static_cast<int>(SolveStatus::InvalidInput)], 0);
  EXPECT_GE(tally.known_solved, 0.99 * tally.known);
}

class SoakOf : public testing::TestWithParam<std::string> {};

TEST_P(SoakOf, EveryReportIsTrue) {
  SolveSettings settings;
  settings.tolerance = 1e-6;
  settings.max_iterations = 500;
  const int count = std::max(1, SoakCount() / 20);
  EXPECT_EQ(Soak(GetParam(), 1000000, count, settings).total, count);
}

INSTANTIATE_TEST_SUITE_P(Solvers, SoakOf, testing::ValuesIn(SolverNames()), IdentifierOf);

}  // namespace
}  // namespace tactus
