#include "tactus/collision/epa.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus {

namespace {

constexpr int kMaxIterations = 160;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Face = EpaScratch::Face;

Vector3 AnyPerpendicular(const Vector3& d) {
  int axis = 0;
  d.cwiseAbs().minCoeff(&axis);
  return d.cross(Vector3::Unit(axis)).normalized();
}

class Expander {
 public:
  Expander(MinkowskiDifference* difference, EpaScratch* scratch)
      : difference_(difference), s_(*scratch), tolerance_(1e-12 * difference->scale()) {
    s_.vertices.clear();
    s_.faces.clear();
  }

  Penetration Run(const Simplex& start) {
    result_.gap = -kInfinity;
    if (!MakeTetrahedron(start)) {
      result_.upper_bound = result_.gap;
      return result_;
    }
    for (result_.iterations = 1; result_.iterations <= kMaxIterations; ++result_.iterations) {
      const int face = NearestFace();
      if (face < 0) break;
      const Face& f = s_.faces[static_cast<std::size_t>(face)];
      result_.upper_bound = -f.offset;
      result_.hope = -f.normal;
      const MinkowskiVertex vertex = difference_->Support(f.normal);
      Try(f.normal, vertex);
      if (vertex.w.dot(f.normal) - f.offset <= tolerance_) break;
      if (!Expand(face, vertex)) break;
    }
    FindWitness();
    return result_;
  }

 private:
  // -m as an answer, where `vertex` is the support point along m.
  void Try(const Vector3& m, const MinkowskiVertex& vertex) {
    const double gap = -m.dot(vertex.w);
    if (!(gap > result_.gap)) return;
    result_.gap = gap;
    result_.normal = -m;
    Simplex& feature = result_.feature;
    feature.vertex[0] = vertex;
    feature.weight[0] = 1;
    feature.count = 1;
    SetWitness();
  }

  void SetWitness() {
    const Simplex& feature = result_.feature;
    result_.a.setZero();
    result_.b.setZero();
    for (int i = 0; i < feature.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      result_.a += feature.weight[k] * feature.vertex[k].a;
      result_.b += feature.weight[k] * feature.vertex[k].b;
    }
  }

  // Where they touch: the foot of the origin on the nearest face. Of faces in one plane only one holds it.
  void FindWitness() {
    const int nearest = NearestFace();
    if (nearest < 0) return;
    const double limit = s_.faces[static_cast<std::size_t>(nearest)].offset + 1e3 * tolerance_;
    double best = -kInfinity;
    for (const Face& f : s_.faces) {
      if (!f.alive || !(f.offset <= limit)) continue;
      double weights[3];
      CalcTriangleWeights(w(f.vertex[0]), w(f.vertex[1]), w(f.vertex[2]), weights);
      const double least = std::min({weights[0], weights[1], weights[2]});
      if (!(least > best)) continue;
      best = least;
      Simplex& feature = result_.feature;
      feature.count = 0;
      double sum = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        if (!(weights[i] > 1e-12)) continue;
        const auto k = static_cast<std::size_t>(feature.count++);
        feature.vertex[k] = s_.vertices[static_cast<std::size_t>(f.vertex[i])];
        feature.weight[k] = weights[i];
        sum += weights[i];
      }
      for (double& weight : feature.weight) weight /= sum;
    }
    SetWitness();
  }

  const Vector3& w(int v) const { return s_.vertices[static_cast<std::size_t>(v)].w; }

  // Keeps the farther of the two support points along +-d if it is off by more than rounding.
  template <typename Distance>
  bool Extend(const Vector3& d, Distance distance, double* best) {
    bool found = false;
    for (const double sign : {1.0, -1.0}) {
      const MinkowskiVertex vertex = difference_->Support(sign * d);
      Try(sign * d, vertex);
      const double off = distance(vertex.w);
      if (!(off > *best)) continue;
      *best = off;
      candidate_ = vertex;
      found = true;
    }
    return found;
  }

  // Grows the simplex until it has volume. False if A - B has none: then a direction without extent has been tried.
  bool MakeTetrahedron(const Simplex& start) {
    for (int i = 0; i < start.count; ++i) s_.vertices.push_back(start.vertex[static_cast<std::size_t>(i)]);
    if (s_.vertices.size() == 4 && !(std::abs(Height(3)) > tolerance_)) s_.vertices.pop_back();
    if (s_.vertices.size() == 3 && !(Area() > tolerance_ * tolerance_)) s_.vertices.pop_back();
    if (s_.vertices.size() == 2 && !((w(1) - w(0)).norm() > tolerance_)) s_.vertices.pop_back();

    if (s_.vertices.size() == 1) {
      double best = tolerance_;
      const auto distance = [&](const Vector3& p) { return (p - w(0)).norm(); };
      for (int axis = 0; axis < 3; ++axis) Extend(Vector3::Unit(axis), distance, &best);
      if (!(best > tolerance_)) return false;
      s_.vertices.push_back(candidate_);
    }
    if (s_.vertices.size() == 2) {
      const Vector3 along = (w(1) - w(0)).normalized();
      const Vector3 p = AnyPerpendicular(along), q = along.cross(p);
      double best = tolerance_;
      const auto distance = [&](const Vector3& x) { return (x - w(0)).cross(along).norm(); };
      for (const Vector3& d : {p, q}) Extend(d, distance, &best);
      if (!(best > tolerance_)) return false;
      s_.vertices.push_back(candidate_);
    }
    if (s_.vertices.size() == 3) {
      const Vector3 n = (w(1) - w(0)).cross(w(2) - w(0)).normalized();
      double best = tolerance_;
      Extend(
          n, [&](const Vector3& x) { return std::abs(n.dot(x - w(0))); }, &best);
      if (!(best > tolerance_)) return false;
      s_.vertices.push_back(candidate_);
    }
    // Outwards: vertex 3 behind the face 0, 1, 2.
    if (Height(3) > 0) std::swap(s_.vertices[1], s_.vertices[2]);
    AddFace(0, 1, 2, {1, 2, 3});
    AddFace(0, 3, 1, {3, 2, 0});
    AddFace(1, 3, 2, {1, 3, 0});
    AddFace(2, 3, 0, {2, 1, 0});
    return true;
  }

