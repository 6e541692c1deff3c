#include "tactus/solvers/cond/cond_testing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tactus/generate/scene_builder.h"
#include "tactus/generate/tet_grid.h"

namespace tactus {

namespace {

constexpr double kStep = 0.01;

// Adds a mat that moves with `velocity`; returns its subsystem.
int AddMat(const TetGrid& grid, double young, const Vector3& velocity, ContactProblemBuilder* builder) {
  const TetElasticity elastic = AssembleElasticity(grid, young, 0.3, 1000);
  SparseMatrix A = kStep * kStep * elastic.stiffness;
  A.diagonal() += elastic.mass;
  VectorX b(elastic.mass.size());
  for (Eigen::Index k = 0; k < b.size(); k += 3) {
    b.segment<3>(k) = elastic.mass[k] * (velocity - Vector3(0, 0, kStep * kGravity));
  }
  return builder->AddSparse(A, b, elastic.mass);
}

void AddGround(const TetGrid& grid, int subsystem, double mu, ContactProblemBuilder* builder) {
  for (int i = 0; i <= grid.cells[0]; ++i) {
    for (int j = 0; j <= grid.cells[1]; ++j) {
      const int node = grid.node(i, j, 0);
      builder->AddContact(builder->AddNode(subsystem, 3 * node, grid.nodes[node]), kWorld, grid.nodes[node],
                          Matrix3::Identity(), mu, Vector3::Zero());
    }
  }
}

// Adds a rod that is straight, of segments of a centimetre: springs between neighbours on all six dofs, with an arm of
// half a segment. Returns its subsystem.
constexpr double kSegment = 0.01;

int AddRod(int segments, ContactProblemBuilder* builder) {
  constexpr double kMass = 1e-3, kStretch = 4e3, kBend = 4e-3;
  Vector6 inertia = Vector6::Constant(kMass), stiffness;
  inertia.tail<3>() *= kSegment * kSegment / 12;
  stiffness << kStretch, kStretch, kStretch, kBend, kBend, kBend;
  Eigen::Matrix<double, 6, 12> J = Eigen::Matrix<double, 6, 12>::Zero();
  J.leftCols<6>() = -Matrix6::Identity();
  J.rightCols<6>() = Matrix6::Identity();
  for (const int side : {0, 6}) J(1, side + 5) = J(2, side + 4) = 0.5 * kSegment * (side == 0 ? -1 : 1);
  const Eigen::Matrix<double, 12, 12> joint = kStep * kStep * J.transpose() * stiffness.asDiagonal() * J;
  std::vector<Eigen::Triplet<double>> entries;
  VectorX b(6 * segments), mass(6 * segments);
  for (int i = 0; i < segments; ++i) {
    for (int d = 0; d < 6; ++d) entries.emplace_back(6 * i + d, 6 * i + d, inertia[d]);
    mass.segment<6>(6 * i) = inertia;
    b.segment<6>(6 * i) << 0.2 * kMass, 0.3 * kMass * std::sin(0.3 * i), -0.4 * kMass, 0, 0, 0;
    for (int r = 0; r < 12 && i + 1 < segments; ++r) {
      for (int c = 0; c < 12; ++c) entries.emplace_back(6 * i + r, 6 * i + c, joint(r, c));
    }
  }
  SparseMatrix A(6 * segments, 6 * segments);
  A.setFromTriplets(entries.begin(), entries.end());
  return builder->AddSparse(A, b, mass);
}

}  // namespace

ContactProblem MakeTestMat(const MatSettings& settings) { return MakeMat(settings, 3); }

ContactProblem MakeTestMat(const MatSettings& settings, const Friction& friction) {
  const ContactProblem p = MakeTestMat(settings);
  return p.WithScaledRows(VectorX::Ones(p.size()), std::vector<Friction>(p.num_contacts(), friction));
}

ContactProblem MakeTestRod(const RodProblemSettings& settings) { return MakeRod(settings, 3); }

ContactProblem MakeCrossedRod(int segments) {
  ContactProblemBuilder builder;
  const int rod = AddRod(segments, &builder);
  builder.AddFreeBody(Matrix6(0.01 * Matrix6::Identity()), Vector6::Zero(), Vector3::Zero());
  std::vector<BodyIndex> bodies;
  for (int i = 0; i < segments; ++i) bodies.push_back(builder.AddSegment(rod, 6 * i, {kSegment * i, 0, 0}));
  for (int i = 0; i < segments / 3; ++i) {
    builder.AddContact(bodies[i], kWorld, {kSegment * i, 0, -0.002}, Matrix3::Identity(), 0.4, Vector3::Zero());
  }
  for (int i = 2; i < 5; ++i) {  // the other end, on top of the first segments
    const Vector3 point(kSegment * i, 0, 0.002);
    builder.AddContact(bodies[segments - i], bodies[i], point, Matrix3::Identity(), 0.4, Vector3::Zero());
  }
  const int free = builder.subsystem(1).dof, last = 6 * (segments - 1);
  for (int d = 0; d < 6; ++d) {
    builder.AddRow(RowLaw::Equality(), {d}, VectorX::Ones(1), 0);
    builder.AddRow(RowLaw::Equality(), {last + d, free + d}, Vector2(1, -1), 0);
  }
  return builder.Build();
}

ContactProblem MakeSqueezedPlate() {
  constexpr double kMass = 0.03, kGap = 0.02;
  ContactProblemBuilder builder;
  const TetGrid below = MakeTetGrid({8, 8, 3}, {0.08, 0.08, 0.03}, Vector3::Zero());
  const TetGrid above = MakeTetGrid({8, 8, 3}, {0.08, 0.08, 0.03}, {0.003, 0.002, 0.03 + kGap});
  const int one = AddMat(below, 1e5, {0.1, 0, 0.3}, &builder), two = AddMat(above, 1e5, {-0.1, 0.1, -0.3}, &builder);
  Matrix6 inertia = kMass * Matrix6::Identity();
  inertia.bottomRightCorner<3, 3>() *= 0.08 * 0.08 / 6;
  const BodyIndex plate = builder.AddFreeBody(inertia, Vector6::Zero(), {0.04, 0.04, 0.03 + 0.5 * kGap});
  for (int i = 0; i <= 8; ++i) {
    for (int j = 0; j <= 8; ++j) {
      const int low = below.node(i, j, 3), high = above.node(i, j, 0);
      builder.AddContact(plate, builder.AddNode(one, 3 * low, below.nodes[low]), below.nodes[low], Matrix3::Identity(),
                         2, Vector3::Zero());
      builder.AddContact(builder.AddNode(two, 3 * high, above.nodes[high]), plate, above.nodes[high],
                         Matrix3::Identity(), 2, Vector3::Zero());
    }
  }
  return builder.Build();
}

ContactProblem MakeRodOnMat() {
  ContactProblemBuilder builder;
  const TetGrid grid = MakeTetGrid({4, 4, 1}, {0.4, 0.4, 0.1}, Vector3::Zero());
  const int mat = AddMat(grid, 1e5, {0, 0, -0.2}, &builder), rod = AddRod(41, &builder);
  AddGround(grid, mat, 0.5, &builder);
  for (int i = 0; i <= 4; ++i) {
    const int node = grid.node(i, 2, 1);
    const Vector3& point = grid.nodes[node];
    const BodyIndex segment = builder.AddSegment(rod, 60 * i, point + Vector3(0, 0, 0.002));
    builder.AddContact(segment, builder.AddNode(mat, 3 * node, point), point, Matrix3::Identity(), 0.3,
                       Vector3::Zero());
  }
  return builder.Build();
}

ContactProblem MakeSlidingBox() {
  SceneBuilder scene(kStep);
  Vector6 velocity;
  velocity << 0.3, 0.1, -0.1, 0, 0, 0.5;
  const BodyIndex box =
      scene.AddBody("box", 0.5, Vector3::Constant(0.5 * 0.04 / 6), {0, 0, 0.1}, velocity, Vector6::Zero());
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) scene.AddContact(box, kWorld, {x, y, 0}, Vector3::UnitZ(), 0.2, 0);
  }
  return scene.Build();
}

