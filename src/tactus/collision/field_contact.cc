#include "tactus/collision/field_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tactus/collision/surface_descent.h"

namespace tactus {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Sine of the slope towards the field beyond which a vertex is on something's side.
constexpr double kSteep = 0.5;
// Of the size: what minima are known to.
constexpr double kTolerance = 1e-8;
constexpr int kSlideSteps = 40;
constexpr double kSameNormal = 0.9;

class Prober {
 public:
  Prober(const ProbeInput& in, FieldScratch* scratch, ContactManifold* out)
      : in_(in),
        surface_(in.probe.surface()),
        field_(in.field),
        scratch_(*scratch),
        out_(*out),
        X_FP_(in.X_WF.R.transpose() * in.X_WP.R, in.X_WF.R.transpose() * (in.X_WP.p - in.X_WF.p)),
        limit_(in.margin + in.probe.error()),
        tolerance_(kTolerance * in.probe.radius()) {}

  void Run() {
    const std::size_t count = surface_.vertices().size();
    if (scratch_.samples.size() < count) {
      scratch_.samples.resize(count);
      scratch_.stamps.resize(count, 0);
    }
    ++scratch_.stamp;
    scratch_.vertices.clear();
    scratch_.low.clear();
    Descend();
    for (const int v : scratch_.vertices) AddVertex(v);
    if (!in_.corners_only && in_.probe.field() != nullptr) AddDeepest();
  }

 private:
  FieldSample& sample(int v) const { return scratch_.samples[static_cast<std::size_t>(v)]; }
  bool sampled(int v) const { return scratch_.stamps[static_cast<std::size_t>(v)] == scratch_.stamp; }

  // Down the tree, past all balls that the field's value at their centre keeps away.
  void Descend() {
    const auto& nodes = in_.probe.nodes();
    auto& stack = scratch_.stack;
    stack.assign(1, {0, kInfinity});
    while (!stack.empty()) {
      auto [k, most] = stack.back();
      stack.pop_back();
      const FieldProbe::Node& node = nodes[static_cast<std::size_t>(k)];
      if (most > node.radius + limit_) {
        most = field_.Evaluate(X_FP_ * node.centre, nullptr);
        if (!(most <= node.radius + limit_)) continue;
      }
      if (node.right < 0) {
        for (int i = node.first; i < node.first + node.count; ++i) {
          Search(in_.probe.order()[static_cast<std::size_t>(i)]);
        }
        continue;
      }
      for (const int child : {node.right, k + 1}) {
        stack.push_back({child, most + (nodes[static_cast<std::size_t>(child)].centre - node.centre).norm()});
      }
    }
  }

  const FieldSample* Corner(int v) {
    if (!sampled(v)) {
      scratch_.stamps[static_cast<std::size_t>(v)] = scratch_.stamp;
      sample(v) = CalcSample(field_, X_FP_ * surface_.vertex(v));
      scratch_.vertices.push_back(v);
    }
    return &sample(v);
  }

  void Search(int t) {
    const TriangleSurface::Triangle& triangle = surface_.triangle(t);
    const std::array<const FieldSample*, 3> corners = {Corner(triangle.vertex[0]), Corner(triangle.vertex[1]),
                                                       Corner(triangle.vertex[2])};
    if (in_.corners_only) return;
    const double lowest = std::min({corners[0]->value, corners[1]->value, corners[2]->value});
    if (lowest - in_.probe.longest_edge(t) > limit_) return;
    // On curved surfaces the triangles are not better known than that.
    const double tolerance = std::max(tolerance_, in_.probe.error());
    TriangleMinimum minimum = FindTriangleMinimum(field_, corners, limit_, tolerance);
    if (in_.probe.field() != nullptr) scratch_.low.push_back({t, minimum.at, 0});
    if (minimum.corner >= 0 || minimum.at.value > limit_ || minimum.at.value >= lowest - tolerance) return;
    if (in_.probe.error() > 0) {
      minimum.at = OntoSurface(minimum.at.p);
      if (minimum.at.value >= lowest) return;
    }
    Add(minimum.at, triangle.normal, FeatureId(FeatureKind::Face, t));
  }

