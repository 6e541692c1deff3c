#include "tactus/collision/field_testing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "tactus/geometry/closed_mesh.h"
#include "tactus/geometry/mesh_distance.h"

namespace tactus {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kPolished = 3;
constexpr int kDirections = 7;
constexpr int kSteps = 120;

class MeshField final : public SignedDistanceField {
 public:
  MeshField(const TriangleMesh& mesh, double edge) : distance_(mesh) { SetSurface(RefineMesh(mesh, edge), 0); }

  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    const MeshDistance::Nearest nearest = distance_.Find(p);
    if (gradient != nullptr) {
      *gradient = nearest.distance != 0 ? Vector3((p - nearest.point) / nearest.distance) : Vector3(Vector3::UnitZ());
    }
    return nearest.distance;
  }

 private:
  MeshDistance distance_;
};

// One solid's surface in the other's field; everything in the frame of the surface.
class Side {
 public:
  Side(const ReferenceSolid& solid, const SignedDistanceField& other, const Pose& X_OS, Random* random)
      : surface_(solid.probe->surface()),
        probe_(*solid.probe),
        own_(*solid.field),
        other_(other),
        X_OS_(X_OS),
        random_(*random) {}

  struct Sample {
    double value = kInfinity;
    Vector3 p = Vector3::Zero();
  };

  Sample Find(double known, int samples) {
    std::array<Sample, kPolished> best;
    for (int i = 0; i < samples; ++i) {
      const int t = RandomTriangle(known);
      if (t < 0) continue;
      const Sample s = OnSurface(RandomPoint(t));
      // The best, from different places.
      auto worst = std::max_element(best.begin(), best.end(),
                                    [](const Sample& x, const Sample& y) { return x.value < y.value; });
      if (s.value < worst->value) *worst = s;
    }
    Sample out;
    for (Sample& s : best) {
      if (s.value == kInfinity) continue;
      Polish(&s);
      if (s.value < out.value) out = s;
    }
    return out;
  }

 private:
  double Value(const Vector3& p) const { return other_.Evaluate(X_OS_ * p, nullptr); }

  // Down the tree at random, but only to where something may be lower than what is known; -1 if that is nowhere.
  int RandomTriangle(double known) const {
    const auto& nodes = probe_.nodes();
    const auto may = [&](int k) {
      const FieldProbe::Node& node = nodes[static_cast<std::size_t>(k)];
      return Value(node.centre) - node.radius - own_.surface_error() < known;
    };
    int k = 0;
    if (!may(k)) return -1;
    while (nodes[static_cast<std::size_t>(k)].right >= 0) {
      const int left = k + 1, right = nodes[static_cast<std::size_t>(k)].right;
      const bool left_may = may(left), right_may = may(right);
      if (!left_may && !right_may) return -1;
      k = left_may && (!right_may || random_.Uniform() < 0.5) ? left : right;
    }
    const FieldProbe::Node& leaf = nodes[static_cast<std::size_t>(k)];
    return probe_.order()[static_cast<std::size_t>(leaf.first + random_.Index(leaf.count))];
  }

  Vector3 RandomPoint(int t) const {
    const auto& v = surface_.triangle(t).vertex;
    double u = random_.Uniform(), w = random_.Uniform();
    if (u + w > 1) u = 1 - u, w = 1 - w;
    return (1 - u - w) * surface_.vertex(v[0]) + u * surface_.vertex(v[1]) + w * surface_.vertex(v[2]);
  }

  // Brought onto the surface by the solid's own field; infinitely high if it does not get there.
  Sample OnSurface(Vector3 p) const {
    for (int i = 0; i < 12; ++i) {
      Vector3 gradient;
      const double off = own_.Evaluate(p, &gradient);
      if (std::abs(off) <= 1e-11) return {Value(p), p};
      p -= off / std::max(gradient.squaredNorm(), 0.25) * gradient;
    }
    return {};
  }

  // Some directions around, turned anew each time so that valleys are met; shorter steps where none leads down.
  void Polish(Sample* s) const {
    double step = 0.5 * probe_.longest_edge(0);
    for (int i = 0; i < kSteps && step > 1e-9; ++i) {
      Vector3 normal;
      own_.Evaluate(s->p, &normal);
      const Matrix3 frame = RotationFromZ(normal.normalized());
      const double turn = random_.Uniform(0, 2 * M_PI);
      Sample best = *s;
      for (int k = 0; k < kDirections; ++k) {
        const double a = turn + 2 * M_PI * k / kDirections;
        const Sample y = OnSurface(s->p + step * (frame * Vector3(std::cos(a), std::sin(a), 0)));
        if (y.value < best.value) best = y;
      }
      if (best.value < s->value) {
        *s = best;
        step *= 1.5;
      } else {
        step *= 0.6;
      }
    }
  }

  const TriangleSurface& surface_;
  const FieldProbe& probe_;
  const SignedDistanceField &own_, &other_;
  Pose X_OS_;
  Random& random_;
};

Pose Between(const Pose& X_WA, const Pose& X_WB) {
  return {X_WA.R.transpose() * X_WB.R, X_WA.R.transpose() * (X_WB.p - X_WA.p)};
}

}  // namespace

TestShape MakeTestField(FieldPointer field) {
  TestShape out;
  out.shape.type = ShapeType::Field;
  out.shape.field = std::move(field);
  out.prepared = CollisionShape::Make(out.shape, "test");
  return out;
}

ReferenceSolid MakeReferenceSolid(FieldPointer field) {
  auto surface = std::make_shared<const TriangleSurface>(TriangleSurface::FromMesh(field->surface(), "reference"));
  return {field, std::make_shared<const FieldProbe>(std::move(surface), field)};
}

ReferenceSolid MakeReferenceSolid(const TriangleMesh& mesh, double edge) {
  return MakeReferenceSolid(std::make_shared<const MeshField>(MakeClosedMesh(mesh, "reference"), edge));
}

ReferencePoint FindReferencePoint(const ReferenceSolid& a, const Pose& X_WA, const ReferenceSolid& b, const Pose& X_WB,
                                  double known, int samples, Random* random) {
  ReferencePoint out{known, Vector3::Zero(), false};
  const Side::Sample on_a = Side(a, *b.field, Between(X_WB, X_WA), random).Find(out.value, samples);
  if (on_a.value < out.value) out = {on_a.value, X_WA * on_a.p, true};
  const Side::Sample on_b = Side(b, *a.field, Between(X_WA, X_WB), random).Find(out.value, samples);
  if (on_b.value < out.value) out = {on_b.value, X_WB * on_b.p, false};
  return out;
}

}  // namespace tactus
