#include "tactus/solvers/hybrid/compressed_delassus.h"

#include <numeric>

#include <gtest/gtest.h>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "tactus/core/random.h"
#include "tactus/core/simd.h"
#include "tactus/solvers/newton_common/mixed_problem_testing.h"

namespace tactus {

namespace baseline {
extern const CoordinateKernels kCoordinateKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const CoordinateKernels kCoordinateKernels;
}
#endif

namespace {

std::vector<int> All(const DelassusMatrix& W) {
  std::vector<int> all(W.num_constraints());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

VectorX RandomVector(int size, Random* random) {
  VectorX x(size);
  for (double& value : x) value = random->Normal();
  return x;
}

// W in the island's order of constraints.
MatrixX MakeDense(const DelassusMatrix& W, const CompressedDelassus& C) {
  MatrixX dense(C.size(), C.size());
  VectorX column;
  for (int j = 0; j < C.num_constraints(); ++j) {
    for (int b = 0; b < C.dim(j); ++b) {
      W.Multiply(VectorX::Unit(W.size(), W.offset(C.global(j)) + b), &column);
      for (int i = 0; i < C.num_constraints(); ++i) {
        for (int a = 0; a < C.dim(i); ++a) dense(C.offset(i) + a, C.offset(j) + b) = column[W.offset(C.global(i)) + a];
      }
    }
  }
  return dense;
}

// Two bodies and the world with many contacts each, and rows: groups of rank 6 or less among groups of full rank.
ContactProblem MakeManyContacts(int per_pair, std::uint64_t seed) {
  Random random(seed);
  ContactProblemBuilder builder;
  for (int i = 0; i < 2; ++i) {
    builder.AddFreeBody(Matrix6::Identity() * (1 + i), RandomVector(6, &random), RandomVector(3, &random));
  }
  for (int i = 0; i < 3 * per_pair; ++i) {
    const BodyIndex a = i % 3 == 1 ? 1 : 0, b = i % 3 == 2 ? 1 : kWorld;
    builder.AddContact(a, b, RandomVector(3, &random), Matrix3::Identity(), 0.5, Vector3::Zero());
  }
  builder.AddRow(RowLaw::Equality(), {0, 7}, VectorX::Ones(2), 0);
  return builder.Build();
}

std::vector<ContactProblem> Problems() {
  std::vector<ContactProblem> out;
  out.push_back(MakeManyContacts(10, 1));
  out.push_back(MakeManyContacts(1, 2));
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    MixedProblemOptions options;
    options.rank_deficient = seed % 2 == 1;
    out.push_back(MakeMixedProblem(seed, options));
  }
  return out;
}

TEST(CompressedDelassus, MultiplyIsW) {
  Random random(1);
  for (const ContactProblem& p : Problems()) {
    const DelassusMatrix W(p);
    for (const bool compress : {false, true}) {
      CompressedDelassus C;
      C.Build(W, All(W), compress);
      ASSERT_EQ(C.size(), p.size());
      const MatrixX dense = MakeDense(W, C);
      for (int k = 0; k < 3; ++k) {
        const VectorX r = RandomVector(C.size(), &random);
        VectorX u;
        C.Multiply(r, &u);
        EXPECT_LE((u - dense * r).norm(), 1e-11 * dense.norm() * r.norm());
      }
      for (int i = 0; i < C.num_constraints(); ++i) {
        const int d = C.dim(i);
        for (int a = 0; a < d; ++a) {
          for (int b = 0; b < d; ++b)
            EXPECT_EQ(C.diagonal_block(i)[a * d + b], dense(C.offset(i) + a, C.offset(i) + b));
        }
      }
      if (!compress) {
        EXPECT_EQ(C.rank(), C.size());
      }
    }
  }
}

TEST(CompressedDelassus, ContactsOfOnePairHaveRankSix) {
  ContactProblemBuilder builder;
  Random random(2);
  builder.AddFreeBody(Matrix6::Identity(), Vector6::Ones(), Vector3::Zero());
  for (int i = 0; i < 40; ++i) {
    builder.AddContact(0, kWorld, RandomVector(3, &random), Matrix3::Identity(), 0.5, Vector3::Zero());
  }
  const ContactProblem nut = builder.Build();
  const DelassusMatrix W(nut);
  CompressedDelassus C;
  C.Build(W, All(W), true);
  EXPECT_EQ(C.rank(), 6);
  EXPECT_EQ(C.size(), 120);

  const ContactProblem three_pairs = MakeManyContacts(10, 3);
  const DelassusMatrix W3(three_pairs);
  C.Build(W3, All(W3), true);
  EXPECT_LE(C.rank(), 3 * 6 + 1);
  // Points on a line: rotation about it is never seen.
  builder.AddFreeBody(Matrix6::Identity(), Vector6::Ones(), Vector3::Zero());
  for (int i = 0; i < 10; ++i) {
    builder.AddContact(kWorld, 0, Vector3(0.1 * i, 0, 0), Matrix3::Identity(), 0.5, Vector3::Zero());
  }
  const ContactProblem line = builder.Build();
  const DelassusMatrix W1(line);
  C.Build(W1, All(W1), true);
  EXPECT_EQ(C.rank(), 5);
}

// The row moves by far more easily as the contacts: what is small beside it is not small beside them.
TEST(CompressedDelassus, RankIsThatOfEachConstraintsOwnScale) {
  ContactProblemBuilder builder;
  Random random(3);
  builder.AddFreeBody(Matrix6::Identity(), Vector6::Ones(), Vector3::Zero());
  for (int i = 0; i < 12; ++i) {
    builder.AddContact(0, kWorld, 0.02 * RandomVector(3, &random), Matrix3::Identity(), 0.5, Vector3::Zero());
  }
  builder.AddRow(RowLaw::Equality(), {0}, VectorX::Constant(1, 1e5), 0);
  const ContactProblem p = builder.Build();
  const DelassusMatrix W(p);
  CompressedDelassus C;
  C.Build(W, All(W), true);
  EXPECT_EQ(C.rank(), 6);
  const MatrixX dense = MakeDense(W, C);
  const VectorX scale = dense.diagonal().cwiseSqrt().cwiseInverse();
  for (int j = 0; j < C.size(); ++j) {
    VectorX u;
    C.Multiply(VectorX::Unit(C.size(), j) * scale[j], &u);
    EXPECT_LE((u - dense.col(j) * scale[j]).cwiseProduct(scale).cwiseAbs().maxCoeff(), 1e-11) << j;
  }
}

TEST(CompressedDelassus, SolvesNewtonSystems) {
  Random random(3);
  for (const ContactProblem& p : Problems()) {
    const DelassusMatrix W(p);
    for (const bool compress : {false, true}) {
      CompressedDelassus C;
      C.Build(W, All(W), compress);
      const MatrixX dense = MakeDense(W, C);
      for (const double weight : {0.1, 10.0, 1000.0}) {
        // Positive semidefinite blocks, some of them zero (open contacts).
        std::vector<double> G(9 * static_cast<std::size_t>(C.num_constraints()), 0.0);
        MatrixX denseG = MatrixX::Zero(C.size(), C.size());
        for (int i = 0; i < C.num_constraints(); ++i) {
          if (i % 4 == 3) continue;
          const int d = C.dim(i);
          const MatrixX B = MatrixX::NullaryExpr(d, d, [&] { return random.Normal(); });
          const RowMatrixX block = weight * B * B.transpose();
          std::copy(block.data(), block.data() + d * d, G.begin() + 9 * i);
          denseG.block(C.offset(i), C.offset(i), d, d) = block;
        }
        const VectorX g = RandomVector(C.size(), &random);
        VectorX d, z;
        ASSERT_TRUE(C.SolveNewton(G, g, &d, &z));
        EXPECT_LE((d + denseG * (dense * d) - g).norm(), 1e-8 * g.norm()) << "weight " << weight;
        EXPECT_LE((z - dense * d).norm(), 1e-9 * dense.norm() * d.norm());
        const VectorX expected = (MatrixX::Identity(C.size(), C.size()) + denseG * dense).partialPivLu().solve(g);
        EXPECT_LE((dense * (d - expected)).norm(), 1e-7 * dense.norm() * expected.norm());
      }
    }
  }
}

// The sweep hands every constraint W r + q at the newest r, in the island's order, forwards or backwards.
TEST(CompressedDelassus, SweepIsGaussSeidel) {
  Random random(4);
  for (const ContactProblem& p : Problems()) {
    const DelassusMatrix W(p);
    for (const bool compress : {false, true}) {
      CompressedDelassus C;
      C.Build(W, All(W), compress);
      const MatrixX dense = MakeDense(W, C);
      const VectorX q = RandomVector(C.size(), &random);
      const auto law = [](int i, int a, double u, double r) { return -0.1 * u / (1 + 0.1 * i + a) - 0.05 * r; };
      VectorX swept = RandomVector(C.size(), &random), plain = swept;
      for (int sweep = 0; sweep < 4; ++sweep) {
        const bool backward = sweep % 2 == 1;
        C.Sweep(q, backward, &swept, [&](int i, const double* u, const double* r, double* delta) {
          for (int a = 0; a < C.dim(i); ++a) delta[a] = law(i, a, u[a], r[a]);
        });
        for (int step = 0; step < C.num_constraints(); ++step) {
          const int i = backward ? C.num_constraints() - 1 - step : step;
          const VectorX u = dense * plain + q;
          VectorX next = plain;
          for (int a = 0; a < C.dim(i); ++a)
            next[C.offset(i) + a] += law(i, a, u[C.offset(i) + a], plain[C.offset(i) + a]);
          plain = next;
        }
        EXPECT_LE((swept - plain).norm(), 1e-10 * (1 + plain.norm())) << "sweep " << sweep;
      }
    }
  }
}

// The kernel of contacts does what the general sweep does with the exact local solution.
TEST(CompressedDelassus, SweepsContactsAsTheGeneralSweepDoes) {
  Random random(8);
  ContactProblemBuilder builder;
  for (int i = 0; i < 3; ++i)
    builder.AddFreeBody(Matrix6::Identity() * (1 + i), RandomVector(6, &random), Vector3(i, 0, 0));
  for (int i = 0; i < 40; ++i) {
    const BodyIndex a = i % 3, b = i % 5 == 0 ? kWorld : (i + 1) % 3;
    const Matrix3 frame =
        Eigen::Quaterniond(random.Normal(), random.Normal(), random.Normal(), 1).normalized().matrix();
    builder.AddContact(a, b, RandomVector(3, &random), frame, 0.2 + 0.02 * i, Vector3::Zero());
  }
  const ContactProblem p = builder.Build();
  const DelassusMatrix W(p);
  for (const bool compress : {false, true}) {
    CompressedDelassus C;
    C.Build(W, All(W), compress);
    ASSERT_TRUE(C.contacts_only());
    std::vector<SingleContact> local;
    local.reserve(C.num_constraints());
    for (int i = 0; i < C.num_constraints(); ++i) local.emplace_back(C.diagonal_block(i), p.friction(C.global(i)).mu1);
    const VectorX q = RandomVector(C.size(), &random);
    VectorX kernel = VectorX::Zero(C.size()), general = kernel;
    constexpr double kRelaxation = 0.9;
    C.SweepContacts(q, 4, kRelaxation, 1e-15, local.data(), &kernel);
    for (int sweep = 0; sweep < 4; ++sweep) {
      C.Sweep(q, sweep % 2 == 1, &general, [&](int i, const double* u, const double* r, double* delta) {
        const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> Wii(C.diagonal_block(i));
        const Vector3 rest = Vector3::Map(u) - Wii * Vector3::Map(r);
        Vector3 next;
        local[i].Solve(rest.data(), next.data());
        Vector3::Map(delta) = kRelaxation * (next - Vector3::Map(r));
      });
    }
    EXPECT_GT(general.norm(), 0);
    EXPECT_LE((kernel - general).norm(), 1e-9 * general.norm()) << (compress ? "compressed" : "plain");
  }
}

// Some of the constraints only: an island does not see the others.
TEST(CompressedDelassus, BuildsAnIslandOfSome) {
  const ContactProblem p = MakeManyContacts(4, 5);
  const DelassusMatrix W(p);
  std::vector<int> some;
  for (int i = 0; i < W.num_constraints(); i += 2) some.push_back(i);
  CompressedDelassus C;
  C.Build(W, some, true);
  Random random(6);
  const VectorX r = RandomVector(C.size(), &random);
  VectorX u;
  C.Multiply(r, &u);
  EXPECT_LE((u - MakeDense(W, C) * r).norm(), 1e-10 * u.norm());
}

#if TACTUS_HAVE_V3_KERNELS

TEST(CoordinateKernels, LevelsAgreeToRounding) {
  if (ActiveSimdLevel() != SimdLevel::V3) GTEST_SKIP() << "this machine (or TACTUS_SIMD) has the baseline only";
  Random random(7);
  for (const int r : {1, 2, 3, 4, 5, 6, 7, 12, 18}) {
    SCOPED_TRACE(r);
    const std::vector<int> rank = {3, 6, 1, 12};
    std::vector<int> coordinate;
    std::vector<std::size_t> start;
    int total = 0;
    std::size_t values_size = 0;
    for (const int c : rank) {
      coordinate.push_back(total);
      start.push_back(values_size);
      total += c;
      values_size += static_cast<std::size_t>(r) * c;
    }
    const VectorX values = RandomVector(static_cast<int>(values_size), &random), s = RandomVector(total, &random);
    VectorX y[2] = {VectorX::Zero(r + 8), VectorX::Zero(r + 8)};
    const int c = r <= 7 ? r : 6, stride = c + 3;
    const VectorX B = RandomVector(r * c, &random), K = RandomVector(c * c, &random);
    VectorX S[2] = {VectorX::Ones(r * stride + 8), VectorX::Ones(r * stride + 8)};
    for (int level = 0; level < 2; ++level) {
      const CoordinateKernels& k = level == 0 ? baseline::kCoordinateKernels : v3::kCoordinateKernels;
      const CoordinateRows rows = {values.data(), start.data(), coordinate.data(), rank.data()};
      k.multiply_row(r, rows, 0, static_cast<int>(rank.size()), s.data(), y[level].data());
      k.add_product(r, c, B.data(), K.data(), S[level].data(), stride);
    }
    EXPECT_LE((y[0] - y[1]).head(r).norm(), 1e-13 * (1 + y[0].norm())) << r;
    for (int i = 0; i < r; ++i) EXPECT_LE((S[0] - S[1]).segment(i * stride, c).norm(), 1e-13 * (1 + S[0].norm())) << r;
    // Against plain loops.
    for (int i = 0; i < r; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < rank.size(); ++k) {
        for (int j = 0; j < rank[k]; ++j) sum += values[static_cast<int>(start[k]) + j * r + i] * s[coordinate[k] + j];
      }
      EXPECT_NEAR(y[0][i], sum, 1e-12);
      for (int j = 0; j < c; ++j) {
        double product = 1;
        for (int k = 0; k < c; ++k) product += B[k * r + i] * K[k * c + j];
        EXPECT_NEAR(S[0][i * stride + j], product, 1e-12);
      }
    }
  }
}

#endif

}  // namespace
}  // namespace tactus
