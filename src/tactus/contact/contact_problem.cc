#include "tactus/contact/contact_problem.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace tactus {

namespace {

std::string At(const char* what, int i) { return std::string(what) + " " + std::to_string(i); }

void RequireFinite(const ConstVectorRef& x, const std::string& where) {
  for (int i = 0; i < x.size(); ++i) {
    Require(std::isfinite(x[i]), where, "entry " + std::to_string(i) + " is " + std::to_string(x[i]),
            "a finite number");
  }
}

void RequireFiniteSparse(const SparseMatrix& A, const std::string& where) {
  for (int i = 0; i < A.outerSize(); ++i) {
    for (SparseMatrix::InnerIterator it(A, i); it; ++it) {
      Require(std::isfinite(it.value()), where,
              "entry (" + std::to_string(i) + ", " + std::to_string(it.col()) + ") is not finite", "a finite number");
    }
  }
}

void CheckFriction(const Friction& f, const std::string& where) {
  Require(std::isfinite(f.mu1) && std::isfinite(f.mu2) && f.mu1 >= 0 && f.mu2 >= 0, where,
          "friction is (" + std::to_string(f.mu1) + ", " + std::to_string(f.mu2) + ")", "finite numbers >= 0");
}

void CheckLaw(const RowLaw& law, const std::string& where) {
  Require(!std::isnan(law.d) && law.d >= 0, where, "damping d is " + std::to_string(law.d), "a number >= 0");
  Require(std::isfinite(law.ke), where, "offset ke is not finite", "a finite number");
  Require(!std::isnan(law.lo) && !std::isnan(law.hi) && law.lo <= law.hi, where,
          "bounds are [" + std::to_string(law.lo) + ", " + std::to_string(law.hi) + "]", "lo <= hi");
  Require(law.lo < kInfinity && law.hi > -kInfinity, where, "the bounds leave no impulse", "lo < inf, hi > -inf");
}

// Largest |A - A^T| relative to the largest |A|.
double Asymmetry(const SparseMatrix& A) {
  const SparseMatrix At = A.transpose();
  const SparseMatrix difference = A - At;
  double scale = 0, worst = 0;
  for (int i = 0; i < A.outerSize(); ++i) {
    for (SparseMatrix::InnerIterator it(A, i); it; ++it) scale = std::max(scale, std::abs(it.value()));
    for (SparseMatrix::InnerIterator it(difference, i); it; ++it) worst = std::max(worst, std::abs(it.value()));
  }
  return scale > 0 ? worst / scale : 0;
}

// The finest split of [0, n) into ranges such that A has no entry between two ranges.
std::vector<std::pair<int, int>> DiagonalRanges(const SparseMatrix& A) {
  const int n = static_cast<int>(A.rows());
  std::vector<int> reach(n);  // farthest dof coupled with i, either way
  std::iota(reach.begin(), reach.end(), 0);
  for (int i = 0; i < n; ++i) {
    for (SparseMatrix::InnerIterator it(A, i); it; ++it) {
      if (it.value() == 0) continue;
      const int lo = std::min<int>(i, static_cast<int>(it.col())), hi = std::max<int>(i, static_cast<int>(it.col()));
      reach[lo] = std::max(reach[lo], hi);
    }
  }
  std::vector<std::pair<int, int>> ranges;
  for (int begin = 0; begin < n;) {
    int end = begin + 1;
    for (int i = begin; i < end; ++i) end = std::max(end, reach[i] + 1);
    ranges.emplace_back(begin, end);
    begin = end;
  }
  return ranges;
}

}  // namespace

void ContactProblem::MultiplyJ(const ConstVectorRef& v, VectorX* y) const {
  y->resize(size());
  for (int i = 0; i < num_constraints(); ++i) {
    const int* cols = jacobian_.cols(i);
    const double* block = jacobian_.block(i);
    const int count = jacobian_.count(i);
    for (int r = 0; r < dim(i); ++r, block += count) {
      double sum = 0;
      for (int c = 0; c < count; ++c) sum += block[c] * v[cols[c]];
      (*y)[offset(i) + r] = sum;
    }
  }
}

