#include "tactus/collision/collision_testing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tactus/geometry/convex_hull.h"

namespace tactus {

namespace {

TestShape Prepare(Shape shape) {
  TestShape out{std::move(shape), nullptr};
  out.prepared = CollisionShape::Make(out.shape, "test");
  return out;
}

// Largest d.x in the shape's own frame.
double LocalSupport(const Shape& shape, const Vector3& d) {
  const Vector3& s = shape.size;
  switch (shape.type) {
    case ShapeType::Sphere: return s[0] * d.norm();
    case ShapeType::Capsule: return s[0] * d.norm() + s[1] * std::abs(d[2]);
    case ShapeType::Cylinder: return s[0] * std::hypot(d[0], d[1]) + s[1] * std::abs(d[2]);
    case ShapeType::Box: return s.dot(d.cwiseAbs());
    case ShapeType::Ellipsoid: return s.cwiseProduct(d).norm();
    case ShapeType::HalfSpace:
      return (d - Vector3::UnitZ()).norm() < 1e-9 ? 0 : std::numeric_limits<double>::infinity();
    case ShapeType::Mesh: {
      double best = -std::numeric_limits<double>::infinity();
      for (const Vector3& p : shape.mesh->vertices) best = std::max(best, p.dot(d));
      return best;
    }
    case ShapeType::HeightField:
    case ShapeType::Field: break;
  }
  return std::nan("");
}

// Nelder and Mead's simplex in the plane that touches the sphere at n, started again where it ends: g has ridges, on
// which methods with fixed directions get stuck.
double Improve(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, Vector3 n, double value) {
  struct Corner {
    Vector2 u;
    double value;
  };
  double size = 0.2;
  for (int round = 0; round < 12; ++round) {
    const Matrix3 frame = RotationFromZ(n);
    const auto direction = [&](const Vector2& u) -> Vector3 {
      return (n + u[0] * frame.col(0) + u[1] * frame.col(1)).normalized();
    };
    const auto evaluate = [&](const Vector2& u) -> Corner {
      return {u, ReferenceSeparation(a, X_WA, b, X_WB, direction(u))};
    };
    const double turn = 1.3 * round;
    Corner s[3] = {{Vector2::Zero(), value},
                   evaluate(size * Vector2(std::cos(turn), std::sin(turn))),
                   evaluate(size * Vector2(-std::sin(turn), std::cos(turn)))};
    const auto order = [&] { std::sort(s, s + 3, [](const Corner& p, const Corner& q) { return p.value > q.value; }); };
    for (int i = 0; i < 200; ++i) {
      order();
      if ((s[2].u - s[0].u).norm() + (s[1].u - s[0].u).norm() < 1e-9) break;
      const Vector2 middle = 0.5 * (s[0].u + s[1].u);
      const Corner mirrored = evaluate(2 * middle - s[2].u);
      if (mirrored.value > s[0].value) {
        const Corner farther = evaluate(3 * middle - 2 * s[2].u);
        s[2] = farther.value > mirrored.value ? farther : mirrored;
      } else if (mirrored.value > s[1].value) {
        s[2] = mirrored;
      } else {
        const bool beyond = mirrored.value > s[2].value;
        const Corner nearer =
            evaluate(beyond ? Vector2(1.5 * middle - 0.5 * s[2].u) : Vector2(0.5 * (middle + s[2].u)));
        if (nearer.value > std::max(mirrored.value, s[2].value)) {
          s[2] = nearer;
        } else {
          for (int k = 1; k < 3; ++k) s[k] = evaluate(0.5 * (s[0].u + s[k].u));
        }
      }
    }
    order();
    const double gained = s[0].value - value;
    n = direction(s[0].u);
    value = s[0].value;
    if (round >= 3 && gained < 1e-9) break;
    size = std::max(1e-4, 0.3 * size);
  }
  return value;
}

}  // namespace

TestShape MakeTestShape(ShapeType type, const Vector3& size) {
  Shape shape;
  shape.type = type;
  shape.size = size;
  return Prepare(shape);
}

TestShape MakeTestMesh(const std::vector<Vector3>& points) {
  Shape shape;
  shape.type = ShapeType::Mesh;
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->vertices = points;
  shape.mesh = mesh;
  return Prepare(shape);
}

TestShape MakeTestSurface(const TriangleMesh& mesh) {
  Shape shape;
  shape.type = ShapeType::Mesh;
  shape.concave = true;
  shape.mesh = std::make_shared<TriangleMesh>(mesh);
  return Prepare(shape);
}

TestShape MakeTestHeightField(const HeightField& field) {
  Shape shape;
  shape.type = ShapeType::HeightField;
  shape.height_field = std::make_shared<HeightField>(field);
  return Prepare(shape);
}

TestShape MakeRandomShape(ShapeType type, Random* random) {
  if (type == ShapeType::Mesh) {
    std::vector<Vector3> points;
    const Vector3 stretch(random->Uniform(0.3, 1), random->Uniform(0.3, 1), random->Uniform(0.3, 1));
    for (int i = 0; i < 20; ++i) {
      points.emplace_back(stretch.cwiseProduct(MakeRandomDirection(random)) * random->Uniform(0.5, 1));
    }
    return MakeTestMesh(points);
  }
  Vector3 size;
  for (int i = 0; i < 3; ++i) size[i] = random->Uniform(0.1, 1);
  return MakeTestShape(type, size);
}

Vector3 MakeRandomDirection(Random* random) {
  Vector3 d;
  do {
    d = Vector3(random->Normal(), random->Normal(), random->Normal());
  } while (!(d.norm() > 1e-3));
  return d.normalized();
}

Pose MakeRandomPose(double distance, Random* random) {
  Quaternion q(random->Normal(), random->Normal(), random->Normal(), random->Normal());
  q.normalize();
  return {q.toRotationMatrix(), distance * MakeRandomDirection(random)};
}

TriangleMesh MakePlate(int n, double half) {
  TriangleMesh mesh;
  for (int r = 0; r <= n; ++r) {
    for (int c = 0; c <= n; ++c) mesh.vertices.emplace_back((2.0 * c / n - 1) * half, (2.0 * r / n - 1) * half, 0);
  }
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) {
      const int v = r * (n + 1) + c, above = v + n + 1;
      mesh.triangles.push_back({v, v + 1, above + 1});
      mesh.triangles.push_back({v, above + 1, above});
    }
  }
  return mesh;
}

