// Subsystems and bodies of a problem under construction.
#include <algorithm>
#include <cmath>

#include "tactus/contact/contact_problem.h"
#include "tactus/contact/problem_checks.h"

namespace tactus {

using problem_checks::At;

BodyIndex ContactProblemBuilder::AddFreeBody(const Matrix6& inertia, const Vector6& momentum, const Vector3& reference,
                                             std::string_view name) {
  const int subsystem = problem_.mass_.AddDense(inertia, /*free_body=*/true);
  AppendMomentum(momentum.data(), 6);
  AppendBody(ContactBody::Kind::Free, subsystem, reference, name);
  return static_cast<BodyIndex>(problem_.bodies_.size()) - 1;
}

int ContactProblemBuilder::AddDense(const MatrixX& A, const VectorX& b) {
  if (A.rows() != A.cols() || A.rows() != b.size()) {
    throw InputError(At("subsystem", problem_.mass_.num_subsystems()), "A and b do not fit",
                     "a square A with the length of b");
  }
  AppendMomentum(b.data(), static_cast<int>(b.size()));
  return problem_.mass_.AddDense(A);
}

void ContactProblemBuilder::CheckTree(const MatrixX& A, const std::vector<int>& parent, const VectorX& b) const {
  const auto where = [&] { return At("subsystem", problem_.mass_.num_subsystems()); };
  if (A.rows() != A.cols() || A.rows() != b.size() || static_cast<int>(parent.size()) != A.rows()) {
    throw InputError(where(), "A, parent and b do not fit", "a square A with the length of parent and b");
  }
  for (int i = 0; i < static_cast<int>(parent.size()); ++i) {
    if (parent[i] < -1 || parent[i] >= i) {
      throw InputError(where(), "parent of dof " + std::to_string(i) + " is " + std::to_string(parent[i]),
                       "a smaller index, or -1");
    }
    // The factorization never looks between branches.
    int ancestor = parent[i];
    for (int k = i - 1; k >= 0; --k) {
      if (k == ancestor) {
        ancestor = parent[k];
      } else if (A(i, k) != 0 || A(k, i) != 0) {
        throw InputError(where(),
                         "A(" + std::to_string(i) + ", " + std::to_string(k) + ") is not zero, but dof " +
                             std::to_string(k) + " is no ancestor of dof " + std::to_string(i),
                         "zeros between branches");
      }
    }
  }
}

int ContactProblemBuilder::AddTree(const MatrixX& A, const std::vector<int>& parent, const VectorX& b) {
  CheckTree(A, parent, b);
  AppendMomentum(b.data(), static_cast<int>(b.size()));
  return problem_.mass_.AddTree(A, parent);
}

int ContactProblemBuilder::AddTree(const MatrixX& A, const std::vector<int>& parent, const VectorX& b,
                                   const TreeMechanism& mechanism) {
  CheckTree(A, parent, b);
  CheckMechanism(mechanism, A, parent, problem_.mass_.num_subsystems(), &composite_);
  AppendMomentum(b.data(), static_cast<int>(b.size()));
  return problem_.mass_.AddTree(A, parent, &mechanism);
}

int ContactProblemBuilder::AddSparse(const SparseMatrix& A, const VectorX& b, const VectorX& inertia) {
  if (A.rows() != A.cols() || A.rows() != b.size()) {
    throw InputError(At("subsystem", problem_.mass_.num_subsystems()), "A and b do not fit",
                     "a square A with the length of b");
  }
  if (inertia.size() > 0 && inertia.size() != b.size()) {
    throw InputError(At("subsystem", problem_.mass_.num_subsystems()), "inertia and b do not fit",
                     "one number a dof, or none");
  }
  AppendMomentum(b.data(), static_cast<int>(b.size()));
  return problem_.mass_.AddSparse(A, inertia);
}

BodyIndex ContactProblemBuilder::AddLink(int subsystem, const Eigen::Ref<const Matrix6X>& jacobian,
                                         const Vector3& reference, std::string_view name) {
  const auto where = [&] { return At("link", static_cast<int>(problem_.bodies_.size())); };
  if (subsystem < 0 || subsystem >= problem_.mass_.num_subsystems()) {
    throw InputError(where(), "subsystem " + std::to_string(subsystem) + " does not exist", "an added subsystem");
  }
  if (jacobian.cols() != problem_.mass_.subsystem(subsystem).size) {
    throw InputError(where(), "jacobian has " + std::to_string(jacobian.cols()) + " columns",
                     "the size of its subsystem");
  }
  AppendBody(ContactBody::Kind::Link, subsystem, reference, name).jacobian = jacobian;
  return static_cast<BodyIndex>(problem_.bodies_.size()) - 1;
}

void ContactProblemBuilder::CheckBodyDofs(const char* what, int subsystem, int local_dof, int count) const {
  const auto where = [&] { return At(what, static_cast<int>(problem_.bodies_.size())); };
  if (subsystem < 0 || subsystem >= problem_.mass_.num_subsystems()) {
    throw InputError(where(), "subsystem " + std::to_string(subsystem) + " does not exist", "an added subsystem");
  }
  if (local_dof < 0 || local_dof > problem_.mass_.subsystem(subsystem).size - count) {
    throw InputError(where(), "first dof " + std::to_string(local_dof) + " is out of range",
                     (count == 3 ? "three" : "six") + std::string(" dofs inside the subsystem"));
  }
}

BodyIndex ContactProblemBuilder::AddNode(int subsystem, int local_dof, const Vector3& position, std::string_view name) {
  CheckBodyDofs("node", subsystem, local_dof, 3);
  AppendBody(ContactBody::Kind::Node, subsystem, position, name).local_dof = local_dof;
  return static_cast<BodyIndex>(problem_.bodies_.size()) - 1;
}

BodyIndex ContactProblemBuilder::AddSegment(int subsystem, int local_dof, const Vector3& reference,
                                            std::string_view name) {
  CheckBodyDofs("segment", subsystem, local_dof, 6);
  AppendBody(ContactBody::Kind::Segment, subsystem, reference, name).local_dof = local_dof;
  return static_cast<BodyIndex>(problem_.bodies_.size()) - 1;
}

BodyIndex ContactProblemBuilder::AddInterpolatedNode(int subsystem, std::span<const int> nodes,
                                                     std::span<const double> weights, const Vector3& position,
                                                     std::string_view name) {
  const auto where = [&] { return At("interpolated node", static_cast<int>(problem_.bodies_.size())); };
  const std::size_t count = nodes.size();
  if (count < 1 || count > ContactBody::kMostNodes || weights.size() != count) {
    throw InputError(where(),
                     "has " + std::to_string(count) + " nodes and " + std::to_string(weights.size()) + " weights",
                     "1 to 4 nodes with a weight each");
  }
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    CheckBodyDofs("interpolated node", subsystem, nodes[k], 3);
    sum += weights[k];
  }
  if (!(sum > 0 && sum <= 1 + 1e-6)) {
    throw InputError(where(), "weights add up to " + std::to_string(sum),
                     "1: the point moves with its nodes; less if others are held");
  }
  ContactBody& body = AppendBody(ContactBody::Kind::Interpolated, subsystem, position, name);
  body.num_nodes = static_cast<int>(count);
  std::copy(nodes.begin(), nodes.end(), body.nodes.begin());
  std::copy(weights.begin(), weights.end(), body.weights.begin());
  return static_cast<BodyIndex>(problem_.bodies_.size()) - 1;
}