void ContactProblem::AddMultiplyJT(const ConstVectorRef& lambda, VectorX* y) const {
  for (int i = 0; i < num_constraints(); ++i) {
    const int* cols = jacobian_.cols(i);
    const double* block = jacobian_.block(i);
    const int count = jacobian_.count(i);
    for (int r = 0; r < dim(i); ++r, block += count) {
      const double l = lambda[offset(i) + r];
      if (l == 0) continue;
      for (int c = 0; c < count; ++c) (*y)[cols[c]] += block[c] * l;
    }
  }
}

void ContactProblem::CalcVelocity(const ConstVectorRef& lambda, VectorX* v) const {
  *v = b_;
  AddMultiplyJT(lambda, v);
  mass_.SolveInPlace(*v);
}

void ContactProblem::CalcSigma(const ConstVectorRef& lambda, VectorX* sigma) const {
  if (is_delassus_) {
    sigma->noalias() = W_ * lambda;
  } else {
    VectorX v;
    CalcVelocity(lambda, &v);
    MultiplyJ(v, sigma);
  }
  *sigma += e_;
}

ContactProblem ContactProblem::FromMatrices(const MatrixX& A, const VectorX& b, const MatrixX& J, const VectorX& e,
                                            const std::vector<Friction>& friction, const std::vector<RowLaw>& laws) {
  return FromMatrices(SparseMatrix(A.sparseView()), b, SparseMatrix(J.sparseView()), e, friction, laws);
}

ContactProblem ContactProblem::FromMatrices(const SparseMatrix& A, const VectorX& b, const SparseMatrix& J,
                                            const VectorX& e, const std::vector<Friction>& friction,
                                            const std::vector<RowLaw>& laws) {
  const int n = static_cast<int>(b.size()), nc = static_cast<int>(friction.size());
  const int m = 3 * nc + static_cast<int>(laws.size());
  const auto shape = [](const SparseMatrix& M) { return std::to_string(M.rows()) + " x " + std::to_string(M.cols()); };
  Require(A.rows() == n && A.cols() == n, "A", "is " + shape(A),
          std::to_string(n) + " x " + std::to_string(n) + ", the length of b");
  Require(J.rows() == m && (J.cols() == n || m == 0), "J", "is " + shape(J),
          std::to_string(m) + " x " + std::to_string(n) + ", three rows a contact and one a scalar row");
  Require(e.size() == m, "e", "has " + std::to_string(e.size()) + " entries", std::to_string(m));
  RequireFiniteSparse(A, "A");
  RequireFiniteSparse(J, "J");

  ContactProblemBuilder builder;
  constexpr int kLargestDenseBlock = 150;
  for (const auto& [begin, end] : DiagonalRanges(A)) {
    const int size = end - begin;
    const SparseMatrix block = A.block(begin, begin, size, size);
    if (size <= kLargestDenseBlock) {
      builder.AddDense(MatrixX(block), b.segment(begin, size));
    } else {
      builder.AddSparse(block, b.segment(begin, size));
    }
  }
  for (int i = 0; i < nc; ++i) {
    std::map<int, Vector3> entries;
    for (int r = 0; r < 3; ++r) {
      for (SparseMatrix::InnerIterator it(J, 3 * i + r); it; ++it) {
        if (it.value() != 0)
          entries.try_emplace(static_cast<int>(it.col()), Vector3::Zero()).first->second[r] += it.value();
      }
    }
    std::vector<int> columns;
    MatrixX values(3, entries.size());
    for (const auto& [column, value] : entries) {
      values.col(static_cast<int>(columns.size())) = value;
      columns.push_back(column);
    }
    builder.AddContactRows(columns, values, friction[i], e.segment<3>(3 * i));
  }
  for (int r = 3 * nc; r < m; ++r) {
    std::vector<int> columns;
    std::vector<double> values;
    for (SparseMatrix::InnerIterator it(J, r); it; ++it) {
      if (it.value() == 0) continue;
      columns.push_back(static_cast<int>(it.col()));
      values.push_back(it.value());
    }
    builder.AddRow(laws[r - 3 * nc], columns, Eigen::Map<const VectorX>(values.data(), values.size()), e[r]);
  }
  return builder.Build();
}