  void AddVertex(int v) {
    const FieldSample& at = sample(v);
    if (!(at.value <= limit_)) return;
    bool lowest = true, steep = false;
    const Vector3 downhill = -(X_FP_.R.transpose() * at.gradient);
    const auto neighbours = surface_.vertex_neighbours()[v];
    for (const int w : neighbours) {
      const Vector3 d = surface_.vertex(w) - surface_.vertex(v);
      const double drop = downhill.dot(d);
      steep = steep || (drop > 0 && drop * drop > kSteep * kSteep * d.squaredNorm());
      lowest = lowest && !(sampled(w) && sample(w).value < at.value);
    }
    const std::uint32_t feature = FeatureId(FeatureKind::Vertex, v);
    if (lowest && !in_.corners_only && in_.probe.error() > 0) {
      Add(Slide(at, (surface_.vertex(neighbours[0]) - surface_.vertex(v)).norm()), Vector3::Zero(), feature);
    } else if (lowest || !steep) {
      Add(at, Vector3::Zero(), feature);
    }
  }

  // Downhill on the curved surface. The step is added to x and the result brought back; where the field is flat, longer
  // and longer steps lead to the point of the surface that looks along its normal. Only what may be the lowest point of
  // all is followed to the end; the others stop where a step gains little of what triangles do not know anyway.
  FieldSample Slide(FieldSample x, double step) {
    const double longest = 1e3 * in_.probe.radius();
    for (int i = 0; i < kSlideSteps; ++i) {
      const FieldSample y = OntoSurface(x.p - step * x.gradient);
      const Vector3 moved = y.p - x.p;
      const double along = moved.dot(y.gradient - x.gradient), length2 = moved.squaredNorm();
      if (y.value <= x.value && length2 <= tolerance_ * tolerance_) break;
      const double suggested = along > 0 ? std::max(length2 / along, step) : 4 * step;
      if (y.value < x.value) {
        const double gain = x.value - y.value, error = in_.probe.error();
        x = y;
        step = std::min(suggested, longest);
        if (gain <= 1e-2 * tolerance_ || (gain <= 1e-2 * error && x.value > lowest_ + 0.1 * error)) break;
      } else {
        step *= 0.25;
        if (step <= tolerance_) break;
      }
    }
    lowest_ = std::min(lowest_, x.value);
    return x;
  }

  // The other points are as exact as the triangles and one search in each; this one is the pair's gap.
  void AddDeepest() {
    FieldSample lowest =
        FindDeepestPoint({in_.probe, field_, X_FP_, scratch_.samples, limit_, tolerance_}, &scratch_.low);
    // Where it is smooth, what was found before is as low and better known in its place.
    if (!(lowest.value < added_ - tolerance_)) return;
    lowest = Slide(lowest, 1e-3 * in_.probe.radius());
    Add(lowest, Vector3::Zero(), FeatureId(FeatureKind::Whole, 1));
  }

  FieldSample OntoSurface(const Vector3& p) const {
    return CalcSurfaceSample({*in_.probe.field(), field_, X_FP_, tolerance_}, p);
  }

  void Add(const FieldSample& at, const Vector3& triangle_normal, std::uint32_t feature) {
    if (!(at.value <= in_.margin)) return;
    added_ = std::min(added_, at.value);
    const Vector3 otherwise =
        triangle_normal.isZero() ? Vector3(Vector3::UnitZ()) : Vector3(-(X_FP_.R * triangle_normal));
    const Vector3 n = UnitGradient(at, otherwise);
    const Matrix3& R = in_.X_WF.R;
    const std::uint32_t whole = FeatureId(FeatureKind::Whole, 0);
    ContactPoint contact;
    contact.point = in_.X_WF.p + R * (at.p - 0.5 * at.value * n);
    contact.normal = in_.probe_is_a ? Vector3(R * n) : Vector3(-(R * n));
    contact.gap = at.value;
    contact.feature = in_.probe_is_a ? PairFeature(feature, whole) : PairFeature(whole, feature);
    AddFieldContact(contact, &scratch_.grid, &out_);
  }

