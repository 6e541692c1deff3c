#include "tactus/collision/wrench_hull.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus {

namespace {

Vector6 Wrench(const Vector3& r, const Vector3& f) {
  Vector6 w;
  w << f, r.cross(f);
  return w;
}

}  // namespace

ContactWrench CalcContactWrench(const Vector3& r, const Vector3& n, int axis, double sign, double friction) {
  // z is the axis; opposite to it any tangents will do, and those of a normal beside it do.
  const Vector3 z = sign * Vector3::Unit(axis);
  const double turn = 1 / std::max(1 + z.dot(n), 1e-3);
  const auto tangent = [&](int k) -> Vector3 {
    const Vector3 t = Vector3::Unit((axis + k) % 3);
    return t - turn * t.dot(n) * (n + z);
  };
  Vector3 t1 = tangent(1), t2 = tangent(2);
  if (turn > 999) {
    t1 = n.unitOrthogonal();
    t2 = n.cross(t1);
  }
  const double s = friction * std::sqrt(0.5);
  ContactWrench x;
  x << Wrench(r, n), s * Wrench(r, t1), s * Wrench(r, t2);
  return x;
}

double CalcWrenchError(const ContactWrench& e) {
  // |e0 + (e1 e2) c|^2 = |e0|^2 + 2 c.(e1.e0, e2.e0) + c^T M c, the last at most the greater eigenvalue of M; with the
  // coefficients of x, which are 1/sqrt(2) too small.
  const auto e0 = e.segment<6>(0), e1 = e.segment<6>(6), e2 = e.segment<6>(12);
  const double b1 = e0.dot(e1), b2 = e0.dot(e2), m11 = e1.dot(e1), m12 = e1.dot(e2), m22 = e2.dot(e2);
  const double linear = std::sqrt(2 * (b1 * b1 + b2 * b2));
  const double half = 0.5 * (m11 - m22), greater = 0.5 * (m11 + m22) + std::sqrt(half * half + m12 * m12);
  return std::sqrt(e0.squaredNorm() + 2 * linear + 2 * greater);
}

void WrenchTable::Add(const ContactWrench& x) {
  const int lane = count_ % kBlock;
  if (count_ / kBlock == static_cast<int>(blocks_.size())) blocks_.emplace_back();
  Block& block = blocks_[static_cast<std::size_t>(count_ / kBlock)];
  if (lane == 0) {
    // Lanes that are not there reach nowhere.
    for (auto& row : block.x) row.setZero();
    block.penalty.setConstant(1e6f);
  }
  for (int k = 0; k < 18; ++k) block.x[k][lane] = static_cast<float>(x[k]);
  block.penalty[lane] = 0;
  ++count_;
}

WrenchTable::Farthest WrenchTable::Find(const ContactWrench& direction) const {
  using Lanes = Eigen::Array<float, kBlock, 1>;
  const Eigen::Matrix<float, 18, 1> d = direction.cast<float>();
  const int rows = (d.tail<12>().array() == 0).all() ? 6 : 18;  // 6 without friction
  Lanes of_best;
  float best = -std::numeric_limits<float>::infinity();
  int at = 0;
  const int blocks = (count_ + kBlock - 1) / kBlock;
  for (int k = 0; k < blocks; ++k) {
    const Block& block = blocks_[static_cast<std::size_t>(k)];
    Lanes reach = -block.penalty;
    for (int i = 0; i < rows; ++i) reach += d[i] * block.x[i];
    const float most = reach.maxCoeff();
    if (!(most > best)) continue;
    best = most;
    at = k;
    of_best = reach;
  }
  int lane = 0;
  while (of_best[lane] < best) ++lane;
  return {static_cast<double>(best), at * kBlock + lane};
}

void WrenchHull::Clear() {
  table_.Clear();
  all_.clear();
  at_.count = 0;
}

void WrenchHull::Add(const ContactWrench& x) {
  table_.Add(x);
  all_.push_back(x);
}

WrenchHull::Combination& WrenchHull::Combination::operator=(const Combination& other) {
  count = other.count;
  std::copy_n(other.row, count, row);
  std::copy_n(other.weight, count, weight);
  std::copy_n(other.factor, count * (count + 1) / 2, factor);
  return *this;
}

bool WrenchHull::Approach(const ContactWrench& x, double tolerance, double* error, ContactWrench* direction) {
  // Beyond this many steps rounding is all there is to gain.
  constexpr int kMostSteps = 100;
  if (all_.empty()) {
    *direction = x.normalized();
    return false;
  }
  for (int k = 0; k < at_.count; ++k) products_[k] = x.dot(all_[static_cast<std::size_t>(at_.row[k])]);
  if (at_.count == 0) Append(0, x);
  double last = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMostSteps; ++step) {
    MoveToNearest();
    const ContactWrench e = x - CalcPoint();
    *error = CalcWrenchError(e);
    if (*error <= tolerance) return true;
    const double distance = e.norm();
    *direction = e / distance;
    const WrenchTable::Farthest farthest = table_.Find(*direction);
    const double behind = direction->dot(x) - farthest.reach;
    // The mean over |c| = mu of |e0 + (e1 e2) c|^2 is |e|^2, so that no weights do if the hull is that far away.
    if (behind > tolerance || distance - behind < 0.02 * tolerance || !(distance < last)) return false;
    if (!Append(farthest.row, x)) return false;
    last = distance;
  }
  return false;
}

