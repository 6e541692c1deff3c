#include "tactus/generate/random_problem.h"

#include <array>
#include <cmath>
#include <utility>

#include "tactus/generate/generator_entry.h"
#include "tactus/generate/scene_builder.h"

namespace tactus {

namespace {

struct ContactPlan {
  BodyIndex a, b;
  Vector3 point;
  Matrix3 frame;
  Friction friction;
};

struct RowPlan {
  RowLaw law;
  BodyIndex a, b;
  Vector3 point;
  Vector6 direction;
};

struct TreePlan {
  MatrixX A;
  std::vector<Matrix6X> links;
};

// All of a problem but b and e, which depend on J and so can be chosen only once it is there.
struct Plan {
  std::vector<Matrix6> inertias;
  std::vector<TreePlan> trees;
  std::vector<SparseMatrix> meshes;
  std::vector<Vector3> references;  // of all bodies: free ones, links, nodes
  std::vector<ContactPlan> contacts;
  std::vector<RowPlan> rows;
};

constexpr int kTreeDofs = 7, kNodes = 8;
constexpr std::array<int, kTreeDofs> kParent = {-1, 0, 1, 2, 3, 2, 5};

Matrix6 RandomInertia(double mass, Random* random) {
  Matrix3 R;
  for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = 0.1 * random->Normal();
  Matrix6 M = Matrix6::Zero();
  M.topLeftCorner<3, 3>() = mass * Matrix3::Identity();
  M.bottomRightCorner<3, 3>() = mass * (R * R.transpose() + 0.01 * Matrix3::Identity());
  return M;
}

Vector6 RandomScrew(Random* random) {
  Vector6 out;
  out << RandomNormal3(random), RandomNormal3(random);
  return out;
}

// A robot: one screw a dof; A is the sum of the links' inertias seen by the dofs on their path, plus armature.
TreePlan MakeTreePlan(Random* random) {
  TreePlan tree;
  tree.A = 0.1 * MatrixX::Identity(kTreeDofs, kTreeDofs);
  for (int i = 0; i < kTreeDofs; ++i) {
    Matrix6X X = Matrix6X::Zero(6, kTreeDofs);
    if (kParent[i] >= 0) X = tree.links[kParent[i]];
    X.col(i) = RandomScrew(random);
    tree.A += X.transpose() * RandomInertia(random->Uniform(0.5, 1.5), random) * X;
    tree.links.push_back(std::move(X));
  }
  tree.A = (0.5 * (tree.A + tree.A.transpose())).eval();
  return tree;
}

// A string of nodes with springs between neighbours.
SparseMatrix MakeMeshMatrix(Random* random) {
  MatrixX A = MatrixX::Zero(3 * kNodes, 3 * kNodes);
  for (int i = 0; i < kNodes; ++i) {
    A.block<3, 3>(3 * i, 3 * i) += random->Uniform(0.1, 0.3) * Matrix3::Identity();
    if (i == 0) continue;
    const Vector3 axis = RandomDirection(random);
    const Matrix3 K = axis * axis.transpose() + 0.2 * Matrix3::Identity();
    A.block<3, 3>(3 * i, 3 * i) += K;
    A.block<3, 3>(3 * i - 3, 3 * i - 3) += K;
    A.block<3, 3>(3 * i, 3 * i - 3) -= K;
    A.block<3, 3>(3 * i - 3, 3 * i) -= K;
  }
  return A.sparseView();
}

// Two different bodies, the second may be the world.
std::pair<BodyIndex, BodyIndex> RandomPair(int bodies, Random* random) {
  const BodyIndex a = random->Index(bodies);
  const int k = random->Index(bodies);  // world or one of the bodies - 1 others
  return {a, k == 0 ? kWorld : (k - 1 < a ? k - 1 : k)};
}

Friction RandomFriction(int index, const RandomSettings& settings, Random* random) {
  const double mu1 = random->Uniform(0, settings.mu), mu2 = random->Uniform(0, settings.mu);
  if (index % 7 == 6) return 0.0;
  return settings.elliptic && index % 3 == 1 ? Friction(mu1, mu2) : Friction(mu1);
}

RowLaw RandomLaw(int index, Random* random) {
  const double d = std::pow(10, random->Uniform(-2, 1)), ke = random->Normal();
  const double lo = -random->Uniform(0.1, 1), hi = random->Uniform(0.1, 1);
  switch (index % 5) {
    case 0: return RowLaw::Inequality();
    case 1: return RowLaw::Equality();
    case 2: return RowLaw::Soft(d, ke);
    case 3: return RowLaw::BoundedSoft(d, ke, lo, hi);
    default: return RowLaw::DryFriction(hi);
  }
}

Plan MakePlan(const RandomSettings& settings, Random* random) {
  Plan plan;
  for (int i = 0; i < settings.bodies; ++i) {
    plan.inertias.push_back(RandomInertia(std::pow(settings.mass_ratio, random->Uniform(-0.5, 0.5)), random));
  }
  for (int i = 0; i < settings.trees; ++i) plan.trees.push_back(MakeTreePlan(random));
  for (int i = 0; i < settings.meshes; ++i) plan.meshes.push_back(MakeMeshMatrix(random));
  const int bodies = settings.bodies + settings.trees * kTreeDofs + settings.meshes * kNodes;
  Require(bodies > 0, "random", "there are no bodies, trees or meshes", "at least one");
  for (int i = 0; i < bodies; ++i) plan.references.emplace_back(0.3 * RandomNormal3(random));
  for (int i = 0; i < settings.contacts; ++i) {
    const auto [a, b] = RandomPair(bodies, random);
    const Vector3 point = plan.references[a] + 0.1 * RandomNormal3(random);
    const Matrix3 frame = MakeContactFrame(RandomDirection(random));
    plan.contacts.push_back({a, b, point, frame, RandomFriction(i, settings, random)});
  }
  for (int i = 0; i < settings.rows; ++i) {
    const auto [a, b] = RandomPair(bodies, random);
    const Vector3 point = plan.references[a] + 0.1 * RandomNormal3(random);
    plan.rows.push_back({RandomLaw(i, random), a, b, point, RandomScrew(random)});
  }
  return plan;
}

ContactProblem Assemble(const Plan& plan, const VectorX& b, const VectorX& e) {
  ContactProblemBuilder builder;
  int body = 0, dof = 0;
  for (const Matrix6& inertia : plan.inertias) {
    builder.AddFreeBody(inertia, b.segment<6>(dof), plan.references[body++], "body");
    dof += 6;
  }
  for (const TreePlan& tree : plan.trees) {
    const int subsystem = builder.AddTree(tree.A, {kParent.begin(), kParent.end()}, b.segment(dof, kTreeDofs));
    for (const Matrix6X& X : tree.links) builder.AddLink(subsystem, X, plan.references[body++], "link");
    dof += kTreeDofs;
  }
  for (const SparseMatrix& mesh : plan.meshes) {
    const int subsystem = builder.AddSparse(mesh, b.segment(dof, 3 * kNodes));
    for (int k = 0; k < kNodes; ++k) builder.AddNode(subsystem, 3 * k, plan.references[body++], "node");
    dof += 3 * kNodes;
  }
  int row = 0;
  for (const ContactPlan& c : plan.contacts) {
    builder.AddContact(c.a, c.b, c.point, c.frame, c.friction, e.segment<3>(row));
    row += 3;
  }
  for (const RowPlan& r : plan.rows) builder.AddBodyRow(r.law, r.a, r.b, r.point, r.direction, e[row++]);
  return builder.Build();
}

// The plan with b = 0 and e = 0, to have A and J.
ContactProblem AssembleBare(const Plan& plan) {
  const int dofs =
      static_cast<int>(6 * plan.inertias.size() + kTreeDofs * plan.trees.size() + 3 * kNodes * plan.meshes.size());
  return Assemble(plan, VectorX::Zero(dofs), VectorX::Zero(3 * plan.contacts.size() + plan.rows.size()));
}

VectorX RandomVector(int size, Random* random) {
  VectorX x(size);
  for (double& value : x) value = random->Normal();
  return x;
}

// A velocity and an impulse that obey the contact law together, in a random mode. Slip obeys maximum dissipation.
void ChooseContact(const Friction& f, Random* random, double* sigma, double* lambda) {
  const int mode = random->Index(3);
  const double s0 = random->Normal(), s1 = random->Normal(), angle = random->Uniform(0, 6.283185307179586);
  const double normal = random->Uniform(0.1, 1), fill = random->Uniform(0, 0.95);
  if (mode == 0) {  // open
    sigma[0] = s0;
    sigma[1] = s1;
    sigma[2] = normal;
    return;
  }
  lambda[2] = normal;
  if (mode == 1) {  // stick
    lambda[0] = fill * f.mu1 * normal * std::cos(angle);
    lambda[1] = fill * f.mu2 * normal * std::sin(angle);
    return;
  }
  sigma[0] = s0;
  sigma[1] = s1;
  const double support = std::hypot(f.mu1 * s0, f.mu2 * s1);
  if (support == 0) return;
  lambda[0] = -normal * f.mu1 * f.mu1 * s0 / support;
  lambda[1] = -normal * f.mu2 * f.mu2 * s1 / support;
}

// The same for a scalar row with y = J v; soft laws are bent to fit (ke), rigid ones get e = sigma - y.
void ChooseRow(double y, Random* random, RowLaw* law, double* sigma, double* lambda) {
  const bool at_bound = random->Uniform() < 0.5, upper = random->Uniform() < 0.5;
  const double x = random->Normal(), part = random->Uniform(-0.9, 0.9), distance = random->Uniform(0.1, 1);
  switch (law->kind) {
    case RowKind::Inequality: (at_bound ? *sigma : *lambda) = distance; break;
    case RowKind::Equality: *lambda = x; break;
    case RowKind::Soft:
      *lambda = x;
      law->ke = -x - law->d * y;
      break;
    case RowKind::BoundedSoft:
      *lambda = at_bound ? (upper ? law->hi : law->lo) : 0.5 * (law->lo + law->hi + part * (law->hi - law->lo));
      // At a bound the unclipped law lies beyond it.
      law->ke = -*lambda - law->d * y - (at_bound ? (upper ? distance : -distance) : 0);
      break;
    case RowKind::DryFriction:
      *lambda = at_bound ? (upper ? law->hi : law->lo) : part * law->hi;
      *sigma = at_bound ? (upper ? -distance : distance) : 0;
      break;
  }
}

const SettingFields<RandomSettings>& Fields() {
  static const SettingFields<RandomSettings> fields = {
      {"bodies", &RandomSettings::bodies, 0, 10000, "number of free rigid bodies"},
      {"trees", &RandomSettings::trees, 0, 1000, "number of branching robots of 7 dofs"},
      {"meshes", &RandomSettings::meshes, 0, 1000, "number of deformables of 8 nodes"},
      {"contacts", &RandomSettings::contacts, 0, 100000, "number of contacts"},
      {"rows", &RandomSettings::rows, 0, 100000, "number of scalar rows, the five kinds in turn"},
      {"mu", &RandomSettings::mu, 0, 100, "largest friction coefficient"},
      {"elliptic", &RandomSettings::elliptic, 0, 1, "1: a third of the contacts has anisotropic friction"},
      {"mass_ratio", &RandomSettings::mass_ratio, 1, 1e9, "largest ratio of free bodies' masses"},
  };
  return fields;
}

ContactProblem MakeKnownProblem(const RandomSettings& settings, std::uint64_t seed) {
  return MakeKnown(settings, seed).problem;
}

}  // namespace

ContactProblem MakeRandom(const RandomSettings& settings, std::uint64_t seed) {
  ValidateFields("random", Fields(), settings);
  Random random(seed);
  const Plan plan = MakePlan(settings, &random);
  const ContactProblem bare = AssembleBare(plan);
  const VectorX v = RandomVector(bare.num_dofs(), &random), b = RandomVector(bare.num_dofs(), &random);
  VectorX y;
  bare.MultiplyJ(v, &y);
  // sigma = J v + e at v: inside the dual cone for contacts, positive for inequalities, zero for equalities.
  VectorX e = -y;
  for (int i = 0; i < bare.num_constraints(); ++i) {
    const int o = bare.offset(i);
    const double slack = std::abs(random.Normal());
    if (bare.dim(i) == 3) {
      e[o + 2] += slack;
    } else if (plan.rows[i - bare.num_contacts()].law.kind == RowKind::Inequality) {
      e[o] += slack;
    }
  }
  return Assemble(plan, b, e);
}

KnownProblem MakeKnown(const RandomSettings& settings, std::uint64_t seed) {
  ValidateFields("known", Fields(), settings);
  Random random(seed);
  Plan plan = MakePlan(settings, &random);
  const ContactProblem bare = AssembleBare(plan);
  const VectorX v = RandomVector(bare.num_dofs(), &random);
  VectorX y, lambda = VectorX::Zero(bare.size()), sigma = lambda, e = lambda;
  bare.MultiplyJ(v, &y);
  for (int i = 0; i < bare.num_constraints(); ++i) {
    const int o = bare.offset(i);
    if (bare.dim(i) == 3) {
      ChooseContact(plan.contacts[i].friction, &random, &sigma[o], &lambda[o]);
      e.segment<3>(o) = sigma.segment<3>(o) - y.segment<3>(o);
    } else {
      RowLaw& law = plan.rows[i - bare.num_contacts()].law;
      ChooseRow(y[o], &random, &law, &sigma[o], &lambda[o]);
      if (law.rigid()) e[o] = sigma[o] - y[o];
    }
  }
  VectorX b;
  bare.mass().Multiply(v, &b);
  bare.AddMultiplyJT(-lambda, &b);
  return {Assemble(plan, b, e), lambda};
}

GeneratorEntry MakeRandomEntry() {
  return MakeGeneratorEntry("random",
                            "rigid bodies, robots and deformables at random, every kind of constraint, solvable",
                            Fields(), &MakeRandom);
}

GeneratorEntry MakeKnownEntry() {
  return MakeGeneratorEntry("known", "the same, made from a solution: modes and impulses first, then b and e", Fields(),
                            &MakeKnownProblem);
}

}  // namespace tactus
