#include "tactus/contact/delassus_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/LU>

namespace tactus {

namespace {

// Replaces rho of constraints with no compliance (trace 0) by the median-free mean of the others, 1 if there is none.
void FillMissing(std::vector<double>* rho) {
  if (std::all_of(rho->begin(), rho->end(), [](double r) { return std::isfinite(r); })) return;
  double sum = 0;
  int count = 0;
  for (const double r : *rho) {
    if (std::isfinite(r)) {
      sum += std::log(r);
      ++count;
    }
  }
  const double mean = count > 0 ? std::exp(sum / count) : 1;
  for (double& r : *rho) {
    if (!std::isfinite(r)) r = mean;
  }
}

double RhoFromTrace(int dim, double trace) { return trace > 0 ? dim / trace : kInfinity; }

}  // namespace

void DelassusMatrix::Assign(const ContactProblem& p) {
  const int count = p.num_constraints();
  offset_.resize(count + 1);
  for (int i = 0; i < count; ++i) offset_[i] = p.offset(i);
  offset_[count] = p.size();
  row_start_.assign(1, 0);

  columns_.clear();
  value_start_.clear();
  values_.clear();
  if (!p.has_dynamics()) {
    AssignFromW(p);
    return;
  }

  const BlockRows& J = p.jacobian();
  const MassMatrix& A = p.mass();
  pieces_.clear();
  piece_start_.assign(1, 0);
  touching_start_.assign(static_cast<std::size_t>(A.num_subsystems()) + 1, 0);
  solved_.clear();
  for (int i = 0; i < count; ++i) {
    const int* cols = J.cols(i);
    const int n = J.count(i), d = dim(i);
    for (int c = 0; c < n;) {
      const int j = A.subsystem_of_dof(cols[c]);
      const Subsystem& s = A.subsystem(j);
      const std::size_t at = solved_.size();
      solved_.resize(at + static_cast<std::size_t>(s.size) * d, 0.0);
      Eigen::Map<MatrixX> X(solved_.data() + at, s.size, d);
      int end = c;
      for (; end < n && cols[end] < s.dof + s.size; ++end) {
        for (int r = 0; r < d; ++r) X(cols[end] - s.dof, r) = J.block(i)[static_cast<std::size_t>(r) * n + end];
      }
      if (s.kind != SubsystemKind::Sparse) A.SolveSubsystem(j, X);
      ++touching_start_[j + 1];
      pieces_.push_back({j, c, end - c, at});
      c = end;
    }
    piece_start_.push_back(static_cast<int>(pieces_.size()));
  }
  SolveSparsePieces(p);
  // The constraints that touch a subsystem, ascending. touching_start_[j + 1] runs while they are put down.
  std::partial_sum(touching_start_.begin(), touching_start_.end(), touching_start_.begin());
  touching_.resize(pieces_.size());
  for (int i = count - 1; i >= 0; --i) {
    for (int k = piece_start_[i]; k < piece_start_[i + 1]; ++k) {
      touching_[--touching_start_[pieces_[k].subsystem + 1]] = i;
    }
  }
  // Now the list of j starts at touching_start_[j + 1], and ends where that of j + 1 starts.
  touching_start_.push_back(static_cast<int>(pieces_.size()));
  std::vector<int>& slot = slot_;
  slot.assign(count, -1);
  for (int i = 0; i < count; ++i) {
    const int begin = static_cast<int>(columns_.size());
    columns_.push_back(i);
    slot[i] = begin;
    for (int k = piece_start_[i]; k < piece_start_[i + 1]; ++k) {
      const int j = pieces_[k].subsystem;
      for (int t = touching_start_[j + 1]; t < touching_start_[j + 2]; ++t) {
        const int c = touching_[t];
        if (slot[c] >= 0) continue;
        slot[c] = begin;
        columns_.push_back(c);
      }
    }
    std::sort(columns_.begin() + begin, columns_.end());
    for (int k = begin; k < static_cast<int>(columns_.size()); ++k) {
      const int c = columns_[k], di = dim(i), dc = dim(c);
      value_start_.push_back(values_.size());
      values_.resize(values_.size() + static_cast<std::size_t>(di) * dc, 0.0);
      double* block = values_.data() + value_start_.back();
      for (int m = piece_start_[i]; m < piece_start_[i + 1]; ++m) {
        const Piece& mine = pieces_[m];
        for (int o = piece_start_[c]; o < piece_start_[c + 1]; ++o) {
          if (mine.subsystem != pieces_[o].subsystem) continue;
          const Subsystem& s = A.subsystem(mine.subsystem);
          const double* X = solved_.data() + pieces_[o].X;
          const int n = J.count(i), dof = s.dof;
          for (int a = 0; a < di; ++a) {
            const double* row = J.block(i) + static_cast<std::size_t>(a) * n;
            for (int b = 0; b < dc; ++b) {
              double sum = 0;
              for (int q = mine.first; q < mine.first + mine.count; ++q) {
                sum += row[q] * X[static_cast<std::size_t>(b) * s.size + J.cols(i)[q] - dof];
              }
              block[a * dc + b] += sum;
            }
          }
        }
      }
    }
    for (int k = begin; k < static_cast<int>(columns_.size()); ++k) slot[columns_[k]] = -1;
    row_start_.push_back(static_cast<int>(columns_.size()));
  }
  FinishBlocks();
}

double DelassusMatrix::CountEntries(const ContactProblem& p) {
  const BlockRows& J = p.jacobian();
  const MassMatrix& A = p.mass();
  std::vector<double>& rows = rows_of_subsystem_;
  rows.assign(static_cast<std::size_t>(A.num_subsystems()), 0.0);
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int* cols = J.cols(i);
    for (int c = 0; c < J.count(i);) {
      const int j = A.subsystem_of_dof(cols[c]);
      rows[static_cast<std::size_t>(j)] += p.dim(i);
      const int end = A.subsystem(j).dof + A.subsystem(j).size;
      while (c < J.count(i) && cols[c] < end) ++c;
    }
  }
  return std::inner_product(rows.begin(), rows.end(), rows.begin(), 0.0);
}