  const ProbeInput& in_;
  const TriangleSurface& surface_;
  const SignedDistanceField& field_;
  FieldScratch& scratch_;
  ContactManifold& out_;
  Pose X_FP_;
  // What is higher by more than its distance cannot lead to a point within the margin.
  double limit_, tolerance_;
  double lowest_ = kInfinity;  // that was slid to
  double added_ = kInfinity;   // the lowest contact
};

}  // namespace

void PointGrid::Reset(double tolerance, const Vector3& origin) {
  constexpr std::size_t kSlots = 4096;
  if (heads_.empty()) heads_.resize(kSlots);
  tolerance_ = std::max(tolerance, 1e-300);
  cell_ = 6 * tolerance_;
  origin_ = origin;
  ++stamp_;
  next_.clear();
}

Eigen::Array3i PointGrid::Cell(const Vector3& p) const {
  // Beyond these cells everything is in the last one; slower, not wrong.
  return ((p - origin_).array() / cell_).floor().max(-1e9).min(1e9).cast<int>();
}

std::size_t PointGrid::Slot(const Eigen::Array3i& cell) const {
  const auto x = static_cast<std::uint32_t>(cell[0]), y = static_cast<std::uint32_t>(cell[1]),
             z = static_cast<std::uint32_t>(cell[2]);
  std::uint32_t hash = x * 73856093u ^ y * 19349663u ^ z * 83492791u;
  hash ^= hash >> 15;
  return hash & (heads_.size() - 1);
}

int PointGrid::Find(const Vector3& p, const Vector3& normal, const std::vector<ContactPoint>& points) const {
  const Eigen::Array3i low = Cell(p.array() - tolerance_), high = Cell(p.array() + tolerance_);
  int found = -1;
  for (int x = low[0]; x <= high[0]; ++x) {
    for (int y = low[1]; y <= high[1]; ++y) {
      for (int z = low[2]; z <= high[2]; ++z) {
        const Head& head = heads_[Slot({x, y, z})];
        for (int i = head.stamp == stamp_ ? head.index : -1; i >= 0; i = next_[static_cast<std::size_t>(i)]) {
          const ContactPoint& other = points[static_cast<std::size_t>(i)];
          if ((other.point - p).squaredNorm() > tolerance_ * tolerance_) continue;
          if (other.normal.dot(normal) >= kSameNormal && (found < 0 || i < found)) found = i;
        }
      }
    }
  }
  return found;
}

void PointGrid::Insert(const Vector3& p) {
  Head& head = heads_[Slot(Cell(p))];
  next_.push_back(head.stamp == stamp_ ? head.index : -1);
  head = {stamp_, static_cast<int>(next_.size()) - 1};
}

Vector3 UnitGradient(const FieldSample& sample, const Vector3& otherwise) {
  const double length = sample.gradient.norm();
  return length > 1e-6 ? Vector3(sample.gradient / length) : otherwise;
}

void AddFieldContact(const ContactPoint& contact, PointGrid* grid, ContactManifold* out) {
  const int same = grid->Find(contact.point, contact.normal, out->points);
  if (same < 0) {
    grid->Insert(contact.point);
    out->points.push_back(contact);
    return;
  }
  ContactPoint& other = out->points[static_cast<std::size_t>(same)];
  if (contact.gap < other.gap) other = contact;
}

void ProbeField(const ProbeInput& in, FieldScratch* scratch, ContactManifold* out) { Prober(in, scratch, out).Run(); }

}  // namespace tactus
