#include "tactus/simulation/xpbd.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "tactus/core/error.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/rods/rod.h"
#include "tactus/math/spatial.h"

namespace tactus {

void XpbdSettings::Validate() const {
  Require(substeps >= 1 && substeps <= 1000000, "xpbd substeps", "is " + std::to_string(substeps), "1 to 1000000");
}

// What does not change: masses, elements, joints.
void XpbdSystem::AddBody(const Deformable& body, bool damping) {
  const int first = static_cast<int>(items_.size());
  bodies_.push_back(&body);
  first_item_.push_back(first);
  const auto* fem = dynamic_cast<const FemBody*>(&body);
  const auto* rod = dynamic_cast<const Rod*>(&body);
  Require(fem != nullptr || rod != nullptr, "xpbd", "a deformable of an unknown kind", "finite elements or rods");
  for (int i = 0; i < body.num_items(); ++i) {
    Item item;
    item.held = body.first_dof(i) < 0;
    item.inertia = item.inverse_inertia = Vector3::Zero();
    if (rod != nullptr) {
      const double r = rod->settings().radius, l = rod->segment_length(), m = rod->mass() / rod->num_segments();
      item.mass = m;
      item.turns = true;
      item.inertia = m * Vector3(0.5 * r * r, (3 * r * r + l * l) / 12, (3 * r * r + l * l) / 12);
      if (!item.held) item.inverse_inertia = item.inertia.cwiseInverse();
    } else {
      item.mass = fem->node_mass(i);
    }
    item.inverse_mass = item.held ? 0 : 1 / item.mass;
    items_.push_back(item);
  }
  if (rod != nullptr) {
    const RodSettings& s = rod->settings();
    for (int i = 0; i + 1 < rod->num_segments(); ++i) {
      joints_.push_back({first + i, first + i + 1, 0.5 * rod->segment_length(), damping ? s.stiffness_damping : 0,
                         CalcRodStiffness(s)});
    }
    mass_damping_.push_back(s.mass_damping);
    return;
  }
  const LameConstants lame = CalcLame(fem->material());
  for (const std::array<int, 4>& tet : fem->mesh().tets) {
    Element element;
    Matrix3 rest;
    for (std::size_t a = 0; a < 4; ++a) element.items[a] = first + tet[a];
    for (int a = 1; a < 4; ++a) {
      rest.col(a - 1) = fem->mesh().nodes[static_cast<std::size_t>(tet[static_cast<std::size_t>(a)])] -
                        fem->mesh().nodes[static_cast<std::size_t>(tet[0])];
    }
    element.inverse_rest = rest.inverse();
    element.volume = std::abs(rest.determinant()) / 6;
    element.mu = lame.mu;
    // With this, small strains meet Hooke's law: l/2 (det F - 1 - m/l)^2 + m/2 tr F^T F has the second constant l - m.
    element.lambda = lame.lambda + lame.mu;
    element.damping = damping ? fem->material().stiffness_damping : 0;
    elements_.push_back(element);
  }
  mass_damping_.push_back(fem->material().mass_damping);
}

void XpbdSystem::LoadState(const DeformableSet& set, bool damping) {
  for (int k = static_cast<int>(bodies_.size()); k < set.size(); ++k) AddBody(set.body(k), damping);
  for (int k = 0; k < set.size(); ++k) {
    const Deformable& body = set.body(k);
    const DeformableState& state = set.start()[static_cast<std::size_t>(k)];
    for (int i = 0; i < body.num_items(); ++i) {
      Item& item = items_[static_cast<std::size_t>(first_item_[static_cast<std::size_t>(k)] + i)];
      const Pose pose = CalcItemPose(body, state.q, i);
      const Vector6 V = CalcItemVelocity(body, state, i);
      item.x = item.before = pose.p;
      item.R = item.R_before = Quaternion(pose.R);
      item.v = item.held_v = V.head<3>();
      item.w = item.held_w = V.tail<3>();
      item.force.setZero();
    }
  }
}

XpbdSystem::Side XpbdSystem::MakeSide(const DeformablePoint& point, int deformable, const Vector3& p,
                                      const Vector3& velocity, const DeformableSet& set) const {
  Side side;
  side.velocity = velocity;
  side.local = Vector3::Zero();
  side.start = p;
  if (deformable < 0) return side;
  side.count = point.count;
  for (int i = 0; i < point.count; ++i) {
    side.items[i] = first_item_[static_cast<std::size_t>(deformable)] + point.items[static_cast<std::size_t>(i)];
    side.weights[i] = point.weights[static_cast<std::size_t>(i)];
  }
  if (set.body(deformable).dofs_per_item() == 6) {
    const Item& item = items_[static_cast<std::size_t>(side.items[0])];
    side.local = item.R.conjugate() * (p - item.x);
  } else {
    side.start = Vector3::Zero();
    for (int i = 0; i < side.count; ++i) {
      side.start += side.weights[i] * items_[static_cast<std::size_t>(side.items[i])].x;
    }
  }
  return side;
}

void XpbdSystem::LoadContacts(const std::vector<int>& deformable_of_object,
                              const std::vector<XpbdContactMotion>& motions, const DeformableSet& set,
                              const std::vector<ContactState>& contacts) {
  contacts_.clear();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const ContactState& c = contacts[k];
    const int a = deformable_of_object[static_cast<std::size_t>(c.object_a)];
    const int b = deformable_of_object[static_cast<std::size_t>(c.object_b)];
    Contact contact;
    contact.a = MakeSide(c.point_a, a, c.geometry.point, motions[k].a, set);
    contact.b = MakeSide(c.point_b, b, c.geometry.point, motions[k].b, set);
    contact.normal = c.geometry.normal;
    contact.gap = c.geometry.gap;
    contact.friction = std::sqrt(c.friction1 * c.friction2);
    contact.restitution = c.restitution;
    contact.impulse = Vector3::Zero();
    contact.normal_velocity = contact.lambda = 0;
    contacts_.push_back(contact);
  }
}

