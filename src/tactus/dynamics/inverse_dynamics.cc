#include "tactus/dynamics/inverse_dynamics.h"

#include "tactus/dynamics/body_motion.h"
#include "tactus/dynamics/spatial_arrays.h"

namespace tactus {

namespace {

void Run(const Model& model, const double* q, const double* v, const double* a, const std::vector<Vector6>* external,
         ModelData* data, double* tau) {
  const Vector3& gravity = model.gravity();
  const int count = model.num_bodies();
  for (int b = 0; b < count; ++b) {
    const ModelBody& body = model.body(b);
    PlaceBody(model, b, q, data);
    spatial::MoveInertia(body.inertia, data->frames[b], &data->inertia[b]);
    double* A = data->A.data() + 6 * b;
    double* F = data->F.data() + 6 * b;
    double* V = data->V.data() + 6 * b;
    if (v) {
      MoveBody(model, b, v, data, A);
    } else {
      spatial::Zero(V);
      spatial::Zero(A);
    }
    if (body.parent >= 0) {
      spatial::Add(data->A.data() + 6 * body.parent, A);
    } else {
      for (int k = 0; k < 3; ++k) A[k] -= gravity[k];  // the world falls up
    }
    if (a) {
      for (int k = 0; k < body.nv; ++k) spatial::AddScaled(a[body.v + k], data->S.data() + 6 * (body.v + k), A);
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
  for (int b = count - 1; b >= 0; --b) {
    const ModelBody& body = model.body(b);
    const double* F = data->F.data() + 6 * b;
    for (int k = 0; k < body.nv; ++k) {
      const int d = body.v + k;
      tau[d] = spatial::Dot(data->S.data() + 6 * d, F);
      if (a) tau[d] += model.armature()[d] * a[d];
    }
    if (body.parent >= 0) spatial::Add(F, data->F.data() + 6 * body.parent);
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
