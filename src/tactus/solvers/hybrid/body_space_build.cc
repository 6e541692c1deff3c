// How a problem is laid out for BodySpaceEngine: contacts by pair, effective masses, the pattern of H.
#include <algorithm>
#include <cmath>
#include <tuple>

#include <Eigen/Cholesky>

#include "tactus/contact/constraint_law.h"
#include "tactus/solvers/hybrid/body_space_detail.h"
#include "tactus/solvers/hybrid/body_space_engine.h"

namespace tactus {

using body_space_detail::Cross;
using body_space_detail::kArrays;
using body_space_detail::kE;
using body_space_detail::kLargestBlock;
using body_space_detail::kM;
using body_space_detail::kMu;
using body_space_detail::kN;
using body_space_detail::kR;
using body_space_detail::kRho;

bool BodySpaceEngine::Supports(const ContactProblem& p) {
  if (!p.has_geometry()) return false;
  for (const Subsystem& s : p.mass().subsystems()) {
    if (s.kind == SubsystemKind::Sparse || s.size > kLargestBlock) return false;
  }
  for (const ContactBody& body : p.bodies()) {
    if (!body.rigid()) return false;
  }
  for (int i = p.num_contacts(); i < p.num_constraints(); ++i) {
    const int* cols = p.jacobian().cols(i);
    int first = -1, second = -1;
    for (int k = 0; k < p.jacobian().count(i); ++k) {
      const int subsystem = p.mass().subsystem_of_dof(cols[k]);
      if (first < 0 || subsystem == first) {
        first = subsystem;
      } else if (second < 0 || subsystem == second) {
        second = subsystem;
      } else {
        return false;
      }
    }
    if (first < 0) return false;
  }
  return true;
}

void BodySpaceEngine::SortContacts(const ContactProblem& p) {
  const auto& geometry = p.geometry();
  keys_.resize(num_contacts_);
  for (int i = 0; i < num_contacts_; ++i) {
    int a = geometry[i].a, b = geometry[i].b;
    const int flipped = a < 0 ? 1 : 0;
    if (flipped) std::swap(a, b);
    keys_[i] = {((static_cast<long long>(a) << 31) + (b + 1)) * 2 + flipped, i};
  }
  if (!std::is_sorted(keys_.begin(), keys_.end())) std::sort(keys_.begin(), keys_.end());
  pairs_.clear();
  slot_.resize(num_contacts_);
  int slot = 0;
  for (int k = 0; k < num_contacts_; ++k) {
    const auto [key, i] = keys_[k];
    if (k == 0 || key != keys_[k - 1].first) {
      if (!pairs_.empty()) pairs_.back().end = slot = (slot + 3) & ~3;
      Pair pair;
      pair.sign = key & 1 ? -1 : 1;
      pair.a = static_cast<int>(key >> 32);
      pair.b = static_cast<int>((key >> 1) & 0x7fffffff) - 1;
      pair.sa = bodies_[pair.a].subsystem;
      pair.sb = pair.b < 0 ? -1 : bodies_[pair.b].subsystem;
      pair.begin = slot;
      pairs_.push_back(pair);
    }
    slot_[i] = slot++;
  }
  if (!pairs_.empty()) pairs_.back().end = slot = (slot + 3) & ~3;
  all_.padded = slot;
  near_.data.reserve(static_cast<std::size_t>(kArrays) * slot);
  near_.lambda.reserve(3 * static_cast<std::size_t>(slot));
  chosen_.reserve(slot);
  all_.begin.clear();
  all_.end.clear();
  for (const Pair& pair : pairs_) {
    all_.begin.push_back(pair.begin);
    all_.end.push_back(pair.end);
  }
}

void BodySpaceEngine::FillContacts(const ContactProblem& p) {
  all_.data.assign(static_cast<std::size_t>(kArrays) * all_.padded, 0.0);
  frames_.resize(9 * static_cast<std::size_t>(all_.padded));
  all_.lambda.assign(3 * static_cast<std::size_t>(all_.padded), 0.0);
  for (Pair& pair : pairs_) {
    for (int k = 0; k < 3; ++k) pair.d[k] = pair.b < 0 ? 0 : reference_[3 * pair.a + k] - reference_[3 * pair.b + k];
  }
  const auto array = [&](int which) { return all_.data.data() + static_cast<std::size_t>(which) * all_.padded; };
  std::size_t current = 0;
  for (const auto& [key, i] : keys_) {
    const int slot = slot_[i];
    while (slot >= pairs_[current].end) ++current;
    const Pair& pair = pairs_[current];
    const ContactGeometry& g = p.geometry()[i];
    double r[3], n[3], m[3];
    // With the world as body a the relative twist is that of -b: flip normal, offset and impulses.
    for (int k = 0; k < 3; ++k) {
      r[k] = g.point[k] - reference_[3 * pair.a + k];
      n[k] = pair.sign * g.frame(2, k);
      for (int c = 0; c < 3; ++c) frames_[9 * static_cast<std::size_t>(slot) + 3 * c + k] = pair.sign * g.frame(c, k);
    }
    Cross(r, n, m);
    const double* e = p.e().data() + 3 * i;
    for (int k = 0; k < 3; ++k) {
      array(kR + k)[slot] = r[k];
      array(kN + k)[slot] = n[k];
      array(kM + k)[slot] = m[k];
      array(kE + k)[slot] = pair.sign * (g.frame(0, k) * e[0] + g.frame(1, k) * e[1] + g.frame(2, k) * e[2]);
    }
    array(kMu)[slot] = p.friction(i).mu1;
  }
}

void BodySpaceEngine::FillRows(const ContactProblem& p) {
  rows_.assign(p.num_rows(), Row());
  row_dofs_.clear();
  row_values_.clear();
  for (int k = 0; k < p.num_rows(); ++k) {
    const int i = p.num_contacts() + k, count = p.jacobian().count(i);
    const int* cols = p.jacobian().cols(i);  // ascending, so that those of a subsystem are side by side
    const double* values = p.jacobian().block(i);
    Row& row = rows_[k];
    row.begin = row.middle = static_cast<int>(row_dofs_.size());
    for (int c = 0; c < count; ++c) {
      const int subsystem = p.mass().subsystem_of_dof(cols[c]);
      if (row.sa < 0) row.sa = subsystem;
      if (subsystem == row.sa) {
        ++row.middle;
      } else {
        row.sb = subsystem;
      }
      row_dofs_.push_back(cols[c]);
      row_values_.push_back(values[c]);
    }
    row.end = static_cast<int>(row_dofs_.size());
    row.e = p.e()[p.offset(i)];
    row.law = p.law(k);
  }
}

namespace {

// Rows of S M: the top ones gain -[d]x times the lower ones.
void ShiftRows(const double* d, double* M) {
  for (int j = 0; j < 6; ++j) {
    M[j] -= d[1] * M[30 + j] - d[2] * M[24 + j];
    M[6 + j] -= d[2] * M[18 + j] - d[0] * M[30 + j];
    M[12 + j] -= d[0] * M[24 + j] - d[1] * M[18 + j];
  }
}

// Columns of M S^T.
void ShiftColumns(const double* d, double* M) {
  for (int i = 0; i < 6; ++i) {
    double* row = M + 6 * i;
    row[0] -= d[1] * row[5] - d[2] * row[4];
    row[1] -= d[2] * row[3] - d[0] * row[5];
    row[2] -= d[0] * row[4] - d[1] * row[3];
  }
}

}  // namespace

// J_b A^{-1} J_b^T.
void BodySpaceEngine::CalcMobilities() {
  mobility_.resize(36 * bodies_.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    double* M = mobility_.data() + 36 * b;
    const double* inverse = Ainv_.data() + blocks_[body.subsystem].place;
    if (body.free()) {
      std::copy(inverse, inverse + 36, M);
      continue;
    }
    CalcCrossMobility(body, body, M);
  }
}

// J_a A^{-1} J_b^T of two links of one tree.
void BodySpaceEngine::CalcCrossMobility(const Body& a, const Body& b, double* M) const {
  const int n = a.size;
  const double* inverse = Ainv_.data() + blocks_[a.subsystem].place;
  const double *Ja = jacobians_.data() + a.jacobian, *Jb = jacobians_.data() + b.jacobian;
  std::fill(M, M + 36, 0.0);
  for (int rb = b.run_begin; rb < b.run_end; ++rb) {
    for (int q = 0; q < runs_[rb].count; ++q) {
      double column[6] = {};  // of J_a A^{-1}
      const double* x = inverse + static_cast<std::size_t>(runs_[rb].dof + q) * n;
      for (int ra = a.run_begin; ra < a.run_end; ++ra) {
        const LinkRun& run = runs_[ra];
        for (int i = 0; i < 6; ++i) {
          const double* J = Ja + static_cast<std::ptrdiff_t>(i) * a.stride + run.column;
          for (int k = 0; k < run.count; ++k) column[i] += J[k] * x[run.dof + k];
        }
      }
      for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) M[6 * i + j] += column[i] * Jb[j * b.stride + runs_[rb].column + q];
      }
    }
  }
}

