// Where deformables touch rigid shapes, each other and themselves.
#include "tactus/simulation/deformable_contacts.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/mesh/tet_edit.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/deformable/rods/rod.h"
#include "tactus/geometry/fields/fields.h"
#include "tactus/simulation/deformable_contacts_testing.h"

namespace tactus {
namespace {

TEST(DeformableContacts, NodesOnAPlane) {
  Search search;
  search.AddShape(ShapeType::HalfSpace, Vector3::Zero(), Pose(Vector3(0, 0, -5e-4)));
  search.Add(MakeMat(0.2, 4));
  const auto& contacts = search.Find();
  ASSERT_EQ(contacts.size(), 5u * 6u);
  std::set<std::uint64_t> features;
  for (const ContactState& c : contacts) {
    EXPECT_NEAR(c.geometry.gap, 5e-4, 1e-12);
    EXPECT_LT((c.geometry.normal + Vector3::UnitZ()).norm(), 1e-12);  // from the mat towards the plane
    EXPECT_EQ(c.object_a, 0);
    EXPECT_EQ(c.object_b, 100);
    EXPECT_EQ(c.point_b.count, 1);
    EXPECT_TRUE(c.active);
    features.insert(c.geometry.feature);
  }
  EXPECT_EQ(features.size(), contacts.size());
}

// Gaps of nodes are distances from the shapes, whatever these are.
TEST(DeformableContacts, NodesAndEveryShape) {
  const Vector3 size(0.02, 0.015, 0.01);
  for (const ShapeType type :
       {ShapeType::Sphere, ShapeType::Capsule, ShapeType::Cylinder, ShapeType::Box, ShapeType::Ellipsoid}) {
    Search search;
    search.Add(MakeMat(0.2, 40));  // fine, so that a node is near the lowest point
    // Its lowest point is at the origin: straight over the mat, whose top is at z = 0.01.
    const double reach = type == ShapeType::Capsule    ? size[0] + size[1]
                         : type == ShapeType::Sphere   ? size[0]
                         : type == ShapeType::Cylinder ? size[1]
                                                       : size[2];
    search.AddShape(type, size, Pose(Vector3(0, 0, 0.01 + reach - 2e-4)));
    double least = 1;
    for (const ContactState& c : search.Find()) {
      least = std::min(least, c.geometry.gap);
      // Exactly below the rim, out to the side is as short a way.
      if (c.geometry.gap < -1e-9) {
        EXPECT_GT(c.geometry.normal[2], 0.8) << ToString(type);
      }
    }
    EXPECT_NEAR(least, -2e-4, 2e-5) << ToString(type);
  }
}

// The same for meshes, terrain and fields: a hull, a ring that has a hole in its middle, a hill, a bowl.
TEST(DeformableContacts, NodesAndMeshesTerrainAndFields) {
  const double radius = 0.02, depth = 2e-4, top = 0.01;
  const auto find = [&](const Shape& shape, double lowest, const Pose& turn = Pose()) {
    Search search;
    search.Add(MakeMat(0.2, 80));
    search.AddShape(shape, Pose(turn.R, Vector3(0, 0, top - lowest - depth)));
    return std::vector<ContactState>(search.Find());
  };
  const auto deepest = [](const std::vector<ContactState>& contacts) {
    double least = 1;
    for (const ContactState& c : contacts) least = std::min(least, c.geometry.gap);
    return least;
  };
  Shape shape;
  shape.type = ShapeType::Mesh;
  shape.mesh = std::make_shared<const TriangleMesh>(MakeSphereField(radius, 2e-3)->surface());
  EXPECT_NEAR(deepest(find(shape, -radius)), -depth, 2e-5);

  shape.mesh =
      std::make_shared<const TriangleMesh>(MakeRevolvedField({{0.03, -0.001}, {0.03, 0.001}}, 0.01, 2e-3)->surface());
  shape.concave = true;
  const std::vector<ContactState> ring = find(shape, -0.011);
  EXPECT_NEAR(deepest(ring), -depth, 3e-5);
  for (const ContactState& c : ring) {
    if (c.geometry.gap < 0) {
      EXPECT_NEAR(c.geometry.point.head<2>().norm(), 0.03, 3e-3);  // not in the hole
    }
  }

  // A hill from below: the mat's lower side is at z = 0.
  Shape hill;
  hill.type = ShapeType::HeightField;
  HeightField heights{21, 21, 0.05, 0.05, {}};
  for (int r = 0; r < 21; ++r) {
    for (int c = 0; c < 21; ++c) {
      heights.heights.push_back(-0.002 - 0.4 * (std::pow(0.005 * (r - 10), 2) + std::pow(0.005 * (c - 10), 2)));
    }
  }
  hill.height_field = std::make_shared<const HeightField>(heights);
  Search search;
  search.Add(MakeMat(0.2, 80));
  search.AddShape(hill, Pose(Vector3(0, 0, 0.002 + depth)));
  // Its nodes nearest to the top are a centimetre aside, where the hill is 0.04 mm lower.
  EXPECT_NEAR(deepest(search.Find()), -depth + 4e-5, 1e-5);
  for (const ContactState& c : search.contacts) {
    if (c.geometry.gap < 0) {
      EXPECT_LT(c.geometry.normal[2], -0.99);
    }
  }

  // A bowl: gaps are the field's own values.
  Shape bowl;
  bowl.type = ShapeType::Field;
  bowl.field = MakeDishField({{0.02, 0}, {0.035, 0.02}, 2e-3}, 3e-3);
  const Vector3 place(0, 0, top + 2e-3 - depth);
  Search over;
  over.Add(MakeMat(0.2, 80));
  over.AddShape(bowl, Pose(place));
  int below = 0;
  double least = 1;
  for (const ContactState& c : over.Find()) {
    least = std::min(least, c.geometry.gap);
    below += c.geometry.gap < 0;
  }
  double expected = 1;
  const VectorX& q = over.states[0].q;
  for (Eigen::Index k = 0; k < q.size(); k += 3) {
    expected = std::min(expected, bowl.field->Evaluate(q.segment<3>(k) - place, nullptr));
  }
  EXPECT_NEAR(least, expected, 1e-9);
  EXPECT_LT(expected, -1e-4);
  EXPECT_GT(below, 5);
}

// The corner of a box, point down between nodes, touches the triangle there, at the right weights. Neighbours that it
// does not reach may be near its flanks.
TEST(DeformableContacts, CornerBetweenNodes) {
  Search search;
  search.Add(MakeMat(0.1, 1));
  const Vector3 tip(0.012, 0.003, 0.0099);
  Matrix3 R = Eigen::Quaterniond::FromTwoVectors(Vector3(1, 1, 1).normalized(), Vector3::UnitZ()).toRotationMatrix();
  const Vector3 half(0.01, 0.01, 0.01);
  search.AddShape(ShapeType::Box, half, Pose(R, tip + R * half));
  const auto& contacts = search.Find();
  ASSERT_FALSE(contacts.empty());
  const ContactState& c = *std::min_element(
      contacts.begin(), contacts.end(), [](const auto& x, const auto& y) { return x.geometry.gap < y.geometry.gap; });
  EXPECT_NEAR(c.geometry.gap, -1e-4, 1e-9);
  EXPECT_GT(c.geometry.normal[2], 1 - 1e-9);
  EXPECT_GE(c.point_b.count, 2);
  const Vector3 place = CalcPointPlace(*search.bodies[0], search.states[0].q, c.point_b);
  EXPECT_LT((place.head<2>() - tip.head<2>()).norm(), 1e-5);
}

// A wall beside a block and below it, which it grazes by a micrometre: nothing is pushed up along the wall's height.
TEST(DeformableContacts, WallBesideAnEdgeDoesNotLift) {
  Search search;
  search.Add(std::make_shared<const FemBody>(MakeMatTets(0.1, 0.1, 0.1, {4, 4, 4}), FemMaterial{}));
  search.AddShape(ShapeType::Box, Vector3(0.02, 0.0113, 0.07), Pose(Vector3(0.07 - 1e-6, 0.003, 0)));
  const auto& contacts = search.Find();
  ASSERT_FALSE(contacts.empty());
  for (const ContactState& c : contacts) {
    EXPECT_GT(c.geometry.gap, -2e-6);
    EXPECT_GT(c.geometry.normal[0], 1 - 1e-6);
  }
}

// A roller between two rows of nodes: it lies on the mat along a line, and is held at every edge that the line crosses.
TEST(DeformableContacts, RollerTouchesEveryEdgeBelowIt) {
  Search search;
  search.Add(std::make_shared<const FemBody>(MakeMatTets(0.1, 0.1, 0.01, {5, 5, 1}), FemMaterial{}));
  const Matrix3 R = Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3::UnitX()).toRotationMatrix();
  search.AddShape(ShapeType::Cylinder, Vector3(0.02, 0.1, 0), Pose(R, Vector3(0.002, 0, 0.03 - 1e-6)));
  std::vector<double> places = {-0.05, 0.05};
  for (const ContactState& c : search.Find()) {
    if (c.geometry.gap > 1e-6) continue;
    EXPECT_NEAR(c.geometry.gap, -1e-6, 1e-9);
    places.push_back(c.geometry.point[1]);
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_LT(places[i] - places[i - 1], 0.0201);
  EXPECT_GE(places.size(), 2u + 6u);
}

// Just beside a row of nodes, too, which are 20 mm apart: they do not stand for edges that something round or sharp
// presses on.
TEST(DeformableContacts, NothingSinksInBesideNodes) {
  constexpr double kDepth = 1e-5, kRow = 0.01, kTop = 0.01;
  const Matrix3 lying = Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3::UnitX()).toRotationMatrix();
  const Matrix3 tilted = Eigen::AngleAxisd(0.25 * std::numbers::pi, Vector3::UnitY()).toRotationMatrix();
  struct Case {
    ShapeType type;
    Vector3 size;
    Pose X;  // its lowest line is along y below the origin
  };
  for (const Case& roller :
       {Case{ShapeType::Cylinder, Vector3(0.02, 0.1, 0), Pose(lying, Vector3(0, 0, 0.02))},
        Case{ShapeType::Capsule, Vector3(0.02, 0.1, 0), Pose(lying, Vector3(0, 0, 0.02))},
        Case{ShapeType::Box, Vector3(0.01, 0.1, 0.01), Pose(tilted, Vector3(0, 0, 0.01 * std::numbers::sqrt2))}}) {
    for (const double beside : {5e-6, 2e-5, 1e-4, 3e-4, 6e-4, 1.4e-3}) {
      Search search;
      search.Add(std::make_shared<const FemBody>(MakeMatTets(0.1, 0.1, kTop, {5, 5, 1}), FemMaterial{}));
      const Vector3 place = roller.X.p + Vector3(kRow - beside, 0, kTop - kDepth);
      search.AddShape(roller.type, roller.size, Pose(roller.X.R, place));
      int held = 0;
      for (const ContactState& c : search.Find()) {
        EXPECT_GT(c.geometry.gap, -kDepth - 1e-9);
        if (c.geometry.gap < -kDepth + 1e-3 * kSearchMargin + 1e-9) ++held;
      }
      // At each of the six rows of nodes across it.
      EXPECT_GE(held, 6) << ToString(roller.type) << " " << beside;
    }
  }
}

// A box that lies flat on the mat touches by nodes only, its edge beyond the mat adds nothing.
TEST(DeformableContacts, FlatFaceTouchesByNodes) {
  Search search;
  search.Add(MakeMat(0.1, 5));
  search.AddShape(ShapeType::Box, Vector3(0.2, 0.2, 0.01), Pose(Vector3(0, 0, 0.02)));
  const auto& contacts = search.Find();
  EXPECT_EQ(contacts.size(), 36u);
  for (const ContactState& c : contacts) EXPECT_EQ(c.point_b.count, 1);
}

// A cut of 0.4 mm from one side to the middle, much narrower than the cells are long: its walls may touch.
TEST(DeformableContacts, WallsOfAGrooveTouch) {
  TetMesh mesh = MakeBoxTets(Vector3(0.04, 0.04, 0.0204), {4, 4, 3});
  SetLayers({0.01, 0.0004, 0.01}, &mesh);
  mesh = CutHoles(mesh, {{Vector3(0, -1, -2e-4), Vector3(1, 1, 2e-4)}});
  Search search;
  search.Add(std::make_shared<const FemBody>(mesh, FemMaterial()), true);
  const auto& contacts = search.Find();
  // Three rows of five nodes on either side, those at the bottom of the cut included.
  ASSERT_EQ(contacts.size(), 30u);
  for (const ContactState& c : contacts) {
    EXPECT_NEAR(c.geometry.gap, 4e-4, 1e-12);
    EXPECT_GT(std::abs(c.geometry.normal[2]), 1 - 1e-9);
    EXPECT_GE(c.geometry.point[0], -1e-12);
  }
}

TEST(DeformableContacts, FlatMatDoesNotTouchItself) {
  Search search;
  search.Add(MakeMat(0.5, 25), true);
  EXPECT_TRUE(search.Find().empty());
}

// Folded upon itself, its halves 0.8 mm apart.
TEST(DeformableContacts, FoldedMatTouchesItself) {
  Search search;
  search.Add(MakeMat(0.5, 50), true);
  VectorX& q = search.states[0].q;
  const double r = 0.0004;
  for (int i = 0; i < q.size() / 3; ++i) {
    // The upper side is inside of the fold; its middle line bends about the origin.
    const double s = q[3 * i], z = q[3 * i + 2] - 0.01;
    const double phi = std::clamp(s / r, -std::numbers::pi / 2, std::numbers::pi / 2);
    const double beyond = s - phi * r;
    const Vector3 out(std::cos(phi), 0, std::sin(phi)), along(-std::sin(phi), 0, std::cos(phi));
    const Vector3 p = (r - z) * out + beyond * along;
    q[3 * i] = p[0];
    q[3 * i + 2] = p[2];
  }
  const auto& contacts = search.Find();
  ASSERT_GT(contacts.size(), 20u);
  for (const ContactState& c : contacts) {
    EXPECT_NEAR(c.geometry.gap, 2 * r, 1e-9);
    EXPECT_GT(std::abs(c.geometry.normal[2]), 1 - 1e-9);
    EXPECT_EQ(c.object_a, c.object_b);
  }
}

// Nodes that lie on a flat mat touch what is below them, and not the borders of triangles beside that.
TEST(DeformableContacts, BordersOfTrianglesAreNoWalls) {
  Search search;
  search.Add(MakeMat(0.2, 4));
  TetMesh mesh = MakeMatTets(0.15, 0.07, 0.01, {13, 7, 1});
  for (Vector3& node : mesh.nodes) node.z() += 0.01 + 2e-4;
  search.Add(std::make_shared<const FemBody>(mesh, FemMaterial{}));
  ASSERT_GT(search.Find().size(), 14u * 8u - 1);
  for (const ContactState& c : search.contacts) {
    EXPECT_GT(std::abs(c.geometry.normal.z()), 0.999) << c.geometry.normal.transpose() << " " << c.geometry.gap;
  }
}

// Right over edges and corners of the lower mat, and deep by rounding: all are found, once.
TEST(DeformableContacts, NodesOnEdgesAreFound) {
  Search search;
  search.Add(MakeMat(0.2, 4));
  TetMesh mesh = MakeMatTets(0.2, 0.1, 0.01, {8, 10, 1});
  for (Vector3& node : mesh.nodes) node.z() += 0.01 - 1e-9;
  search.Add(std::make_shared<const FemBody>(mesh, FemMaterial{}));
  std::set<int> nodes;
  for (const ContactState& c : search.Find()) {
    if (c.point_b.count == 1 && std::abs(c.geometry.normal.z()) > 0.999) nodes.insert(c.point_b.items[0]);
  }
  EXPECT_EQ(nodes.size(), 9u * 11u);
}

// The upper mat rests on the lower one, set off by 2 mm from its sides and a millionth of a millimetre deep: its
// outermost nodes are also behind the lower one's side faces, and must not be pushed out there.
TEST(DeformableContacts, NodesBesideAnEdgeTouchTheNearerFaceOnly) {
  for (const bool swap : {false, true}) {
    Search search;
    for (const bool upper : {swap, !swap}) {
      TetMesh mesh = MakeMatTets(upper ? 0.196 : 0.2, upper ? 0.096 : 0.1, 0.01, {4, 5, 1});
      for (Vector3& node : mesh.nodes) node.z() += upper ? 0.01 - 1e-9 : 0;
      search.Add(std::make_shared<const FemBody>(mesh, FemMaterial{}));
    }
    ASSERT_FALSE(search.Find().empty());
    for (const ContactState& c : search.contacts) {
      if (c.geometry.gap < 0) {
        EXPECT_GT(std::abs(c.geometry.normal.z()), 0.999) << c.geometry.normal.transpose() << " " << c.geometry.gap;
      }
    }
  }
}

TEST(DeformableContacts, RodOnItself) {
  RodSettings settings;
  settings.length = 1;
  settings.segments = 200;
  settings.radius = 0.004;
  Search search;
  search.Add(std::make_shared<const Rod>(settings), true);
  EXPECT_TRUE(search.Find().empty());  // straight
  // A helix whose turns are 0.5 mm apart.
  VectorX& q = search.states[0].q;
  const double r = 0.03, pitch = 0.0085, rate = 1 / std::hypot(r, pitch / (2 * std::numbers::pi));
  for (int i = 0; i < 200; ++i) {
    const double phi = rate * (i + 0.5) * 0.005;
    const Vector3 tangent = Vector3(-r * std::sin(phi), r * std::cos(phi), pitch / (2 * std::numbers::pi)).normalized();
    const Quaternion turn = Quaternion::FromTwoVectors(Vector3::UnitX(), tangent);
    q.segment<7>(7 * i) << r * std::cos(phi), r * std::sin(phi), pitch * phi / (2 * std::numbers::pi), turn.w(),
        turn.x(), turn.y(), turn.z();
  }
  const auto& contacts = search.Find();
  ASSERT_GT(contacts.size(), 100u);
  for (const ContactState& c : contacts) {
    EXPECT_NEAR(c.geometry.gap, 0.0005, 2e-4);
    EXPECT_GT(std::abs(c.point_a.items[0] - c.point_b.items[0]), 30);
  }
}

TEST(DeformableContacts, TwoDeformables) {
  Search search;
  search.Add(MakeMat(0.1, 5));
  search.Add(MakeMat(0.06, 3));
  for (int i = 2; i < search.states[1].q.size(); i += 3) search.states[1].q[i] += 0.0105;
  RodSettings rod;
  rod.length = 0.05;
  rod.segments = 10;
  rod.radius = 0.003;
  search.Add(std::make_shared<const Rod>(rod));
  for (int i = 0; i < 10; ++i) search.states[2].q[7 * i + 2] = 0.01 + 0.0105 + 0.0032;
  int between_mats = 0, on_rod = 0;
  for (const ContactState& c : search.Find()) {
    EXPECT_LE(c.object_a, c.object_b);
    const bool rods = c.object_b == 102;
    (rods ? on_rod : between_mats) += 1;
    EXPECT_NEAR(c.geometry.gap, rods ? 0.0002 : 0.0005, 1e-9);
    EXPECT_LT(c.geometry.normal[2], -1 + 1e-9);  // from the upper to the lower
    EXPECT_EQ(c.object_a, rods ? 101 : 100);
  }
  EXPECT_GE(between_mats, 24);
  EXPECT_GE(on_rod, 6);
}

// Ids stay while things move a little, so that impulses find their contacts again.
TEST(DeformableContacts, FeaturesAreStable) {
  Search search;
  search.Add(MakeMat(0.1, 5));
  search.AddShape(ShapeType::Sphere, Vector3(0.05, 0, 0), Pose(Vector3(0.003, 0.004, 0.0598)));
  std::set<std::uint64_t> before, after;
  for (const ContactState& c : search.Find()) before.insert(c.geometry.feature);
  search.poses[0].p += Vector3(1e-5, -1e-5, 0);
  for (const ContactState& c : search.Find()) after.insert(c.geometry.feature);
  EXPECT_FALSE(before.empty());
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace tactus
