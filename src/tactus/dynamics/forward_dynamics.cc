#include "tactus/dynamics/forward_dynamics.h"

#include <cmath>

#include "tactus/dynamics/body_motion.h"
#include "tactus/dynamics/spatial_arrays.h"

namespace tactus {

namespace {

// Symmetric 6x6 as its upper triangle, row by row: 21 entries, in a block of 36.
constexpr int kRow[6] = {0, 6, 11, 15, 18, 20};  // entry (i, j), j >= i, is at kRow[i] + j - i

void SetInertia(const SpatialInertia& I, double* P) {
  const double* h = I.h;
  const double entries[21] = {I.m,    0,      0,      0, h[2], -h[1],  //
                              I.m,    0,      -h[2],  0, h[0],         //
                              I.m,    h[1],   -h[0],  0,               //
                              I.I[0], I.I[3], I.I[4],                  //
                              I.I[1], I.I[5],                          //
                              I.I[2]};
  for (int k = 0; k < 21; ++k) P[k] = entries[k];
}

void Multiply(const double* P, const double* x, double* y) {
  for (int i = 0; i < 6; ++i) y[i] = P[kRow[i]] * x[i];
  for (int i = 0; i < 6; ++i) {
    for (int j = i + 1; j < 6; ++j) {
      const double p = P[kRow[i] + j - i];
      y[i] += p * x[j];
      y[j] += p * x[i];
    }
  }
}

// Motion of body b, its own inertia and the force that it takes when it does not accelerate.
void StartBody(const Model& model, int b, const double* q, const double* v, const std::vector<Vector6>* external,
               ModelData* data) {
  const std::size_t place = 6 * static_cast<std::size_t>(b);
  PlaceBody(model, b, q, data);
  spatial::MoveInertia(model.body(b).inertia, data->frames[b], &data->inertia[b]);
  MoveBody(model, b, v, data, data->C.data() + place);
  const double* V = data->V.data() + place;
  double* pA = data->pA.data() + place;
  SetInertia(data->inertia[b], data->IA.data() + 6 * place);
  double momentum[6];
  spatial::Multiply(data->inertia[b], V, momentum);
  spatial::Zero(pA);
  spatial::AddForceCross(V, momentum, pA);
  if (!external) return;
  const Vector6& f = (*external)[b];
  double moment[3];
  spatial::Cross3(data->frames[b].p, f.data(), moment);
  for (int k = 0; k < 3; ++k) {
    pA[k] -= f[k];
    pA[3 + k] -= f[3 + k] + moment[k];
  }
}

// Articulated inertia and force of body b, handed on to its parent. False if a dof moves no mass.
bool FoldBody(const Model& model, int b, const double* tau, ModelData* data) {
  const ModelBody& body = model.body(b);
  const std::size_t place = 6 * static_cast<std::size_t>(b);
  double* IA = data->IA.data() + 6 * place;
  double* pA = data->pA.data() + place;
  double force[6];
  Multiply(IA, data->C.data() + place, force);
  spatial::Add(force, pA);
  // One dof after the other, the last first: in between are bodies without mass.
  for (int d = body.v + body.nv - 1; d >= body.v; --d) {
    const double* S = data->S.data() + 6 * static_cast<std::size_t>(d);
    double* U = data->U.data() + 6 * static_cast<std::size_t>(d);
    Multiply(IA, S, U);
    const double D = spatial::Dot(S, U) + model.armature()[d];
    if (!(D > 0) || !std::isfinite(D)) return false;
    const double inverse = 1 / D;
    data->D[d] = inverse;
    data->u[d] = tau[d] - spatial::Dot(S, pA);
    for (int i = 0; i < 6; ++i) {
      const double s = inverse * U[i];
      for (int j = i; j < 6; ++j) IA[kRow[i] + j - i] -= s * U[j];
    }
    spatial::AddScaled(inverse * data->u[d], U, pA);
  }
  if (body.parent < 0) return true;
  double* parent = data->IA.data() + 36 * static_cast<std::size_t>(body.parent);
  for (int k = 0; k < 21; ++k) parent[k] += IA[k];
  spatial::Add(pA, data->pA.data() + 6 * static_cast<std::size_t>(body.parent));
  return true;
}

void AccelerateBody(const Model& model, int b, ModelData* data, double* a) {
  const ModelBody& body = model.body(b);
  double* A = data->A.data() + 6 * static_cast<std::size_t>(b);
  if (body.parent >= 0) {
    spatial::Copy(data->A.data() + 6 * static_cast<std::size_t>(body.parent), A);
  } else {
    for (int k = 0; k < 3; ++k) {
      A[k] = -model.gravity()[k];
      A[3 + k] = 0;
    }
  }
  for (int d = body.v; d < body.v + body.nv; ++d) {
    a[d] = data->D[d] * (data->u[d] - spatial::Dot(data->U.data() + 6 * static_cast<std::size_t>(d), A));
    spatial::AddScaled(a[d], data->S.data() + 6 * static_cast<std::size_t>(d), A);
  }
  spatial::Add(data->C.data() + 6 * static_cast<std::size_t>(b), A);
}

}  // namespace

bool CalcForwardDynamics(const Model& model, const ConstVectorRef& q, const ConstVectorRef& v,
                         const ConstVectorRef& tau, ModelData* data, VectorX* a, const std::vector<Vector6>* external) {
  a->resize(model.nv());
  if (!model.free_batches().empty()) {
    GetFreeBodyKernels().forward_dynamics(model.free_batches().data(), static_cast<int>(model.free_batches().size()),
                                          q.data(), v.data(), tau.data(), external ? external->data()->data() : nullptr,
                                          model.gravity().data(), ArraysOfFreeBodies(data, true, true), a->data());
  }
  CalcAngles(model, q.data(), data);
  for (const auto& [begin, end] : model.tree_ranges()) {
    for (int b = begin; b < end; ++b) StartBody(model, b, q.data(), v.data(), external, data);
    for (int b = end - 1; b >= begin; --b) {
      if (!FoldBody(model, b, tau.data(), data)) return false;
    }
    for (int b = begin; b < end; ++b) AccelerateBody(model, b, data, a->data());
  }
  return true;
}

}  // namespace tactus
