#include "tactus/deformable/rods/rod.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "tactus/core/error.h"

namespace tactus {

namespace {

void SetRotation(const Quaternion& R, int segment, VectorX* q) {
  q->segment<4>(7 * segment + 3) << R.w(), R.x(), R.y(), R.z();
}

// Symmetric to the bit, which products are not.
template <typename Product>
typename Product::PlainObject Symmetric(const Product& product) {
  const typename Product::PlainObject A = product;
  return 0.5 * (A + A.transpose());
}

// q (+) v: linear, and a turn about a world axis.
void Move(const Vector6& v, double time, int segment, VectorX* q) {
  q->segment<3>(7 * segment) += time * v.head<3>();
  SetRotation((ExpRotation(time * v.tail<3>()) * Rod::rotation(*q, segment)).normalized(), segment, q);
}

}  // namespace

void Validate(const RodSettings& s) {
  const auto require = [](bool ok, const char* what, double value, const char* expected) {
    Require(ok && std::isfinite(value), "rod", fmt::format("{} is {}", what, value), expected);
  };
  require(s.length > 0, "length", s.length, "> 0 [m]");
  require(s.segments >= 2 && s.segments <= 10'000'000, "segments", s.segments, "2 to 1e7");
  require(s.radius > 0, "radius", s.radius, "> 0 [m]");
  require(s.young > 0, "young", s.young, "> 0 [Pa]");
  require(s.poisson > -1 && s.poisson < 0.5, "poisson", s.poisson, "in (-1, 0.5)");
  require(s.density > 0, "density", s.density, "> 0 [kg/m^3]");
  require(s.mass_damping >= 0, "mass_damping", s.mass_damping, ">= 0 [1/s]");
  require(s.stiffness_damping >= 0, "stiffness_damping", s.stiffness_damping, ">= 0 [s]");
  Require(s.start.allFinite() && s.axes.coeffs().allFinite() && std::abs(s.axes.norm() - 1) < 1e-6, "rod",
          "start or axes are no pose", "finite numbers and a quaternion of length 1");
}

Vector6 CalcRodStiffness(const RodSettings& s) {
  const double r2 = s.radius * s.radius, area = std::numbers::pi * r2, I = 0.25 * area * r2;
  const double G = s.young / (2 * (1 + s.poisson)), k = 6 * (1 + s.poisson) / (7 + 6 * s.poisson);
  const double l = s.length / s.segments;
  Vector6 stiffness;
  stiffness << s.young * area, k * G * area, k * G * area, 2 * G * I, s.young * I, s.young * I;
  return stiffness / l;
}

Quaternion Rod::rotation(const VectorX& q, int segment) {
  const auto* p = q.data() + 7 * segment + 3;
  return {p[0], p[1], p[2], p[3]};
}

Rod::Rod(const RodSettings& settings) : settings_(settings) {
  Validate(settings_);
  stiffness_ = CalcRodStiffness(settings_);
  const double l = segment_length(), r = settings_.radius;
  segment_mass_ = settings_.density * std::numbers::pi * r * r * l;
  inertia_ = segment_mass_ * Vector3(0.5 * r * r, (3 * r * r + l * l) / 12, (3 * r * r + l * l) / 12);
  const int n = num_segments();
  NumberDofs(n, 6, settings_.held);
  initial_q_.resize(7 * n);
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    initial_q_.segment<3>(7 * i) = settings_.start + settings_.axes * Vector3((i + 0.5) * l, 0, 0);
    SetRotation(settings_.axes.normalized(), i, &initial_q_);
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      neighbours[static_cast<std::size_t>(i)].push_back(j);
    }
    surface_.capsules.push_back({i, 0.5 * l, r});
  }
  MakePattern(neighbours);
}

std::unique_ptr<DeformableData> Rod::MakeData() const {
  auto data = std::make_unique<RodData>();
  const auto joints = static_cast<std::size_t>(num_segments() - 1);
  data->q = initial_q_;
  data->joints.resize(joints);
  data->forces.resize(joints);
  data->K.resize(joints);
  if (settings_.geometry != RodGeometry::None) data->extra.resize(joints);
  data->inertia.resize(joints + 1);
  return data;
}

Vector6 Rod::VelocityOf(const DeformableInput& input, const VectorX& v, int segment) const {
  if (first_dof(segment) >= 0) return v.segment<6>(first_dof(segment));
  return input.held_velocity ? Vector6(input.held_velocity->segment<6>(first_held_dof(segment))) : Vector6::Zero();
}

void Rod::Integrate(const VectorX& v_hat, const VectorX* held_velocity, double h, VectorX* q) const {
  DeformableInput input;
  input.held_velocity = held_velocity;
  for (int i = 0; i < num_segments(); ++i) Move(VelocityOf(input, v_hat, i), h, i, q);
}

