#include "tactus/generate/disguise.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "tactus/core/random.h"

namespace tactus {

namespace {

// Turned tangents in terms of the old ones: t1' = c t1 + s t2, t2' = -s t1 + c t2.
Matrix3 Turn(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  Matrix3 T;
  T << c, s, 0, -s, c, 0, 0, 0, 1;
  return T;
}

// d is impulse per velocity, that is mass.
RowLaw ChangeUnits(RowLaw law, double mass_unit, double impulse_unit) {
  law.d *= mass_unit;
  law.ke *= impulse_unit;
  law.lo *= impulse_unit;
  law.hi *= impulse_unit;
  return law;
}

std::vector<RowLaw> ChangeLaws(const ContactProblem& p, const DisguiseSettings& s, double impulse_unit) {
  std::vector<RowLaw> laws;
  laws.reserve(p.num_rows());
  for (int i = 0; i < p.num_rows(); ++i) laws.push_back(ChangeUnits(p.law(i), s.mass_unit, impulse_unit));
  return laws;
}

ContactProblem DisguiseDelassus(const ContactProblem& p, const DisguiseSettings& s, const DisguisedProblem& d) {
  // lambda' = Q lambda up to units.
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<Friction> friction;
  for (int k = 0; k < p.num_contacts(); ++k) {
    const Matrix3 T = Turn(d.angle[k]);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        if (T(r, c) != 0) entries.emplace_back(3 * k + r, 3 * d.original[k] + c, T(r, c));
      }
    }
    friction.push_back(p.friction(d.original[k]));
  }
  for (int r = 3 * p.num_contacts(); r < p.size(); ++r) entries.emplace_back(r, r, 1.0);
  SparseMatrix Q(p.size(), p.size());
  Q.setFromTriplets(entries.begin(), entries.end());
  const SparseMatrix Qt = Q.transpose();
  const SparseMatrix half = Q * p.W(), W = half * Qt;
  const VectorX q = Q * p.e() / s.time_unit;
  return ContactProblem::FromDelassus(SparseMatrix(W / s.mass_unit), q, friction, ChangeLaws(p, s, d.impulse_unit));
}

// Copies subsystems and bodies; returns the new index of each body.
std::vector<BodyIndex> AddBodies(const ContactProblem& p, const DisguiseSettings& s, double impulse_unit,
                                 ContactProblemBuilder* builder) {
  std::vector<BodyIndex> index(p.bodies().size(), kWorld);
  for (int j = 0; j < p.mass().num_subsystems(); ++j) {
    const Subsystem& sub = p.mass().subsystem(j);
    const VectorX b = p.b().segment(sub.dof, sub.size) * impulse_unit;
    if (sub.kind == SubsystemKind::Sparse) {
      builder->AddSparse(p.mass().sparse_block(j) * s.mass_unit, b, p.mass().sparse_inertia(j) * s.mass_unit);
      continue;
    }
    const MatrixX A = p.mass().dense_block(j) * s.mass_unit;
    if (sub.kind == SubsystemKind::Tree) {
      if (const TreeMechanism* known = p.mass().mechanism(j)) {
        TreeMechanism mechanism = *known;
        for (SpatialInertia& inertia : mechanism.inertia) inertia = inertia * s.mass_unit;
        for (double& entry : mechanism.diagonal) entry *= s.mass_unit;
        builder->AddTree(A, p.mass().tree_parent(j), b, mechanism);
      } else {
        builder->AddTree(A, p.mass().tree_parent(j), b);
      }
    } else if (sub.kind == SubsystemKind::Dense) {
      builder->AddDense(A, b);
    } else {
      for (std::size_t k = 0; k < index.size(); ++k) {
        const ContactBody& body = p.bodies()[k];
        if (body.kind != ContactBody::Kind::Free || body.subsystem != j) continue;
        index[k] = builder->AddFreeBody(A, b, body.reference, body.name);
      }
    }
  }
  for (std::size_t k = 0; k < index.size(); ++k) {
    const ContactBody& body = p.bodies()[k];
    if (body.kind == ContactBody::Kind::Link) {
      index[k] = builder->AddLink(body.subsystem, body.jacobian, body.reference, body.name);
    } else if (body.kind == ContactBody::Kind::Node) {
      index[k] = builder->AddNode(body.subsystem, body.local_dof, body.reference, body.name);
    } else if (body.kind == ContactBody::Kind::Segment) {
      index[k] = builder->AddSegment(body.subsystem, body.local_dof, body.reference, body.name);
    } else if (body.kind == ContactBody::Kind::Interpolated) {
      const auto count = static_cast<std::size_t>(body.num_nodes);
      index[k] = builder->AddInterpolatedNode(body.subsystem, {body.nodes.data(), count}, {body.weights.data(), count},
                                              body.reference, body.name);
    }
  }
  return index;
}

