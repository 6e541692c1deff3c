#include "tactus/solvers/first_order/first_order_testing.h"

#include <random>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "tactus/contact/delassus_matrix.h"

namespace tactus {

namespace {

Matrix6 BoxInertia(double mass, const Vector3& half) {
  const Vector3 square = half.cwiseProduct(half);
  Matrix6 M = Matrix6::Zero();
  M.diagonal() << mass, mass, mass, mass / 3 * (square[1] + square[2]), mass / 3 * (square[0] + square[2]),
      mass / 3 * (square[0] + square[1]);
  return M;
}

// Four contacts of a 0.2 m square at height z.
void AddCorners(ContactProblemBuilder* builder, BodyIndex a, BodyIndex b, double z, double mu) {
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      builder->AddContact(a, b, Vector3(x, y, z), Matrix3::Identity(), mu, Vector3::Zero());
    }
  }
}

}  // namespace

ContactProblem MakePointOnPlane(double vx, double vn, double mu) {
  return ContactProblem::FromMatrices(MatrixX(2 * Matrix3::Identity()), VectorX(2 * Vector3(vx, 0, vn)),
                                      MatrixX(Matrix3::Identity()), VectorX(Vector3::Zero()), {Friction(mu)});
}

ContactProblem MakeBoxOnPlane(double push, double mu) {
  ContactProblemBuilder builder;
  Vector6 momentum = Vector6::Zero();
  momentum[0] = push;
  momentum[2] = -9.81 * 0.01;
  const BodyIndex box = builder.AddFreeBody(BoxInertia(1, Vector3(0.1, 0.1, 0.05)), momentum, Vector3(0, 0, 0.05));
  AddCorners(&builder, box, kWorld, 0, mu);
  return builder.Build();
}

ContactProblem MakeBoxStack(int boxes, double mass_ratio, double mu) {
  ContactProblemBuilder builder;
  double mass = 1;
  BodyIndex below = kWorld;
  for (int i = 0; i < boxes; ++i, mass *= mass_ratio) {
    Vector6 momentum = Vector6::Zero();
    momentum[0] = 0.02 * mass * (i % 2 == 0 ? 1 : -1);
    momentum[2] = -9.81 * 0.01 * mass;
    const BodyIndex box =
        builder.AddFreeBody(BoxInertia(mass, Vector3(0.1, 0.1, 0.05)), momentum, Vector3(0, 0, 0.05 + 0.1 * i));
    AddCorners(&builder, box, below, 0.1 * i, mu);
    below = box;
  }
  return builder.Build();
}

ContactProblem MakeRandomProblem(unsigned seed, int bodies, int contacts, double mu) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vector3(normal(random), normal(random), normal(random)); };
  ContactProblemBuilder builder;
  for (int i = 0; i < bodies; ++i) {
    const double mass = std::exp(normal(random));
    const Matrix6 M = BoxInertia(mass, Vector3(0.5, 0.4, 0.3));
    Vector6 v;
    v << vector(), vector();
    builder.AddFreeBody(M, M * v, vector());
  }
  std::uniform_int_distribution<int> pick(0, bodies - 1);
  for (int i = 0; i < contacts; ++i) {
    const BodyIndex a = pick(random);
    BodyIndex b = bodies > 1 && i % 2 == 0 ? pick(random) : kWorld;
    if (b == a) b = kWorld;
    const Matrix3 frame = Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
                              .normalized()
                              .toRotationMatrix();
    builder.AddContact(a, b, 0.3 * vector(), frame, mu, Vector3(0, 0, 0.5 + std::abs(normal(random))));
  }
  const auto row = [&](const RowLaw& law, double e) {
    VectorX values(6);
    values << vector(), vector();
    const int first = 6 * pick(random);
    builder.AddRow(law, {first, first + 1, first + 2, first + 3, first + 4, first + 5}, values, e);
  };
  row(RowLaw::Inequality(), 0.1);
  row(RowLaw::Equality(), 0.1);
  row(RowLaw::Soft(0.7, 0.2), 0);
  row(RowLaw::BoundedSoft(5, -1, -0.1, 0.2), 0);
  row(RowLaw::DryFriction(0.05), 0);
  return builder.Build();
}