// With weight 0; MoveToNearest gives it one. False if it is there, or in the plane of those that are.
bool WrenchHull::Append(int row, const ContactWrench& x) {
  const int k = at_.count;
  if (k == kMost || std::find(at_.row, at_.row + k, row) != at_.row + k) return false;
  const ContactWrench& added = all_[static_cast<std::size_t>(row)];
  double *mine = at_.Row(k), rest = added.dot(added) + 1;
  for (int i = 0; i < k; ++i) {
    const double* other = at_.Row(i);
    double sum = added.dot(all_[static_cast<std::size_t>(at_.row[i])]) + 1;
    for (int j = 0; j < i; ++j) sum -= mine[j] * other[j];
    mine[i] = sum * other[i];
    rest -= mine[i] * mine[i];
  }
  if (!(rest > 1e-10)) return false;
  mine[k] = 1 / std::sqrt(rest);
  at_.row[k] = row;
  at_.weight[k] = 0;
  products_[k] = x.dot(added);
  ++at_.count;
  return true;
}

// The rows of the factor below move up; what then stands right of the diagonal is turned into it.
void WrenchHull::Remove(int k) {
  const int count = --at_.count;
  for (int i = k; i < count; ++i) {
    at_.row[i] = at_.row[i + 1];
    at_.weight[i] = at_.weight[i + 1];
    products_[i] = products_[i + 1];
  }
  double right[kMost];  // of the diagonal, in each row
  for (int i = k; i < count; ++i) {
    const double* from = at_.Row(i + 1);
    right[i] = 1 / from[i + 1];
    std::copy_n(from, i + 1, at_.Row(i));
  }
  for (int i = k; i < count; ++i) {
    const double a = at_.Row(i)[i], length = std::sqrt(a * a + right[i] * right[i]), c = a / length,
                 s = right[i] / length;
    at_.Row(i)[i] = 1 / length;
    for (int j = i + 1; j < count; ++j) {
      double &left = at_.Row(j)[i], &next = at_.Row(j)[i + 1];
      const double moved = c * left + s * next;
      next = c * next - s * left;
      left = moved;
    }
  }
}

// Wolfe's minor cycle: to the nearest point of the plane of the combination; where that is outside, to the border, and
// without who lost his weight there.
void WrenchHull::MoveToNearest() {
  double aim[kMost];
  while (at_.count > 1) {
    CalcNearest(aim);
    double step = 1, sum = 0;
    int first = -1;
    for (int i = 0; i < at_.count; ++i) {
      if (aim[i] > 0) continue;
      const double until = at_.weight[i] > 0 ? at_.weight[i] / (at_.weight[i] - aim[i]) : 0;
      if (first < 0 || until < step) {
        step = until;
        first = i;
      }
    }
    for (int i = 0; i < at_.count; ++i) {
      at_.weight[i] = i == first ? 0 : std::max(at_.weight[i] + step * (aim[i] - at_.weight[i]), 0.0);
      sum += at_.weight[i];
    }
    for (int i = 0; i < at_.count; ++i) at_.weight[i] /= sum;
    if (first < 0) return;
    Remove(first);
  }
  at_.weight[0] = 1;
}

// With P = L L^T: P^-1 (b + nu 1), where b_j = x.x_j, and nu such that the sum is 1.
void WrenchHull::CalcNearest(double* weights) const {
  double b[kMost], one[kMost], sum_b = 0, sum_one = 0;
  for (int i = 0; i < at_.count; ++i) {
    const double* row = at_.Row(i);
    b[i] = products_[i];
    one[i] = 1;
    for (int j = 0; j < i; ++j) {
      b[i] -= row[j] * b[j];
      one[i] -= row[j] * one[j];
    }
    b[i] *= row[i];
    one[i] *= row[i];
    sum_b += one[i] * b[i];
    sum_one += one[i] * one[i];
  }
  const double nu = (1 - sum_b) / sum_one;
  for (int i = 0; i < at_.count; ++i) weights[i] = b[i] + nu * one[i];
  for (int i = at_.count - 1; i >= 0; --i) {
    const double* row = at_.Row(i);
    weights[i] *= row[i];
    for (int j = 0; j < i; ++j) weights[j] -= row[j] * weights[i];
  }
}

ContactWrench WrenchHull::CalcPoint() const {
  ContactWrench y = ContactWrench::Zero();
  for (int i = 0; i < at_.count; ++i) y += at_.weight[i] * all_[static_cast<std::size_t>(at_.row[i])];
  return y;
}

}  // namespace tactus
