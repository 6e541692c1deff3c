#include "tactus/collision/gjk.h"

#include <algorithm>
#include <cmath>

namespace tactus {

namespace {

constexpr int kMaxIterations = 128;

// Candidates for the part of a simplex nearest to the origin: vertex numbers, weights, point.
struct Part {
  std::array<int, 4> vertex{};
  std::array<double, 4> weight{};
  int count = 0;
  Vector3 point = Vector3::Zero();
  double distance2 = 1e300;
};

void Consider(const Simplex& s, std::initializer_list<int> vertices, const double* weights, Part* best) {
  Part part;
  part.point.setZero();
  double total = 0;
  for (const int v : vertices) {
    const double weight = weights[part.count];
    part.vertex[static_cast<std::size_t>(part.count)] = v;
    part.weight[static_cast<std::size_t>(part.count)] = weight;
    part.point += weight * s.vertex[static_cast<std::size_t>(v)].w;
    total += weight;
    ++part.count;
  }
  part.point /= total;
  for (double& weight : part.weight) weight /= total;
  part.distance2 = part.point.squaredNorm();
  if (part.distance2 < best->distance2) *best = part;
}

void ConsiderVertex(const Simplex& s, int i, Part* best) {
  const double one = 1;
  Consider(s, {i}, &one, best);
}

void ConsiderEdge(const Simplex& s, int i, int j, Part* best) {
  const Vector3& p = s.vertex[static_cast<std::size_t>(i)].w;
  const Vector3& q = s.vertex[static_cast<std::size_t>(j)].w;
  const Vector3 e = q - p;
  const double to_q = -p.dot(e), to_p = q.dot(e);  // weights of q and p, times |e|^2
  if (to_q <= 0 || to_p <= 0) return;
  const double weights[2] = {to_p, to_q};
  Consider(s, {i, j}, weights, best);
}

void ConsiderTriangle(const Simplex& s, int i, int j, int k, Part* best) {
  const Vector3& a = s.vertex[static_cast<std::size_t>(i)].w;
  const Vector3& b = s.vertex[static_cast<std::size_t>(j)].w;
  const Vector3& c = s.vertex[static_cast<std::size_t>(k)].w;
  double weights[3];
  const Vector3 n = CalcTriangleWeights(a, b, c, weights);
  if (!(weights[0] > 0 && weights[1] > 0 && weights[2] > 0)) return;
  Consider(s, {i, j, k}, weights, best);
  // The foot on the plane says where the nearest point is more exactly than the weights do.
  if (best->count != 3 || best->vertex[0] != i || best->vertex[1] != j || best->vertex[2] != k) return;
  const double n2 = n.squaredNorm();
  const Vector3 foot = n * (n.dot(a) / n2);
  best->point = foot;
  best->distance2 = foot.squaredNorm();
}

// The origin is inside: all weights of one sign. Flat tetrahedra hold nothing.
bool HoldsOrigin(Simplex* s) {
  const Vector3 &a = s->vertex[0].w, &b = s->vertex[1].w, &c = s->vertex[2].w, &d = s->vertex[3].w;
  const double weights[4] = {b.dot(c.cross(d)), -a.dot(c.cross(d)), a.dot(b.cross(d)), -a.dot(b.cross(c))};
  const double volume = (b - a).dot((c - a).cross(d - a));
  const double size = std::max({(b - a).squaredNorm(), (c - a).squaredNorm(), (d - a).squaredNorm()});
  if (!(std::abs(volume) > 1e-14 * size * std::sqrt(size))) return false;
  for (std::size_t i = 0; i < 4; ++i) {
    if (weights[i] * volume < 0) return false;
    s->weight[i] = weights[i] / volume;
  }
  return true;
}

}  // namespace

Vector3 CalcTriangleWeights(const Vector3& a, const Vector3& b, const Vector3& c, double* weights) {
  // In terms of edges, not of products of positions: the triangle may be tiny and far away. One edge after the other,
  // the longer first: it may be a sliver.
  Vector3 e = b - a, f = c - a;
  const bool swapped = f.squaredNorm() > e.squaredNorm();
  if (swapped) std::swap(e, f);
  const double ee = e.squaredNorm(), along = e.dot(f) / ee;
  const Vector3 g = f - along * e;
  const Vector3 n = e.cross(g);
  double to_c = -a.dot(g) / g.squaredNorm();
  double to_b = -a.dot(e) / ee - to_c * along;
  if (swapped) std::swap(to_b, to_c);
  weights[0] = 1 - to_b - to_c;
  weights[1] = to_b;
  weights[2] = to_c;
  return n;
}

Vector3 ReduceSimplex(Simplex* s) {
  const int last = s->count - 1;
  Part best;
  if (s->count == 4 && HoldsOrigin(s)) return Vector3::Zero();
  for (int i = 0; i < last; ++i) {
    for (int j = i + 1; j < last; ++j) ConsiderTriangle(*s, i, j, last, &best);
  }
  for (int i = 0; i < last; ++i) ConsiderEdge(*s, i, last, &best);
  ConsiderVertex(*s, last, &best);

  Simplex reduced;
  reduced.count = best.count;
  for (int i = 0; i < best.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    reduced.vertex[k] = s->vertex[static_cast<std::size_t>(best.vertex[k])];
    reduced.weight[k] = best.weight[k];
  }
  *s = reduced;
  return best.point;
}

GjkResult CalcDistance(MinkowskiDifference* difference, double limit, const Vector3& direction) {
  const double scale = difference->scale();
  const double zero = 1e-14 * scale;  // nothing smaller can be told from rounding
  GjkResult result;
  Simplex& simplex = result.simplex;

  const Vector3 start = direction.squaredNorm() > 0 ? Vector3(-direction) : Vector3(Vector3::UnitX());
  simplex.vertex[0] = difference->Support(start);
  simplex.weight[0] = 1;
  simplex.count = 1;
  Vector3 v = simplex.vertex[0].w;
  result.lower_bound = -1e300;

  for (result.iterations = 1; result.iterations <= kMaxIterations; ++result.iterations) {
    const double distance = v.norm();
    result.nearest = v;
    result.distance = distance;
    if (!(distance > zero)) {
      result.status = GjkStatus::Overlap;
      return result;
    }
    const MinkowskiVertex vertex = difference->Support(-v);
    const double bound = v.dot(vertex.w) / distance;
    result.lower_bound = std::max(result.lower_bound, bound);
    if (result.lower_bound > limit) {
      result.status = GjkStatus::Far;
      return result;
    }
    result.status = GjkStatus::Distance;
    if (distance - bound <= 1e-13 * scale + 1e-12 * distance) return result;
    for (int i = 0; i < simplex.count; ++i) {
      if (simplex.vertex[static_cast<std::size_t>(i)].w == vertex.w) return result;
    }
    const Simplex before = simplex;
    simplex.vertex[static_cast<std::size_t>(simplex.count++)] = vertex;
    const Vector3 next = ReduceSimplex(&simplex);
    if (simplex.count == 4) {
      result.status = GjkStatus::Overlap;
      result.nearest.setZero();
      result.distance = 0;
      return result;
    }
    if (!(next.squaredNorm() < v.squaredNorm())) {  // rounding: no progress is possible
      simplex = before;
      return result;
    }
    v = next;
  }
  return result;
}

}  // namespace tactus