// Neighbours in memory that belong to one subsystem together: many right-hand sides take less time than one by one.
void DelassusMatrix::SolveSparsePieces(const ContactProblem& p) {
  const MassMatrix& A = p.mass();
  if (!A.has_sparse()) return;
  for (std::size_t k = 0; k < pieces_.size();) {
    const int j = pieces_[k].subsystem;
    std::size_t next = k + 1;
    while (next < pieces_.size() && pieces_[next].subsystem == j) ++next;
    if (A.subsystem(j).kind == SubsystemKind::Sparse) {
      const std::size_t size = static_cast<std::size_t>(A.subsystem(j).size);
      const std::size_t end = next < pieces_.size() ? pieces_[next].X : solved_.size();
      Eigen::Map<MatrixX> X(solved_.data() + pieces_[k].X, A.subsystem(j).size,
                            static_cast<Eigen::Index>((end - pieces_[k].X) / size));
      A.SolveSubsystem(j, X);
    }
    k = next;
  }
}

void DelassusMatrix::AssignFromW(const ContactProblem& p) {
  const int count = p.num_constraints();
  const SparseMatrix& W = p.W();
  std::vector<int>&constraint_of = constraint_of_, &slot = slot_;
  constraint_of.resize(p.size());
  slot.assign(count, -1);
  for (int i = 0; i < count; ++i)
    std::fill(constraint_of.begin() + offset_[i], constraint_of.begin() + offset_[i + 1], i);
  values_.reserve(static_cast<std::size_t>(W.nonZeros()));
  for (int i = 0; i < count; ++i) {
    const int begin = static_cast<int>(columns_.size());
    columns_.push_back(i);
    slot[i] = begin;
    for (int r = offset_[i]; r < offset_[i + 1]; ++r) {
      for (SparseMatrix::InnerIterator it(W, r); it; ++it) {
        const int c = constraint_of[it.col()];
        if (it.value() != 0 && slot[c] < 0) {
          slot[c] = begin;
          columns_.push_back(c);
        }
      }
    }
    std::sort(columns_.begin() + begin, columns_.end());
    for (int k = begin; k < static_cast<int>(columns_.size()); ++k) {
      slot[columns_[k]] = k;
      value_start_.push_back(values_.size());
      values_.resize(values_.size() + static_cast<std::size_t>(dim(i)) * dim(columns_[k]), 0.0);
    }
    for (int r = 0; r < dim(i); ++r) {
      for (SparseMatrix::InnerIterator it(W, offset_[i] + r); it; ++it) {
        const int c = constraint_of[it.col()];
        if (it.value() == 0) continue;
        values_[value_start_[slot[c]] + static_cast<std::size_t>(r) * dim(c) + (it.col() - offset_[c])] += it.value();
      }
    }
    for (int k = begin; k < static_cast<int>(columns_.size()); ++k) slot[columns_[k]] = -1;
    row_start_.push_back(static_cast<int>(columns_.size()));
  }
  FinishBlocks();
}

