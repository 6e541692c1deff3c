#include "tactus/inverse/baselines/mode_qp.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

int NumRays(int dim, ModeChoice choice) {
  if (choice == ModeChoice::Open) return 0;
  return dim == 2 && (choice == ModeChoice::Any || choice == ModeChoice::Stick) ? 2 : 1;
}

void FillRays(const QpccScaled& p, const std::vector<ModeChoice>& choices, MatrixX* impulses) {
  const int dim = p.dim();
  int count = 0;
  for (const ModeChoice choice : choices) count += NumRays(dim, choice);
  impulses->setZero(p.m, count);
  int column = 0;
  for (int c = 0; c < p.num_contacts(); ++c) {
    const ModeChoice choice = choices[static_cast<std::size_t>(c)];
    const int rays = NumRays(dim, choice);
    for (int k = 0; k < rays; ++k, ++column) {
      (*impulses)(c * dim + dim - 1, column) = 1;
      if (dim == 1) continue;
      // Friction against the direction of sliding; stick takes both rays.
      const double d = rays == 2 ? (k == 0 ? 1 : -1) : choice == ModeChoice::SlidePlus ? 1 : -1;
      (*impulses)(c * dim, column) = -d * p.friction(c);
    }
  }
}

}  // namespace

double ModeQpConstant(const QpccScaled& problem) { return 0.5 * problem.b.squaredNorm(); }

void BuildModeQp(const QpccScaled& p, const std::vector<ModeChoice>& choices, ModeQp* out) {
  const int dim = p.dim(), t = dim - 1;
  FillRays(p, choices, &out->impulses);
  const auto rays = out->impulses.cols(), nv = p.na + rays;
  out->task.resize(p.AB.rows(), nv);
  out->task.leftCols(p.na) = p.AB.leftCols(p.na);
  out->task.rightCols(rays).noalias() = p.AB.rightCols(p.m) * out->impulses;
  out->contact.resize(p.m, nv);
  out->contact.leftCols(p.na) = p.CD.leftCols(p.na);
  out->contact.rightCols(rays).noalias() = p.CD.rightCols(p.m) * out->impulses;
  ConvexQp& qp = out->qp;
  qp.H.noalias() = out->task.transpose() * out->task;
  qp.q.noalias() = out->task.transpose() * p.b;
  // Rows of sigma that vanish, and those that must not be negative (with their sign).
  std::vector<int> zero;
  std::vector<std::pair<int, double>> positive;
  for (int c = 0; c < p.num_contacts(); ++c) {
    const ModeChoice choice = choices[static_cast<std::size_t>(c)];
    const int n = c * dim + t;
    if (choice == ModeChoice::Open || choice == ModeChoice::Any) {
      positive.emplace_back(n, 1.0);
      continue;
    }
    zero.push_back(n);
    if (dim == 1) continue;
    if (choice == ModeChoice::Stick) zero.push_back(n - 1);
    if (choice == ModeChoice::SlidePlus) positive.emplace_back(n - 1, 1.0);
    if (choice == ModeChoice::SlideMinus) positive.emplace_back(n - 1, -1.0);
  }
  qp.E.resize(static_cast<Eigen::Index>(zero.size()), nv);
  qp.e.resize(static_cast<Eigen::Index>(zero.size()));
  for (std::size_t k = 0; k < zero.size(); ++k) {
    qp.E.row(static_cast<Eigen::Index>(k)) = out->contact.row(zero[k]);
    qp.e[static_cast<Eigen::Index>(k)] = -p.g[zero[k]];
  }
  const auto inequalities = 2 * p.na + rays + static_cast<Eigen::Index>(positive.size());
  qp.G.setZero(inequalities, nv);
  qp.h.setZero(inequalities);
  for (int i = 0; i < p.na; ++i) {
    qp.G(2 * i, i) = 1;
    qp.h[2 * i] = p.upper[i];
    qp.G(2 * i + 1, i) = -1;
    qp.h[2 * i + 1] = -p.lower[i];
  }
  for (Eigen::Index k = 0; k < rays; ++k) qp.G(2 * p.na + k, p.na + k) = -1;
  for (std::size_t k = 0; k < positive.size(); ++k) {
    const auto row = 2 * p.na + rays + static_cast<Eigen::Index>(k);
    qp.G.row(row) = -positive[k].second * out->contact.row(positive[k].first);
    qp.h[row] = positive[k].second * p.g[positive[k].first];
  }
}

void ReadModeQp(const QpccScaled& p, const std::vector<ModeChoice>& choices, const ModeQp& mode_qp, const VectorX& v,
                QpccIterate* it) {
  const int dim = p.dim(), t = dim - 1;
  it->x_hat.head(p.na) = v.head(p.na).cwiseMax(p.lower).cwiseMin(p.upper);
  it->x_hat.tail(p.m).noalias() = mode_qp.impulses * v.tail(v.size() - p.na);
  it->s_hat = p.g;
  it->s_hat.noalias() += p.CD * it->x_hat;
  for (int c = 0; c < p.num_contacts(); ++c) {
    const auto k = static_cast<std::size_t>(c);
    const double normal = it->x_hat[p.na + c * dim + t], up = it->s_hat[c * dim + t];
    ContactMode& mode = it->modes[k];
    switch (choices[k]) {
      case ModeChoice::Open: mode = ContactMode::Open; break;
      case ModeChoice::Stick: mode = ContactMode::Stick; break;
      case ModeChoice::SlidePlus:
      case ModeChoice::SlideMinus: mode = ContactMode::Slip; break;
      case ModeChoice::Any: mode = normal > up ? ContactMode::Stick : ContactMode::Open; break;
    }
    if (mode == ContactMode::Open) it->x_hat.segment(p.na + c * dim, dim).setZero();
    if (mode == ContactMode::Stick) it->s_hat.segment(c * dim, dim).setZero();
    if (mode != ContactMode::Stick) it->s_hat[c * dim + t] = mode == ContactMode::Open ? std::max(up, 0.0) : 0;
  }
}

}  // namespace tactus