ContactProblem ContactProblem::FromDelassus(const SparseMatrix& W, const VectorX& q,
                                            const std::vector<Friction>& friction, const std::vector<RowLaw>& laws) {
  ContactProblem p;
  p.is_delassus_ = true;
  p.friction_ = friction;
  p.laws_ = laws;
  const int m = p.size();
  Require(W.rows() == m && W.cols() == m, "W", "is " + std::to_string(W.rows()) + " x " + std::to_string(W.cols()),
          std::to_string(m) + " x " + std::to_string(m) + ", three rows a contact and one a scalar row");
  Require(q.size() == m, "q", "has " + std::to_string(q.size()) + " entries", std::to_string(m));
  RequireFinite(q, "q");
  RequireFiniteSparse(W, "W");
  for (int i = 0; i < p.num_contacts(); ++i) CheckFriction(friction[i], At("contact", i));
  for (int i = 0; i < p.num_rows(); ++i) CheckLaw(laws[i], At("row", i));
  const VectorX diagonal = W.diagonal();
  const double scale = m > 0 ? diagonal.cwiseAbs().maxCoeff() : 0;
  for (int i = 0; i < m; ++i) {
    Require(diagonal[i] >= -1e-6 * scale, "W",
            "diagonal entry " + std::to_string(i) + " is " + std::to_string(diagonal[i]),
            "a positive semidefinite matrix");
  }
  p.W_ = W;
  p.W_.makeCompressed();
  p.e_ = q;
  p.asymmetry_ = Asymmetry(p.W_);
  return p;
}

ContactProblem ContactProblem::WithScaledRows(const VectorX& scale, const std::vector<Friction>& friction) const {
  ContactProblem p = *this;
  p.friction_ = friction;
  p.e_ = scale.cwiseProduct(e_);
  p.geometry_.clear();
  if (is_delassus_) {
    p.W_ = scale.asDiagonal() * W_ * scale.asDiagonal();
    p.W_.makeCompressed();
    return p;
  }
  for (int i = 0; i < num_constraints(); ++i) {
    const int count = jacobian_.count(i);
    double* block = p.jacobian_.values.data() + jacobian_.value_start[i];
    for (int r = 0; r < dim(i); ++r) {
      for (int c = 0; c < count; ++c) block[r * count + c] *= scale[offset(i) + r];
    }
  }
  return p;
}

BodyIndex ContactProblemBuilder::AddFreeBody(const Matrix6& inertia, const Vector6& momentum, const Vector3& reference,
                                             std::string name) {
  ContactBody body;
  body.kind = ContactBody::Kind::Free;
  body.subsystem = problem_.mass_.AddDense(inertia, /*free_body=*/true);
  body.reference = reference;
  body.name = std::move(name);
  b_parts_.emplace_back(momentum);
  problem_.bodies_.push_back(std::move(body));
  return static_cast<BodyIndex>(problem_.bodies_.size()) - 1;
}

int ContactProblemBuilder::AddDense(const MatrixX& A, const VectorX& b) {
  Require(A.rows() == A.cols() && A.rows() == b.size(), At("subsystem", problem_.mass_.num_subsystems()),
          "A and b do not fit", "a square A with the length of b");
  b_parts_.push_back(b);
  return problem_.mass_.AddDense(A);
}

int ContactProblemBuilder::AddTree(const MatrixX& A, const std::vector<int>& parent, const VectorX& b) {
  const std::string where = At("subsystem", problem_.mass_.num_subsystems());
  Require(A.rows() == A.cols() && A.rows() == b.size() && static_cast<int>(parent.size()) == A.rows(), where,
          "A, parent and b do not fit", "a square A with the length of parent and b");
  for (int i = 0; i < static_cast<int>(parent.size()); ++i) {
    Require(parent[i] >= -1 && parent[i] < i, where,
            "parent of dof " + std::to_string(i) + " is " + std::to_string(parent[i]), "a smaller index, or -1");
    // The factorization never looks between branches.
    int ancestor = parent[i];
    for (int k = i - 1; k >= 0; --k) {
      if (k == ancestor) {
        ancestor = parent[k];
      } else {
        Require(A(i, k) == 0 && A(k, i) == 0, where,
                "A(" + std::to_string(i) + ", " + std::to_string(k) + ") is not zero, but dof " + std::to_string(k) +
                    " is no ancestor of dof " + std::to_string(i),
                "zeros between branches");
      }
    }
  }
  b_parts_.push_back(b);
  return problem_.mass_.AddTree(A, parent);
}

