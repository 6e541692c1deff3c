// Problems small enough to know their answer.
#pragma once

#include <string>
#include <vector>

#include "tactus/contact/contact_problem.h"
#include "tactus/contact/delassus_matrix.h"
#include "tactus/math/cones.h"

namespace tactus {

/// One contact of a point mass with a plane, and its answer.
struct PointCase {
  std::string what;
  double mass = 1;
  Vector3 v_free = Vector3::Zero();
  Vector3 e = Vector3::Zero();
  double mu = 0.5;
  Vector3 impulse = Vector3::Zero();
  ContactMode mode = ContactMode::Open;
  bool slides = false;   ///< mu |sigma_t| > sigma_n: relaxations get another answer
  bool on_edge = false;  ///< the mode is undecided at the answer
};

inline std::vector<PointCase> PointCases() {
  // v = v_free + impulse / mass, sigma = v + e.
  return {
      {"falling away", 2, {0.5, 0, 0.5}, {0, 0, 0}, 0.5, {0, 0, 0}, ContactMode::Open},
      {"gap not yet closed", 2, {0.3, 0, -0.5}, {0, 0, 0.7}, 0.5, {0, 0, 0}, ContactMode::Open},
      {"gap not yet closed, fast", 2, {5, 0, -0.5}, {0, 0, 0.7}, 0.5, {0, 0, 0}, ContactMode::Open, true},
      {"gap closes", 2, {0, 0, -0.5}, {0, 0, 0.3}, 0.5, {0, 0, 0.4}, ContactMode::Stick},
      {"stick", 2, {0.1, -0.2, -1}, {0, 0, 0}, 0.5, {-0.2, 0.4, 2}, ContactMode::Stick},
      {"slip", 2, {3, 0, -1}, {0, 0, 0}, 0.5, {-1, 0, 2}, ContactMode::Slip, true},
      {"slip askew", 0.5, {3, -4, -1}, {0, 0, 0}, 0.5, {-0.15, 0.2, 0.5}, ContactMode::Slip, true},
      {"edge of the cone", 2, {0.5, 0, -1}, {0, 0, 0}, 0.5, {-1, 0, 2}, ContactMode::Stick, false, true},
      {"grazing", 2, {1, 0, 0}, {0, 0, 0}, 0.5, {0, 0, 0}, ContactMode::Open, true, true},
      {"conveyor carries along", 2, {0, 0, -1}, {-0.3, 0, 0}, 0.5, {0.6, 0, 2}, ContactMode::Stick},
      {"conveyor slips", 2, {0, 0, -1}, {0, -3, 0}, 0.5, {0, 1, 2}, ContactMode::Slip, true},
      {"frictionless", 2, {3, 1, -1}, {0, 0, 0}, 0, {0, 0, 2}, ContactMode::Slip, false, true},
      {"mu beyond any need", 2, {3, 1, -1}, {0, 0, 0}, 1e4, {-6, -2, 2}, ContactMode::Stick},
      {"at rest", 2, {0, 0, 0}, {0, 0, 0}, 0.5, {0, 0, 0}, ContactMode::Open, false, true},
  };
}

inline ContactProblem MakePoint(const PointCase& c) {
  ContactProblem p = ContactProblem::FromMatrices(MatrixX(c.mass * Matrix3::Identity()), VectorX(c.mass * c.v_free),
                                                  MatrixX(Matrix3::Identity()), VectorX(c.e), {Friction(c.mu)});
  p.name = c.what;
  return p;
}

inline Matrix6 MakeBoxInertia(double mass, const Vector3& half) {
  const Vector3 square = half.cwiseProduct(half);
  Matrix6 M = Matrix6::Zero();
  M.diagonal() << mass, mass, mass, mass / 3 * (square[1] + square[2]), mass / 3 * (square[0] + square[2]),
      mass / 3 * (square[0] + square[1]);
  return M;
}

struct BoxSettings {
  double mass = 1;
  double mu = 0.5;
  double push = 0;  ///< velocity along x before the step [m/s]
  double dt = 0.01;
  Vector3 half = {0.1, 0.1, 0.05};
  bool world_first = false;  ///< write contacts as world on box
  int copies = 1;            ///< of every contact
};

/// A box on a plane z = 0 with a contact at each lower corner. It slows down by mu g dt, or stops.
inline ContactProblem MakeBox(const BoxSettings& s) {
  ContactProblemBuilder builder;
  Vector6 momentum = Vector6::Zero();
  momentum[0] = s.mass * s.push;
  momentum[2] = -s.mass * 9.81 * s.dt;
  const BodyIndex box = builder.AddFreeBody(MakeBoxInertia(s.mass, s.half), momentum, Vector3(0, 0, s.half[2]), "box");
  Matrix3 down;
  down << 1, 0, 0, 0, -1, 0, 0, 0, -1;
  for (int copy = 0; copy < s.copies; ++copy) {
    for (const double x : {-s.half[0], s.half[0]}) {
      for (const double y : {-s.half[1], s.half[1]}) {
        if (s.world_first) {
          builder.AddContact(kWorld, box, {x, y, 0}, down, s.mu, Vector3::Zero());
        } else {
          builder.AddContact(box, kWorld, {x, y, 0}, Matrix3::Identity(), s.mu, Vector3::Zero());
        }
      }
    }
  }
  ContactProblem p = builder.Build();
  p.name = "box on a plane";
  return p;
}

/// A row of every kind on a mass of 2 kg with v_free = -1, so y = -1 + lambda/2, and its answer.
struct RowCase {
  std::string what;
  RowLaw law;
  double e = 0;
  double impulse = 0;
};

inline std::vector<RowCase> RowCases() {
  return {
      {"active inequality", RowLaw::Inequality(), 0, 2},
      {"inactive inequality", RowLaw::Inequality(), 3, 0},
      {"equality that pushes", RowLaw::Equality(), 0, 2},
      {"equality that pulls", RowLaw::Equality(), 3, -4},
      {"soft", RowLaw::Soft(2, 0.5), 0, 0.75},
      {"soft, offset ignored", RowLaw::Soft(2, 0.5), 7, 0.75},
      {"constant impulse", RowLaw::Soft(0, -0.25), 0, 0.25},
      {"bounded soft inside", RowLaw::BoundedSoft(2, 0.5, -1, 1), 0, 0.75},
      {"bounded soft at its bound", RowLaw::BoundedSoft(2, 0.5, -1, 0.3), 0, 0.3},
      {"dry friction holds", RowLaw::DryFriction(5), 0, 2},
      {"dry friction slides", RowLaw::DryFriction(0.1), 0, 0.1},
      {"dry friction on a belt", RowLaw::DryFriction(5), -1, 4},
      {"motor without effort", RowLaw::BoundedSoft(2, 0.5, 0, 0), 0, 0},
  };
}

inline ContactProblem MakeRow(const RowCase& c) {
  ContactProblemBuilder builder;
  builder.AddDense(MatrixX::Constant(1, 1, 2), VectorX::Constant(1, -2));
  builder.AddRow(c.law, {0}, VectorX::Ones(1), c.e);
  ContactProblem p = builder.Build();
  p.name = c.what;
  return p;
}

/// The same problem as a Delassus pair. Soft laws of a pair see y = W lambda + q, so their e is left out of q.
inline ContactProblem MakeDelassusPair(const ContactProblem& p) {
  const DelassusMatrix W(p);
  MatrixX dense(p.size(), p.size());
  VectorX column, q;
  for (int i = 0; i < p.size(); ++i) {
    W.Multiply(VectorX::Unit(p.size(), i), &column);
    dense.col(i) = column;
  }
  dense = 0.5 * (dense + dense.transpose()).eval();
  p.CalcSigma(VectorX::Zero(p.size()), &q);
  std::vector<Friction> friction;
  std::vector<RowLaw> laws;
  friction.reserve(p.num_contacts());
  for (int i = 0; i < p.num_contacts(); ++i) friction.push_back(p.friction(i));
  for (int r = 0; r < p.num_rows(); ++r) {
    laws.push_back(p.law(r));
    if (!p.law(r).rigid()) q[3 * p.num_contacts() + r] -= p.row_offset(r);
  }
  ContactProblem pair = ContactProblem::FromDelassus(SparseMatrix(dense.sparseView()), q, friction, laws);
  pair.name = p.name + " as a Delassus pair";
  return pair;
}

}  // namespace tactus
