#include "tactus/generate/mat.h"

#include <algorithm>
#include <cmath>

#include "tactus/generate/generator_entry.h"
#include "tactus/generate/scene_builder.h"
#include "tactus/generate/tet_grid.h"

namespace tactus {

namespace {

constexpr double kClearance = 0.002;  // of the mat above flat ground [m]

const SettingFields<MatSettings>& Fields() {
  static const SettingFields<MatSettings> fields = {
      {"nodes", &MatSettings::nodes, 8, 200000, "number of nodes, about"},
      {"layers", &MatSettings::layers, 1, 20, "cells across the thickness"},
      {"length", &MatSettings::length, 1e-3, 100, "length of both sides [m]"},
      {"thickness", &MatSettings::thickness, 0, 100, "thickness [m]; 0: cells are cubes"},
      {"young", &MatSettings::young, 1, 1e12, "Young's modulus [Pa]"},
      {"poisson", &MatSettings::poisson, 0, 0.49, "Poisson's ratio"},
      {"density", &MatSettings::density, 1e-3, 1e5, "density [kg/m^3]"},
      {"mu", &MatSettings::mu, 0, 100, "friction coefficient"},
      {"contacts", &MatSettings::contacts, 0, 1000000, "contacts with the ground, at most; 0: all that may act"},
      {"bumps", &MatSettings::bumps, 0, 10, "height of the ground's bumps [m]"},
      {"pressed", &MatSettings::pressed, 0, 1, "share of the top that a plate presses"},
      {"walls", &MatSettings::walls, 0, 1, "1: the rim touches walls"},
      {"boxes", &MatSettings::boxes, 0, 16, "rigid boxes that lie on the mat"},
      {"box", &MatSettings::box, 1e-6, 1e6, "mass of a box [kg]"},
      {"speed", &MatSettings::speed, 0, 1e3, "speed of falling and sliding [m/s]"},
      {"strain", &MatSettings::strain, 0, 0.3, "strain at the start"},
      {"midpoint", &MatSettings::midpoint, 0, 1, "1: midpoint rule"},
      {"dt", &MatSettings::dt, 1e-6, 1, "time step [s]"},
  };
  return fields;
}

// A smooth function of the plane with values and slopes.
struct Waves {
  struct Wave {
    Vector2 k;
    double phase, height;
  };
  std::vector<Wave> waves;

  Waves(int count, double length, double height, Random* random) {
    for (int i = 0; i < count; ++i) {
      const double angle = random->Uniform(0, 2 * M_PI), number = random->Uniform(4, 14) / length;
      waves.push_back({number * Vector2(std::cos(angle), std::sin(angle)), random->Uniform(0, 2 * M_PI),
                       height / count * random->Uniform(0.5, 1.5)});
    }
  }
  double Value(double x, double y) const {
    double sum = 0;
    for (const Wave& w : waves) sum += w.height * std::sin(w.k[0] * x + w.k[1] * y + w.phase);
    return sum;
  }
  Vector3 Normal(double x, double y) const {
    Vector3 n(0, 0, 1);
    for (const Wave& w : waves) n.head<2>() -= w.height * std::cos(w.k[0] * x + w.k[1] * y + w.phase) * w.k;
    return n.normalized();
  }
};

TetGrid MakeGrid(const MatSettings& s) {
  const double across = std::sqrt(static_cast<double>(s.nodes) / (s.layers + 1));
  const int side = std::max(1, static_cast<int>(std::lround(across)) - 1);
  const int other = std::max(1, static_cast<int>(std::lround(s.nodes / ((side + 1.0) * (s.layers + 1)))) - 1);
  const double thickness = s.thickness > 0 ? s.thickness : s.length / side * s.layers;
  return MakeTetGrid({side, other, s.layers}, Vector3(s.length, s.length * other / side, thickness), Vector3::Zero());
}

// Velocity before the step: falling, sliding, and some swirl.
VectorX MakeVelocity(const MatSettings& s, const TetGrid& grid, Random* random) {
  const Vector3 drift(s.speed * random->Uniform(0.5, 1), s.speed * random->Uniform(-0.5, 0.5), -s.speed);
  const double turn = s.speed / s.length * random->Uniform(-0.5, 0.5);
  VectorX v(3 * static_cast<int>(grid.nodes.size()));
  for (std::size_t i = 0; i < grid.nodes.size(); ++i) {
    const Vector3 r = grid.nodes[i] - Vector3(0.5 * s.length, 0.5 * s.length, 0);
    v.segment<3>(3 * static_cast<int>(i)) = drift + Vector3(-turn * r[1], turn * r[0], 0);
  }
  return v;
}

// Displacements of about the wanted strain.
VectorX MakeDisplacement(const MatSettings& s, const TetGrid& grid, Random* random) {
  VectorX u(3 * static_cast<int>(grid.nodes.size()));
  for (int axis = 0; axis < 3; ++axis) {
    const Waves waves(3, s.length, 0.1 * s.strain * s.length, random);
    for (std::size_t i = 0; i < grid.nodes.size(); ++i) {
      u[3 * static_cast<int>(i) + axis] = waves.Value(grid.nodes[i][0], grid.nodes[i][1]);
    }
  }
  return u;
}

struct Mat {
  const MatSettings& settings;
  TetGrid grid;
  std::vector<BodyIndex> bodies;  // of nodes
  SceneBuilder scene;