// rho = 3/tr(X P X^T) with P = A_a^{-1} + S A_b^{-1} S^T the mobility of the relative twist; q_norm_ on the way.
void BodySpaceEngine::CalcEffectiveMasses() {
  double* rho = all_.data.data() + static_cast<std::size_t>(kRho) * all_.padded;
  const double* data = all_.data.data();
  double sum = 0;
  velocity_scale_ = 0;
  CalcMobilities();
  CalcTwists(v_free_.data());
  for (const Pair& pair : pairs_) {
    double P[36];
    std::copy(mobility_.begin() + 36 * pair.a, mobility_.begin() + 36 * pair.a + 36, P);
    if (pair.b >= 0) {
      double Q[36];
      std::copy(mobility_.begin() + 36 * pair.b, mobility_.begin() + 36 * pair.b + 36, Q);
      ShiftRows(pair.d, Q);
      ShiftColumns(pair.d, Q);
      for (int k = 0; k < 36; ++k) P[k] += Q[k];
      if (pair.sa == pair.sb) {
        CalcCrossMobility(bodies_[pair.a], bodies_[pair.b], Q);
        ShiftColumns(pair.d, Q);
        for (int i = 0; i < 6; ++i) {
          for (int j = 0; j < 6; ++j) P[6 * i + j] -= Q[6 * i + j] + Q[6 * j + i];
        }
      }
    }
    // tr(X P X^T) = tr P11 + 2 r.c + (|r|^2 tr P22 - r^T P22 r), c from the skew part of P12: sum over
    // diag(-P12 [r]x^T - [r]x P21).
    const double trace = P[0] + P[7] + P[14], spin = P[21] + P[28] + P[35];
    const double c[3] = {P[11] - P[16], P[15] - P[5], P[4] - P[9]};
    double twist[6];
    PairTwist(pair, twist);
    for (int i = pair.begin; i < pair.end; ++i) {
      const double r[3] = {data[kR * all_.padded + i], data[(kR + 1) * all_.padded + i],
                           data[(kR + 2) * all_.padded + i]};
      const double n2 = data[kN * all_.padded + i] * data[kN * all_.padded + i] +
                        data[(kN + 1) * all_.padded + i] * data[(kN + 1) * all_.padded + i] +
                        data[(kN + 2) * all_.padded + i] * data[(kN + 2) * all_.padded + i];
      if (n2 == 0) continue;  // padding
      double quadratic = 0, square = 0;
      for (int a = 0; a < 3; ++a) {
        square += r[a] * r[a];
        for (int b = 0; b < 3; ++b) quadratic += r[a] * P[6 * (3 + a) + 3 + b] * r[b];
      }
      rho[i] = 3 / (trace + 2 * (r[0] * c[0] + r[1] * c[1] + r[2] * c[2]) + square * spin - quadratic);
      double spin_r[3];
      Cross(twist + 3, r, spin_r);
      for (int k = 0; k < 3; ++k) {
        const double sigma = twist[k] + spin_r[k] + data[(kE + k) * all_.padded + i];
        sum += rho[i] * sigma * sigma;
        velocity_scale_ = std::max(velocity_scale_, std::abs(sigma));
      }
    }
  }
  for (Row& row : rows_) {
    double trace = 0;
    for (const auto& [begin, end, subsystem] :
         {std::tuple(row.begin, row.middle, row.sa), std::tuple(row.middle, row.end, row.sb)}) {
      for (int i = begin; i < end; ++i) {
        const Block& block = blocks_[subsystem];
        const double* inverse =
            Ainv_.data() + block.place + static_cast<std::size_t>(row_dofs_[i] - block.dof) * block.size;
        for (int j = begin; j < end; ++j) trace += row_values_[i] * inverse[row_dofs_[j] - block.dof] * row_values_[j];
      }
    }
    const double y = RowVelocity(row, v_free_.data());
    row.rho = trace > 0 ? 1 / trace : 1;
    const double free = RowFreeSigma(row.law, y, row.e, row.rho);
    sum += row.rho * free * free;
    velocity_scale_ = std::max(velocity_scale_, std::abs(y + row.e));
  }
  q_norm_ = std::sqrt(sum);
}