ContactProblem DisguiseDynamics(const ContactProblem& p, const DisguiseSettings& s, const DisguisedProblem& d) {
  ContactProblemBuilder builder;
  const std::vector<BodyIndex> index = AddBodies(p, s, d.impulse_unit, &builder);
  const BlockRows& J = p.jacobian();
  for (int k = 0; k < p.num_contacts(); ++k) {
    const int i = d.original[k];
    const Matrix3 T = Turn(d.angle[k]);
    const Vector3 e = T * p.e().segment<3>(3 * i) / s.time_unit;
    if (p.has_geometry()) {
      const ContactGeometry& g = p.geometry()[i];
      builder.AddContact(g.a == kWorld ? kWorld : index[g.a], g.b == kWorld ? kWorld : index[g.b], g.point, T * g.frame,
                         p.friction(i), e);
    } else {
      const Eigen::Map<const RowMatrixX> block(J.block(i), 3, J.count(i));
      builder.AddContactRows({J.cols(i), J.cols(i) + J.count(i)}, T * block, p.friction(i), e);
    }
  }
  const std::vector<RowLaw> laws = ChangeLaws(p, s, d.impulse_unit);
  for (int r = 0; r < p.num_rows(); ++r) {
    const int i = p.num_contacts() + r;
    builder.AddRow(laws[r], {J.cols(i), J.cols(i) + J.count(i)}, Eigen::Map<const VectorX>(J.block(i), J.count(i)),
                   p.e()[p.offset(i)] / s.time_unit);
  }
  return builder.Build();
}

}  // namespace

VectorX DisguisedProblem::Restore(const VectorX& disguised) const {
  VectorX out = disguised / impulse_unit;
  for (std::size_t k = 0; k < original.size(); ++k) {
    out.segment<3>(3 * original[k]) = Turn(angle[k]).transpose() * disguised.segment<3>(3 * k) / impulse_unit;
  }
  return out;
}

VectorX DisguisedProblem::Apply(const VectorX& original_impulse) const {
  VectorX out = original_impulse * impulse_unit;
  for (std::size_t k = 0; k < original.size(); ++k) {
    out.segment<3>(3 * k) = Turn(angle[k]) * original_impulse.segment<3>(3 * original[k]) * impulse_unit;
  }
  return out;
}

DisguisedProblem Disguise(const ContactProblem& problem, std::uint64_t seed, const DisguiseSettings& settings) {
  Require(settings.mass_unit > 0 && std::isfinite(settings.mass_unit) && settings.time_unit > 0 &&
              std::isfinite(settings.time_unit),
          "disguise", "a unit is not positive", "finite numbers > 0");
  Random random(seed);
  DisguisedProblem d;
  d.impulse_unit = settings.mass_unit / settings.time_unit;
  d.original.resize(problem.num_contacts());
  std::iota(d.original.begin(), d.original.end(), 0);
  if (settings.permute) {
    for (int k = problem.num_contacts() - 1; k > 0; --k) std::swap(d.original[k], d.original[random.Index(k + 1)]);
  }
  for (const int i : d.original) {
    const bool isotropic = problem.friction(i).isotropic();
    const double turn =
        isotropic ? random.Uniform(-std::numbers::pi, std::numbers::pi) : random.Index(2) * std::numbers::pi;
    d.angle.push_back(settings.rotate ? turn : 0);
  }
  d.problem = problem.has_dynamics() ? DisguiseDynamics(problem, settings, d) : DisguiseDelassus(problem, settings, d);
  d.problem.name = problem.name;
  d.problem.provenance = problem.provenance + ", disguised";
  return d;
}

}  // namespace tactus
