#include "tactus/inverse/qpcc_pieces.h"

#include <algorithm>
#include <cmath>

#include "tactus/inverse/qpcc_polish_detail.h"

namespace tactus {

using namespace polish;  // NOLINT: of these files

namespace {

constexpr double kProximal = 1e-9;  // relative to the Hessian

ContactMode ModeOf(Branch branch) {
  switch (branch) {
    case Branch::Open:
    case Branch::Graze:
    case Branch::Rest: return ContactMode::Open;
    case Branch::Stick:
    case Branch::Edge: return ContactMode::Stick;
    case Branch::Slide: return ContactMode::Slip;
  }
  return ContactMode::Open;
}

}  // namespace

bool QpccPiece::SameAs(const QpccPiece& other) const {
  if (bounds != other.bounds || branches != other.branches) return false;
  for (std::size_t k = 0; k < branches.size(); ++k) {
    if (HasDirection(branches[k]) && direction[k].dot(other.direction[k]) < 0.5) return false;
  }
  return true;
}

void QpccPieceSolver::Resize(const QpccScaled& p, int most_rows) {
  most_rows_ = most_rows;
  columns_.reserve(static_cast<std::size_t>(p.n));
  rows_.reserve(static_cast<std::size_t>(p.m));
  Hdx_.resize(p.n, p.n);
  dsigma_.resize(p.m, p.n);
  hessian_.resize(p.n, p.n);
  sigma_.setZero(p.m);
  gradient_.setZero(p.n);
  nu_.setZero(p.m);
  constraint_.setZero(p.m);
  kkt_.setZero(p.n + p.m);
  correction_.setZero(p.n + p.m);
  residual_.setZero(p.n + p.m);
  start_.Resize(p);
  hessian_scale_ = p.n == 0 ? 1 : std::max(p.H.diagonal().maxCoeff(), 1e-12);
  lu_.Reserve(std::min(p.n + p.m, most_rows));
}

void QpccPieceSolver::List(const QpccScaled& p, const QpccPiece& piece) {
  const int dim = p.dim(), t = dim - 1;
  columns_.clear();
  rows_.clear();
  curved_ = false;
  for (int i = 0; i < p.na; ++i) {
    if (piece.bounds[static_cast<std::size_t>(i)] == AtBound::Free) columns_.push_back({i, 0, false});
  }
  for (int c = 0; c < p.num_contacts(); ++c) {
    const Branch branch = piece.branches[static_cast<std::size_t>(c)];
    if (branch == Branch::Stick) {
      for (int k = 0; k < dim; ++k) columns_.push_back({c, k, true});
    }
    if (HasDirection(branch)) {
      columns_.push_back({c, 0, true});
      // Without friction no direction matters.
      if (dim == 3 && p.friction(c) > 0) {
        columns_.push_back({c, 1, true});
        curved_ = true;
      }
    }
    if (branch == Branch::Stick || branch == Branch::Edge || branch == Branch::Rest) {
      for (int k = 0; k < dim; ++k) rows_.push_back({c, k});
    }
    if (branch == Branch::Slide && dim == 3 && p.friction(c) > 0) rows_.push_back({c, kAcross});
    if (branch == Branch::Slide || branch == Branch::Graze) rows_.push_back({c, t});
  }
}

// x of the point, sigma, the gradient of f, and the constraints.
void QpccPieceSolver::Evaluate(const QpccScaled& p, const QpccPiece& piece, QpccIterate* it) {
  const int dim = p.dim(), t = dim - 1;
  for (int i = 0; i < p.na; ++i) {
    const AtBound at = piece.bounds[static_cast<std::size_t>(i)];
    if (at == AtBound::Lower) it->x_hat[i] = p.lower[i];
    if (at == AtBound::Upper) it->x_hat[i] = p.upper[i];
  }
  for (int c = 0; c < p.num_contacts(); ++c) {
    const auto k = static_cast<std::size_t>(c);
    auto l = it->x_hat.segment(p.na + c * dim, dim);
    if (HasDirection(piece.branches[k])) {
      const double normal = piece.normal[k];
      l.head(t) = -p.friction(c) * normal * piece.direction[k].head(t);
      l[t] = normal;
    } else if (piece.branches[k] != Branch::Stick) {
      l.setZero();
    }
  }
  sigma_ = p.g;
  sigma_.noalias() += p.CD * it->x_hat;
  gradient_ = p.q;
  gradient_.noalias() += p.H * it->x_hat;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double* s = sigma_.data() + rows_[r].contact * dim;
    const Vector2& d = piece.direction[static_cast<std::size_t>(rows_[r].contact)];
    constraint_[static_cast<Eigen::Index>(r)] = rows_[r].part == kAcross ? d[0] * s[1] - d[1] * s[0] : s[rows_[r].part];
  }
}