int BodySpaceEngine::EntryOf(int i, int j) const {
  const auto begin = columns_.begin() + row_start_[i], end = columns_.begin() + row_start_[i + 1];
  return static_cast<int>(std::lower_bound(begin, end, j) - columns_.begin());
}

void BodySpaceEngine::AnalyzePattern() {
  const int count = static_cast<int>(blocks_.size());
  keys_.clear();
  for (int i = 0; i < count; ++i) keys_.emplace_back(i, i);
  const auto couple = [&](int a, int b) {
    if (a < 0 || b < 0 || a == b) return;
    keys_.emplace_back(a, b);
    keys_.emplace_back(b, a);
  };
  for (const Pair& pair : pairs_) couple(pair.sa, pair.sb);
  for (const Row& row : rows_) couple(row.sa, row.sb);
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  row_start_.assign(count + 1, 0);
  columns_.clear();
  for (const auto& [i, j] : keys_) {
    ++row_start_[i + 1];
    columns_.push_back(j);
  }
  for (int i = 0; i < count; ++i) row_start_[i + 1] += row_start_[i];
  diagonal_entry_.resize(count);
  for (int i = 0; i < count; ++i) diagonal_entry_[i] = EntryOf(i, i);
  const auto locate = [&](auto& x) {
    x.aa = EntryOf(x.sa, x.sa);
    if (x.sb < 0) return;
    x.ab = EntryOf(x.sa, x.sb);
    x.ba = EntryOf(x.sb, x.sa);
    x.bb = EntryOf(x.sb, x.sb);
  };
  for (Pair& pair : pairs_) locate(pair);
  for (Row& row : rows_) locate(row);
  sizes_.resize(count);
  for (int i = 0; i < count; ++i) sizes_[i] = blocks_[i].size;
  lu_.Analyze(sizes_, row_start_, columns_);  // nothing to do if the pattern is the same
}

