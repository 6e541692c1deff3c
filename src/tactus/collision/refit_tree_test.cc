#include "tactus/collision/refit_tree.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tactus/core/random.h"

namespace tactus {
namespace {

// The tree finds what looking at every box finds, also after things have moved far from where it was built.
TEST(RefitTree, FindsAllOverlaps) {
  Random random(3);
  const auto draw = [&](double size) {
    return Vector3(random.Uniform(-size, size), random.Uniform(-size, size), random.Uniform(-size, size));
  };
  std::vector<Vector3> places(301);
  for (Vector3& p : places) p = draw(1);
  RefitTree tree;
  tree.Build(places);
  std::vector<int> stack, found, expected;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < tree.num_items(); ++i) {
      Vector3& p = places[static_cast<std::size_t>(i)];
      p += draw(0.2);
      tree.SetBox(i, Aabb{p, p}.Padded(0.05));
    }
    tree.Refit();
    const Vector3 centre = draw(1);
    const Aabb box = Aabb{centre, centre}.Padded(0.4);
    found.clear();
    expected.clear();
    tree.Find(box, &stack, [&](int item) { found.push_back(item); });
    for (int i = 0; i < tree.num_items(); ++i) {
      if (tree.box(i).Overlaps(box)) expected.push_back(i);
      EXPECT_TRUE(tree.root().Contains(tree.box(i)));
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
  }
}

TEST(RefitTree, EmptyFindsNothing) {
  RefitTree tree;
  tree.Build({});
  tree.Refit();
  std::vector<int> stack;
  tree.Find(Aabb{Vector3::Zero(), Vector3::Ones()}, &stack, [](int) { FAIL(); });
}

}  // namespace
}  // namespace tactus
