// How a problem is laid out for FreeBodyEngine: contacts by pair, effective masses, the pattern of H.
#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "tactus/contact/constraint_law.h"
#include "tactus/solvers/hybrid/free_body_detail.h"
#include "tactus/solvers/hybrid/free_body_engine.h"

namespace tactus {

using free_body_detail::Cross;
using free_body_detail::kArrays;
using free_body_detail::kE;
using free_body_detail::kM;
using free_body_detail::kMu;
using free_body_detail::kN;
using free_body_detail::kR;
using free_body_detail::kRho;

bool FreeBodyEngine::Supports(const ContactProblem& p) {
  if (!p.has_geometry()) return false;
  for (const Subsystem& s : p.mass().subsystems()) {
    if (s.kind != SubsystemKind::Free) return false;
  }
  for (const ContactBody& body : p.bodies()) {
    if (body.kind != ContactBody::Kind::Free) return false;
  }
  for (int i = p.num_contacts(); i < p.num_constraints(); ++i) {
    const int* cols = p.jacobian().cols(i);
    int first = -1, second = -1;
    for (int k = 0; k < p.jacobian().count(i); ++k) {
      const int body = cols[k] / 6;
      if (first < 0 || body == first) {
        first = body;
      } else if (second < 0 || body == second) {
        second = body;
      } else {
        return false;
      }
    }
    if (first < 0) return false;
  }
  return true;
}

void FreeBodyEngine::SortContacts(const ContactProblem& p) {
  const auto& geometry = p.geometry();
  const auto subsystem = [&](BodyIndex body) { return body == kWorld ? -1 : p.bodies()[body].subsystem; };
  keys_.resize(num_contacts_);
  for (int i = 0; i < num_contacts_; ++i) {
    int a = subsystem(geometry[i].a), b = subsystem(geometry[i].b);
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

void FreeBodyEngine::FillContacts(const ContactProblem& p) {
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

void FreeBodyEngine::FillRows(const ContactProblem& p) {
  rows_.assign(p.num_rows(), Row());
  for (int k = 0; k < p.num_rows(); ++k) {
    const int i = p.num_contacts() + k, count = p.jacobian().count(i);
    const int* cols = p.jacobian().cols(i);
    const double* values = p.jacobian().block(i);
    Row& row = rows_[k];
    for (int c = 0; c < count; ++c) {
      const int body = cols[c] / 6;
      if (row.a < 0) row.a = body;
      if (body == row.a) {
        row.ja[cols[c] - 6 * body] = values[c];
      } else {
        row.b = body;
        row.jb[cols[c] - 6 * body] = values[c];
      }
    }
    row.e = p.e()[p.offset(i)];
    row.law = p.law(k);
  }
}

// rho = 3/tr(X P X^T) with P = A_a^{-1} + S A_b^{-1} S^T the mobility of the relative twist; q_norm_ on the way.
void FreeBodyEngine::CalcEffectiveMasses() {
  double* rho = all_.data.data() + static_cast<std::size_t>(kRho) * all_.padded;
  const double* data = all_.data.data();
  double sum = 0;
  velocity_scale_ = 0;
  for (const Pair& pair : pairs_) {
    double P[36];
    std::copy(Ainv_.begin() + 36 * pair.a, Ainv_.begin() + 36 * pair.a + 36, P);
    if (pair.b >= 0) {
      // S A_b^{-1} S^T: M <- M S^T is (S M^T)^T; A_b^{-1} is symmetric, so shift rows, then columns.
      double Q[36];
      const double* B = Ainv_.data() + 36 * pair.b;
      const double* d = pair.d;
      std::copy(B, B + 36, Q);
      for (int j = 0; j < 6; ++j) {  // rows: S M, top rows gain -[d]x M^2
        Q[j] -= d[1] * Q[30 + j] - d[2] * Q[24 + j];
        Q[6 + j] -= d[2] * Q[18 + j] - d[0] * Q[30 + j];
        Q[12 + j] -= d[0] * Q[24 + j] - d[1] * Q[18 + j];
      }
      for (int i = 0; i < 6; ++i) {  // columns: M S^T
        double* row = Q + 6 * i;
        row[0] -= d[1] * row[5] - d[2] * row[4];
        row[1] -= d[2] * row[3] - d[0] * row[5];
        row[2] -= d[0] * row[4] - d[1] * row[3];
      }
      for (int k = 0; k < 36; ++k) P[k] += Q[k];
    }
    // tr(X P X^T) = tr P11 + 2 r.c + (|r|^2 tr P22 - r^T P22 r), c from the skew part of P12: sum over
    // diag(-P12 [r]x^T - [r]x P21).
    const double trace = P[0] + P[7] + P[14], spin = P[21] + P[28] + P[35];
    const double c[3] = {P[11] - P[16], P[15] - P[5], P[4] - P[9]};
    double twist[6];
    PairTwist(pair, v_free_.data(), twist);
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
    double trace = 0, y = 0;
    const auto add = [&](int body, const double* j) {
      if (body < 0) return;
      for (int a = 0; a < 6; ++a) {
        y += j[a] * v_free_[6 * body + a];
        for (int b = 0; b < 6; ++b) trace += j[a] * Ainv_[36 * body + 6 * a + b] * j[b];
      }
    };
    add(row.a, row.ja);
    add(row.b, row.jb);
    row.rho = trace > 0 ? 1 / trace : 1;
    const double free = RowFreeSigma(row.law, y, row.e, row.rho);
    sum += row.rho * free * free;
    velocity_scale_ = std::max(velocity_scale_, std::abs(y + row.e));
  }
  q_norm_ = std::sqrt(sum);
}

int FreeBodyEngine::EntryOf(int i, int j) const {
  const auto begin = columns_.begin() + row_start_[i], end = columns_.begin() + row_start_[i + 1];
  return static_cast<int>(std::lower_bound(begin, end, j) - columns_.begin());
}

void FreeBodyEngine::AnalyzePattern() {
  keys_.clear();
  for (int i = 0; i < num_bodies_; ++i) keys_.emplace_back(i, i);
  const auto couple = [&](int a, int b) {
    if (a < 0 || b < 0) return;
    keys_.emplace_back(a, b);
    keys_.emplace_back(b, a);
  };
  for (const Pair& pair : pairs_) couple(pair.a, pair.b);
  for (const Row& row : rows_) couple(row.a, row.b);
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  row_start_.assign(num_bodies_ + 1, 0);
  columns_.clear();
  for (const auto& [i, j] : keys_) {
    ++row_start_[i + 1];
    columns_.push_back(j);
  }
  for (int i = 0; i < num_bodies_; ++i) row_start_[i + 1] += row_start_[i];
  diagonal_entry_.resize(num_bodies_);
  for (int i = 0; i < num_bodies_; ++i) diagonal_entry_[i] = EntryOf(i, i);
  const auto locate = [&](auto& x) {
    x.aa = EntryOf(x.a, x.a);
    if (x.b < 0) return;
    x.ab = EntryOf(x.a, x.b);
    x.ba = EntryOf(x.b, x.a);
    x.bb = EntryOf(x.b, x.b);
  };
  for (Pair& pair : pairs_) locate(pair);
  for (Row& row : rows_) locate(row);
  if (row_start_ == analyzed_start_ && columns_ == analyzed_columns_) return;  // same pattern: keep the analysis
  sizes_.assign(num_bodies_, 6);
  lu_.Analyze(sizes_, row_start_, columns_);
  analyzed_start_ = row_start_;
  analyzed_columns_ = columns_;
}

void FreeBodyEngine::Build(const ContactProblem& p) {
  num_bodies_ = p.mass().num_subsystems();
  num_contacts_ = p.num_contacts();
  A_.resize(36 * static_cast<std::size_t>(num_bodies_));
  Ainv_.resize(A_.size());
  reference_.resize(3 * static_cast<std::size_t>(num_bodies_));
  b_.assign(p.b().data(), p.b().data() + p.b().size());
  v_free_.assign(p.free_velocity().data(), p.free_velocity().data() + p.free_velocity().size());
  for (int j = 0; j < num_bodies_; ++j) {
    const Matrix6 A = p.mass().dense_block(j);
    const Matrix6 inverse = A.llt().solve(Matrix6::Identity());
    Eigen::Map<Matrix6, Eigen::Unaligned>(A_.data() + 36 * j) = A;  // symmetric: row or column major alike
    Eigen::Map<Matrix6, Eigen::Unaligned>(Ainv_.data() + 36 * j) = 0.5 * (inverse + inverse.transpose());
  }
  for (const ContactBody& body : p.bodies()) {
    for (int k = 0; k < 3; ++k) reference_[3 * body.subsystem + k] = body.reference[k];
  }
  SortContacts(p);
  FillContacts(p);
  FillRows(p);
  CalcEffectiveMasses();
  AnalyzePattern();
  const std::size_t n = 6 * static_cast<std::size_t>(num_bodies_);
  for (auto* x : {&v_, &v_trial_, &v_score_, &residual_, &force_, &step_}) x->resize(n);
}

}  // namespace tactus
