// The sparse Cholesky factorization on matrices of deformables beside Eigen::SimplicialLLT with AMD: mats of about 242
// and 1,477 nodes, a rod of 320 segments.
//
// analyze    the symbolic part, once a pattern
// factorize  the numeric part, every step
// solve      one right-hand side
// columns    96 right-hand sides, time of one: ours eight at a time, Eigen's as it does them
// squares    x^T A^{-1} x for 96 columns with one entry, time of one: what effective masses take
// Eigen is compiled as in the library: for plain x86-64.
#include <string>

#include <benchmark/benchmark.h>
#include <Eigen/SparseCholesky>

#include "tactus/generate/generator.h"
#include "tactus/math/sparse_cholesky.h"

namespace tactus {
namespace {

constexpr int kColumns = 96;

using Sparse = Eigen::SparseMatrix<double>;
using EigenCholesky = Eigen::SimplicialLLT<Sparse>;

Sparse MakeMatrix(int which) {
  const ContactProblem problem = which == 0   ? Generate("mat", {{"nodes", 242}, {"layers", 1}}, 1)
                                 : which == 1 ? Generate("mat", {{"nodes", 1477}}, 1)
                                              : Generate("rod", {{"segments", 320}}, 1);
  return problem.mass().sparse_block(0);
}

std::span<const int> Starts(const Sparse& A) { return {A.outerIndexPtr(), static_cast<std::size_t>(A.cols()) + 1}; }
std::span<const int> Rows(const Sparse& A) { return {A.innerIndexPtr(), static_cast<std::size_t>(A.nonZeros())}; }

void Ours(benchmark::State& state, int which, const std::string& what) {
  const Sparse A = MakeMatrix(which);
  SparseCholesky cholesky;
  cholesky.Analyze(Starts(A), Rows(A));
  bool good = cholesky.Factorize(A.valuePtr());
  VectorX x = VectorX::Ones(A.rows()), work(cholesky.work_size() + cholesky.columns_work_size()), squares(kColumns);
  MatrixX X = MatrixX::Zero(A.rows(), kColumns);
  for (int c = 0; c < kColumns; ++c) X(c * A.rows() / kColumns, c) = 1;
  MatrixX Y = X;
  for ([[maybe_unused]] auto _ : state) {
    if (what == "analyze") {
      cholesky.Analyze(Starts(A), Rows(A));
    } else if (what == "factorize") {
      good = cholesky.Factorize(A.valuePtr()) && good;
    } else if (what == "solve") {
      x.setOnes();
      cholesky.Solve(x.data(), work.data());
    } else if (what == "columns") {
      Y = X;
      cholesky.SolveColumns(Y.data(), kColumns, Y.rows(), work.data());
    } else {
      cholesky.CalcSquares(X.data(), kColumns, X.rows(), squares.data(), work.data());
    }
  }
  if (!good) state.SkipWithError("not positive definite");
  state.counters["dofs"] = static_cast<double>(A.rows());
  if (what == "columns" || what == "squares") state.SetItemsProcessed(state.iterations() * kColumns);
}

void Eigens(benchmark::State& state, int which, const std::string& what) {
  const Sparse A = MakeMatrix(which);
  EigenCholesky cholesky(A);
  VectorX x = VectorX::Ones(A.rows());
  MatrixX X = MatrixX::Zero(A.rows(), kColumns), Y;
  for (int c = 0; c < kColumns; ++c) X(c * A.rows() / kColumns, c) = 1;
  for ([[maybe_unused]] auto _ : state) {
    if (what == "analyze") {
      cholesky.analyzePattern(A);
    } else if (what == "factorize") {
      cholesky.factorize(A);
    } else if (what == "solve") {
      benchmark::DoNotOptimize(x = cholesky.solve(VectorX::Ones(A.rows())));
    } else {
      benchmark::DoNotOptimize(Y = cholesky.solve(X));
    }
  }
  if (what == "columns") state.SetItemsProcessed(state.iterations() * kColumns);
}

const bool kRegistered = [] {
  const char* const names[] = {"mat of 242 nodes", "mat of 1477 nodes", "rod of 320 segments"};
  for (int which = 0; which < 3; ++which) {
    for (const char* what : {"analyze", "factorize", "solve", "columns", "squares"}) {
      const std::string name = std::string(names[which]) + "/" + what;
      benchmark::RegisterBenchmark((name + "/ours").c_str(), Ours, which, std::string(what));
      if (std::string(what) == "squares") continue;
      benchmark::RegisterBenchmark((name + "/eigen").c_str(), Eigens, which, std::string(what));
    }
  }
  return true;
}();

}  // namespace
}  // namespace tactus
