#include "tactus/collision/deepest_point.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tactus/collision/surface_descent.h"

namespace tactus {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kStarts = 8;
constexpr double kRough = 1e3;  // rough descents know a minimum to so many tolerances
constexpr std::size_t kDoubts = 48;
constexpr int kEvaluations = 6;
constexpr std::ptrdiff_t kCandidates = 256;
constexpr int kDepth = 3;
constexpr int kDirections = 6;
constexpr double kConcave = 0.02;
// Of the smaller of their sizes: how far starts are from each other. Next to large triangles there may be small ones.
constexpr double kApart = 0.316;
constexpr double kSamePlace = 1e-2;   // the same, of those that will stay with each other
constexpr std::size_t kFollowed = 3;  // of the lowest, to the next exactness
constexpr double kClose = 0.02;  // of its distance: how exactly a minimum beside one is known before it is followed
// Of a start's size: what may be lower beside a minimum at an edge or kink.
constexpr double kBeside = 3e-3;

class Search {
 public:
  Search(const DeepestInput& in, std::vector<LowTriangle>* low)
      : in_(in),
        low_(*low),
        surface_{*in.probe.field(), in.field, in.X_FP, 1e-2 * in.tolerance},
        error_(in.probe.error()) {}

  FieldSample Run() {
    RememberLowest();
    SearchAgain();
    const double rough = kRough * in_.tolerance;
    for (Start& s : starts_) {
      if (s.size > 0) s.at = DescendOnSurface(surface_, s.at, 0.2 * s.size, rough);
    }
    SortStarts();
    double lowest = in_.limit;
    for (Start& s : starts_) {
      // What is higher than this is elsewhere, what is at the same place will stay with it.
      if (!(s.size > 0) || s.at.value > lowest + std::max(rough, kBeside * s.size) || IsSeen(s)) continue;
      s.seen = s.at.p;
      if (s.at.value <= lowest + rough) {
        for (const double step : {0.4, 0.1}) s.at = DescendOnSurface(surface_, s.at, step * s.size, rough);
      }
      LookAround(s.size, &s.at);
      lowest = std::min(lowest, s.at.value);
    }
    SortStarts();
    FieldSample out;
    out.value = kInfinity;
    for (std::size_t i = 0; i < kFollowed; ++i) {
      const Start& s = starts_[i];
      if (!(s.size > 0) || s.at.value > lowest + rough) break;
      const FieldSample found = DescendOnSurface(surface_, s.at, 0.02 * s.size, in_.tolerance);
      if (found.value < out.value) out = found;
    }
    return out;
  }

 private:
  using Corners = std::array<const FieldSample*, 3>;
  struct Start {
    FieldSample at{Vector3::Zero(), kInfinity, Vector3::Zero()};
    double size = 0;                              // of the triangle it is from
    Vector3 seen = Vector3::Constant(kInfinity);  // where it was followed from
  };

  void SortStarts() {
    std::sort(starts_.begin(), starts_.end(), [](const Start& s, const Start& t) { return IsLower(s.at, t.at); });
  }
  // Did another one come by here?
  bool IsSeen(const Start& s) const {
    return std::any_of(starts_.begin(), starts_.end(), [&](const Start& t) {
      return &t != &s && IsNear(t.seen, s.at.p, kSamePlace * SmallerSize(s, t));
    });
  }

  static bool IsLower(const FieldSample& x, const FieldSample& y) { return x.value < y.value; }
  static bool IsNear(const Vector3& p, const Vector3& q, double distance) {
    return (p - q).squaredNorm() < distance * distance;
  }
  static double SmallerSize(const Start& s, const Start& t) { return std::min(s.size, t.size); }

  // What is higher is not worth a search.
  double limit() const { return std::min(least_, in_.limit) + error_; }

  Corners CornersOf(int triangle) const {
    const auto& v = in_.probe.surface().triangle(triangle).vertex;
    const auto sample = [&](int i) { return &in_.samples[static_cast<std::size_t>(i)]; };
    return {sample(v[0]), sample(v[1]), sample(v[2])};
  }

  // The lowest triangles give the starts. Their values are as wrong as their distance from the surface.
  void RememberLowest() {
    auto end = low_.end();
    if (end - low_.begin() > kCandidates) {
      end = low_.begin() + kCandidates;
      std::nth_element(low_.begin(), end, low_.end(), [](const auto& c, const auto& d) {
        return c.at.value < d.at.value || (c.at.value == d.at.value && c.triangle < d.triangle);
      });
    }
    for (auto d = low_.begin(); d != end; ++d) Remember(d->at, in_.probe.longest_edge(d->triangle));
  }