ContactProblem ToDelassus(const ContactProblem& p) {
  const DelassusMatrix W(p);
  MatrixX dense = MatrixX::Zero(p.size(), p.size());
  VectorX column;
  for (int i = 0; i < p.size(); ++i) {
    W.Multiply(VectorX::Unit(p.size(), i), &column);
    dense.col(i) = column;
  }
  VectorX q;
  p.CalcSigma(VectorX::Zero(p.size()), &q);
  std::vector<Friction> friction;
  std::vector<RowLaw> laws;
  friction.reserve(p.num_contacts());
  for (int i = 0; i < p.num_contacts(); ++i) friction.push_back(p.friction(i));
  for (int i = 0; i < p.num_rows(); ++i) {
    laws.push_back(p.law(i));
    // A soft law of a Delassus pair sees y = W lambda + q: without e.
    if (!laws.back().rigid()) q[3 * p.num_contacts() + i] -= p.row_offset(i);
  }
  return ContactProblem::FromDelassus(SparseMatrix(dense.sparseView()), q, friction, laws);
}

SolveReport SolveCold(ContactSolver* solver, const ContactProblem& problem, ContactSolution* solution, double tolerance,
                      int max_iterations) {
  SolveSettings settings;
  settings.tolerance = tolerance;
  settings.max_iterations = max_iterations;
  return solver->Solve(problem, settings, WarmStart(), solution);
}

void ExpectPointContactsRight(ContactSolver* solver, double tolerance) {
  struct Case {
    double vx, vn, mu;
    Vector3 impulse;
    ContactMode mode;
  };
  const Case cases[] = {
      {1, 0.5, 0.5, Vector3(0, 0, 0), ContactMode::Open},
      {0.1, -1, 0.5, Vector3(-0.2, 0, 2), ContactMode::Stick},
      {3, -1, 0.5, Vector3(-1, 0, 2), ContactMode::Slip},
      {3, -1, 0, Vector3(0, 0, 2), ContactMode::Slip},
  };
  for (const Case& c : cases) {
    for (const bool delassus : {false, true}) {
      const ContactProblem dynamic = MakePointOnPlane(c.vx, c.vn, c.mu);
      ContactSolution solution;
      const SolveReport report = SolveCold(solver, delassus ? ToDelassus(dynamic) : dynamic, &solution, tolerance);
      EXPECT_EQ(report.status, SolveStatus::Solved) << solver->name() << " " << report.residual.Summary();
      EXPECT_LT((solution.impulse - c.impulse).norm(), 10 * tolerance * 3) << solver->name() << " vx " << c.vx;
      EXPECT_EQ(solution.modes[0], c.mode) << solver->name() << " vx " << c.vx;
    }
  }
}

void ExpectScalarRowsRight(ContactSolver* solver, double tolerance) {
  struct Case {
    RowLaw law;
    double e, impulse;
  };
  // Mass 2, v_free = -1: y = -1 + lambda/2.
  const Case cases[] = {
      {RowLaw::Inequality(), 0, 2},
      {RowLaw::Inequality(), 3, 0},
      {RowLaw::Equality(), 3, -4},
      {RowLaw::Soft(2, 0.5), 0, 0.75},
      {RowLaw::BoundedSoft(2, 0.5, -1, 0.3), 0, 0.3},
      {RowLaw::DryFriction(5), 0, 2},
      {RowLaw::DryFriction(0.1), 0, 0.1},
  };
  for (const Case& c : cases) {
    ContactProblemBuilder builder;
    builder.AddDense(MatrixX::Constant(1, 1, 2), VectorX::Constant(1, -2));
    builder.AddRow(c.law, {0}, VectorX::Ones(1), c.e);
    const ContactProblem problem = builder.Build();
    ContactSolution solution;
    const SolveReport report = SolveCold(solver, problem, &solution, tolerance);
    EXPECT_EQ(report.status, SolveStatus::Solved) << solver->name() << " " << report.residual.Summary();
    EXPECT_NEAR(solution.impulse[0], c.impulse, 10 * tolerance)
        << solver->name() << " kind " << static_cast<int>(c.law.kind);
  }
}

}  // namespace tactus
