#include "tactus/simulation/sensors.h"

#include "tactus/core/error.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/spatial_arrays.h"

namespace tactus {

namespace {

const ModelLink& Link(const Simulator& simulator, int link) {
  const std::vector<ModelLink>& links = simulator.model().links();
  if (link < 0 || link >= static_cast<int>(links.size())) {
    throw InputError("sensor", "link " + std::to_string(link) + " does not exist", "a link of the model");
  }
  return links[static_cast<std::size_t>(link)];
}

// Whether a link is another one or hangs on it.
bool HangsOn(const Model& model, int link, int root) {
  while (link >= 0 && link != root) link = model.links()[static_cast<std::size_t>(link)].parent;
  return link == root;
}

}  // namespace

Vector6 CalcContactWrench(const Simulator& simulator, int link, int other) {
  const Vector3 origin = simulator.LinkPose(link).p;
  Vector6 sum = Vector6::Zero();
  for (const ContactState& c : simulator.contacts()) {
    const int a = simulator.objects()[static_cast<std::size_t>(c.object_a)].link;
    const int b = simulator.objects()[static_cast<std::size_t>(c.object_b)].link;
    if (!c.active || (a != link && b != link)) continue;
    if (other >= 0 && a != other && b != other) continue;
    const Vector3 force = (a == link ? 1 : -1) * c.impulse_W() / simulator.settings().scheme.step;
    sum.head<3>() += force;
    sum.tail<3>() += (c.geometry.point - origin).cross(force);
  }
  return sum;
}

Vector3 CalcPairForce(const Simulator& simulator, int object_a, int object_b) {
  Vector3 sum = Vector3::Zero();
  for (const ContactState& c : simulator.contacts()) {
    if (!c.active) continue;
    if (c.object_a == object_a && c.object_b == object_b) sum += c.impulse_W();
    if (c.object_a == object_b && c.object_b == object_a) sum -= c.impulse_W();
  }
  return sum / simulator.settings().scheme.step;
}

ImuReading CalcImu(const Simulator& simulator, int link, const Pose& X_LS) {
  const Model& model = simulator.model();
  const ModelLink& l = Link(simulator, link);
  ImuReading out;
  if (l.body < 0) {
    const Pose X_WS = simulator.LinkPose(link) * X_LS;
    out.acceleration = -(X_WS.R.transpose() * model.gravity());
    out.angular_velocity = X_WS.R.transpose() * simulator.LinkVelocity(link).tail<3>();
    return out;
  }
  // The velocity of the same material point before and after the step.
  ModelData data(model);
  const State& before = simulator.previous_state();
  CalcPositions(model, before.q, &data);
  CalcVelocities(model, before.v, &data);
  const Vector3 start = CalcPointVelocity(model, data, l.body, (data.BodyPose(l.body) * l.X_BL * X_LS).p).head<3>();
  CalcPositions(model, simulator.state().q, &data);
  CalcVelocities(model, simulator.state().v, &data);
  const Pose X_WS = data.BodyPose(l.body) * l.X_BL * X_LS;
  const Vector6 V = CalcPointVelocity(model, data, l.body, X_WS.p);
  const double h = simulator.settings().scheme.step;
  const Vector3 acceleration = simulator.steps() > 0 ? Vector3((V.head<3>() - start) / h) : Vector3::Zero();
  out.acceleration = X_WS.R.transpose() * (acceleration - model.gravity());
  out.angular_velocity = X_WS.R.transpose() * V.tail<3>();
  return out;
}

double CalcElasticEnergy(const Simulator& simulator) {
  const Model& model = simulator.model();
  const VectorX& q = simulator.state().q;
  double energy = 0;
  for (const ModelJoint& joint : model.joints()) {
    const ModelBody& body = model.body(joint.body);
    if (body.nv != 1 || joint.description.stiffness == 0) continue;
    const double stretch = q[body.q] - joint.description.rest_position;
    energy += 0.5 * joint.description.stiffness * stretch * stretch;
  }
  const auto pose = [&](int link) { return link < 0 ? Pose() : simulator.LinkPose(link); };
  for (std::size_t k = 0; k < simulator.constraints().size(); ++k) {
    if (simulator.Holds(k)) energy += simulator.constraints()[k]->CalcEnergy(q, pose);
  }
  return energy;
}

Vector6 CalcJointWrench(const Simulator& simulator, int link) {
  const Model& model = simulator.model();
  const ModelLink& sensor = Link(simulator, link);
  Require(sensor.body >= 0, "joint wrench", "link '" + sensor.name + "' does not move", "a link that moves");
  // What moves the links beyond, less what acts on them otherwise, comes through the joint.
  ModelData data(model);
  const State& before = simulator.previous_state();
  const double h = simulator.settings().scheme.step;
  const VectorX a = (simulator.state().v - before.v) / h;
  VectorX tau;
  CalcInverseDynamics(model, before.q, before.v, a, &data, &tau);
  const Vector3 origin = data.origin[static_cast<std::size_t>(sensor.body)];
  Vector6 sum = Vector6::Zero();  // about the tree's origin
  for (std::size_t l = 0; l < model.links().size(); ++l) {
    const ModelLink& part = model.links()[l];
    const std::optional<LinkInertia>& inertia = model.description().links[l].inertia;
    if (!inertia || part.body < 0 || !HangsOn(model, static_cast<int>(l), link)) continue;
    const Pose X = data.BodyPose(part.body) * part.X_BL;
    const SpatialInertia I =
        SpatialInertia::FromCentral(inertia->mass, inertia->com, inertia->central).Transformed({X.R, X.p - origin});
    const double* V = data.V.data() + 6 * static_cast<std::size_t>(part.body);
    const double* A = data.A.data() + 6 * static_cast<std::size_t>(part.body);
    Vector6 force = Vector6::Zero();
    double momentum[6];
    spatial::Multiply(I, A, force.data());
    spatial::Multiply(I, V, momentum);
    spatial::AddForceCross(V, momentum, force.data());
    sum += force;
  }
  const auto add = [&](const Vector3& p, const Vector3& force, const Vector3& moment) {
    sum.head<3>() -= force;
    sum.tail<3>() -= moment + (p - origin).cross(force);
  };
  for (const ContactState& c : simulator.contacts()) {
    if (!c.active) continue;
    const int la = simulator.objects()[static_cast<std::size_t>(c.object_a)].link;
    const int lb = simulator.objects()[static_cast<std::size_t>(c.object_b)].link;
    if (HangsOn(model, la, link)) add(c.geometry.point, c.impulse_W() / h, Vector3::Zero());
    if (HangsOn(model, lb, link)) add(c.geometry.point, -c.impulse_W() / h, Vector3::Zero());
  }
  for (int b = 0; b < model.num_bodies(); ++b) {
    const Vector6& wrench = simulator.applied_wrenches()[static_cast<std::size_t>(b)];
    const int carrier = model.joints()[static_cast<std::size_t>(model.body(b).joint)].link;
    if (!wrench.isZero(0) && HangsOn(model, carrier, link)) {
      add(data.BodyPose(b).p, wrench.head<3>(), wrench.tail<3>());
    }
  }
  const Pose X = data.BodyPose(sensor.body) * sensor.X_BL;
  Vector6 out;
  out << X.R.transpose() * sum.head<3>(), X.R.transpose() * (sum.tail<3>() - (X.p - origin).cross(sum.head<3>()));
  return out;
}

Vector6 CalcClampWrench(const Simulator& simulator, int k, int c) {
  const Deformable& body = simulator.deformables().body(k);
  const VectorX &q = simulator.state().deformables[static_cast<std::size_t>(k)].q,
                &force = simulator.deformables().held_forces(k);
  const std::vector<int>& items = simulator.deformables().setup(k).clamps.at(static_cast<std::size_t>(c)).items;
  Vector3 middle = Vector3::Zero();
  for (const int i : items) middle += CalcItemPose(body, q, i).p / static_cast<double>(items.size());
  Vector6 out = Vector6::Zero();
  for (const int i : items) {
    const int at = body.first_held_dof(i);
    const Vector3 f = force.segment<3>(at);
    out.head<3>() += f;
    out.tail<3>() += (CalcItemPose(body, q, i).p - middle).cross(f);
    if (body.dofs_per_item() == 6) out.tail<3>() += force.segment<3>(at + 3);
  }
  return out;
}

}  // namespace tactus