void XpbdSystem::Predict(double s, const Vector3& gravity) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const double kept = 1 / (1 + s * mass_damping_[k]);
    const int first = first_item_[k];
    for (int i = first; i < first + bodies_[k]->num_items(); ++i) {
      Item& item = items_[static_cast<std::size_t>(i)];
      item.before = item.x;
      item.R_before = item.R;
      if (item.held) {
        item.v = item.held_v;
        item.w = item.held_w;
      } else {
        item.v = kept * (item.v + s * gravity);
        const Matrix3 R = item.R.toRotationMatrix();
        const Vector3 momentum = R * item.inertia.cwiseProduct(R.transpose() * item.w);
        if (item.turns) item.w = kept * (item.w - s * Turn(item, item.w.cross(momentum)));
      }
      item.x += s * item.v;
      if (item.turns) item.R = (ExpRotation(s * item.w) * item.R).normalized();
    }
  }
}

Vector3 XpbdSystem::Turn(const Item& item, const Vector3& moment) const {
  return item.R * item.inverse_inertia.cwiseProduct(item.R.conjugate() * moment);
}

// C with dC/dF = slope; the gradients of the corners follow from the rest shape.
void XpbdSystem::SolveElementConstraint(const Element& element, double C, const Matrix3& slope, double stiffness,
                                        double s) {
  const Matrix3 gradients = slope * element.inverse_rest.transpose();
  const double gamma = element.damping / s;
  double weight = 0, moved = 0;
  Vector3 g[4];
  g[0] = -gradients.rowwise().sum();
  for (int a = 1; a < 4; ++a) g[a] = gradients.col(a - 1);
  for (int a = 0; a < 4; ++a) {
    const Item& item = items_[static_cast<std::size_t>(element.items[a])];
    weight += item.inverse_mass * g[a].squaredNorm();
    moved += g[a].dot(item.x - item.before);
  }
  const double compliance = 1 / (stiffness * element.volume * s * s);
  const double step = -(C + gamma * moved) / ((1 + gamma) * weight + compliance);
  for (int a = 0; a < 4; ++a) {
    Item& item = items_[static_cast<std::size_t>(element.items[a])];
    item.x += item.inverse_mass * step * g[a];
    item.force.head<3>() += step * g[a];
  }
}

void XpbdSystem::SolveElement(const Element& element, double s) {
  const auto deformation = [&]() -> Matrix3 {
    Matrix3 edges;
    const Vector3& origin = items_[static_cast<std::size_t>(element.items[0])].x;
    for (int a = 1; a < 4; ++a) {
      edges.col(a - 1) = items_[static_cast<std::size_t>(element.items[a])].x - origin;
    }
    return edges * element.inverse_rest;
  };
  Matrix3 F = deformation();
  const double size = F.norm();
  if (size > 0) SolveElementConstraint(element, size, F / size, element.mu, s);
  F = deformation();
  Matrix3 cofactors;
  cofactors << F.col(1).cross(F.col(2)), F.col(2).cross(F.col(0)), F.col(0).cross(F.col(1));
  SolveElementConstraint(element, F.determinant() - 1 - element.mu / element.lambda, cofactors, element.lambda, s);
}