void DelassusMatrix::FinishBlocks() {
  const int count = num_constraints();
  diagonal_.resize(count);
  rho_.resize(count);
  for (int i = 0; i < count; ++i) {
    const auto begin = columns_.begin() + row_start_[i], end = columns_.begin() + row_start_[i + 1];
    diagonal_[i] = static_cast<int>(std::lower_bound(begin, end, i) - columns_.begin());
    double trace = 0;
    for (int r = 0; r < dim(i); ++r) trace += diagonal_block(i)[r * dim(i) + r];
    rho_[i] = RhoFromTrace(dim(i), trace);
  }
  FillMissing(&rho_);
}

void DelassusMatrix::MultiplyRow(int i, const double* r, double* u) const {
  const int d = dim(i);
  if (d == 3) {
    double u0 = 0, u1 = 0, u2 = 0;
    for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) {
      const int c = columns_[k];
      const double* B = block(k);
      const double* x = r + offset_[c];
      if (dim(c) == 3) {
        u0 += B[0] * x[0] + B[1] * x[1] + B[2] * x[2];
        u1 += B[3] * x[0] + B[4] * x[1] + B[5] * x[2];
        u2 += B[6] * x[0] + B[7] * x[1] + B[8] * x[2];
      } else {
        u0 += B[0] * x[0];
        u1 += B[1] * x[0];
        u2 += B[2] * x[0];
      }
    }
    u[0] = u0;
    u[1] = u1;
    u[2] = u2;
  } else {
    double sum = 0;
    for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) {
      const int c = columns_[k];
      const double* B = block(k);
      const double* x = r + offset_[c];
      for (int b = 0; b < dim(c); ++b) sum += B[b] * x[b];
    }
    u[0] = sum;
  }
}

void DelassusMatrix::Multiply(const ConstVectorRef& r, VectorX* u) const {
  u->resize(size());
  for (int i = 0; i < num_constraints(); ++i) MultiplyRow(i, r.data(), u->data() + offset_[i]);
}

namespace {

// Calls add(subsystem, begin, end) for every range [begin, end) of constraint i's columns that lies in one subsystem.
template <typename Add>
void ForEachSubsystem(const ContactProblem& p, int i, Add&& add) {
  const int n = p.jacobian().count(i);
  const int* cols = p.jacobian().cols(i);
  for (int begin = 0; begin < n;) {
    const int j = p.mass().subsystem_of_dof(cols[begin]);
    const Subsystem& s = p.mass().subsystem(j);
    int end = begin;
    while (end < n && cols[end] < s.dof + s.size) ++end;
    add(j, begin, end);
    begin = end;
  }
}

}  // namespace

void CalcDiagonalEffectiveMass(const ContactProblem& p, std::vector<double>* rho, VectorX* diagonal) {
  rho->resize(p.num_constraints());
  p.mass().CalcDiagonal(diagonal);
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int n = p.jacobian().count(i);
    double trace = 0;
    for (int r = 0; r < p.dim(i); ++r) {
      const double* row = p.jacobian().block(i) + static_cast<std::size_t>(r) * n;
      for (int c = 0; c < n; ++c) trace += row[c] * row[c] / (*diagonal)[p.jacobian().cols(i)[c]];
    }
    (*rho)[i] = RhoFromTrace(p.dim(i), trace);
  }
  FillMissing(rho);
}

