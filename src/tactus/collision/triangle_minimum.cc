#include "tactus/collision/triangle_minimum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/collision/piece_model.h"
#include "tactus/geometry/closest_on_triangle.h"

namespace tactus {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kFrankWolfeSteps = 6;
constexpr int kLineSamples = 3;
constexpr int kGradientSteps = 30;

using Corners = std::array<const FieldSample*, 3>;

double FarthestCorner(const Corners& corners, const Vector3& p) {
  double most = 0;
  for (const FieldSample* corner : corners) most = std::max(most, (corner->p - p).squaredNorm());
  return std::sqrt(most);
}

// The corner farthest down the gradient at x, and by how much it is down.
struct Descent {
  int corner = 0;
  double drop = 0;
};
Descent FindDescent(const Corners& corners, const FieldSample& x) {
  Descent out;
  for (int i = 0; i < 3; ++i) {
    const double drop = x.gradient.dot(x.p - corners[static_cast<std::size_t>(i)]->p);
    if (drop > out.drop) out = {i, drop};
  }
  return out;
}

// The lowest sample from x towards the corner: the slope's zero by bracketed secants.
FieldSample SearchLine(const SignedDistanceField& field, const FieldSample& x, const FieldSample& corner, double drop) {
  const Vector3 d = corner.p - x.p;
  FieldSample best = corner.value < x.value ? corner : x;
  double low = 0, high = 1, slope_low = -drop, slope_high = corner.gradient.dot(d);
  if (slope_high <= 0 && corner.value < x.value) return corner;
  for (int i = 0; i < kLineSamples; ++i) {
    const double share = slope_high > 0 ? -slope_low / (slope_high - slope_low) : 0.5;
    const double t = low + (high - low) * std::clamp(share, 0.05, 0.95);
    const FieldSample y = CalcSample(field, x.p + t * d);
    if (y.value < best.value) best = y;
    const double slope = y.gradient.dot(d);
    if (std::abs(slope) <= 0.02 * drop) break;
    (slope < 0 ? low : high) = t;
    (slope < 0 ? slope_low : slope_high) = slope;
  }
  return best;
}

// Projected gradient with Barzilai and Borwein's step lengths; every step goes down.
void Polish(const SignedDistanceField& field, const Corners& corners, double tolerance, FieldSample* x) {
  const double size = FarthestCorner(corners, x->p);
  double step = 0.25 * size;
  for (int i = 0; i < kGradientSteps; ++i) {
    const Vector3 w = ClosestOnTriangle(x->p - step * x->gradient, corners[0]->p, corners[1]->p, corners[2]->p);
    const FieldSample y = CalcSample(field, w[0] * corners[0]->p + w[1] * corners[1]->p + w[2] * corners[2]->p);
    const Vector3 moved = y.p - x->p;
    const double along = moved.dot(y.gradient - x->gradient), length2 = moved.squaredNorm();
    if (length2 <= 1e-20 * size * size) return;
    const double suggested = along > 0 ? length2 / along : 2 * step;
    if (y.value < x->value) {
      const bool done = x->value - y.value <= 1e-3 * tolerance;
      *x = y;
      step = std::clamp(suggested, 1e-6 * size, 1e3 * size);
      if (done) return;
    } else {
      step = std::min(0.25 * step, suggested);
      if (step <= 1e-10 * size) return;
    }
  }
}

// Samples of a triangle in coordinates of its plane, as pieces of a model about the lowest of them.
class TrianglePieces {
 public:
  explicit TrianglePieces(const Corners& corners) : corners_(corners) {
    const Vector3 u = corners[1]->p - corners[0]->p, v = corners[2]->p - corners[0]->p;
    const double length = u.norm();
    if (!(length > 0)) return;
    plane_.col(0) = u / length;
    const Vector3 across = v - v.dot(plane_.col(0)) * plane_.col(0);
    const double height = across.norm();
    if (!(height > 0)) return;
    plane_.col(1) = across / height;
    flat_ = true;
    size_ = std::max({length, v.norm(), (v - u).norm()});
    for (const FieldSample* corner : corners) Add(*corner);
  }

  /// False for triangles without area.
  bool flat() const { return flat_; }
  const FieldSample& lowest() const { return samples_[lowest_]; }

  void Add(const FieldSample& sample) {
    samples_[count_] = sample;
    if (sample.value < lowest().value) lowest_ = count_;
    ++count_;
  }

  // Where the model is least.
  Vector3 FindLeast(double* least) const {
    const FieldSample& x = lowest();
    PieceModel model(2 * size_);
    for (std::size_t i = 0; i < count_; ++i) {
      const FieldSample& s = samples_[i];
      // None may be above x: there the model is right.
      model.Add(LinearPiece{std::min(s.value + s.gradient.dot(x.p - s.p), x.value), plane_.transpose() * s.gradient});
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector2 from = plane_.transpose() * (corners_[i]->p - x.p),
                    edge = plane_.transpose() * (corners_[(i + 1) % 3]->p - corners_[i]->p);
      const Vector2 out(edge[1], -edge[0]);
      model.Add(LinearBound{out, std::max(0.0, out.dot(from))});
    }
    const Vector2 d = model.FindLeast(least);
    return x.p + plane_ * d;
  }