  void AddContact(int node, BodyIndex other, const Vector3& normal, double gap) {
    // Deep overlaps are not thrown out at once (docs/simulation.md).
    const double e = gap > 0 ? gap / settings.dt : std::max(gap / settings.dt, -0.1);
    scene.AddContactWithOffset(bodies[node], other, grid.nodes[node], normal, settings.mu, e);
  }
};

void AddGround(Mat* mat, Random* random) {
  const MatSettings& s = mat->settings;
  const Waves ground(5, s.length, s.bumps, random);
  const double reach = s.speed * s.dt + kGravity * s.dt * s.dt;  // what may be closed in the step, twice
  std::vector<int> touching;
  for (int i = 0; i <= mat->grid.cells[0]; ++i) {
    for (int j = 0; j <= mat->grid.cells[1]; ++j) {
      const int node = mat->grid.node(i, j, 0);
      if (kClearance - ground.Value(mat->grid.nodes[node][0], mat->grid.nodes[node][1]) <= 2 * reach + kClearance)
        touching.push_back(node);
    }
  }
  const int wanted =
      s.contacts > 0 ? std::min<int>(s.contacts, static_cast<int>(touching.size())) : static_cast<int>(touching.size());
  for (int k = 0; k < wanted; ++k) {  // the first of a shuffle
    std::swap(touching[k], touching[k + random->Index(static_cast<int>(touching.size()) - k)]);
  }
  touching.resize(wanted);
  std::sort(touching.begin(), touching.end());
  for (const int node : touching) {
    const Vector3& p = mat->grid.nodes[node];
    mat->AddContact(node, kWorld, ground.Normal(p[0], p[1]), kClearance - ground.Value(p[0], p[1]));
  }
}

// A plate that comes down on a corner of the top, so that the mat is squeezed.
void AddPlate(Mat* mat, Random* random) {
  const MatSettings& s = mat->settings;
  const double reach = std::sqrt(s.pressed);
  const Vector3 normal = Vector3(0.2 * random->Uniform(-1, 1), 0.2 * random->Uniform(-1, 1), -1).normalized();
  for (int i = 0; i <= mat->grid.cells[0]; ++i) {
    for (int j = 0; j <= mat->grid.cells[1]; ++j) {
      if (i + 0.5 > reach * (mat->grid.cells[0] + 1) || j + 0.5 > reach * (mat->grid.cells[1] + 1)) continue;
      // It moves down by itself: e_n < 0 although nothing overlaps.
      const double e = -(s.speed + kGravity * s.dt) * random->Uniform(1, 1.5);
      mat->scene.AddContactWithOffset(mat->bodies[mat->grid.node(i, j, s.layers)], kWorld,
                                      mat->grid.nodes[mat->grid.node(i, j, s.layers)], normal, s.mu, e);
    }
  }
}

void AddWalls(Mat* mat) {
  const TetGrid& grid = mat->grid;
  for (int k = 0; k <= grid.cells[2]; ++k) {
    for (int j = 0; j <= grid.cells[1]; ++j) mat->AddContact(grid.node(grid.cells[0], j, k), kWorld, {-1, 0, 0}, 0);
    for (int i = 0; i <= grid.cells[0]; ++i) mat->AddContact(grid.node(i, grid.cells[1], k), kWorld, {0, -1, 0}, 0);
  }
}

void AddBoxes(Mat* mat, Random* random) {
  const MatSettings& s = mat->settings;
  const TetGrid& grid = mat->grid;
  const double top = grid.nodes.back()[2], half = 0.12 * s.length;
  const int across = static_cast<int>(std::ceil(std::sqrt(s.boxes)));
  for (int b = 0; b < s.boxes; ++b) {
    const Vector3 center((b % across + 0.5) / across * s.length, (b / across + 0.5) / across * grid.nodes.back()[1],
                         top + half);
    Vector6 velocity;
    velocity << s.speed * random->Uniform(-1, 1), s.speed * random->Uniform(-1, 1), -s.speed, 0, 0,
        random->Uniform(-1, 1);
    const BodyIndex box = mat->scene.AddBody("box", s.box, Vector3::Constant(s.box * half * half * 2 / 3), center,
                                             velocity, Vector6::Zero());
    for (int i = 0; i <= grid.cells[0]; ++i) {
      for (int j = 0; j <= grid.cells[1]; ++j) {
        const int node = grid.node(i, j, s.layers);
        const Vector3 r = grid.nodes[node] - center;
        // The contact's normal points to the node: down.
        if (std::abs(r[0]) <= half && std::abs(r[1]) <= half)
          mat->AddContact(node, box, -Vector3::UnitZ(), 1e-4 * random->Uniform());
      }
    }
  }
}

}  // namespace

ContactProblem MakeMat(const MatSettings& settings, std::uint64_t seed) {
  ValidateFields("mat", Fields(), settings);
  Random random(seed);
  Mat mat{settings, MakeGrid(settings), {}, SceneBuilder(settings.dt)};
  const double h = settings.dt, scale = settings.midpoint ? 2 : 1, implicit = settings.midpoint ? 0.5 : 1;
  const TetElasticity elastic = AssembleElasticity(mat.grid, settings.young, settings.poisson, settings.density);
  // A = M/(1 - theta) + c h^2 K, b = M v/(1 - theta) + h (M g - K u).
  SparseMatrix A = implicit * h * h * elastic.stiffness;
  A.diagonal() += scale * elastic.mass;
  VectorX b = scale * elastic.mass.cwiseProduct(MakeVelocity(settings, mat.grid, &random));
  b -= h * (elastic.stiffness * MakeDisplacement(settings, mat.grid, &random));
  for (std::size_t i = 0; i < mat.grid.nodes.size(); ++i) {
    b[3 * static_cast<int>(i) + 2] -= h * kGravity * elastic.mass[3 * static_cast<int>(i)];
  }
  ContactProblemBuilder& builder = mat.scene.builder();
  const int subsystem = builder.AddSparse(A, b, scale * elastic.mass);
  for (std::size_t i = 0; i < mat.grid.nodes.size(); ++i) {
    mat.bodies.push_back(builder.AddNode(subsystem, 3 * static_cast<int>(i), mat.grid.nodes[i]));
  }
  AddGround(&mat, &random);
  if (settings.pressed > 0) AddPlate(&mat, &random);
  if (settings.walls) AddWalls(&mat);
  if (settings.boxes > 0) AddBoxes(&mat, &random);
  return mat.scene.Build();
}

GeneratorEntry MakeMatEntry() {
  return MakeGeneratorEntry("mat",
                            "a soft mat of tetrahedra on uneven ground, pressed, between walls or under rigid boxes",
                            Fields(), &MakeMat);
}

}  // namespace tactus