void BodySpaceEngine::CopyBlocks(const ContactProblem& p) {
  blocks_.clear();
  std::size_t place = 0;
  for (const Subsystem& s : p.mass().subsystems()) {
    blocks_.push_back({s.dof, s.size, place});
    place += static_cast<std::size_t>(s.size) * s.size;
  }
  A_.resize(place);
  Ainv_.resize(place);
  for (std::size_t j = 0; j < blocks_.size(); ++j) {
    const Block& block = blocks_[j];
    double *A = A_.data() + block.place, *inverse = Ainv_.data() + block.place;  // symmetric: row or column major alike
    if (block.size == 6) {
      const Matrix6 A6 = p.mass().dense_block(static_cast<int>(j));
      const Matrix6 X = A6.llt().solve(Matrix6::Identity());
      Eigen::Map<Matrix6, Eigen::Unaligned> copy(A), inverse6(inverse);
      copy = A6;
      inverse6 = 0.5 * (X + X.transpose());
      continue;
    }
    Eigen::Map<MatrixX>(A, block.size, block.size) = p.mass().dense_block(static_cast<int>(j));
    Eigen::Map<MatrixX> X(inverse, block.size, block.size);
    X.setIdentity();
    p.mass().SolveSubsystem(static_cast<int>(j), X);
    for (int i = 0; i < block.size; ++i) {
      for (int k = 0; k < i; ++k) X(i, k) = X(k, i) = 0.5 * (X(i, k) + X(k, i));
    }
  }
}