void ContactProblemBuilder::AddBodyColumns(BodyIndex index, const Vector3& point, const double* rows, int dim,
                                           double sign) {
  if (index == kWorld) return;
  const ContactBody& body = problem_.bodies_[index];
  const int first = problem_.mass_.subsystem(body.subsystem).dof + body.local_dof;
  // Velocity at the point: [v + omega x r; omega], r = point - reference.
  const Vector3 r = point - body.reference;
  double block[18];
  for (int k = 0; k < dim; ++k) {
    const double *l = rows + 6 * k, *w = l + 3;
    double* out = block + 6 * k;
    for (int c = 0; c < 3; ++c) out[c] = sign * l[c];
    out[3] = sign * (w[0] + r[1] * l[2] - r[2] * l[1]);
    out[4] = sign * (w[1] + r[2] * l[0] - r[0] * l[2]);
    out[5] = sign * (w[2] + r[0] * l[1] - r[1] * l[0]);
  }
  const auto add = [&](int column, double x, double y, double z) {
    columns_.push_back(column);
    column_values_.insert(column_values_.end(), {x, y, z});
  };
  if (body.kind == ContactBody::Kind::Interpolated) {
    for (int k = 0; k < body.num_nodes; ++k) {
      const double w = body.weights[k];
      for (int c = 0; c < 3; ++c) {
        add(first + body.nodes[k] + c, w * block[c], dim > 1 ? w * block[6 + c] : 0, dim > 2 ? w * block[12 + c] : 0);
      }
    }
    return;
  }
  if (body.kind != ContactBody::Kind::Link) {
    const int count = body.kind == ContactBody::Kind::Node ? 3 : 6;
    for (int c = 0; c < count; ++c) add(first + c, block[c], dim > 1 ? block[6 + c] : 0, dim > 2 ? block[12 + c] : 0);
    return;
  }
  for (int c = 0; c < body.jacobian.cols(); ++c) {
    const double* column = body.jacobian.data() + 6 * static_cast<std::size_t>(c);
    double sum[3] = {0, 0, 0};
    bool moves = false;
    for (int k = 0; k < 6; ++k) moves = moves || column[k] != 0;
    if (!moves) continue;
    for (int k = 0; k < dim; ++k) {
      for (int i = 0; i < 6; ++i) sum[k] += block[6 * k + i] * column[i];
    }
    add(first + c, sum[0], sum[1], sum[2]);
  }
}

}  // namespace tactus