ContactProblem MakeTiedMats() {
  ContactProblemBuilder builder;
  const TetGrid left = MakeTetGrid({3, 3, 1}, {0.3, 0.3, 0.1}, Vector3::Zero());
  const TetGrid right = MakeTetGrid({3, 3, 1}, {0.3, 0.3, 0.1}, {0.35, 0, 0});
  const int one = AddMat(left, 1e5, {0.2, 0.1, -0.3}, &builder), two = AddMat(right, 5e5, {-0.1, 0.2, -0.2}, &builder);
  Matrix6 inertia = 0.8 * Matrix6::Identity();
  inertia.bottomRightCorner<3, 3>() *= 0.01;
  Vector6 momentum;
  momentum << 0.1, -0.2, -0.4, 0.001, 0.002, 0;
  const BodyIndex body = builder.AddFreeBody(inertia, momentum, {0.15, 0.15, 0.2});
  const int free = builder.subsystem(2).dof, second = builder.subsystem(two).dof;
  AddGround(left, one, 0.4, &builder);
  AddGround(right, two, 0.4, &builder);
  for (const double x : {-0.05, 0.05}) {
    builder.AddContact(body, kWorld, {0.15 + x, 0.1, 0.15}, Matrix3::Identity(), 0.3, {0, 0, 0.1});
  }
  const auto values = [](std::initializer_list<double> list) {
    return Eigen::Map<const VectorX>(list.begin(), static_cast<Eigen::Index>(list.size())).eval();
  };
  const int edge = 3 * left.node(3, 1, 1), facing = second + 3 * right.node(0, 1, 1);
  for (int k = 0; k < 3; ++k) builder.AddRow(RowLaw::Equality(), {edge + k, facing + k}, values({1, -1}), 0.01);
  builder.AddRow(RowLaw::Inequality(), {3 * left.node(1, 1, 1) + 2}, values({1}), 0.1);
  builder.AddRow(RowLaw::DryFriction(0.002), {3 * left.node(2, 2, 1)}, values({1}), 0);
  builder.AddRow(RowLaw::Soft(0.5, 0.01), {3 * left.node(0, 0, 1) + 2, free + 2}, values({-1, 1}), 0);
  builder.AddRow(RowLaw::BoundedSoft(2, -0.05, -0.01, 0.01), {second + 3 * right.node(1, 2, 1), free}, values({1, -1}),
                 0);
  builder.AddRow(RowLaw::Equality(), {free + 5}, values({1}), 0);
  return builder.Build();
}