int ContactProblemBuilder::AddSparse(const SparseMatrix& A, const VectorX& b) {
  Require(A.rows() == A.cols() && A.rows() == b.size(), At("subsystem", problem_.mass_.num_subsystems()),
          "A and b do not fit", "a square A with the length of b");
  b_parts_.push_back(b);
  return problem_.mass_.AddSparse(A);
}

BodyIndex ContactProblemBuilder::AddLink(int subsystem, const Matrix6X& jacobian, const Vector3& reference,
                                         std::string name) {
  const std::string where = At("link", static_cast<int>(problem_.bodies_.size()));
  Require(subsystem >= 0 && subsystem < problem_.mass_.num_subsystems(), where,
          "subsystem " + std::to_string(subsystem) + " does not exist", "an added subsystem");
  Require(jacobian.cols() == problem_.mass_.subsystem(subsystem).size, where,
          "jacobian has " + std::to_string(jacobian.cols()) + " columns", "the size of its subsystem");
  ContactBody body;
  body.kind = ContactBody::Kind::Link;
  body.subsystem = subsystem;
  body.reference = reference;
  body.jacobian = jacobian;
  body.name = std::move(name);
  problem_.bodies_.push_back(std::move(body));
  return static_cast<BodyIndex>(problem_.bodies_.size()) - 1;
}

BodyIndex ContactProblemBuilder::AddNode(int subsystem, int local_dof, const Vector3& position, std::string name) {
  const std::string where = At("node", static_cast<int>(problem_.bodies_.size()));
  Require(subsystem >= 0 && subsystem < problem_.mass_.num_subsystems(), where,
          "subsystem " + std::to_string(subsystem) + " does not exist", "an added subsystem");
  Require(local_dof >= 0 && local_dof <= problem_.mass_.subsystem(subsystem).size - 3, where,
          "first dof " + std::to_string(local_dof) + " is out of range", "three dofs inside the subsystem");
  ContactBody body;
  body.kind = ContactBody::Kind::Node;
  body.subsystem = subsystem;
  body.local_dof = local_dof;
  body.reference = position;
  body.name = std::move(name);
  problem_.bodies_.push_back(std::move(body));
  return static_cast<BodyIndex>(problem_.bodies_.size()) - 1;
}

void ContactProblemBuilder::AddBodyBlock(BodyIndex index, const Vector3& point,
                                         const Eigen::Ref<const RowMatrixX>& rows, double sign,
                                         PendingRows* out) const {
  if (index == kWorld) return;
  const ContactBody& body = problem_.bodies_[index];
  const Subsystem& s = problem_.mass_.subsystem(body.subsystem);
  // Velocity at the point: [v + omega x r; omega], r = point - reference.
  const Vector3 r = point - body.reference;
  RowMatrixX block = rows;
  for (int k = 0; k < rows.rows(); ++k) {
    const Vector3 linear = rows.row(k).head<3>();
    block.row(k).tail<3>() += r.cross(linear).transpose();
  }
  block *= sign;
  int first = s.dof;
  RowMatrixX values;
  if (body.kind == ContactBody::Kind::Free) {
    values = block;
  } else if (body.kind == ContactBody::Kind::Node) {
    values = sign * rows.leftCols<3>();
    first += body.local_dof;
  } else {
    values = block * body.jacobian;
  }
  // Merge into the columns that are there (both bodies may belong to one subsystem).
  const int dim = static_cast<int>(rows.rows());
  std::map<int, std::vector<double>> columns;
  const int old = static_cast<int>(out->columns.size());
  for (int c = 0; c < old; ++c) {
    auto& column = columns.try_emplace(out->columns[c], std::vector<double>(dim, 0.0)).first->second;
    for (int k = 0; k < dim; ++k) column[k] += out->values[k * old + c];
  }
  for (int c = 0; c < values.cols(); ++c) {
    if (body.kind == ContactBody::Kind::Link && body.jacobian.col(c).isZero(0)) continue;
    auto& column = columns.try_emplace(first + c, std::vector<double>(dim, 0.0)).first->second;
    for (int k = 0; k < dim; ++k) column[k] += values(k, c);
  }
  out->columns.clear();
  out->values.assign(columns.size() * dim, 0.0);
  for (const auto& [column, value] : columns) {
    for (int k = 0; k < dim; ++k) out->values[k * columns.size() + out->columns.size()] = value[k];
    out->columns.push_back(column);
  }
}

