#include "tactus/collision/broad_phase.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/core/random.h"

namespace tactus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Aabb Cube(const Vector3& centre, double half) {
  return {centre - Vector3::Constant(half), centre + Vector3::Constant(half)};
}
Aabb Ground() { return {Vector3::Constant(-kInfinity), Vector3(kInfinity, kInfinity, 0)}; }

struct World {
  std::vector<BroadPhaseObject> objects;
  std::vector<Aabb> boxes;
  BroadPhase broad_phase;

  void Add(const BroadPhaseObject& object, const Aabb& box) {
    objects.push_back(object);
    boxes.push_back(box);
    broad_phase.Add(object, box);
  }
  void Set(int i, const Aabb& box) {
    boxes[static_cast<std::size_t>(i)] = box;
    broad_phase.SetBox(i, box);
  }
  std::vector<ObjectPair> BruteForce() const {
    std::vector<ObjectPair> pairs;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      for (std::size_t j = i + 1; j < boxes.size(); ++j) {
        const BroadPhaseObject &a = objects[i], &b = objects[j];
        const bool masks = (a.contact_type & b.contact_affinity) != 0 || (b.contact_type & a.contact_affinity) != 0;
        if (a.body == b.body || !masks || (a.fixed && b.fixed) || !boxes[i].Overlaps(boxes[j])) continue;
        pairs.push_back({static_cast<int>(i), static_cast<int>(j)});
      }
    }
    return pairs;
  }
};

Vector3 RandomPoint(Random* random, double size) {
  return {random->Uniform(-size, size), random->Uniform(-size, size), random->Uniform(-size, size)};
}

TEST(BroadPhase, FindsWhatBruteForceFinds) {
  Random random(1);
  World world;
  for (int i = 0; i < 400; ++i) {
    BroadPhaseObject object;
    object.body = i / 2;
    object.fixed = i % 7 == 0;
    object.contact_type = 1u << random.Index(3);
    object.contact_affinity = static_cast<unsigned>(random.Index(8));
    world.Add(object, i % 50 == 3 ? Ground() : Cube(RandomPoint(&random, 3), random.Uniform(0, 0.6)));
  }
  std::size_t found = 0;
  for (int step = 0; step < 50; ++step) {
    EXPECT_EQ(world.broad_phase.FindPairs(), world.BruteForce());
    found += world.broad_phase.FindPairs().size();
    for (int i = 0; i < 400; ++i) {
      const Aabb& box = world.boxes[static_cast<std::size_t>(i)];
      if (!box.bounded()) continue;
      const Vector3 move = RandomPoint(&random, i % 3 == 0 ? 0.5 : 0.01);
      world.Set(i, {box.low + move, box.high + move});
    }
  }
  EXPECT_GT(found, 1000u);
}

TEST(BroadPhase, HistoryLeavesNoTrace) {
  Random random(2);
  World old;
  for (int i = 0; i < 300; ++i) old.Add({.body = i}, Cube(RandomPoint(&random, 10), 0.5));
  for (int i = 0; i < 300; ++i) old.Set(i, Cube(RandomPoint(&random, 2), random.Uniform(0.05, 0.3)));
  World fresh;
  for (int i = 0; i < 300; ++i) fresh.Add({.body = i}, old.boxes[static_cast<std::size_t>(i)]);
  EXPECT_EQ(old.broad_phase.FindPairs(), fresh.broad_phase.FindPairs());
}

TEST(BroadPhase, ExclusionsExplicitPairsAndRemoval) {
  BroadPhase broad_phase;
  const Aabb box = Cube(Vector3::Zero(), 1);
  for (int i = 0; i < 4; ++i) broad_phase.Add({.body = i}, box);
  EXPECT_EQ(broad_phase.FindPairs().size(), 6u);
  broad_phase.ExcludeBodies(2, 1);
  EXPECT_EQ(broad_phase.FindPairs(), (std::vector<ObjectPair>{{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}));
  broad_phase.AddPair(2, 1);
  broad_phase.AddPair(0, 1);
  EXPECT_EQ(broad_phase.FindPairs().size(), 6u);  // none twice
  broad_phase.SetBox(1, Cube(Vector3(5, 0, 0), 1));
  EXPECT_EQ(broad_phase.FindPairs(), (std::vector<ObjectPair>{{0, 2}, {0, 3}, {2, 3}}));
  broad_phase.Remove(3);
  broad_phase.Remove(3);
  EXPECT_EQ(broad_phase.FindPairs(), (std::vector<ObjectPair>{{0, 2}}));
  EXPECT_EQ(broad_phase.Add({.body = 9}, box), 4);
  EXPECT_EQ(broad_phase.FindPairs(), (std::vector<ObjectPair>{{0, 2}, {0, 4}, {2, 4}}));
}

TEST(BroadPhase, OneObjectAndNone) {
  BroadPhase broad_phase;
  EXPECT_TRUE(broad_phase.FindPairs().empty());
  broad_phase.Add({}, Cube(Vector3::Zero(), 0));
  EXPECT_TRUE(broad_phase.FindPairs().empty());
  broad_phase.SetBox(0, Ground());
  broad_phase.SetBox(0, Cube(Vector3::Zero(), 1));
  EXPECT_TRUE(broad_phase.FindPairs().empty());
}

TEST(DynamicTree, StaysShallow) {
  DynamicTree tree;
  std::vector<int> leaves;
  for (int i = 0; i < 4000; ++i) leaves.push_back(tree.Insert(Cube(Vector3(i, 0, 0), 0.4), i));  // in order: the worst
  EXPECT_LT(tree.CalcHeight(), 60);
  for (int i = 0; i < 4000; i += 2) tree.Remove(leaves[static_cast<std::size_t>(i)]);
  const int last = tree.Insert(Cube(Vector3(100.5, 0, 0), 2), 4000);
  std::vector<std::pair<int, int>> stack, found;
  tree.FindPairs(&stack, [&](int a, int b) { found.emplace_back(std::min(a, b), std::max(a, b)); });
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::pair<int, int>>{{99, 4000}, {101, 4000}}));
  tree.Remove(last);
  for (int i = 1; i < 4000; i += 2) tree.Remove(leaves[static_cast<std::size_t>(i)]);
  EXPECT_EQ(tree.CalcHeight(), 0);
}

}  // namespace
}  // namespace tactus