  // Of vertex v over the plane of the first three.
  double Height(int v) const {
    const Vector3 n = (w(1) - w(0)).cross(w(2) - w(0));
    const double length = n.norm();
    return length > 0 ? n.dot(w(v) - w(0)) / length : 0;
  }
  double Area() const { return (w(1) - w(0)).cross(w(2) - w(0)).norm(); }

  int AddFace(int a, int b, int c, const std::array<int, 3>& neighbour) {
    Face face{{a, b, c}, neighbour, Vector3::Zero(), kInfinity, true};
    // About the vertex that sees the other two at the widest angle the cross product loses the least.
    const Vector3 ab = w(b) - w(a), bc = w(c) - w(b), ca = w(a) - w(c);
    const double ab2 = ab.squaredNorm(), bc2 = bc.squaredNorm(), ca2 = ca.squaredNorm();
    Vector3 n = ab2 > bc2 ? (ab2 > ca2 ? bc.cross(ca) : ab.cross(bc)) : (bc2 > ca2 ? ca.cross(ab) : ab.cross(bc));
    const double length = n.norm();
    if (length > 1e-14 * std::max({ab2, bc2, ca2})) {
      face.normal = n / length;
      face.offset = face.normal.dot(w(a) + w(b) + w(c)) / 3;
    }
    s_.faces.push_back(face);
    return static_cast<int>(s_.faces.size()) - 1;
  }

  int NearestFace() const {
    int best = -1;
    double offset = kInfinity;
    for (std::size_t f = 0; f < s_.faces.size(); ++f) {
      if (!s_.faces[f].alive || !(s_.faces[f].offset < offset)) continue;
      offset = s_.faces[f].offset;
      best = static_cast<int>(f);
    }
    return best;
  }

  bool Sees(const Vector3& p, int face) const {
    const Face& f = s_.faces[static_cast<std::size_t>(face)];
    return f.offset < kInfinity && f.normal.dot(p) - f.offset > -0.01 * tolerance_;
  }

  // Replaces the faces that `vertex` sees by a cone from it. False if the hull cannot take it.
  bool Expand(int seen, const MinkowskiVertex& vertex) {
    const int apex = static_cast<int>(s_.vertices.size());
    if (!FindHorizon(seen, vertex.w)) return false;
    s_.vertices.push_back(vertex);
    s_.face_from.assign(s_.vertices.size(), -1);
    for (const auto& edge : s_.horizon) {
      const int face = AddFace(edge.from, edge.to, apex, {edge.outside, -1, -1});
      Face& outside = s_.faces[static_cast<std::size_t>(edge.outside)];
      outside.neighbour[static_cast<std::size_t>(edge.slot)] = face;
      int& from = s_.face_from[static_cast<std::size_t>(edge.from)];
      if (from >= 0) return false;  // the horizon crosses itself
      from = face;
    }
    for (const auto& edge : s_.horizon) {
      const int face = s_.face_from[static_cast<std::size_t>(edge.from)];
      const int next = s_.face_from[static_cast<std::size_t>(edge.to)];
      if (next < 0) return false;
      s_.faces[static_cast<std::size_t>(face)].neighbour[1] = next;
      s_.faces[static_cast<std::size_t>(next)].neighbour[2] = face;
    }
    return true;
  }

  // Marks what p sees, beginning with a face, and collects the edges around it.
  bool FindHorizon(int first, const Vector3& p) {
    s_.horizon.clear();
    s_.stack.clear();
    s_.faces[static_cast<std::size_t>(first)].alive = false;
    for (int i = 2; i >= 0; --i) s_.stack.emplace_back(first, i);
    while (!s_.stack.empty()) {
      const auto [face, slot] = s_.stack.back();
      s_.stack.pop_back();
      const Face& f = s_.faces[static_cast<std::size_t>(face)];
      const int next = f.neighbour[static_cast<std::size_t>(slot)];
      Face& g = s_.faces[static_cast<std::size_t>(next)];
      if (!g.alive) continue;
      const int from = f.vertex[static_cast<std::size_t>(slot)],
                to = f.vertex[static_cast<std::size_t>((slot + 1) % 3)];
      int back = 0;
      while (back < 3 && g.vertex[static_cast<std::size_t>(back)] != to) ++back;
      if (back == 3) return false;
      if (!Sees(p, next)) {
        s_.horizon.push_back({from, to, next, back});
        continue;
      }
      g.alive = false;
      s_.stack.emplace_back(next, (back + 2) % 3);
      s_.stack.emplace_back(next, (back + 1) % 3);
    }
    return s_.horizon.size() >= 3;
  }

  MinkowskiDifference* difference_;
  EpaScratch& s_;
  double tolerance_;
  MinkowskiVertex candidate_;
  Penetration result_;
};

}  // namespace

Penetration CalcPenetration(MinkowskiDifference* difference, const Simplex& start, EpaScratch* scratch) {
  return Expander(difference, scratch).Run(start);
}

}  // namespace tactus
