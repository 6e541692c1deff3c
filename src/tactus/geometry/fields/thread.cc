// Bolts and nuts.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tactus/core/error.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/geometry/fields/thread_mesh.h"
#include "tactus/geometry/fields/thread_profile.h"

namespace tactus {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kSqrt3 = std::numbers::sqrt3;

// From the end of a crest to the end of the next; pieces longer than `edge` are cut. The surface moved outwards has an
// arc around the crest's corner, from radial to the flank's normal at 60 degrees, in `arcs` pieces.
ThreadSection MakeSection(const ThreadProfile& profile, double offset, int arcs, double edge) {
  const double P = profile.pitch();
  std::vector<Vector2> line;
  for (int i = 0; i <= (offset > 0 ? arcs : 0); ++i) {
    const double a = kTurn / 6 * i / arcs;
    line.push_back(Vector2(profile.major_radius(), P / 16) + offset * Vector2(std::cos(a), std::sin(a)));
  }
  line.emplace_back(profile.minor_radius() + offset, 0.375 * P + offset / kSqrt3);
  for (std::size_t i = line.size(); i-- > 0;) line.emplace_back(line[i].x(), P - line[i].y());
  line.emplace_back(line[0].x(), P + line[0].y());
  ThreadSection section{P, {}};
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const int count = std::max(1, static_cast<int>(std::ceil((line[i + 1] - line[i]).norm() / edge - 1e-9)));
    for (int k = 0; k < count; ++k) {
      section.corners.push_back(line[i] + (line[i + 1] - line[i]) * (static_cast<double>(k) / count));
    }
  }
  return section;
}

// A multiple of six: the corners of a hexagon are among them.
int Segments(double radius, double edge) {
  return 6 * std::max(3, static_cast<int>(std::ceil(kTurn * radius / edge / 6 - 1e-9)));
}

double ChordError(double radius, int segments) { return radius * (1 - std::cos(0.5 * kTurn / segments)); }

// `next` is outwards or below of `ring`.
void SewRings(const std::vector<int>& ring, const std::vector<int>& next, TriangleMesh* mesh) {
  for (std::size_t j = 0; j < ring.size(); ++j) {
    const std::size_t k = (j + 1) % ring.size();
    mesh->triangles.push_back({ring[j], next[j], next[k]});
    mesh->triangles.push_back({ring[j], next[k], ring[k]});
  }
}

class BoltField final : public SignedDistanceField {
 public:
  BoltField(const MetricThread& thread, double length, double edge) : profile_(thread), half_(0.5 * length) {
    const int segments = Segments(profile_.major_radius(), edge);
    ThreadMesh thread_mesh = MakeThreadMesh(MakeSection(profile_, 0, 1, edge), half_, segments);
    TriangleMesh& mesh = thread_mesh.mesh;
    const int rings = static_cast<int>(std::ceil(profile_.major_radius() / edge));
    AddEnd(thread_mesh.upper, rings, &mesh);
    AddEnd({thread_mesh.lower.rbegin(), thread_mesh.lower.rend()}, rings, &mesh);
    SetSurface(std::move(mesh), ChordError(profile_.major_radius(), segments));
  }

  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    const double value = profile_.Evaluate(p, 0, gradient);
    const double over_end = std::abs(p[2]) - half_;
    if (over_end <= value) return value;
    if (gradient != nullptr) *gradient = Vector3(0, 0, p[2] < 0 ? -1 : 1);
    return over_end;
  }

 private:
  // A disc within `outline`, which goes counterclockwise seen from outside.
  static void AddEnd(const std::vector<int>& outline, int rings, TriangleMesh* mesh) {
    const int centre = static_cast<int>(mesh->vertices.size());
    mesh->vertices.emplace_back(0, 0, mesh->vertices[static_cast<std::size_t>(outline[0])].z());
    std::vector<int> ring;
    for (int i = 1; i <= rings; ++i) {
      std::vector<int> next = outline;
      for (int& v : next) {
        if (i == rings) break;
        const double s = static_cast<double>(i) / rings;
        const Vector3 p = mesh->vertices[static_cast<std::size_t>(v)];
        v = static_cast<int>(mesh->vertices.size());
        mesh->vertices.emplace_back(s * p.x(), s * p.y(), p.z());
      }
      if (i > 1) SewRings(ring, next, mesh);
      for (std::size_t j = 0; i == 1 && j < next.size(); ++j) {
        mesh->triangles.push_back({centre, next[j], next[(j + 1) % next.size()]});
      }
      ring = std::move(next);
    }
  }

  ThreadProfile profile_;
  double half_;
};

