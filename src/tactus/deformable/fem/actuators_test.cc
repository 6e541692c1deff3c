#include "tactus/deformable/fem/actuators.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "tactus/deformable/deformable_testing.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/math/finite_difference.h"

namespace tactus {
namespace {

using testing::HasSubstr;

// A box with a box-shaped hole of one cell in its middle.
FemBody HollowBox(const std::vector<int>& held = {}) {
  TetMesh mesh = MakeBoxTets(Vector3(3, 3, 3), {3, 3, 3});
  std::erase_if(mesh.tets, [&](const std::array<int, 4>& t) {
    Vector3 middle = Vector3::Zero();
    for (const int i : t) middle += mesh.nodes[static_cast<std::size_t>(i)] / 4;
    return middle.cwiseAbs().maxCoeff() < 0.5;
  });
  FemSettings settings;
  settings.held = held;
  return {mesh, {1e5, 0.3, 1000, 0, 0.01, FemModel::Corotational}, settings};
}

std::vector<std::array<int, 3>> InnerTriangles(const FemBody& body) {
  std::vector<std::array<int, 3>> inner;
  for (const auto& t : body.surface().triangles) {
    if (body.initial_q().segment<3>(3 * t[0]).cwiseAbs().maxCoeff() < 0.6 &&
        body.initial_q().segment<3>(3 * t[1]).cwiseAbs().maxCoeff() < 0.6 &&
        body.initial_q().segment<3>(3 * t[2]).cwiseAbs().maxCoeff() < 0.6) {
      inner.push_back(t);
    }
  }
  return inner;
}

TEST(PressureCavity, RowIsTheDerivativeOfItsVolume) {
  Random random(1);
  const FemBody body = HollowBox({0, 1, 21});
  const PressureCavity cavity(body, InnerTriangles(body));
  EXPECT_EQ(cavity.triangles().size(), 12u);
  EXPECT_NEAR(cavity.CalcVolume(body.initial_q()), 1, 1e-12);
  const VectorX q = body.initial_q() + RandomVector(body.nq(), 0.1, &random);
  ActuatorRow row = cavity.MakeRow(), change = row;
  cavity.CalcRow(q, &row);
  const auto volume = [&](const VectorX& v) {
    VectorX moved = q;
    body.Integrate(v, nullptr, 1, &moved);
    return cavity.CalcVolume(moved);
  };
  const VectorX zero = VectorX::Zero(body.nv());
  VectorX dense = zero;
  row.AddTo(1, &dense);
  EXPECT_LT((dense - CalcFiniteDifferenceGradient(volume, zero, 1e-4)).norm(), 1e-10);
  const VectorX v = RandomVector(body.nv(), 1, &random);
  EXPECT_NEAR(row.Dot(v), dense.dot(v), 1e-14);
  // And its change is the row's derivative.
  VectorX moved = q, dq = VectorX::Zero(body.nq());
  body.Integrate(v, nullptr, 1, &dq);
  body.Integrate(v, nullptr, 1e-6, &moved);
  cavity.CalcRowChange(q, dq, &change);
  ActuatorRow other = row;
  cavity.CalcRow(moved, &other);
  for (std::size_t k = 0; k < row.dof.size(); ++k) {
    EXPECT_NEAR((other.value[k] - row.value[k]) / 1e-6, change.value[k], 1e-5);
  }
}

// Pressure makes the cavity larger, and neither pushes nor turns the body.
TEST(PressureCavity, InflatesWithoutPushing) {
  const FemBody body = HollowBox();
  const PressureCavity cavity(body, InnerTriangles(body));
  Stepper stepper(body, {0.01, 0});
  ActuatorRow row = cavity.MakeRow();
  for (int k = 0; k < 100; ++k) {
    cavity.CalcRow(stepper.q, &row);
    stepper.external.setZero();
    row.AddTo(2e4, &stepper.external);
    stepper.Step();
  }
  EXPECT_GT(cavity.CalcVolume(stepper.q), 1.1);
  EXPECT_LT(stepper.momentum().linear.norm(), 1e-8);
}

TEST(PressureCavity, RefusesOpenSets) {
  const FemBody body = HollowBox();
  auto triangles = InnerTriangles(body);
  triangles.pop_back();
  EXPECT_THAT(ErrorOf([&] { PressureCavity(body, triangles); }), HasSubstr("is not shared by two triangles"));
  EXPECT_THAT(ErrorOf([&] { PressureCavity(body, {}); }), HasSubstr("no triangles"));
  EXPECT_THAT(ErrorOf([&] { PressureCavity(body, {{0, 1, 99}}); }), HasSubstr("node 99"));
}

TEST(Cable, RowIsMinusTheDerivativeOfItsLength) {
  Random random(2);
  FemSettings settings;
  settings.held = {0, 1, 2, 3};
  const FemBody body(MakeBeamTets(1, 0.1, 0.1, {5, 1, 1}), {}, settings);
  const Cable cable(body, {CableAtWorld(Vector3(-0.1, 0, 0.03)), CableInBody(body, Vector3(0.3, 0, 0.03)),
                           CableInBody(body, Vector3(0.7, 0.02, 0.03)), CableAtNode(23)});
  const VectorX zero = VectorX::Zero(body.nv());
  EXPECT_NEAR(cable.CalcLength(body.initial_q()),
              0.4 + Vector3(0.4, 0.02, 0).norm() + (Vector3(0.7, 0.02, 0.03) - body.mesh().nodes[23]).norm(), 1e-12);
  const VectorX q = body.initial_q() + RandomVector(body.nq(), 0.05, &random);
  ActuatorRow row = cable.MakeRow();
  cable.CalcRow(q, &row);
  VectorX dense = zero;
  row.AddTo(1, &dense);
  const auto length = [&](const VectorX& v) {
    VectorX moved = q;
    body.Integrate(v, nullptr, 1, &moved);
    return cable.CalcLength(moved);
  };
  EXPECT_LT((dense + CalcFiniteDifferenceGradient(length, zero, 1e-5)).norm(), 1e-9);
}

// Pulled above its middle, a finger bends upwards.
TEST(Cable, BendsAFinger) {
  FemSettings settings;
  settings.held = {0, 1, 2, 3};
  FemMaterial material;
  material.stiffness_damping = 0.02;
  const FemBody body(MakeBeamTets(1, 0.1, 0.1, {10, 1, 1}), material, settings);
  std::vector<CablePoint> points;
  for (int i = 0; i <= 9; ++i) points.push_back(CableInBody(body, Vector3(0.1 * i + 0.05, 0, 0.04)));
  const Cable cable(body, points);
  Stepper stepper(body, {0.01, 0});
  ActuatorRow row = cable.MakeRow();
  for (int k = 0; k < 200; ++k) {
    cable.CalcRow(stepper.q, &row);
    stepper.external.setZero();
    row.AddTo(50, &stepper.external);
    stepper.Step();
  }
  EXPECT_GT(stepper.q[3 * 43 + 2], 0.08);
  EXPECT_LT(cable.CalcLength(stepper.q), 0.895);
}

TEST(Cable, RefusesWhatIsNoCable) {
  const FemBody body(MakeBoxTets(Vector3(1, 1, 1), {1, 1, 1}), {});
  EXPECT_THAT(ErrorOf([&] { Cable(body, {CableAtNode(0)}); }), HasSubstr("1 points"));
  EXPECT_THAT(ErrorOf([&] { Cable(body, {CableAtNode(0), CableAtNode(8)}); }), HasSubstr("node 8"));
  CablePoint half = CableAtNode(1);
  half.weight[0] = 0.5;
  EXPECT_THAT(ErrorOf([&] { Cable(body, {CableAtNode(0), half}); }), HasSubstr("add up to 0.5"));
  EXPECT_THAT(ErrorOf([&] { CableInElement(body, 5, Vector3::Zero()); }), HasSubstr("element 5"));
}

}  // namespace
}  // namespace tactus