TriangleMesh MakeBoxMesh(const Vector3& half) {
  std::vector<Vector3> points;
  for (int k = 0; k < 8; ++k) {
    points.emplace_back((k & 1 ? 1 : -1) * half[0], (k & 2 ? 1 : -1) * half[1], (k & 4 ? 1 : -1) * half[2]);
  }
  return MakeConvexHull(points, "box");
}

double ReferenceSupport(const Shape& shape, const Pose& X, const Vector3& d, const Vector3& origin) {
  return LocalSupport(shape, X.R.transpose() * d) + d.dot(X.p - origin);
}

double ReferenceSeparation(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const Vector3& n) {
  return -ReferenceSupport(a, X_WA, -n, X_WB.p) - ReferenceSupport(b, X_WB, n, X_WB.p);
}

double ReferenceGap(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  if (b.type == ShapeType::HalfSpace) return ReferenceSeparation(a, X_WA, b, X_WB, X_WB.R.col(2));
  if (a.type == ShapeType::HalfSpace) return ReferenceSeparation(a, X_WA, b, X_WB, -X_WA.R.col(2));
  constexpr int kDirections = 300;
  std::vector<std::pair<double, Vector3>> tried;
  for (int i = 0; i < kDirections; ++i) {  // Fibonacci's sphere
    const double z = 1 - (2 * i + 1.0) / kDirections, r = std::sqrt(1 - z * z), angle = 2.399963229728653 * i;
    const Vector3 n(r * std::cos(angle), r * std::sin(angle), z);
    tried.emplace_back(ReferenceSeparation(a, X_WA, b, X_WB, n), n);
  }
  std::sort(tried.begin(), tried.end(), [](const auto& p, const auto& q) { return p.first > q.first; });
  double best = tried[0].first;
  std::vector<Vector3> starts;
  for (const auto& [value, n] : tried) {
    const Vector3 here = n;
    if (starts.size() == 4) break;
    const bool near =
        std::any_of(starts.begin(), starts.end(), [&](const Vector3& m) { return m.dot(here) > std::cos(0.35); });
    if (near) continue;
    starts.push_back(n);
    best = std::max(best, Improve(a, X_WA, b, X_WB, n, value));
  }
  return best;
}

double ReferenceOutside(const Shape& shape, const Pose& X, const Vector3& point) {
  const Vector3 p = X.R.transpose() * (point - X.p);
  const Vector3& s = shape.size;
  switch (shape.type) {
    case ShapeType::Sphere: return p.norm() - s[0];
    case ShapeType::Capsule: return (p - Vector3(0, 0, std::clamp(p[2], -s[1], s[1]))).norm() - s[0];
    case ShapeType::Cylinder: return std::max(std::hypot(p[0], p[1]) - s[0], std::abs(p[2]) - s[1]);
    case ShapeType::Box: return (p.cwiseAbs() - s).maxCoeff();
    case ShapeType::Ellipsoid: {
      const double k = p.cwiseQuotient(s).norm();
      return (k - 1) * k / p.cwiseQuotient(s.cwiseProduct(s)).norm();
    }
    case ShapeType::HalfSpace: return p[2];
    case ShapeType::Mesh: {
      const TriangleMesh hull = MakeConvexHull(shape.mesh->vertices, "test");
      double outside = -std::numeric_limits<double>::infinity();
      for (const auto& [i, j, k] : hull.triangles) {
        const Vector3& o = hull.vertices[static_cast<std::size_t>(i)];
        const Vector3 n = (hull.vertices[static_cast<std::size_t>(j)] - o)
                              .cross(hull.vertices[static_cast<std::size_t>(k)] - o)
                              .normalized();
        outside = std::max(outside, n.dot(p - o));
      }
      return outside;
    }
    case ShapeType::HeightField:
    case ShapeType::Field: break;
  }
  return std::nan("");
}

const ContactPoint* Deepest(const ContactManifold& manifold) {
  if (manifold.empty()) return nullptr;
  return &*std::min_element(manifold.points.begin(), manifold.points.end(),
                            [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; });
}

}  // namespace tactus
