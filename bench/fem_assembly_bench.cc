// Assembly of one step of deformables: A and b of a mat of 4,100 tetrahedra and 1,386 nodes, and of a rod.
//
// The argument of BM_Corotational is the number of threads (0: no pool), that of BM_Rod its RodGeometry.
#include <memory>

#include <benchmark/benchmark.h>

#include "tactus/core/random.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/deformable/rods/rod.h"

namespace tactus {
namespace {

FemBody MakeMat(FemModel model, FemStiffness stiffness = FemStiffness::Positive, bool bound = false) {
  FemSettings settings;
  settings.stiffness = stiffness;
  settings.geometric_bound = bound;
  return {MakeMatTets(0.41, 0.1, 0.02, {41, 10, 2}), {1e6, 0.3, 1000, 0, 0, model}, settings};
}

// A deformable somewhat out of shape.
struct Setup {
  explicit Setup(const Deformable& body) : data(body.MakeData()), A(body.pattern()), b(VectorX::Zero(body.nv())) {
    Random random(1);
    q = body.initial_q();
    v = VectorX::Zero(body.nv());
    for (double& x : v) x = random.Uniform(-1, 1);
    body.Integrate(v, nullptr, 5e-4, &q);
    input.q = &q;
    input.v = &v;
    input.gravity = Vector3(0, 0, -9.81);
  }
  VectorX q, v;
  DeformableInput input;
  std::unique_ptr<DeformableData> data;
  SparseMatrix A;
  VectorX b;
};

void Assemble(benchmark::State& state, const Deformable& body, int threads) {
  Setup s(body);
  std::unique_ptr<ThreadPool> pool;
  if (threads > 0) pool = std::make_unique<ThreadPool>(threads);
  for (auto _ : state) {
    if (!body.Assemble({0.01, 0}, s.input, pool.get(), s.data.get(), &s.A, &s.b)) state.SkipWithError("not finite");
    benchmark::DoNotOptimize(s.A.valuePtr());
  }
}

void BM_Corotational(benchmark::State& state) {
  const FemBody body = MakeMat(FemModel::Corotational);
  Assemble(state, body, static_cast<int>(state.range(0)));
  state.counters["nodes"] = body.num_nodes();
  state.counters["elements"] = body.num_elements();
}
BENCHMARK(BM_Corotational)->Arg(0)->Arg(2)->UseRealTime()->Unit(benchmark::kMicrosecond);

void BM_CorotationalBound(benchmark::State& state) {
  Assemble(state, MakeMat(FemModel::Corotational, FemStiffness::Positive, true), 0);
}
BENCHMARK(BM_CorotationalBound)->Unit(benchmark::kMicrosecond);

void BM_CorotationalExact(benchmark::State& state) {
  Assemble(state, MakeMat(FemModel::Corotational, FemStiffness::Exact), 0);
}
BENCHMARK(BM_CorotationalExact)->Unit(benchmark::kMicrosecond);

void BM_NeoHookean(benchmark::State& state) { Assemble(state, MakeMat(FemModel::NeoHookean), 0); }
BENCHMARK(BM_NeoHookean)->Unit(benchmark::kMicrosecond);

void BM_NeoHookeanExact(benchmark::State& state) {
  Assemble(state, MakeMat(FemModel::NeoHookean, FemStiffness::Exact), 0);
}
BENCHMARK(BM_NeoHookeanExact)->Unit(benchmark::kMicrosecond);

void BM_Forces(benchmark::State& state) {
  const FemBody body = MakeMat(FemModel::Corotational);
  Setup s(body);
  VectorX force;
  for (auto _ : state) body.CalcElasticForces(s.q, nullptr, static_cast<FemData*>(s.data.get()), &force);
}
BENCHMARK(BM_Forces)->Unit(benchmark::kMicrosecond);

// 160 segments, as the cable of paper 001's benchmark.
void BM_Rod(benchmark::State& state) {
  RodSettings settings;
  settings.length = 0.4;
  settings.segments = 160;
  settings.radius = 0.002;
  settings.geometry = static_cast<RodGeometry>(state.range(0));
  Assemble(state, Rod(settings), 0);
}
BENCHMARK(BM_Rod)
    ->Arg(static_cast<int>(RodGeometry::None))
    ->Arg(static_cast<int>(RodGeometry::Bound))
    ->Arg(static_cast<int>(RodGeometry::Positive))
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tactus