void QpccPieceSolver::Differentiate(const QpccScaled& p, const QpccPiece& piece) {
  const int dim = p.dim(), t = dim - 1;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const Column& column = columns_[j];
    const auto col = static_cast<Eigen::Index>(j);
    if (!column.contact) {
      Hdx_.col(col) = p.H.col(column.index);
      dsigma_.col(col) = p.CD.col(column.index);
      continue;
    }
    const auto k = static_cast<std::size_t>(column.index);
    const int o = p.na + column.index * dim;
    if (piece.branches[k] == Branch::Stick) {
      Hdx_.col(col) = p.H.col(o + column.part);
      dsigma_.col(col) = p.CD.col(o + column.part);
      continue;
    }
    const double mu = p.friction(column.index);
    const Vector2 d = column.part == 0 ? piece.direction[k] : Perpendicular(piece.direction[k]);
    const double factor = column.part == 0 ? -mu : -mu * piece.normal[k];
    Hdx_.col(col) = factor * d[0] * p.H.col(o);
    dsigma_.col(col) = factor * d[0] * p.CD.col(o);
    if (t == 2) {
      Hdx_.col(col) += factor * d[1] * p.H.col(o + 1);
      dsigma_.col(col) += factor * d[1] * p.CD.col(o + 1);
    }
    if (column.part == 0) {
      Hdx_.col(col) += p.H.col(o + t);
      dsigma_.col(col) += p.CD.col(o + t);
    }
  }
}

// y_s out of the rows' multipliers, y_x from stationarity.
void QpccPieceSolver::CollectMultipliers(const QpccScaled& p, const QpccPiece& piece, QpccIterate* it) {
  const int dim = p.dim();
  it->y_s.setZero();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double nu = nu_[static_cast<Eigen::Index>(r)];
    double* y = it->y_s.data() + rows_[r].contact * dim;
    if (rows_[r].part == kAcross) {
      const Vector2 across = Perpendicular(piece.direction[static_cast<std::size_t>(rows_[r].contact)]);
      y[0] += nu * across[0];
      y[1] += nu * across[1];
    } else {
      y[rows_[r].part] += nu;
    }
  }
  it->y_x = -gradient_;
  it->y_x.noalias() -= p.CD.transpose() * it->y_s;
}

namespace {

// The derivative of x along a column, applied to a vector of size n from the left.
double DotColumn(const QpccScaled& p, const QpccPiece& piece, int index, int part, bool contact, const double* v) {
  if (!contact) return v[index];
  const int dim = p.dim(), t = dim - 1;
  const auto k = static_cast<std::size_t>(index);
  const double* block = v + p.na + index * dim;
  if (piece.branches[k] == Branch::Stick) return block[part];
  const double mu = p.friction(index);
  const Vector2 d = part == 0 ? piece.direction[k] : Perpendicular(piece.direction[k]);
  const double tangential = d[0] * block[0] + (t == 2 ? d[1] * block[1] : 0);
  return part == 0 ? block[t] - mu * tangential : -mu * piece.normal[k] * tangential;
}

}  // namespace

// The largest violation of the KKT conditions of the piece, relative.
double QpccPieceSolver::CalcError(const QpccScaled& p, QpccIterate* it) {
  const auto rows = static_cast<Eigen::Index>(rows_.size());
  const double s_scale = std::max({MaxAbs(p.g), MaxAbs(sigma_), kSmallest});
  const double y_scale = std::max({MaxAbs(p.q), MaxAbs(gradient_), MaxAbs(it->y_x), kSmallest});
  const auto count = static_cast<Eigen::Index>(columns_.size());
  return std::max(MaxAbs(constraint_.head(rows)) / s_scale, MaxAbs(residual_.head(count)) / y_scale);
}

// [H_zz + delta, J^T; J, -delta] with J = d constraint / dz.
void QpccPieceSolver::Assemble(const QpccScaled& p, const QpccPiece& piece, DenseLu::Matrix* K) {
  const int dim = p.dim(), nz = static_cast<int>(columns_.size()), nr = static_cast<int>(rows_.size());
  for (int j = 0; j < nz; ++j) {
    const double* v = Hdx_.col(j).data();
    for (int i = 0; i < nz; ++i) {
      const Column& column = columns_[static_cast<std::size_t>(i)];
      (*K)(i, j) = DotColumn(p, piece, column.index, column.part, column.contact, v);
    }
    for (int r = 0; r < nr; ++r) {
      const Row& row = rows_[static_cast<std::size_t>(r)];
      const double* s = dsigma_.col(j).data() + row.contact * dim;
      double value = 0;
      if (row.part == kAcross) {
        const auto k = static_cast<std::size_t>(row.contact);
        const Vector2& d = piece.direction[k];
        value = d[0] * s[1] - d[1] * s[0];
        const Column& column = columns_[static_cast<std::size_t>(j)];
        if (column.contact && column.index == row.contact && column.part == 1) {
          const double* at = sigma_.data() + row.contact * dim;
          value -= d[0] * at[0] + d[1] * at[1];
        }
      } else {
        value = s[row.part];
      }
      (*K)(nz + r, j) = (*K)(j, nz + r) = value;
    }
  }
  const double delta = kProximal * hessian_scale_;
  for (int j = 0; j < nz; ++j) (*K)(j, j) += delta;
  for (int r = 0; r < nr; ++r) (*K)(nz + r, nz + r) = -kProximal / hessian_scale_;
}

