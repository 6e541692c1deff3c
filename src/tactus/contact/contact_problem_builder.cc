#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "tactus/contact/contact_problem.h"
#include "tactus/contact/problem_checks.h"

namespace tactus {

using problem_checks::At;

void ContactProblemBuilder::Rows::Clear() {
  start.assign(1, 0);
  columns.clear();
  value_start.clear();
  values.clear();
  e.clear();
}

ContactBody& ContactProblemBuilder::AppendBody(ContactBody::Kind kind, int subsystem, const Vector3& reference,
                                               std::string_view name) {
  std::vector<ContactBody>& spare = kind == ContactBody::Kind::Link ? spare_links_ : spare_bodies_;
  if (spare.empty()) {
    problem_.bodies_.emplace_back();
  } else {
    problem_.bodies_.push_back(std::move(spare.back()));
    spare.pop_back();
  }
  ContactBody& body = problem_.bodies_.back();
  body.kind = kind;
  body.subsystem = subsystem;
  body.local_dof = 0;
  body.reference = reference;
  body.name.assign(name);
  return body;
}

void ContactProblemBuilder::AppendMomentum(const double* b, int size) { b_.insert(b_.end(), b, b + size); }

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

int ContactProblemBuilder::AddSparse(const SparseMatrix& A, const VectorX& b) {
  if (A.rows() != A.cols() || A.rows() != b.size()) {
    throw InputError(At("subsystem", problem_.mass_.num_subsystems()), "A and b do not fit",
                     "a square A with the length of b");
  }
  AppendMomentum(b.data(), static_cast<int>(b.size()));
  return problem_.mass_.AddSparse(A);
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

BodyIndex ContactProblemBuilder::AddNode(int subsystem, int local_dof, const Vector3& position, std::string_view name) {
  const auto where = [&] { return At("node", static_cast<int>(problem_.bodies_.size())); };
  if (subsystem < 0 || subsystem >= problem_.mass_.num_subsystems()) {
    throw InputError(where(), "subsystem " + std::to_string(subsystem) + " does not exist", "an added subsystem");
  }
  if (local_dof < 0 || local_dof > problem_.mass_.subsystem(subsystem).size - 3) {
    throw InputError(where(), "first dof " + std::to_string(local_dof) + " is out of range",
                     "three dofs inside the subsystem");
  }
  AppendBody(ContactBody::Kind::Node, subsystem, position, name).local_dof = local_dof;
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
  if (body.kind != ContactBody::Kind::Link) {
    const int count = body.kind == ContactBody::Kind::Free ? 6 : 3;
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

void ContactProblemBuilder::FinishRows(int dim, const double* e, Rows* out) {
  const int count = static_cast<int>(columns_.size());
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0);
  if (!std::is_sorted(columns_.begin(), columns_.end())) {
    std::sort(order_.begin(), order_.end(),
              [&](int x, int y) { return columns_[x] != columns_[y] ? columns_[x] < columns_[y] : x < y; });
  }
  // Both bodies may belong to one subsystem, and users may name a column twice: equal ones add up.
  const std::size_t first = out->columns.size();
  for (const int c : order_) {
    if (out->columns.size() == first || out->columns.back() != columns_[c]) out->columns.push_back(columns_[c]);
  }
  const std::size_t unique = out->columns.size() - first;
  out->value_start.push_back(out->values.size());
  out->values.resize(out->values.size() + unique * dim, 0.0);
  double* values = out->values.data() + out->value_start.back();
  std::size_t place = 0;
  for (const int c : order_) {
    while (out->columns[first + place] != columns_[c]) ++place;
    for (int k = 0; k < dim; ++k) values[k * unique + place] += column_values_[3 * static_cast<std::size_t>(c) + k];
  }
  out->start.push_back(static_cast<int>(out->columns.size()));
  out->e.insert(out->e.end(), e, e + dim);
  columns_.clear();
  column_values_.clear();
}

void ContactProblemBuilder::CheckContact(BodyIndex a, BodyIndex b, const Vector3& point, const Matrix3& frame) const {
  const int contact = static_cast<int>(problem_.friction_.size());
  const int count = static_cast<int>(problem_.bodies_.size());
  if (a < kWorld || a >= count || b < kWorld || b >= count) {
    throw InputError(At("contact", contact), "bodies are " + std::to_string(a) + " and " + std::to_string(b),
                     "indices of added bodies, or kWorld");
  }
  if (a == b) {
    throw InputError(At("contact", contact), "both bodies are " + std::to_string(a), "two different bodies");
  }
  if (!point.allFinite() || !frame.allFinite()) {
    throw InputError(At("contact", contact), "point or frame is not finite", "finite numbers");
  }
  if (!((frame * frame.transpose() - Matrix3::Identity()).cwiseAbs().maxCoeff() < 1e-6 && frame.determinant() > 0)) {
    throw InputError(At("contact", contact), "the frame is not a rotation",
                     "orthonormal rows t1, t2, n with t1 x t2 = n");
  }
}

void ContactProblemBuilder::AddContactColumns(BodyIndex a, BodyIndex b, const Vector3& point, const Matrix3& frame) {
  double rows[18] = {};
  for (int k = 0; k < 3; ++k) {
    for (int c = 0; c < 3; ++c) rows[6 * k + c] = frame(k, c);
  }
  AddBodyColumns(a, point, rows, 3, 1);
  AddBodyColumns(b, point, rows, 3, -1);
}

int ContactProblemBuilder::AddContact(BodyIndex a, BodyIndex b, const Vector3& point, const Matrix3& frame,
                                      const Friction& friction, const Vector3& e) {
  CheckContact(a, b, point, frame);
  AddContactColumns(a, b, point, frame);
  FinishRows(3, e.data(), &contacts_);
  problem_.friction_.push_back(friction);
  problem_.geometry_.push_back({a, b, point, frame});
  ++geometric_contacts_;
  return static_cast<int>(problem_.friction_.size()) - 1;
}

int ContactProblemBuilder::AddCompliantContact(BodyIndex a, BodyIndex b, const Vector3& point, const Matrix3& frame,
                                               const Friction& friction, const Vector3& e, double m) {
  CheckContact(a, b, point, frame);
  // m s = lambda_n moves the contact by s.
  const int dof = num_dofs();
  const double zero = 0;
  problem_.mass_.AddDense(Eigen::Matrix<double, 1, 1>(m));
  AppendMomentum(&zero, 1);
  AddContactColumns(a, b, point, frame);
  columns_.push_back(dof);
  column_values_.insert(column_values_.end(), {0, 0, 1});
  FinishRows(3, e.data(), &contacts_);
  problem_.friction_.push_back(friction);
  return static_cast<int>(problem_.friction_.size()) - 1;
}

double ContactProblemBuilder::CalcRowVelocity(int row, const ConstVectorRef& v) const {
  const int begin = rows_.start[row], count = rows_.start[row + 1] - begin;
  const double* values = rows_.values.data() + rows_.value_start[row];
  double sum = 0;
  for (int c = 0; c < count; ++c) sum += values[c] * v[rows_.columns[begin + c]];
  return sum;
}

Vector3 ContactProblemBuilder::CalcContactVelocity(int contact, const ConstVectorRef& v) const {
  const int begin = contacts_.start[contact], count = contacts_.start[contact + 1] - begin;
  const double* values = contacts_.values.data() + contacts_.value_start[contact];
  Vector3 sum = Vector3::Zero();
  for (int c = 0; c < count; ++c) {
    const int column = contacts_.columns[begin + c];
    if (column >= v.size()) continue;  // compliance: at rest
    for (int k = 0; k < 3; ++k) sum[k] += values[k * count + c] * v[column];
  }
  return sum;
}

void ContactProblemBuilder::SetRow(int row, const RowLaw& law, double e) {
  problem_.laws_[row] = law;
  rows_.e[row] = e;
}

void ContactProblemBuilder::SetContactOffset(int contact, const Vector3& e) {
  for (int k = 0; k < 3; ++k) contacts_.e[3 * static_cast<std::size_t>(contact) + k] = e[k];
}

int ContactProblemBuilder::AddContactRows(const std::vector<int>& columns, const Eigen::Ref<const MatrixX>& values,
                                          const Friction& friction, const Vector3& e) {
  const int contact = static_cast<int>(problem_.friction_.size());
  if (values.rows() != 3 || values.cols() != static_cast<int>(columns.size())) {
    throw InputError(At("contact", contact), "rows and columns do not fit", "3 x (number of columns) values");
  }
  for (int c = 0; c < values.cols(); ++c) {
    columns_.push_back(columns[c]);
    column_values_.insert(column_values_.end(), {values(0, c), values(1, c), values(2, c)});
  }
  FinishRows(3, e.data(), &contacts_);
  problem_.friction_.push_back(friction);
  return contact;
}

int ContactProblemBuilder::AddRow(const RowLaw& law, std::span<const int> columns, std::span<const double> values,
                                  double e) {
  const int row = static_cast<int>(problem_.laws_.size());
  if (values.size() != columns.size()) {
    throw InputError(At("row", row), "values and columns do not fit", "one value a column");
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    columns_.push_back(columns[c]);
    column_values_.insert(column_values_.end(), {values[c], 0, 0});
  }
  FinishRows(1, &e, &rows_);
  problem_.laws_.push_back(law);
  return row;
}

int ContactProblemBuilder::AddRow(const RowLaw& law, const std::vector<int>& columns, const VectorX& values, double e) {
  return AddRow(law, columns, std::span<const double>(values.data(), static_cast<std::size_t>(values.size())), e);
}

int ContactProblemBuilder::AddBodyRow(const RowLaw& law, BodyIndex a, BodyIndex b, const Vector3& point,
                                      const Vector6& direction, double e) {
  const int row = static_cast<int>(problem_.laws_.size());
  const int count = static_cast<int>(problem_.bodies_.size());
  if (a < kWorld || a >= count || b < kWorld || b >= count || a == b) {
    throw InputError(At("row", row), "bodies are " + std::to_string(a) + " and " + std::to_string(b),
                     "two different added bodies, or kWorld");
  }
  AddBodyColumns(a, point, direction.data(), 1, 1);
  AddBodyColumns(b, point, direction.data(), 1, -1);
  FinishRows(1, &e, &rows_);
  problem_.laws_.push_back(law);
  return row;
}

void ContactProblemBuilder::CheckSubsystems() const {
  const MassMatrix& mass = problem_.mass_;
  for (int j = 0; j < mass.num_subsystems(); ++j) {
    const Subsystem& s = mass.subsystem(j);
    problem_checks::RequireFinite(Eigen::Map<const VectorX>(b_.data() + s.dof, s.size), "b of subsystem", j);
    if (s.kind == SubsystemKind::Sparse) {
      problem_checks::RequireFiniteSparse(mass.sparse_block(j), At("A of subsystem", j));
      Require(problem_checks::Asymmetry(mass.sparse_block(j)) < 1e-6, At("A of subsystem", j), "is not symmetric",
              "a symmetric matrix");
      continue;
    }
    const auto A = mass.dense_block(j);
    if (!A.allFinite()) {
      throw InputError(At("A of subsystem", j), "has an entry that is not finite", "finite numbers");
    }
    const double scale = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
    if (A.size() > 0 && !((A - A.transpose()).cwiseAbs().maxCoeff() <= 1e-6 * scale)) {
      throw InputError(At("A of subsystem", j), "is not symmetric", "a symmetric matrix");
    }
  }
}

void ContactProblemBuilder::CheckConstraints() const {
  const int n = problem_.mass_.num_dofs();
  for (const Rows* rows : {&contacts_, &rows_}) {
    const bool contact = rows == &contacts_;
    const char* what = contact ? "contact" : "row";
    const int dim = contact ? 3 : 1, count = static_cast<int>(rows->value_start.size());
    for (int i = 0; i < count; ++i) {
      if (contact) {
        problem_checks::CheckFriction(problem_.friction_[i], i);
      } else {
        problem_checks::CheckLaw(problem_.laws_[i], i);
      }
      for (int k = 0; k < dim; ++k) {
        if (std::isfinite(rows->e[static_cast<std::size_t>(dim) * i + k])) continue;
        throw InputError(At(what, i), "e[" + std::to_string(k) + "] is not finite", "a finite number");
      }
      const int begin = rows->start[i], end = rows->start[i + 1];
      // Ascending: the first and the last tell.
      if (end > begin && (rows->columns[begin] < 0 || rows->columns[end - 1] >= n)) {
        const int bad = rows->columns[begin] < 0 ? rows->columns[begin] : rows->columns[end - 1];
        throw InputError(At(what, i), "column " + std::to_string(bad) + " is out of range",
                         "a dof in [0, " + std::to_string(n) + ")");
      }
      for (std::size_t k = 0; k < static_cast<std::size_t>(end - begin) * dim; ++k) {
        if (std::isfinite(rows->values[rows->value_start[i] + k])) continue;
        throw InputError(At(what, i), "a Jacobian entry is not finite", "finite numbers");
      }
    }
  }
}

void ContactProblemBuilder::Clear() {
  for (ContactBody& body : problem_.bodies_) {
    (body.kind == ContactBody::Kind::Link ? spare_links_ : spare_bodies_).push_back(std::move(body));
  }
  problem_.bodies_.clear();
  problem_.is_delassus_ = false;
  problem_.mass_.Clear();
  problem_.jacobian_.start.assign(1, 0);
  problem_.jacobian_.columns.clear();
  problem_.jacobian_.value_start.clear();
  problem_.jacobian_.values.clear();
  problem_.friction_.clear();
  problem_.laws_.clear();
  problem_.geometry_.clear();
  if (problem_.W_.size() > 0) problem_.W_ = SparseMatrix();
  problem_.name.clear();
  problem_.provenance.clear();
  b_.clear();
  contacts_.Clear();
  rows_.Clear();
  columns_.clear();
  column_values_.clear();
  geometric_contacts_ = 0;
}

// Member by member: Eigen's sparse matrices cannot be moved without allocation.
void ContactProblemBuilder::SwapProblem(ContactProblem* other) {
  ContactProblem& p = problem_;
  std::swap(p.name, other->name);
  std::swap(p.provenance, other->provenance);
  std::swap(p.is_delassus_, other->is_delassus_);
  std::swap(p.mass_, other->mass_);
  p.b_.swap(other->b_);
  p.free_velocity_.swap(other->free_velocity_);
  p.e_.swap(other->e_);
  std::swap(p.jacobian_, other->jacobian_);
  std::swap(p.friction_, other->friction_);
  std::swap(p.laws_, other->laws_);
  std::swap(p.bodies_, other->bodies_);
  std::swap(p.geometry_, other->geometry_);
  p.W_.swap(other->W_);
  std::swap(p.asymmetry_, other->asymmetry_);
}

void ContactProblemBuilder::Build(ContactProblem* out) {
  ContactProblem& p = problem_;
  CheckSubsystems();
  CheckConstraints();
  const int bad = p.mass_.Factorize();
  if (bad >= 0) {
    throw InputError(At("A of subsystem", bad), "is not positive definite", "a symmetric positive definite matrix");
  }
  p.b_ = Eigen::Map<const VectorX>(b_.data(), static_cast<int>(b_.size()));
  BlockRows& J = p.jacobian_;
  p.e_.resize(p.size());
  int entry = 0;
  for (const Rows* rows : {&contacts_, &rows_}) {
    const int columns = static_cast<int>(J.columns.size());
    const std::size_t values = J.values.size();
    for (std::size_t i = 0; i < rows->value_start.size(); ++i) {
      J.start.push_back(columns + rows->start[i + 1]);
      J.value_start.push_back(values + rows->value_start[i]);
    }
    J.columns.insert(J.columns.end(), rows->columns.begin(), rows->columns.end());
    J.values.insert(J.values.end(), rows->values.begin(), rows->values.end());
    for (const double x : rows->e) p.e_[entry++] = x;
  }
  if (geometric_contacts_ != p.num_contacts()) p.geometry_.clear();
  p.free_velocity_ = p.b_;
  p.mass_.SolveInPlace(p.free_velocity_);
  if (!p.free_velocity_.allFinite()) throw InputError("A^-1 b", "is not finite", "a well-conditioned A");
  SwapProblem(out);
  Clear();
}

ContactProblem ContactProblemBuilder::Build() {
  ContactProblem out;
  Build(&out);
  return out;
}

}  // namespace tactus
