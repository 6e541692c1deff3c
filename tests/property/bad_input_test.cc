// Input that is no problem is refused, and the refusal names the place.
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/small_problems.h"

namespace tactus {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string RefusalOf(const std::function<void()>& make) {
  try {
    make();
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

const double kBad[] = {std::nan(""), kInfinity, -kInfinity};

/// A builder with two free bodies and a contact between them, to which one bad thing is added.
ContactProblemBuilder MakeBuilder() {
  ContactProblemBuilder builder;
  builder.AddFreeBody(Matrix6::Identity(), Vector6::Ones(), Vector3::Zero());
  builder.AddFreeBody(Matrix6::Identity(), Vector6::Ones(), Vector3::Ones());
  builder.AddContact(0, 1, Vector3::Zero(), Matrix3::Identity(), 0.5, Vector3::Zero());
  return builder;
}

TEST(BadInput, NumbersOfABody) {
  for (const double bad : kBad) {
    Matrix6 inertia = Matrix6::Identity();
    inertia(2, 2) = bad;
    Vector6 momentum = Vector6::Zero();
    momentum[4] = bad;
    ContactProblemBuilder builder = MakeBuilder();
    builder.AddFreeBody(inertia, Vector6::Zero(), Vector3::Zero());
    EXPECT_THAT(RefusalOf([&] { builder.Build(); }), HasSubstr("A of subsystem 2"));
    builder = MakeBuilder();
    builder.AddFreeBody(Matrix6::Identity(), momentum, Vector3::Zero());
    EXPECT_THAT(RefusalOf([&] { builder.Build(); }), AllOf(HasSubstr("b of subsystem 2"), HasSubstr("entry 4")));
  }
}

TEST(BadInput, MassesThatAreNone) {
  for (const double mass : {0.0, -1.0}) {
    ContactProblemBuilder builder = MakeBuilder();
    builder.AddFreeBody(mass * Matrix6::Identity(), Vector6::Zero(), Vector3::Zero());
    EXPECT_THAT(RefusalOf([&] { builder.Build(); }), AllOf(HasSubstr("subsystem 2"), HasSubstr("positive definite")));
  }
  ContactProblemBuilder builder;
  MatrixX A = MatrixX::Identity(3, 3);
  A(0, 2) = 0.5;
  builder.AddDense(A, VectorX::Zero(3));
  EXPECT_THAT(RefusalOf([&] { builder.Build(); }), AllOf(HasSubstr("subsystem 0"), HasSubstr("symmetric")));
}

TEST(BadInput, NumbersOfAContact) {
  for (const double bad : kBad) {
    const Vector3 vector(0, bad, 0);
    EXPECT_THAT(RefusalOf([&] { MakeBuilder().AddContact(0, 1, vector, Matrix3::Identity(), 0.5, Vector3::Zero()); }),
                HasSubstr("contact 1"));
    Matrix3 frame = Matrix3::Identity();
    frame(1, 0) = bad;
    EXPECT_THAT(RefusalOf([&] { MakeBuilder().AddContact(0, 1, Vector3::Zero(), frame, 0.5, Vector3::Zero()); }),
                HasSubstr("contact 1"));
    ContactProblemBuilder builder = MakeBuilder();
    builder.AddContact(0, 1, Vector3::Zero(), Matrix3::Identity(), 0.5, vector);
    EXPECT_THAT(RefusalOf([&] { builder.Build(); }), AllOf(HasSubstr("contact 1"), HasSubstr("e[1]")));
    builder = MakeBuilder();
    builder.AddContact(0, 1, Vector3::Zero(), Matrix3::Identity(), Friction(0.5, bad), Vector3::Zero());
    EXPECT_THAT(RefusalOf([&] { builder.Build(); }), AllOf(HasSubstr("contact 1"), HasSubstr("friction")));
    builder = MakeBuilder();
    MatrixX values = MatrixX::Ones(3, 2);
    values(2, 1) = bad;
    builder.AddContactRows({0, 1}, values, 0.5, Vector3::Zero());
    EXPECT_THAT(RefusalOf([&] { builder.Build(); }), AllOf(HasSubstr("contact 1"), HasSubstr("Jacobian")));
  }
  ContactProblemBuilder builder = MakeBuilder();
  builder.AddContact(0, 1, Vector3::Zero(), Matrix3::Identity(), -0.1, Vector3::Zero());
  EXPECT_THAT(RefusalOf([&] { builder.Build(); }), AllOf(HasSubstr("contact 1"), HasSubstr("friction")));
}

TEST(BadInput, ContactsThatMakeNoSense) {
  const auto add = [](BodyIndex a, BodyIndex b, const Matrix3& frame) {
    return RefusalOf([&] { MakeBuilder().AddContact(a, b, Vector3::Zero(), frame, 0.5, Vector3::Zero()); });
  };
  const Matrix3 identity = Matrix3::Identity();
  EXPECT_THAT(add(0, 0, identity), HasSubstr("contact 1"));
  EXPECT_THAT(add(kWorld, kWorld, identity), HasSubstr("contact 1"));
  EXPECT_THAT(add(0, 2, identity), AllOf(HasSubstr("contact 1"), HasSubstr("2")));
  EXPECT_THAT(add(-2, 0, identity), HasSubstr("contact 1"));
  EXPECT_THAT(add(0, 1, 2 * identity), HasSubstr("rotation"));
  EXPECT_THAT(add(0, 1, -identity), HasSubstr("rotation"));
}

TEST(BadInput, Rows) {
  const auto build = [](const RowLaw& law, const std::vector<int>& columns, const VectorX& values, double e) {
    return RefusalOf([&] {
      ContactProblemBuilder builder = MakeBuilder();
      builder.AddRow(RowLaw::Equality(), {0}, VectorX::Ones(1), 0);
      builder.AddRow(law, columns, values, e);
      builder.Build();
    });
  };
  const VectorX one = VectorX::Ones(1);
  for (const double bad : kBad) {
    EXPECT_THAT(build(RowLaw::Equality(), {0}, one, bad), AllOf(HasSubstr("row 1"), HasSubstr("e[0]")));
    EXPECT_THAT(build(RowLaw::Equality(), {0}, bad * one, 0), AllOf(HasSubstr("row 1"), HasSubstr("Jacobian")));
    EXPECT_THAT(build(RowLaw::Soft(1, bad), {0}, one, 0), AllOf(HasSubstr("row 1"), HasSubstr("ke")));
  }
  EXPECT_THAT(build(RowLaw::Soft(-1, 0), {0}, one, 0), AllOf(HasSubstr("row 1"), HasSubstr("damping")));
  EXPECT_THAT(build(RowLaw::Soft(std::nan(""), 0), {0}, one, 0), AllOf(HasSubstr("row 1"), HasSubstr("damping")));
  EXPECT_THAT(build(RowLaw::BoundedSoft(1, 0, 1, -1), {0}, one, 0), AllOf(HasSubstr("row 1"), HasSubstr("bounds")));
  EXPECT_THAT(build(RowLaw::BoundedSoft(1, 0, kInfinity, kInfinity), {0}, one, 0), HasSubstr("row 1"));
  EXPECT_THAT(build(RowLaw::DryFriction(-1), {0}, one, 0), AllOf(HasSubstr("row 1"), HasSubstr("bounds")));
  EXPECT_THAT(build(RowLaw::DryFriction(std::nan("")), {0}, one, 0), HasSubstr("row 1"));
  EXPECT_THAT(build(RowLaw::Equality(), {12}, one, 0), AllOf(HasSubstr("row 1"), HasSubstr("12")));
  EXPECT_THAT(build(RowLaw::Equality(), {-1}, one, 0), HasSubstr("row 1"));
  EXPECT_THAT(build(RowLaw::Equality(), {0, 1}, one, 0), HasSubstr("row 1"));
}

TEST(BadInput, DelassusPairs) {
  const auto make = [](const MatrixX& W, const VectorX& q, const std::vector<Friction>& friction,
                       const std::vector<RowLaw>& laws = {}) {
    return RefusalOf([&] { ContactProblem::FromDelassus(SparseMatrix(W.sparseView()), q, friction, laws); });
  };
  const MatrixX W = MatrixX::Identity(3, 3);
  const VectorX q = VectorX::Ones(3);
  for (const double bad : kBad) {
    MatrixX badW = W;
    badW(1, 2) = bad;
    VectorX bad_q = q;
    bad_q[2] = bad;
    EXPECT_THAT(make(badW, q, {0.5}), AllOf(HasSubstr("W"), HasSubstr("(1, 2)")));
    EXPECT_THAT(make(W, bad_q, {0.5}), AllOf(HasSubstr("q"), HasSubstr("entry 2")));
    EXPECT_THAT(make(W, q, {Friction(bad)}), HasSubstr("contact 0"));
  }
  EXPECT_THAT(make(W, q, {0.5, 0.5}), HasSubstr("W: is 3 x 3"));
  EXPECT_THAT(make(W, VectorX::Ones(4), {0.5}), HasSubstr("q: has 4"));
  EXPECT_THAT(make(-W, q, {0.5}), AllOf(HasSubstr("W"), HasSubstr("semidefinite")));
  EXPECT_THAT(make(W, q, {}, {RowLaw::Equality(), RowLaw::Soft(-1, 0), RowLaw::Equality()}), HasSubstr("row 1"));
}

TEST(BadInput, Matrices) {
  const MatrixX A = MatrixX::Identity(4, 4), J = MatrixX::Ones(3, 4);
  const VectorX b = VectorX::Ones(4), e = VectorX::Zero(3);
  const auto make = [](const MatrixX& A_, const VectorX& b_, const MatrixX& J_, const VectorX& e_) {
    return RefusalOf([&] { ContactProblem::FromMatrices(A_, b_, J_, e_, {0.5}); });
  };
  EXPECT_EQ(make(A, b, J, e), "nothing was thrown");
  for (const double bad : kBad) {
    MatrixX badA = A, badJ = J;
    VectorX bad_b = b, bad_e = e;
    badA(1, 3) = badA(3, 1) = badJ(2, 0) = bad_b[1] = bad_e[2] = bad;
    EXPECT_THAT(make(badA, b, J, e), AllOf(HasSubstr("A"), HasSubstr("(1, 3)")));
    EXPECT_THAT(make(A, bad_b, J, e), HasSubstr("b of subsystem 1"));
    EXPECT_THAT(make(A, b, badJ, e), AllOf(HasSubstr("J"), HasSubstr("(2, 0)")));
    EXPECT_THAT(make(A, b, J, bad_e), AllOf(HasSubstr("contact 0"), HasSubstr("e[2]")));
  }
  EXPECT_THAT(make(A, VectorX::Ones(3), J, e), HasSubstr("A: is 4 x 4"));
  EXPECT_THAT(make(A, b, MatrixX::Ones(2, 4), e), HasSubstr("J: is 2 x 4"));
  EXPECT_THAT(make(A, b, J, VectorX::Zero(2)), HasSubstr("e: has 2"));
}

}  // namespace
}  // namespace tactus