class NutField final : public SignedDistanceField {
 public:
  NutField(const MetricThread& thread, const NutSize& size, double edge)
      : profile_(thread),
        half_(0.5 * size.height),
        flat_(0.5 * size.across_flats),
        hexagon_(size.hexagon),
        clearance_(size.clearance) {
    const int segments = Segments(profile_.major_radius(), edge);
    // Arcs as fine as the chords around the axis.
    const double chord_error = ChordError(profile_.major_radius() + clearance_, segments);
    int arcs = 1;
    const auto arc_error = [&] { return clearance_ * (1 - std::cos(kTurn / 12 / arcs)); };
    while (arcs < 8 && arc_error() > chord_error) ++arcs;
    ThreadMesh thread_mesh = MakeThreadMesh(MakeSection(profile_, clearance_, arcs, edge), half_, segments);
    TriangleMesh& mesh = thread_mesh.mesh;
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);  // it looks at the axis
    for (const auto* ends : {&thread_mesh.lower, &thread_mesh.upper}) {
      for (const int v : *ends) MoveToThread(&mesh.vertices[static_cast<std::size_t>(v)]);
    }
    AddBody(thread_mesh.lower, thread_mesh.upper, edge, &mesh);
    const double outer_error = hexagon_ ? 0 : ChordError(flat_, segments);
    SetSurface(std::move(mesh), std::max(chord_error + arc_error(), outer_error));
  }

  double Evaluate(const Vector3& p, Vector3* gradient) const override {
    Vector3 thread_gradient;
    const double thread = -profile_.Evaluate(p, clearance_, gradient != nullptr ? &thread_gradient : nullptr);
    Vector2 side;
    const double over_side = CalcSide(Vector2(p[0], p[1]), &side), over_end = std::abs(p[2]) - half_;
    const Vector3 out(side[0], side[1], 0), end(0, 0, p[2] < 0 ? -1 : 1);
    double body = std::max(over_side, over_end);
    Vector3 body_gradient = over_side > over_end ? out : end;
    if (over_side > 0 && over_end > 0) {
      body = std::hypot(over_side, over_end);
      body_gradient = (over_side * out + over_end * end) / body;
    }
    if (gradient != nullptr) *gradient = thread >= body ? Vector3(-thread_gradient) : body_gradient;
    return std::max(thread, body);
  }

 private:
  // Distance from the hexagon or circle in the plane; exact.
  double CalcSide(const Vector2& p, Vector2* gradient) const {
    const double rho = p.norm();
    if (!hexagon_) {
      *gradient = rho > 0 ? Vector2(p / rho) : Vector2(1, 0);
      return rho - flat_;
    }
    constexpr double kCos = 0.5 * kSqrt3, kSin = 0.5;
    const double dots[3] = {p[1], kCos * p[0] + kSin * p[1], kCos * p[0] - kSin * p[1]};
    const Vector2 normals[3] = {Vector2(0, 1), Vector2(kCos, kSin), Vector2(kCos, -kSin)};
    std::size_t axis = 0;
    for (std::size_t i = 1; i < 3; ++i) axis = std::abs(dots[i]) > std::abs(dots[axis]) ? i : axis;
    const Vector2 n = dots[axis] < 0 ? Vector2(-normals[axis]) : normals[axis], t(-n[1], n[0]);
    const double over = std::abs(dots[axis]) - flat_, aside = t.dot(p), past = std::abs(aside) - flat_ / kSqrt3;
    *gradient = n;
    if (over <= 0 || past <= 0) return over;
    const double distance = std::hypot(over, past);
    *gradient = (over * n + (aside < 0 ? -past : past) * t) / distance;
    return distance;
  }

  // Ends of columns may be on a chord of the rounding: outwards from there, by Newton's method.
  void MoveToThread(Vector3* p) const {
    for (int i = 0; i < 5; ++i) {
      Vector3 gradient;
      const double value = profile_.Evaluate(*p, clearance_, &gradient);
      const Vector3 radial = Vector3((*p)[0], (*p)[1], 0).normalized();
      *p -= value / gradient.dot(radial) * radial;
    }
  }

  double SideRadius(double angle) const {
    if (!hexagon_) return flat_;
    const double third = kTurn / 6, from_flat = angle - kTurn / 12;  // flats look along 30 degrees, 90 degrees, ...
    return flat_ / std::cos(from_flat - third * std::round(from_flat / third));
  }

  // Rings at the angles of the thread's columns: across the upper end, down the side, across the lower end.
  void AddBody(const std::vector<int>& lower, const std::vector<int>& upper, double edge, TriangleMesh* mesh) const {
    const std::size_t segments = lower.size();
    const int cells_across = std::max(1, static_cast<int>(std::ceil((flat_ - profile_.major_radius()) / edge)));
    const int cells_down = std::max(1, static_cast<int>(std::ceil(2 * half_ / edge)));
    std::vector<int> ring = upper;
    const auto add_ring = [&](const auto& place) {
      std::vector<int> next;
      for (std::size_t j = 0; j < segments; ++j) {
        next.push_back(static_cast<int>(mesh->vertices.size()));
        mesh->vertices.push_back(place(j));
      }
      SewRings(ring, next, mesh);
      ring = next;
    };
    const auto side = [&](std::size_t j, double z) {
      const double angle = kTurn * static_cast<double>(j) / static_cast<double>(segments), r = SideRadius(angle);
      return Vector3(r * std::cos(angle), r * std::sin(angle), z);
    };
    for (int i = 1; i <= cells_across; ++i) {
      const double s = static_cast<double>(i) / cells_across;
      add_ring([&](std::size_t j) -> Vector3 {
        const Vector3 inner = mesh->vertices[static_cast<std::size_t>(upper[j])];
        return (1 - s) * inner + s * side(j, half_);
      });
    }
    for (int i = 1; i <= cells_down; ++i) {
      add_ring([&](std::size_t j) -> Vector3 { return side(j, half_ - 2 * half_ * i / cells_down); });
    }
    for (int i = 1; i < cells_across; ++i) {
      const double s = static_cast<double>(i) / cells_across;
      add_ring([&](std::size_t j) -> Vector3 {
        const Vector3 inner = mesh->vertices[static_cast<std::size_t>(lower[j])];
        return (1 - s) * side(j, -half_) + s * inner;
      });
    }
    SewRings(ring, lower, mesh);
  }

  ThreadProfile profile_;
  double half_, flat_;
  bool hexagon_;
  double clearance_;
};

}  // namespace

FieldPointer MakeBoltField(const MetricThread& thread, double length, double edge) {
  Require(length > 0 && std::isfinite(length) && edge > 0, "bolt field", "length or edge is not positive", "both > 0");
  return std::make_shared<BoltField>(thread, length, edge);
}

FieldPointer MakeNutField(const MetricThread& thread, const NutSize& size, double edge) {
  Require(size.height > 0 && std::isfinite(size.height) && edge > 0, "nut field", "height or edge is not positive",
          "both > 0");
  Require(size.clearance >= 0 && size.clearance <= 0.2 * thread.pitch, "nut field", "the clearance is out of range",
          "from 0 to a fifth of the pitch");
  Require(0.5 * size.across_flats > 0.5 * thread.diameter + size.clearance && std::isfinite(size.across_flats),
          "nut field", "the nut is not wider than its hole", "a greater width across flats");
  return std::make_shared<NutField>(thread, size, edge);
}

}  // namespace tactus
