// Kernels below the solvers: linear algebra, projections, dynamics of trees, distance fields.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "apps/cli/suites/micro_cases.h"
#include "tactus/core/random.h"
#include "tactus/core/types.h"
#include "tactus/dynamics/forward_dynamics.h"
#include "tactus/dynamics/inverse_dynamics.h"
#include "tactus/dynamics/kinematics.h"
#include "tactus/dynamics/mass_matrix.h"
#include "tactus/geometry/closest_on_triangle.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/geometry/fields/grid.h"
#include "tactus/io/data_folder.h"
#include "tactus/io/urdf.h"
#include "tactus/math/block_cholesky.h"
#include "tactus/math/cones.h"

namespace tactus::cli {

namespace {

using Cases = std::vector<MicroCase>;

VectorX RandomVector(Eigen::Index n, std::uint64_t seed) {
  Random random(seed);
  return VectorX::NullaryExpr(n, [&] { return random.Uniform(-1, 1); });
}

double Relative(const VectorX& x, const VectorX& expected) { return (x - expected).norm() / expected.norm(); }

// The dense kernel of the factorization on one front: s^3/3 + s^2 r + s r^2 flops; the panel is read and written, the
// Schur complement written.
void AddFront(Cases* cases) {
  constexpr int kSize = 96;
  struct Front {
    VectorX panel, work, schur;
  };
  const auto f = std::make_shared<Front>();
  const int stride = PanelStride(kSize, kSize), width = SchurStride(kSize);
  f->panel = VectorX::Constant(static_cast<Eigen::Index>(kSize) * stride, 0.01);
  for (int i = 0; i < kSize; ++i) f->panel[i * stride + i] = 10;
  f->schur.resize(static_cast<Eigen::Index>(width) * width);
  const auto run = [f, stride] {
    f->work = f->panel;
    static_cast<void>(GetCholeskyKernels().partial_cholesky(f->work.data(), stride, kSize, kSize, f->schur.data()));
  };
  run();
  // The Schur complement of [A B; B^T .] is -B^T A^{-1} B, of which the kernel leaves the upper triangle.
  const MatrixX A = (MatrixX::Constant(kSize, kSize, 0.01) + (10 - 0.01) * MatrixX::Identity(kSize, kSize));
  const MatrixX B = MatrixX::Constant(kSize, kSize, 0.01);
  const MatrixX expected = -(B.transpose() * A.llt().solve(B));
  double error = 0;
  for (int i = 0; i < kSize; ++i) {
    for (int j = i; j < kSize; ++j) error = std::max(error, std::abs(f->schur[i * width + j] - expected(i, j)));
  }
  const double s = kSize, panel = 8.0 * s * stride, schur = 8.0 * width * width;
  cases->push_back({"front of 96 + 96, Cholesky",
                    run,
                    nullptr,
                    s * s * s * (1.0 / 3 + 1 + 1),
                    3 * panel + 0.5 * schur,
                    2 * panel + schur,
                    {"error of the Schur complement", error / expected.cwiseAbs().maxCoeff(), 1e-12}});
}

// A grid of 20 x 20 nodes with blocks of 6 x 6: BlockCholesky counts the factorization itself, fronts as they are
// stored; a solve does two flops a number of the factor, twice, and reads it twice.
void AddBlockCholesky(Cases* cases) {
  constexpr int kSide = 20, kNodes = kSide * kSide, kBlock = 6;
  using Block = Eigen::Matrix<double, kBlock, kBlock, Eigen::RowMajor>;
  struct Grid {
    std::vector<int> row_start{0}, columns, row_of;
    std::vector<Block> blocks;
    BlockCholesky cholesky;
    VectorX rhs, x;
    bool good = true;
  };
  const auto g = std::make_shared<Grid>();
  Random random(1);
  for (int i = 0; i < kNodes; ++i) {
    for (const int j : {i - kSide, i - 1, i, i + 1, i + kSide}) {
      if (j < 0 || j >= kNodes || (std::abs(j - i) == 1 && j / kSide != i / kSide)) continue;
      g->columns.push_back(j);
      g->row_of.push_back(i);
      Block block = Block::NullaryExpr([&] { return random.Normal(); });
      if (i == j) block = (0.5 * (block + block.transpose()) + 200 * Block::Identity()).eval();
      g->blocks.push_back(block);
    }
    g->row_start.push_back(static_cast<int>(g->columns.size()));
  }
  g->cholesky.Analyze(std::vector<int>(kNodes, kBlock), g->row_start, g->columns);
  g->rhs = RandomVector(kNodes * kBlock, 2);
  const auto factorize = [g] {
    g->good = g->cholesky.FactorizeEntries([&](int k) {
      if (g->row_of[k] < g->columns[k]) return;
      double* to = g->cholesky.entry(k);
      const int rows = g->cholesky.row_stride(k), columns = g->cholesky.column_stride(k);
      for (int a = 0; a < kBlock; ++a) {
        for (int b = 0; b < kBlock; ++b) to[a * rows + b * columns] += g->blocks[k](a, b);
      }
    });
  };
  const auto solve = [g] {
    g->x = g->rhs;
    g->cholesky.Solve(g->x.data());
  };
  factorize();
  solve();
  VectorX product = VectorX::Zero(g->x.size());
  for (std::size_t k = 0; k < g->blocks.size(); ++k) {
    const int i = kBlock * g->row_of[k], j = kBlock * g->columns[k];
    if (i < j) continue;
    product.segment<kBlock>(i) += g->blocks[k] * g->x.segment<kBlock>(j);
    if (i != j) product.segment<kBlock>(j) += g->blocks[k].transpose() * g->x.segment<kBlock>(i);
  }
  const MicroError error = {"error of a solve",
                            g->good ? Relative(product, g->rhs) : std::numeric_limits<double>::infinity(), 1e-12};
  const double numbers = static_cast<double>(g->cholesky.factor_size()),
               entries = static_cast<double>(g->blocks.size());
  cases->push_back({"grid of 2400 dofs, block Cholesky", factorize, nullptr, g->cholesky.flops(),
                    8 * (2 * numbers + 36 * entries), 8 * (2 * numbers + 36 * entries), error});
  cases->push_back({"grid of 2400 dofs, solve", solve, nullptr, 4 * numbers, 2 * 8 * numbers, 8 * numbers, error});
}

// 4096 contacts of which a third each are open, stick and slip, on average. Counted for slip: 13 flops (strict), 17
// (cone); seven numbers come or go.
void AddProjections(Cases* cases) {
  constexpr int kContacts = 4096;
  struct Contacts {
    VectorX x, lambda;
  };
  const auto c = std::make_shared<Contacts>();
  c->x = RandomVector(3 * kContacts, 3);
  c->lambda = c->x;
  for (const bool strict : {true, false}) {
    const auto run = [c, strict] {
      for (int i = 0; i < 3 * kContacts; i += 3) {
        if (strict) {
          StrictProjection(c->x.data() + i, 0.5, c->lambda.data() + i);
        } else {
          ConeProjection(c->x.data() + i, 0.5, c->lambda.data() + i);
        }
      }
    };
    run();
    // What is projected is in the cone, and projecting it again changes nothing.
    double error = 0;
    for (int i = 0; i < 3 * kContacts; i += 3) {
      double again[3];
      const double* l = c->lambda.data() + i;
      strict ? StrictProjection(l, 0.5, again) : ConeProjection(l, 0.5, again);
      for (int k = 0; k < 3; ++k) error = std::max(error, std::abs(again[k] - l[k]));
    }
    cases->push_back({strict ? "4096 contacts, strict projection" : "4096 contacts, cone projection",
                      run,
                      nullptr,
                      (strict ? 13.0 : 17.0) * kContacts,
                      6 * 8.0 * kContacts,
                      6 * 8.0 * kContacts,
                      {"change by another projection", error, 1e-12}});
  }
}

// Spatial algebra in world axes, to leading order. A joint: frame and axis 100 flops, inertia to world axes 107;
// Newton-Euler 183; composite body 43 and 11 a dof above, then the factor's t (t + 2) with t of them; articulated body
// 260, and 300 for the six dofs of the base. Bytes are those of the arrays that it fills.
void AddDynamics(Cases* cases) {
  struct Robot {
    Model model;
    ModelData data;
    VectorX q, v, tau, a, out;
    explicit Robot(const ModelDescription& description) : model(description), data(model) {}
  };
  UrdfSettings urdf;
  urdf.base = BaseType::Floating;
  const auto r =
      std::make_shared<Robot>(LoadUrdf(std::filesystem::path(FindDataFolder("models")) / "laikago.urdf", urdf));
  Random random(1);
  r->q = r->model.MakeRandom(&random);
  r->v = RandomVector(r->model.nv(), 4);
  r->tau = RandomVector(r->model.nv(), 5);
  r->a = r->out = r->tau;
  const auto rnea = [r] { CalcInverseDynamics(r->model, r->q, r->v, r->a, &r->data, &r->out); };
  const auto crba = [r] {
    CalcPositions(r->model, r->q, &r->data);
    CalcMassMatrix(r->model, &r->data);
    static_cast<void>(FactorizeMassMatrix(r->model, &r->data));
  };
  const auto aba = [r] { static_cast<void>(CalcForwardDynamics(r->model, r->q, r->v, r->tau, &r->data, &r->out)); };
  // Forward dynamics undone by inverse dynamics, and by the mass matrix.
  aba();
  r->a = r->out;
  rnea();
  const double inverse_error = Relative(r->out, r->tau);
  VectorX bias, product;
  CalcBias(r->model, r->q, r->v, &r->data, &bias);
  crba();
  product = r->tau - bias;
  SolveMassMatrix(r->model, r->data, product.data());
  const double mass_error = Relative(product, r->a);
  const double bodies = r->model.num_bodies(), dofs = r->model.nv();
  double matrix = 0;
  for (int d = 0; d < r->model.nv(); ++d) {
    const double above = r->model.branch_length(d) - 1;
    matrix += 43 + 11 * above + above * (above + 2);
  }
  const double frames = 8 * bodies * 12, spatial = 8 * bodies * 6, inertia = 8 * bodies * 10, axes = 8 * dofs * 6;
  const auto add = [&](const char* name, const std::function<void()>& run, double flops, double bytes, double error) {
    cases->push_back({name, run, nullptr, flops, bytes, bytes, {"error of an identity", error, 1e-10}});
  };
  add("laikago, inverse dynamics (RNEA)", rnea, bodies * (100 + 107 + 183), frames + axes + inertia + 3 * spatial,
      inverse_error);
  add("laikago, mass matrix and factor (CRBA)", crba, bodies * (100 + 107) + matrix,
      frames + axes + 2 * inertia + 2 * 8.0 * r->model.branch_size(), mass_error);
  add("laikago, forward dynamics (ABA)", aba, bodies * (100 + 107 + 183 + 260) + 300,
      frames + axes + inertia + 3 * spatial + 8 * bodies * (36 + 6) + axes, inverse_error);
}

// The least that a look at a grid of nearest triangles takes: the node (12 flops), one triangle's nearest point and the
// distance (70); its corners, their numbers, and the table's entry are read. It looks at more triangles than one.
void AddField(Cases* cases) {
  constexpr int kPoints = 1000;
  struct Field {
    TriangleMesh mesh;
    FieldPointer field;
    std::vector<Vector3> points;
    double sum = 0;
  };
  const auto f = std::make_shared<Field>();
  f->mesh = MakeSphereField(0.1, 0.02)->surface();
  GridFieldSettings settings;
  settings.cells = 32;
  settings.cached = false;
  f->field = MakeGridField(f->mesh, settings, "micro");
  Random random(6);
  for (int k = 0; k < kPoints; ++k) {
    const Vector3 d(random.Normal(), random.Normal(), random.Normal());
    f->points.push_back(random.Uniform(0.08, 0.12) * d.normalized());
  }
  const auto run = [f] {
    Vector3 gradient;
    for (const Vector3& p : f->points) f->sum += f->field->Evaluate(p, &gradient) + gradient.x();
  };
  double error = 0;
  for (int k = 0; k < kPoints; k += 10) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto& t : f->mesh.triangles) {
      const Vector3 &a = f->mesh.vertices[t[0]], &b = f->mesh.vertices[t[1]], &c = f->mesh.vertices[t[2]];
      const Vector3 w = ClosestOnTriangle(f->points[k], a, b, c);
      nearest = std::min(nearest, (w[0] * a + w[1] * b + w[2] * c - f->points[k]).norm());
    }
    error = std::max(error, std::abs(nearest - std::abs(f->field->Evaluate(f->points[k], nullptr))));
  }
  const double triangles = static_cast<double>(f->mesh.triangles.size());
  cases->push_back({"1000 points in a grid field",
                    run,
                    nullptr,
                    (12.0 + 70) * kPoints,
                    (72.0 + 12 + 4 + 24) * kPoints,
                    36.0 * 36 * 36 * 4 + 84 * triangles + 24.0 * kPoints,
                    {"error of the distance [m]", error, 1e-12}});
}

}  // namespace

void AddAlgebraCases(Cases* cases) {
  AddFront(cases);
  AddBlockCholesky(cases);
  AddProjections(cases);
  AddDynamics(cases);
  AddField(cases);
}

}  // namespace tactus::cli
