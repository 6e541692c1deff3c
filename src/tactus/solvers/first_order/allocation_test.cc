// Iterations must not allocate: a solve of 200 iterations makes as many allocations as one of 40.
//
// Eigen calls malloc itself, so malloc is what we count. Sanitizers replace it too; there this test is left out.
#include <atomic>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tactus/solvers/first_order/first_order_testing.h"
#include "tactus/solvers/registry.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TACTUS_COUNT_ALLOCATIONS 1
#else
#define TACTUS_COUNT_ALLOCATIONS 0
#endif

#if TACTUS_COUNT_ALLOCATIONS
namespace {
std::atomic<long> allocations{0};
}
extern "C" void* __libc_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier): glibc's name
extern "C" void* malloc(std::size_t size) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}

namespace tactus {
namespace {

long CountAllocations(ContactSolver* solver, const ContactProblem& problem, int iterations) {
  SolveSettings settings;
  settings.tolerance = 1e-15;
  settings.max_iterations = iterations;
  ContactSolution solution;
  const long before = allocations;
  const SolveReport report = solver->Solve(problem, settings, WarmStart(), &solution);
  const long count = allocations - before;
  EXPECT_EQ(report.iterations, iterations) << solver->name();
  EXPECT_GT(count, 0) << "malloc is not counted";
  return count;
}

TEST(FirstOrder, IterationsDoNotAllocate) {
  const ContactProblem stack = MakeBoxStack(6, 3, 0.8), pair = ToDelassus(stack);
  for (const char* name : {"pgs", "pgs-ncg", "pj", "apgd", "fadmm", "subadmm"}) {
    for (const ContactProblem* problem : {&stack, &pair}) {
      // Its plain code, for what its kernels do not know, refactorizes with new memory.
      if (std::string(name) == "subadmm" && problem == &pair) continue;
      const auto solver = MakeSolver(name);
      (void)CountAllocations(solver.get(), *problem, 200);
      EXPECT_EQ(CountAllocations(solver.get(), *problem, 40), CountAllocations(solver.get(), *problem, 200)) << name;
    }
  }
}

}  // namespace
}  // namespace tactus
#endif