  // Next to p on the true surface, if it is among the lowest, from different places: one of them leads to the deepest
  // point. A triangle's minimum may have been missed, so only what is too high for all of it is left out.
  void Remember(const FieldSample& p, double size) {
    FieldSample at = error_ > 0 ? CalcSurfaceSample({surface_.own, surface_.field, in_.X_FP, in_.tolerance}, p.p) : p;
    if (at.value == kInfinity) at = p;
    if (!(at.value - size <= in_.limit)) return;
    least_ = std::min(least_, at.value);
    Start* highest = nullptr;
    const Start start{at, size};
    for (Start& s : starts_) {
      if (s.size > 0 && IsNear(s.at.p, at.p, kApart * SmallerSize(s, start))) {
        if (at.value < s.at.value) s = start;
        return;
      }
      if (highest == nullptr || s.at.value > highest->at.value) highest = &s;
    }
    if (at.value < highest->at.value) *highest = start;
  }

  // Once more, where a triangle may have a point lower than all that was found: the other solid's field has kinks
  // inside, and the triangle's minimum was searched without knowing of them. Where it looks convex, cutting planes find
  // its least value.
  void SearchAgain() {
    std::size_t kept = 0;
    for (const LowTriangle& t : low_) {
      const CornerPieces pieces(CornersOf(t.triangle));
      if (!(t.at.value - pieces.bend() < limit())) continue;
      if (std::min(t.at.value, pieces.bound()) - pieces.concavity() > limit()) continue;
      const double least = std::min(t.at.value, pieces.CalcLeast()) - pieces.concavity();
      if (least < limit()) low_[kept++] = {t.triangle, t.at, least};
    }
    low_.resize(kept);
    const std::size_t count = std::min(kept, kDoubts);
    std::partial_sort(low_.begin(), low_.begin() + static_cast<std::ptrdiff_t>(count), low_.end(),
                      [](const auto& c, const auto& d) {
                        return c.least < d.least || (c.least == d.least && c.triangle < d.triangle);
                      });
    low_.resize(count);
    for (const LowTriangle& t : low_) {
      if (t.least > limit()) break;
      SearchQuarters(CornersOf(t.triangle), in_.probe.longest_edge(t.triangle), 1);
    }
  }

  void SearchQuarters(const Corners& corners, double size, int depth) {
    const double most = limit();
    std::array<FieldSample, 3> middles;
    for (std::size_t i = 0; i < 3; ++i) {
      middles[i] = CalcSample(in_.field, 0.5 * (corners[i]->p + corners[(i + 1) % 3]->p));
    }
    for (std::size_t i = 0; i < 4; ++i) {
      Corners quarter = {&middles[0], &middles[1], &middles[2]};
      if (i < 3) quarter = {corners[i], &middles[i], &middles[(i + 2) % 3]};
      const CornerPieces pieces(quarter);
      const double concavity = pieces.concavity();
      if (pieces.bound() - concavity > most || pieces.CalcLeast() - concavity > most) continue;
      if (depth < kDepth && concavity > kConcave * size) {
        SearchQuarters(quarter, 0.5 * size, depth + 1);
        continue;
      }
      const double tolerance = kRough * in_.tolerance + 0.1 * error_;
      const FieldSample low = FindKinkedMinimum(in_.field, quarter, most, tolerance, kEvaluations);
      if (low.value <= most) Remember(low, 0.5 * size);
    }
  }

  // At kinks and edges other minima may be beside x.
  void LookAround(double size, FieldSample* x) const {
    const Pose& X_FP = in_.X_FP;
    Vector3 normal;
    surface_.own.Evaluate(X_FP.R.transpose() * (x->p - X_FP.p), &normal);
    normal = X_FP.R * normal;
    if (normal.isZero() || x->gradient.cross(normal).norm() <= 1e-3 * normal.norm()) return;
    const Matrix3 frame = RotationFromZ(normal.normalized());
    std::array<FieldSample, 2 * kDirections> around;
    std::size_t count = 0;
    for (const double distance : {0.1 * size, 0.03 * size}) {
      for (int k = 0; k < kDirections; ++k) {
        const double a = 2 * M_PI * k / kDirections;
        FieldSample start = *x;
        start.p += distance * (frame * Vector3(std::cos(a), std::sin(a), 0));
        around[count++] = DescendOnSurface(surface_, start, 0.3 * distance, kClose * distance);
      }
    }
    // Most come back, or end where others do.
    std::partial_sort(around.begin(), around.begin() + kFollowed, around.end(), IsLower);
    for (std::size_t i = 0; i < kFollowed && around[i].value < kInfinity; ++i) {
      const FieldSample found = DescendOnSurface(surface_, around[i], kClose * 0.1 * size, kRough * in_.tolerance);
      if (found.value < x->value) *x = found;
    }
  }

  const DeepestInput& in_;
  std::vector<LowTriangle>& low_;
  DescentInput surface_;
  double error_;              // of the triangles
  double least_ = kInfinity;  // of all starts
  std::array<Start, kStarts> starts_;
};

}  // namespace

FieldSample FindDeepestPoint(const DeepestInput& in, std::vector<LowTriangle>* low) { return Search(in, low).Run(); }

}  // namespace tactus