namespace {

// trace(J_i A^{-1} J_i^T), by the rows; without Sparse subsystems, which wait for others.
double CalcTrace(const ContactProblem& p, int i, EffectiveMassWorkspace* work) {
  const int d = p.dim(i);
  double trace = 0;
  ForEachSubsystem(p, i, [&](int j, int begin, int end) {
    const Subsystem& s = p.mass().subsystem(j);
    if (s.kind == SubsystemKind::Sparse) return;
    const int n = p.jacobian().count(i);
    work->row.resize(static_cast<std::size_t>(s.size));
    for (int r = 0; r < d; ++r) {
      const double* row = p.jacobian().block(i) + static_cast<std::size_t>(r) * n;
      std::fill(work->row.begin(), work->row.end(), 0.0);
      for (int c = begin; c < end; ++c) work->row[static_cast<std::size_t>(p.jacobian().cols(i)[c] - s.dof)] = row[c];
      trace += p.mass().CalcSquare(j, work->row.data());
    }
  });
  return trace;
}

// What waits for subsystem j is solved, and its traces are added up.
void SolveWaiting(const ContactProblem& p, int j, EffectiveMassWorkspace* work) {
  std::vector<EffectiveMassWorkspace::Waiting>& waiting = work->waiting[static_cast<std::size_t>(j)];
  const Subsystem& s = p.mass().subsystem(j);
  double squares[kSolveColumns];
  auto X = work->batch.block(s.dof, 0, s.size, static_cast<Eigen::Index>(waiting.size()));
  p.mass().CalcSquares(j, X, squares);
  for (std::size_t c = 0; c < waiting.size(); ++c) {
    const EffectiveMassWorkspace::Waiting& w = waiting[c];
    work->trace[static_cast<std::size_t>(w.constraint)] += squares[c];
    for (int k = w.begin; k < w.end; ++k) {
      work->batch(p.jacobian().cols(w.constraint)[k], static_cast<Eigen::Index>(c)) = 0;
    }
  }
  waiting.clear();
}

// Rows [begin, end) of constraint i's columns lie in the Sparse subsystem j.
void AddWaiting(const ContactProblem& p, int i, int j, int begin, int end, EffectiveMassWorkspace* work) {
  std::vector<EffectiveMassWorkspace::Waiting>& waiting = work->waiting[static_cast<std::size_t>(j)];
  const int n = p.jacobian().count(i);
  for (int r = 0; r < p.dim(i); ++r) {
    const double* row = p.jacobian().block(i) + static_cast<std::size_t>(r) * n;
    const Eigen::Index column = static_cast<Eigen::Index>(waiting.size());
    for (int c = begin; c < end; ++c) work->batch(p.jacobian().cols(i)[c], column) = row[c];
    waiting.push_back({i, begin, end, r});
    if (waiting.size() == static_cast<std::size_t>(kSolveColumns)) SolveWaiting(p, j, work);
  }
}

const Matrix6& FindCompliance(const ContactProblem& p, BodyIndex b, EffectiveMassWorkspace* work) {
  Matrix6& out = work->compliance[b];
  if (work->known[b]) return out;
  work->known[b] = 1;
  const ContactBody& body = p.bodies()[b];
  if (body.kind == ContactBody::Kind::Free) {
    const auto A = p.mass().dense_block(body.subsystem);
    if (A.topRightCorner<3, 3>().isZero(0)) {  // as it is where the reference is the centre of mass
      out.setZero();
      out.topLeftCorner<3, 3>() = A.topLeftCorner<3, 3>().inverse();
      out.bottomRightCorner<3, 3>() = A.bottomRightCorner<3, 3>().inverse();
      return out;
    }
    out.setIdentity();
    p.mass().SolveSubsystem(body.subsystem, out);
    return out;
  }
  if (p.mass().subsystem(body.subsystem).kind == SubsystemKind::Tree) {
    p.mass().CalcLinkCompliance(body.subsystem, body.jacobian, &work->columns, &out);
    return out;
  }
  const int size = p.mass().subsystem(body.subsystem).size;
  if (work->solved.rows() < size) work->solved.resize(size, 6);
  auto Y = work->solved.topLeftCorner(size, 6);
  Y = body.jacobian.transpose();
  p.mass().SolveSubsystem(body.subsystem, Y);
  out.noalias() = body.jacobian * Y;
  return out;
}

// The same for a point of a body: with C = [P Q; Q^T S] and the velocity v + w x r it is tr P + 2 tr(Q [r]) + |r|^2 tr
// S - r . S r.
double PointTrace(const Matrix6& C, const Vector3& r) {
  const double linear = r[0] * (C(1, 5) - C(2, 4)) + r[1] * (C(2, 3) - C(0, 5)) + r[2] * (C(0, 4) - C(1, 3));
  const auto S = C.bottomRightCorner<3, 3>();
  return C(0, 0) + C(1, 1) + C(2, 2) + 2 * linear + r.squaredNorm() * S.trace() - r.dot(S * r);
}

// Contacts of a body share its compliance; those of two links of one robot do not simply add up.
bool ByBodies(const ContactProblem& p, int contact) {
  const ContactGeometry& g = p.geometry()[contact];
  for (const BodyIndex b : {g.a, g.b}) {
    if (b != kWorld && !p.bodies()[b].rigid()) return false;
  }
  return g.a == kWorld || g.b == kWorld || p.bodies()[g.a].subsystem != p.bodies()[g.b].subsystem;
}

}  // namespace

