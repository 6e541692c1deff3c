#include "tactus/dynamics/kinematics.h"

#include "tactus/dynamics/body_motion.h"
#include "tactus/dynamics/spatial_arrays.h"

namespace tactus {

namespace {

void PlaceFreeBodies(const Model& model, const double* q, bool inertia, ModelData* data) {
  if (model.free_batches().empty()) return;
  GetFreeBodyKernels().place(model.free_batches().data(), static_cast<int>(model.free_batches().size()), q,
                             ArraysOfFreeBodies(data, inertia, false));
}

}  // namespace

void CalcFrames(const Model& model, const ConstVectorRef& q, ModelData* data) {
  PlaceFreeBodies(model, q.data(), false, data);
  CalcAngles(model, q.data(), data);
  for (const auto& [begin, end] : model.tree_ranges()) {
    for (int b = begin; b < end; ++b) PlaceBody(model, b, q.data(), data);
  }
}

void CalcPositions(const Model& model, const ConstVectorRef& q, ModelData* data) {
  PlaceFreeBodies(model, q.data(), true, data);
  CalcAngles(model, q.data(), data);
  for (const auto& [begin, end] : model.tree_ranges()) {
    for (int b = begin; b < end; ++b) {
      PlaceBody(model, b, q.data(), data);
      spatial::MoveInertia(model.body(b).inertia, data->frames[b], &data->inertia[b]);
    }
  }
}

void CalcVelocities(const Model& model, const ConstVectorRef& v, ModelData* data) {
  for (int b = 0; b < model.num_bodies(); ++b) {
    const ModelBody& body = model.body(b);
    double* V = data->V.data() + 6 * b;
    if (body.parent < 0) {
      spatial::Zero(V);
    } else {
      spatial::Copy(data->V.data() + 6 * body.parent, V);
    }
    for (int k = 0; k < body.nv; ++k) spatial::AddScaled(v[body.v + k], data->S.data() + 6 * (body.v + k), V);
  }
}

namespace {

int LastDof(const Model& model, int body) {
  while (body >= 0 && model.body(body).nv == 0) body = model.body(body).parent;
  return body < 0 ? -1 : model.body(body).v + model.body(body).nv - 1;
}

// S about p instead of the origin: the linear part gains w x p.
void MoveMotion(const double* S, const Vector3& p, double* out) {
  spatial::Copy(S, out);
  out[0] += S[4] * p[2] - S[5] * p[1];
  out[1] += S[5] * p[0] - S[3] * p[2];
  out[2] += S[3] * p[1] - S[4] * p[0];
}

}  // namespace

void CalcPointJacobian(const Model& model, const ModelData& data, int body, const Vector3& p_W, Matrix6X* J) {
  J->setZero(6, model.nv());
  CalcPointJacobian(model, data, body, p_W, 0, J);
}

void CalcPointJacobian(const Model& model, const ModelData& data, int body, const Vector3& p_W, int first_dof,
                       Matrix6X* J) {
  if (body < 0) return;
  const Vector3 p = p_W - data.origin[body];
  for (int d = LastDof(model, body); d >= 0; d = model.dof_parent(d)) {
    MoveMotion(data.S.data() + 6 * static_cast<std::size_t>(d), p, J->col(d - first_dof).data());
  }
}

Vector6 CalcPointVelocity(const Model& /*model*/, const ModelData& data, int body, const Vector3& p_W) {
  Vector6 out = Vector6::Zero();
  if (body >= 0) {
    MoveMotion(data.V.data() + 6 * static_cast<std::size_t>(body), p_W - data.origin[body], out.data());
  }
  return out;
}

void AddPointForce(const Model& model, const ModelData& data, int body, const Vector3& p_W, const Vector6& force,
                   VectorX* tau) {
  if (body < 0) return;
  Vector6 F = force;
  F.tail<3>() += (p_W - data.origin[body]).cross(force.head<3>());
  for (int d = LastDof(model, body); d >= 0; d = model.dof_parent(d)) {
    (*tau)[d] += spatial::Dot(data.S.data() + 6 * static_cast<std::size_t>(d), F.data());
  }
}

double CalcMovingMass(const Model& model) {
  double mass = 0;
  for (const ModelBody& body : model.bodies()) mass += body.inertia.m;
  return mass;
}

Vector3 CalcCenterOfMass(const Model& model, const ModelData& data) {
  Vector3 sum = Vector3::Zero();
  for (int b = 0; b < model.num_bodies(); ++b) {
    const SpatialInertia& I = data.inertia[b];
    sum += Vector3::Map(I.h) + I.m * data.origin[b];
  }
  const double mass = CalcMovingMass(model);
  return mass > 0 ? Vector3(sum / mass) : Vector3::Zero();
}

Vector6 CalcMomentum(const Model& model, const ModelData& data) {
  const Vector3 com = CalcCenterOfMass(model, data);
  Vector6 sum = Vector6::Zero();
  for (int b = 0; b < model.num_bodies(); ++b) {
    Vector6 momentum;
    spatial::Multiply(data.inertia[b], data.V.data() + 6 * static_cast<std::size_t>(b), momentum.data());
    const Vector3 arm = data.origin[b] - com, linear = momentum.head<3>();
    momentum.tail<3>() += arm.cross(linear);
    sum += momentum;
  }
  return sum;
}

double CalcKineticEnergy(const Model& model, const ModelData& data, const ConstVectorRef& v) {
  double energy = 0;
  for (int b = 0; b < model.num_bodies(); ++b) {
    const double* V = data.V.data() + 6 * static_cast<std::size_t>(b);
    double momentum[6];
    spatial::Multiply(data.inertia[b], V, momentum);
    energy += 0.5 * spatial::Dot(V, momentum);
  }
  return energy + 0.5 * v.dot(model.armature().cwiseProduct(v));
}

double CalcPotentialEnergy(const Model& model, const ModelData& data) {
  return -CalcMovingMass(model) * model.gravity().dot(CalcCenterOfMass(model, data));
}

}  // namespace tactus