int ContactProblemBuilder::AddContact(BodyIndex a, BodyIndex b, const Vector3& point, const Matrix3& frame,
                                      const Friction& friction, const Vector3& e) {
  const std::string where = At("contact", static_cast<int>(contacts_.size()));
  const int count = static_cast<int>(problem_.bodies_.size());
  Require(a >= kWorld && a < count && b >= kWorld && b < count, where,
          "bodies are " + std::to_string(a) + " and " + std::to_string(b), "indices of added bodies, or kWorld");
  Require(a != b, where, "both bodies are " + std::to_string(a), "two different bodies");
  Require(point.allFinite() && frame.allFinite(), where, "point or frame is not finite", "finite numbers");
  Require((frame * frame.transpose() - Matrix3::Identity()).cwiseAbs().maxCoeff() < 1e-6 && frame.determinant() > 0,
          where, "the frame is not a rotation", "orthonormal rows t1, t2, n with t1 x t2 = n");
  PendingRows rows;
  RowMatrixX linear = RowMatrixX::Zero(3, 6);
  linear.leftCols<3>() = frame;
  AddBodyBlock(a, point, linear, 1, &rows);
  AddBodyBlock(b, point, linear, -1, &rows);
  rows.e = e;
  contacts_.push_back(std::move(rows));
  problem_.friction_.push_back(friction);
  problem_.geometry_.push_back({a, b, point, frame});
  ++geometric_contacts_;
  return static_cast<int>(contacts_.size()) - 1;
}

int ContactProblemBuilder::AddContactRows(const std::vector<int>& columns, const Eigen::Ref<const MatrixX>& values,
                                          const Friction& friction, const Vector3& e) {
  const std::string where = At("contact", static_cast<int>(contacts_.size()));
  Require(values.rows() == 3 && values.cols() == static_cast<int>(columns.size()), where, "rows and columns do not fit",
          "3 x (number of columns) values");
  PendingRows rows;
  rows.columns = columns;
  const RowMatrixX copy = values;
  rows.values.assign(copy.data(), copy.data() + copy.size());
  rows.e = e;
  contacts_.push_back(std::move(rows));
  problem_.friction_.push_back(friction);
  return static_cast<int>(contacts_.size()) - 1;
}

int ContactProblemBuilder::AddRow(const RowLaw& law, const std::vector<int>& columns, const VectorX& values, double e) {
  Require(values.size() == static_cast<int>(columns.size()), At("row", static_cast<int>(rows_.size())),
          "values and columns do not fit", "one value a column");
  PendingRows row;
  row.columns = columns;
  row.values.assign(values.data(), values.data() + values.size());
  row.e[0] = e;
  rows_.push_back(std::move(row));
  problem_.laws_.push_back(law);
  return static_cast<int>(rows_.size()) - 1;
}

