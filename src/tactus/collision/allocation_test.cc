// Once warm, neither phase takes memory. Counted at operator new, which all of this folder's containers use.
#include <cstdlib>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/collision/broad_phase.h"
#include "tactus/collision/collision_testing.h"
#include "tactus/collision/contact_clustering.h"
#include "tactus/collision/contact_clustering_testing.h"
#include "tactus/geometry/fields/fields.h"

namespace {

thread_local bool g_counting = false;
thread_local int g_allocations = 0;

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

void* operator new(std::size_t size) {
  g_allocations += g_counting ? 1 : 0;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

#endif

namespace tactus {
namespace {

TEST(Allocation, NoneOnceWarm) {
  Random random(7);
  std::vector<TestShape> shapes;
  for (const ShapeType type : {ShapeType::Sphere, ShapeType::Capsule, ShapeType::Box, ShapeType::Cylinder,
                               ShapeType::Ellipsoid, ShapeType::Mesh, ShapeType::HalfSpace}) {
    for (int i = 0; i < 3; ++i) shapes.push_back(MakeRandomShape(type, &random));
  }
  shapes.push_back(MakeTestSurface(MakePlate(10, 1)));
  for (const FieldPointer& field : {MakeDishField({{0.5, 0}, {1, 0.5}, 0.05}, 0.1), MakeBoltField({1, 0.1}, 1, 0.1)}) {
    Shape shape;
    shape.type = ShapeType::Field;
    shape.field = field;
    shapes.push_back({shape, CollisionShape::Make(shape, "test")});
  }
  std::vector<Pose> poses;
  for (int i = 0; i < 20; ++i) poses.push_back(MakeRandomPose(random.Uniform(0, 1), &random));
  CollisionScratch scratch;
  ContactManifold manifold;
  BroadPhase broad_phase;
  for (int i = 0; i < static_cast<int>(shapes.size()); ++i) broad_phase.Add({.body = i}, Aabb());

  std::size_t contacts = 0;
  const auto step = [&] {
    for (std::size_t k = 0; k < poses.size(); ++k) {
      for (std::size_t i = 0; i < shapes.size(); ++i) {
        broad_phase.SetBox(static_cast<int>(i), shapes[i].prepared->CalcBox(poses[(k + i) % poses.size()]));
      }
      for (const ObjectPair& pair : broad_phase.FindPairs()) {
        const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
        CollideShapes(*shapes[a].prepared, poses[(k + a) % poses.size()], *shapes[b].prepared,
                      poses[(k + b) % poses.size()], 0.01, &scratch, &manifold);
        contacts += manifold.points.size();
      }
    }
  };
  step();
  step();
  g_allocations = 0;
  g_counting = true;
  step();
  g_counting = false;
  EXPECT_EQ(g_allocations, 0);
  EXPECT_GT(contacts, 1000u);
}

TEST(Allocation, NoneByClusteringOnceWarm) {
  const std::vector<NamedManifold> manifolds = MakeManifolds(8);
  ClusterScratch scratch;
  ContactManifold manifold;
  const auto step = [&] {
    for (const NamedManifold& m : manifolds) {
      manifold = m.manifold;
      ClusterContacts({}, &scratch, &manifold);
    }
  };
  step();
  g_allocations = 0;
  g_counting = true;
  step();
  g_counting = false;
  EXPECT_EQ(g_allocations, 0);
}

}  // namespace
}  // namespace tactus