void XpbdSystem::SolveJoint(const Joint& joint, double s) {
  Item &a = items_[static_cast<std::size_t>(joint.a)], &b = items_[static_cast<std::size_t>(joint.b)];
  const RodJoint terms = CalcRodJoint(a.x, a.R, b.x, b.R, joint.half);
  const double gamma = joint.damping / s;
  Eigen::Matrix<double, 6, 12> JM;  // J M^-1
  Vector12 moved;
  const Item* const sides[2] = {&a, &b};
  for (int side = 0; side < 2; ++side) {
    const Item& item = *sides[side];
    const Matrix3 R = item.R.toRotationMatrix();
    JM.middleCols<3>(6 * side) = item.inverse_mass * terms.J.middleCols<3>(6 * side);
    JM.middleCols<3>(6 * side + 3) =
        terms.J.middleCols<3>(6 * side + 3) * R * item.inverse_inertia.asDiagonal() * R.transpose();
    moved.segment<3>(6 * side) = item.x - item.before;
    moved.segment<3>(6 * side + 3) = LogRotation(item.R * item.R_before.conjugate());
  }
  Matrix6 weight = (1 + gamma) * JM * terms.J.transpose();
  weight.diagonal() += (joint.stiffness * s * s).cwiseInverse();
  const Vector6 step = -weight.llt().solve(terms.e + gamma * (terms.J * moved));
  const Vector12 push = terms.J.transpose() * step, move = JM.transpose() * step;
  a.x += move.segment<3>(0);
  b.x += move.segment<3>(6);
  a.R = (ExpRotation(move.segment<3>(3)) * a.R).normalized();
  b.R = (ExpRotation(move.segment<3>(9)) * b.R).normalized();
  a.force += push.head<6>();
  b.force += push.tail<6>();
}

Vector3 XpbdSystem::Arm(const Side& side) const {
  return items_[static_cast<std::size_t>(side.items[0])].R * side.local;
}

// Since the beginning of the step, and of the substep.
Vector3 XpbdSystem::Displacement(const Side& side, double time) const {
  if (side.count == 0) return time * side.velocity;
  Vector3 sum = -side.start;
  for (int i = 0; i < side.count; ++i) sum += side.weights[i] * items_[static_cast<std::size_t>(side.items[i])].x;
  return sum + Arm(side);
}

Vector3 XpbdSystem::SubstepDisplacement(const Side& side, double s) const {
  if (side.count == 0) return s * side.velocity;
  const Item& first = items_[static_cast<std::size_t>(side.items[0])];
  Vector3 sum = first.R * side.local - first.R_before * side.local;
  for (int i = 0; i < side.count; ++i) {
    const Item& item = items_[static_cast<std::size_t>(side.items[i])];
    sum += side.weights[i] * (item.x - item.before);
  }
  return sum;
}

Vector3 XpbdSystem::Velocity(const Side& side) const {
  if (side.count == 0) return side.velocity;
  const Item& first = items_[static_cast<std::size_t>(side.items[0])];
  Vector3 sum = first.turns ? Vector3(first.w.cross(Arm(side))) : Vector3::Zero();
  for (int i = 0; i < side.count; ++i) sum += side.weights[i] * items_[static_cast<std::size_t>(side.items[i])].v;
  return sum;
}

double XpbdSystem::Mobility(const Side& side, const Vector3& direction) const {
  if (side.count == 0) return 0;
  const Item& first = items_[static_cast<std::size_t>(side.items[0])];
  double sum = 0;
  if (first.turns) {
    const Vector3 moment = Arm(side).cross(direction);
    sum = moment.dot(Turn(first, moment));
  }
  for (int i = 0; i < side.count; ++i) {
    sum += side.weights[i] * side.weights[i] * items_[static_cast<std::size_t>(side.items[i])].inverse_mass;
  }
  return sum;
}

// By an impulse, of velocities or of places.
void XpbdSystem::Push(const Side& side, const Vector3& push, bool velocity) {
  if (side.count == 0) return;
  Item& first = items_[static_cast<std::size_t>(side.items[0])];
  const Vector3 turn = first.turns ? Turn(first, Arm(side).cross(push)) : Vector3::Zero();
  for (int i = 0; i < side.count; ++i) {
    Item& item = items_[static_cast<std::size_t>(side.items[i])];
    (velocity ? item.v : item.x) += side.weights[i] * item.inverse_mass * push;
  }
  if (!first.turns) return;
  if (velocity) {
    first.w += turn;
  } else {
    first.R = (ExpRotation(turn) * first.R).normalized();
  }
}

void XpbdSystem::SolveContact(double s, double time, Contact* contact) {
  Contact& c = *contact;
  c.lambda = 0;
  const double gap = c.gap + c.normal.dot(Displacement(c.a, time) - Displacement(c.b, time));
  const double mobility = Mobility(c.a, c.normal) + Mobility(c.b, c.normal);
  if (gap >= 0 || !(mobility > 0)) return;
  c.lambda = -gap / mobility;
  Push(c.a, c.lambda * c.normal, false);
  Push(c.b, -c.lambda * c.normal, false);
  c.impulse += c.lambda / s * c.normal;
  Vector3 slip = SubstepDisplacement(c.a, s) - SubstepDisplacement(c.b, s);
  slip -= c.normal.dot(slip) * c.normal;
  const double length = slip.norm();
  if (!(length > 0)) return;
  const Vector3 direction = slip / length;
  const double across = Mobility(c.a, direction) + Mobility(c.b, direction);
  const double push = std::min(length / across, c.friction * c.lambda);
  Push(c.a, -push * direction, false);
  Push(c.b, push * direction, false);
  c.impulse -= push / s * direction;
}