 private:
  const Corners& corners_;
  Eigen::Matrix<double, 3, 2> plane_ = Eigen::Matrix<double, 3, 2>::Zero();
  bool flat_ = false;
  double size_ = 0;
  std::array<FieldSample, PieceModel::kMostPieces> samples_;
  std::size_t count_ = 0, lowest_ = 0;
};

}  // namespace

FieldSample CalcSample(const SignedDistanceField& field, const Vector3& p) {
  FieldSample sample;
  sample.p = p;
  sample.value = field.Evaluate(p, &sample.gradient);
  return sample;
}

TriangleMinimum FindTriangleMinimum(const SignedDistanceField& field, const Corners& corners, double limit,
                                    double tolerance) {
  std::size_t lowest = 0;
  for (std::size_t i = 1; i < 3; ++i) lowest = corners[i]->value < corners[lowest]->value ? i : lowest;
  Descent descent = FindDescent(corners, *corners[lowest]);
  if (descent.drop <= tolerance) return {*corners[lowest], static_cast<int>(lowest)};
  FieldSample x = *corners[lowest];
  int steps = 0;
  for (; steps < kFrankWolfeSteps && descent.drop > tolerance; ++steps) {
    if (x.value > limit && x.value - FarthestCorner(corners, x.p) > limit) break;
    const FieldSample next = SearchLine(field, x, *corners[static_cast<std::size_t>(descent.corner)], descent.drop);
    if (!(next.value < x.value)) break;
    x = next;
    descent = FindDescent(corners, x);
  }
  const bool reachable = x.value <= limit || x.value - FarthestCorner(corners, x.p) <= limit;
  if (descent.drop > tolerance && reachable) Polish(field, corners, tolerance, &x);
  for (int i = 0; i < 3; ++i) {
    if (x.p == corners[static_cast<std::size_t>(i)]->p) return {x, i};
  }
  return {x, -1};
}

FieldSample FindKinkedMinimum(const SignedDistanceField& field, const Corners& corners, double limit, double tolerance,
                              int evaluations) {
  TrianglePieces pieces(corners);
  if (!pieces.flat()) return FindTriangleMinimum(field, corners, limit, tolerance).at;
  evaluations = std::min(evaluations, static_cast<int>(PieceModel::kMostPieces) - 3);
  for (int i = 0; i < evaluations; ++i) {
    double least = 0;
    const Vector3 p = pieces.FindLeast(&least);
    if (least > limit || pieces.lowest().value - least <= tolerance) break;
    pieces.Add(CalcSample(field, p));
  }
  return pieces.lowest();
}

CornerPieces::CornerPieces(const Corners& corners) {
  bound_ = -kInfinity;
  for (std::size_t i = 0; i < 3; ++i) {
    const FieldSample& a = *corners[i];
    if (a.value < corners[lowest_]->value) lowest_ = i;
    double least = a.value;
    said_[i][i] = a.value;
    for (const std::size_t j : {(i + 1) % 3, (i + 2) % 3}) {
      const FieldSample& b = *corners[j];
      const double said = a.value + a.gradient.dot(b.p - a.p), over = said - b.value;
      said_[i][j] = said;
      concavity_ = std::max(concavity_, over);
      bend_ = std::max(bend_, std::abs(over));
      least = std::min(least, said);
    }
    bound_ = std::max(bound_, least);
  }
}

// Over the triangle each piece is a mean of what it says at the corners, so this is a game of matrices: the least over
// means of columns of the greatest row is the greatest over means of rows of the least column. Of the latter one is the
// best in which as many columns as rows are equal; all others are lower, so rounding does no harm.
double CornerPieces::CalcLeast() const {
  auto m = said_;
  for (auto& row : m) {
    const double over = row[lowest_] - said_[lowest_][lowest_];
    if (!(over > 0)) continue;
    for (double& value : row) value -= over;
  }
  double best = -kInfinity, most = kInfinity;
  for (std::size_t i = 0; i < 3; ++i) {
    best = std::max(best, std::min({m[i][0], m[i][1], m[i][2]}));
    most = std::min(most, std::max({m[0][i], m[1][i], m[2][i]}));
  }
  if (best >= most) return best;
  const auto mix = [&](double a, double b, double c) {
    double least = kInfinity;
    for (std::size_t j = 0; j < 3; ++j) least = std::min(least, a * m[0][j] + b * m[1][j] + c * m[2][j]);
    best = std::max(best, least);
  };
  Vector3 differences[3];
  for (std::size_t j = 0; j < 3; ++j) {
    const std::size_t l = (j + 1) % 3;
    const Vector3 d(m[0][j] - m[0][l], m[1][j] - m[1][l], m[2][j] - m[2][l]);
    differences[j] = d;
    if (d[0] * d[1] < 0) mix(d[1] / (d[1] - d[0]), -d[0] / (d[1] - d[0]), 0);
    if (d[1] * d[2] < 0) mix(0, d[2] / (d[2] - d[1]), -d[1] / (d[2] - d[1]));
    if (d[2] * d[0] < 0) mix(-d[2] / (d[0] - d[2]), 0, d[0] / (d[0] - d[2]));
  }
  const Vector3 all = differences[0].cross(differences[1]);
  const double sum = all.sum();
  if ((all.array() > 0).all() || (all.array() < 0).all()) mix(all[0] / sum, all[1] / sum, all[2] / sum);
  return best;
}

}  // namespace tactus
