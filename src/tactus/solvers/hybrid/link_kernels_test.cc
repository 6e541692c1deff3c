#include "tactus/solvers/hybrid/link_kernels_api.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tactus/core/simd.h"
#include "tactus/core/types.h"

namespace tactus {

namespace baseline {
extern const LinkKernels kLinkKernels;
}
#if TACTUS_HAVE_V3_KERNELS
namespace v3 {
extern const LinkKernels kLinkKernels;
}
#endif

namespace {

std::vector<const LinkKernels*> Levels() {
  std::vector<const LinkKernels*> out = {&baseline::kLinkKernels};
#if TACTUS_HAVE_V3_KERNELS
  if (ActiveSimdLevel() == SimdLevel::V3) out.push_back(&v3::kLinkKernels);
#endif
  return out;
}

// A link that these dofs of a tree move, with numbers that are not zero.
struct Link {
  Link(int tree, const std::vector<std::pair<int, int>>& dofs, unsigned seed) : full(MatrixX::Zero(6, tree)) {
    std::srand(seed);
    int columns = 0;
    for (const auto& [dof, count] : dofs) {
      runs.push_back({dof, columns, count});
      columns += count;
      full.middleCols(dof, count).setRandom();
    }
    stride = (columns + 3) & ~3;
    values.assign(6 * static_cast<std::size_t>(stride), 0.0);
    for (int i = 0; i < 6; ++i) {
      for (const LinkRun& run : runs) {
        for (int k = 0; k < run.count; ++k) {
          values[static_cast<std::size_t>(i * stride + run.column + k)] = full(i, run.dof + k);
        }
      }
    }
  }
  LinkJacobian jacobian() const { return {values.data(), stride, runs.data(), runs.data() + runs.size()}; }

  MatrixX full;
  std::vector<LinkRun> runs;
  std::vector<double> values;
  int stride = 0;
};

// A foot, a fingertip, all of the largest tree.
const std::vector<std::pair<int, std::vector<std::pair<int, int>>>>& Cases() {
  static const std::vector<std::pair<int, std::vector<std::pair<int, int>>>> cases = {{18, {{0, 6}, {12, 3}}},
                                                                                      {23, {{0, 7}, {15, 4}}},
                                                                                      {7, {{2, 1}}},
                                                                                      {64, {{0, 64}}},
                                                                                      {30, {{1, 5}, {8, 2}, {29, 1}}}};
  return cases;
}

TEST(LinkKernels, TwistsAndForces) {
  for (const LinkKernels* kernels : Levels()) {
    unsigned seed = 1;
    for (const auto& [tree, dofs] : Cases()) {
      const Link link(tree, dofs, seed++);
      const VectorX v = VectorX::Random(tree), wrench = VectorX::Random(6), before = VectorX::Random(tree);
      VectorX twist(6), force = before;
      kernels->twist(link.jacobian(), v.data(), twist.data());
      kernels->add_force(link.jacobian(), wrench.data(), force.data());
      EXPECT_LT((twist - link.full * v).norm(), 1e-13);
      EXPECT_LT((force - before - link.full.transpose() * wrench).norm(), 1e-13);
    }
  }
}

TEST(LinkKernels, CongruencesOfLinksAndFreeBodies) {
  for (const LinkKernels* kernels : Levels()) {
    unsigned seed = 11;
    for (const auto& [tree_a, dofs_a] : Cases()) {
      for (const auto& [tree_b, dofs_b] : Cases()) {
        const Link a(tree_a, dofs_a, seed++), b(tree_b, dofs_b, seed++);
        const RowMatrixX K = RowMatrixX::Random(6, 6);
        const auto check = [&](const LinkJacobian& ja, const MatrixX& Ja, const LinkJacobian& jb, const MatrixX& Jb) {
          // Within a larger matrix, as blocks are.
          const RowMatrixX before = RowMatrixX::Random(Ja.cols(), Jb.cols() + 3);
          RowMatrixX out = before;
          kernels->add_congruence(ja, K.data(), jb, out.data(), static_cast<int>(out.cols()));
          RowMatrixX expected = before;
          expected.leftCols(Jb.cols()) += Ja.transpose() * K * Jb;
          EXPECT_LT((out - expected).norm(), 1e-12);
          EXPECT_EQ(out.rightCols(3), before.rightCols(3));
        };
        const MatrixX one = MatrixX::Identity(6, 6);
        check(a.jacobian(), a.full, b.jacobian(), b.full);
        check({}, one, b.jacobian(), b.full);
        check(a.jacobian(), a.full, {}, one);
      }
    }
  }
}

TEST(LinkKernels, ProductsWithSymmetricMatrices) {
  for (const LinkKernels* kernels : Levels()) {
    for (const int n : {1, 3, 4, 7, 8, 12, 18, 23, 64}) {
      MatrixX A = MatrixX::Random(n, n);
      A = (A + A.transpose()).eval();
      const VectorX x = VectorX::Random(n);
      VectorX y(n);
      kernels->multiply(A.data(), n, x.data(), y.data());
      EXPECT_LT((y - A * x).norm(), 1e-13 * n) << n;
    }
  }
}

}  // namespace

}  // namespace tactus