void XpbdSystem::UpdateVelocities(double s) {
  for (Item& item : items_) {
    if (item.held) continue;
    item.v = (item.x - item.before) / s;
    if (item.turns) item.w = LogRotation(item.R * item.R_before.conjugate()) / s;
  }
}

// Overlaps that were there before must not become speed; bounces are those of the material.
void XpbdSystem::SolveVelocity(Contact* contact) {
  const Contact& c = *contact;
  if (c.lambda == 0) return;
  const double velocity = c.normal.dot(Velocity(c.a) - Velocity(c.b));
  const double wanted = std::max(0.0, -c.restitution * c.normal_velocity);
  if (velocity <= wanted && c.restitution == 0) return;
  const double push = (wanted - velocity) / (Mobility(c.a, c.normal) + Mobility(c.b, c.normal));
  Push(c.a, push * c.normal, true);
  Push(c.b, -push * c.normal, true);
}

void XpbdSystem::Store(const DeformableSet& set, double h, int substeps, const Vector3& gravity, State* state,
                       std::vector<VectorX>* held) const {
  const double s = h / substeps;
  held->resize(bodies_.size());
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Deformable& body = *bodies_[k];
    const int stride = body.nq() / body.num_items();
    DeformableState& next = state->deformables[k];
    const VectorX& before = set.start()[k].held_velocity;
    (*held)[k].setZero(body.num_held_dofs());
    for (int i = 0; i < body.num_items(); ++i) {
      const Item& item = items_[static_cast<std::size_t>(first_item_[k] + i)];
      next.q.segment<3>(stride * i) = item.x;
      if (stride == 7) next.q.segment<4>(7 * i + 3) << item.R.w(), item.R.x(), item.R.y(), item.R.z();
      if (!item.held) {
        next.v.segment<3>(body.first_dof(i)) = item.v;
        if (item.turns) next.v.segment<3>(body.first_dof(i) + 3) = item.w;
        continue;
      }
      // What constraints do to it and its weight are to be held; it does not accelerate but between steps.
      const int at = body.first_held_dof(i);
      const Vector6 force = item.force / (s * s * substeps);
      (*held)[k].segment<3>(at) = -force.head<3>() - item.mass * gravity +
                                  item.mass * (before.segment<3>(at) - next.held_velocity.segment<3>(at)) / h;
      if (item.turns) (*held)[k].segment<3>(at + 3) = -force.tail<3>();
    }
    next.held_velocity = before;
  }
}

void XpbdSystem::Step(const DeformableSet& set, double h, const Vector3& gravity, const XpbdSettings& settings,
                      const std::vector<int>& deformable_of_object, const std::vector<XpbdContactMotion>& motions,
                      std::vector<ContactState>* contacts, State* state, std::vector<VectorX>* held) {
  LoadState(set, settings.damping);
  LoadContacts(deformable_of_object, motions, set, *contacts);
  const double s = h / settings.substeps;
  for (int k = 0; k < settings.substeps; ++k) {
    for (Contact& c : contacts_) c.normal_velocity = c.normal.dot(Velocity(c.a) - Velocity(c.b));
    Predict(s, gravity);
    for (const Element& element : elements_) SolveElement(element, s);
    // To and fro, so that no end of a rod comes first always.
    const std::size_t count = joints_.size();
    for (std::size_t j = 0; j < count; ++j) SolveJoint(joints_[k % 2 == 0 ? j : count - 1 - j], s);
    for (Contact& c : contacts_) SolveContact(s, (k + 1) * s, &c);
    UpdateVelocities(s);
    for (Contact& c : contacts_) SolveVelocity(&c);
  }
  Store(set, h, settings.substeps, gravity, state, held);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    ContactState& c = (*contacts)[i];
    c.impulse = c.frame * contacts_[i].impulse;
    c.velocity = c.frame * (Velocity(contacts_[i].a) - Velocity(contacts_[i].b));
    c.active = true;
    const double friction = c.impulse.head<2>().norm();
    c.mode = c.impulse[2] <= 0                                              ? ContactMode::Open
             : friction < contacts_[i].friction * c.impulse[2] * (1 - 1e-6) ? ContactMode::Stick
                                                                            : ContactMode::Slip;
  }
}

}  // namespace tactus
