#include "tactus/inverse/baselines/slide_sqp.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLargestTurn = 0.4;
constexpr int kMostPrograms = 40, kFacets = 8;
/// Fractions of a turn that fill the torus evenly.
constexpr double kGolden[4] = {1.0, 0.7548776662466927, 0.5698402909980532, 0.3819660112501051};

Vector2 Direction(double angle) { return {std::cos(angle), std::sin(angle)}; }

}  // namespace

SlideSqp::SlideSqp(const QpccScaled& problem, const std::vector<ContactMode>& modes) : p_(problem), modes_(modes) {
  columns_ = p_.na;
  for (const ContactMode mode : modes_) {
    first_.push_back(columns_);
    columns_ += mode == ContactMode::Open ? 0 : mode == ContactMode::Stick ? 3 : 2;
  }
  angle_.assign(modes_.size(), 0);
  normal_.assign(modes_.size(), 0);
  speed_.assign(modes_.size(), 0);
}

void SlideSqp::AddInequality(const VectorX& row, double bound) {
  rows_.push_back(row);
  bounds_.push_back(bound);
}

void SlideSqp::Build() {
  impulses_.setZero(p_.m, columns_ - p_.na);
  for (std::size_t c = 0; c < modes_.size(); ++c) {
    const int o = 3 * static_cast<int>(c), j = first_[c] - p_.na;
    const double mu = p_.friction(static_cast<int>(c));
    if (modes_[c] == ContactMode::Stick) impulses_.block(o, j, 3, 3).setIdentity();
    if (modes_[c] != ContactMode::Slip) continue;
    const Vector2 d = Direction(angle_[c]);
    impulses_.block(o, j, 3, 1) << -mu * d[0], -mu * d[1], 1;
    impulses_.block(o, j + 1, 2, 1) << mu * normal_[c] * d[1], -mu * normal_[c] * d[0];
  }
  task_.resize(p_.AB.rows(), columns_);
  task_ << p_.AB.leftCols(p_.na), p_.AB.rightCols(p_.m) * impulses_;
  contact_.resize(p_.m, columns_);
  contact_ << p_.CD.leftCols(p_.na), p_.CD.rightCols(p_.m) * impulses_;
  qp_.H = task_.transpose() * task_;
  qp_.q = task_.transpose() * p_.b;
  BuildConstraints();
}

void SlideSqp::BuildConstraints() {
  std::vector<VectorX> equal;
  std::vector<double> value;
  rows_.clear();
  bounds_.clear();
  for (int i = 0; i < p_.na; ++i) {
    AddInequality(VectorX::Unit(columns_, i), p_.upper[i]);
    AddInequality(-VectorX::Unit(columns_, i), -p_.lower[i]);
  }
  for (std::size_t c = 0; c < modes_.size(); ++c) {
    const int o = 3 * static_cast<int>(c), j = first_[c];
    if (modes_[c] == ContactMode::Open) {
      AddInequality(-contact_.row(o + 2), p_.g[o + 2]);
      continue;
    }
    for (int k = modes_[c] == ContactMode::Stick ? 0 : 2; k < 3; ++k) {
      equal.push_back(contact_.row(o + k));
      value.push_back(-p_.g[o + k]);
    }
    if (modes_[c] == ContactMode::Stick) {
      AddInequality(-VectorX::Unit(columns_, j + 2), 0);
      continue;
    }
    const Vector2 d = Direction(angle_[c]);
    AddInequality(-VectorX::Unit(columns_, j), 0);
    AddInequality(VectorX::Unit(columns_, j + 1), kLargestTurn);
    AddInequality(-VectorX::Unit(columns_, j + 1), kLargestTurn);
    AddInequality(-d[0] * contact_.row(o) - d[1] * contact_.row(o + 1), d[0] * p_.g[o] + d[1] * p_.g[o + 1]);
    VectorX across = d[0] * contact_.row(o + 1) - d[1] * contact_.row(o);
    across[j + 1] -= speed_[c];
    equal.push_back(across);
    value.push_back(d[1] * p_.g[o] - d[0] * p_.g[o + 1]);
  }
  for (const Cut& cut : cuts_) {
    VectorX row = VectorX::Zero(columns_);
    const int j = first_[static_cast<std::size_t>(cut.contact)];
    row.segment<2>(j) = cut.normal;
    row[j + 2] = -p_.friction(cut.contact);
    AddInequality(row, 0);
  }
  qp_.E.resize(static_cast<Eigen::Index>(equal.size()), columns_);
  qp_.e.resize(static_cast<Eigen::Index>(equal.size()));
  for (std::size_t k = 0; k < equal.size(); ++k) {
    qp_.E.row(static_cast<Eigen::Index>(k)) = equal[k];
    qp_.e[static_cast<Eigen::Index>(k)] = value[k];
  }
  qp_.G.resize(static_cast<Eigen::Index>(rows_.size()), columns_);
  qp_.h.resize(static_cast<Eigen::Index>(rows_.size()));
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    qp_.G.row(static_cast<Eigen::Index>(k)) = rows_[k];
    qp_.h[static_cast<Eigen::Index>(k)] = bounds_[k];
  }
}