ContactProblem MakeStackedMats(double lower, double upper) {
  ContactProblemBuilder builder;
  const TetGrid below = MakeTetGrid({5, 5, 1}, {0.5, 0.5, 0.1}, Vector3::Zero());
  const TetGrid above = MakeTetGrid({4, 4, 1}, {0.3, 0.3, 0.1}, {0.13, 0.11, 0.1});
  const int one = AddMat(below, lower, {0, 0, -0.1}, &builder), two = AddMat(above, upper, {0.3, 0.1, -0.3}, &builder);
  AddGround(below, one, 0.5, &builder);
  for (int i = 0; i <= 4; ++i) {
    for (int j = 0; j <= 4; ++j) {
      const int node = above.node(i, j, 0);
      const Vector3& p = above.nodes[node];
      // By the corners of the face below.
      const int a = std::min(4, static_cast<int>(p[0] / 0.1)), b = std::min(4, static_cast<int>(p[1] / 0.1));
      const double x = p[0] / 0.1 - a, y = p[1] / 0.1 - b;
      const std::array<int, 4> nodes = {3 * below.node(a, b, 1), 3 * below.node(a + 1, b, 1),
                                        3 * below.node(a, b + 1, 1), 3 * below.node(a + 1, b + 1, 1)};
      const std::array<double, 4> weights = {(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y};
      const BodyIndex point = builder.AddInterpolatedNode(one, nodes, weights, p);
      builder.AddContact(builder.AddNode(two, 3 * node, p), point, p, Matrix3::Identity(), 0.3, Vector3::Zero());
    }
  }
  return builder.Build();
}

}  // namespace tactus
