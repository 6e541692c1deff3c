#include "tactus/dynamics/inverse_dynamics.h"

#include "tactus/dynamics/body_motion.h"
#include "tactus/dynamics/spatial_arrays.h"

namespace tactus {

namespace {

// Motion of body b, and the force that it takes, without those of its children.
inline void CalcBodyForce(const Model& model, int b, const double* q, const double* v, const double* a,
                          const std::vector<Vector6>* external, ModelData* data) {
  const ModelBody& body = model.body(b);
  const std::size_t place = 6 * static_cast<std::size_t>(b);
  PlaceBody(model, b, q, data);
  spatial::MoveInertia(body.inertia, data->frames[b], &data->inertia[b]);
  double *A = data->A.data() + place, *F = data->F.data() + place, *V = data->V.data() + place;
  if (v) {
    MoveBody(model, b, v, data, A);
  } else {
    spatial::Zero(V);
    spatial::Zero(A);
  }
  if (body.parent >= 0) {
    spatial::Add(data->A.data() + 6 * static_cast<std::size_t>(body.parent), A);
  } else {
    for (int k = 0; k < 3; ++k) A[k] -= model.gravity()[k];  // the world falls up
  }
  if (a) {
    for (int d = body.v; d < body.v + body.nv; ++d) {
      spatial::AddScaled(a[d], data->S.data() + 6 * static_cast<std::size_t>(d), A);
    }
  }
  const SpatialInertia& I = data->inertia[b];
  spatial::Multiply(I, A, F);
  if (v) {
    double momentum[6];
    spatial::Multiply(I, V, momentum);
    spatial::AddForceCross(V, momentum, F);
  }
  if (external) {
    const Vector6& f = (*external)[b];
    double moment[3];
    spatial::Cross3(data->frames[b].p, f.data(), moment);
    for (int k = 0; k < 3; ++k) {
      F[k] -= f[k];
      F[3 + k] -= f[3 + k] + moment[k];
    }
  }
}

void Run(const Model& model, const double* q, const double* v, const double* a, const std::vector<Vector6>* external,
         ModelData* data, double* tau) {
  if (!model.free_batches().empty()) {
    GetFreeBodyKernels().inverse_dynamics(model.free_batches().data(), static_cast<int>(model.free_batches().size()), q,
                                          v, a, external ? external->data()->data() : nullptr, model.gravity().data(),
                                          ArraysOfFreeBodies(data, true, true), tau);
  }
  CalcAngles(model, q, data);
  for (const auto& [begin, end] : model.tree_ranges()) {
    for (int b = begin; b < end; ++b) CalcBodyForce(model, b, q, v, a, external, data);
    for (int b = end - 1; b >= begin; --b) {
      const ModelBody& body = model.body(b);
      const double* F = data->F.data() + 6 * static_cast<std::size_t>(b);
      for (int d = body.v; d < body.v + body.nv; ++d) {
        tau[d] = spatial::Dot(data->S.data() + 6 * static_cast<std::size_t>(d), F);
        if (a) tau[d] += model.armature()[d] * a[d];
      }
      if (body.parent >= 0) spatial::Add(F, data->F.data() + 6 * static_cast<std::size_t>(body.parent));
    }
  }
}

}  // namespace

void CalcInverseDynamics(const Model& model, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& a,
                         ModelData* data, VectorX* tau, const std::vector<Vector6>* external) {
  tau->resize(model.nv());
  Run(model, q.data(), v.data(), a.data(), external, data, tau->data());
}

void CalcBias(const Model& model, const ConstVectorRef& q, const ConstVectorRef& v, ModelData* data, VectorX* tau,
              const std::vector<Vector6>* external) {
  tau->resize(model.nv());
  Run(model, q.data(), v.data(), nullptr, external, data, tau->data());
}

void CalcGravityTorque(const Model& model, const ConstVectorRef& q, ModelData* data, VectorX* tau) {
  tau->resize(model.nv());
  Run(model, q.data(), nullptr, nullptr, nullptr, data, tau->data());
}

}  // namespace tactus