void CalcEffectiveMass(const ContactProblem& p, std::vector<double>* rho, EffectiveMassWorkspace* work) {
  rho->resize(p.num_constraints());
  const bool geometry = p.has_geometry(), sparse = p.has_dynamics() && p.mass().has_sparse();
  if (geometry) {
    work->known.assign(p.bodies().size(), 0);
    if (work->compliance.size() < p.bodies().size()) work->compliance.resize(p.bodies().size());
  }
  if (sparse) {
    work->batch.setZero(p.num_dofs(), kSolveColumns);
    work->waiting.resize(static_cast<std::size_t>(p.mass().num_subsystems()));
  }
  work->trace.assign(static_cast<std::size_t>(p.num_constraints()), 0.0);
  for (int i = 0; i < p.num_constraints(); ++i) {
    const int d = p.dim(i);
    double& trace = work->trace[static_cast<std::size_t>(i)];
    if (!p.has_dynamics()) {
      for (int r = p.offset(i); r < p.offset(i) + d; ++r) trace += p.W().coeff(r, r);
    } else if (geometry && d == 3 && ByBodies(p, i)) {
      const ContactGeometry& g = p.geometry()[i];
      for (const BodyIndex b : {g.a, g.b}) {
        if (b != kWorld) trace += PointTrace(FindCompliance(p, b, work), g.point - p.bodies()[b].reference);
      }
    } else {
      trace += CalcTrace(p, i, work);
      if (!sparse) continue;
      ForEachSubsystem(p, i, [&](int j, int begin, int end) {
        if (p.mass().subsystem(j).kind == SubsystemKind::Sparse) AddWaiting(p, i, j, begin, end, work);
      });
    }
  }
  for (int j = 0; sparse && j < p.mass().num_subsystems(); ++j) {
    if (!work->waiting[static_cast<std::size_t>(j)].empty()) SolveWaiting(p, j, work);
  }
  for (int i = 0; i < p.num_constraints(); ++i) {
    (*rho)[i] = RhoFromTrace(p.dim(i), work->trace[static_cast<std::size_t>(i)]);
  }
  FillMissing(rho);
}

std::vector<double> CalcEffectiveMass(const ContactProblem& p, bool diagonal_only) {
  std::vector<double> rho(p.num_constraints());
  if (diagonal_only && p.has_dynamics()) {
    VectorX diagonal;
    CalcDiagonalEffectiveMass(p, &rho, &diagonal);
    return rho;
  }
  EffectiveMassWorkspace workspace;
  CalcEffectiveMass(p, &rho, &workspace);
  return rho;
}

}  // namespace tactus
