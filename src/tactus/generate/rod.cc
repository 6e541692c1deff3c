#include "tactus/generate/rod.h"

#include <cmath>

#include <Eigen/Geometry>

#include "tactus/generate/generator_entry.h"
#include "tactus/generate/scene_builder.h"

namespace tactus {

namespace {

const SettingFields<RodProblemSettings>& Fields() {
  static const SettingFields<RodProblemSettings> fields = {
      {"segments", &RodProblemSettings::segments, 2, 100000, "number of segments"},
      {"length", &RodProblemSettings::length, 1e-3, 100, "length [m]"},
      {"radius", &RodProblemSettings::radius, 1e-5, 1, "radius [m]"},
      {"young", &RodProblemSettings::young, 1, 1e12, "Young's modulus [Pa]"},
      {"poisson", &RodProblemSettings::poisson, 0, 0.499, "Poisson's ratio"},
      {"density", &RodProblemSettings::density, 1e-3, 1e5, "density [kg/m^3]"},
      {"mu", &RodProblemSettings::mu, 0, 100, "friction coefficient"},
      {"core", &RodProblemSettings::core, 1e-4, 10, "radius of the cylinder [m]"},
      {"turns", &RodProblemSettings::turns, 0, 100, "turns around the cylinder, at most"},
      {"speed", &RodProblemSettings::speed, 0, 1e3, "scale of velocities [m/s]"},
      {"dt", &RodProblemSettings::dt, 1e-6, 1, "time step [s]"},
  };
  return fields;
}

// Where a segment is.
struct Place {
  Vector3 center, tangent, outward;  // outward from the cylinder's axis, or up
  bool wound = false;
};

// Around the cylinder (axis z) for the given turns, straight along the tangent after that.
std::vector<Place> LayOut(const RodProblemSettings& s) {
  const double l = s.length / s.segments, R = s.core + s.radius, wound = 2 * M_PI * R * s.turns;
  const double rise = 2.2 * s.radius / (2 * M_PI);  // a radian, so that turns do not overlap
  std::vector<Place> places;
  for (int i = 0; i < s.segments; ++i) {
    const double at = (i + 0.5) * l, angle = std::min(at, wound) / R, rest = std::max(0.0, at - wound);
    const Vector3 radial(std::cos(angle), std::sin(angle), 0), along(-std::sin(angle), std::cos(angle), 0);
    Place place;
    place.wound = at < wound;
    place.outward = radial;
    place.tangent = along;
    place.center = R * radial + rest * along + Vector3(0, 0, rise * angle);
    places.push_back(place);
  }
  return places;
}

// Six springs between two segments, at the middle between them: stretch and shear, twist and bending. Adds h^2 J^T K J.
void AddJoint(const RodProblemSettings& s, const Place& a, const Place& b, int dof,
              std::vector<Eigen::Triplet<double>>* out) {
  const double l = s.length / s.segments, area = M_PI * s.radius * s.radius, h2 = s.dt * s.dt;
  const double inertia = 0.25 * area * s.radius * s.radius, shear = s.young / (2 * (1 + s.poisson));
  const Vector3 axis = (b.center - a.center).normalized(), joint = 0.5 * (a.center + b.center);
  const Matrix3 along = axis * axis.transpose(), across = Matrix3::Identity() - along;
  Matrix6 K = Matrix6::Zero();
  K.topLeftCorner<3, 3>() = (s.young * area * along + 5.0 / 6 * shear * area * across) / l;
  K.bottomRightCorner<3, 3>() = (shear * 2 * inertia * along + s.young * inertia * across) / l;
  Eigen::Matrix<double, 6, 12> J;
  const auto motion = [&](const Place& place) {
    const Vector3 r = joint - place.center;
    Matrix6 X = Matrix6::Identity();
    X.topRightCorner<3, 3>() << 0, r[2], -r[1], -r[2], 0, r[0], r[1], -r[0], 0;
    return X;
  };
  J << -motion(a), motion(b);
  const Eigen::Matrix<double, 12, 12> A = h2 * J.transpose() * K * J;
  for (int r = 0; r < 12; ++r) {
    for (int c = 0; c < 12; ++c) out->emplace_back(dof + r, dof + c, A(r, c));
  }
}

// Mass and rotational inertia of a segment in world axes.
Matrix6 SegmentInertia(const RodProblemSettings& s, const Vector3& tangent) {
  const double l = s.length / s.segments, mass = s.density * M_PI * s.radius * s.radius * l;
  const double axial = 0.5 * mass * s.radius * s.radius, lateral = mass * (3 * s.radius * s.radius + l * l) / 12;
  const Matrix3 along = tangent * tangent.transpose();
  Matrix6 M = mass * Matrix6::Identity();
  M.bottomRightCorner<3, 3>() = axial * along + lateral * (Matrix3::Identity() - along);
  return M;
}

}  // namespace

ContactProblem MakeRod(const RodProblemSettings& settings, std::uint64_t seed) {
  ValidateFields("rod", Fields(), settings);
  Random random(seed);
  SceneBuilder scene(settings.dt);
  const std::vector<Place> places = LayOut(settings);
  const int n = 6 * settings.segments;
  std::vector<Eigen::Triplet<double>> triplets;
  VectorX b = VectorX::Zero(n), inertia(n);
  for (int i = 0; i < settings.segments; ++i) {
    const Matrix6 M = SegmentInertia(settings, places[i].tangent);
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c < 6; ++c) triplets.emplace_back(6 * i + r, 6 * i + c, M(r, c));
    }
    inertia.segment<6>(6 * i) = M.diagonal();
    // Pulled along itself and towards what it touches, turning a little.
    Vector6 v;
    v << settings.speed * (random.Uniform(0.5, 1) * places[i].tangent - random.Uniform(0, 1) * places[i].outward),
        settings.speed * RandomNormal3(&random);
    b.segment<6>(6 * i) = M * v;
    b[6 * i + 2] -= settings.dt * kGravity * M(2, 2);
    if (i > 0) AddJoint(settings, places[i - 1], places[i], 6 * (i - 1), &triplets);
  }
  SparseMatrix A(n, n);
  A.setFromTriplets(triplets.begin(), triplets.end());
  ContactProblemBuilder& builder = scene.builder();
  const int subsystem = builder.AddSparse(A, b, inertia);
  for (int i = 0; i < settings.segments; ++i) {
    const Place& place = places[i];
    const BodyIndex segment = builder.AddSegment(subsystem, 6 * i, place.center, "segment");
    const double gap = settings.speed * settings.dt * random.Uniform(-0.1, 0.3);
    if (place.wound) {
      scene.AddContact(segment, kWorld, place.center - settings.radius * place.outward, place.outward, settings.mu,
                       gap);
    } else {
      scene.AddContact(segment, kWorld, place.center - Vector3(0, 0, settings.radius), Vector3::UnitZ(), settings.mu,
                       gap);
    }
  }
  return scene.Build();
}

GeneratorEntry MakeRodEntry() {
  return MakeGeneratorEntry("rod", "a rod of rigid segments on springs, wound on a cylinder and lying on the ground",
                            Fields(), &MakeRod);
}

}  // namespace tactus
