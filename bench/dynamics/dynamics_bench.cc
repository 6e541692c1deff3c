// Dynamics of robots and of a thousand free bodies, beside Pinocchio where it is compiled in. Before anything is timed,
// the two must agree.
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "tactus/core/random.h"
#include "tactus/dynamics/forward_dynamics.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"
#include "tactus/io/data_folder.h"
#include "tactus/io/urdf.h"
#include "tactus/model/random_model.h"
#if TACTUS_WITH_PINOCCHIO
#include "bench/dynamics/pinocchio_peer.h"
#endif

namespace tactus::bench {
namespace {

struct Case {
  std::string name;
  std::unique_ptr<Model> model;
  std::unique_ptr<ModelData> data;
  VectorX q, v, a, out;
  Matrix6X J;
#if TACTUS_WITH_PINOCCHIO
  std::unique_ptr<PinocchioPeer> peer;
#endif
};

void Time(const std::string& name, const std::function<void()>& run) {
  benchmark::RegisterBenchmark(name.c_str(), [run](benchmark::State& state) {
    for (auto _ : state) {
      run();
      benchmark::ClobberMemory();
    }
  });
}

#if TACTUS_WITH_PINOCCHIO
// Largest difference of inverse and forward dynamics and mass matrix, relative.
double Disagreement(Case* c) {
  const auto relative = [](const MatrixX& x, const MatrixX& y) { return (x - y).norm() / (y.norm() + 1e-300); };
  double worst = 0;
  c->peer->ForwardDynamics(true);
  if (!CalcForwardDynamics(*c->model, c->q, c->v, c->a, c->data.get(), &c->out)) return 1;
  worst = std::max(worst, relative(c->out, c->peer->acceleration()));
  // Inverse dynamics of what came out gives back what went in, in both; with our conventions once more.
  CalcInverseDynamics(*c->model, c->q, c->v, c->out, c->data.get(), &c->out);
  worst = std::max(worst, relative(c->out, c->a));
  c->peer->SetState(c->q, VectorX::Zero(c->model->nv()), c->a);
  c->peer->InverseDynamics();
  CalcInverseDynamics(*c->model, c->q, VectorX::Zero(c->model->nv()), c->a, c->data.get(), &c->out);
  worst = std::max(worst, relative(c->out, c->peer->tau()));
  c->peer->SetState(c->q, c->v, c->a);
  if (c->model->nv() < 1000) {
    c->peer->MassMatrixAndFactor(true);
    CalcPositions(*c->model, c->q, c->data.get());
    CalcMassMatrix(*c->model, c->data.get());
    worst = std::max(worst, relative(c->data->DenseMass(*c->model), c->peer->mass()));
  }
  return worst;
}
#endif

void Register(const std::string& name, const ModelDescription& description) {
  auto* c = new Case;  // lives as long as the program
  c->name = name;
  c->model = std::make_unique<Model>(description);
  c->data = std::make_unique<ModelData>(*c->model);
  Random random(2);
  c->q = c->model->MakeRandom(&random);
  c->v = VectorX::NullaryExpr(c->model->nv(), [&] { return random.Uniform(-1, 1); });
  c->a = VectorX::NullaryExpr(c->model->nv(), [&] { return random.Uniform(-1, 1); });
  const Model& model = *c->model;
  ModelData* data = c->data.get();
  const int last = model.num_bodies() - 1;

  Time(name + "/rnea/tactus", [=, &model] { CalcInverseDynamics(model, c->q, c->v, c->a, data, &c->out); });
  Time(name + "/crba+factor/tactus", [=, &model] {
    CalcPositions(model, c->q, data);
    CalcMassMatrix(model, data);
    if (!FactorizeMassMatrix(model, data)) std::abort();
  });
  Time(name + "/aba/tactus", [=, &model] {
    if (!CalcForwardDynamics(model, c->q, c->v, c->a, data, &c->out)) std::abort();
  });
  Time(name + "/jacobians/tactus", [=, &model] { CalcFrames(model, c->q, data); });
  if (model.free_batches().empty()) {
    Time(name + "/body_jacobian/tactus", [=, &model] {
      CalcFrames(model, c->q, data);
      CalcPointJacobian(model, *data, last, data->BodyPose(last).p, &c->J);
    });
  }
#if TACTUS_WITH_PINOCCHIO
  c->peer = std::make_unique<PinocchioPeer>(model);
  c->peer->SetState(c->q, c->v, c->a);
  const double disagreement = Disagreement(c);
  std::cerr << name << ": nv " << model.nv() << ", largest relative difference to Pinocchio " << disagreement << "\n";
  if (!(disagreement < 1e-9)) {
    std::cerr << "dynamics: the two do not agree\n";
    std::exit(1);
  }
  PinocchioPeer* peer = c->peer.get();
  Time(name + "/rnea/pinocchio", [=] { peer->InverseDynamics(); });
  Time(name + "/crba+factor/pinocchio_world", [=] { peer->MassMatrixAndFactor(true); });
  Time(name + "/crba+factor/pinocchio_local", [=] { peer->MassMatrixAndFactor(false); });
  Time(name + "/aba/pinocchio_world", [=] { peer->ForwardDynamics(true); });
  Time(name + "/aba/pinocchio_local", [=] { peer->ForwardDynamics(false); });
  Time(name + "/jacobians/pinocchio", [=] { peer->Jacobians(); });
  if (model.free_batches().empty()) {
    Time(name + "/body_jacobian/pinocchio", [=] {
      peer->Jacobians();
      peer->LastJacobian();
    });
  }
#endif
}

}  // namespace
}  // namespace tactus::bench

int main(int argc, char** argv) {
  using tactus::bench::Register;
  const std::filesystem::path models = tactus::FindDataFolder("models");
  struct Robot {
    const char* name;
    const char* file;
    bool floating;
  };
  for (const Robot& robot :
       {Robot{"panda", "panda_hand.urdf", false}, Robot{"panda_allegro", "panda_allegro.urdf", false},
        Robot{"g1", "g1_upper_body.urdf", false}, Robot{"laikago", "laikago.urdf", true}}) {
    tactus::UrdfSettings settings;
    settings.base = robot.floating ? tactus::BaseType::Floating : tactus::BaseType::Fixed;
    Register(robot.name, tactus::LoadUrdf(models / robot.file, settings));
  }
  Register("free_bodies_1000", tactus::MakeRandomFreeBodies(1, 1000));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