// Second derivatives of the Lagrangian by the angles of sliding: of x (the cone's edge turns) and of d_perp . sigma_t.
void QpccPieceSolver::AddCurvature(const QpccScaled& p, const QpccPiece& piece, const QpccIterate& it,
                                   DenseLu::Matrix* K) const {
  if (p.dim() != 3) return;
  const int nz = static_cast<int>(columns_.size());
  for (int j = 0; j < nz; ++j) {
    const Column& column = columns_[static_cast<std::size_t>(j)];
    if (!column.contact || column.part != 1) continue;
    const auto k = static_cast<std::size_t>(column.index);
    if (!HasDirection(piece.branches[k])) continue;
    const Vector2 d = piece.direction[k], across = Perpendicular(d);
    // d Lagrangian / d x_c of this contact is -y_c.
    const Vector2 u = -it.y_x.segment<2>(p.na + 3 * column.index);
    const double mu = p.friction(column.index);
    (*K)(j, j - 1) -= mu * across.dot(u);
    (*K)(j - 1, j) -= mu * across.dot(u);
    (*K)(j, j) += mu * piece.normal[k] * d.dot(u);
    if (piece.branches[k] != Branch::Slide) continue;
    const double nu = across.dot(it.y_s.segment<2>(3 * column.index));
    for (int i = 0; i < nz; ++i) {
      const double* s = dsigma_.col(i).data() + 3 * column.index;
      const double along = nu * (d[0] * s[0] + d[1] * s[1]);
      (*K)(i, j) -= along;
      (*K)(j, i) -= along;
    }
    (*K)(j, j) -= nu * across.dot(sigma_.segment<2>(3 * column.index));
  }
}

// What is left of stationarity and constraints, negative.
void QpccPieceSolver::CalcKktResidual(const QpccScaled& p, const QpccPiece& piece, const QpccIterate& it) {
  const auto nz = static_cast<Eigen::Index>(columns_.size()), nr = static_cast<Eigen::Index>(rows_.size());
  for (Eigen::Index j = 0; j < nz; ++j) {
    const Column& column = columns_[static_cast<std::size_t>(j)];
    residual_[j] = DotColumn(p, piece, column.index, column.part, column.contact, it.y_x.data());
    const auto k = static_cast<std::size_t>(column.index);
    if (!column.contact || column.part != 1 || piece.branches[k] != Branch::Slide) continue;
    if (p.dim() != 3) continue;
    // The angle also turns the row d_perp . sigma_t.
    const Vector2& d = piece.direction[k];
    const double nu = Perpendicular(d).dot(it.y_s.segment<2>(3 * column.index));
    residual_[j] += nu * d.dot(sigma_.segment<2>(3 * column.index));
  }
  residual_.segment(nz, nr) = -constraint_.head(nr);
}

// Multipliers of the rows from those of the iterate.
void QpccPieceSolver::StartMultipliers(const QpccScaled& p, const QpccPiece& piece, const QpccIterate& it) {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double* y = it.y_s.data() + rows_[r].contact * p.dim();
    const Vector2& d = piece.direction[static_cast<std::size_t>(rows_[r].contact)];
    nu_[static_cast<Eigen::Index>(r)] = rows_[r].part == kAcross ? d[0] * y[1] - d[1] * y[0] : y[rows_[r].part];
  }
}

// sigma that obeys the law: exactly 0 where the branch says so, as the dynamics say elsewhere.
void QpccPieceSolver::Finish(const QpccScaled& p, const QpccPiece& piece, QpccIterate* it) {
  const int dim = p.dim(), t = dim - 1;
  for (int c = 0; c < p.num_contacts(); ++c) {
    const auto k = static_cast<std::size_t>(c);
    const Branch branch = piece.branches[k];
    auto s = it->s_hat.segment(c * dim, dim);
    s = sigma_.segment(c * dim, dim);
    if (branch == Branch::Graze || branch == Branch::Slide) s[t] = 0;
    if (branch == Branch::Stick || branch == Branch::Edge || branch == Branch::Rest) s.setZero();
    if (branch == Branch::Slide && p.friction(c) > 0) {
      const double speed = piece.direction[k].head(t).dot(s.head(t));
      s.head(t) = speed * piece.direction[k].head(t);
    }
    it->modes[k] = ModeOf(branch);
  }
}

}  // namespace tactus
