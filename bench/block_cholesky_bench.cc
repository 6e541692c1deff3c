// The multifrontal Cholesky factorization on small blocks beside Eigen::SimplicialLLT with AMD on the same matrix: 6x6
// blocks on a chain, a grid, an arrow (one body that touches all) and a random graph. One iteration copies the values,
// factorizes and solves once; the pattern is analyzed before.
//
// gflops    flops of the factorization by time, to leading order: ours by fronts, which includes what supernodes waste,
//           Eigen's by the columns of its factor. Rows "all" divide by the time of the solve, too.
// residual  |A x - b| / (|A| |x|)
// Rows "front" are the kernel alone on one front, s and r as given, copying its panel included.
// Eigen is compiled as in the library: for plain x86-64. Our kernels are those of the active level.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <Eigen/SparseCholesky>

#include "tactus/core/random.h"
#include "tactus/core/types.h"
#include "tactus/math/block_cholesky.h"

namespace tactus {
namespace {

constexpr int kBlock = 6;

using Edges = std::set<std::pair<int, int>>;  // (i, j), i > j

struct Problem {
  int nodes = 0;
  std::vector<int> sizes, row_start{0}, columns, row_of;
  std::vector<Eigen::Matrix<double, kBlock, kBlock, Eigen::RowMajor>> blocks;  // by pattern entry
  Eigen::SparseMatrix<double> sparse;
  VectorX rhs;
};

Edges Chain(int n) {
  Edges edges;
  for (int i = 1; i < n; ++i) edges.insert({i, i - 1});
  return edges;
}

Edges Grid(int n) {
  Edges edges;
  for (int i = 0; i < n * n; ++i) {
    if (i % n > 0) edges.insert({i, i - 1});
    if (i >= n) edges.insert({i, i - n});
  }
  return edges;
}

Edges Arrow(int n) {
  Edges edges;
  for (int i = 0; i < n - 1; ++i) edges.insert({n - 1, i});
  return edges;
}

Edges RandomGraph(int n) {
  Random random(3);
  Edges edges = Chain(n);
  for (int k = 0; k < n; ++k) {
    const int i = random.Index(n), j = random.Index(n);
    if (i != j) edges.insert({std::max(i, j), std::min(i, j)});
  }
  return edges;
}

Problem MakeProblem(int nodes, const Edges& edges) {
  Problem p;
  p.nodes = nodes;
  p.sizes.assign(nodes, kBlock);
  std::vector<std::vector<int>> rows(nodes);
  for (int i = 0; i < nodes; ++i) rows[i].push_back(i);
  for (const auto& [i, j] : edges) {
    rows[i].push_back(j);
    rows[j].push_back(i);
  }
  Random random(1);
  std::vector<Eigen::Triplet<double>> triplets;
  for (int i = 0; i < nodes; ++i) {
    std::sort(rows[i].begin(), rows[i].end());
    for (const int j : rows[i]) {
      p.columns.push_back(j);
      p.row_of.push_back(i);
      auto& block = p.blocks.emplace_back();
      for (double& x : block.reshaped()) x = random.Normal();
      if (i == j) {
        const auto symmetric = (0.5 * (block + block.transpose())).eval();
        block = symmetric;
        block.diagonal().array() += 6.0 * static_cast<double>(rows[i].size()) * kBlock;
      }
      if (i < j) continue;  // the blocks above the diagonal are not used
      for (int a = 0; a < kBlock; ++a) {
        for (int b = 0; b < kBlock; ++b) {
          triplets.emplace_back(kBlock * i + a, kBlock * j + b, block(a, b));
          if (i != j) triplets.emplace_back(kBlock * j + b, kBlock * i + a, block(a, b));
        }
      }
    }
    p.row_start.push_back(static_cast<int>(p.columns.size()));
  }
  p.sparse.resize(kBlock * nodes, kBlock * nodes);
  p.sparse.setFromTriplets(triplets.begin(), triplets.end());
  p.rhs.resize(kBlock * nodes);
  for (double& x : p.rhs) x = random.Normal();
  return p;
}

void SetCounters(benchmark::State& state, const Problem& p, double flops, const VectorX& x) {
  state.counters["flops"] = flops;
  state.counters["gflops"] = benchmark::Counter(1e-9 * flops, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["residual"] = (p.sparse * x - p.rhs).norm() / (p.sparse.norm() * x.norm());
}

enum class Part { All, Factorize, Solve };

void BenchOurs(benchmark::State& state, int nodes, const Edges& edges, Part part) {
  const Problem p = MakeProblem(nodes, edges);
  BlockCholesky cholesky;
  cholesky.Analyze(p.sizes, p.row_start, p.columns);
  const auto factorize = [&] {
    return cholesky.FactorizeEntries([&](int k) {
      if (p.row_of[k] < p.columns[k]) return;
      double* to = cholesky.entry(k);
      const int row_stride = cholesky.row_stride(k), column_stride = cholesky.column_stride(k);
      const auto& block = p.blocks[k];
      if (column_stride == 1) {
        for (int a = 0; a < kBlock; ++a) {
          for (int b = 0; b < kBlock; ++b) to[a * row_stride + b] += block(a, b);
        }
      } else {
        for (int b = 0; b < kBlock; ++b) {
          for (int a = 0; a < kBlock; ++a) to[b * column_stride + a] += block(a, b);
        }
      }
    });
  };
  VectorX x;
  bool good = factorize();
  for (auto _ : state) {
    if (part != Part::Solve) good = good && factorize();
    if (part != Part::Factorize) {
      x = p.rhs;
      cholesky.Solve(x.data());
    }
    benchmark::DoNotOptimize(x.data());
  }
  if (!good) state.SkipWithError("not positive definite");
  x = p.rhs;
  cholesky.Solve(x.data());
  SetCounters(state, p, part == Part::Solve ? 4.0 * static_cast<double>(cholesky.factor_size()) : cholesky.flops(), x);
}

void BenchEigen(benchmark::State& state, int nodes, const Edges& edges, Part part) {
  const Problem p = MakeProblem(nodes, edges);
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> llt(p.sparse);
  VectorX x;
  for (auto _ : state) {
    if (part != Part::Solve) llt.factorize(p.sparse);
    if (part != Part::Factorize) x = llt.solve(p.rhs);
    benchmark::DoNotOptimize(x.data());
  }
  x = llt.solve(p.rhs);
  const Eigen::SparseMatrix<double> L = llt.matrixL();
  double flops = part == Part::Solve ? 4.0 * static_cast<double>(L.nonZeros()) : 0;
  for (int j = 0; part != Part::Solve && j < L.cols(); ++j) {
    const double below = static_cast<double>(L.col(j).nonZeros());
    flops += below * below;
  }
  SetCounters(state, p, flops, x);
}

void BenchAnalysis(benchmark::State& state, int nodes, const Edges& edges, bool ours) {
  const Problem p = MakeProblem(nodes, edges);
  for (auto _ : state) {
    if (ours) {
      BlockCholesky cholesky;
      cholesky.Analyze(p.sizes, p.row_start, p.columns);
      benchmark::DoNotOptimize(cholesky.flops());
    } else {
      Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> llt;
      llt.analyzePattern(p.sparse);
      benchmark::DoNotOptimize(llt.rows());
    }
  }
}

// What the kernel reaches on one front, without any sparsity.
void BenchFront(benchmark::State& state) {
  const int s = static_cast<int>(state.range(0)), r = static_cast<int>(state.range(1));
  const int stride = PanelStride(s, r), width = SchurStride(r);
  VectorX panel = VectorX::Constant(static_cast<Eigen::Index>(s) * stride, 0.01), work;
  for (int i = 0; i < s; ++i) panel[i * stride + i] = 10;
  VectorX schur(width * width);
  const CholeskyKernels& kernels = GetCholeskyKernels();
  bool good = true;
  for (auto _ : state) {
    work = panel;
    good = good && kernels.partial_cholesky(work.data(), stride, s, r, schur.data());
    benchmark::DoNotOptimize(schur.data());
  }
  if (!good) state.SkipWithError("not positive definite");
  const double flops = 1.0 / 3 * s * s * s + 1.0 * s * s * r + 1.0 * s * r * r;
  state.counters["gflops"] = benchmark::Counter(1e-9 * flops, benchmark::Counter::kIsIterationInvariantRate);
}

void Register() {
  const auto add = [](const char* name, int nodes, const Edges& edges) {
    const std::string shape = name;
    for (const auto& [part, label] :
         {std::pair(Part::All, "all"), {Part::Factorize, "factorize"}, {Part::Solve, "solve"}}) {
      benchmark::RegisterBenchmark((shape + "/tactus/" + label).c_str(), BenchOurs, nodes, edges, part)
          ->Unit(benchmark::kMicrosecond);
      benchmark::RegisterBenchmark((shape + "/eigen/" + label).c_str(), BenchEigen, nodes, edges, part)
          ->Unit(benchmark::kMicrosecond);
    }
    benchmark::RegisterBenchmark((shape + "/tactus/analyze").c_str(), BenchAnalysis, nodes, edges, true)
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark((shape + "/eigen/analyze").c_str(), BenchAnalysis, nodes, edges, false)
        ->Unit(benchmark::kMicrosecond);
  };
  add("chain_100", 100, Chain(100));
  add("grid_20x20", 400, Grid(20));
  add("arrow_100", 100, Arrow(100));
  add("random_100", 100, RandomGraph(100));
  benchmark::RegisterBenchmark("front", BenchFront)
      ->Args({6, 6})
      ->Args({6, 12})
      ->Args({12, 24})
      ->Args({24, 48})
      ->Args({48, 96})
      ->Args({96, 96})
      ->Args({192, 192})
      ->Args({192, 0})
      ->Args({48, 384});
}

const bool kRegistered = (Register(), true);

}  // namespace
}  // namespace tactus