// Only the columns that are not zero: a fingertip is moved by the arm and its own joints, not by those of other
// fingers.
void BodySpaceEngine::CopyJacobian(const Matrix6X& J, Body* body) {
  body->jacobian = static_cast<std::ptrdiff_t>(jacobians_.size());
  body->run_begin = static_cast<int>(runs_.size());
  int columns = 0;
  for (int k = 0; k < body->size; ++k) {
    if (J.col(k).isZero(0)) continue;
    const bool first = static_cast<int>(runs_.size()) == body->run_begin;
    if (first || runs_.back().dof + runs_.back().count != k) runs_.push_back({k, columns, 0});
    ++runs_.back().count;
    ++columns;
  }
  body->run_end = static_cast<int>(runs_.size());
  body->stride = std::max(4, (columns + 3) & ~3);
  for (int i = 0; i < 6; ++i) {
    for (int r = body->run_begin; r < body->run_end; ++r) {
      for (int k = 0; k < runs_[r].count; ++k) jacobians_.push_back(J(i, runs_[r].dof + k));
    }
    jacobians_.insert(jacobians_.end(), body->stride - columns, 0.0);
  }
}

void BodySpaceEngine::CopyBodies(const ContactProblem& p) {
  bodies_.clear();
  jacobians_.clear();
  runs_.clear();
  reference_.clear();
  for (const ContactBody& from : p.bodies()) {
    const Block& block = blocks_[from.subsystem];
    Body body;
    body.subsystem = from.subsystem;
    body.dof = block.dof;
    body.size = block.size;
    if (from.kind == ContactBody::Kind::Link) CopyJacobian(from.jacobian, &body);
    bodies_.push_back(body);
    reference_.insert(reference_.end(), from.reference.data(), from.reference.data() + 3);
  }
  twists_.resize(6 * bodies_.size());
  wrenches_.resize(6 * bodies_.size());
  link_blocks_.resize(36 * bodies_.size());
}

void BodySpaceEngine::Build(const ContactProblem& p) {
  num_contacts_ = p.num_contacts();
  num_dofs_ = p.num_dofs();
  b_.assign(p.b().data(), p.b().data() + p.b().size());
  v_free_.assign(p.free_velocity().data(), p.free_velocity().data() + p.free_velocity().size());
  CopyBlocks(p);
  CopyBodies(p);
  SortContacts(p);
  FillContacts(p);
  FillRows(p);
  CalcEffectiveMasses();
  AnalyzePattern();
  for (auto* x : {&v_, &v_trial_, &v_score_, &residual_, &force_, &step_})
    x->resize(static_cast<std::size_t>(num_dofs_));
}

}  // namespace tactus
