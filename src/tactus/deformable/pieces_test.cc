// Pieces and what holds them together say the same as the whole.
#include "tactus/deformable/pieces.h"

#include <set>

#include <gtest/gtest.h>

#include "tactus/deformable/deformable_testing.h"
#include "tactus/deformable/fem/fem_body.h"
#include "tactus/deformable/mesh/tet_shapes.h"
#include "tactus/deformable/rods/rod.h"

namespace tactus {
namespace {

struct Assembled {
  MatrixX A;
  VectorX b;
};

// The state of a piece out of that of the whole, and its A and b added where they belong.
void AddPiece(const Deformable& whole, const DeformablePiece& piece, const DeformableScheme& scheme,
              const DeformableInput& input, Assembled* sum) {
  const Deformable& body = *piece.body;
  const int stride = body.nq() / body.num_items(), n = body.dofs_per_item();
  VectorX q(body.nq()), v(body.nv()), v_hat(body.nv()), held(body.num_held_dofs()), b;
  std::vector<int> dofs(static_cast<std::size_t>(body.nv()));
  for (int i = 0; i < body.num_items(); ++i) {
    const int from = piece.items[static_cast<std::size_t>(i)];
    q.segment(stride * i, stride) = input.q->segment(stride * from, stride);
    ASSERT_EQ(body.first_dof(i) < 0, whole.first_dof(from) < 0);
    if (body.first_dof(i) < 0) {
      held.segment(body.first_held_dof(i), n) = input.held_velocity->segment(whole.first_held_dof(from), n);
      continue;
    }
    v.segment(body.first_dof(i), n) = input.v->segment(whole.first_dof(from), n);
    if (input.v_hat) v_hat.segment(body.first_dof(i), n) = input.v_hat->segment(whole.first_dof(from), n);
    for (int k = 0; k < n; ++k) dofs[static_cast<std::size_t>(body.first_dof(i) + k)] = whole.first_dof(from) + k;
  }
  DeformableInput own = input;
  own.q = &q;
  own.v = &v;
  own.held_velocity = &held;
  if (input.v_hat) own.v_hat = &v_hat;
  SparseMatrix A = body.pattern();
  ASSERT_TRUE(body.Assemble(scheme, own, nullptr, body.MakeData().get(), &A, &b));
  EXPECT_EQ(MatrixX(A).llt().info(), Eigen::Success);
  for (int r = 0; r < body.nv(); ++r) {
    sum->b[dofs[static_cast<std::size_t>(r)]] += b[r];
    for (SparseMatrix::InnerIterator it(A, r); it; ++it) {
      sum->A(dofs[static_cast<std::size_t>(r)], dofs[static_cast<std::size_t>(it.col())]) += it.value();
    }
  }
}

void AddJoints(const Deformable& rod, const DeformablePieces& cut, const DeformableScheme& scheme,
               const DeformableInput& input, Assembled* sum) {
  VectorX q = *input.q;
  if (input.v_hat) rod.Integrate(*input.v_hat, input.held_velocity, (1 - scheme.theta) * scheme.step, &q);
  for (const int segment : cut.joints) {
    RodJointRows rows;
    CalcRodJointRows(rod, scheme, input, q, segment, &rows);
    for (int k = 0; k < rows.count; ++k) {
      const std::size_t i = static_cast<std::size_t>(k);
      VectorX J = VectorX::Zero(rod.nv());
      for (int side = 0; side < 2; ++side) {
        if (rod.first_dof(segment + side) < 0) continue;
        J.segment<6>(rod.first_dof(segment + side)) = rows.J[i].segment<6>(6 * side);
      }
      sum->A += rows.d[i] * J * J.transpose();
      sum->b -= rows.ke[i] * J;
    }
  }
}

void ExpectSameAsWhole(const Deformable& whole, int pieces, unsigned seed) {
  Random random(seed);
  const DeformablePieces cut = CutDeformable(whole, pieces);
  ASSERT_GE(static_cast<int>(cut.pieces.size()), pieces);
  VectorX q = whole.initial_q(), held = RandomVector(whole.num_held_dofs(), 0.3, &random);
  whole.Integrate(RandomVector(whole.nv(), 0.02, &random), nullptr, 0.1, &q);
  const VectorX v = RandomVector(whole.nv(), 1, &random), v_hat = RandomVector(whole.nv(), 0.1, &random);
  for (const double theta : {0.0, 0.5}) {
    for (const bool implicit : {false, true}) {
      const DeformableScheme scheme{0.01, theta};
      DeformableInput input;
      input.q = &q;
      input.v = &v;
      input.held_velocity = &held;
      input.gravity = Vector3(0, 0.3, -9.81);
      if (implicit) input.v_hat = &v_hat;
      SparseMatrix A = whole.pattern();
      Assembled sum{MatrixX::Zero(whole.nv(), whole.nv()), VectorX::Zero(whole.nv())};
      VectorX b;
      ASSERT_TRUE(whole.Assemble(scheme, input, nullptr, whole.MakeData().get(), &A, &b));
      for (const DeformablePiece& piece : cut.pieces) AddPiece(whole, piece, scheme, input, &sum);
      AddJoints(whole, cut, scheme, input, &sum);
      EXPECT_LT((sum.A - MatrixX(A)).norm(), 1e-12 * A.norm());
      EXPECT_LT((sum.b - b).norm(), 1e-11 * b.norm());
    }
  }
}

TEST(Pieces, OfFiniteElementsAddUpToTheWhole) {
  FemMaterial material;
  material.stiffness_damping = 0.01;
  material.mass_damping = 0.5;
  FemSettings settings;
  settings.held = {0, 1, 2, 3, 40};
  for (const int pieces : {2, 3, 8}) {
    ExpectSameAsWhole(FemBody(MakeBeamTets(0.5, 0.1, 0.1, {8, 2, 2}), material, settings), pieces, 1);
    ExpectSameAsWhole(FemBody(MakeBallTets(0.1, 4), material), pieces, 2);
  }
  material.model = FemModel::NeoHookean;
  settings.geometric_bound = true;
  ExpectSameAsWhole(FemBody(MakeMatTets(0.4, 0.4, 0.02, {5, 5, 1}), material, settings), 6, 3);
}

TEST(Pieces, OfRodsAndTheirJointsAddUpToTheWhole) {
  for (const RodGeometry geometry : {RodGeometry::None, RodGeometry::Bound, RodGeometry::Positive}) {
    RodSettings settings;
    settings.segments = 13;
    settings.geometry = geometry;
    ExpectSameAsWhole(Rod(settings), 4, 4);
    settings.held = {0, 3, 12};  // 3 is beside a joint between pieces
    ExpectSameAsWhole(Rod(settings), 4, 5);
    ExpectSameAsWhole(Rod(settings), 6, 6);
  }
}

TEST(Pieces, AreEvenAndTheSameEveryTime) {
  FemMaterial material;
  const FemBody beam(MakeBeamTets(0.5, 0.05, 0.05, {20, 2, 2}), material);
  const DeformablePieces cut = CutDeformable(beam, 10), again = CutDeformable(beam, 10);
  ASSERT_EQ(cut.pieces.size(), 10u);
  double mass = 0;
  for (std::size_t k = 0; k < cut.pieces.size(); ++k) {
    EXPECT_EQ(cut.pieces[k].items, again.pieces[k].items);
    EXPECT_NEAR(cut.pieces[k].body->mass(), beam.mass() / 10, 0.05 * beam.mass());
    mass += cut.pieces[k].body->mass();
  }
  EXPECT_NEAR(mass, beam.mass(), 1e-12 * beam.mass());
  std::set<int> seen;
  for (const DeformablePiece& piece : cut.pieces) seen.insert(piece.items.begin(), piece.items.end());
  EXPECT_EQ(static_cast<int>(seen.size()), beam.num_nodes());
  // Corners of one element are always together somewhere.
  for (const auto& tet : beam.mesh().tets) EXPECT_GE(cut.FindPiece(tet.data(), 4), 0);
  const int apart[2] = {0, beam.num_nodes() - 1};
  EXPECT_EQ(cut.FindPiece(apart, 2), -1);
}

TEST(Pieces, RefusesWhatCannotBe) {
  FemMaterial material;
  const FemBody cube(MakeBoxTets(Vector3(1, 1, 1), {1, 1, 1}), material);
  EXPECT_NE(ErrorOf([&] { (void)CutDeformable(cube, 6); }).find("pieces"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { (void)CutDeformable(cube, 1); }).find("pieces"), std::string::npos);
  RodSettings settings;
  settings.segments = 5;
  EXPECT_NE(ErrorOf([&] { (void)CutDeformable(Rod(settings), 3); }).find("segments"), std::string::npos);
}

}  // namespace
}  // namespace tactus