// Takes lengths and angles over.
bool SlideSqp::Accept(const VectorX& v) {
  turn_ = 0;
  const VectorX sigma = contact_ * v + p_.g;
  for (std::size_t c = 0; c < modes_.size(); ++c) {
    if (modes_[c] != ContactMode::Slip) continue;
    const int j = first_[c], o = 3 * static_cast<int>(c);
    normal_[c] = std::max(v[j], 0.0);
    angle_[c] += v[j + 1];
    speed_[c] = std::max(Direction(angle_[c]).dot(sigma.segment<2>(o)), 0.0);
    turn_ = std::max(turn_, std::abs(v[j + 1]));
  }
  return turn_ < 1e-9;
}

bool SlideSqp::AddCuts(const VectorX& v) {
  bool added = false;
  for (std::size_t c = 0; c < modes_.size(); ++c) {
    if (modes_[c] != ContactMode::Stick) continue;
    const Vector2 t = v.segment<2>(first_[c]);
    const double length = t.norm(), radius = p_.friction(static_cast<int>(c)) * v[first_[c] + 2];
    if (length <= radius + 1e-9 * (1 + radius) || length == 0) continue;
    cuts_.push_back({static_cast<int>(c), t / length});
    added = true;
  }
  return added;
}

bool SlideSqp::Solve(int k, int starts, QpccIterate* it, double* loss) {
  cuts_.clear();
  int slides = 0;
  for (std::size_t c = 0; c < modes_.size(); ++c) {
    if (modes_[c] == ContactMode::Stick) {
      for (int f = 0; f < kFacets; ++f) cuts_.push_back({static_cast<int>(c), Direction(2 * kPi * f / kFacets)});
    }
    if (modes_[c] != ContactMode::Slip) continue;
    // The first goes round once, the others fill the torus.
    const double turns = slides == 0 ? static_cast<double>(k) / starts : k * kGolden[slides % 4];
    angle_[c] = 2 * kPi * turns;
    normal_[c] = speed_[c] = 0.5;
    ++slides;
  }
  VectorX v;
  bool settled = false;
  for (int n = 0; n < kMostPrograms && !settled; ++n) {
    Build();
    const ConvexQpResult answer = SolveConvexQp(qp_, 1e-9);
    ++programs_;
    if (answer.status != ConvexQpStatus::Solved) return false;
    v = answer.x;
    const bool turned = Accept(v), cut = AddCuts(v);
    settled = turned && !cut;
  }
  if (!settled) return false;
  it->x_hat.head(p_.na) = v.head(p_.na).cwiseMax(p_.lower).cwiseMin(p_.upper);
  it->x_hat.tail(p_.m) = impulses_ * v.tail(columns_ - p_.na);
  it->s_hat = p_.CD * it->x_hat + p_.g;
  it->modes = modes_;
  *loss = 0.5 * (p_.AB * it->x_hat + p_.b).squaredNorm();
  return true;
}

}  // namespace tactus
