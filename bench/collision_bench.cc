// Collision detection: time of one pair, by kind, and of the broad phase.
//
// Rows "pair": 256 random poses of two shapes of size about 1, all boxes overlapping, about half of them touching; time
// is that of one pair, `contacts` the mean number of points. Rows "rest": shapes resting on a table, as in a
// simulation. Rows "broad": objects at the density of a pile, each moved a little in every step; time is that of a
// step, boxes set and pairs found.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "tactus/collision/broad_phase.h"
#include "tactus/collision/collide.h"
#include "tactus/collision/contact_clustering.h"
#include "tactus/core/random.h"
#include "tactus/geometry/fields/fields.h"

namespace tactus {
namespace {

using ShapePointer = std::shared_ptr<const CollisionShape>;

Pose RandomPose(double distance, Random* random) {
  Quaternion q(random->Normal(), random->Normal(), random->Normal(), random->Normal());
  q.normalize();
  const Vector3 p(random->Normal(), random->Normal(), random->Normal());
  return {q.toRotationMatrix(), distance * p.normalized()};
}

ShapePointer MakeShape(ShapeType type, Random* random) {
  Shape shape;
  shape.type = type;
  for (int i = 0; i < 3; ++i) shape.size[i] = random->Uniform(0.3, 0.6);
  if (type == ShapeType::Mesh) {
    auto mesh = std::make_shared<TriangleMesh>();
    for (int i = 0; i < 60; ++i) mesh->vertices.push_back(RandomPose(0.6, random).p);
    shape.mesh = mesh;
  }
  if (type == ShapeType::HeightField) {
    auto field = std::make_shared<HeightField>(HeightField{65, 65, 4, 4, {}});
    for (int i = 0; i < 65 * 65; ++i)
      field->heights.push_back(0.05 * std::sin(0.7 * (i % 65)) * std::cos(0.5 * (i / 65)));
    shape.height_field = field;
  }
  return CollisionShape::Make(shape, "bench");
}

void BM_Pair(benchmark::State& state, ShapeType type_a, ShapeType type_b) {
  constexpr int kPoses = 256;
  Random random(1);
  std::vector<ShapePointer> a, b;
  std::vector<Pose> X_WA, X_WB;
  while (a.size() < kPoses) {
    ShapePointer shape_a = MakeShape(type_a, &random);
    ShapePointer shape_b = a.size() % 16 == 0 || b.empty() ? MakeShape(type_b, &random) : b.back();
    const bool ground = type_b == ShapeType::HeightField || type_b == ShapeType::HalfSpace;
    const Pose X_B = ground ? Pose() : RandomPose(0, &random);
    Pose X_A = RandomPose(random.Uniform(0.7, 1.1), &random);
    if (ground) X_A.p = Vector3(random.Uniform(-2, 2), random.Uniform(-2, 2), random.Uniform(0.2, 0.6));
    if (!shape_a->CalcBox(X_A).Overlaps(shape_b->CalcBox(X_B))) continue;
    a.push_back(shape_a);
    b.push_back(shape_b);
    X_WA.push_back(X_A);
    X_WB.push_back(X_B);
  }
  CollisionScratch scratch;
  ContactManifold manifold;
  std::size_t contacts = 0, touching = 0, pairs = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kPoses; ++i) {
      CollideShapes(*a[i], X_WA[i], *b[i], X_WB[i], 1e-3, &scratch, &manifold);
      contacts += manifold.points.size();
      touching += manifold.empty() ? 0 : 1;
    }
    pairs += kPoses;
  }
  state.counters["per_pair"] =
      benchmark::Counter(static_cast<double>(pairs), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["touching"] = static_cast<double>(touching) / static_cast<double>(pairs);
  state.counters["contacts"] = static_cast<double>(contacts) / std::max(1.0, static_cast<double>(touching));
}

void BM_Rest(benchmark::State& state, ShapeType type, ShapeType table_type) {
  Random random(2);
  Shape shape;
  shape.type = type;
  shape.size = Vector3(0.5, 0.4, 0.3);
  double height = type == ShapeType::Box || type == ShapeType::Mesh ? 0.3 : (type == ShapeType::Cylinder ? 0.4 : 0.5);
  if (type == ShapeType::Mesh) {
    auto mesh = std::make_shared<TriangleMesh>();
    for (int k = 0; k < 8; ++k) {
      mesh->vertices.emplace_back((k & 1) != 0 ? 0.5 : -0.5, (k & 2) != 0 ? 0.4 : -0.4, (k & 4) != 0 ? 0.3 : -0.3);
    }
    shape.mesh = mesh;
  }
  Shape table;
  table.type = table_type;
  table.size = Vector3(3, 3, 0.5);
  const ShapePointer a = CollisionShape::Make(shape, "bench"), b = CollisionShape::Make(table, "bench");
  const Pose X_WB(Vector3(0, 0, table_type == ShapeType::Box ? -0.5 : 0));
  std::vector<Pose> poses;
  for (int i = 0; i < 256; ++i) {
    const Matrix3 R =
        ExpRotation(Vector3(1e-6 * random.Normal(), 1e-6 * random.Normal(), random.Normal())).toRotationMatrix();
    poses.emplace_back(R, Vector3(random.Normal(), random.Normal(), height + 1e-5 * random.Normal()));
  }
  CollisionScratch scratch;
  ContactManifold manifold;
  std::size_t contacts = 0, pairs = 0;
  for (auto _ : state) {
    for (const Pose& X : poses) {
      CollideShapes(*a, X, *b, X_WB, 1e-3, &scratch, &manifold);
      contacts += manifold.points.size();
    }
    pairs += poses.size();
  }
  state.counters["per_pair"] =
      benchmark::Counter(static_cast<double>(pairs), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["contacts"] = static_cast<double>(contacts) / static_cast<double>(pairs);
}

// Rows "field": 32 poses as in a stack, an assembly or a drawer, each a little off.
struct FieldScene {
  std::string name;
  Shape a, b;
  Pose X_BA;
  double shift, turn, margin;  // how far off [m, rad]
};

Shape FieldShape(FieldPointer field) {
  Shape shape;
  shape.type = ShapeType::Field;
  shape.field = std::move(field);
  return shape;
}

std::vector<FieldScene> FieldScenes() {
  const DishProfile bowl{{0.035, 0}, {0.075, 0.050}, 2e-3};
  const Shape dish = FieldShape(MakeDishField(bowl, 5e-3));
  const Shape bolt = FieldShape(MakeBoltField({}, 0.08, 3e-3)),
              nut = FieldShape(MakeNutField({}, {.clearance = 2e-4}, 3e-3));
  Shape box, ball;
  box.type = ShapeType::Box;
  box.size = Vector3(0.02, 0.015, 0.01);
  ball.type = ShapeType::Sphere;
  ball.size = Vector3(5e-3, 0, 0);
  return {
      {"dish/dish", dish, dish, Pose(Vector3(0, 0, CalcStackHeight(bowl, bowl))), 2e-5, 1e-4, 2e-4},
      {"nut/bolt", nut, bolt, Pose(Vector3(0, 0, -2.2e-4)), 1e-5, 1e-4, 1e-4},
      {"box/dish", box, dish, Pose(Vector3(0, 0, 0.012)), 1e-5, 1e-3, 2e-4},
      {"sphere/dish", ball, dish, Pose(Vector3(0.01, 0.01, 0.007)), 1e-5, 1, 2e-4},
  };
}

// Clustered if there is a coefficient of friction.
void BM_Field(benchmark::State& state, const FieldScene& scene, std::optional<double> friction) {
  Random random(4);
  const ShapePointer a = CollisionShape::Make(scene.a, "bench"), b = CollisionShape::Make(scene.b, "bench");
  std::vector<Pose> poses;
  for (int i = 0; i < 32; ++i) {
    const Vector3 turn(random.Normal(), random.Normal(), random.Normal());
    const Vector3 shift(random.Normal(), random.Normal(), random.Normal());
    poses.push_back(scene.X_BA * Pose(ExpRotation(scene.turn * turn).toRotationMatrix(), scene.shift * shift));
  }
  CollisionScratch scratch;
  ClusterScratch cluster_scratch;
  ContactManifold manifold;
  std::size_t contacts = 0, pairs = 0;
  for (auto _ : state) {
    for (const Pose& X : poses) {
      CollideShapes(*a, X, *b, Pose(), scene.margin, &scratch, &manifold);
      if (friction) ClusterContacts({.friction = *friction}, &cluster_scratch, &manifold);
      contacts += manifold.points.size();
    }
    pairs += poses.size();
  }
  state.counters["per_pair"] =
      benchmark::Counter(static_cast<double>(pairs), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["contacts"] = static_cast<double>(contacts) / static_cast<double>(pairs);
}

void BM_Broad(benchmark::State& state) {
  const int count = static_cast<int>(state.range(0));
  const double move = 1e-3 * static_cast<double>(state.range(1));
  Random random(3);
  BroadPhase broad_phase;
  const double side = std::cbrt(static_cast<double>(count)) * 0.5;
  std::vector<Aabb> boxes;
  const auto shift = [&](double size) {
    return Vector3(random.Uniform(-size, size), random.Uniform(-size, size), random.Uniform(-size, size));
  };
  for (int i = 0; i < count; ++i) {
    const Vector3 p = shift(side);
    boxes.push_back({p - Vector3::Constant(0.45), p + Vector3::Constant(0.45)});
    broad_phase.Add({.body = i}, boxes.back());
  }
  std::size_t pairs = 0;
  for (auto _ : state) {
    for (int i = 0; i < count; ++i) {
      Aabb& box = boxes[static_cast<std::size_t>(i)];
      const Vector3 d = shift(move);
      box.low += d;
      box.high += d;
      broad_phase.SetBox(i, box);
    }
    pairs = broad_phase.FindPairs().size();
    benchmark::DoNotOptimize(pairs);
  }
  state.counters["pairs"] = static_cast<double>(pairs);
}

void RegisterAll() {
  const ShapeType types[] = {ShapeType::Sphere,    ShapeType::Capsule, ShapeType::Box,       ShapeType::Cylinder,
                             ShapeType::Ellipsoid, ShapeType::Mesh,    ShapeType::HalfSpace, ShapeType::HeightField};
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = i; j < std::size(types); ++j) {
      const std::string name = std::string("pair/") + ToString(types[i]) + "/" + ToString(types[j]);
      benchmark::RegisterBenchmark(name.c_str(), BM_Pair, types[i], types[j]);
    }
  }
  for (const ShapeType type : {ShapeType::Box, ShapeType::Mesh, ShapeType::Cylinder, ShapeType::Sphere}) {
    for (const ShapeType table : {ShapeType::Box, ShapeType::HalfSpace}) {
      benchmark::RegisterBenchmark((std::string("rest/") + ToString(type) + "/" + ToString(table)).c_str(), BM_Rest,
                                   type, table);
    }
  }
  for (const FieldScene& scene : FieldScenes()) {
    const auto add = [&](const std::string& suffix, std::optional<double> friction) {
      benchmark::RegisterBenchmark(("field/" + scene.name + suffix).c_str(), BM_Field, scene, friction)
          ->Unit(benchmark::kMillisecond);
    };
    add("", std::nullopt);
    add("/clustered", 1);
    add("/clustered_0.3", 0.3);
    add("/clustered_0.1", 0.1);
  }
  for (const int count : {1000, 5000}) {
    for (const int millimetres : {1, 50}) {
      benchmark::RegisterBenchmark("broad", BM_Broad)
          ->ArgNames({"objects", "mm_per_step"})
          ->Args({count, millimetres})
          ->Unit(benchmark::kMillisecond);
    }
  }
}

const bool kRegistered = (RegisterAll(), true);

}  // namespace
}  // namespace tactus