int ContactProblemBuilder::AddBodyRow(const RowLaw& law, BodyIndex a, BodyIndex b, const Vector3& point,
                                      const Vector6& direction, double e) {
  const int count = static_cast<int>(problem_.bodies_.size());
  Require(a >= kWorld && a < count && b >= kWorld && b < count && a != b, At("row", static_cast<int>(rows_.size())),
          "bodies are " + std::to_string(a) + " and " + std::to_string(b), "two different added bodies, or kWorld");
  PendingRows row;
  const RowMatrixX rows = direction.transpose();
  AddBodyBlock(a, point, rows, 1, &row);
  AddBodyBlock(b, point, rows, -1, &row);
  row.e[0] = e;
  rows_.push_back(std::move(row));
  problem_.laws_.push_back(law);
  return static_cast<int>(rows_.size()) - 1;
}

ContactProblem ContactProblemBuilder::Build() {
  ContactProblem p = std::move(problem_);
  const int n = p.mass_.num_dofs(), nc = static_cast<int>(contacts_.size());
  p.b_.resize(n);
  for (int j = 0; j < p.mass_.num_subsystems(); ++j) {
    const Subsystem& s = p.mass_.subsystem(j);
    RequireFinite(b_parts_[j], At("b of subsystem", j));
    p.b_.segment(s.dof, s.size) = b_parts_[j];
    if (s.kind == SubsystemKind::Sparse) {
      RequireFiniteSparse(p.mass_.sparse_block(j), At("A of subsystem", j));
      Require(Asymmetry(p.mass_.sparse_block(j)) < 1e-6, At("A of subsystem", j), "is not symmetric",
              "a symmetric matrix");
    } else {
      const auto A = p.mass_.dense_block(j);
      Require(A.allFinite(), At("A of subsystem", j), "has an entry that is not finite", "finite numbers");
      const double scale = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
      Require(A.size() == 0 || (A - A.transpose()).cwiseAbs().maxCoeff() <= 1e-6 * scale, At("A of subsystem", j),
              "is not symmetric", "a symmetric matrix");
    }
  }
  const int bad = p.mass_.Factorize();
  Require(bad < 0, At("A of subsystem", bad), "is not positive definite", "a symmetric positive definite matrix");

  p.e_.resize(p.size());
  for (int i = 0; i < p.num_constraints(); ++i) {
    const bool contact = i < nc;
    const std::string where = contact ? At("contact", i) : At("row", i - nc);
    if (contact) {
      CheckFriction(p.friction_[i], where);
    } else {
      CheckLaw(p.laws_[i - nc], where);
    }
    const PendingRows& rows = contact ? contacts_[i] : rows_[i - nc];
    const int dim = p.dim(i), count = static_cast<int>(rows.columns.size());
    for (int k = 0; k < dim; ++k) {
      Require(std::isfinite(rows.e[k]), where, "e[" + std::to_string(k) + "] is not finite", "a finite number");
      p.e_[p.offset(i) + k] = rows.e[k];
    }
    for (int c = 0; c < count; ++c) {
      Require(rows.columns[c] >= 0 && rows.columns[c] < n, where,
              "column " + std::to_string(rows.columns[c]) + " is out of range",
              "a dof in [0, " + std::to_string(n) + ")");
    }
    for (const double value : rows.values)
      Require(std::isfinite(value), where, "a Jacobian entry is not finite", "finite numbers");
    // Ascending, unique columns.
    std::map<int, std::vector<int>> order;
    for (int c = 0; c < count; ++c) order[rows.columns[c]].push_back(c);
    p.jacobian_.value_start.push_back(p.jacobian_.values.size());
    for (int k = 0; k < dim; ++k) {
      for (const auto& entry : order) {
        double sum = 0;
        for (const int c : entry.second) sum += rows.values[static_cast<std::size_t>(k) * count + c];
        p.jacobian_.values.push_back(sum);
      }
    }
    for (const auto& entry : order) p.jacobian_.columns.push_back(entry.first);
    p.jacobian_.start.push_back(static_cast<int>(p.jacobian_.columns.size()));
  }
  if (geometric_contacts_ != nc) p.geometry_.clear();
  p.free_velocity_ = p.b_;
  p.mass_.SolveInPlace(p.free_velocity_);
  Require(p.free_velocity_.allFinite(), "A^-1 b", "is not finite", "a well-conditioned A");
  *this = ContactProblemBuilder();
  return p;
}

}  // namespace tactus