Vector6 Rod::CalcVelocityTo(const VectorX& q, int segment, const Vector3& target, const Quaternion& turned, double h) {
  Vector6 v;
  v << target - position(q, segment), LogRotation(turned.normalized() * rotation(q, segment).conjugate());
  return v / h;
}

void Rod::CalcJoints(bool stiffness, RodData* data) const {
  const double half = 0.5 * segment_length();
  for (int i = 0; i < num_segments(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Matrix3 R = rotation(data->q, i).toRotationMatrix();
    data->inertia[k] = Symmetric(R * inertia_.asDiagonal() * R.transpose());
    if (i + 1 == num_segments()) break;
    const Vector3 a = position(data->q, i), b = position(data->q, i + 1);
    const Quaternion Ra = rotation(data->q, i), Rb = rotation(data->q, i + 1);
    RodJoint& joint = data->joints[k];
    joint = CalcRodJoint(a, Ra, b, Rb, half);
    const Vector6 s = stiffness_.cwiseProduct(joint.e);
    data->forces[k] = -joint.J.transpose() * s;
    if (!stiffness) continue;
    data->K[k] = Symmetric(joint.J.transpose() * stiffness_.asDiagonal() * joint.J);
    if (settings_.geometry == RodGeometry::None) continue;
    const Matrix12 G = CalcGeometricStiffness(a, Ra, b, Rb, half, s);
    if (settings_.geometry == RodGeometry::Positive) {
      data->extra[k] = Symmetric(CalcPositivePart(G));
    } else {
      data->extra[k] = G.cwiseAbs().colwise().sum().asDiagonal();
    }
  }
}

void Rod::CalcElasticForces(const VectorX& q, RodData* data, VectorX* force) const {
  data->q = q;
  CalcJoints(false, data);
  force->setZero(6 * num_segments());
  for (int i = 0; i + 1 < num_segments(); ++i) force->segment<12>(6 * i) += data->forces[static_cast<std::size_t>(i)];
}

DeformableEnergy Rod::CalcEnergy(const DeformableInput& input, DeformableData* data) const {
  auto* scratch = static_cast<RodData*>(data);
  scratch->q = *input.q;
  CalcJoints(false, scratch);
  DeformableEnergy energy;
  for (const RodJoint& joint : scratch->joints) energy.elastic += 0.5 * joint.e.dot(stiffness_.cwiseProduct(joint.e));
  for (int i = 0; i < num_segments(); ++i) {
    const Vector6 v = VelocityOf(input, *input.v, i);
    const Vector3 w = v.tail<3>();
    energy.kinetic += 0.5 * segment_mass_ * v.head<3>().squaredNorm() +
                      0.5 * w.dot(scratch->inertia[static_cast<std::size_t>(i)] * w);
    energy.gravity -= segment_mass_ * input.gravity.dot(position(*input.q, i));
  }
  return energy;
}

DeformableMomentum Rod::CalcMomentum(const DeformableInput& input) const {
  DeformableMomentum momentum;
  for (int i = 0; i < num_segments(); ++i) {
    const Vector6 v = VelocityOf(input, *input.v, i);
    const Matrix3 R = rotation(*input.q, i).toRotationMatrix();
    const Vector3 p = segment_mass_ * v.head<3>(), w = v.tail<3>();
    momentum.linear += p;
    momentum.angular += position(*input.q, i).cross(p) + R * inertia_.cwiseProduct(R.transpose() * w);
  }
  return momentum;
}

void Rod::CalcInertia(const VectorX& q, VectorX* inertia) const {
  inertia->resize(nv());
  for (int i = 0; i < num_segments(); ++i) {
    if (first_dof(i) < 0) continue;
    const Matrix3 R = rotation(q, i).toRotationMatrix();
    inertia->segment<3>(first_dof(i)).setConstant(segment_mass_);
    inertia->segment<3>(first_dof(i) + 3) = R.cwiseAbs2() * inertia_;
  }
}

void Rod::CalcStress(const VectorX& q, DeformableData* data, VectorX* stress) const {
  auto* scratch = static_cast<RodData*>(data);
  scratch->q = q;
  CalcJoints(false, scratch);
  stress->resize(num_segments() - 1);
  const double r = settings_.radius, area = std::numbers::pi * r * r;
  for (int i = 0; i + 1 < num_segments(); ++i) {
    // Largest at the surface: stretch and bending along the rod, shear and twist across (von Mises).
    const Vector6 s = stiffness_.cwiseProduct(scratch->joints[static_cast<std::size_t>(i)].e);
    const double along = std::abs(s[0]) / area + 4 * std::hypot(s[4], s[5]) / (area * r);
    const double across = 4.0 / 3 * std::hypot(s[1], s[2]) / area + 2 * std::abs(s[3]) / (area * r);
    (*stress)[i] = std::sqrt(along * along + 3 * across * across);
  }
}

}  // namespace tactus
