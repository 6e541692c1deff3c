#include "tactus/deformable/mesh/tet_edit.h"

#include <gtest/gtest.h>

#include "tactus/core/error.h"
#include "tactus/deformable/fem/actuators.h"
#include "tactus/deformable/mesh/tet_shapes.h"

namespace tactus {
namespace {

// A box of 4 x 4 x 4 cm with a closed room of 2 x 2 x 2 cm in it.
const TetBox kRoom{Vector3::Constant(-0.01), Vector3::Constant(0.01)};

TetMesh MakeHollow() { return CutHoles(MakeBoxTets(Vector3::Constant(0.04), {4, 4, 4}), {kRoom}); }

TEST(TetEdit, HolesLeaveTheRest) {
  const TetMesh mesh = MakeHollow();
  EXPECT_NEAR(CalcVolume(mesh), 64e-6 - 8e-6, 1e-15);
  EXPECT_EQ(mesh.nodes.size(), 125u - 1u);
  EXPECT_THROW(CutHoles(MakeBoxTets(Vector3::Ones(), {2, 2, 2}), {{Vector3::Constant(-1), Vector3::Constant(1)}}),
               InputError);
}

TEST(TetEdit, WallsEncloseACavity) {
  const FemBody body(MakeHollow(), {});
  const PressureCavity cavity(body, FindWalls(body.mesh(), kRoom));
  EXPECT_NEAR(cavity.CalcVolume(body.initial_q()), 8e-6, 1e-15);
  EXPECT_EQ(cavity.triangles().size(), 6u * 4u * 2u);
  EXPECT_TRUE(FindWalls(body.mesh(), {Vector3::Constant(-0.001), Vector3::Constant(0.001)}).empty());
}

TEST(TetEdit, LayersAreAsHighAsTheySay) {
  TetMesh mesh = MakeBoxTets(Vector3(0.02, 0.02, 0.06), {2, 2, 3});
  SetLayers({1, 2, 3}, &mesh);
  EXPECT_NEAR(CalcVolume(mesh), 24e-6, 1e-15);
  std::array<int, 4> count{};
  const std::array<double, 4> expected = {-0.03, -0.02, 0, 0.03};
  for (const Vector3& p : mesh.nodes) {
    for (std::size_t k = 0; k < 4; ++k) count[k] += std::abs(p.z() - expected[k]) < 1e-12 ? 1 : 0;
  }
  for (const int n : count) EXPECT_EQ(n, 9);
  EXPECT_THROW(SetLayers({1, 0, 3}, &mesh), InputError);
}

TEST(TetEdit, TapersTowardsItsTop) {
  TetMesh mesh = MakeCylinderTets(0.02, 0.1, 4, 5);
  const double volume = CalcVolume(mesh);
  TaperAlongZ(0.5, &mesh);
  // A frustum: (1 + 1/2 + 1/4)/3 of the cylinder; linear elements follow it along z but for their diagonals.
  EXPECT_NEAR(CalcVolume(mesh) / volume, 1.75 / 3, 0.01);
  for (const Vector3& p : mesh.nodes) EXPECT_LE(p.head<2>().norm(), 0.02 * (1 - 0.5 * (p.z() + 0.05) / 0.1) + 1e-12);
  EXPECT_THROW(TaperAlongZ(0, &mesh), InputError);
}

}  // namespace
}  // namespace tactus
