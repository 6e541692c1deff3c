#include "apps/cli/suites/yardstick.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "apps/cli/suites/scenario_runs.h"
#include "tactus/core/timer.h"
#include "tactus/generate/generator.h"
#include "tactus/solvers/registry.h"

namespace tactus::cli {

namespace {

constexpr int kSize = 90;
using Square = std::array<double, kSize * kSize>;
using Column = std::array<double, kSize>;

// Symmetric, and far from singular.
Square MakeSystem() {
  Square a;
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) a[i * kSize + j] = (i == j ? 4.0 : 0.0) + 1.0 / (1 + std::abs(i - j));
  }
  return a;
}

void Factorize(Square* a) {
  for (int j = 0; j < kSize; ++j) {
    double* const row = a->data() + j * kSize;
    for (int k = 0; k < j; ++k) row[j] -= row[k] * row[k];
    row[j] = std::sqrt(row[j]);
    for (int i = j + 1; i < kSize; ++i) {
      double* const other = a->data() + i * kSize;
      double sum = other[j];
      for (int k = 0; k < j; ++k) sum -= other[k] * row[k];
      other[j] = sum / row[j];
    }
  }
}

void SolveLower(const Square& a, Column* x) {
  for (int i = 0; i < kSize; ++i) {
    double sum = (*x)[i];
    for (int k = 0; k < i; ++k) sum -= a[i * kSize + k] * (*x)[k];
    (*x)[i] = sum / a[i * kSize + i];
  }
}

// One Gauss-Seidel sweep over blocks of three, each cut to a cone of friction.
void Sweep(const Square& a, const Column& b, Column* x) {
  constexpr double kFriction = 0.5;
  for (int i = 0; i < kSize; i += 3) {
    double* const own = x->data() + i;
    for (int d = 0; d < 3; ++d) {
      double sum = b[i + d];
      for (int k = 0; k < kSize; ++k) sum -= a[(i + d) * kSize + k] * (*x)[k];
      own[d] += sum / a[(i + d) * kSize + i + d];
    }
    own[2] = std::max(own[2], 0.0);
    const double length = std::hypot(own[0], own[1]), most = kFriction * own[2];
    if (length > most) {
      own[0] *= most / length;
      own[1] *= most / length;
    }
  }
}

// A solve whose time is measured: to the tolerance, or so many iterations. The bar is one and a half times what it was
// when it was set, on an AMD EPYC with AVX2.
struct Measured {
  const char* solver;
  const char* kind;
  GeneratorParameters parameters;
  int iterations;  // 0: to 1e-8
  double bar;
};

const std::vector<Measured>& Table() {
  static const std::vector<Measured> table = {
      {"hybrid", "dishes", {}, 0, 0.83}, {"canal", "dishes", {}, 10, 13.9},
      {"auto", "dishes", {}, 0, 0.84},   {"pgs", "dishes", {}, 100, 4.95},
      {"cond", "mat", {}, 100, 12.9},    {"subadmm", "pile", {{"bodies", 20}}, 100, 0.72},
  };
  return table;
}

}  // namespace

double RunYardstick() {
  const Square a = MakeSystem();
  Square factor = a;
  Factorize(&factor);
  Column b, x{};
  for (int i = 0; i < kSize; ++i) b[i] = std::sin(i);
  for (int sweep = 0; sweep < 30; ++sweep) Sweep(a, b, &x);
  SolveLower(factor, &x);
  double sum = 0;
  for (const double value : x) sum += value;
  return sum;
}

void AddYardstickRows(const BenchSettings& settings, std::vector<BenchRow>* rows) {
  const int turns = settings.quick ? 15 : 31;
  for (const Measured& m : Table()) {
    const ContactProblem problem = Generate(m.kind, m.parameters, 1001);
    const auto solver = settings.make_solver(m.solver);
    const SolveSettings solve = m.iterations > 0 ? Iterations(m.iterations) : SolveSettings();
    ContactSolution solution;
    double ours = std::numeric_limits<double>::infinity(), yardstick = ours;
    volatile double kept = 0;  // so that the work is done
    // In turns, so that both meet the same machine; what else runs on it makes times longer, never shorter.
    for (int turn = 0; turn <= turns; ++turn) {
      const ThreadCpuTimer timer;
      kept = kept + RunYardstick();
      const double seconds = timer.seconds();
      const ThreadCpuTimer solve_timer;
      (void)solver->Solve(problem, solve, WarmStart(), &solution);
      if (turn == 0) continue;  // memory is taken here
      ours = std::min(ours, solve_timer.seconds());
      yardstick = std::min(yardstick, seconds);
    }
    rows->push_back(BenchRow::AtMost(fmt::format("yardstick: {} on {}, time over it", m.solver, m.kind),
                                     ours / yardstick, "times", m.bar));
  }
}

}  // namespace tactus::cli
